package proxy

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/wire"
)

// forwarder is the way of a connection whose requests must be read before they can be sent: each may name another host.
// Heads are held until they are whole, or too large to be; all else passes as it comes. What is changed is the
// request-target, which becomes what the host expects, the Proxy- fields, which were for this proxy, and the Host field
// where the user wants it.
type forwarder struct {
	s      *session
	framer *wire.Framer
	link   *link // to the last host; nil where there is none
	to     destination
	begun  bool // the request that the framer follows is on its way
	out    []byte
}

func newForwarder(s *session) *forwarder {
	return &forwarder{s: s, framer: wire.NewRequestFramer()}
}

// run forwards requests until the connection is through, or a CONNECT comes: it is left to be read again then, and
// again is true.
func (f *forwarder) run() (again bool) {
	buf := f.s.p.buffers.lend()
	defer buf.giveBack()
	for {
		n, err := f.s.client.Read(buf.bytes())
		for b := buf.bytes()[:n]; len(b) > 0; {
			used, then := f.feed(b)
			if b = b[used:]; then == goOn {
				continue
			}
			if then == tunnel {
				f.s.client.unread(f.framer.RawHead(), b)
			}
			return then == tunnel
		}
		if err != nil {
			f.clientEnded(err)
			return false
		}
		buf.fit(n)
	}
}

// next is how a connection goes on.
type next int

const (
	goOn next = iota
	tunnel
	stop
)

// feed forwards bytes up to the end of a request, and returns how many they were.
func (f *forwarder) feed(b []byte) (used int, _ next) {
	if f.link != nil && f.link.ledger.tunneled() {
		return len(b), f.pass(b)
	}
	if f.framer.State() == wire.Opaque && f.link != nil && f.link.ledger.quiet() {
		f.reset() // the host has told where that request ended, by answering
	}
	had := f.framer.HeadSize()
	used, state := f.framer.Feed(b)
	head := f.framer.RawHead()
	whole := f.framer.HeadSize() == int64(len(head))
	switch {
	case !f.begun && state == wire.InHead && whole:
		return used, goOn
	case !f.begun:
		f.begun = true
		rest := b[int64(len(head))-had : used]
		if n := bytes.LastIndexByte(head, '\n') + 1; !whole && len(bytes.TrimLeft(head[:n], "\r\n")) > 0 {
			head, rest = head[:n], slices.Concat(head[n:], rest) // the field that is cut goes as it is
		}
		if n := f.begin(head, rest); n != goOn {
			return used, n
		}
	default:
		if n := f.pass(b[:used]); n != goOn {
			return used, n
		}
	}
	if state == wire.Done {
		f.reset()
	}
	return used, goOn
}

// reset makes ready for the next request.
func (f *forwarder) reset() {
	f.framer.Reset("")
	f.begun = false
}

// begin sends a head, and what came with it of the body, to the host that it names.
func (f *forwarder) begin(head, body []byte) next {
	if !f.s.p.admits(head) {
		return f.turnAway(f.s.deny)
	}
	d, out, err := f.s.p.route(head)
	switch {
	case err == nil:
	case errors.Is(err, errConnect):
		if f.link != nil && !f.leave() {
			return stop
		}
		return tunnel
	case errors.Is(err, errNoHost) && f.link != nil:
		d, out = f.to, withoutProxyFields(head) // whatever it is, it follows what this host was sent
	default:
		f.refuse(d, head, body, exchange.Fault{Kind: exchange.FaultDial, Text: err.Error()})
		return stop
	}
	if !f.s.mayReach(d) {
		return f.turnAway(f.s.forbid)
	}
	if f.link != nil && f.to != d && !f.leave() {
		return stop
	}
	if f.link == nil {
		up, fault := f.s.p.dial(d, "http/1.1")
		if fault != nil {
			f.refuse(d, out, body, *fault)
			return stop
		}
		f.link, f.to = newLink(f.s, up, d), d
	}
	f.out = append(append(f.out[:0], out...), body...)
	return f.pass(f.out)
}

// pass sends bytes to the present host.
func (f *forwarder) pass(b []byte) next {
	if f.link.send(b) {
		return goOn
	}
	f.link.close()
	return stop
}

// leave waits for the answers of the present host and parts with it. It reports false where the host took the client's
// connection with it.
func (f *forwarder) leave() bool {
	if !f.link.ledger.await() {
		f.link.close()
		return false
	}
	f.s.busy()
	f.link.retire()
	f.link = nil
	return true
}

// refuse answers a request that can go nowhere, and records it. Where the client has not said that it takes its peer
// for a proxy, it is not told anything: its connection is reset.
func (f *forwarder) refuse(d destination, head, body []byte, fault exchange.Fault) {
	s := f.s
	if f.link != nil && !f.leave() {
		return
	}
	own := d.ours == ""
	if own {
		fault.Told = refusal(fault)
	}
	s.client.unread(head, body)
	s.unreachable(d, fault)
	if !own {
		s.client.reset()
		return
	}
	s.answer(fault.Told)
}

