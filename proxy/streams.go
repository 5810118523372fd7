package proxy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/wire"
)

// streams is the part of a ledger that follows a connection of HTTP/2: each of its streams is an exchange. Nothing is
// read in order to be written out again here either; the frames pass as they are, so that the state that client and
// target share (HPACK, windows, settings) stays theirs. The ledger's lock is held by who calls.
type streams struct {
	l        *ledger
	up, down direction
	pending  map[uint32]*stream // those that have not been given out
	asking   int                // how many of them have requests that are not whole
	last     uint32             // the highest that the client has opened
	preamble []byte             // what the client sent before its first stream
	goAway   string             // why the target wants no more streams; "" where it has not said so
	lost     *lost              // set once the connection cannot be followed any more
}

// direction is one of the two, as far as frames go.
type direction struct {
	greeting string // what is still to come of the preface
	begun    bool   // the first frame has come
	frames   wire.H2Reader
	fields   *wire.FieldDecoder
	block    []byte       // the header block that is coming in
	of       wire.H2Frame // the frame that began it; its Stream is 0 where there is none
}

// stream is an exchange of HTTP/2.
type stream struct {
	*pendingExchange
	tunnel bool // what passes is no body
	heard  bool // the head of the answer has come
}

// lost is what is kept of a connection that cannot be followed.
type lost struct {
	start    time.Time
	why      string
	byTarget bool
	up, down exchange.Message
}

// maxPreamble bounds what is kept of a connection before its first stream, in bytes.
const maxPreamble = 4 << 10

// maxStreams bounds the streams that are open at a time; targets allow a few hundred.
const maxStreams = 1 << 16

// errLost is the reason for which a connection cannot be followed.
type errLost struct{ error }

func newStreams(l *ledger) *streams {
	return &streams{
		l: l, pending: map[uint32]*stream{},
		up:   direction{greeting: wire.Preface, fields: wire.NewFieldDecoder()},
		down: direction{fields: wire.NewFieldDecoder()},
	}
}

// adopt makes an exchange of HTTP/1 that asked for HTTP/2 the first stream (h2c, RFC 7540 §3.2).
func (s *streams) adopt(f *pendingExchange) {
	s.pending[1], s.last = &stream{pendingExchange: f}, 1
}

// asked and answered are told of the next bytes of the client and the target. An error is the Recorder's.
func (s *streams) asked(b []byte, now time.Time) error {
	err := s.feed(&s.up, b, now)
	if s.last == 0 && s.lost == nil {
		s.preamble = append(s.preamble, b[:min(len(b), maxPreamble-len(s.preamble))]...)
	}
	return err
}

func (s *streams) answered(b []byte, now time.Time) error { return s.feed(&s.down, b, now) }

func (s *streams) feed(d *direction, b []byte, now time.Time) error {
	all := b
	if s.lost != nil {
		s.keepLost(d, b)
		return nil
	}
	n := min(len(b), len(d.greeting))
	if string(b[:n]) != d.greeting[:n] {
		return s.lose(d, all, errors.New("the client's preface is another"), now)
	}
	d.greeting, b = d.greeting[n:], b[n:]
	err := d.frames.Feed(b, func(f wire.H2Part) error {
		return s.take(d, f, now)
	})
	var reason errLost
	if errors.As(err, &reason) {
		return s.lose(d, all, reason.error, now)
	}
	return err
}

// lose gives up following the connection, because of what b holds. What passes from here on is kept raw.
func (s *streams) lose(d *direction, b []byte, why error, now time.Time) error {
	s.lost = &lost{start: now, why: "HTTP/2 that cannot be followed: " + why.Error(), byTarget: d == &s.down}
	s.lost.up.Body = bytes.Clone(s.preamble)
	s.keepLost(d, b)
	for _, f := range s.pending {
		if !f.answered {
			s.l.waiting.Add(-1) // nobody can tell when it is answered
		}
	}
	s.l.idle.Broadcast()
	return nil
}

func (s *streams) keepLost(d *direction, b []byte) {
	m := &s.lost.up
	if d == &s.down {
		m = &s.lost.down
	}
	n := min(len(b), max(0, int(min(maxTunnel, s.l.bodies.limit))-len(m.Body)))
	m.Body = append(m.Body, b[:n]...)
	m.Cut += int64(len(b) - n)
}

