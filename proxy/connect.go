package proxy

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/elazarl/goproxy"
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/wire"
)

// maxConnect bounds the head of a CONNECT request, in bytes; net/http's servers allow as much.
const maxConnect = 1 << 20

// tlsHandshake is the first byte of a TLS record that begins a connection (RFC 8446 §5.1).
const tlsHandshake = 22

// connecting is a connection of a client's that is about to be joined with one to the host that it is for: a CONNECT
// request on its way through goproxy, or a redirected connection.
type connecting struct {
	s       *session
	request exchange.Request // nothing, where there was no CONNECT
	start   time.Time
	to      destination
	client  *tunnelEnd // nil where the client speaks SOCKS
	socks   bool
}

// connect reads a CONNECT request and lets goproxy answer it. What comes through the tunnel ends the connection.
func (s *session) connect() {
	for wire.HeadEnd(s.client.ahead) < 0 {
		if len(s.client.ahead) > maxConnect || s.client.more() != nil {
			return
		}
	}
	c := &connecting{s: s, start: time.Now(), client: &tunnelEnd{end: s.client, closed: make(chan struct{})}}
	n := wire.HeadEnd(s.client.ahead)
	head := s.client.ahead[:n]
	if !s.p.admits(head) {
		s.deny()
		return
	}
	c.request = exchange.ParseRequest(exchange.Message{Head: s.p.stripped(head)})
	s.client.ahead = s.client.ahead[n:]

	// goproxy is given what it decides by, and not the client's bytes: net/http would refuse what is odd in them.
	ctx := context.WithValue(s.p.ctx, connectKey{}, c)
	r := (&http.Request{
		Method: http.MethodConnect, URL: &url.URL{Host: c.request.Target}, Host: c.request.Target,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, Body: http.NoBody,
		RemoteAddr: s.client.RemoteAddr().String(),
	}).WithContext(ctx)
	s.p.front.ServeHTTP(hijackable{c.client}, r)
	<-c.client.closed
}

// connectKey is the context key of the connecting that a request to goproxy belongs to.
type connectKey struct{}

func connectingOf(r *http.Request) *connecting { return r.Context().Value(connectKey{}).(*connecting) }

// newFront returns the goproxy that answers CONNECT. It sees one of three actions: interception, which hands the
// connection back here; a blind tunnel, which goproxy runs; and refusal.
func (p *Proxy) newFront() *goproxy.ProxyHttpServer {
	front := goproxy.NewProxyHttpServer()
	front.Logger = goproxyLog{p.log}
	front.Tr = &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return p.blindDial(ctx.Value(connectKey{}).(*connecting))
	}}
	front.ConnectDial = nil // goproxy's own reads HTTPS_PROXY, which the client's environment may point at us
	// blindDial has answered by then.
	front.ConnectionErrHandler = func(io.Writer, *goproxy.ProxyCtx, error) {}
	front.OnRequest().HandleConnectFunc(func(host string, ctx *goproxy.ProxyCtx) (*goproxy.ConnectAction, string) {
		c := connectingOf(ctx.Req)
		switch c.judge(host) {
		case refusedTunnel:
			return &goproxy.ConnectAction{Action: goproxy.ConnectReject}, host
		case closedTunnel:
			p.count.blind.Add(1)
			return &goproxy.ConnectAction{Action: goproxy.ConnectAccept}, c.to.addr
		}
		hijack := func(*http.Request, net.Conn, *goproxy.ProxyCtx) { c.intercept() }
		return &goproxy.ConnectAction{Action: goproxy.ConnectHijack, Hijack: hijack}, c.to.addr
	})
	return front
}

// passage is what becomes of a tunnel.
type passage int

const (
	refusedTunnel passage = iota // the client has been told
	closedTunnel                 // nobody looks into it
	interception
)

// judge finds out where a tunnel for host, with its port, leads, and what becomes of it.
func (c *connecting) judge(host string) passage {
	p := c.s.p
	var err error
	if c.to, err = p.destination("https", host, "", ""); err != nil {
		c.refuse(exchange.Fault{Kind: exchange.FaultDial, Text: err.Error()})
		return refusedTunnel
	}
	switch {
	case !c.s.mayReach(c.to) && c.socks:
		c.s.denyReach()
		c.s.answer(exchange.Message{Head: socksForbidden.bytes()})
		return refusedTunnel
	case !c.s.mayReach(c.to):
		c.s.forbid()
		return refusedTunnel
	case p.Leaves == nil || p.Tunnel.match(c.to.addr):
		return closedTunnel
	}
	return interception
}

