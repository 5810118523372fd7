package proxy

import (
	"net"
	"testing"
)

func TestHosts(t *testing.T) {
	for _, tt := range []struct {
		pattern, addr string
		want          bool
	}{
		{"*.example.com", "a.B.Example.com.:443", true},
		{"*.example.com", "example.com:443", false},
		{"*example.com.", "badexample.com:443", true},
		{"api.example.com", "api.example.com:8443", true},
		{"api.example.com:443", "api.example.com:8443", false},
		{"api.example.com:8443", "api.example.com:8443", true},
		{"10.0.0.*", "10.0.0.7:80", true},
		{"10.0.0.*", "10.0.1.7:80", false},
		{"[::1]:80", "[::1]:80", true},
		{"[::1]", "[::1]:80", true},
		{"::1", "[::1]:80", true},
		{"*", "x:1", true},
		{"*", "no port", false},
	} {
		if err := (Hosts{tt.pattern}).Check(); err != nil {
			t.Errorf("%s: %v", tt.pattern, err)
		}
		if got := (Hosts{"other", tt.pattern}).match(tt.addr); got != tt.want {
			t.Errorf("%s for %s: %v", tt.pattern, tt.addr, got)
		}
	}
	for _, bad := range []string{"", "a/b", "https://a", "http://a/", "a:b", "a:70000", "[", "a[", ":80", "a b", "u@h"} {
		if (Hosts{bad}).Check() == nil {
			t.Errorf("%q is taken for a pattern", bad)
			continue // a proxy with it would serve
		}
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		if (&Proxy{Exclude: Hosts{bad}}).Serve(ln) == nil || (&Proxy{Tunnel: Hosts{bad}}).Serve(ln) == nil {
			t.Errorf("a proxy with %q serves", bad)
		}
	}
}

func TestWithoutRoot(t *testing.T) {
	for addr, want := range map[string]string{
		"localhost.:80": "localhost:80", "LocalHost.:80": "localhost:80", "localhost:80": "localhost:80",
		"api.example.:80": "api.example.:80", "[::1]:80": "[::1]:80", "localhost.": "localhost.",
	} {
		if got := withoutRoot(addr); got != want {
			t.Errorf("%s is dialed as %s, want %s", addr, got, want)
		}
	}
}
