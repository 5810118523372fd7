package proxy_test

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/proxy"
)

// towns starts three targets and a recorder that takes /api to the first, the host auth.example to the second, and all
// else, if there is to be one, to the third.
func towns(t *testing.T, all bool) (addr string, rec *tape, got map[string]chan string, of map[string]*url.URL) {
	t.Helper()
	got, of = map[string]chan string{}, map[string]*url.URL{}
	for _, name := range []string{"api", "auth", "rest"} {
		a, heads := teller(t, nil, name)
		got[name], of[name] = heads, a.url("http")
	}
	rec = newTape()
	p := &proxy.Proxy{Recorder: rec, Leaves: newTrust(t), Routes: []proxy.Route{
		{Path: "/api", Target: of["api"]}, {Path: "/api/v2/", Target: of["rest"], Name: "v2"}, {Host: "auth.example", Target: of["auth"]},
	}}
	if all {
		p.Target = of["rest"]
	}
	return serve(t, p), rec, got, of
}

// One connection may go to several targets; each request arrives as it was sent, and is recorded under its target.
func TestRoutes(t *testing.T) {
	addr, rec, got, of := towns(t, true)
	c := dial(t, addr)
	r := bufio.NewReader(c)
	for _, tt := range []struct{ head, to, name string }{
		{"GET /api HTTP/1.1\r\nhOST:x\r\n\r\n", "api", "/api"},
		{"GET /api/a%2Fb/../c?d HTTP/1.1\r\nHost: x\r\n\r\n", "api", "/api"},
		{"g-t /api?x HTTP/1.1\r\nHost: x\r\nA: \xff\r\n b\r\n\r\n", "api", "/api"},
		{"GET /api/v2/x HTTP/1.1\r\nHost: x\r\n\r\n", "rest", "v2"},
		{"GET /apix HTTP/1.1\r\nHost: x\r\n\r\n", "rest", ""},
		{"GET //api HTTP/1.1\r\nHost: x\r\n\r\n", "rest", ""},
		{"GET /%61pi HTTP/1.1\r\nHost: x\r\n\r\n", "rest", ""},
		{"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", "rest", ""},
		{"GET / HTTP/1.1\r\nHost: AUTH.example.:8877\r\n\r\n", "auth", "auth.example"},
		{"GET /api HTTP/1.1\r\nHost: auth.example\r\n\r\n", "auth", "auth.example"},
		{"GET /api HTTP/1.1\r\nHost: notauth.example\r\n\r\n", "api", "/api"},
		// A request to the recorder as to a proxy, for the recorder's own address, a target's, a route's name.
		{"GET http://" + addr + "/api/x HTTP/1.1\r\n\r\n", "api", "/api"},
		{"GET http://" + of["api"].Host + "/y HTTP/1.1\r\n\r\n", "api", "/api"},
		{"GET http://auth.example/api HTTP/1.1\r\n\r\n", "auth", "auth.example"},
	} {
		if body := ask(t, c, r, tt.head); body != tt.to {
			t.Errorf("%q was answered by %q", tt.head, body)
			continue
		}
		head := <-got[tt.to]
		if want := strings.Replace(strings.Replace(strings.Replace(tt.head, "http://"+addr, "", 1),
			"http://"+of["api"].Host, "", 1), "http://auth.example", "", 1); head != want {
			t.Errorf("%q arrived as %q", tt.head, head)
		}
		e := rec.next(t)
		if e.Target != tt.name || e.Addr != of[tt.to].Host || string(e.Request.Head) != head || e.Response == nil {
			t.Errorf("%q is recorded for %q at %s: %q %v", tt.head, e.Target, e.Addr, e.Request.Head, e.Fault)
		}
	}
	rec.empty(t)
}

// Requests that are sent without waiting are answered in their order, whoever answers.
func TestRoutesPipelined(t *testing.T) {
	addr, rec, _, _ := towns(t, true)
	c := dial(t, addr)
	var want strings.Builder
	for range 20 {
		fmt.Fprint(c, "POST /api HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcGET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\nHost: auth.example\r\n\r\n")
		want.WriteString("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\napiHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nrestHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nauth")
	}
	finish(t, c)
	if b := readAll(t, c); string(b) != want.String() {
		t.Errorf("answered %s", clip(b))
	}
	for range 60 {
		rec.next(t)
	}
}

