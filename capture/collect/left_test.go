package collect

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash/crc32"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/flaketap/flaketap/capture/ship"
	"github.com/flaketap/flaketap/capture/ship/block"
	"github.com/flaketap/flaketap/internal/console"
)

// add adds a block of a recorder, whatever it is.
func (m *memory) add(t *testing.T, recorder string, next ship.Mark, data []byte) {
	t.Helper()
	if _, err := m.Append(t.Context(), recorder, m.last(recorder), next, data); err != nil {
		t.Fatal(err)
	}
}

// changed returns a block with another header, as it is changed as a JSON object: what a newer flaketap, or a hostile
// one, may send.
func changed(t *testing.T, data []byte, change func(header map[string]any)) []byte {
	t.Helper()
	dec, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dec.Close()
	content, err := dec.DecodeAll(data[6:], nil)
	if err != nil {
		t.Fatal(err)
	}
	n, size := binary.Uvarint(content)
	var header map[string]any
	if err := json.Unmarshal(content[size:size+int(n)], &header); err != nil {
		t.Fatal(err)
	}
	change(header)
	head, err := json.Marshal(header)
	if err != nil {
		t.Fatal(err)
	}
	enc, err := zstd.NewWriter(nil, zstd.WithSingleSegment(true))
	if err != nil {
		t.Fatal(err)
	}
	content = append(append(binary.AppendUvarint(nil, uint64(len(head))), head...), content[size+int(n):]...)
	content = enc.EncodeAll(content, nil)
	sum := crc32.Checksum(content, crc32.MakeTable(crc32.Castagnoli))
	return append(binary.BigEndian.AppendUint32([]byte{data[0], data[1]}, sum), content...)
}

// What one recorder sent that cannot be read concerns that recorder alone: what comes before it, and all of the others,
// is collected, and it is told whose it is and what to do. Once it can be read the rest comes, too.
func TestLeft(t *testing.T) {
	for what, c := range map[string]struct {
		spoil        func(h *memory, good kept)
		says, advice string
	}{
		"a later format": {func(h *memory, good kept) {
			data := bytes.Clone(good.data)
			data[0] = block.Format + 1
			h.blocks = append(h.blocks, kept{good.recorder, good.mark, data})
		}, "of flaketap 9.8.7: block has format 2, this flaketap reads up to 1", "update this one"},
		"garbage": {func(h *memory, good kept) {
			h.blocks = append(h.blocks, kept{good.recorder, good.mark, []byte("\x01\x00garbage")})
		}, "block is damaged", "under another NAME"},
		"headers that lie": {func(h *memory, good kept) {
			good.mark.Through = 99
			h.blocks = append(h.blocks, good)
		}, "do not say how far it goes", "under another NAME"},
		"headers that cannot be read": {func(h *memory, good kept) {
			good.mark = ship.Mark{Position: good.mark.Position, Damaged: true}
			h.blocks = append(h.blocks, good)
		}, "do not say how far it goes", "under another NAME"},
	} {
		hub := &memory{pieces: map[string][]byte{}}
		bad, good := newFile(0), newFile(1)
		bad.begin(0)
		bad.record("/1", "{}")
		send(t, bad, hub, nil)
		bad.record("/2", "{}")
		send(t, bad, hub, nil)
		last := hub.blocks[len(hub.blocks)-1]
		hub.blocks = hub.blocks[:len(hub.blocks)-1]
		sound := last
		last.mark.Version = "9.8.7"
		c.spoil(hub, last)
		good.begin(1)
		good.record("/3", "{}")
		send(t, good, hub, nil)
		path := filepath.Join(t.TempDir(), "all.db")
		for range 2 { // the second time there is a file
			got, err := Collect(t.Context(), Options{Hub: hub, DB: path})
			if err != nil || got.Recorders != 2 || got.Exchanges < 2 {
				t.Fatalf("%s: %+v, %v", what, got, err)
			}
			err = got.Err()
			if err == nil || !strings.Contains(err.Error(), "recorder "+last.recorder) || !strings.Contains(err.Error(), c.says) ||
				!strings.Contains(console.Advice(err), c.advice) {
				t.Errorf("%s: %v; %s", what, err, console.Advice(err))
			}
		}
		for i, b := range hub.blocks {
			if b.mark.Position == sound.mark.Position {
				hub.blocks[i] = sound
			}
		}
		got, err := Collect(t.Context(), Options{Hub: hub, DB: path})
		if err != nil || got.Err() != nil || got.Exchanges != 3 || got.Missing != 0 || len(read(t, path).Exchanges) != 3 {
			t.Errorf("%s, mended: %+v, %v", what, got, err)
		}
	}
}

