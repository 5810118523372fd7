package build

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write"
)

// jwt makes a token of a header and claims, with a signature that nobody checks.
func jwt(header, claims string, n int) string {
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(header)) + "." + encode([]byte(claims)) + "." + encode(fmt.Appendf(nil, "signature %d of no key", n))
}

// tokenAt is a token as a login gave it at a second.
func tokenAt(second int) string {
	return jwt(`{"alg":"HS256","typ":"JWT"}`, fmt.Sprintf(`{"iss":"shop-auth","sub":"user-17","iat":%d,"exp":%d,"jti":"%08x"}`, second, second+3600, second*7919), second)
}

// tokenSteps are logins, each of some runs.
func tokenSteps() []exchange.Step {
	var steps []exchange.Step
	for i := range 3 {
		var rs []*exchange.Response
		for run := range 4 {
			rs = append(rs, reply(200, jsonType, fmt.Sprintf(`{"badge":"%s","ok":true}`, tokenAt(1769663700+i*7+run*1000))))
		}
		steps = append(steps, stepOf(uint64(i+1), "/badge", rs))
	}
	return steps
}

// TestTokensAreTokens: a place of JSON web tokens is asserted by what they hold, in every form, and no token is in a
// file.
func TestTokensAreTokens(t *testing.T) {
	src := judged(t, suite.Source{Steps: tokenSteps()})
	p, err := Plan(src, Options{All: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{"pytest", "go", "jest", "postman", "junit5", "kotlin", "hurl"} {
		files, err := write.Write(form, p)
		if err != nil {
			t.Fatal(err)
		}
		var tests strings.Builder
		for _, f := range files {
			if strings.Contains(string(f.Data), "eyJhbGci") {
				t.Errorf("%s: %s holds a token", form, f.Name)
			}
			if strings.Contains(f.Name, "secrets") || f.Name == "environment.json" {
				continue
			}
			if strings.Contains(string(f.Data), "shop-auth") || strings.Contains(string(f.Data), "user-17") {
				t.Errorf("%s: %s holds a claim", form, f.Name)
			}
			tests.Write(f.Data)
		}
		for _, want := range []string{"/body/badge/@jwt/header/alg", "HS256", "/body/badge/@jwt/claims/exp", "/body/badge/@jwt/claims/sub", "/body/badge/@jwt/lifetime"} {
			if form == "hurl" && strings.Contains(want, "lifetime") {
				want = "Hurl has no assert for this"
			} else if form == "hurl" {
				want = strings.NewReplacer("/body/badge/@jwt/header/", `"$.badge" split "." nth 0 base64UrlSafeDecode decode "utf-8" jsonpath "$.`, "/body/badge/@jwt/claims/", `"$.badge" split "." nth 1 base64UrlSafeDecode decode "utf-8" jsonpath "$.`).Replace(want)
			}
			if !strings.Contains(tests.String(), want) {
				t.Errorf("%s: there is no %s", form, want)
			}
		}
	}
}

// TestTokensAreChecked runs a suite against an API that gives tokens, and against ones that give something else.
func TestTokensAreChecked(t *testing.T) {
	src := judged(t, suite.Source{Steps: tokenSteps()})
	files, err := written(src, suite.Relax)
	if err != nil {
		t.Fatal(err)
	}
	dir := writeFiles(t, files)
	for name, tt := range tokenCases() {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"badge":"%s","ok":true}`, tt.token)
		}))
		if ok, out := pytest(t, dir, server.URL); ok != tt.ok {
			t.Errorf("%s: the suite passes: %v\n%s", name, ok, out)
		}
		server.Close()
	}
}

// tokenCase is what an API gives for a token, and whether a suite is to take it for one as they were recorded.
type tokenCase struct {
	token string
	ok    bool
}

func tokenCases() map[string]tokenCase {
	const now = 1769700000
	made := func(alg, claims string, lifetime int) string {
		return jwt(`{"alg":"`+alg+`","typ":"JWT"}`, fmt.Sprintf(`{%s"iat":%d,"exp":%d,"jti":"00ab00ab"}`, claims, now, now+lifetime), 1)
	}
	return map[string]tokenCase{
		"another":             {made("HS256", `"iss":"shop-auth","sub":"user-17",`, 3600), true},
		"another lifetime":    {made("HS256", `"iss":"shop-auth","sub":"user-17",`, 60), false},
		"another algorithm":   {made("none", `"iss":"shop-auth","sub":"user-17",`, 3600), false},
		"another issuer":      {made("HS256", `"iss":"shop","sub":"user-17",`, 3600), false},
		"a claim is missing":  {made("HS256", `"iss":"shop-auth",`, 3600), false},
		"it only looks alike": {"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.bm90IGpzb24.c2lnbmF0dXJl", false},
	}
}
