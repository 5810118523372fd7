package proxy

import (
	"bytes"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/tcp"
	"github.com/flaketap/flaketap/internal/wire"
)

// session is one connection of a client.
type session struct {
	p      *Proxy
	id     uint64
	raw    *end // the connection as accepted
	client *end // the same, or TLS over it; for the session's goroutine
	http2  bool // the client speaks HTTP/2

	mu      sync.Mutex
	working bool  // bytes of the client have come that no link has yet
	link    *link // the present one
	closed  bool
}

// clientMode is what a client takes its peer for.
type clientMode int

const (
	unknown   clientMode = iota // too few bytes to tell
	asAPI                       // it sends requests as to the API itself
	asProxy                     // it sends absolute-form requests
	asGateway                   // it sends CONNECT
	asSOCKS                     // it greets a SOCKS proxy
	asSOCKS4                    // it asks a SOCKS proxy of the version before
	asHTTP2                     // it speaks HTTP/2, and what it takes its peer for cannot be told
)

// serve does all that the connection is for.
func (s *session) serve() {
	defer s.raw.Close()
	defer s.rescue()
	if s.p.Redirected != nil {
		if addr, ok := s.p.Redirected(s.raw.Conn); ok {
			s.redirected(addr)
			return
		}
		if s.p.ForwardLocal && !tcp.Loopback(s.raw.RemoteAddr()) {
			s.forbid()
			return
		}
	}
	for again := true; again; {
		m := s.listen()
		switch {
		case m == unknown:
			return
		case m == asGateway:
			s.connect()
			return
		case m == asSOCKS:
			again = s.socks()
		case m == asSOCKS4:
			s.refuseSocks4()
			return
		case m == asHTTP2:
			s.http2 = true
			s.relayHTTP2()
			return
		case m == asAPI && s.p.Target != nil && !s.p.RewriteHost && len(s.p.Routes) == 0:
			s.relay(s.p.target())
			return
		default:
			again = newForwarder(s).run()
		}
	}
}

// listen waits for bytes that tell what the client takes its peer for, and leaves them to be read again.
func (s *session) listen() clientMode {
	for {
		m := s.p.clientModeOf(s.client.ahead)
		if m != unknown {
			s.busy()
			return m
		}
		if err := s.client.more(); err != nil {
			if len(s.client.ahead) > 0 {
				return asAPI // all that will ever come
			}
			return unknown
		}
	}
}

// clientModeOf decides from the first bytes of a request. A handful always suffices: only a beginning that may yet
// become that of a request to a proxy is undecided.
func (p *Proxy) clientModeOf(b []byte) clientMode {
	switch yes, yet := speaksHTTP2(b); {
	case yes:
		return asHTTP2
	case yet:
		return unknown
	}
	if len(b) > 0 && !p.ReverseOnly {
		switch _, _, err := readGreeting(b); {
		case err == nil:
			return asSOCKS
		case errors.Is(err, errMore), string(b) == socks4[:1]:
			return unknown
		case bytes.HasPrefix(b, []byte(socks4)):
			return asSOCKS4
		}
	}
	b = bytes.TrimLeft(b, "\r\n")
	if p.ReverseOnly && len(b) > 0 {
		return asAPI
	}
	method, rest, found := bytes.Cut(b, []byte{' '})
	switch {
	case !found && len(b) <= maxMethod && bytes.IndexFunc(b, notInMethod) < 0:
		return unknown
	case !found:
		return asAPI
	case string(method) == "CONNECT":
		return asGateway
	}
	for _, scheme := range []string{"http://", "https://"} {
		n := min(len(rest), len(scheme))
		switch {
		case !strings.EqualFold(string(rest[:n]), scheme[:n]):
		case n == len(scheme):
			return asProxy
		case len(rest) == n:
			return unknown
		}
	}
	return asAPI
}

// maxMethod is the length up to which a method is waited for; longer ones belong to no request to a proxy.
const maxMethod = 32

func notInMethod(r rune) bool { return r <= ' ' || r >= 0x7f }

// relay joins the client with one target for as long as both last.
func (s *session) relay(d destination) {
	if s.client.ahead[0] == tlsHandshake {
		s.p.log.Warn("a client speaks TLS to the recorder itself, which listens for plain HTTP; its bytes pass as they are")
	}
	up, fault := s.p.dial(d, s.protocol())
	if fault != nil {
		s.unreachable(d, *fault)
		s.client.reset()
		return
	}
	newLink(s, up, d).requests()
}

