package proxy_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/certs"
	"github.com/flaketap/flaketap/proxy"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for what must come at once; it is only ever used up by a failure.
const patience = time.Minute

// tape is a Recorder that keeps what it gets.
type tape struct {
	ch  chan *exchange.Exchange
	err error
}

func newTape() *tape { return &tape{ch: make(chan *exchange.Exchange, 4096)} }

func (r *tape) Record(e *exchange.Exchange) error {
	if r.err != nil {
		return r.err
	}
	r.ch <- e
	return nil
}

// next returns the next exchange recorded.
func (r *tape) next(t *testing.T) *exchange.Exchange {
	t.Helper()
	select {
	case e := <-r.ch:
		return e
	case <-time.After(patience):
		t.Fatal("nothing was recorded")
		return nil
	}
}

// empty fails the test if anything was recorded that it has not looked at.
func (r *tape) empty(t *testing.T) {
	t.Helper()
	select {
	case e := <-r.ch:
		t.Errorf("also recorded: %s %s, answer %v, fault %v", e.Request.Method, e.Request.Target, e.Response, e.Fault)
	default:
	}
}

// serve runs p until the test ends and returns its address.
func serve(t testing.TB, p *proxy.Proxy) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return serveOn(t, p, ln)
}

func serveOn(t testing.TB, p *proxy.Proxy, ln net.Listener) string {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- p.Serve(ln) }()
	t.Cleanup(func() {
		p.Close()
		if err := <-done; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return ln.Addr().String()
}

// api is a target of raw sockets: each connection is handed to what the test wants done with it.
type api struct {
	ln net.Listener
	wg sync.WaitGroup
}

// listen starts an api. The connection is closed after handle, unless handle did so.
func listen(t testing.TB, secure *tls.Config, handle func(net.Conn)) *api {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if secure != nil {
		ln = tls.NewListener(ln, secure)
	}
	a := &api{ln: ln}
	a.wg.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			a.wg.Go(func() {
				defer c.Close()
				c.SetDeadline(time.Now().Add(patience))
				handle(c)
			})
		}
	})
	t.Cleanup(a.close)
	return a
}

// close stops an api and waits for what it was about.
func (a *api) close() {
	a.ln.Close()
	a.wg.Wait()
}

func (a *api) addr() string { return a.ln.Addr().String() }

func (a *api) url(scheme string) *url.URL { return &url.URL{Scheme: scheme, Host: a.addr()} }

// trust is a CA with all that tests need of it.
type trust struct {
	*certs.Authority
	pool *x509.CertPool
}

func newTrust(t testing.TB) trust {
	t.Helper()
	a, err := certs.LoadOrCreate(filepath.Join(t.TempDir(), "ca"))
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(a.PEM())
	return trust{a, pool}
}

// server returns the config of a TLS server at 127.0.0.1.
func (c trust) server(t testing.TB) *tls.Config {
	t.Helper()
	leaf, err := c.Leaf("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{*leaf}}
}

// verify returns what a certificate of the CA's passes.
func (c trust) verify() x509.VerifyOptions { return x509.VerifyOptions{Roots: c.pool} }

func (c trust) client() *tls.Config { return &tls.Config{RootCAs: c.pool, ServerName: "127.0.0.1"} }

// dial connects to an address, as a client does that knows nothing of proxies.
func dial(t testing.TB, addr string) net.Conn {
	t.Helper()
	var client net.Dialer
	if strings.HasPrefix(addr, "127.0.0.1:") && runtime.GOOS == "linux" {
		// The ports of the client are not the recorder's then: where redirection is only played, nothing else tells them apart.
		client.LocalAddr = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}
	}
	c, err := client.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	c.SetDeadline(time.Now().Add(patience))
	t.Cleanup(func() { c.Close() })
	return c
}

// throughTunnel connects to an address through a CONNECT tunnel, with TLS inside.
func throughTunnel(t testing.TB, proxyAddr, addr string, config *tls.Config) net.Conn {
	t.Helper()
	c := openTunnel(t, proxyAddr, addr)
	s := tls.Client(c, config)
	if err := s.Handshake(); err != nil {
		t.Fatalf("shake hands: %v", err)
	}
	return s
}