// A recorder of which nothing can be read is named, and is in no file's way.
func TestNothingOfOneRecorder(t *testing.T) {
	hub, _ := sentOnce(t)
	hub.add(t, "evil\x1b[2J", ship.Mark{Through: 1}, []byte("\x01\x00garbage"))
	hub.add(t, "worse", ship.Mark{Through: 1}, []byte("\x07\x00later"))
	path := filepath.Join(t.TempDir(), "all.db")
	got, err := Collect(t.Context(), Options{Hub: hub, DB: path})
	if err != nil || got.Exchanges != 1 || len(got.Left) != 2 {
		t.Fatalf("%+v, %v", got, err)
	}
	if told := got.Err().Error(); !strings.Contains(told, "evil?[2J") || !strings.Contains(told, "worse") ||
		!strings.Contains(told, "under another NAME") || !strings.Contains(told, "update this one") {
		t.Errorf("it says %q", told)
	}
}

// A body whose piece is not there stops its recorder before the exchange, and the file goes exactly so far.
func TestPieceGone(t *testing.T) {
	hub, f := &memory{pieces: map[string][]byte{}}, newFile(0)
	f.begin(0)
	f.record("/1", "{}")
	f.record("/2", strings.Repeat("x", 100_000))
	f.record("/3", "{}")
	send(t, f, hub, nil)
	pieces := hub.pieces
	hub.pieces = map[string][]byte{}
	path := filepath.Join(t.TempDir(), "all.db")
	got, err := Collect(t.Context(), Options{Hub: hub, DB: path})
	if err != nil || got.Exchanges != 1 || got.Missing != 0 || got.Err() == nil || !strings.Contains(got.Err().Error(), "exchange 2: get a piece") {
		t.Errorf("%+v, %v", got, err)
	}
	hub.pieces = pieces
	got, err = Collect(t.Context(), Options{Hub: hub, DB: path})
	if err != nil || got.Exchanges != 3 || got.Missing != 0 || got.Err() != nil {
		t.Errorf("with the piece: %+v, %v", got, err)
	}
	all := read(t, path)
	if body := all.Exchanges[1].Response.Body; len(all.Exchanges) != 3 || len(body) != 100_000 {
		t.Errorf("%d exchanges, with a body of %d bytes", len(all.Exchanges), len(body))
	}
}

// A newer flaketap may say more of a block and of its pass: an older one collects it, and knows the next time that it
// has it.
func TestNewerWithinTheFormat(t *testing.T) {
	hub, f := sentOnce(t)
	hub.terms.Seed = strings.Repeat("00", 32)
	b := &hub.blocks[0]
	b.data = changed(t, b.data, func(header map[string]any) {
		header["weather"] = "fair"
		pass := header["pass"].(map[string]any)
		pass["climate"] = map[string]any{"zone": "Cfb"}
		raw, err := json.Marshal(pass)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(raw)
		b.mark.State = hex.EncodeToString(sum[:6]) // as the newer one makes it, of all that it knows
	})
	path := filepath.Join(t.TempDir(), "all.db")
	got, err := Collect(t.Context(), Options{Hub: hub, DB: path})
	if err != nil || got.New != 1 || got.Err() != nil {
		t.Fatalf("%+v, %v", got, err)
	}
	before := read(t, path)
	hub.blocks[0].data = nil // it is not read again
	if got, err = Collect(t.Context(), Options{Hub: hub, DB: path}); err != nil || got.New != 0 || got.Err() != nil {
		t.Errorf("the second time: %+v, %v", got, err)
	}
	if p := before.Passes[0]; p.Label != f.rec.Passes[0].Label {
		t.Errorf("the pass is %+v", p)
	}
}

// Recorders and a collector that speak different formats refuse each other, and say who is older.
func TestOtherTerms(t *testing.T) {
	for format, want := range map[int]string{ship.Format + 1: "are newer", ship.Format - 1: "are older"} {
		hub, _ := sentOnce(t)
		hub.terms.Format = format
		if _, err := Collect(t.Context(), Options{Hub: hub, DB: filepath.Join(t.TempDir(), "all.db")}); err == nil ||
			!strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "update") {
			t.Errorf("format %d: %v", format, err)
		}
	}
}

// What fails on this side leaves no recorder: it is the collection that fails, and the file stays as it was.
func TestNetworkIsNoRecordersFault(t *testing.T) {
	hub, f := &memory{pieces: map[string][]byte{}}, newFile(0)
	f.begin(0)
	f.record("/1", strings.Repeat("x", 100_000))
	send(t, f, hub, nil)
	if c, err := Collect(t.Context(), Options{Hub: broken{hub}, DB: filepath.Join(t.TempDir(), "all.db")}); !errors.Is(err, errNetwork) {
		t.Errorf("%+v, %v", c, err)
	}
}

// broken is a hub that is away when a piece is asked for.
type broken struct{ *memory }

func (broken) Piece(context.Context, string) ([]byte, error) { return nil, errNetwork }
