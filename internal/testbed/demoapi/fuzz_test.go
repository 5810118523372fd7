package demoapi

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/flaketap/flaketap/internal/testbed/proving"
)

// FuzzAPI sends any request at all: no panic, no 500 but the one on purpose, and JSON wherever JSON is promised.
func FuzzAPI(f *testing.F) {
	clock := proving.NewClock(noon, 1)
	for _, s := range session(f, New(Dials{Seed: 1, Clock: clock.Read}), 80, 1, clock, 1) {
		f.Add(s.Method, s.Path, "application/json", "de", "Bearer "+PersonalToken, s.Body)
	}
	for _, body := range []string{
		`{"items":[{"product":1,"quantity":1}],"note":null}`, `{"email":"a@b.de","password":"12345678","displayName":"x","birthDate":"2001-01-01"}`,
		`{"orderId":"` + seedOrderID + `"}`, `{"name":"x","tag":"book","priceCents":1}`, `{"author":"x","stars":1,"text":""}`, "\xff\xfe", `{"a":`,
	} {
		for _, path := range []string{"/orders", "/accounts", "/invoices", "/products", "/products/1/reviews", "/guestbook", "/imports", "/login"} {
			f.Add("POST", path, "application/json; charset=utf-8", "fr;q=x", "Bearer a.b.c", []byte(body))
		}
	}
	f.Add("GET", "/search?q=%ff&cursor=%00&cursor", "", ",;q=", "Basic", []byte{})
	f.Add("GET", "/debug/objects/%F0%9F%98%80%2f..", "", "", "", []byte{})
	api := New(Dials{Seed: 1})
	f.Fuzz(func(t *testing.T, method, target, kind, lang, authorization string, body []byte) {
		u, err := url.ParseRequestURI(target)
		if err != nil || strings.HasPrefix(u.Path, "/admin/dials") {
			return // net/http refuses the first; the second may make the API wait
		}
		r := httptest.NewRequest("GET", "/", strings.NewReader(string(body)))
		r.Method, r.URL = method, u
		r.Header.Set("Content-Type", kind)
		r.Header.Set("Accept-Language", lang)
		r.Header.Set("Authorization", authorization)
		w := httptest.NewRecorder()
		api.ServeHTTP(w, r)
		if w.Code >= 500 && u.Path != "/debug/crash" {
			t.Errorf("%s %s: %d %s", method, target, w.Code, w.Body)
		}
		if w.Header().Get("Content-Type") == "application/json" && !gjson.ValidBytes(w.Body.Bytes()) {
			t.Errorf("%s %s: no JSON: %q", method, target, w.Body)
		}
		if w.Code == http.StatusNoContent && w.Body.Len() > 0 {
			t.Errorf("%s %s: 204 with a body", method, target)
		}
	})
}
