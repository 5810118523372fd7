package proxy

import (
	"sync/atomic"

	"github.com/flaketap/flaketap/exchange"
)

// Keeper takes large bodies in pieces while they are under way, so that nobody holds them whole. Keep is called from
// several goroutines at once and may wait; while it does, the connection whose body it is stands still, and no other.
// The piece belongs to it. The zero Part says that it has no room: what follows of that body is not kept either. An
// error stops the proxy as one of Record does.
type Keeper interface {
	Keep(piece []byte) (exchange.Part, error)
}

// underway bounds, in bytes, what is held of the bodies of all connections together. Beyond it each connection hands
// over what it holds as it comes, however small: none waits for another one to let go of something, so that none can
// wait for ever.
const underway = 8 << 20

// bodies is where the ledgers of a proxy keep the bodies that are under way.
type bodies struct {
	limit  int64  // how many bytes of a body are kept
	keeper Keeper // nil where the Recorder takes whole bodies
	held   atomic.Int64
}

// capture is what is known of a body that is under way, beside what its message holds.
type capture struct {
	kept int64 // bytes so far, those handed over included
	held int64 // the memory that those take which were not handed over
	full bool  // nothing more is kept
}

// keep adds bytes to the body of a message, up to the limit.
func (k *bodies) keep(c *capture, m *exchange.Message, b []byte) error {
	if len(b) == 0 {
		return nil
	}
	n := max(0, min(int64(len(b)), k.limit-c.kept))
	if c.full {
		n = 0
	}
	m.Cut += int64(len(b)) - n
	for b = b[:n]; len(b) > 0; {
		take := len(b)
		if k.keeper != nil {
			take = min(take, exchange.PieceSize-len(m.Body))
			if k.held.Load() > underway {
				take = min(take, smallBody)
			}
		}
		m.Body = append(k.room(m.Body, take), b[:take]...)
		b = b[take:]
		more := int64(cap(m.Body)) - c.held
		c.kept, c.held = c.kept+int64(take), c.held+more
		if total := k.held.Add(more); k.keeper == nil || len(m.Body) < exchange.PieceSize && total <= underway {
			continue
		}
		if err := k.handOver(c, m); err != nil {
			return err
		}
		if c.full {
			m.Cut += int64(len(b))
			return nil
		}
	}
	return nil
}

// smallBody is up to which size a body grows step by step; larger ones get the room of a quarter of a piece, and then
// of a whole one, at once, if there is so much. Where there is not, bodies are handed over in steps of this size.
const smallBody = 16 << 10

// room returns a body with room for n more bytes, or leaves that to append.
func (k *bodies) room(body []byte, n int) []byte {
	need := len(body) + n
	if k.keeper != nil && len(body) > 0 && need > max(cap(body), smallBody) && k.held.Load() < underway/2 {
		size := exchange.PieceSize
		if need <= size/4 {
			size /= 4
		}
		return append(make([]byte, 0, size), body...)
	}
	return body
}

// handOver gives what a message holds of its body to the keeper.
func (k *bodies) handOver(c *capture, m *exchange.Message) error {
	part, err := k.keeper.Keep(m.Body)
	if err != nil {
		return err
	}
	if part.Size == 0 {
		c.full = true
		m.Cut += int64(len(m.Body))
	} else {
		m.Parts = append(m.Parts, part)
	}
	m.Body = nil
	k.held.Add(-c.held)
	c.held = 0
	return nil
}

// release is told that the messages of a pending exchange are held by nobody here any more.
func (k *bodies) release(f *pendingExchange) {
	k.held.Add(-f.up.held - f.down.held)
	f.up.held, f.down.held = 0, 0
}
