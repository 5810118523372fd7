package flow

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
)

// jwt returns a token with the given claims. Nobody verifies it.
func jwt(claims string) string {
	part := base64.RawURLEncoding.EncodeToString
	return part([]byte(`{"alg":"HS256"}`)) + "." + part([]byte(claims)) + "." + part([]byte("signed"))
}

func TestExpired(t *testing.T) {
	then, now := time.Unix(1000, 0), time.Unix(2000, 0)
	for value, want := range map[string]bool{
		"Bearer " + jwt(`{"exp":1500}`):                true,
		jwt(`{"exp":1500.5,"sub":"x"}`):                true,
		jwt(`{"exp":2000}`):                            true, // RFC 7519: on or after which it must not be accepted
		jwt(`{"exp":2001}`):                            false,
		jwt(`{"exp":1000}`):                            false, // it had ended when it was recorded
		jwt(`{"sub":"x"}`):                             false,
		jwt(`{"exp":"soon"}`):                          false,
		jwt(`{"exp":1e300}`):                           false,
		"eyJ eyJ.eyJ.eyJ " + jwt(`{"exp":1500}`) + "&": true,
		"eyJhbGciOiJIUzI1NiJ9.only.":                   false,
		"":                                             false,
	} {
		r := exchange.ParseRequest(exchange.Message{Head: []byte("GET / HTTP/1.1\r\nAuthorization: " + value + "\r\n\r\n")})
		if got := Expired(&r, then, now); got != want {
			t.Errorf("%s: %t", value, got)
		}
	}
}

// A credential takes the place of a token that has ended since, and of no other value.
func TestCredentialsRenew(t *testing.T) {
	then, now := time.Unix(1000, 0), time.Unix(2000, 0)
	lives, over, stale := jwt(`{"exp":3000}`), jwt(`{"exp":1500}`), jwt(`{"exp":900}`)
	some := Renewal{Credentials: Credentials{{"Authorization", "Bearer new"}, {"sid", "new"}}}
	for _, tt := range []struct{ fields, want string }{
		{"Authorization: Bearer " + over + "\r\n", "Authorization: Bearer new\r\n"},
		{"Authorization: Bearer " + lives + "\r\n", "Bearer " + lives},
		{"Authorization: Bearer " + stale + "\r\n", "Bearer " + stale},
		{"Cookie: sid=" + over + "; b=" + over + "\r\n", "sid=new; b=" + over + "\r\n"},
		{"X-Other: " + over + "\r\n", "X-Other: " + over},
	} {
		r := exchange.ParseRequest(exchange.Message{Head: []byte("GET / HTTP/1.1\r\n" + tt.fields + "\r\n")})
		if got := some.Fill(r, then, now); !strings.Contains(string(got.Head), tt.want) {
			t.Errorf("%q, want %q in it", got.Head, tt.want)
		}
	}
	e := &exchange.Exchange{Seq: 1, Start: then, Response: &exchange.Response{},
		Request: exchange.ParseRequest(exchange.Message{Head: []byte("GET / HTTP/1.1\r\nAuthorization: Bearer " + over + "\r\n\r\n")})}
	if got := some.Lacking(slices.Values([]*exchange.Exchange{e}), nil, now); got.Requests != 0 || !slices.Equal(got.Unused, []string{"sid"}) {
		t.Errorf("%+v", got)
	}
}
