package proxy

import (
	"bytes"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/wire"
)

// ledger pairs the requests that go up one connection with the answers that come down it. It is told of every byte
// before the byte passes, and gives out each exchange once it is complete. It does no I/O.
//
// An exchange is complete once its request and its answer are. An API may answer before it has the whole request; the
// exchange then waits for the request to end, or for the connection to.
type ledger struct {
	common   exchange.Exchange              // what all exchanges of the connection share
	sequence []string                       // the headers that name a test case
	bodies   *bodies                        // takes what is kept of bodies
	note     func(*exchange.Exchange) error // takes a complete exchange

	mu       sync.Mutex
	idle     sync.Cond // signalled when the last awaited answer is there
	in, out  *wire.Framer
	open     *pendingExchange   // the request that is being received
	pending  []*pendingExchange // what has not been given out yet, in the order asked
	replying bool               // an answer has begun, or bytes that nobody asked for
	replyTo  *pendingExchange   // whose answer it is; nil where nobody asked
	tunnel   bool               // what passes from here on is no HTTP/1
	streams  *streams           // follows HTTP/2; nil where the connection does not speak it
	switched *pendingExchange   // whose answer made it so, until the connection ends; nil where it is not recorded
	end      *closeReason       // set once no further answer can come
	waiting  atomic.Int32       // those of pending without an answer; read without the lock
}

// pendingExchange is a request that is being sent, or waits for its answer.
type pendingExchange struct {
	exchange.Exchange
	answer   exchange.Message
	interim  []byte
	up, down capture // of the bodies of request and answer
	asked    bool    // the request is whole
	answered bool    // the answer is whole, or will never come
	stream   bool    // when the parts of the answer pass is kept
}

// closeReason says why no further answer comes.
type closeReason struct {
	kind exchange.FaultKind
	text string
	told exchange.Message // what the client was told instead; empty where it was told nothing
}

func (e closeReason) fault() *exchange.Fault {
	return &exchange.Fault{Kind: e.kind, Text: e.text, Told: e.told}
}

// maxInterim bounds the interim responses that are kept with an answer; servers send one or two.
const maxInterim = 1 << 20

func newLedger(common exchange.Exchange, sequence []string, bodies *bodies,
	note func(*exchange.Exchange) error) *ledger {
	l := &ledger{
		common: common, sequence: sequence, bodies: bodies, note: note,
		in: wire.NewRequestFramer(), out: wire.NewResponseFramer(""),
	}
	l.idle.L = &l.mu
	return l
}

// asked is told of the next bytes of the client. An error is the Recorder's.
func (l *ledger) asked(b []byte, now time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.streams != nil {
		return l.streams.asked(b, now)
	}
	for len(b) > 0 && !l.tunnel {
		n, err := l.ask(b, now)
		if err != nil {
			return err
		}
		b = b[n:]
	}
	if f := l.switched; f != nil && len(b) > 0 {
		keepTunnel(&f.Request.Message, b, l.bodies.limit, now.Sub(f.Start))
	}
	return nil
}

// ask takes bytes up to the end of a request and returns how many they were.
func (l *ledger) ask(b []byte, now time.Time) (int, error) {
	had := l.in.HeadSize()
	n, state := l.in.Feed(b)
	if l.open == nil {
		if !l.in.Begun() {
			return n, nil // blank lines between requests; they go to the head of the next
		}
		l.open = &pendingExchange{Exchange: l.common}
		l.open.Start = now
		l.pending = append(l.pending, l.open)
		l.waiting.Add(1)
	}
	f := l.open
	if state != wire.InHead && f.Request.Head == nil {
		l.readRequest(f)
	}
	if err := l.bodies.keep(&f.up, &f.Request.Message, b[l.in.HeadSize()-had:n]); err != nil {
		return n, err
	}
	switch {
	case state == wire.Done:
		return n, l.closeRequest(now)
	case state == wire.Opaque && isHTTP2(&f.Request):
		head := bytes.Clone(l.in.RawHead())
		l.forget(nil)
		l.waiting.Store(0)
		l.follow()
		return n, l.streams.asked(append(head, b[int64(len(head))-had:n]...), now)
	}
	return n, nil
}

// follow makes the connection one of HTTP/2 from here on.
func (l *ledger) follow() { l.tunnel, l.streams = true, newStreams(l) }

