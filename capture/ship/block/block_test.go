package block

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/flaketap/flaketap/exchange"
)

// shelf keeps pieces in memory.
type shelf map[string][]byte

func (s shelf) keep(name string, piece []byte) error {
	s[name] = slices.Clone(piece)
	return nil
}

func (s shelf) get(name string) ([]byte, error) {
	piece, ok := s[name]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return piece, nil
}

// whole gets the pieces of bodies, and puts these together.
func whole(c *Codec, b *Block, get Get) error {
	for _, e := range b.Exchanges {
		for _, m := range Messages(e) {
			var body []byte
			for _, part := range m.Parts {
				piece, err := c.Piece(b, part, get)
				if err != nil {
					return err
				}
				body = append(body, piece...)
			}
			m.Body, m.Parts = append(body, m.Body...), nil
		}
	}
	b.Pieces = nil
	return nil
}

// decoded reads a block with its bodies.
func decoded(c *Codec, data []byte, get Get) (*Block, error) {
	b, err := c.Decode(data, get)
	if err == nil {
		err = whole(c, b, get)
	}
	return b, err
}

// same holds two blocks against each other; finding where large ones differ takes long.
func same(t interface{ Errorf(string, ...any) }, want, got *Block) {
	if state := StateOf(want.Pass); got.State != state {
		t.Errorf("the state is %q, want %q", got.State, state)
	}
	got.State = ""
	if !reflect.DeepEqual(want, got) {
		t.Errorf("block changed (-want +got):\n%s", gocmp.Diff(want, got))
	}
}

