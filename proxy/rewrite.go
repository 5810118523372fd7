package proxy

import (
	"bytes"
	"sync"
	"sync/atomic"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/wire"
)

// Rewriter puts other messages in the place of those that pass. It is asked about each request and each answer of
// HTTP/1 once all of it is there; nothing of it has gone on by then. Both methods are called from several goroutines at
// once.
//
// What cannot be had whole passes as it comes, and the Rewriter does not hear of it: messages of more than 16 MiB,
// server-sent events and other streams ([exchange.Streamed]), what cannot be read, requests that a client sends while
// it waits to change the protocol, all of HTTP/2 and of what follows such a change, and the answers to requests that
// passed so. Interim answers (1xx) pass at once.
//
// The [Recorder] gets what the API got and gave.
type Rewriter interface {
	// Request is given a request as the client sent it, and returns the whole message to send in its stead, head and
	// body; nil sends it as it is. The method is to stay. e belongs to the Rewriter; Seq, Pass and Latency are not set.
	Request(e *exchange.Exchange) []byte
	// Response is given the same exchange with the API's answer to it, and returns the whole message to give the client
	// in its stead; nil gives it as it is. It is not called where no whole answer comes.
	Response(e *exchange.Exchange) []byte
}

// maxHeld bounds, in bytes, the message that is held until it is whole.
const maxHeld = 16 << 20

// continues is what a client is told that wants to hear of its head before it sends a body (RFC 9110 §10.1.1): nobody
// else can tell it while the head is held.
const continues = "HTTP/1.1 100 Continue\r\n\r\n"

// rewriting holds the messages of a link until they are whole, for a Rewriter. What the client sends is for one
// goroutine, what the target answers for another. It does no I/O.
type rewriting struct {
	by       Rewriter
	common   exchange.Exchange
	sequence []string // the headers that name a test case
	in, out  holding
	pending  atomic.Bool // a request has begun and is not whole

	mu      sync.Mutex
	awaited []*turn // what has gone on and has no answer yet that the client was given
	tunnel  bool    // the protocol has changed
}

// holding is the message that is under way in one direction.
type holding struct {
	framer *wire.Framer
	held   []byte // of the message, what has not gone on
	turn   *turn  // that it belongs to; nil for an answer that nobody asked for
	begun  bool
	raw    bool // it passes as it comes
	read   bool // its head has been looked at
}

// turn is a request with its answer.
type turn struct {
	exchange.Exchange
	method  string // "" while it is not known
	raw     bool   // the request passed as it came
	sent    bool   // it is on its way; its answer may have come since
	change  bool   // it asks for another protocol
	told    bool   // the client was told to continue, and is not to be told again
	interim []byte
}

func newRewriting(by Rewriter, common exchange.Exchange, sequence []string) *rewriting {
	return &rewriting{
		by: by, common: common, sequence: sequence,
		in:  holding{framer: wire.NewRequestFramer()},
		out: holding{framer: wire.NewResponseFramer("")},
	}
}

// rewritingOf returns what rewrites the messages of a link to d; nil where nothing does.
func (s *session) rewritingOf(d destination) *rewriting {
	p := s.p
	if p.Rewriter == nil || s.http2 || p.leavesOut(d) || p.Control != "" && sameAuthority(d.addr, p.Control) {
		return nil
	}
	common := exchange.Exchange{Conn: s.id, Target: d.name, Scheme: d.scheme, Addr: d.addr}
	return newRewriting(p.Rewriter, common, sequenceHeaders(p.SequenceHeaders))
}

// take returns what is held, which has gone on thereby.
func (h *holding) take() []byte {
	b := h.held
	h.held = nil
	return b
}

// reset makes ready for the next message.
func (h *holding) reset(method string) {
	h.framer.Reset(method)
	*h = holding{framer: h.framer, held: h.held}
}

// message returns the message that is held, which is whole.
func (h *holding) message() exchange.Message {
	n := h.framer.HeadSize()
	return exchange.Message{Head: h.held[:n:n], Body: h.held[n:]}
}

// unreadable reports whether a head that has ended tells that its message cannot be had whole, or not be read.
func (h *holding) unreadable() bool {
	f := h.framer
	return f.Err() != nil || f.State() == wire.Opaque || f.HeadSize() > int64(len(f.RawHead())) ||
		exchange.Streamed(exchange.MediaType(f.Head().Fields.Get("Content-Type")))
}

