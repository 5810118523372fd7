package proxy_test

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/proxy"
)

func basic(credentials string) string { return base64.StdEncoding.EncodeToString([]byte(credentials)) }

// exchangeOf sends bytes on a connection of their own and returns the answer.
func exchangeOf(t *testing.T, addr, request string) (*http.Response, string) {
	t.Helper()
	c := dial(t, addr)
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
	method, _, _ := strings.Cut(request, " ")
	resp, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: method})
	if err != nil {
		t.Fatalf("%q: %v", request, err)
	}
	if method == "CONNECT" && resp.StatusCode == 200 {
		return resp, ""
	}
	defer resp.Body.Close()
	return resp, string(readAll(t, resp.Body))
}

// With credentials set, what takes the recorder for a proxy must bear them. Who does not is told so by an answer that
// is marked as the proxy's own, and gets nothing recorded.
func TestAuth(t *testing.T) {
	a, got := teller(t, nil, "api")
	other, _ := teller(t, nil, "other")
	for _, mode := range []string{"forward", "reverse"} {
		rec := newTape()
		p := &proxy.Proxy{Recorder: rec, Auth: "ada:pass:word"}
		if mode == "reverse" {
			p.Target = a.url("http")
		}
		addr := serve(t, p)
		for _, tt := range []struct {
			name, request string
			refused       bool
			forwardOnly   bool // a reverse proxy serves it
		}{
			{"no credentials", "GET http://OTHER/ HTTP/1.1\r\nHost: x\r\n\r\n", true, false},
			{"wrong credentials", "GET http://OTHER/ HTTP/1.1\r\nProxy-Authorization: Basic " + basic("ada:pass") + "\r\n\r\n", true, false},
			{"another scheme", "GET http://OTHER/ HTTP/1.1\r\nProxy-Authorization: Bearer " + basic("ada:pass:word") + "\r\n\r\n", true, false},
			{"no base64", "GET http://OTHER/ HTTP/1.1\r\nProxy-Authorization: Basic ada:pass:word\r\n\r\n", true, false},
			{"the API's own field", "GET http://OTHER/ HTTP/1.1\r\nAuthorization: Basic " + basic("ada:pass:word") + "\r\n\r\n", true, false},
			{"with a body", "POST http://OTHER/ HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello", true, false},
			{"right", "GET http://OTHER/ HTTP/1.1\r\nproxy-authorization:  basic " + basic("ada:pass:word") + "\r\n\r\n", false, false},
			{"CONNECT without", "CONNECT OTHER HTTP/1.1\r\nHost: OTHER\r\n\r\n", true, false},
			{"CONNECT right", "CONNECT OTHER HTTP/1.1\r\nProxy-Authorization: Basic " + basic("ada:pass:word") + "\r\n\r\n", false, false},
			{"as to the API", "GET /x HTTP/1.1\r\nHost: x\r\n\r\n", true, true},
		} {
			resp, body := exchangeOf(t, addr, strings.ReplaceAll(tt.request, "OTHER", other.addr()))
			refused := tt.refused && (mode == "forward" || !tt.forwardOnly)
			if !refused {
				if resp.StatusCode != 200 || resp.Header.Get("Flaketap-Fault") != "" {
					t.Errorf("%s, %s: answered %d", mode, tt.name, resp.StatusCode)
				}
				if !strings.HasPrefix(tt.request, "CONNECT") {
					if e := rec.next(t); e.Request.Header.Has("Proxy-Authorization") {
						t.Errorf("%s, %s: the proxy's credentials are recorded", mode, tt.name)
					}
				}
				continue
			}
			if resp.StatusCode != 407 || resp.Header.Get("Flaketap-Fault") != "auth" || !strings.HasPrefix(resp.Header.Get("Proxy-Authenticate"), "Basic ") {
				t.Errorf("%s, %s: answered %d %q %q", mode, tt.name, resp.StatusCode, resp.Header, body)
			}
		}
		rec.empty(t)
		if s := p.Stats(); s.Denied < 7 || s.Faults != 0 {
			t.Errorf("%s: counted %+v", mode, s)
		}
	}
	if len(got) != 1 {
		t.Errorf("the API got %d requests", len(got))
	}
}