// readRequest gives the open exchange its request, from the head that has come so far.
func (l *ledger) readRequest(f *pendingExchange) {
	m := exchange.Message{Head: bytes.Clone(l.in.RawHead()), Cut: unkept(l.in)}
	if head := l.in.Head(); head.Line != "" {
		f.Request = exchange.RequestOf(m, head)
	} else { // it is cut, and has not been read yet
		f.Request = exchange.ParseRequest(m)
	}
	l.nameSequence(f)
}

// nameSequence gives a pending exchange the client's name for the test case that its request belongs to.
func (l *ledger) nameSequence(f *pendingExchange) {
	for _, name := range l.sequence {
		if v := f.Request.Header.Get(name); v != "" {
			f.Sequence = v
			return
		}
	}
}

// unkept returns how many bytes of the head of a message are not kept.
func unkept(f *wire.Framer) int64 { return f.HeadSize() - int64(len(f.RawHead())) }

// isHTTP2 reports whether a request is the first part of the preface of HTTP/2 (RFC 9113 §3.4).
func isHTTP2(r *exchange.Request) bool {
	return r.Method == "PRI" && r.Target == "*" && r.Proto == "HTTP/2.0"
}

// closeRequest ends the request that is open: what the client sends next is another one.
func (l *ledger) closeRequest(now time.Time) error {
	f := l.open
	f.asked = true
	f.Request.Malformed = f.Request.Malformed || l.in.Err() != nil
	l.open = nil
	l.in.Reset("")
	if l.end != nil && !f.answered {
		l.fail(f, *l.end, now)
	}
	return l.deliver()
}

// answered is told of the next bytes of the target. An error is the Recorder's.
func (l *ledger) answered(b []byte, now time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(b) > 0 && !l.tunnel {
		n, err := l.reply(b, now)
		if err != nil {
			return err
		}
		b = b[n:]
	}
	if l.streams != nil {
		return l.streams.answered(b, now)
	}
	if f := l.switched; f != nil && len(b) > 0 {
		keepTunnel(&f.Response.Message, b, l.bodies.limit, now.Sub(f.Start))
	}
	return nil
}

// reply takes bytes up to the end of an answer and returns how many they were.
func (l *ledger) reply(b []byte, now time.Time) (int, error) {
	if !l.replying {
		l.replying, l.replyTo = true, l.awaited()
		l.out.Reset(l.method(l.replyTo))
	}
	f := l.replyTo
	had := l.out.HeadSize()
	n, state := l.out.Feed(b)
	switch part := b[l.out.HeadSize()-had : n]; {
	case f == nil || len(part) == 0:
	case state == wire.Opaque && l.switches(f):
		return n - len(part), l.change(f, now) // what came in the same read is of the other protocol already
	default:
		if f.down.kept == 0 {
			f.stream = exchange.Streamed(exchange.MediaType(l.out.Head().Fields.Get("Content-Type")))
		}
		if err := l.keepAnswer(f, part, now); err != nil {
			return n, err
		}
	}
	switch {
	case state == wire.Done && l.out.Interim():
		if f != nil && len(f.interim) < maxInterim {
			f.interim = append(f.interim, l.out.RawHead()...)
		}
		l.out.Reset(l.method(f))
	case state == wire.Done:
		return n, l.closeAnswer(now)
	case state == wire.Opaque && f != nil && l.switches(f):
		return n, l.change(f, now)
	}
	return n, nil
}

// switches reports whether the answer to f ends HTTP/1 on the connection: an upgrade, or a tunnel.
func (l *ledger) switches(f *pendingExchange) bool {
	status := l.out.Status()
	return status == 101 || l.method(f) == "CONNECT" && status/100 == 2
}

// awaited returns the first pending exchange without an answer; nil where there is none.
func (l *ledger) awaited() *pendingExchange {
	for _, f := range l.pending {
		if !f.answered {
			return f
		}
	}
	return nil
}

// method returns the method of a request whose head may not have come in full.
func (l *ledger) method(f *pendingExchange) string {
	switch {
	case f == nil:
		return ""
	case f.Request.Head != nil:
		return f.Request.Method
	}
	line, _, _ := bytes.Cut(bytes.TrimLeft(l.in.RawHead(), "\r\n"), []byte{' '})
	return string(line[:min(len(line), len("CONNECT"))])
}

// closeAnswer ends the answer that is coming in.
func (l *ledger) closeAnswer(now time.Time) error {
	f := l.replyTo
	l.replying, l.replyTo = false, nil
	if f == nil {
		return nil
	}
	f.answer.Head = bytes.Clone(l.out.RawHead())
	f.answer.Cut += unkept(l.out)
	f.Response = exchange.ResponseOf(f.answer, l.out.Head())
	f.Response.Interim = f.interim
	f.Response.Malformed = f.Response.Malformed || l.out.Err() != nil
	f.Latency = now.Sub(f.Start)
	f.answered = true
	l.waiting.Add(-1)
	if f == l.open && l.in.State() == wire.Opaque {
		// Where the request ends cannot be told from its bytes, but the API knew: it has answered.
		return l.closeRequest(now)
	}
	return l.deliver()
}

