package proxy

import (
	"bytes"
	"errors"
	"net"
	"strings"
	"testing"
)

// The readers of SOCKS messages take any bytes: what they return lies within them, a whole message stays the same
// whatever follows it, and no beginning of one is taken for a whole one or for a mistake.
func FuzzSocks(f *testing.F) {
	for _, seed := range []string{"", "\x05\x01\x00", "\x05\x02\x00\x02rest", "\x05\x00", "\x05\xff\x00", "\x04\x01\x00\x50\x7f\x00\x00\x01\x00",
		"\x01\x03ada\x04word", "\x01\x00\x00", "\x01\xff", "\x05\x01\x00\x01\x7f\x00\x00\x01\x00\x50", "\x05\x01\x00\x03\x0bapi.example\x01\xbb",
		"\x05\x01\x00\x03\x03::1\x01\xbb", "\x05\x01\x00\x04" + "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x50", "\x05\x01\x00\x03\x00\x00\x50"} {
		f.Add([]byte(seed))
	}
	greeting := func(b []byte) (string, int, error) {
		methods, n, err := readGreeting(b)
		return string(methods), n, err
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for name, parse := range map[string]func([]byte) (string, int, error){"greeting": greeting, "credentials": readCredentials, "request": readRequest} {
			what, n, err := parse(b)
			if err != nil {
				if n != 0 || what != "" {
					t.Errorf("%s: %d and %q with %v", name, n, what, err)
				}
				if errors.Is(err, errMore) && len(b) > 600 {
					t.Errorf("%s: %d bytes are not enough", name, len(b))
				}
				continue
			}
			if n <= 0 || n > len(b) {
				t.Fatalf("%s: %d of %d bytes", name, n, len(b))
			}
			if again, m, err := parse(append(bytes.Clone(b[:n]), "rest"...)); again != what || m != n || err != nil {
				t.Errorf("%s: with more behind it %q, %d, %v", name, again, m, err)
			}
			for i := range n {
				if _, _, err := parse(b[:i]); !errors.Is(err, errMore) {
					t.Errorf("%s: %d of %d bytes give %v", name, i, n, err)
				}
			}
			if name == "request" {
				if host, port, err := net.SplitHostPort(what); err != nil || host == "" || port == "" {
					t.Errorf("%q is no address: %v", what, err)
				}
			}
		}
	})
}

// What begins as a request does is one as soon as its target shows, in whatever pieces it comes; what does not never is.
func TestBeginsRequest(t *testing.T) {
	for text, want := range map[string]bool{
		"GET / HTTP/1.1\r\n": true, "\r\nget /x\r\n": true, "OPTIONS * HTTP/1.1\r\n": true, "PRI * HTTP/2.0\r\n": true, "GET http://a/ HTTP/1.0\r\n": true,
		"X-Y a?b HTTP/1.1\n": true, "": false, "PING\r\n": false, "*2\r\n$4": false, "get key\r\n": false, "HELLO": false, "{\"a\": 1}": false, "auth  x\r\n": false,
		strings.Repeat("A", 40) + " / HTTP/1.1\r\n": false, "GET\t/ HTTP/1.1\r\n": false,
	} {
		got, last := false, true
		for i := range len(text) + 1 {
			request, yet := beginsRequest([]byte(text[:i]))
			if got && !request || request && yet || !last && (request || yet) {
				t.Errorf("%q: after %d bytes %t, %t", text, i, request, yet)
			}
			got, last = request, request || yet
		}
		if got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}
