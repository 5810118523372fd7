package proxy_test

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/proxy"
)

// teller is a target that answers each request with its own name, and keeps what it got.
func teller(t testing.TB, secure *tls.Config, name string) (*api, chan string) {
	got := make(chan string, 64)
	return listen(t, secure, func(c net.Conn) {
		r := bufio.NewReader(c)
		for {
			head, err := readHead(r)
			if err != nil {
				return
			}
			got <- head
			fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(name), name)
		}
	}), got
}

// ask sends a request and returns the body of the answer.
func ask(t testing.TB, c net.Conn, r *bufio.Reader, request string) string {
	t.Helper()
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	return string(readAll(t, resp.Body))
}

// A forward proxy changes the request-target and the fields that were for itself, and nothing else.
func TestForwardChangesNoMoreThanItMust(t *testing.T) {
	a, got := teller(t, nil, "a")
	rec := newTape()
	addr := serve(t, &proxy.Proxy{Recorder: rec})
	tests := []struct{ name, sent, want string }{
		{"origin form", "GET http://HOST/a?b=c HTTP/1.1\r\nHost: HOST\r\n\r\n", "GET /a?b=c HTTP/1.1\r\nHost: HOST\r\n\r\n"},
		{"no path", "GET http://HOST HTTP/1.1\r\nHost: HOST\r\n\r\n", "GET / HTTP/1.1\r\nHost: HOST\r\n\r\n"},
		{"query alone", "GET http://HOST?a HTTP/1.1\r\n\r\n", "GET /?a HTTP/1.1\r\n\r\n"},
		{"OPTIONS *", "OPTIONS http://HOST HTTP/1.1\r\n\r\n", "OPTIONS * HTTP/1.1\r\n\r\n"},
		{"user", "GET HTTP://user:pw@HOST/a HTTP/1.1\r\n\r\n", "GET /a HTTP/1.1\r\n\r\n"},
		{"odd bytes", "GET http://HOST/ü☃/%zz/a b|\"<>#x HTTP/1.1\r\n\r\n", "GET /ü☃/%zz/a b|\"<>#x HTTP/1.1\r\n\r\n"},
		{"odd fields", "g-t http://HOST/a HTTP/9.9\r\nhOsT:x\r\nA : \xff\r\nA:1\r\n fold\r\nnonsense\r\n\r\n",
			"g-t /a HTTP/9.9\r\nhOsT:x\r\nA : \xff\r\nA:1\r\n fold\r\nnonsense\r\n\r\n"},
		{"proxy fields", "GET http://HOST/a HTTP/1.1\r\nProxy-Connection: keep-alive\r\nA: 1\r\nPROXY-authorization: Basic\r\n abc\r\nX-Proxy-Y: stays\r\n\r\n",
			"GET /a HTTP/1.1\r\nA: 1\r\nX-Proxy-Y: stays\r\n\r\n"},
		{"blank line before", "\r\nGET http://HOST/a HTTP/1.1\r\n\r\n", "\r\nGET /a HTTP/1.1\r\n\r\n"},
		{"bare LF", "GET http://HOST/a HTTP/1.1\nProxy-A: b\nC: d\n\n", "GET /a HTTP/1.1\nC: d\n\n"},
	}
	c := dial(t, addr)
	r := bufio.NewReader(c)
	for _, tt := range tests {
		sent, want := strings.ReplaceAll(tt.sent, "HOST", a.addr()), strings.ReplaceAll(tt.want, "HOST", a.addr())
		if body := ask(t, c, r, sent); body != "a" {
			t.Errorf("%s: answered %q", tt.name, body)
		}
		if head := <-got; head != want {
			t.Errorf("%s:\narrived %q\nwant    %q", tt.name, head, want)
		}
		e := rec.next(t)
		if string(e.Request.Head) != want || e.Addr != a.addr() || e.Scheme != "http" {
			t.Errorf("%s: recorded %q at %s", tt.name, e.Request.Head, e.Addr)
		}
	}
	rec.empty(t)
}

