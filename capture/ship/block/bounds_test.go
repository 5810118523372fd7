package block

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/store"
)

// allocated is how many bytes a function allocates in all, those that it lets go of included.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// hostile is a block of one record that is none of ours.
func hostile(c *Codec, head string, records []byte) []byte {
	content := append(binary.AppendUvarint(nil, uint64(len(head))), head...)
	return sealed(kindWhole, c.enc.EncodeAll(append(content, records...), nil))
}

// What a few bytes unpack to has a bound, whatever they say, and the bodies that they name take no memory before they
// are asked for, piece by piece.
func TestSmallBlocksStaySmall(t *testing.T) {
	c := newCodec(t)
	const one = `{"pass":{"number":2},"after":0,"through":1,"count":1,"pieces":["aa"]}`
	huge := answered(1, "")
	for range store.MaxBody / exchange.PieceSize {
		huge.Response.Parts = append(huge.Response.Parts, exchange.Part{Number: 1, Size: exchange.PieceSize})
	}
	record := store.AppendExchange(nil, huge)
	bodies := hostile(c, one, append(binary.AppendUvarint(nil, uint64(len(record))), record...))
	lines := answered(1, "")
	lines.Request.Head = []byte("GET / HTTP/1.1\r\n" + strings.Repeat("a:\n", (contentMost-1000)/3))
	lineRecord := store.AppendExchange(nil, lines)
	fields := hostile(c, one, append(binary.AppendUvarint(nil, uint64(len(lineRecord))), lineRecord...))
	for what, block := range map[string]struct {
		data []byte
		want error
		most uint64
	}{
		"zeros without end":         {sealed(kindWhole, c.enc.EncodeAll(make([]byte, 2*contentMost), nil)), ErrDamaged, 1 << 20},
		"a head without end":        {hostile(c, strings.Repeat(" ", contentMost-100), nil), ErrDamaged, 64 << 20},
		"fields without end":        {fields, nil, 400 << 20},
		"secrets without end":       {hostile(c, `{"pass":{"number":2,"secrets":[""`+strings.Repeat(`,""`, (contentMost-1000)/3)+`]}}`, nil), ErrDamaged, 64 << 20},
		"a body of half a gigabyte": {bodies, nil, 1 << 20},
	} {
		if len(block.data) > 64<<10 {
			t.Errorf("%s is a block of %d bytes, which proves nothing", what, len(block.data))
		}
		took := allocated(func() {
			if _, err := c.Decode(block.data, shelf{}.get); !errors.Is(err, block.want) {
				t.Errorf("%s: %v, want %v", what, err, block.want)
			}
		})
		if took > block.most {
			t.Errorf("%s: %d bytes of a block took %d bytes of memory, want %d at most", what, len(block.data), took, block.most)
		}
	}
	again := c.enc.EncodeAll(make([]byte, contentMost), nil)
	if _, err := c.Decode(sealed(kindWhole, append(again, again...)), shelf{}.get); !errors.Is(err, ErrDamaged) {
		t.Errorf("a frame behind a frame: %v", err)
	}
}

// All that a recorder records fits, whatever its bodies, and what would make a block that nobody takes does not.
func TestFits(t *testing.T) {
	c := newCodec(t)
	most := answered(1, strings.Repeat("b", 3<<20))
	most.Request.Tunnel, most.Response.Tunnel = incompressible(4<<20), incompressible(4<<20) // as much as package proxy keeps
	most.Response.Interim = incompressible(1 << 20)
	most.Request.Head = append(most.Request.Head, incompressible(1<<20)...)
	b := &Block{Pass: exchange.Pass{Number: 2}, Through: 1, Exchanges: []*exchange.Exchange{most}}
	kept := shelf{}
	data, err := c.Encode(b, kept.keep)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Decode(data, kept.get); err != nil || !Fits(most) {
		t.Errorf("it fits: %v, and decodes with %v", Fits(most), err)
	}
	if !Fits(answered(1, strings.Repeat("b", exchangeMost+inlineBytes))) {
		t.Error("a large body, which travels apart, does not fit")
	}
	most.Request.Tunnel = make([]byte, exchangeMost)
	if Fits(most) {
		t.Error("what is larger than a block fits")
	}
}

// A block that an earlier version of flaketap wrote is read as ever. The file is never written anew: where this test
// fails, the form changed, and Format has to rise.
func TestBlockOfFormat1(t *testing.T) {
	c := newCodec(t)
	data, err := os.ReadFile(filepath.Join("testdata", "format1"))
	if err != nil {
		t.Fatal(err)
	}
	piece, err := os.ReadFile(filepath.Join("testdata", "format1.piece"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := decoded(c, data, func(string) ([]byte, error) { return piece, nil })
	if err != nil {
		t.Fatal(err)
	}
	same(t, format1(), got)
	written, err := c.Encode(format1(), shelf{}.keep)
	if err != nil {
		t.Fatal(err)
	}
	was, werr := c.unpack(data[headSize:], contentMost)
	is, err := c.unpack(written[headSize:], contentMost)
	if err = errors.Join(err, werr); err != nil || string(was) != string(is) || data[0] != written[0] {
		t.Errorf("it is written in another form, %v:\n%q\nwas\n%q", err, is, was)
	}
}

// format1 is what stands in testdata/format1.
func format1() *Block {
	return &Block{Machine: "build-7", Pass: exchange.Pass{Number: 2, Label: "nightly", Start: exchange.StartFresh}, After: 3, Through: 6,
		Exchanges: []*exchange.Exchange{answered(4, `{"id":7}`), answered(6, strings.Repeat("0123456789", 2000))}}
}
