package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/flaketap/flaketap/exchange"
)

// maxRecord bounds, in bytes, what one exchange or observation may hold.
const maxRecord = 512 << 20

// MaxBody bounds, in bytes, what can be stored of one body.
const MaxBody = 512 << 20

// What stands before the outcome of a record.
const (
	outcomeResponse = 1
	outcomeFault    = 2
	outcomeTold     = 3 // a fault of which the client was told by flaketap's own answer

	// What stands before the outcome of an observation that was looked at again.
	settlingOpen = 4 // it did not settle
	settlingDone = 5 // it settled
	settlingPast = 6 // it was further than the recording
	settlingEnd  = 7 // it settled, and what it answered then follows
)

// The flags of a message. The other bits are free; a reader refuses those that it does not know.
const (
	flagPlain   = 1  // the body is the payload itself
	flagParts   = 2  // the first pieces of its body are stored apart
	flagTrailer = 4  // it has a trailer
	flagTunnel  = 8  // it has a tunnel
	flagMarks   = 16 // it has marks
)

// checkOutcome makes sure that exactly one of the two is there: the codec has no form for anything else.
func checkOutcome(r *exchange.Response, f *exchange.Fault) error {
	switch {
	case r == nil && f == nil:
		return errors.New("neither a response nor a fault")
	case r != nil && f != nil:
		return errors.New("both a response and a fault")
	}
	return nil
}

// AppendExchange appends the record of an exchange, which has exactly one of Response and Fault; FORMAT.md
// describes it. Parsed views are not in it: they are made again on reading, so that a better parser mends old
// recordings too.
func AppendExchange(b []byte, e *exchange.Exchange) []byte {
	b = binary.AppendUvarint(b, e.Seq)
	b = binary.AppendUvarint(b, uint64(e.Pass))
	b = binary.AppendUvarint(b, e.Conn)
	b = appendBytes(b, e.Sequence)
	b = appendBytes(b, e.Target)
	b = appendBytes(b, e.Scheme)
	b = appendBytes(b, e.Addr)
	b = appendTimes(b, e.Start, e.Latency)
	b = appendMessage(b, &e.Request.Message)
	return appendOutcome(b, e.Response, e.Fault)
}

// DecodeExchange reads what [AppendExchange] wrote. The exchange keeps parts of b. The pieces of its bodies are not
// looked for: that is the business of whoever has them.
func DecodeExchange(b []byte) (*exchange.Exchange, error) {
	d := decoder{b: b}
	e := d.exchange()
	if err := d.end(); err != nil {
		return nil, fmt.Errorf("read exchange: %w", err)
	}
	return e, nil
}

func (d *decoder) exchange() *exchange.Exchange {
	e := &exchange.Exchange{
		Seq:      d.uvarint(),
		Pass:     int(d.bounded(math.MaxInt32)),
		Conn:     d.uvarint(),
		Sequence: string(d.bytes()),
		Target:   string(d.bytes()),
		Scheme:   string(d.bytes()),
		Addr:     string(d.bytes()),
	}
	e.Start, e.Latency = d.times()
	e.Request = exchange.ParseRequest(d.message())
	e.Response, e.Fault = d.outcome()
	return e
}

// AppendObservation appends the record of an observation, as [AppendExchange] does. Its run is not in it: where it is
// kept says that.
func AppendObservation(b []byte, o *exchange.Observation) []byte {
	b = binary.AppendUvarint(b, o.Seq)
	b = appendTimes(b, o.Start, o.Latency)
	b = appendMessage(b, &o.Sent.Message)
	if s := o.Settling; s != nil {
		b = appendSettling(b, s)
	}
	return appendOutcome(b, o.Response, o.Fault)
}

func appendSettling(b []byte, s *exchange.Settling) []byte {
	kind := byte(settlingOpen)
	switch {
	case s.Early:
		kind = settlingPast
	case s.Settled && s.End != nil && len(s.End.Body) <= inlineBytes:
		kind = settlingEnd
	case s.Settled:
		kind = settlingDone
	}
	b = binary.AppendUvarint(append(b, kind), uint64(max(s.After, 0)))
	b = binary.AppendUvarint(b, uint64(max(s.Looks, 0)))
	if kind == settlingEnd {
		b = appendMessage(appendBytes(b, s.End.Interim), &s.End.Message)
	}
	return b
}

