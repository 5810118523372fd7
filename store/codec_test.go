package store

import (
	"bytes"
	"cmp"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"

	"github.com/flaketap/flaketap/exchange"
)

func TestExchangeRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawnExchange().Draw(t, "exchange")
		raw := AppendExchange(nil, want)
		got, err := DecodeExchange(raw)
		if err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("exchange changed (-want +got):\n%s", diff)
		}
	})
}

func TestObservationRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := drawnExchange().Draw(t, "exchange")
		want := &exchange.Observation{Run: 3, Seq: e.Seq, Start: e.Start, Latency: e.Latency, Sent: e.Request, Response: e.Response, Fault: e.Fault}
		if rapid.Bool().Draw(t, "asked again") {
			want.Settling = &exchange.Settling{
				Settled: rapid.Bool().Draw(t, "settled"),
				Early:   rapid.Bool().Draw(t, "early"),
				After:   time.Duration(rapid.Int64Min(0).Draw(t, "after")), Looks: rapid.IntRange(0, 100).Draw(t, "looks"),
			}
		}
		if s := want.Settling; s != nil && s.Early {
			s.Settled = false // it is one or the other
		}
		if s := want.Settling; s != nil && s.Settled && rapid.Bool().Draw(t, "kept") {
			s.End = drawnExchange().Filter(func(e *exchange.Exchange) bool {
				return e.Response != nil && len(e.Response.Parts) == 0 && len(e.Response.Body) <= inlineBytes
			}).Draw(t, "end").Response
		}
		got, err := DecodeObservation(AppendObservation(nil, want), 3)
		if err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("observation changed (-want +got):\n%s", diff)
		}
	})
}

// TestDecodeDamaged cuts and lengthens a record at every byte: none of it may pass for a record.
func TestDecodeDamaged(t *testing.T) {
	fault := newExchange(1)
	fault.Response, fault.Fault = nil, &exchange.Fault{Kind: exchange.FaultReset, Text: "connection reset"}
	stream, told := newExchange(1), newExchange(1)
	stream.Request.Trailer, stream.Request.Tunnel = []byte("a: b\r\n\r\n"), []byte("\x81\x00")
	stream.Response.Marks = []exchange.Mark{{End: 5, At: 100}, {End: 9, At: 300}}
	told.Response, told.Fault = nil, &exchange.Fault{Kind: exchange.FaultDial, Told: exchange.Message{Head: []byte("x")}}
	for _, e := range []*exchange.Exchange{newExchange(1), fault, stream, told} {
		raw := AppendExchange(nil, e)
		for n := range raw {
			if _, err := DecodeExchange(raw[:n]); err == nil {
				t.Errorf("decodeExchange took %d of %d bytes", n, len(raw))
			}
		}
		if _, err := DecodeExchange(append(raw, 0)); err == nil {
			t.Error("decodeExchange took a byte too many")
		}
	}
}

// TestDecodeStrict changes single bytes to forms that a newer version might write, or that have a shorter form.
func TestDecodeStrict(t *testing.T) {
	e := newExchange(1)
	e.Seq = 5
	raw := AppendExchange(nil, e)
	if raw[0] != 5 {
		t.Fatalf("record begins with %d, want its position", raw[0])
	}
	if _, err := DecodeExchange(append([]byte{0x85, 0x00}, raw[1:]...)); err == nil {
		t.Error("decodeExchange took a number in a longer form than it needs")
	}
	i := bytes.Index(raw, e.Request.Head) - 2 // the flags, before the length of the head
	raw[i] |= 0x40
	if _, err := DecodeExchange(raw); err == nil {
		t.Error("decodeExchange took flags that it does not know")
	}
}

func FuzzDecodeExchange(f *testing.F) {
	f.Add(AppendExchange(nil, newExchange(1)))
	fault := newExchange(1)
	fault.Response, fault.Fault = nil, &exchange.Fault{Kind: exchange.FaultReset, Text: "connection reset"}
	f.Add(AppendExchange(nil, fault))
	fault.Fault.Told, fault.Request.Tunnel = exchange.Message{Head: []byte("x")}, []byte("y")
	fault.Request.Marks = []exchange.Mark{{End: 5, At: 100}, {End: 9, At: 300}}
	f.Add(AppendExchange(nil, fault))
	f.Fuzz(func(t *testing.T, raw []byte) {
		e, err := DecodeExchange(raw)
		if err != nil {
			return
		}
		// The codec is strict, so that what it takes is exactly what it writes.
		if again := AppendExchange(nil, e); !bytes.Equal(again, raw) {
			t.Errorf("decoded and encoded again:\n%q\nbefore:\n%q", again, raw)
		}
	})
}