// clientEnded passes on that the client says no more. What it has sent of a head goes out as it is: a host that waits
// for the rest is to feel what the client did.
func (f *forwarder) clientEnded(err error) {
	if !f.begun && f.framer.State() == wire.InHead && f.framer.Begun() && errors.Is(err, io.EOF) {
		if f.begin(f.framer.RawHead(), nil) == stop {
			return
		}
	}
	if f.link != nil {
		f.link.clientEnded(err)
		f.link.close()
	}
}

// errConnect is what route says of a CONNECT request: it opens a tunnel and is not forwarded.
var errConnect = errors.New("a CONNECT request is no request to forward")

// errNoHost is what route says of a request that could be for any host.
var errNoHost = errors.New("the request names no host, and there is no target")

// route reads a head as it was sent to a proxy, and returns where it goes and what is sent there. Where it can go
// nowhere, the destination holds what is known of it.
func (p *Proxy) route(head []byte) (destination, []byte, error) {
	blank := len(head) - len(bytes.TrimLeft(head, "\r\n"))
	line, _, _ := bytes.Cut(head[blank:], []byte{'\n'})
	method, target, _, _ := wire.RequestLine(strings.TrimSuffix(string(line), "\r"))
	if method == "CONNECT" && !p.ReverseOnly {
		return destination{}, nil, errConnect
	}
	scheme, authority, origin, absolute := splitAbsolute(method, target)
	if !absolute || p.ReverseOnly {
		path, _ := exchange.SplitTarget(target)
		d, err := p.pick(p.hostOfHead(head), path)
		return d, p.withHost(head, d), err
	}
	path, _ := exchange.SplitTarget(target)
	d, err := p.destination(scheme, authority, p.hostOfHead(head), path)
	if err != nil {
		return destination{scheme: scheme, addr: authority, name: p.TargetName}, nil, err
	}
	at := blank + len(method) + 1
	out := append([]byte(nil), head[:at]...)
	out = append(out, origin...)
	out = append(out, withoutProxyFields(head[at+len(target):])...)
	return d, p.withHost(out, d), nil
}

// splitAbsolute splits an absolute-form request-target (RFC 9112 §3.2.2) of the schemes that can be spoken. origin is
// what it is to the host itself, byte for byte what stands after the authority.
func splitAbsolute(method, target string) (scheme, authority, origin string, ok bool) {
	scheme, rest, found := strings.Cut(target, "://")
	scheme = strings.ToLower(scheme)
	if !found || scheme != "http" && scheme != "https" {
		return "", "", "", false
	}
	i := strings.IndexAny(rest, "/?#")
	switch {
	case i < 0 && method == "OPTIONS":
		return scheme, rest, "*", true // RFC 9112 §3.2.4
	case i < 0:
		return scheme, rest, "/", true
	case rest[i] != '/':
		return scheme, rest[:i], "/" + rest[i:], true
	}
	return scheme, rest[:i], rest[i:], true
}

// withoutProxyFields leaves the fields out whose names begin with Proxy-. head begins within the start line.
func withoutProxyFields(head []byte) []byte {
	if !bytes.Contains(bytes.ToLower(head), []byte("\nproxy-")) {
		return head
	}
	return editFields(head, func(field []byte) []byte {
		if hasPrefixFold(field, "proxy-") {
			return nil
		}
		return field
	})
}

// withHost sets the value of each Host field to the authority of the target, where the user wants it so.
func (p *Proxy) withHost(head []byte, d destination) []byte {
	if !p.RewriteHost || d.ours == "" {
		return head
	}
	return editFields(head, func(field []byte) []byte {
		if !hasPrefixFold(field, "host:") {
			return field
		}
		end := field[len(bytes.TrimRight(field, "\r\n")):]
		return append([]byte(string(field[:len("host:")])+" "+d.ours), end...)
	})
}

// editFields returns a head with each field, folded lines and line ends included, replaced by what edit returns. The
// first line stays.
func editFields(head []byte, edit func(field []byte) []byte) []byte {
	rest := head[bytes.IndexByte(head, '\n')+1:]
	out := bytes.Clone(head[:len(head)-len(rest)])
	for len(rest) > 0 {
		n := lineLength(rest)
		for n < len(rest) && (rest[n] == ' ' || rest[n] == '\t') {
			n += lineLength(rest[n:])
		}
		out = append(out, edit(rest[:n])...)
		rest = rest[n:]
	}
	return out
}

// lineLength returns the length of the first line, its line end included.
func lineLength(b []byte) int {
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		return i + 1
	}
	return len(b)
}

func hasPrefixFold(b []byte, prefix string) bool {
	return len(b) >= len(prefix) && strings.EqualFold(string(b[:len(prefix)]), prefix)
}