// DecodeObservation reads what [AppendObservation] wrote, as an observation of a run. It keeps parts of b.
func DecodeObservation(b []byte, run int) (*exchange.Observation, error) {
	d := decoder{b: b}
	o := &exchange.Observation{Run: run, Seq: d.uvarint()}
	o.Start, o.Latency = d.times()
	o.Sent = exchange.ParseRequest(d.message())
	o.Settling = d.settling()
	o.Response, o.Fault = d.outcome()
	if err := d.end(); err != nil {
		return nil, fmt.Errorf("read observation: %w", err)
	}
	return o, nil
}

func appendBytes[T string | []byte](b []byte, s T) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}

func appendTimes(b []byte, start time.Time, latency time.Duration) []byte {
	b = binary.AppendVarint(b, start.Unix())
	b = binary.AppendUvarint(b, uint64(start.Nanosecond()))
	return binary.AppendVarint(b, int64(latency))
}

func appendMessage(b []byte, m *exchange.Message) []byte {
	var flags byte
	if m.Plain {
		flags |= flagPlain
	}
	if len(m.Parts) > 0 {
		flags |= flagParts
	}
	at := len(b)
	b = append(b, flags)
	b = appendBytes(b, m.Head)
	if len(m.Parts) > 0 {
		b = binary.AppendUvarint(b, uint64(len(m.Parts)))
		for _, part := range m.Parts {
			b = binary.AppendUvarint(binary.AppendUvarint(b, part.Number), uint64(part.Size))
		}
	}
	b = appendBytes(b, m.Body)
	b = binary.AppendVarint(b, m.Cut)
	return appendStream(b, at, m)
}

func appendOutcome(b []byte, r *exchange.Response, f *exchange.Fault) []byte {
	if r != nil {
		b = append(b, outcomeResponse)
		b = appendBytes(b, r.Interim)
		return appendMessage(b, &r.Message)
	}
	told := len(f.Told.Head) > 0
	if told {
		b = append(b, outcomeTold)
	} else {
		b = append(b, outcomeFault)
	}
	b = appendBytes(b, string(f.Kind))
	b = appendBytes(b, f.Text)
	b = appendMessage(b, &f.Seen)
	if told {
		b = appendMessage(b, &f.Told)
	}
	return b
}

// exchangeSize returns about how many bytes an exchange takes, in memory and in its record; observationSize likewise.
func exchangeSize(e *exchange.Exchange) int {
	return recordOverhead + len(e.Sequence) + messageSize(&e.Request.Message) + outcomeSize(e.Response, e.Fault)
}

func observationSize(o *exchange.Observation) int {
	size := recordOverhead + messageSize(&o.Sent.Message) + outcomeSize(o.Response, o.Fault)
	if s := o.Settling; s != nil && s.End != nil {
		size += outcomeSize(s.End, nil)
	}
	return size
}

// recordOverhead is what a record takes beside its messages, roughly and at least.
const recordOverhead = 512

func messageSize(m *exchange.Message) int {
	return len(m.Head) + 8*len(m.Parts) + len(m.Body) + streamSize(m)
}

func outcomeSize(r *exchange.Response, f *exchange.Fault) int {
	if r != nil {
		return len(r.Interim) + messageSize(&r.Message)
	}
	return len(f.Text) + messageSize(&f.Seen)
}

// decoder reads a record from front to back. The first thing that it cannot read stops it; everything after that is
// zero, so that callers check once, with end. It is strict: every value has one form only.
type decoder struct {
	b   []byte
	err error
}

func (d *decoder) fail(what string) {
	if d.err == nil {
		d.err = fmt.Errorf("%w: %s", ErrDamaged, what)
	}
	d.b = nil
}

// end returns the first error, or one where bytes are left over.
func (d *decoder) end() error {
	if d.err == nil && len(d.b) > 0 {
		d.fail("bytes after the end of a record")
	}
	return d.err
}

func (d *decoder) byte() byte {
	if len(d.b) == 0 {
		d.fail("record ends early")
		return 0
	}
	c := d.b[0]
	d.b = d.b[1:]
	return c
}

