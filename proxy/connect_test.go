package proxy_test

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/proxy"
)

// An ordinary client with HTTP_PROXY and HTTPS_PROXY set.
func TestOrdinaryClient(t *testing.T) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %s", r.Method, r.URL, body)
	})
	plain := httptest.NewServer(handler)
	defer plain.Close()
	secure := httptest.NewTLSServer(handler)
	defer secure.Close()
	own, rec := newTrust(t), newTape()
	upstream := secure.Client().Transport.(*http.Transport).TLSClientConfig
	addr := serve(t, &proxy.Proxy{Recorder: rec, Leaves: own, UpstreamTLS: upstream})
	client := &http.Client{Transport: &http.Transport{
		Proxy:           http.ProxyURL(&url.URL{Scheme: "http", Host: addr}),
		TLSClientConfig: &tls.Config{RootCAs: own.pool},
	}}
	defer client.CloseIdleConnections()
	for _, base := range []string{plain.URL, secure.URL, plain.URL, secure.URL} {
		resp, err := client.Post(base+"/a?b=c", "text/plain", strings.NewReader("hello"))
		if err != nil {
			t.Fatal(err)
		}
		body := readAll(t, resp.Body)
		resp.Body.Close()
		if string(body) != "POST /a?b=c hello" {
			t.Errorf("%s: got %q", base, body)
		}
		e := rec.next(t)
		if e.URL() != base+"/a?b=c" || e.Response == nil || string(e.Response.Body) != string(body) {
			t.Errorf("recorded %s: %+v, %v", e.URL(), e.Response, e.Fault)
		}
	}
}

// A client need not wait for the answer to CONNECT before it shakes hands.
func TestHandshakeSentAhead(t *testing.T) {
	ca, own, rec := newTrust(t), newTrust(t), newTape()
	a, _ := teller(t, ca.server(t), "a")
	addr := serve(t, &proxy.Proxy{Recorder: rec, Leaves: own, UpstreamTLS: ca.client()})
	c := dial(t, addr)
	s := tls.Client(&eager{Conn: c, first: "CONNECT " + a.addr() + " HTTP/1.1\r\n\r\n"}, own.client())
	if got := ask(t, s, bufio.NewReader(s), get); got != "a" {
		t.Errorf("answered by %q", got)
	}
}

// eager sends a CONNECT request in one packet with what comes after it, and passes over the answer.
type eager struct {
	net.Conn
	first   string
	skipped bool
}

func (e *eager) Write(b []byte) (int, error) {
	n := len(e.first)
	m, err := e.Conn.Write(append([]byte(e.first), b...))
	e.first = ""
	return m - n, err
}

func (e *eager) Read(b []byte) (int, error) {
	for last := ""; !e.skipped; {
		var one [1]byte
		if _, err := io.ReadFull(e.Conn, one[:]); err != nil {
			return 0, err
		}
		last += string(one[:])
		e.skipped = strings.HasSuffix(last, "\r\n\r\n")
	}
	return e.Conn.Read(b)
}

// The target is asked for the name that the client asks for.
func TestServerNamePasses(t *testing.T) {
	ca, own := newTrust(t), newTrust(t)
	names := make(chan string, 1)
	config := &tls.Config{GetCertificate: func(h *tls.ClientHelloInfo) (*tls.Certificate, error) {
		names <- h.ServerName
		return ca.Leaf(h.ServerName)
	}}
	a, _ := teller(t, config, "a")
	addr := serve(t, &proxy.Proxy{Leaves: own, UpstreamTLS: &tls.Config{RootCAs: ca.pool}})
	s := throughTunnel(t, addr, a.addr(), &tls.Config{RootCAs: own.pool, ServerName: "shop.example"})
	if got := ask(t, s, bufio.NewReader(s), get); got != "a" {
		t.Errorf("answered by %q", got)
	}
	if name := <-names; name != "shop.example" {
		t.Errorf("target was asked for %q", name)
	}
}

// What is no TLS within a tunnel is relayed as it is.
func TestPlainTunnel(t *testing.T) {
	a, got := teller(t, nil, "a")
	rec := newTape()
	c := openTunnel(t, serve(t, &proxy.Proxy{Recorder: rec, Leaves: newTrust(t)}), a.addr())
	r := bufio.NewReader(c)
	for range 2 {
		ask(t, c, r, get)
		if head := <-got; head != get {
			t.Errorf("arrived %q", head)
		}
		if e := rec.next(t); e.URL() != "http://"+a.addr()+"/a" {
			t.Errorf("recorded %s", e.URL())
		}
	}
}