func FuzzDecodeObservation(f *testing.F) {
	o := &exchange.Observation{Seq: 7, Start: time.Unix(1, 0).UTC(), Sent: newExchange(1).Request, Response: newExchange(1).Response}
	f.Add(AppendObservation(nil, o))
	o.Settling = &exchange.Settling{Settled: true, Looks: 2, After: time.Second, End: o.Response}
	f.Add(AppendObservation(nil, o))
	f.Fuzz(func(t *testing.T, raw []byte) {
		o, err := DecodeObservation(raw, 3)
		if err != nil {
			return
		}
		again, err := DecodeObservation(AppendObservation(nil, o), 3)
		if err != nil || again.Seq != o.Seq || (again.Response == nil) != (o.Response == nil) {
			t.Errorf("%q comes back as another: %v", raw, err)
		}
	})
}

func FuzzUnpack(f *testing.F) {
	p, err := newPacker(zstd.SpeedFastest)
	if err != nil {
		f.Fatal(err)
	}
	// A smaller limit than the real one, so that the fuzzer does not spend its time on filling memory.
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(1<<20))
	if err != nil {
		f.Fatal(err)
	}
	arena := []byte("onetwoaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")
	f.Add(p.pack(1, arena, []ref{{1, 0, 3}, {2, 3, 6}}))
	f.Add(p.pack(1, arena, []ref{{1, 0, 3}, {2, 3, len(arena)}}))
	p.quick = true
	f.Add(p.pack(1, arena, []ref{{1, 0, 3}, {2, 3, len(arena)}}))
	f.Fuzz(func(t *testing.T, value []byte) {
		if len(value) > blockHead { // what the checksum keeps from most of what is tried
			if n, err := s2.DecodedLen(value[blockHead:]); err == nil && n < 1<<20 {
				_, _ = decompress(dec, formS2, value[blockHead:])
			}
		}
		records, err := unpack(dec, 1, value)
		if err == nil && len(records) > packRecords {
			t.Errorf("unpack gave %d records", len(records))
		}
	})
}

func TestPackUnpack(t *testing.T) {
	pack, err := newPackers(2, zstd.SpeedFastest)
	if err != nil {
		t.Fatal(err)
	}
	pack[1].quick = true
	dec, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		var (
			p    = pending{most: blockRecords}
			want = map[uint64][][]byte{}
		)
		for range rapid.IntRange(1, 150).Draw(t, "records") {
			seq := rapid.Uint64Range(1, 1000).Draw(t, "seq")
			data := rapid.SliceOfN(rapid.Byte(), 1, 20).Draw(t, "data")
			start := len(p.arena)
			p.arena = append(p.arena, data...)
			p.refs = append(p.refs, ref{seq, start, len(p.arena)})
			want[seq] = append(want[seq], data)
		}
		refs := slices.Clone(p.refs)
		slices.SortStableFunc(refs, func(a, b ref) int { return cmp.Compare(a.seq, b.seq) })
		p.seal(pack)
		got := map[uint64][][]byte{}
		for _, b := range p.blocks {
			records, err := unpack(dec, b.first, b.value)
			if err != nil {
				t.Fatal(err)
			}
			if len(records) != b.count || b.count > blockRecords || refs[0].seq != b.first {
				t.Fatalf("block of %d records from %d holds %d", b.count, b.first, len(records))
			}
			for _, raw := range records {
				if refs[0].seq-b.first >= blockSpan {
					t.Fatalf("block from %d reaches to %d", b.first, refs[0].seq)
				}
				got[refs[0].seq] = append(got[refs[0].seq], raw)
				refs = refs[1:]
			}
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("records changed (-want +got):\n%s", diff)
		}
	})
}