// Bodies pass through a forward proxy as they came, whatever their framing.
func TestForwardedBodies(t *testing.T) {
	for name, rest := range map[string]string{
		"length":   "Content-Length: 5\r\n\r\nhello",
		"chunked":  "Transfer-Encoding: chunked\r\n\r\n5;x\r\nhello\r\n0\r\nT: u\r\n\r\n",
		"large":    "Content-Length: 3000000\r\n\r\n" + strings.Repeat("0123456789", 300000),
		"bad":      "Content-Length: -5\r\n\r\nhello",
		"cut":      "Content-Length: 500\r\n\r\nhello",
		"bad head": "nonsense",
	} {
		t.Run(name, func(t *testing.T) {
			got := make(chan []byte, 1)
			a := listen(t, nil, func(c net.Conn) {
				b, _ := io.ReadAll(c)
				got <- b
				io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
			})
			rec := newTape()
			c := dial(t, serve(t, &proxy.Proxy{Recorder: rec}))
			io.WriteString(c, "POST http://"+a.addr()+"/a HTTP/1.1\r\n"+rest)
			finish(t, c)
			readAll(t, c)
			want := "POST /a HTTP/1.1\r\n" + rest
			if b := <-got; string(b) != want {
				t.Errorf("arrived %s", clip(b))
			}
			if sent := recorded(t, rec, len(want)); string(sent) != want {
				t.Errorf("recorded %s", clip(sent))
			}
		})
	}
}

// Each request on a connection may name another host; answers come in the order of the requests.
func TestForwardToManyHosts(t *testing.T) {
	a, _ := teller(t, nil, "a")
	b, _ := teller(t, nil, "b")
	ca := newTrust(t)
	s, _ := teller(t, ca.server(t), "s")
	rec := newTape()
	c := dial(t, serve(t, &proxy.Proxy{Recorder: rec, UpstreamTLS: ca.client()}))
	r := bufio.NewReader(c)
	request := func(scheme string, to *api) string {
		// The Host header lies; nobody goes by it.
		return fmt.Sprintf("GET %s://%s/ HTTP/1.1\r\nHost: %s\r\n\r\n", scheme, to.addr(), b.addr())
	}
	io.WriteString(c, request("http", a)+request("http", b)+request("http", b)+request("https", s)+request("http", a))
	for _, want := range []string{"a", "b", "b", "s", "a"} {
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatal(err)
		}
		if body := readAll(t, resp.Body); string(body) != want {
			t.Errorf("answered by %q, want %q", body, want)
		}
		if e := rec.next(t); e.Response == nil || string(e.Response.Body) != want {
			t.Errorf("recorded %+v, %v", e.Response, e.Fault)
		}
	}
	rec.empty(t)
}

// The host that is dialed is never that of a Host header, in any mode.
func TestHostHeaderDoesNotRoute(t *testing.T) {
	ca, own := newTrust(t), newTrust(t)
	a, _ := teller(t, nil, "a")
	sa, _ := teller(t, ca.server(t), "sa")
	evil, _ := teller(t, nil, "evil")
	rec := newTape()
	upstream := &tls.Config{RootCAs: ca.pool}
	both := serve(t, &proxy.Proxy{Target: a.url("http"), Recorder: rec, Leaves: own, UpstreamTLS: upstream})
	forward := serve(t, &proxy.Proxy{Recorder: rec, Leaves: own, UpstreamTLS: upstream})
	lie := "Host: " + evil.addr() + "\r\n\r\n"
	tests := []struct {
		name, request, want string
		c                   net.Conn
	}{
		{"reverse", "GET / HTTP/1.1\r\n" + lie, "a", dial(t, both)},
		{"absolute", "GET http://" + a.addr() + "/ HTTP/1.1\r\n" + lie, "a", dial(t, forward)},
		{"intercepted", "GET / HTTP/1.1\r\n" + lie, "sa", throughTunnel(t, forward, sa.addr(), own.client())},
		{"absolute in tunnel", "GET http://" + evil.addr() + "/ HTTP/1.1\r\n" + lie, "sa", throughTunnel(t, both, sa.addr(), own.client())},
		{"plain tunnel", "GET / HTTP/1.1\r\n" + lie, "a", openTunnel(t, forward, a.addr())},
	}
	for _, tt := range tests {
		if got := ask(t, tt.c, bufio.NewReader(tt.c), tt.request); got != tt.want {
			t.Errorf("%s: answered by %q, want %q", tt.name, got, tt.want)
		}
	}
}