func newCodec(t testing.TB) *Codec {
	c, err := NewCodec()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// answered is an exchange with a body.
func answered(seq uint64, body string) *exchange.Exchange {
	e := &exchange.Exchange{Seq: seq, Pass: 2, Scheme: "http", Addr: "127.0.0.1:80", Target: "default",
		Start: time.Unix(1_700_000_000+int64(seq), 0).UTC(), Latency: time.Millisecond}
	e.Request = exchange.ParseRequest(exchange.Message{Head: []byte("GET /orders HTTP/1.1\r\nHost: a\r\n\r\n")})
	answer := exchange.Message{Head: fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", len(body))}
	if body != "" {
		answer.Body = []byte(body)
	}
	e.Response = exchange.ParseResponse(answer)
	return e
}

func faulty(seq uint64) *exchange.Exchange {
	e := answered(seq, "")
	e.Response = nil
	e.Fault = &exchange.Fault{Kind: exchange.FaultReset, Text: "reset", Told: exchange.Message{
		Head: []byte("HTTP/1.1 502 Bad Gateway\r\n\r\n"), Body: []byte(strings.Repeat("told ", 5000))}}
	return e
}

// What is decoded is what was encoded, whatever the sizes of bodies, and a block of the same exchanges has the same
// bytes.
func TestRoundTrip(t *testing.T) {
	c := newCodec(t)
	rapid.Check(t, func(t *rapid.T) {
		b := &Block{Machine: "build-7", Pass: exchange.Pass{Number: 2, Label: "nightly"}, After: 10}
		seq, size := b.After, 0
		for range rapid.IntRange(0, 5).Draw(t, "count") {
			seq += uint64(rapid.IntRange(1, 3).Draw(t, "step"))
			e := faulty(seq)
			if n := rapid.SampledFrom([]int{-1, 0, 100, inlineBytes, inlineBytes + 1, exchange.PieceSize + 1}).Draw(t, "body"); n >= 0 {
				e = answered(seq, strings.Repeat("x", n))
			}
			if size += Size(e); size-Size(e) >= MaxBytes {
				break
			}
			b.Exchanges = append(b.Exchanges, e)
		}
		b.Through = seq
		kept := shelf{}
		data, err := c.Encode(b, kept.keep)
		if err != nil {
			t.Fatal(err)
		}
		again, err := c.Encode(b, shelf{}.keep)
		if err != nil || string(again) != string(data) {
			t.Errorf("a second encoding differs: %v", err)
		}
		got, err := decoded(c, data, kept.get)
		if err != nil {
			t.Fatal(err)
		}
		same(t, b, got)
	})
}

// Equal bodies travel once, and a block that no message takes travels in pieces.
func TestPieces(t *testing.T) {
	c := newCodec(t)
	body := strings.Repeat("0123456789abcdef", 4<<10)
	kept, given := shelf{}, 0
	small := &Block{Pass: exchange.Pass{Number: 2}, Through: 2, Exchanges: []*exchange.Exchange{answered(1, body), answered(2, body)}}
	if _, err := c.Encode(small, func(name string, piece []byte) error {
		given++
		return kept.keep(name, piece)
	}); err != nil {
		t.Fatal(err)
	}
	if given != 1 || len(kept) != 1 {
		t.Errorf("of one content %d pieces were given away, %d of them kept", given, len(kept))
	}

	e := answered(1, "")
	e.Request.Tunnel = incompressible(2 * messageMost)
	large := &Block{Pass: exchange.Pass{Number: 2}, Through: 1, Exchanges: []*exchange.Exchange{e}}
	kept = shelf{}
	data, err := c.Encode(large, kept.keep)
	if err != nil {
		t.Fatal(err)
	}
	if len(data) > 1000 || len(kept) < 4 {
		t.Errorf("the message has %d bytes, with %d pieces", len(data), len(kept))
	}
	got, err := decoded(c, data, kept.get)
	if err != nil {
		t.Fatal(err)
	}
	same(t, large, got)
	for name := range maps.Clone(kept) {
		other := maps.Clone(kept)
		other[name] = c.enc.EncodeAll([]byte("another"), nil)
		if _, err := decoded(c, data, other.get); err == nil {
			t.Error("a piece of another content was taken")
		}
		delete(other, name)
		if _, err := decoded(c, data, other.get); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("without a piece: %v", err)
		}
	}
}

// A block whose pieces cannot be had is not damaged.
func TestPieceAway(t *testing.T) {
	c := newCodec(t)
	body := answered(1, strings.Repeat("b", 2*inlineBytes))
	whole := answered(1, "")
	whole.Request.Tunnel = incompressible(2 * messageMost)
	away := errors.New("the network is away")
	for what, e := range map[string]*exchange.Exchange{"of a body": body, "of a block": whole} {
		data, err := c.Encode(&Block{Pass: exchange.Pass{Number: 2}, Through: 1, Exchanges: []*exchange.Exchange{e}}, shelf{}.keep)
		if err != nil {
			t.Fatal(err)
		}
		_, err = decoded(c, data, func(string) ([]byte, error) { return nil, away })
		if !errors.Is(err, away) || errors.Is(err, ErrDamaged) {
			t.Errorf("a piece %s: %v", what, err)
		}
	}
}

// incompressible is bytes that no packer makes smaller.
func incompressible(n int) []byte {
	out, state := make([]byte, n), uint64(1)
	for i := range out {
		state = state*6364136223846793005 + 1442695040888963407
		out[i] = byte(state >> 56)
	}
	return out
}

// A block that was damaged on its way, contradicts itself, or is of a later format is refused.
func TestRefused(t *testing.T) {
	c := newCodec(t)
	encode := func(change func(*Block)) []byte {
		b := &Block{Pass: exchange.Pass{Number: 2}, After: 4, Through: 6,
			Exchanges: []*exchange.Exchange{answered(5, "a"), answered(6, "b")}}
		change(b)
		data, err := c.Encode(b, shelf{}.keep)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	sound := encode(func(*Block) {})
	if _, err := decoded(c, sound, shelf{}.get); err != nil {
		t.Fatal(err)
	}
	for n := range sound {
		if _, err := decoded(c, sound[:n], shelf{}.get); err == nil {
			t.Errorf("%d of %d bytes were taken", n, len(sound))
		}
		changed := slices.Clone(sound)
		changed[n] ^= 0x10
		if _, err := decoded(c, changed, shelf{}.get); err == nil {
			t.Errorf("a change of byte %d was not noticed", n)
		}
	}
	later := slices.Clone(sound)
	later[0] = Format + 1
	if _, err := decoded(c, later, shelf{}.get); !errors.Is(err, ErrNewer) {
		t.Errorf("a later format gives %v", err)
	}
	for what, change := range map[string]func(*Block){
		"ends before its beginning": func(b *Block) { b.Through = 3 },
		"more than its positions":   func(b *Block) { b.Through = 5 },
		"begins behind an exchange": func(b *Block) { b.After = 5 },
		"another pass":              func(b *Block) { b.Pass.Number = 1 },
		"not in order":              func(b *Block) { slices.Reverse(b.Exchanges) },
		"too much for one": func(b *Block) {
			b.Exchanges[0] = answered(5, strings.Repeat("x", MaxBytes))
		},
	} {
		kept := shelf{}
		b := &Block{Pass: exchange.Pass{Number: 2}, After: 4, Through: 6,
			Exchanges: []*exchange.Exchange{answered(5, "a"), answered(6, "b")}}
		change(b)
		data, err := c.Encode(b, kept.keep)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := decoded(c, data, kept.get); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// FuzzDecode: whatever comes over the network is an error or a block that holds together; it never panics.
func FuzzDecode(f *testing.F) {
	c := newCodec(f)
	kept := shelf{}
	for _, b := range []*Block{
		{Pass: exchange.Pass{Number: 2}, Through: 2, Exchanges: []*exchange.Exchange{answered(1, "a"), faulty(2)}},
		{Pass: exchange.Pass{Number: 2}, After: 7, Through: 7},
		{Pass: exchange.Pass{Number: 2}, Through: 1, Exchanges: []*exchange.Exchange{answered(1, strings.Repeat("b", 2*inlineBytes))}},
	} {
		data, err := c.Encode(b, kept.keep)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data[headSize:], byte(kindWhole))
		content, err := c.unpack(data[headSize:], contentMost)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content, byte(2))
	}
	f.Add(make([]byte, 64), byte(kindPieces))
	f.Fuzz(func(t *testing.T, content []byte, kind byte) {
		if kind == 2 { // behind the packing, where random bytes do not get by themselves
			content, kind = c.enc.EncodeAll(content, nil), kindWhole
		}
		b, err := decoded(c, sealed(kind, content), kept.get)
		if err != nil {
			return
		}
		if _, err := c.Encode(b, shelf{}.keep); err != nil {
			t.Errorf("what was decoded cannot be encoded: %v", err)
		}
	})
}
