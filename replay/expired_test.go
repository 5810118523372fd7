package replay

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
)

// TestExpiredToken: a token that ended between recording and replay is told of, and a credential takes its place.
func TestExpiredToken(t *testing.T) {
	part := base64.RawURLEncoding.EncodeToString
	claims := fmt.Sprintf(`{"exp":%d}`, time.Now().Add(-time.Minute).Unix())
	over := "Bearer " + part([]byte(`{"alg":"HS256"}`)) + "." + part([]byte(claims)) + "." + part([]byte("signed"))
	target := &url.URL{Scheme: "http", Host: serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer new" {
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))}
	p := &tape{t: t, addr: target.Host}
	for range 2 {
		e := p.add("GET /me HTTP/1.1\r\nHost: x\r\nAuthorization: "+over+"\r\n\r\n", "")
		e.Start, e.Response = time.Now().Add(-time.Hour), &exchange.Response{Status: 200}
	}
	p.add("GET /other HTTP/1.1\r\nHost: x\r\n\r\n", "").Response = &exchange.Response{Status: 200}
	sum, _ := play(t, &Player{}, p)
	if want := "3 differently (2 with an expired token: give another with --auth)"; sum.Expired != 2 || !strings.Contains(sum.String(), want) {
		t.Errorf("%s, want %q in it", sum, want)
	}
	sum, _ = play(t, &Player{Credentials: flow.Credentials{{Name: "authorization", Value: "Bearer new"}}}, p)
	if sum.Expired != 0 || sum.Reproduced != 2 {
		t.Errorf("with a credential: %s", sum)
	}
}