// asked is given bytes of the client's. It returns how many belong to the present request, what goes on to the target,
// and what the client is to be told at once.
func (r *rewriting) asked(b []byte, now time.Time) (n int, on []byte, say string) {
	in := &r.in
	if in.framer.State() == wire.Opaque && !r.isAwaited(in.turn) {
		in.reset("") // the target has told where that request ended, by answering
	}
	n, state := in.framer.Feed(b)
	in.held = append(in.held, b[:n]...)
	if !in.begun {
		if !in.framer.Begun() {
			return n, nil, "" // blank lines between requests; they go with the next
		}
		in.begun, in.turn = true, &turn{Exchange: r.common}
		in.turn.Start, in.raw = now, r.changing()
		r.pending.Store(true)
	}
	if state != wire.InHead && !in.read {
		in.read = true
		say = r.readRequest()
	}
	in.raw = in.raw || state == wire.Opaque || len(in.held) > maxHeld
	switch {
	case in.raw:
		on = in.take()
		r.awaitRaw(in.turn)
	case state == wire.Done:
		on = r.request()
		r.await(in.turn)
	}
	if state == wire.Done {
		r.pending.Store(false)
		in.reset("")
	}
	return n, on, say
}

// readRequest looks at the head of a request. It returns what the client must be told before it sends the body.
func (r *rewriting) readRequest() (say string) {
	in := &r.in
	head := in.framer.Head()
	method, _, _, _ := wire.RequestLine(head.Line)
	r.mu.Lock()
	defer r.mu.Unlock()
	in.turn.method = method
	in.turn.change = method == "CONNECT" || head.Fields.Has("Upgrade")
	in.raw = in.raw || method == "CONNECT" || in.unreadable()
	if in.raw || in.framer.State() != wire.InBody || !head.Fields.HasToken("Expect", "100-continue") {
		return ""
	}
	if len(r.awaited) > 0 { // it would be told within the answer to what it asked before
		in.raw = true
		return ""
	}
	in.turn.told = true
	return continues
}

// request asks the Rewriter for what goes on in the place of the request that is held.
func (r *rewriting) request() []byte {
	in := &r.in
	e := &in.turn.Exchange
	e.Request = exchange.RequestOf(in.message(), in.framer.Head())
	for _, name := range r.sequence {
		if e.Sequence = e.Request.Header.Get(name); e.Sequence != "" {
			break
		}
	}
	on := r.by.Request(e)
	if on == nil {
		on = in.held
	}
	in.held = nil
	return on
}

// awaitRaw is await of a request that goes on as it is, and so will its answer.
func (r *rewriting) awaitRaw(t *turn) {
	r.mu.Lock()
	t.raw = true
	r.mu.Unlock()
	r.await(t)
}

// await notes that a request is on its way, or a part of it.
func (r *rewriting) await(t *turn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !t.sent {
		t.sent = true
		r.awaited = append(r.awaited, t)
	}
}

func (r *rewriting) isAwaited(t *turn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range r.awaited {
		if a == t {
			return true
		}
	}
	return false
}

// changing reports whether a change of protocol was asked for and not answered: what follows may be of another one.
func (r *rewriting) changing() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range r.awaited {
		if t.change {
			return true
		}
	}
	return false
}

// tunneled reports whether the protocol has changed.
func (r *rewriting) tunneled() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tunnel
}

// answered is given bytes of the target's. It returns how many belong to the present answer, what goes on to the
// client, and whether the answer is whole with it; [rewriting.given] is to be told then, once the client has it.
func (r *rewriting) answered(b []byte) (n int, on []byte, whole bool) {
	out := &r.out
	if !out.begun {
		r.beginAnswer()
	}
	n, state := out.framer.Feed(b)
	out.held = append(out.held, b[:n]...)
	if state != wire.InHead && !out.read {
		out.read = true
		out.raw = out.raw || out.unreadable()
		r.noteChange()
	}
	switch {
	case state == wire.Done && out.framer.Interim():
		return n, r.interim(), false
	case out.raw, len(out.held) > maxHeld:
		out.raw = true
		on = out.take()
	case state == wire.Done:
		on = r.response()
	}
	return n, on, state == wire.Done
}