// With a target, all spellings of the target's and the proxy's own authority go to the target, others where they say.
func TestBothModes(t *testing.T) {
	a, _ := teller(t, nil, "a")
	b, _ := teller(t, nil, "b")
	rec := newTape()
	addr := serve(t, &proxy.Proxy{Target: a.url("http"), TargetName: "shop", Recorder: rec})
	_, own, _ := net.SplitHostPort(addr)
	_, theirs, _ := net.SplitHostPort(a.addr())
	tests := []struct{ url, want, target string }{
		{"/", "a", "shop"},
		{"http://127.0.0.1:" + own + "/", "a", "shop"},
		{"http://localhost:" + own + "/", "a", "shop"},
		{"http://LOCALHOST.:" + own + "/", "a", "shop"},
		{"http://[::1]:" + own + "/", "a", "shop"},
		{"http://0.0.0.0:" + own + "/", "a", "shop"},
		{"http://127.0.0.1:" + theirs + "/", "a", "shop"},
		{"http://localhost:" + theirs + "/", "a", "shop"},
		{"http://[::1]:" + theirs + "/", "a", "shop"},
		{"http://" + b.addr() + "/", "b", b.addr()},
	}
	for _, tt := range tests {
		c := dial(t, addr)
		if got := ask(t, c, bufio.NewReader(c), "GET "+tt.url+" HTTP/1.1\r\n\r\n"); got != tt.want {
			t.Errorf("%s: answered by %q, want %q", tt.url, got, tt.want)
		}
		if e := rec.next(t); e.Target != tt.target {
			t.Errorf("%s: recorded of target %q, want %q", tt.url, e.Target, tt.target)
		}
	}
	// On one connection, one after the other.
	c := dial(t, addr)
	r := bufio.NewReader(c)
	for _, i := range []int{1, 9, 0, 9, 2} {
		if got := ask(t, c, r, "GET "+tests[i].url+" HTTP/1.1\r\n\r\n"); got != tests[i].want {
			t.Errorf("%s: answered by %q, want %q", tests[i].url, got, tests[i].want)
		}
	}
}

// What a client sends slowly, byte by byte, is understood all the same.
func TestSlowFirstBytes(t *testing.T) {
	a, _ := teller(t, nil, "a")
	b, _ := teller(t, nil, "b")
	addr := serve(t, &proxy.Proxy{Target: a.url("http")})
	for request, want := range map[string]string{
		"GET / HTTP/1.1\r\n\r\n":                        "a",
		"GET http:/ HTTP/1.1\r\n\r\n":                   "a",
		"GET http://" + b.addr() + "/ HTTP/1.1\r\n\r\n": "b",
	} {
		c := dial(t, addr)
		for i := range len(request) {
			if _, err := io.WriteString(c, request[i:i+1]); err != nil {
				t.Fatal(err)
			}
		}
		if got := ask(t, c, bufio.NewReader(c), ""); got != want {
			t.Errorf("%q: answered by %q, want %q", request, got, want)
		}
	}
}

func TestRewriteHost(t *testing.T) {
	a, got := teller(t, nil, "a")
	rec := newTape()
	c := dial(t, serve(t, &proxy.Proxy{Target: a.url("http"), Recorder: rec, RewriteHost: true}))
	r := bufio.NewReader(c)
	for _, tt := range []struct{ sent, want string }{
		{"GET / HTTP/1.1\r\nA: b\r\nhost:localhost:1\r\nC: d\r\n\r\n", "GET / HTTP/1.1\r\nA: b\r\nhost: " + a.addr() + "\r\nC: d\r\n\r\n"},
		{"GET / HTTP/1.1\nHost: a\n b\nC: d\n\n", "GET / HTTP/1.1\nHost: " + a.addr() + "\nC: d\n\n"},
		{"GET / HTTP/1.0\r\n\r\n", "GET / HTTP/1.0\r\n\r\n"},
	} {
		ask(t, c, r, tt.sent)
		if head := <-got; head != tt.want {
			t.Errorf("arrived %q, want %q", head, tt.want)
		}
		if e := rec.next(t); string(e.Request.Head) != tt.want {
			t.Errorf("recorded %q, want %q", e.Request.Head, tt.want)
		}
	}
}