// A request without credentials does not slip through behind one that has them.
func TestAuthOfEachRequest(t *testing.T) {
	a, got := teller(t, nil, "a")
	rec := newTape()
	addr := serve(t, &proxy.Proxy{Recorder: rec, Auth: "ada:pw"})
	c := dial(t, addr)
	fmt.Fprintf(c, "GET http://%[1]s/1 HTTP/1.1\r\nProxy-Authorization: Basic %[2]s\r\n\r\nGET http://%[1]s/2 HTTP/1.1\r\n\r\n", a.addr(), basic("ada:pw"))
	answers := string(readAll(t, c))
	if first, second := strings.Index(answers, "HTTP/1.1 200 "), strings.Index(answers, "HTTP/1.1 407 "); first != 0 || second < 0 {
		t.Errorf("answered %q", answers)
	}
	rec.next(t)
	rec.empty(t)
	if len(got) != 1 {
		t.Errorf("the API got %d requests", len(got))
	}
}

// elsewhere is a listener whose connections come from another machine, as far as their address tells.
type elsewhere struct{ net.Listener }

type foreign struct{ net.Conn }

func (l elsewhere) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return foreign{c}, nil
}

func (foreign) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 7), Port: 4321} }

// Clients of other machines get to the target, in whichever form they ask, and nowhere else.
func TestForwardLocal(t *testing.T) {
	a, _ := teller(t, nil, "api")
	other, reached := teller(t, nil, "other")
	rec := newTape()
	p := &proxy.Proxy{Target: a.url("http"), Recorder: rec, ForwardLocal: true}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	far := serveOn(t, p, elsewhere{ln})
	near := serve(t, p)
	for _, tt := range []struct {
		addr, request string
		status        int
	}{
		{far, "GET /x HTTP/1.1\r\n\r\n", 200},
		{far, "GET http://" + a.addr() + "/x HTTP/1.1\r\n\r\n", 200},
		{far, "GET http://" + other.addr() + "/x HTTP/1.1\r\n\r\n", 403},
		{far, "CONNECT " + other.addr() + " HTTP/1.1\r\n\r\n", 403},
		{near, "GET http://" + other.addr() + "/x HTTP/1.1\r\n\r\n", 200},
	} {
		resp, body := exchangeOf(t, tt.addr, tt.request)
		if resp.StatusCode != tt.status || tt.status == 403 && resp.Header.Get("Flaketap-Fault") != "auth" {
			t.Errorf("%q: answered %d %q", tt.request, resp.StatusCode, body)
		}
	}
	if len(reached) != 1 {
		t.Errorf("the other host got %d requests", len(reached))
	}
	for range 3 {
		rec.next(t)
	}
	rec.empty(t)
}

// What is said to the control address through the proxy passes, and is no exchange.
func TestControlIsNotRecorded(t *testing.T) {
	control, got := teller(t, nil, "control")
	a, _ := teller(t, nil, "api")
	rec := newTape()
	p := &proxy.Proxy{Recorder: rec, Control: control.addr()}
	addr := serve(t, p)
	if _, body := exchangeOf(t, addr, "GET http://"+control.addr()+"/.flaketap/mark?name=a HTTP/1.1\r\n\r\n"); body != "control" {
		t.Errorf("answered %q", body)
	}
	exchangeOf(t, addr, "GET http://"+a.addr()+"/.flaketap/mark?name=a HTTP/1.1\r\n\r\n")
	if e := rec.next(t); e.Addr != a.addr() {
		t.Errorf("recorded what was said to %s", e.Addr)
	}
	rec.empty(t)
	if len(got) != 1 || p.Stats().Exchanges != 1 {
		t.Errorf("control got %d, %d exchanges counted", len(got), p.Stats().Exchanges)
	}
}