// established says to the client that its tunnel is open.
func (c *connecting) established() error {
	answer := []byte("HTTP/1.1 200 Connection established\r\n\r\n")
	if c.socks {
		answer = socksSucceeded.bytes()
	}
	_, err := c.s.client.Write(answer)
	return err
}

// blindDial connects a tunnel that nobody looks into.
func (p *Proxy) blindDial(c *connecting) (net.Conn, error) {
	up, fault := p.dialPlain(c.to)
	if fault != nil {
		c.refuse(*fault)
		return nil, errors.New(fault.String())
	}
	c.s.waits()
	return countedEnd{&tunnelEnd{end: up, closed: make(chan struct{})}, p}, nil
}

// refuse answers and records a CONNECT request that leads nowhere.
func (c *connecting) refuse(fault exchange.Fault) {
	fault.Told = refusal(fault)
	if c.socks {
		fault.Told = exchange.Message{Head: replyTo(fault).bytes()}
	}
	c.record(fault)
	c.s.answer(fault.Told)
}

func (c *connecting) record(fault exchange.Fault) {
	addr := c.to.addr
	if addr == "" {
		addr = c.request.Target
	}
	err := c.s.p.recordOf(c.to)(&exchange.Exchange{
		Conn: c.s.id, Target: c.to.name, Scheme: "https", Addr: addr, Start: c.start, Latency: time.Since(c.start),
		Request: c.request, Fault: &fault,
	})
	if err != nil {
		c.s.p.fail(err)
	}
}

// intercept opens the tunnel and relays what is inside, with TLS taken off where the client begins with it.
func (c *connecting) intercept() {
	if c.client != nil {
		defer c.client.Close()
	}
	s := c.s
	up, fault := s.p.dialPlain(c.to)
	if fault != nil {
		c.refuse(*fault)
		return
	}
	defer up.Close()
	if c.established() != nil {
		return
	}
	s.waits()
	if c.begin(up) {
		s.busy()
		c.join(up, c.socks && c.to.ours == "" && c.saysOther()) // all that is for the target is a client's request
	}
}

// enter finds out what the client speaks within the tunnel, and sets the ends up for it.
func (c *connecting) enter(up *end) (_ *end, d destination, ok bool) {
	s := c.s
	if s.client.ahead[0] == tlsHandshake {
		if secured, is := c.open(up); is {
			return secured, c.to, secured != nil
		}
	}
	d = c.to
	for yet := true; yet; {
		if s.http2, yet = speaksHTTP2(s.client.ahead); yet && s.client.more() != nil {
			break
		}
	}
	if d.ours == "" {
		d.scheme = "http"
		return up, d, true
	}
	if d.scheme == "http" {
		return up, d, true
	}
	// Plain inside, but the user has said that the target speaks TLS.
	up, fault := s.p.secure(up, d, []string{s.protocol()})
	if fault != nil {
		s.unreachable(d, *fault)
		s.client.reset()
	}
	return up, d, fault == nil
}

// open shakes hands with the client and, before the client is shown a certificate, with the target, under the name that
// the client asks for. A target without a good certificate is thus a failed handshake to the client as well. It returns
// nil where nothing more can pass, and false where the client's bytes are no TLS after all, and pass as they are.
func (c *connecting) open(up *end) (_ *end, is bool) {
	s := c.s
	inner := &helloEnd{end: s.client, addr: c.to.addr, greet: func(hello *tls.ClientHelloInfo) (string, *exchange.Fault) {
		if c.to.scheme != "https" {
			return plainProtocol(hello.SupportedProtos), nil
		}
		c.to.server = hello.ServerName
		var fault *exchange.Fault
		if up, fault = s.p.secure(up, c.to, hello.SupportedProtos); fault != nil {
			return "", fault
		}
		return negotiated(up), nil
	}}
	t := tls.Server(inner, s.p.tunnelTLS)
	ctx, cancel := context.WithTimeout(s.p.ctx, dialTimeout)
	defer cancel()
	switch err := t.HandshakeContext(ctx); {
	case err == nil:
		s.client = s.client.secure(t)
		s.http2 = negotiated(s.client) == "h2"
		return up, true
	case inner.fault != nil:
		c.record(*inner.fault)
	case s.p.ctx.Err() != nil:
	case inner.closed:
		s.client.unread(inner.seen)
		s.tunnel(up, c.to)
	case !inner.greeted:
		s.client.unread(inner.seen)
		return nil, len(inner.seen) == 0
	default:
		s.p.count.untrusting.Add(1)
		s.p.log.Warn("the client broke the TLS handshake off; it may not trust the CA", "addr", c.to.addr, "err", err)
	}
	return nil, true
}

