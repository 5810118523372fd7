package redact

import (
	"encoding/binary"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/wire"
)

// webSocket redacts the frames of a WebSocket. They lose their masks, so that the key of each is zero; one that is
// packed cannot be looked into without those before it, and stays as it is.
func (r shower) webSocket(m *exchange.Message) {
	old, ends := m.Tunnel, markEnds(m.Marks)
	pieces := wire.WebSocket(old)
	data := r.frames(pieces)
	var out []byte
	at, to := 0, make([]int, 0, len(ends))
	for i, p := range pieces {
		from := len(out)
		if p.Flags&packedBits != 0 {
			out = append(out, old[at:p.End]...)
		} else {
			out = appendFrame(out, p.Flags, old[at+1]&0x80 != 0, data[i])
		}
		for len(to) < len(ends) && ends[len(to)] <= p.End {
			end := len(out)
			if ends[len(to)] < p.End {
				end = min(end, from+ends[len(to)]-at)
			}
			to = append(to, end)
		}
		at = p.End
	}
	rest := old[at:] // a frame that was cut
	if len(rest) > 1 && rest[1]&0x80 != 0 {
		m.Cut += int64(len(rest)) // its mask hides what is in it
	} else {
		out = append(out, r.masked(rest, r.Secrets)...)
	}
	for len(to) < len(ends) {
		to = append(to, len(out))
	}
	m.Tunnel, m.Marks = out, moved(m.Marks, to)
}

// The bits of a frame's first byte: that it is packed, that it is the last of its message, what it is.
const (
	packedBits = 0x70
	finBit     = 0x80
	opcodeBits = 0x0f
	textFrame  = 1
	closeFrame = 8 // the first of those that may stand between the frames of a message
)

// messages returns which frames belong together.
func messages(pieces []wire.Piece) [][]int {
	var out [][]int
	var open []int
	for i, p := range pieces {
		switch {
		case p.Flags&packedBits != 0:
		case p.Flags&opcodeBits >= closeFrame:
			out = append(out, []int{i})
		default:
			if open = append(open, i); p.Flags&finBit != 0 {
				out, open = append(out, open), nil
			}
		}
	}
	if len(open) > 0 {
		out = append(out, open)
	}
	return out
}

// joined returns the data of frames that belong together.
func joined(pieces []wire.Piece, message []int) []byte {
	var all []byte
	for _, i := range message {
		all = append(all, pieces[i].Data...)
	}
	return all
}

// frames redacts the data of frames. A message of several, or of bytes that are no text, stays as long as it is.
func (r shower) frames(pieces []wire.Piece) [][]byte {
	out := make([][]byte, len(pieces))
	for _, message := range messages(pieces) {
		if i := message[0]; len(message) == 1 && pieces[i].Flags == finBit|textFrame {
			out[i] = r.body("", pieces[i].Data)
			continue
		}
		all := r.masked(joined(pieces, message), r.Secrets)
		for _, i := range message {
			n := len(pieces[i].Data)
			out[i], all = all[:n], all[n:]
		}
	}
	return out
}

// appendFrame writes a frame (RFC 6455 §5.2), its mask, where it must have one, without effect.
func appendFrame(b []byte, flags byte, masked bool, data []byte) []byte {
	var bit byte
	if masked {
		bit = 0x80
	}
	b = append(b, flags)
	switch n := len(data); {
	case n < 126:
		b = append(b, bit|byte(n))
	case n < 1<<16:
		b = binary.BigEndian.AppendUint16(append(b, bit|126), uint16(n))
	default:
		b = binary.BigEndian.AppendUint64(append(b, bit|127), uint64(n))
	}
	if masked {
		b = append(b, 0, 0, 0, 0)
	}
	return append(b, data...)
}
