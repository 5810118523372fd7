package proxy

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"pgregory.net/rapid"
)

// shelf is a Keeper in memory. It has room for so many pieces, then none for one, and then room again.
type shelf struct {
	pieces [][]byte
	room   int // pieces
	err    error
}

func (s *shelf) Keep(piece []byte) (exchange.Part, error) {
	if s.err != nil || len(s.pieces) == s.room {
		s.room = -1
		return exchange.Part{}, s.err
	}
	s.pieces = append(s.pieces, piece)
	return exchange.Part{Number: uint64(len(s.pieces)), Size: len(piece)}, nil
}

// body puts a body together again.
func (s *shelf) body(m exchange.Message) []byte {
	var b []byte
	for _, part := range m.Parts {
		b = append(b, s.pieces[part.Number-1]...)
	}
	return append(b, m.Body...)
}

// TestBodiesInPieces passes large bodies in reads of any size, with and without a limit, room and other bodies under
// way, and sees that what is kept is the beginning of each, in pieces of one size while nothing presses, that the rest
// is counted, and that nothing is held in the end.
func TestBodiesInPieces(t *testing.T) {
	source := bytes.Repeat([]byte("0123456789abcdef"), exchange.PieceSize/4)
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SampledFrom([]int{0, 1, 5000, exchange.PieceSize - 1, exchange.PieceSize, exchange.PieceSize + 1, 3*exchange.PieceSize + 7})
		request, answer := source[:sizes.Draw(t, "request")], source[:sizes.Draw(t, "answer")]
		limit := rapid.SampledFrom([]int{-1, 1, 100_000, exchange.PieceSize, 2*exchange.PieceSize + 1, 1 << 30}).Draw(t, "limit")
		others := rapid.SampledFrom([]int64{0, underway}).Draw(t, "others")
		room := rapid.SampledFrom([]int{1000, 1000, 2, 0}).Draw(t, "room")
		keeper := &shelf{room: room}
		k := &bodies{limit: int64(limit), keeper: keeper}
		k.held.Store(others)
		var got *exchange.Exchange
		l := newLedger(exchange.Exchange{}, nil, k, func(e *exchange.Exchange) error { got = e; return nil })
		feed := func(to func([]byte, time.Time) error, message []byte) {
			for len(message) > 0 {
				n := min(len(message), rapid.IntRange(1, largeBuffer).Draw(t, "read"))
				if err := to(message[:n], time.Now()); err != nil {
					t.Fatal(err)
				}
				if held, most := k.held.Load()-others, int64(2*exchange.PieceSize+smallBody); held > most || others > 0 && held > 0 {
					t.Fatalf("%d bytes are held", held)
				}
				message = message[n:]
			}
		}
		feed(l.asked, append(fmt.Appendf(nil, "POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n", len(request)), request...))
		feed(l.answered, append(fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", len(answer)), answer...))
		for i, m := range []exchange.Message{got.Request.Message, got.Response.Message} {
			sent := [][]byte{request, answer}[i]
			kept := keeper.body(m)
			if !bytes.HasPrefix(sent, kept) || int64(len(kept))+m.Cut != int64(len(sent)) {
				t.Fatalf("of %d bytes %d are kept, and %d said to be cut", len(sent), len(kept), m.Cut)
			}
			if room == 1000 && len(kept) != max(0, min(len(sent), limit)) {
				t.Fatalf("of %d bytes %d are kept with a limit of %d", len(sent), len(kept), limit)
			}
			for _, part := range m.Parts {
				if others == 0 && part.Size != exchange.PieceSize {
					t.Fatalf("a piece has %d bytes", part.Size)
				}
			}
		}
		if held := k.held.Load(); held != others {
			t.Fatalf("%d bytes are held in the end", held-others)
		}
	})
}

// TestBodiesForgotten sees that what goes over to another protocol lets go of what was held.
func TestBodiesForgotten(t *testing.T) {
	for _, answer := range []string{"", "HTTP/1.1 101 Go\r\nUpgrade: x\r\n\r\nwhat follows"} {
		k := &bodies{limit: 1 << 20}
		l := newLedger(exchange.Exchange{}, nil, k, func(*exchange.Exchange) error { return nil })
		now := time.Now()
		err := l.asked([]byte("GET / HTTP/1.1\r\nUpgrade: x\r\n\r\nPOST / HTTP/1.1\r\nContent-Length: 10\r\n\r\nabc"), now)
		if answer == "" {
			err = errors.Join(err, l.asked([]byte(strings.Repeat("x", 7)+"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), now))
		} else {
			err = errors.Join(err, l.answered([]byte(answer), now))
		}
		if err != nil || !l.tunnel {
			t.Fatalf("no tunnel: %v", err)
		}
		if err := l.settle(closeReason{}, now); err != nil {
			t.Fatal(err)
		}
		if held := k.held.Load(); held != 0 {
			t.Errorf("after %q %d bytes are held", answer, held)
		}
	}
}

func TestKeeperFails(t *testing.T) {
	broken := errors.New("disk is gone")
	l := newLedger(exchange.Exchange{}, nil, &bodies{limit: 1 << 20, keeper: &shelf{err: broken}}, nil)
	head := fmt.Sprintf("POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n", exchange.PieceSize)
	if err := l.asked(append([]byte(head), make([]byte, exchange.PieceSize)...), time.Now()); !errors.Is(err, broken) {
		t.Errorf("asked = %v", err)
	}
}