// Where a forward proxy must answer itself, it says that it does.
func TestForwardAnswersForItself(t *testing.T) {
	dead := listen(t, nil, func(net.Conn) {})
	dead.ln.Close()
	dead.wg.Wait()
	rec := newTape()
	addr := serve(t, &proxy.Proxy{Recorder: rec, Leaves: newTrust(t)})
	_, port, _ := net.SplitHostPort(addr)
	for name, request := range map[string]string{
		"refused":            "GET http://" + dead.addr() + "/ HTTP/1.1\r\n\r\n",
		"no host":            "GET / HTTP/1.1\r\nHost: " + dead.addr() + "\r\n\r\n",
		"empty host":         "GET http:///a HTTP/1.1\r\n\r\n",
		"odd port":           "GET http://a:b:c/a HTTP/1.1\r\n\r\n",
		"itself":             "GET http://" + addr + "/ HTTP/1.1\r\n\r\n",
		"itself, localhost":  "GET http://localhost:" + port + "/ HTTP/1.1\r\n\r\n",
		"itself, ::1":        "GET http://[::1]:" + port + "/ HTTP/1.1\r\n\r\n",
		"with body":          "POST http://" + dead.addr() + "/ HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello",
		"tunnel refused":     "CONNECT " + dead.addr() + " HTTP/1.1\r\n\r\n",
		"tunnel to itself":   "CONNECT " + addr + " HTTP/1.1\r\n\r\n",
		"tunnel to nowhere":  "CONNECT : HTTP/1.1\r\n\r\n",
		"no HTTP, but whole": "hello\r\n\r\n",
	} {
		c := dial(t, addr)
		io.WriteString(c, request)
		answer := string(readAll(t, c))
		if !strings.HasPrefix(answer, "HTTP/1.1 502 ") || !strings.Contains(answer, "\r\nFlaketap-Fault: dial\r\n") {
			t.Errorf("%s: answered %q", name, answer)
		}
		e := rec.next(t)
		if e.Fault == nil || e.Fault.Kind != exchange.FaultDial {
			t.Errorf("%s: recorded %+v, %v", name, e.Response, e.Fault)
		} else if told := string(e.Fault.Told.Head) + string(e.Fault.Told.Body); told != answer {
			t.Errorf("%s: answered %q, recorded %q as our own answer", name, answer, told)
		}
		if sent := string(e.Request.Head) + string(e.Request.Body); name == "with body" && !strings.HasSuffix(sent, "hello") {
			t.Errorf("%s: recorded %q", name, sent)
		}
		c.Close()
	}
	rec.empty(t)
}

// A name that nobody can tell by its spelling leads back to the proxy: it is told by the connection.
func TestNeverForwardsToItself(t *testing.T) {
	ln, err := net.Listen("tcp", ":0") // all addresses
	if err != nil {
		t.Fatal(err)
	}
	rec := newTape()
	p := &proxy.Proxy{Recorder: rec}
	_, port, _ := net.SplitHostPort(serveOn(t, p, ln))
	hosts := []string{"127.0.0.1", "127.0.0.2", "[::ffff:127.0.0.1]"}
	if addrs, err := net.InterfaceAddrs(); err == nil {
		for _, a := range addrs {
			if n, ok := a.(*net.IPNet); ok && n.IP.To4() != nil {
				hosts = append(hosts, n.IP.String())
			}
		}
	}
	for _, host := range hosts {
		c := dial(t, "127.0.0.1:"+port)
		io.WriteString(c, "GET http://"+host+":"+port+"/ HTTP/1.1\r\n\r\n")
		if answer := string(readAll(t, c)); !strings.Contains(answer, "itself") {
			t.Errorf("%s: answered %q", host, answer)
		}
		if e := rec.next(t); e.Fault == nil || e.Conn == 0 {
			t.Errorf("%s: recorded %+v", host, e)
		}
		rec.empty(t)
	}
}

// A proxy-style request to a target that is down gets no status either: the client must not take it for the API's.
func TestTargetDownByProxyRequest(t *testing.T) {
	dead := listen(t, nil, func(net.Conn) {})
	dead.ln.Close()
	dead.wg.Wait()
	rec := newTape()
	c := dial(t, serve(t, &proxy.Proxy{Target: dead.url("http"), Recorder: rec}))
	io.WriteString(c, "GET http://"+dead.addr()+"/ HTTP/1.1\r\n\r\n")
	if b, err := io.ReadAll(c); len(b) > 0 || !wasReset(err) {
		t.Errorf("client got %q, %v; want a reset", b, err)
	}
	wantFault(t, rec.next(t), exchange.FaultDial, "")
}
