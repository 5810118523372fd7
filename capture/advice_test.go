package capture

import (
	"net"
	"net/url"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/proxy"
)

// What is advised where nothing arrives can be typed: with a target the recorder's address is a base URL, without one
// it is none yet.
func TestWhyNothing(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	at := ln.Addr().String()
	api := &url.URL{Scheme: "http", Host: "127.0.0.1:8080"}
	for _, tt := range []struct {
		target    *url.URL
		command   []string
		want, not string
	}{
		{api, []string{"x"}, "the base URL http://" + at + " instead", "--target"},
		{api, nil, "the base URL http://" + at + " instead", "--target"},
		{nil, []string{"x"}, "--target http://127.0.0.1:8080, with the API's address, and\nflaketap: http://" + at + " as", "after --"},
		{nil, []string{"x"}, "http://localhost.:8080", "after --"},
		{nil, []string{"x"}, "trust_env=True", "after --"},
		{nil, nil, "HTTP_PROXY=http://" + at + " NO_PROXY= CMD", "instead"},
	} {
		s := &Session{Proxy: &proxy.Proxy{Target: tt.target}, o: Options{Command: tt.command}, ln: ln}
		got := s.WhyNothing()
		if !strings.Contains(got, tt.want) || strings.Contains(got, tt.not) {
			t.Errorf("target %v, command %v: %s", tt.target, tt.command, got)
		}
		for line := range strings.Lines(got) {
			if len(line) > 110 {
				t.Errorf("%d characters: %s", len(line), line)
			}
		}
	}
}