// CONNECT to the target's or the proxy's own authority leads to the target, spoken to as the user said.
func TestTunnelToTarget(t *testing.T) {
	ca, own := newTrust(t), newTrust(t)
	plain, _ := teller(t, nil, "plain")
	secure, _ := teller(t, ca.server(t), "secure")
	for _, a := range []*api{plain, secure} {
		scheme, want := "http", "plain"
		if a == secure {
			scheme, want = "https", "secure"
		}
		rec := newTape()
		addr := serve(t, &proxy.Proxy{Target: a.url(scheme), TargetName: "shop", Recorder: rec, Leaves: own, UpstreamTLS: ca.client()})
		_, port, _ := net.SplitHostPort(addr)
		for _, to := range []string{a.addr(), addr, "localhost:" + port} {
			for _, c := range []net.Conn{openTunnel(t, addr, to), throughTunnel(t, addr, to, &tls.Config{RootCAs: own.pool, ServerName: hostOf(to)})} {
				if got := ask(t, c, bufio.NewReader(c), get); got != want {
					t.Errorf("%s: answered by %q, want %q", to, got, want)
				}
				if e := rec.next(t); e.Target != "shop" || e.Scheme != scheme || e.Addr != a.addr() {
					t.Errorf("%s: recorded %q, %s", to, e.Target, e.URL())
				}
			}
		}
	}
}

func port(addr string) string {
	_, port, _ := net.SplitHostPort(addr)
	return port
}

func hostOf(addr string) string {
	host, _, _ := net.SplitHostPort(addr)
	return host
}

// A target without a good certificate is a failed handshake to the client, too, and in the record.
func TestTunnelToBadCertificate(t *testing.T) {
	own, rec := newTrust(t), newTape()
	a, _ := teller(t, newTrust(t).server(t), "a")
	c := openTunnel(t, serve(t, &proxy.Proxy{Recorder: rec, Leaves: own}), a.addr())
	if err := tls.Client(c, own.client()).Handshake(); err == nil {
		t.Error("the handshake succeeded")
	}
	e := rec.next(t)
	wantFault(t, e, exchange.FaultTLS, "")
	if e.Request.Method != "CONNECT" || e.Addr != a.addr() {
		t.Errorf("recorded %s %s", e.Request.Method, e.Addr)
	}
}

// A client that does not trust the CA is counted: it is why nothing comes through.
func TestClientDoesNotTrust(t *testing.T) {
	ca, rec := newTrust(t), newTape()
	a, _ := teller(t, ca.server(t), "a")
	p := &proxy.Proxy{Recorder: rec, Leaves: newTrust(t), UpstreamTLS: ca.client()}
	c := openTunnel(t, serve(t, p), a.addr())
	if err := tls.Client(c, ca.client()).Handshake(); err == nil {
		t.Error("the handshake succeeded")
	}
	io.Copy(io.Discard, c)
	if s := p.Stats(); s.Untrusting != 1 || s.Exchanges != 0 || s.Connections != 1 {
		t.Errorf("stats are %+v", s)
	}
}

// Without an authority tunnels pass unread.
func TestBlindTunnel(t *testing.T) {
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1") // as the environment of a client may point at the recorder
	ca, rec := newTrust(t), newTape()
	a, _ := teller(t, ca.server(t), "a")
	p := &proxy.Proxy{Recorder: rec}
	c := openTunnel(t, serve(t, p), a.addr())
	s := tls.Client(c, ca.client())
	if got := ask(t, s, bufio.NewReader(s), get); got != "a" {
		t.Errorf("answered by %q", got)
	}
	s.Close()
	shutdown(t, p)
	rec.empty(t)
	if s := p.Stats(); s.Blind != 1 || s.Sent == 0 || s.Received == 0 {
		t.Errorf("stats are %+v", s)
	}
}

// Blind tunnels do not keep a proxy from stopping, and goproxy's refusals are marked as well.
func TestBlindTunnelEnds(t *testing.T) {
	hold := make(chan struct{})
	a := listen(t, nil, func(c net.Conn) {
		io.Copy(io.Discard, c)
		close(hold)
	})
	dead := listen(t, nil, func(net.Conn) {})
	dead.ln.Close()
	dead.wg.Wait()
	rec := newTape()
	p := &proxy.Proxy{Recorder: rec}
	addr := serve(t, p)
	c := dial(t, addr)
	fmt.Fprintf(c, "CONNECT %s HTTP/1.1\r\n\r\n", dead.addr())
	if b := readAll(t, c); !strings.Contains(string(b), "Flaketap-Fault: dial") {
		t.Errorf("answered %q", b)
	}
	wantFault(t, rec.next(t), exchange.FaultDial, "")
	openTunnel(t, addr, a.addr())
	shutdown(t, p)
	<-hold
}
