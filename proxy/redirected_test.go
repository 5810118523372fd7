package proxy_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/proxy"
)

// What a redirected client says leads nowhere but to where its connection was going.
func TestRedirectedStaysOnItsWay(t *testing.T) {
	a, got := teller(t, nil, "a")
	b, astray := teller(t, nil, "b")
	rec := newTape()
	addr := serve(t, &proxy.Proxy{Recorder: rec, Leaves: newTrust(t), Auth: "ada:password", Redirected: to(a.addr())})
	for _, request := range []string{
		"GET / HTTP/1.1\r\nHost: " + b.addr() + "\r\n\r\n",
		"GET http://" + b.addr() + "/ HTTP/1.1\r\nProxy-Authorization: Basic eA==\r\n\r\n",
		"OPTIONS " + b.addr() + " HTTP/1.1\r\n\r\n",
	} {
		c := dial(t, addr)
		if by := ask(t, c, bufio.NewReader(c), request); by != "a" {
			t.Errorf("%q: answered by %q", request, by)
		}
		if head := <-got; head != request {
			t.Errorf("arrived %q, sent %q", head, request)
		}
		if e := rec.next(t); e.Addr != a.addr() || e.Scheme != "http" {
			t.Errorf("recorded %s", e.URL())
		}
	}
	rec.empty(t)
	if len(astray) > 0 {
		t.Errorf("another host got %q", <-astray)
	}
}

// The client is shown a certificate for the name that it asks for, and the API is asked for the same; for the address
// where it names none.
func TestRedirectedTLS(t *testing.T) {
	ca, own := newTrust(t), newTrust(t)
	names := make(chan string, 1)
	config := &tls.Config{GetCertificate: func(h *tls.ClientHelloInfo) (*tls.Certificate, error) {
		names <- h.ServerName
		if h.ServerName == "" {
			return ca.Leaf("127.0.0.1")
		}
		return ca.Leaf(h.ServerName)
	}}
	a, _ := teller(t, config, "a")
	rec := newTape()
	addr := serve(t, &proxy.Proxy{Recorder: rec, Leaves: own, UpstreamTLS: &tls.Config{RootCAs: ca.pool}, Redirected: to(a.addr())})
	for name, want := range map[string]string{"shop.example": "shop.example", "127.0.0.1": ""} {
		s := tls.Client(dial(t, addr), &tls.Config{RootCAs: own.pool, ServerName: name})
		if by := ask(t, s, bufio.NewReader(s), get); by != "a" {
			t.Errorf("%s: answered by %q", name, by)
		}
		if asked := <-names; asked != want {
			t.Errorf("%s: the API was asked for %q", name, asked)
		}
		if e := rec.next(t); e.Addr != a.addr() || e.Scheme != "https" || e.Response == nil {
			t.Errorf("%s: recorded %s, %v", name, e.URL(), e.Fault)
		}
	}
}

// What is no HTTP passes, whoever begins, and is not recorded. Neither is what the user wants left alone.
func TestRedirectedTunnels(t *testing.T) {
	for name, tt := range map[string]struct {
		greeting, first string
		tunnel          proxy.Hosts
	}{
		"the API speaks first": {"220 mail.example\r\n", "EHLO me\r\n", nil},
		"binary":               {"", "\x00\x00\x00\x08\x04\xd2\x16\x2f", nil},
		"SSH":                  {"", "SSH-2.0-client\r\n", nil},
		"left alone":           {"", get, proxy.Hosts{"127.0.0.1"}},
		"left alone, silent":   {"HTTP/1.1 408 Timeout\r\n", get, proxy.Hosts{"127.0.0.1"}},
	} {
		t.Run(name, func(t *testing.T) {
			over := make(chan error, 1)
			a := listen(t, nil, func(c net.Conn) {
				io.WriteString(c, tt.greeting)
				got := make([]byte, len(tt.first))
				if _, err := io.ReadFull(c, got); string(got) != tt.first {
					t.Errorf("arrived %q, %v", got, err)
				}
				io.WriteString(c, "answer")
				_, err := c.Read(got)
				over <- err
				reset(c)
			})
			rec := newTape()
			p := &proxy.Proxy{Recorder: rec, Leaves: newTrust(t), Tunnel: tt.tunnel, Redirected: to(a.addr())}
			c := dial(t, serve(t, p))
			if got := make([]byte, len(tt.greeting)); len(got) > 0 {
				if _, err := io.ReadFull(c, got); string(got) != tt.greeting {
					t.Errorf("greeted %q, %v", got, err)
				}
			}
			io.WriteString(c, tt.first)
			if got := make([]byte, 6); true {
				if _, err := io.ReadFull(c, got); string(got) != "answer" {
					t.Errorf("answered %q, %v", got, err)
				}
			}
			finish(t, c)
			if err := <-over; !errors.Is(err, io.EOF) {
				t.Errorf("the API felt %v", err)
			}
			if _, err := c.Read(make([]byte, 1)); !wasReset(err) {
				t.Errorf("the client felt %v, want a reset", err)
			}
			rec.empty(t)
			if s := p.Stats(); s.Blind != 1 || s.Exchanges != 0 {
				t.Errorf("%+v", s)
			}
		})
	}
}