// over is told that no further answer comes. The answer that was coming in is whole where only the end of the
// connection could end it; all requests without an answer have a Fault now.
func (l *ledger) over(e closeReason, now time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.end != nil {
		return nil
	}
	l.end = &e
	l.switched = nil
	if l.streams != nil {
		return l.streams.over(e, now)
	}
	if l.replying && l.replyTo != nil && e.kind == exchange.FaultEOF && l.endsWithConnection() {
		if err := l.closeAnswer(now); err != nil {
			return err
		}
	}
	for _, f := range l.pending {
		if !f.answered {
			l.fail(f, e, now)
			e.told = exchange.Message{} // that was to the first
		}
	}
	return l.deliver()
}

// endsWithConnection reports whether the end of the connection makes the present answer whole.
func (l *ledger) endsWithConnection() bool {
	state := l.out.State()
	return state == wire.UntilClose || state == wire.Opaque && l.out.Status() > 0
}

// fail gives a pending exchange the Fault that e amounts to for it.
func (l *ledger) fail(f *pendingExchange, e closeReason, now time.Time) {
	fault := e.fault()
	if l.replying && l.replyTo == f {
		fault.Seen = f.answer
		fault.Seen.Head = bytes.Clone(l.out.RawHead())
		fault.Seen.Cut += unkept(l.out)
		switch begun := l.out.Begun() && e.kind != exchange.FaultClient; {
		case begun && !bytes.HasPrefix([]byte("HTTP/"), prefix(l.out.RawHead(), 5)):
			fault.Kind = exchange.FaultUnparseable
		case begun && l.out.State() == wire.Opaque && l.out.Status() == 0:
			fault.Kind = exchange.FaultUnparseable
		case begun && e.kind == exchange.FaultEOF:
			fault.Kind = exchange.FaultTruncated
		}
		l.replying, l.replyTo = false, nil
	}
	f.Fault, f.answered = fault, true
	l.waiting.Add(-1)
	f.Latency = now.Sub(f.Start)
}

// prefix returns the first n bytes of a message, blank lines before it left out.
func prefix(head []byte, n int) []byte {
	head = bytes.TrimLeft(head, "\r\n")
	return head[:min(n, len(head))]
}

// settle is told that neither side says any more: what is not complete is given out as it stands.
func (l *ledger) settle(e closeReason, now time.Time) error {
	if err := l.over(e, now); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.streams != nil {
		return l.streams.settle(now)
	}
	f := l.open
	if f == nil {
		return nil
	}
	if f.Request.Head == nil {
		l.readRequest(f)
		f.Request.Malformed = true
	}
	return l.closeRequest(now)
}

// deliver gives out what is complete.
func (l *ledger) deliver() error {
	for len(l.pending) > 0 && l.pending[0].asked && l.pending[0].answered && l.pending[0] != l.switched {
		f := l.pending[0]
		l.pending = append(l.pending[:0], l.pending[1:]...)
		l.bodies.release(f)
		if err := l.note(&f.Exchange); err != nil {
			return err
		}
	}
	if l.quiet() {
		l.idle.Broadcast()
	}
	return nil
}

// forget drops what is under way, but for one exchange.
func (l *ledger) forget(but *pendingExchange) {
	kept := l.pending[:0]
	for _, f := range l.pending {
		if f == but {
			kept = append(kept, f)
			continue
		}
		l.bodies.release(f)
	}
	clear(l.pending[len(kept):])
	l.pending, l.open = kept, nil
}

// quiet reports whether no answer is awaited. It does not wait for a Recorder that is at work.
func (l *ledger) quiet() bool { return l.waiting.Load() == 0 }

// tunneled reports whether what passes is no HTTP/1 any more.
func (l *ledger) tunneled() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.tunnel
}

// await returns once no answer is awaited, and whether more can come.
func (l *ledger) await() (alive bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for !l.quiet() {
		l.idle.Wait()
	}
	return l.end == nil
}

// sequenceHeaders are the headers in which fuzzers name their test cases.
func sequenceHeaders(own []string) []string {
	if len(own) > 0 {
		return own
	}
	return strings.Fields("X-Schemathesis-TestCaseId x-restler-sequence-id")
}
