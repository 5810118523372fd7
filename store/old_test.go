package store

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/exchange"
)

// oldExchanges are what testdata/v1.db.gz holds: the file was written by the last flaketap whose format was version 1,
// in two passes of 150 exchanges.
func oldExchanges() []*exchange.Exchange {
	random := rand.NewChaCha8([32]byte{1})
	out := make([]*exchange.Exchange, 300)
	for i := range out {
		e := newExchange(i)
		e.Seq, e.Pass = uint64(i+1), 1+i/150
		switch i % 50 {
		case 10: // does not compress, and so has a raw block where it stands alone
			e.Response.Body = make([]byte, 3000)
			random.Read(e.Response.Body)
		case 20:
			e.Response, e.Fault = nil, &exchange.Fault{Kind: exchange.FaultReset, Text: "connection reset", Seen: exchange.Message{Head: []byte("HTTP/1.1 2")}}
		case 30:
			e.Response.Body, e.Response.Cut = e.Response.Body[:10], 1<<33
		case 40: // larger than a block
			e.Response.Body = bytes.Repeat([]byte("large "), 200_000)
		}
		out[i] = e
	}
	return out
}

// oldObservations are those of the one run in testdata/v1.db.gz.
func oldObservations() []*exchange.Observation {
	out := make([]*exchange.Observation, 150)
	for i := range out {
		out[i] = newObservation(uint64(2*i+1), fmt.Sprint("observed ", i))
		out[i].Run = 1
	}
	return out
}

// oldFile unpacks testdata/v1.db.gz.
func oldFile(t *testing.T) string {
	f, err := os.Open("testdata/v1.db.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "v1.db")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// checkOld sees that a store begins with what the old file held.
func checkOld(t *testing.T, s *Store) {
	t.Helper()
	got := collect(t, s)
	if want := oldExchanges(); len(got) < len(want) || !reflect.DeepEqual(want, got[:len(want)]) {
		t.Errorf("exchanges of an old file changed (-want +got):\n%s", cmp.Diff(want, got))
	}
	var observed []*exchange.Observation
	for step, err := range s.Steps() {
		if err != nil {
			t.Fatal(err)
		}
		observed = append(observed, step.Observations...)
	}
	if diff := cmp.Diff(oldObservations(), observed); diff != "" {
		t.Errorf("observations of an old file changed (-want +got):\n%s", diff)
	}
	if seqs, err := s.ByFingerprint(exchange.Exact(oldExchanges()[9])); err != nil || !reflect.DeepEqual(seqs, []uint64{10}) {
		t.Errorf("fingerprint of an old file is at %v, %v", seqs, err)
	}
}

// TestOldVersion reads a file of version 1, which that leaves as it is, and then goes on recording into it, which makes
// it one of the present version.
func TestOldVersion(t *testing.T) {
	path := oldFile(t)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := OpenReadOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	checkOld(t, r)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Fatalf("reading changed the file (%v)", err)
	}
	for round := range 2 {
		s, err := Open(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		checkOld(t, s)
		beginPass(t, s)
		large := newExchange(1000 + round)
		large.Response.Body = bytes.Repeat([]byte{'a', byte(round)}, exchange.PieceSize)
		if err := s.Record(large); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		r, err := OpenReadOnly(path)
		if err != nil {
			t.Fatal(err)
		}
		checkOld(t, r)
		if e, err := r.Exchange(large.Seq); err != nil || !reflect.DeepEqual(e, large) {
			t.Errorf("exchange %d changed: %v", large.Seq, err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