func (d *decoder) uvarint() uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 || n > 1 && d.b[n-1] == 0 {
		d.fail("number cannot be read")
		return 0
	}
	d.b = d.b[n:]
	return v
}

// varint undoes the zigzag form of binary.AppendVarint.
func (d *decoder) varint() int64 {
	u := d.uvarint()
	v := int64(u >> 1)
	if u&1 != 0 {
		v = ^v
	}
	return v
}

func (d *decoder) bounded(limit uint64) uint64 {
	v := d.uvarint()
	if v > limit {
		d.fail(fmt.Sprintf("number %d is larger than %d", v, limit))
		return 0
	}
	return v
}

// bytes returns a part of the record, nil where it is empty.
func (d *decoder) bytes() []byte {
	n := d.uvarint()
	if n > uint64(len(d.b)) {
		d.fail("record ends early")
		return nil
	}
	if n == 0 {
		return nil
	}
	s := d.b[:n:n]
	d.b = d.b[n:]
	return s
}

func (d *decoder) times() (start time.Time, latency time.Duration) {
	sec := d.varint()
	nsec := d.bounded(999_999_999)
	return time.Unix(sec, int64(nsec)).UTC(), time.Duration(d.varint())
}

func (d *decoder) message() exchange.Message {
	flags := d.byte()
	if flags&^(flagPlain|flagParts|flagTrailer|flagTunnel|flagMarks) != 0 {
		d.fail(fmt.Sprintf("unknown message flags %#x", flags))
	}
	m := exchange.Message{Plain: flags&flagPlain != 0, Head: d.bytes()}
	if flags&flagParts != 0 {
		m.Parts = d.parts()
	}
	m.Body, m.Cut = d.bytes(), d.varint()
	d.stream(flags, &m)
	return m
}

// parts reads which pieces of a body are stored apart: one at least.
func (d *decoder) parts() []exchange.Part {
	n, total := d.bounded(MaxBody), 0
	if n == 0 {
		d.fail("a body of no pieces")
	}
	var parts []exchange.Part
	for range n {
		part := exchange.Part{Number: d.uvarint(), Size: int(d.bounded(exchange.PieceSize))}
		if total += part.Size; part.Size == 0 || total > MaxBody {
			d.fail("pieces of a body have an impossible size")
		}
		if d.err != nil {
			return nil
		}
		parts = append(parts, part)
	}
	return parts
}

// settling reads how an observation went on, nil where nothing is said of it.
func (d *decoder) settling() *exchange.Settling {
	if len(d.b) == 0 || d.b[0] < settlingOpen || d.b[0] > settlingEnd {
		return nil
	}
	kind := d.byte()
	s := &exchange.Settling{
		Settled: kind == settlingDone || kind == settlingEnd,
		Early:   kind == settlingPast,
		After:   time.Duration(d.bounded(math.MaxInt64)),
		Looks:   int(d.bounded(math.MaxInt32)),
	}
	if kind == settlingEnd {
		if s.End = d.response(); len(s.End.Parts) > 0 || len(s.End.Body) > inlineBytes {
			d.fail("what a read answered in the end is too large")
		}
	}
	return s
}

// response reads interim answers and the message behind them.
func (d *decoder) response() *exchange.Response {
	interim := d.bytes()
	r := exchange.ParseResponse(d.message())
	r.Interim = interim
	return r
}

func (d *decoder) outcome() (*exchange.Response, *exchange.Fault) {
	switch kind := d.byte(); kind {
	case outcomeResponse:
		return d.response(), nil
	case outcomeFault:
		return nil, &exchange.Fault{Kind: exchange.FaultKind(d.bytes()), Text: string(d.bytes()), Seen: d.message()}
	case outcomeTold:
		f := &exchange.Fault{Kind: exchange.FaultKind(d.bytes()), Text: string(d.bytes()), Seen: d.message(),
			Told: d.message()}
		if len(f.Told.Head) == 0 {
			d.fail("an answer of our own without a head")
		}
		return nil, f
	default:
		d.fail(fmt.Sprintf("unknown outcome %d", kind))
		return nil, nil
	}
}
