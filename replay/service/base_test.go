package service

import (
	"net/url"
	"testing"
)

// Clients find an API at the port that was chosen for it, or else where it is asked whether it is ready.
func TestBase(t *testing.T) {
	at := func(text string) *url.URL {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	for _, tt := range []struct {
		api  *Instance
		want string
	}{
		{nil, ""},
		{&Instance{}, ""},
		{&Instance{ready: at("https://a.example:8443/up?x=1")}, "https://a.example:8443"},
		{&Instance{target: at("http://127.0.0.1:81"), ready: at("http://127.0.0.1:80/up")}, "http://127.0.0.1:81"},
	} {
		got := ""
		if u := tt.api.Base(); u != nil {
			got = u.String()
		}
		if got != tt.want {
			t.Errorf("%+v is at %q, want %q", tt.api, got, tt.want)
		}
	}
}