// negotiated returns the protocol that a handshake settled on; "" where it was not spoken of.
func negotiated(e *end) string { return e.Conn.(*tls.Conn).ConnectionState().NegotiatedProtocol }

// plainProtocol picks a protocol for a client that is to talk to a target without TLS, which has no say in it.
func plainProtocol(offered []string) string {
	if len(offered) == 0 || slices.Contains(offered, "http/1.1") {
		return "http/1.1"
	}
	return offered[0]
}

// tunnelConfig is what clients within tunnels are shown. One config for all keeps session tickets working: what is
// changed for one of them is the protocol, which is the one that the target has picked of the client's.
func (p *Proxy) tunnelConfig() *tls.Config {
	config := &tls.Config{
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			if hello.ServerName != "" {
				return p.Leaves.Leaf(hello.ServerName)
			}
			return p.Leaves.Leaf(hostOf(hello.Conn.(*helloEnd).addr))
		},
	}
	shown := config.Clone()
	config.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		e := hello.Conn.(*helloEnd)
		if _, port := splitPort(e.addr); p.Tunnel.match(net.JoinHostPort(hello.ServerName, port)) {
			e.closed = true
			return nil, errors.New("the host's tunnels stay closed")
		}
		e.greeted, e.seen = true, nil
		var protocol string
		if protocol, e.fault = e.greet(hello); e.fault != nil {
			return nil, errors.New("the target failed: " + e.fault.String())
		}
		own := shown.Clone()
		if protocol != "" {
			own.NextProtos = []string{protocol}
		}
		return own, nil
	}
	return config
}

// helloEnd carries what the callbacks of a handshake need to know of its connection. Until the client has said hello,
// and to a host that is looked into, nothing is said to it, and what it says is kept, to pass as it is if it has not.
type helloEnd struct {
	*end
	addr    string // where the client wants to go, as far as it has told
	greet   func(*tls.ClientHelloInfo) (protocol string, _ *exchange.Fault)
	fault   *exchange.Fault
	greeted bool
	closed  bool // it is to pass without a look into it
	seen    []byte
}

// Read reads on, and keeps what may have to be read again.
func (e *helloEnd) Read(b []byte) (int, error) {
	n, err := e.end.Read(b)
	if !e.greeted {
		e.seen = append(e.seen, b[:n]...)
	}
	return n, err
}

// Write keeps alerts from a client that has not greeted.
func (e *helloEnd) Write(b []byte) (int, error) {
	if !e.greeted {
		return len(b), nil
	}
	return e.end.Write(b)
}

func hostOf(addr string) string {
	host, _, _ := net.SplitHostPort(addr)
	return host
}

// tunnelEnd is an end as goproxy needs it, which may close it from goroutines of its own.
type tunnelEnd struct {
	*end
	once   sync.Once
	closed chan struct{}
}

// CloseRead does nothing: closing the reading half would tell the peer nothing.
func (t *tunnelEnd) CloseRead() error { return nil }

// CloseWrite passes an end of stream on.
func (t *tunnelEnd) CloseWrite() error {
	t.finish()
	return nil
}

// Close closes the connection and says so.
func (t *tunnelEnd) Close() error {
	defer t.once.Do(func() { close(t.closed) })
	return t.end.Close()
}

// countedEnd counts what passes through a blind tunnel.
type countedEnd struct {
	*tunnelEnd
	p *Proxy
}

func (c countedEnd) Read(b []byte) (int, error) {
	n, err := c.tunnelEnd.Read(b)
	c.p.count.received.Add(int64(n))
	return n, err
}

func (c countedEnd) Write(b []byte) (int, error) {
	n, err := c.tunnelEnd.Write(b)
	c.p.count.sent.Add(int64(n))
	return n, err
}

// hijackable is the answer to a CONNECT request as goproxy sees it: a connection to be taken over.
type hijackable struct{ client *tunnelEnd }

func (h hijackable) Header() http.Header         { return http.Header{} }
func (h hijackable) Write(b []byte) (int, error) { return h.client.Write(b) }
func (h hijackable) WriteHeader(int)             {}

// Hijack hands the connection over.
func (h hijackable) Hijack() (net.Conn, *bufio.ReadWriter, error) { return h.client, nil, nil }

// goproxyLog passes on what goproxy says, which it does of single connections only.
type goproxyLog struct{ log *slog.Logger }

func (l goproxyLog) Printf(format string, v ...any) { l.log.Debug(fmt.Sprintf(format, v...)) }
