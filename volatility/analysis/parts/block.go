package parts

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/volatility"
	"github.com/flaketap/flaketap/volatility/across"
)

// appendPiece appends a piece to a block: its events, the operation, and the step, as records of the store.
func appendPiece(b []byte, p volatility.Piece) []byte {
	b = binary.AppendUvarint(b, uint64(len(p.Events)))
	for _, e := range p.Events {
		b = append(b, byte(e.Kind))
		b = binary.AppendVarint(b, int64(e.Run))
		b = binary.AppendUvarint(b, uint64(e.Number))
		b = appendText(appendText(b, e.Name), e.Text)
		b = binary.AppendVarint(b, e.At.Unix())
		b = binary.AppendUvarint(b, uint64(e.At.Nanosecond()))
	}
	if p.Step.Exchange == nil {
		return append(b, 0)
	}
	b = append(b, 1)
	b = appendText(appendText(appendText(b, p.Operation.Host), p.Operation.Method), p.Operation.Template)
	b = appendText(b, store.AppendExchange(nil, p.Step.Exchange))
	told := 0
	for _, o := range p.Step.Observations {
		if tells(o) {
			told++
		}
	}
	b = binary.AppendUvarint(b, uint64(told))
	for _, o := range p.Step.Observations {
		if tells(o) {
			b = binary.AppendUvarint(b, uint64(o.Run))
			b = appendText(b, store.AppendObservation(nil, o))
		}
	}
	return b
}

// tells reports whether an observation is one.
func tells(o *exchange.Observation) bool { return o != nil && (o.Response != nil || o.Fault != nil) }

func appendText[T string | []byte](b []byte, s T) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// errCut is a block that is none.
var errCut = errors.New("read block: it ends early, or holds what nobody wrote")

// reader takes a block apart. Its first error stays.
type reader struct {
	rest []byte
	err  error
}

func (r *reader) uvarint() uint64 { return read(r, binary.Uvarint) }
func (r *reader) varint() int64   { return read(r, binary.Varint) }

// read takes off what a function reads, and how many bytes that says it took.
func read[T uint64 | int64](r *reader, by func([]byte) (T, int)) T {
	n, size := by(r.rest)
	if size <= 0 {
		r.fail()
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

func (r *reader) octet() byte {
	if len(r.rest) == 0 {
		r.fail()
		return 0
	}
	c := r.rest[0]
	r.rest = r.rest[1:]
	return c
}

func (r *reader) bytes() []byte {
	n := r.uvarint()
	if n > uint64(len(r.rest)) {
		r.fail()
		return nil
	}
	b := r.rest[:n:n]
	r.rest = r.rest[n:]
	return b
}

func (r *reader) text() string { return string(r.bytes()) }

// small reads a number of things, each of which takes a byte at least.
func (r *reader) small() int {
	n := r.uvarint()
	if n > uint64(len(r.rest)) {
		r.fail()
		return 0
	}
	return int(n)
}

// number reads a number that names something.
func (r *reader) number() int {
	n := r.uvarint()
	if n > math.MaxInt32 {
		r.fail()
		return 0
	}
	return int(n)
}

func (r *reader) fail() {
	if r.err == nil {
		r.err = errCut
	}
	r.rest = nil
}

// piece reads what appendPiece wrote. What it returns keeps parts of the block.
func (r *reader) piece() (p volatility.Piece, err error) {
	for range r.small() {
		e := across.Event{Kind: across.Kind(r.octet())}
		run := r.varint()
		if run > math.MaxInt32 || run < math.MinInt32 {
			r.fail()
		}
		e.Run, e.Number, e.Name, e.Text = int(run), r.number(), r.text(), r.text()
		sec, nsec := r.varint(), r.uvarint()
		if nsec >= uint64(time.Second) {
			r.fail()
		}
		if r.err != nil {
			return p, r.err
		}
		if e.At = time.Unix(sec, int64(nsec)).UTC(); sec == (time.Time{}).Unix() && nsec == 0 {
			e.At = time.Time{}
		}
		p.Events = append(p.Events, e)
	}
	if r.octet() == 0 {
		return p, r.err
	}
	p.Operation = exchange.Operation{Host: r.text(), Method: r.text(), Template: r.text()}
	recorded := r.bytes()
	if r.err != nil {
		return p, r.err
	}
	if p.Step.Exchange, err = store.DecodeExchange(recorded); err != nil {
		return p, err
	}
	for range r.small() {
		run, content := r.number(), r.bytes()
		if r.err != nil {
			return p, r.err
		}
		o, err := store.DecodeObservation(content, run)
		if err != nil {
			return p, fmt.Errorf("exchange %d: %w", p.Step.Exchange.Seq, err)
		}
		p.Step.Observations = append(p.Step.Observations, o)
	}
	return p, r.err
}