// TLS that is not looked into shows the client the API's own certificate.
func TestRedirectedTunnelsOfTLS(t *testing.T) {
	ca, own := newTrust(t), newTrust(t)
	a, _ := teller(t, ca.server(t), "a")
	for name, p := range map[string]*proxy.Proxy{
		"the name is left alone": {Leaves: own, Tunnel: proxy.Hosts{"*.example"}},
		"the address is":         {Leaves: own, Tunnel: proxy.Hosts{a.addr()}},
		"no authority":           {},
	} {
		rec := newTape()
		p.Recorder, p.Redirected = rec, to(a.addr())
		s := tls.Client(dial(t, serve(t, p)), &tls.Config{InsecureSkipVerify: true, ServerName: "shop.example"})
		if by := ask(t, s, bufio.NewReader(s), get); by != "a" {
			t.Errorf("%s: answered by %q", name, by)
		}
		if _, err := s.ConnectionState().PeerCertificates[0].Verify(ca.verify()); err != nil {
			t.Errorf("%s: the client was shown another certificate than the API's: %v", name, err)
		}
		rec.empty(t)
		if s := p.Stats(); s.Blind != 1 || s.Exchanges != 0 {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// A host that is excluded by the name which TLS asks for is looked into like any other, and nothing of it is recorded.
func TestRedirectedExcluded(t *testing.T) {
	ca, own, rec := newTrust(t), newTrust(t), newTape()
	a, _ := teller(t, ca.server(t), "a")
	p := &proxy.Proxy{Recorder: rec, Leaves: own, UpstreamTLS: ca.client(), Exclude: proxy.Hosts{"*.example:" + port(a.addr())}, Redirected: to(a.addr())}
	addr := serve(t, p)
	for _, name := range []string{"shop.example", "127.0.0.1"} {
		s := tls.Client(dial(t, addr), &tls.Config{RootCAs: own.pool, ServerName: name})
		if by := ask(t, s, bufio.NewReader(s), get); by != "a" {
			t.Errorf("answered by %q", by)
		}
	}
	if e := rec.next(t); e.Response == nil {
		t.Errorf("recorded %v", e.Fault)
	}
	rec.empty(t)
	if s := p.Stats(); s.Excluded != 1 || s.Exchanges != 1 {
		t.Errorf("%+v", s)
	}
}

// A connection that leads nowhere is a reset to the client, and in the record with what the client sent.
func TestRedirectedToNowhere(t *testing.T) {
	none := listen(t, nil, func(net.Conn) {})
	none.close()
	resets := listen(t, nil, reset)
	closes := listen(t, nil, func(c net.Conn) {
		finish(t, c) // to close with bytes unread would be a reset
		io.Copy(io.Discard, c)
	})
	rejects := listen(t, newTrust(t).server(t), func(c net.Conn) { io.Copy(io.Discard, c) }) // its CA is not trusted
	for _, tt := range []struct {
		name   string
		api    *api
		secure bool
		kinds  []exchange.FaultKind // one of them; where a reset is felt is not for us to say
	}{
		{"refused", none, false, []exchange.FaultKind{exchange.FaultDial}},
		{"refused, TLS", none, true, []exchange.FaultKind{exchange.FaultDial}},
		{"refused, silent", none, false, nil},
		{"reset", resets, false, []exchange.FaultKind{exchange.FaultReset, exchange.FaultDial}},
		{"reset, TLS", resets, true, []exchange.FaultKind{exchange.FaultReset, exchange.FaultDial, exchange.FaultTLS}},
		{"reset, silent", resets, false, nil},
		{"closed", closes, false, []exchange.FaultKind{exchange.FaultEOF}},
		{"closed, TLS", closes, true, []exchange.FaultKind{exchange.FaultEOF}},
		{"closed, silent", closes, false, nil},
		{"bad certificate", rejects, true, []exchange.FaultKind{exchange.FaultTLS}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rec := newTape()
			c := dial(t, serve(t, &proxy.Proxy{Recorder: rec, Leaves: newTrust(t), Redirected: to(tt.api.addr())}))
			if tt.api == closes {
				c.Read(make([]byte, 1)) // the API is the first to end
			}
			err := try(c, tt.secure, tt.kinds != nil)
			if err == nil || (tt.api == resets || tt.api == none) && !tt.secure && !wasReset(err) {
				t.Errorf("the client felt %v", err)
			}
			if tt.kinds == nil {
				c.Close()
				rec.empty(t)
				return
			}
			e := rec.next(t)
			if e.Fault == nil || !slices.Contains(tt.kinds, e.Fault.Kind) {
				t.Fatalf("recorded %v, want one of %v", e.Fault, tt.kinds)
			}
			scheme, want := "http", get
			if tt.secure {
				scheme, want = "https", ""
			}
			if string(e.Request.Head) != want || e.Addr != tt.api.addr() || e.Scheme != scheme || len(e.Fault.Told.Head) > 0 {
				t.Errorf("recorded %q at %s, told %q", e.Request.Head, e.URL(), e.Fault.Told.Head)
			}
			rec.empty(t)
		})
	}
}

// try has a client begin, if it is to say anything, and returns what it feels.
func try(c net.Conn, secure, asks bool) error {
	if secure {
		return tls.Client(c, &tls.Config{InsecureSkipVerify: true}).Handshake()
	}
	if asks {
		io.WriteString(c, get)
	}
	_, err := c.Read(make([]byte, 1))
	return err
}

// A client that leaves before it has said anything is felt by the API.
func TestRedirectedClientLeavesSilently(t *testing.T) {
	for how, leave := range map[string]func(net.Conn){"close": func(c net.Conn) { c.Close() }, "reset": reset} {
		there, felt := make(chan struct{}), make(chan error, 1)
		a := listen(t, nil, func(c net.Conn) {
			close(there)
			_, err := c.Read(make([]byte, 1))
			felt <- err
		})
		c := dial(t, serve(t, &proxy.Proxy{Redirected: to(a.addr())}))
		<-there
		leave(c)
		select {
		case err := <-felt:
			if (how == "reset") != wasReset(err) {
				t.Errorf("%s: the API felt %v", how, err)
			}
		case <-time.After(patience):
			t.Errorf("%s: the API never felt it", how)
		}
	}
}

// Shutdown closes a redirected connection on which nothing has been said yet.
func TestRedirectedShutdown(t *testing.T) {
	there := make(chan struct{})
	a := listen(t, nil, func(c net.Conn) {
		close(there)
		io.Copy(io.Discard, c)
	})
	p := &proxy.Proxy{Redirected: to(a.addr())}
	addr, served := start(t, p)
	c := dial(t, addr)
	<-there
	shutdown(t, p)
	if _, err := c.Read(make([]byte, 1)); err == nil {
		t.Error("the client was told something")
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// A connection that was not redirected is a forward proxy's, and led nowhere where it names no host.
func TestNotRedirected(t *testing.T) {
	a, _ := teller(t, nil, "a")
	rec := newTape()
	addr := serve(t, &proxy.Proxy{Recorder: rec, Redirected: func(net.Conn) (string, bool) { return "", false }})
	resp, body := exchangeOf(t, addr, get)
	if resp.StatusCode != 502 || resp.Header.Get("Flaketap-Fault") != "dial" || !strings.Contains(body, "was not redirected") {
		t.Errorf("answered %s, %v, %q", resp.Status, resp.Header, body)
	}
	wantFault(t, rec.next(t), exchange.FaultDial, "")
	if _, body := exchangeOf(t, addr, strings.Replace(get, "/a", "http://"+a.addr()+"/a", 1)); body != "a" {
		t.Errorf("as a proxy it answered %q", body)
	}
}

// Other machines are served where they were redirected, and not otherwise; they get nothing recorded then.
func TestNotRedirectedFromElsewhere(t *testing.T) {
	a, _ := teller(t, nil, "a")
	for _, redirected := range []bool{false, true} {
		rec := newTape()
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		p := &proxy.Proxy{Recorder: rec, ForwardLocal: true, Redirected: func(net.Conn) (string, bool) { return a.addr(), redirected }}
		resp, body := exchangeOf(t, serveOn(t, p, elsewhere{ln}), get)
		if redirected != (body == "a") || !redirected && (resp.StatusCode != 403 || resp.Header.Get("Flaketap-Fault") != "auth") {
			t.Errorf("redirected %v: answered %s, %q", redirected, resp.Status, body)
		}
		if redirected {
			rec.next(t)
		}
		rec.empty(t)
	}
}

// detour is a connection that says it was made to another address, as one does that a rule redirects.
type detour struct{ net.Conn }

func (detour) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 80} }

// Rules that redirect the recorder's own connections would have it talk to itself for ever.
func TestRedirectedInACircle(t *testing.T) {
	for range 20 {
		var log bytes.Buffer
		var dials atomic.Int32
		rec := newTape()
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		p := &proxy.Proxy{Recorder: rec, Redirected: to("192.0.2.1:80"), Log: slog.New(slog.NewTextHandler(&log, nil)),
			Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
				dials.Add(1)
				c, err := (&net.Dialer{}).DialContext(ctx, network, ln.Addr().String())
				return detour{c}, err
			}}
		c := dial(t, serveOn(t, p, ln))
		io.WriteString(c, get)
		if b, _ := io.ReadAll(c); len(b) > 0 {
			t.Errorf("the client got %q", b)
		}
		if e := rec.next(t); e.Fault == nil {
			t.Errorf("recorded %v", e.Response)
		}
		shutdown(t, p)
		if n := strings.Count(log.String(), "redirected back to it"); n != 1 || dials.Load() > 20 {
			t.Errorf("%d connections, said %d times:\n%s", dials.Load(), n, log.String())
		}
	}
}

// A recorder of redirected connections cannot have a target of its own.
func TestRedirectedAndTarget(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	a, _ := teller(t, nil, "a")
	if err := (&proxy.Proxy{Target: a.url("http"), Redirected: to(a.addr())}).Serve(ln); err == nil {
		t.Error("it serves")
	}
}
