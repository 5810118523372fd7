package store

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"
	"pgregory.net/rapid"

	"github.com/flaketap/flaketap/exchange"
)

// newExternal is what an API asks; every seventh has a body that is stored in pieces.
func newExternal(i int) *exchange.External {
	x := &exchange.External{Exchange: *newExchange(i), Stub: fmt.Sprint("stub ", i%3)}
	x.Seq, x.Pass = 0, 0
	if i%7 == 3 {
		x.Response.Body = noise(byte(i), inlineBytes+i)
	}
	return x
}

// externals reads those of a store.
func externals(t *testing.T, s *Store) (all []*exchange.External) {
	t.Helper()
	for x, err := range s.Externals() {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, x)
	}
	return all
}

func wantExternals(t *testing.T, got []*exchange.External, passes ...int) {
	t.Helper()
	if len(got) != len(passes) {
		t.Fatalf("%d externals, want %d", len(got), len(passes))
	}
	for i, x := range got {
		want := newExternal(i)
		want.Seq, want.Pass = uint64(i+1), passes[i]
		if diff := gocmp.Diff(want, x); diff != "" {
			t.Fatalf("external %d changed (-want +got):\n%s", i+1, diff)
		}
	}
}

// Externals keep their order and their passes beside the exchanges, whoever reads them: the store that writes, another
// process, one that opens the file again, and one that it was packed anew for.
func TestExternals(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	s, err := Create(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var passes []int
	add := func(pass int) {
		t.Helper()
		x := newExternal(len(passes))
		if err := s.RecordExternal(x); err != nil {
			t.Fatal(err)
		}
		if passes = append(passes, pass); x.Seq != uint64(len(passes)) || x.Pass != pass {
			t.Fatalf("it is external %d of pass %d, want %d of %d", x.Seq, x.Pass, len(passes), pass)
		}
		if err := s.Flush(); err != nil { // small blocks
			t.Fatal(err)
		}
	}
	add(0)
	if _, err := s.BeginPass(exchange.Pass{Started: time.Now()}); err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		add(1)
		if err := s.Record(newExchange(i)); err != nil {
			t.Fatal(err)
		}
	}
	wantExternals(t, externals(t, s), passes...)
	reader, err := OpenReadOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	wantExternals(t, externals(t, reader), passes...)
	if err := reader.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.EndPass(time.Now()); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = Open(path, Options{}); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	add(0)
	wantExternals(t, externals(t, s), passes...)
	if n := len(collect(t, s)); n != 20 {
		t.Errorf("%d exchanges, want 20", n)
	}
}

// Where exchanges are dropped externals are not; what has no room of a large body is cut.
func TestExternalsDrop(t *testing.T) {
	s := newStore(t, Options{Drop: true, QueueBytes: 1})
	for i := range 30 {
		if err := s.RecordExternal(newExternal(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	all := externals(t, s)
	if len(all) != 30 {
		t.Fatalf("%d externals, want 30", len(all))
	}
	for i, x := range all {
		want := newExternal(i)
		if got, cut := len(x.Response.Body), int(x.Response.Cut); got+cut != len(want.Response.Body) {
			t.Errorf("external %d: %d bytes and %d cut, want %d", i, got, cut, len(want.Response.Body))
		}
	}
}

// What was asked in a run says which one.
func TestExternalsOfRuns(t *testing.T) {
	s := newStore(t, Options{})
	for range 2 {
		w, err := s.BeginRun(exchange.Run{Kind: exchange.RunReplay})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.External(newExternal(3)); err != nil { // of several pieces
			t.Fatal(err)
		}
	}
	if err := s.RecordExternal(newExternal(1)); err != nil {
		t.Fatal(err)
	}
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	var got []int
	for _, x := range externals(t, s) {
		got = append(got, x.Run)
	}
	if fmt.Sprint(got) != "[1 2 0]" {
		t.Errorf("they are of the runs %v", got)
	}
}

// A damaged block is an error, and what lies behind it is read.
func TestExternalsDamaged(t *testing.T) {
	s := newStore(t, Options{})
	for i := range 3 {
		if err := s.RecordExternal(newExternal(i)); err != nil {
			t.Fatal(err)
		}
		if err := s.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.change(func(tx *bbolt.Tx) error {
		b := tx.Bucket(bucketExternals)
		value := bytes.Clone(b.Get(seqKey(2)))
		value[len(value)-1] ^= 1
		return b.Put(seqKey(2), value)
	}); err != nil {
		t.Fatal(err)
	}
	var said []string
	for x, err := range s.Externals() {
		if err != nil {
			said = append(said, "damaged")
			continue
		}
		said = append(said, fmt.Sprint(x.Seq))
	}
	if got := fmt.Sprint(said); got != "[1 damaged 3]" {
		t.Errorf("read are %s", got)
	}
}

func TestExternalRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := &exchange.External{Exchange: *drawnExchange().Draw(t, "exchange"), Stub: rapid.String().Draw(t, "stub"),
			Run: rapid.IntRange(0, 300).Draw(t, "run"), Real: rapid.Bool().Draw(t, "real")}
		got, err := decodeExternal(appendExternal(nil, want))
		if err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("external changed (-want +got):\n%s", diff)
		}
	})
}

func FuzzDecodeExternal(f *testing.F) {
	f.Add(appendExternal(nil, newExternal(1)))
	f.Add(appendExternal(nil, newExternal(3)))
	real := newExternal(1)
	real.Run, real.Real = 300, true
	f.Add(appendExternal(nil, real))
	f.Fuzz(func(t *testing.T, raw []byte) {
		x, err := decodeExternal(raw)
		if err != nil {
			return
		}
		if again := appendExternal(nil, x); !bytes.Equal(again, raw) {
			t.Errorf("decoded and encoded again:\n%q\nbefore:\n%q", again, raw)
		}
	})
}
