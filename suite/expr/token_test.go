package expr_test

import (
	"encoding/base64"
	"testing"

	"github.com/flaketap/flaketap/suite/expr"
)

// jwt is a token of a header and claims.
func jwt(header, claims string) string {
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(header)) + "." + encode([]byte(claims)) + ".c2lnbmF0dXJl"
}

func TestTokenHolds(t *testing.T) {
	const header = `{"alg":"HS256","typ":"JWT"}`
	subject := expr.Name{ID: "t"}
	seen := []any{jwt(header, `{"iss":"a","sub":"b","iat":100,"exp":160}`), jwt(header, `{"iss":"a","sub":"b","iat":200,"exp":260,"x":1}`)}
	says := expr.TokenHolds(subject, seen, func(claim string) bool { return claim == "sub" })
	if len(says) != 2 {
		t.Fatalf("%d statements", len(says))
	}
	for name, tt := range map[string]struct {
		text        string
		first, next bool // what the two statements say
	}{
		"another token":     {jwt(header, `{"iss":"a","sub":"c","iat":300,"exp":360}`), true, true},
		"another lifetime":  {jwt(header, `{"iss":"a","sub":"b","iat":300,"exp":361}`), false, true},
		"another issuer":    {jwt(header, `{"iss":"z","sub":"b","iat":300,"exp":360}`), false, false},
		"no subject":        {jwt(header, `{"iss":"a","iat":300,"exp":360}`), false, false},
		"another algorithm": {jwt(`{"alg":"none","typ":"JWT"}`, `{"iss":"a","sub":"b","iat":300,"exp":360}`), false, false},
		"no type":           {jwt(`{"alg":"HS256"}`, `{"iss":"a","sub":"b","iat":300,"exp":360}`), false, false},
		"no JSON":           {"eyJhbGciOiJIUzI1NiJ9.bm90IGpzb24.c2ln", false, false},
		"four parts":        {jwt(header, `{"iss":"a","sub":"b","iat":300,"exp":360}`) + ".x", false, false},
		"no token":          {"", false, false},
	} {
		for i, want := range []bool{tt.first, tt.next} {
			if got := expr.HoldsOf(says[i], subject, tt.text); got != want {
				t.Errorf("%s: statement %d is %v", name, i, got)
			}
		}
	}
	for _, other := range []any{"www.example.com", 7.0, nil, jwt(`{"typ":"JWT"}`, `{}`), jwt(`[]`, `{}`)} {
		if says := expr.TokenHolds(subject, append(seen[:1:1], other), nil); says != nil {
			t.Errorf("%v is taken for a token: %v", other, says)
		}
	}
}
