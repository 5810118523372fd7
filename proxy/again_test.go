package proxy_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/proxy"
)

// A request that is sent again is answered whole, or not at all.
func TestAgain(t *testing.T) {
	for name, tt := range map[string]struct{ method, answer, want string }{
		"length":         {"GET", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok, and more", "ok"},
		"chunked":        {"GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", "2\r\nok\r\n0\r\n\r\n"},
		"interim":        {"GET", "HTTP/1.1 103 Hint\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "ok"},
		"head":           {"HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", ""},
		"until it ends":  {"GET", "HTTP/1.1 200 OK\r\n\r\nok", "error"},
		"cut":            {"GET", "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nok", "error"},
		"no HTTP":        {"GET", "SSH-2.0\r\n\r\n", "error"},
		"nothing":        {"GET", "", "error"},
		"too large":      {"GET", "HTTP/1.1 200 OK\r\nContent-Length: 17000000\r\n\r\n" + strings.Repeat("x", 17000000), "error"},
		"another, first": {"GET", "HTTP/1.1 101 Switching Protocols\r\n\r\n", "error"},
	} {
		t.Run(name, func(t *testing.T) {
			a := listen(t, nil, func(c net.Conn) {
				if _, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
					_, _ = io.WriteString(c, tt.answer) // who reads no more has hung up
				}
			})
			p := &proxy.Proxy{Target: a.url("http"), ReverseOnly: true}
			defer p.Close()
			e := &exchange.Exchange{Scheme: "http", Addr: a.addr(), Request: exchange.Request{Method: tt.method}}
			r, err := p.Again(t.Context(), e, []byte(tt.method+" / HTTP/1.1\r\nHost: a\r\n\r\n"))
			got := "error"
			if err == nil {
				got = string(r.Body)
			}
			if got != tt.want {
				t.Errorf("answered %.80q, %v; want %q", got, err, tt.want)
			}
		})
	}
}

// It ends with who asked for it, and with the proxy.
func TestAgainEnds(t *testing.T) {
	for _, name := range []string{"context", "proxy"} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			p := &proxy.Proxy{}
			a := listen(t, nil, func(c net.Conn) {
				if _, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
					if name == "context" {
						cancel()
					} else {
						p.Close()
					}
					_, _ = io.Copy(io.Discard, c)
				}
			})
			e := &exchange.Exchange{Scheme: "http", Addr: a.addr(), Request: exchange.Request{Method: "GET"}}
			if _, err := p.Again(ctx, e, []byte("GET / HTTP/1.1\r\nHost: a\r\n\r\n")); err == nil {
				t.Error("answered")
			}
			p.Close()
			if p.Context().Err() == nil {
				t.Error("the proxy is closed, and its context not done")
			}
		})
	}
}

// TLS is spoken to a target that wants it.
func TestAgainSpeaksTLS(t *testing.T) {
	ca := newTrust(t)
	a := listen(t, ca.server(t), func(c net.Conn) {
		if _, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
		}
	})
	p := &proxy.Proxy{UpstreamTLS: ca.client()}
	defer p.Close()
	e := &exchange.Exchange{Scheme: "https", Addr: a.addr(), Request: exchange.Request{Method: "GET"}}
	r, err := p.Again(t.Context(), e, []byte("GET / HTTP/1.1\r\nHost: a\r\n\r\n"))
	if err != nil || string(r.Body) != "ok" {
		t.Errorf("%v, %v", r, err)
	}
}