// take looks at a frame, or a part of one.
func (s *streams) take(d *direction, f wire.H2Part, now time.Time) error {
	switch {
	case !d.begun && f.Type != wire.FrameSettings:
		return errLost{errors.New("it does not begin with settings")}
	case d.of.Stream != 0 && (f.Type != wire.FrameContinuation || f.Stream != d.of.Stream):
		return errLost{errors.New("a header block is broken off")}
	}
	d.begun = true
	switch f.Type {
	case wire.FrameData:
		return s.data(d, f, now)
	case wire.FrameHeaders, wire.FramePush:
		return s.beginHead(d, f, now)
	case wire.FrameContinuation:
		if d.of.Stream == 0 {
			return errLost{errors.New("nothing is continued")}
		}
		d.block = append(d.block, f.Payload...)
		if len(d.block) > maxHeaderBlock {
			return errLost{errors.New("header block without end")}
		}
		if f.Flags&wire.FlagEndHeaders != 0 {
			return s.endHead(d, now)
		}
	case wire.FrameReset:
		return s.reset(d, f.Stream, f.Payload, now)
	case wire.FrameSettings:
		if size, found := wire.TableSize(f.Payload); found && f.Flags&wire.FlagAck == 0 {
			s.other(d).fields.Allow(size)
		}
	case wire.FrameGoAway:
		if d == &s.down && len(f.Payload) >= 8 {
			s.goAway = fmt.Sprintf("the target ends the connection: %s %.200q", code(f.Payload[4:]), f.Payload[8:])
		}
	}
	return nil
}

// maxHeaderBlock bounds, in bytes, a header block as it is sent.
const maxHeaderBlock = 16 << 20

func (s *streams) other(d *direction) *direction {
	if d == &s.up {
		return &s.down
	}
	return &s.up
}

// data keeps what a DATA frame carries.
func (s *streams) data(d *direction, f wire.H2Part, now time.Time) error {
	st := s.pending[f.Stream]
	if st == nil {
		return nil
	}
	m, c, timed := &st.Request.Message, &st.up, st.stream
	if d == &s.down {
		m, c = &st.answer, &st.down
	} else if !st.tunnel {
		timed = exchange.Streamed(st.Request.MediaType())
	}
	switch {
	case len(f.Payload) == 0:
	case st.tunnel:
		keepTunnel(m, f.Payload, s.l.bodies.limit, now.Sub(st.Start))
	default:
		if err := s.l.keepPart(st.pendingExchange, c, m, f.Payload, timed, now); err != nil {
			return err
		}
	}
	if f.Whole && f.Flags&wire.FlagEndStream != 0 {
		return s.ended(d, f.Stream, now)
	}
	return nil
}

// beginHead takes a frame that begins a header block.
func (s *streams) beginHead(d *direction, f wire.H2Part, now time.Time) error {
	block, _, err := wire.HeaderBlock(f.H2Frame, f.Payload)
	if err == nil && f.Stream == 0 {
		err = errors.New("header block of no stream")
	}
	if err != nil {
		return errLost{err}
	}
	d.of, d.block = f.H2Frame, append(d.block[:0], block...)
	if f.Flags&wire.FlagEndHeaders != 0 {
		return s.endHead(d, now)
	}
	return nil
}

// endHead reads a header block that is whole. Requests that the target makes up itself (PUSH_PROMISE) are passed over.
func (s *streams) endHead(d *direction, now time.Time) error {
	of := d.of
	d.of = wire.H2Frame{}
	fields, cut, err := d.fields.Decode(d.block)
	if err == nil && cut {
		err = errors.New("header block unpacks to more than is kept")
	}
	if err != nil {
		return errLost{err}
	}
	if cap(d.block) > largeBuffer {
		d.block = nil
	}
	if of.Type == wire.FramePush {
		return nil
	}
	if d == &s.up {
		err = s.requestHead(of.Stream, fields, now)
	} else {
		s.answerHead(of.Stream, fields)
	}
	if err == nil && of.Flags&wire.FlagEndStream != 0 {
		err = s.ended(d, of.Stream, now)
	}
	return err
}

// requestHead opens a stream, or ends the request of one with trailers.
func (s *streams) requestHead(id uint32, fields wire.Fields, now time.Time) error {
	if st := s.pending[id]; st != nil {
		st.Request.Trailer = wire.FieldLines(fields)
		return nil
	}
	if id <= s.last {
		return nil // of a stream that has ended: the target will say what it thinks of that
	}
	if len(s.pending) >= maxStreams {
		return errLost{errors.New("too many streams")}
	}
	s.last, s.preamble = id, nil
	st := &stream{pendingExchange: &pendingExchange{Exchange: s.l.common}}
	st.Start = now
	st.Request = exchange.ParseRequest(exchange.Message{Head: wire.RequestHead(fields, s.l.common.Scheme)})
	st.tunnel = st.Request.Method == "CONNECT"
	s.l.nameSequence(st.pendingExchange)
	s.pending[id] = st
	s.asking++
	s.l.waiting.Add(1)
	return nil
}

// answerHead takes the head of an answer, an interim one, or trailers.
func (s *streams) answerHead(id uint32, fields wire.Fields) {
	st := s.pending[id]
	if st == nil {
		return
	}
	if st.heard {
		st.answer.Trailer = wire.FieldLines(fields)
		return
	}
	head := wire.ResponseHead(fields)
	r := exchange.ParseResponse(exchange.Message{Head: head})
	if r.Status/100 == 1 {
		if len(st.interim) < maxInterim {
			st.interim = append(st.interim, head...)
		}
		return
	}
	st.heard, st.answer.Head, st.stream = true, head, exchange.Streamed(r.MediaType())
	st.tunnel = st.tunnel && r.Status/100 == 2
}