// Where to dial is nothing that a request can say: what no target is for goes nowhere, and is told so as by a proxy.
func TestNoRoute(t *testing.T) {
	other, reached := teller(t, nil, "other")
	for _, request := range []string{
		"GET /x HTTP/1.1\r\nHost: " + other.addr() + "\r\n\r\n",
		"GET /apix HTTP/1.1\r\nHost: api\r\nX-Forwarded-Host: auth.example\r\n\r\n",
		"nonsense\r\n\r\n",
	} {
		addr, rec, got, _ := towns(t, false)
		c := dial(t, addr)
		io.WriteString(c, "GET /api HTTP/1.1\r\n\r\n"+request)
		b := string(readAll(t, c))
		if !strings.Contains(b, "api"+"HTTP/1.1 502 ") || !strings.Contains(b, "Flaketap-Fault: dial\r\n") ||
			!strings.Contains(b, "no target is for the request's host and path") {
			t.Errorf("%q was answered %q", request, b)
		}
		rec.next(t)
		e := rec.next(t)
		if e.Fault == nil || e.Fault.Kind != exchange.FaultDial || string(e.Request.Head) != request {
			t.Errorf("%q is recorded as %q, %v", request, e.Request.Head, e.Fault)
		}
		if len(reached) > 0 || len(got["auth"]) > 0 || len(got["rest"]) > 0 {
			t.Errorf("%q reached a host", request)
		}
	}
}

// A tunnel to the name that a route is for leads to the route's target; the client sees the name's certificate.
func TestRouteOfTunnel(t *testing.T) {
	own, rec := newTrust(t), newTape()
	a, _ := teller(t, nil, "auth")
	addr := serve(t, &proxy.Proxy{Recorder: rec, Leaves: own, Routes: []proxy.Route{{Host: "auth.example", Target: a.url("http")}}})
	c := throughTunnel(t, addr, "auth.example:443", &tls.Config{RootCAs: own.pool, ServerName: "auth.example"})
	if got := ask(t, c, bufio.NewReader(c), get); got != "auth" {
		t.Errorf("answered by %q", got)
	}
	if e := rec.next(t); e.Target != "auth.example" || e.Scheme != "http" || e.Addr != a.addr() {
		t.Errorf("recorded for %q at %s://%s", e.Target, e.Scheme, e.Addr)
	}
}

// The Host becomes that of the target that a request goes to, where the user wants it so.
func TestRoutesRewriteHost(t *testing.T) {
	a, gotA := teller(t, nil, "a")
	b, gotB := teller(t, nil, "b")
	addr := serve(t, &proxy.Proxy{RewriteHost: true, Target: a.url("http"), Routes: []proxy.Route{{Path: "/b", Target: b.url("http")}}})
	c := dial(t, addr)
	r := bufio.NewReader(c)
	ask(t, c, r, "GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
	ask(t, c, r, "GET /b HTTP/1.1\r\nHost: x\r\n\r\n")
	if got, want := <-gotA, "GET /a HTTP/1.1\r\nHost: "+a.addr()+"\r\n\r\n"; got != want {
		t.Errorf("arrived %q", got)
	}
	if got, want := <-gotB, "GET /b HTTP/1.1\r\nHost: "+b.addr()+"\r\n\r\n"; got != want {
		t.Errorf("arrived %q", got)
	}
}

// Routes that make no sense are refused before anything is served.
func TestRoutesThatMakeNoSense(t *testing.T) {
	good := &url.URL{Scheme: "http", Host: "h"}
	for _, r := range []proxy.Route{
		{}, {Path: "/a"}, {Target: good}, {Path: "a", Target: good}, {Host: "h", Path: "/a", Target: good},
		{Path: "/a", Target: &url.URL{Scheme: "ftp", Host: "h"}}, {Host: "h", Target: &url.URL{Scheme: "http"}},
	} {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		p := &proxy.Proxy{Routes: []proxy.Route{r}}
		if err := p.Serve(ln); err == nil || !strings.HasPrefix(err.Error(), "set up proxy: ") {
			t.Errorf("%+v: %v", r, err)
		}
	}
}
