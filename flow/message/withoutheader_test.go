package message

import (
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

func TestWithoutHeader(t *testing.T) {
	for head, want := range map[string]string{
		"GET / HTTP/1.1\r\nHost: a\r\ncookie: b=c\r\nX: y\r\nCookie: d=e\r\n\r\n": "GET / HTTP/1.1\r\nHost: a\r\nX: y\r\n\r\n",
		"GET / HTTP/1.1\nCookie: b=c\n\n":                                         "GET / HTTP/1.1\n\n",
		"GET / HTTP/1.1\r\nCookies: b\r\n\r\n":                                    "GET / HTTP/1.1\r\nCookies: b\r\n\r\n",
		"GET /\r\n":                                                               "GET /\r\n",
	} {
		r := WithoutHeader(exchange.ParseRequest(exchange.Message{Head: []byte(head)}), "Cookie")
		if string(r.Head) != want {
			t.Errorf("%q: %q, want %q", head, r.Head, want)
		}
	}
}