// ended is told that one side of a stream says no more.
func (s *streams) ended(d *direction, id uint32, now time.Time) error {
	st := s.pending[id]
	switch {
	case st == nil:
		return nil
	case d == &s.up:
		s.whole(st)
		if s.l.end != nil && !st.answered {
			s.fail(st, *s.l.end, now)
		}
	case !st.answered:
		st.Response = exchange.ParseResponse(st.answer)
		st.Response.Interim = st.interim
		s.settled(st, now)
	}
	return s.deliver(id)
}

// whole notes that no more of a request comes.
func (s *streams) whole(st *stream) {
	if !st.asked {
		st.asked = true
		s.asking--
	}
}

// settled notes that a stream has all of its answer, or a fault.
func (s *streams) settled(st *stream, now time.Time) {
	st.Latency, st.answered = now.Sub(st.Start), true
	if s.lost == nil {
		s.l.waiting.Add(-1)
	}
}

// deliver gives a stream out if it is complete.
func (s *streams) deliver(id uint32) error {
	st := s.pending[id]
	if !st.asked || !st.answered {
		return nil
	}
	delete(s.pending, id)
	s.l.bodies.release(st.pendingExchange)
	err := s.l.note(&st.Exchange)
	if s.l.quiet() {
		s.l.idle.Broadcast()
	}
	return err
}

// reset is told that one side has broken a stream off. A target may do so behind its answer, in order to get no more of
// the request (RFC 9113 §8.1).
func (s *streams) reset(d *direction, id uint32, payload []byte, now time.Time) error {
	st := s.pending[id]
	if st == nil || len(payload) != 4 {
		return nil
	}
	if !st.answered {
		e := closeReason{kind: exchange.FaultReset, text: "the target reset the stream: " + code(payload)}
		if d == &s.up {
			e = closeReason{kind: exchange.FaultClient, text: "the client reset the stream: " + code(payload)}
		}
		s.fail(st, e, now)
	}
	s.whole(st)
	return s.deliver(id)
}

// fail gives a stream the fault that e amounts to for it.
func (s *streams) fail(st *stream, e closeReason, now time.Time) {
	st.Fault = &exchange.Fault{Kind: e.kind, Text: e.text, Seen: st.answer, Told: e.told}
	if e.kind == exchange.FaultEOF {
		if st.heard {
			st.Fault.Kind = exchange.FaultTruncated
		}
		if s.goAway != "" {
			st.Fault.Text = s.goAway
		}
	}
	s.settled(st, now)
}

// over is told that no further answer comes.
func (s *streams) over(e closeReason, now time.Time) error {
	if s.lost != nil {
		e = closeReason{kind: exchange.FaultUnparseable, text: s.lost.why}
	}
	for _, id := range slices.Sorted(maps.Keys(s.pending)) {
		st := s.pending[id]
		if !st.answered {
			s.fail(st, e, now)
			e.told = exchange.Message{} // that was to the first
			if s.lost != nil && s.lost.byTarget {
				st.Fault.Seen.Body, s.lost.down.Body = append(st.Fault.Seen.Body, s.lost.down.Body...), nil
			}
		}
		if err := s.deliver(id); err != nil {
			return err
		}
	}
	return nil
}

// settle is told that neither side says any more.
func (s *streams) settle(now time.Time) error {
	for _, id := range slices.Sorted(maps.Keys(s.pending)) {
		s.whole(s.pending[id])
		if err := s.deliver(id); err != nil {
			return err
		}
	}
	k := s.lost
	if k == nil || len(k.up.Body)+len(k.down.Body) == 0 {
		return nil
	}
	// What could not be read is one exchange without a head, which makes it malformed.
	s.lost = &lost{}
	e := s.l.common
	e.Start, e.Latency = k.start, now.Sub(k.start)
	e.Request = exchange.ParseRequest(k.up)
	e.Fault = &exchange.Fault{Kind: exchange.FaultUnparseable, Text: k.why, Seen: k.down}
	return s.l.note(&e)
}

// receiving reports whether a request is under way, or may be: the first comes right after the preface.
func (s *streams) receiving() bool {
	return s.lost == nil && (s.asking > 0 || s.last == 0)
}

// code names the error code that a frame begins with (RFC 9113 §7).
func code(b []byte) string {
	names := []string{
		"NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
		"FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
		"INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
	}
	n := binary.BigEndian.Uint32(b)
	if n < uint32(len(names)) {
		return names[n]
	}
	return fmt.Sprintf("error %d", n)
}

// speaksHTTP2 reports whether bytes begin as a connection of HTTP/2 does. yet says that too few have come to tell.
func speaksHTTP2(b []byte) (yes, yet bool) {
	first := wire.Preface[:len(wire.Preface)-len("SM\r\n\r\n")]
	n := min(len(b), len(first))
	same := bytes.Equal(b[:n], []byte(first[:n]))
	return same && n == len(first), same && n < len(first)
}