// openTunnel has a CONNECT request answered.
func openTunnel(t testing.TB, proxyAddr, addr string) net.Conn {
	t.Helper()
	c := dial(t, proxyAddr)
	fmt.Fprintf(c, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n", addr, addr)
	var head []byte // read byte by byte: what follows is not for us
	for one := make([]byte, 1); !bytes.HasSuffix(head, []byte("\r\n\r\n")); head = append(head, one...) {
		if _, err := c.Read(one); err != nil {
			t.Fatalf("CONNECT answered %q, %v", head, err)
		}
	}
	if !bytes.HasPrefix(head, []byte("HTTP/1.1 200 ")) {
		t.Fatalf("CONNECT answered %q", head)
	}
	return c
}

// way is one of the ways in which a client can reach a target through a recorder.
type way struct {
	name   string
	scheme string
	// absolute says that the client puts the target's authority before the path of what it sends, and the recorder
	// takes it off again.
	absolute bool
	// open starts a target and a recorder, and returns the recorder's tape, and a function that connects a client.
	open func(t testing.TB, handle func(net.Conn)) (*tape, func() net.Conn)
}

// ways are those on which every byte arrives as it was sent.
func ways() []way { return waysWith(nil) }

// waysWith are the ways of a recorder with a Rewriter.
func waysWith(by proxy.Rewriter) []way {
	return []way{
		{"plain", "http", false, func(t testing.TB, handle func(net.Conn)) (*tape, func() net.Conn) {
			rec, a := newTape(), listen(t, nil, handle)
			addr := serve(t, &proxy.Proxy{Rewriter: by, Target: a.url("http"), Recorder: rec, ReverseOnly: true})
			return rec, func() net.Conn { return dial(t, addr) }
		}},
		{"TLS target", "https", false, func(t testing.TB, handle func(net.Conn)) (*tape, func() net.Conn) {
			rec, ca := newTape(), newTrust(t)
			a := listen(t, ca.server(t), handle)
			addr := serve(t, &proxy.Proxy{Rewriter: by, Target: a.url("https"), Recorder: rec, ReverseOnly: true, UpstreamTLS: ca.client()})
			return rec, func() net.Conn { return dial(t, addr) }
		}},
		{"intercepted", "https", false, func(t testing.TB, handle func(net.Conn)) (*tape, func() net.Conn) {
			rec, ca, own := newTape(), newTrust(t), newTrust(t)
			a := listen(t, ca.server(t), handle)
			addr := serve(t, &proxy.Proxy{Rewriter: by, Recorder: rec, Leaves: own, UpstreamTLS: &tls.Config{RootCAs: ca.pool}})
			return rec, func() net.Conn { return throughTunnel(t, addr, a.addr(), own.client()) }
		}},
		{"SOCKS", "http", false, func(t testing.TB, handle func(net.Conn)) (*tape, func() net.Conn) {
			rec, a := newTape(), listen(t, nil, handle)
			addr := serve(t, &proxy.Proxy{Rewriter: by, Target: a.url("http"), Recorder: rec, Leaves: newTrust(t)})
			return rec, func() net.Conn { return openSocks(t, addr, a.addr()) }
		}},
		{"forward", "http", true, func(t testing.TB, handle func(net.Conn)) (*tape, func() net.Conn) {
			rec, a := newTape(), listen(t, nil, handle)
			addr := serve(t, &proxy.Proxy{Rewriter: by, Recorder: rec})
			return rec, func() net.Conn { return &forwardConn{TCPConn: dial(t, addr).(*net.TCPConn), to: a.addr()} }
		}},
		{"redirected", "http", false, func(t testing.TB, handle func(net.Conn)) (*tape, func() net.Conn) {
			rec, a, own := newTape(), listen(t, nil, handle), newTrust(t)
			addr := serve(t, &proxy.Proxy{Rewriter: by, Recorder: rec, Leaves: own, Redirected: to(a.addr())})
			return rec, func() net.Conn { return dial(t, addr) }
		}},
		{"redirected TLS", "https", false, func(t testing.TB, handle func(net.Conn)) (*tape, func() net.Conn) {
			rec, ca, own := newTape(), newTrust(t), newTrust(t)
			a := listen(t, ca.server(t), handle)
			addr := serve(t, &proxy.Proxy{Rewriter: by, Recorder: rec, Leaves: own, UpstreamTLS: &tls.Config{RootCAs: ca.pool}, Redirected: to(a.addr())})
			return rec, func() net.Conn {
				s := tls.Client(dial(t, addr), own.client())
				if err := s.Handshake(); err != nil {
					t.Fatalf("shake hands: %v", err)
				}
				return s
			}
		}},
	}
}

// to takes every connection for one that was going to addr when it was redirected.
func to(addr string) func(net.Conn) (string, bool) {
	return func(net.Conn) (string, bool) { return addr, true }
}

// forwardConn is a client's connection to a forward proxy: an authority goes before the first path that is sent.
type forwardConn struct {
	*net.TCPConn
	to   string
	told bool
}

func (c *forwardConn) Write(b []byte) (int, error) {
	i := bytes.IndexByte(b, '/')
	if c.told || i < 0 {
		return c.TCPConn.Write(b)
	}
	c.told = true
	_, err := c.TCPConn.Write(slices.Concat(b[:i], []byte("http://"+c.to), b[i:]))
	return len(b), err
}

// finish ends the writing half of a connection.
func finish(t testing.TB, c net.Conn) {
	t.Helper()
	if err := c.(interface{ CloseWrite() error }).CloseWrite(); err != nil {
		t.Fatal(err)
	}
}

// reset makes a connection close with a reset.
func reset(c net.Conn) {
	if s, ok := c.(*tls.Conn); ok {
		c = s.NetConn()
	}
	c.(interface{ SetLinger(int) error }).SetLinger(0)
	c.Close()
}

// readAll reads to the end of the stream, which must come without an error.
func readAll(t testing.TB, c io.Reader) []byte {
	t.Helper()
	b, err := io.ReadAll(c)
	if err != nil {
		t.Fatalf("read to the end: %v, after %q", err, clip(b))
	}
	return b
}

// readHead reads through the next blank line.
func readHead(r *bufio.Reader) (string, error) {
	var head bytes.Buffer
	for {
		line, err := r.ReadString('\n')
		head.WriteString(line)
		if err != nil || head.Len() > 2 && (line == "\r\n" || line == "\n") {
			return head.String(), err
		}
	}
}

func clip(b []byte) string {
	if len(b) > 300 {
		return fmt.Sprintf("%q… (%d bytes)", b[:300], len(b))
	}
	return fmt.Sprintf("%q", b)
}

// wasReset reports whether an error is what a reset gives.
func wasReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

func shutdown(t testing.TB, p *proxy.Proxy) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := p.Shutdown(ctx); err != nil {
		t.Errorf("Shutdown: %v", err)
	}
}
