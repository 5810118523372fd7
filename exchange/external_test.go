package exchange

import (
	"strings"
	"testing"
)

func TestExternalService(t *testing.T) {
	for at, want := range map[string]string{"https rates.example.com:443": "rates.example.com", "http 192.0.2.1:80": "192.0.2.1",
		"https [2001:db8::1]:443": "2001:db8::1", "http rates.example.com:443": "rates.example.com:443", "https a.example:8443": "a.example:8443",
		"https a.example": "a.example", " a.example:80": "a.example:80"} {
		scheme, addr, _ := strings.Cut(at, " ")
		x := External{Exchange: Exchange{Scheme: scheme, Addr: addr}}
		if got := x.Service(); got != want {
			t.Errorf("%s is %s, want %s", at, got, want)
		}
	}
}