// relayHTTP2 joins a client that began with HTTP/2 with the target: no host can be told from its first bytes.
func (s *session) relayHTTP2() {
	if s.p.Target != nil {
		s.relay(s.p.target())
		return
	}
	fault := exchange.Fault{Kind: exchange.FaultDial, Text: errNoHost.Error() + "; HTTP/2 passes within CONNECT"}
	fault.Told = exchange.Message{Head: wire.GoAway(wire.CodeHTTP11Required, "flaketap: "+fault.String())}
	if s.p.Auth != "" { // nobody without credentials gets to write into the recording, and HTTP/2 has none to show here
		s.p.count.denied.Add(1)
	} else {
		s.unreachable(destination{scheme: "http", name: s.p.TargetName}, fault)
	}
	s.answer(fault.Told)
}

// protocol returns the name by which TLS knows what the client speaks (RFC 7301 §6).
func (s *session) protocol() string {
	if s.http2 {
		return "h2"
	}
	return "http/1.1"
}

// drainTime bounds how long the rest of a request is waited for that cannot be sent anywhere.
const drainTime = 200 * time.Millisecond

// unreachable records the requests that the client has sent as faults. Clients send head and body apart: the rest of
// the first request is waited for, so that a replay has it whole.
func (s *session) unreachable(d destination, fault exchange.Fault) {
	l := s.newLedger(d)
	now := time.Now()
	err := l.asked(s.client.ahead, now)
	s.client.ahead = nil
	_ = s.client.SetReadDeadline(now.Add(drainTime))
	for err == nil && l.receiving() {
		if s.client.more() != nil {
			break
		}
		err = l.asked(s.client.ahead, now)
		s.client.ahead = nil
	}
	if err == nil {
		err = l.settle(closeReason{kind: fault.Kind, text: fault.Text, told: fault.Told}, time.Now())
	}
	if err != nil {
		s.p.fail(err)
	}
}

// newLedger returns the ledger of a connection to d.
func (s *session) newLedger(d destination) *ledger {
	p := s.p
	common := exchange.Exchange{Conn: s.id, Target: d.name, Scheme: d.scheme, Addr: d.addr}
	l := newLedger(common, sequenceHeaders(p.SequenceHeaders), &p.bodies, p.recordOf(d))
	if s.http2 {
		l.follow()
	}
	return l
}

// ownAnswer returns an answer of the proxy's own. fields, each with its line end, mark it as such.
func ownAnswer(status, fields, text string) exchange.Message {
	text = "flaketap: " + text + "\n"
	head := fmt.Sprintf("HTTP/1.1 %s\r\n%sContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\n"+
		"Connection: close\r\n\r\n", status, fields, len(text))
	return exchange.Message{Head: []byte(head), Body: []byte(text)}
}

// refusal is what a client is told, which knows that it talks to a proxy, where a fault keeps it from the host that it
// named.
func refusal(fault exchange.Fault) exchange.Message {
	return ownAnswer("502 Bad Gateway", "Flaketap-Fault: "+string(fault.Kind)+"\r\n", fault.String())
}

// say gives the client an answer of the proxy's own, and ends the connection. fields, each with its line end, mark it.
func (s *session) say(status, fields, text string) { s.answer(ownAnswer(status, fields, text)) }

// answer is say for an answer that is there already.
func (s *session) answer(m exchange.Message) {
	_, _ = s.client.Write(append(m.Head, m.Body...))
	s.client.part()
}

// attach makes k the session's present link.
func (s *session) attach(k *link) {
	s.mu.Lock()
	s.link = k
	closed := s.closed
	s.mu.Unlock()
	if closed {
		s.cut()
	}
}

// busy says that the session is about something that no link knows of yet, waits that it is about nothing.
func (s *session) busy() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.working, s.link = true, nil
}

func (s *session) waits() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.working, s.link = false, nil
}

// idle reports whether nothing would be lost by closing the connection now.
func (s *session) idle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.link != nil {
		return s.link.quiet() && !s.link.passing.Load()
	}
	return !s.working
}

// pending counts the requests of the session that have no answer yet.
func (s *session) pending() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.link != nil:
		return s.link.pending()
	case s.working:
		return 1
	}
	return 0
}

// cut closes the session's connections; its goroutines end thereby.
func (s *session) cut() {
	s.mu.Lock()
	s.closed = true
	k := s.link
	s.mu.Unlock()
	if k == nil {
		s.raw.Close() // what it waits for comes no more
		return
	}
	k.client.Close()
	k.up.Close()
}

// stopped reports whether it was the proxy that closed the session.
func (s *session) stopped() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// rescue keeps a panic within its session.
func (s *session) rescue() {
	if r := recover(); r != nil {
		s.p.log.Error("connection dropped: flaketap has a bug", "panic", r, "stack", string(debug.Stack()))
		s.cut()
	}
}

// receiving reports whether a request has begun and not ended.
func (l *ledger) receiving() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.streams != nil {
		return l.streams.receiving()
	}
	return l.open != nil && l.in.State() != wire.Opaque
}
