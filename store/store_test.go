package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/exchange"
)

// collect reads the exchanges of a store.
func collect(t testing.TB, s *Store) []*exchange.Exchange {
	t.Helper()
	var out []*exchange.Exchange
	for e, err := range s.Exchanges() {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
	return out
}

func TestRecordAndRead(t *testing.T) {
	s := newStore(t, Options{})
	var want []*exchange.Exchange
	for i := range 1000 {
		e := newExchange(i)
		if err := s.Record(e); err != nil {
			t.Fatal(err)
		}
		if e.Seq != uint64(i+1) || e.Pass != 1 {
			t.Fatalf("exchange %d got position %d of pass %d", i, e.Seq, e.Pass)
		}
		want = append(want, e)
	}
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	check := func(s *Store) {
		t.Helper()
		if got := collect(t, s); !reflect.DeepEqual(want, got) { // cmp takes seconds for so many
			t.Errorf("exchanges changed (-want +got):\n%s", cmp.Diff(want, got))
		}
		for _, seq := range []uint64{1, 2, 63, 64, 65, 500, 1000} {
			e, err := s.Exchange(seq)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want[seq-1], e); diff != "" {
				t.Errorf("exchange %d changed (-want +got):\n%s", seq, diff)
			}
		}
		for _, seq := range []uint64{0, 1001, 1 << 63} {
			if _, err := s.Exchange(seq); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("Exchange(%d) = %v, want fs.ErrNotExist", seq, err)
			}
		}
	}
	check(s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := OpenReadOnly(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	check(r)
	if err := r.Record(newExchange(0)); !errors.Is(err, ErrReadOnly) {
		t.Errorf("Record into a read-only store: %v", err)
	}
}

func TestLargeExchanges(t *testing.T) {
	s := newStore(t, Options{QueueBytes: 1 << 20})
	var want []*exchange.Exchange
	for i := range 12 {
		e := newExchange(i)
		e.Response.Body = bytes.Repeat(fmt.Appendf(nil, "%d,", i), i*300_000)
		if len(e.Response.Body) == 0 {
			e.Response.Body = nil
		}
		if err := s.Record(e); err != nil {
			t.Fatal(err)
		}
		want = append(want, e)
	}
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(want, collect(t, s)) {
		t.Error("large exchanges changed")
	}
}

func TestPasses(t *testing.T) {
	s := newStore(t, Options{})
	record(t, s, 3)
	if _, err := s.BeginPass(exchange.Pass{}); err == nil {
		t.Error("BeginPass within a pass succeeded")
	}
	if err := s.EndPass(testStart.Add(1)); err != nil {
		t.Fatal(err)
	}
	if err := s.EndPass(testStart); err == nil {
		t.Error("EndPass between passes succeeded")
	}
	if err := s.Record(newExchange(1)); err == nil {
		t.Error("Record between passes succeeded")
	}
	before, err := s.Recording()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = Open(s.Path(), Options{}); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if n := beginPass(t, s); n != 2 {
		t.Errorf("the second pass has number %d", n)
	}
	record(t, s, 2)
	got, err := s.Recording()
	if err != nil {
		t.Fatal(err)
	}
	want := exchange.Recording{
		Started: testStart,
		Count:   5,
		Key:     before.Key,
		Passes: []exchange.Pass{
			{Number: 1, Started: testStart, Ended: testStart.Add(1), Source: "record", Start: exchange.StartFresh},
			{Number: 2, Started: testStart, Source: "record", Start: exchange.StartFresh},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("recording (-want +got):\n%s", diff)
	}
	if len(got.Key) != 32 || bytes.Equal(got.Key, make([]byte, 32)) {
		t.Errorf("key is %x", got.Key)
	}
	var passes []int
	for _, e := range collect(t, s) {
		passes = append(passes, e.Pass)
	}
	if want := []int{1, 1, 1, 2, 2}; !cmp.Equal(passes, want) {
		t.Errorf("exchanges are of passes %v, want %v", passes, want)
	}
}

func TestByFingerprint(t *testing.T) {
	s := newStore(t, Options{})
	var seqs []uint64
	for i := range 500 {
		e := newExchange(i % 7)
		if err := s.Record(e); err != nil {
			t.Fatal(err)
		}
		if i%7 == 3 {
			seqs = append(seqs, e.Seq)
		}
	}
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	got, err := s.ByFingerprint(exchange.Exact(newExchange(3)))
	if err != nil || !cmp.Equal(seqs, got) {
		t.Errorf("ByFingerprint = %v, %v; want %v", got, err, seqs)
	}
	if got, err := s.ByFingerprint(exchange.Fingerprint{}); err != nil || got != nil {
		t.Errorf("ByFingerprint of none = %v, %v", got, err)
	}
}

func TestRecordRefuses(t *testing.T) {
	s := newStore(t, Options{})
	neither, both := newExchange(1), newExchange(1)
	neither.Response = nil
	both.Fault = &exchange.Fault{Kind: exchange.FaultEOF}
	for _, e := range []*exchange.Exchange{neither, both} {
		if err := s.Record(e); err == nil {
			t.Error("Record took an exchange without exactly one outcome")
		}
	}
	record(t, s, 1) // the store goes on
	if got := collect(t, s); len(got) != 1 {
		t.Errorf("%d exchanges are stored, want 1", len(got))
	}
}

func TestCreate(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.db")
	s, err := Create(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close again: %v", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode() != 0o600 {
		t.Errorf("mode is %v, want 0600", info.Mode())
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Create(path, Options{}); !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), path) {
		t.Errorf("Create over a recording: %v", err)
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Error("Create changed the recording that was there")
	}
	if _, err := Create(filepath.Join(dir, "missing", "x.db"), Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Create in a missing folder: %v", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, want the recording alone", entries)
	}
}
