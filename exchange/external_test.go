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

// What is given again is told by its name.
func TestExternalAgain(t *testing.T) {
	for stub, want := range map[string]uint64{GivenAgain(17): 17, "recorded 17": 17, "17": 0, "recorded": 0, "recorded as out of reach": 0, "rates": 0, "": 0} {
		x := External{Stub: stub}
		if got, ok := x.Again(); ok != (want != 0) || ok && got != want {
			t.Errorf("%q is %d, %t, want %d", stub, got, ok, want)
		}
	}
}
