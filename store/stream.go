package store

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/flaketap/flaketap/exchange"
)

// appendStream appends what few messages have, and sets the flags, at the index at, that say so.
func appendStream(b []byte, at int, m *exchange.Message) []byte {
	if len(m.Trailer) > 0 {
		b[at] |= flagTrailer
		b = appendBytes(b, m.Trailer)
	}
	if len(m.Tunnel) > 0 {
		b[at] |= flagTunnel
		b = appendBytes(b, m.Tunnel)
	}
	if len(m.Marks) == 0 {
		return b
	}
	b[at] |= flagMarks
	b = binary.AppendUvarint(b, uint64(len(m.Marks)))
	var last exchange.Mark
	for _, mark := range m.Marks {
		b = binary.AppendVarint(b, mark.End-last.End)
		b = binary.AppendVarint(b, int64(mark.At-last.At))
		last = mark
	}
	return b
}

// stream reads what appendStream wrote.
func (d *decoder) stream(flags byte, m *exchange.Message) {
	part := func(flag byte, what string) []byte {
		if flags&flag == 0 {
			return nil
		}
		b := d.bytes()
		if len(b) == 0 {
			d.fail(what + " of no bytes")
		}
		return b
	}
	m.Trailer = part(flagTrailer, "a trailer")
	m.Tunnel = part(flagTunnel, "a tunnel")
	if flags&flagMarks == 0 {
		return
	}
	n := d.bounded(math.MaxInt32)
	if n == 0 {
		d.fail("marks, but none")
	}
	var last exchange.Mark
	for range n {
		last.End += d.varint()
		last.At += time.Duration(d.varint())
		if d.err != nil {
			return
		}
		m.Marks = append(m.Marks, last)
	}
}

// streamSize returns about how many bytes of memory it takes.
func streamSize(m *exchange.Message) int { return len(m.Trailer) + len(m.Tunnel) + 16*len(m.Marks) }
