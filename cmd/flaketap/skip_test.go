package main

import (
	"net"
	"strings"
	"testing"
)

// What is advised where nothing arrives can be typed: with a target the recorder's address is a base URL, without one
// it is none yet.
func TestSkipAdvice(t *testing.T) {
	addr := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8877}
	for _, tt := range []struct {
		target, started bool
		want, not       string
	}{
		{true, true, "the base URL http://127.0.0.1:8877 instead", "--target"},
		{true, false, "the base URL http://127.0.0.1:8877 instead", "--target"},
		{false, true, "--target http://127.0.0.1:8080, with the API's address, and\nflaketap: http://127.0.0.1:8877 as", "behind --"},
		{false, true, "http://localhost.:8080", "behind --"},
		{false, true, "trust_env=True", "behind --"},
		{false, false, "HTTP_PROXY=http://127.0.0.1:8877 NO_PROXY= CMD", "instead"},
	} {
		got := skipAdvice(addr, tt.target, tt.started)
		if !strings.Contains(got, tt.want) || strings.Contains(got, tt.not) {
			t.Errorf("target %t, started %t: %s", tt.target, tt.started, got)
		}
		for line := range strings.Lines(got) {
			if len(line) > 100 {
				t.Errorf("%d characters: %s", len(line), line)
			}
		}
	}
}