// beginAnswer finds out what is answered.
func (r *rewriting) beginAnswer() {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := &r.out
	method := ""
	var t *turn
	if len(r.awaited) > 0 {
		t = r.awaited[0]
		method = t.method
	}
	out.reset(method)
	out.begun, out.turn, out.raw = true, t, t == nil || t.raw
}

// noteChange notes that an answer ends HTTP/1 on the connection.
func (r *rewriting) noteChange() {
	r.mu.Lock()
	defer r.mu.Unlock()
	status := r.out.framer.Status()
	connected := r.out.turn != nil && r.out.turn.method == "CONNECT" && status/100 == 2
	r.tunnel = r.tunnel || status == 101 || connected
}

// interim returns the interim answer that is held, and makes ready for the one that follows.
func (r *rewriting) interim() []byte {
	out := &r.out
	on, t, status := out.take(), out.turn, out.framer.Status()
	if t != nil {
		if len(t.interim) < maxInterim {
			t.interim = append(t.interim, on...)
		}
		if t.told && status == 100 {
			t.told, on = false, nil
		}
	}
	out.begun = false
	return on
}

// response asks the Rewriter for what goes on in the place of the answer that is held.
func (r *rewriting) response() []byte {
	out := &r.out
	e := &out.turn.Exchange
	e.Response = exchange.ResponseOf(out.message(), out.framer.Head())
	e.Response.Interim = out.turn.interim
	on := r.by.Response(e)
	if on == nil {
		on = out.held
	}
	out.held = nil
	return on
}

// given is told that the client has the answer that was whole.
func (r *rewriting) given() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.out.turn != nil && len(r.awaited) > 0 && r.awaited[0] == r.out.turn {
		r.awaited = r.awaited[1:]
	}
	r.out.begun, r.out.turn = false, nil
}

// ended is told that no more comes of the target, and returns what is to go on to the client before that is passed on.
// clean says that the stream was not broken off: it makes the answer whole that ends with it.
func (r *rewriting) ended(clean bool) []byte {
	out := &r.out
	if clean && !out.raw && out.begun && out.framer.State() == wire.UntilClose {
		return r.response()
	}
	return out.take()
}

// rewriteRequest passes bytes of the client on by way of the Rewriter.
func (k *link) rewriteRequest(b []byte) bool {
	r := k.rewriting
	for len(b) > 0 {
		if r.tunneled() {
			return k.forward(append(r.in.take(), b...))
		}
		n, on, say := r.asked(b, time.Now())
		if b = b[n:]; say != "" {
			_, _ = k.client.Write([]byte(say)) // a client that is gone is found to be when it is read from
		}
		if len(on) > 0 && !k.forward(on) {
			return false
		}
	}
	return true
}

// rewriteAnswer gives the client what the Rewriter makes of bytes of the target's.
func (k *link) rewriteAnswer(b []byte) error {
	r := k.rewriting
	for len(b) > 0 {
		if r.tunneled() {
			_, err := k.client.Write(append(r.out.take(), b...))
			return err
		}
		n, on, whole := r.answered(b)
		b = b[n:]
		if len(on) > 0 {
			if _, err := k.client.Write(on); err != nil {
				return err
			}
		}
		if whole {
			r.given()
		}
	}
	return nil
}

// letGoRequest passes on what is held of a request that will not be whole.
func (k *link) letGoRequest() {
	if k.rewriting == nil {
		return
	}
	if b := k.rewriting.in.take(); len(bytes.TrimLeft(b, "\r\n")) > 0 {
		k.forward(b)
	}
}

// letGoAnswer gives the client what is held of an answer when no more of it comes.
func (k *link) letGoAnswer(clean bool) {
	if k.rewriting == nil {
		return
	}
	if b := k.rewriting.ended(clean); len(b) > 0 {
		_, _ = k.client.Write(b)
	}
}

// quiet reports whether nothing is under way.
func (k *link) quiet() bool {
	return k.ledger.quiet() && (k.rewriting == nil || !k.rewriting.pending.Load())
}

// pending counts the requests that have no answer yet.
func (k *link) pending() int64 {
	n := int64(k.ledger.waiting.Load())
	if k.rewriting != nil && k.rewriting.pending.Load() {
		n = max(n, 1)
	}
	return n
}
