package store

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// liveExchange is the exchange at position i+1 of what TestReadWhileWritten records.
func liveExchange(i int) *exchange.Exchange {
	e := newExchange(i)
	if i%100 == 50 {
		e.Response.Body = noise(byte(i/100), 3*inlineBytes)
	}
	return e
}

// TestReadWhileWritten reads a recording again and again while it grows: each time it is whole, holds all that was handed
// over before, and nothing is left of the copy afterwards.
func TestReadWhileWritten(t *testing.T) {
	s := newStore(t, Options{Doing: "testing"})
	record(t, s, 1)
	w := beginRun(t, s)
	var recorded sync.WaitGroup
	stop := make(chan struct{})
	recorded.Go(func() {
		for i := 1; i < 3000; i++ {
			select {
			case <-stop:
				return
			default:
			}
			e := liveExchange(i)
			if err := s.Record(e); err != nil {
				t.Error(err)
				return
			}
			if err := w.Observe(newObservation(e.Seq, "x")); err != nil {
				t.Error(err)
				return
			}
		}
	})
	before := uint64(0)
	for range 10 {
		if err := s.Flush(); err != nil {
			t.Fatal(err)
		}
		sure, err := s.lastSeq()
		if err != nil {
			t.Fatal(err)
		}
		before = checkCopy(t, s.Path(), max(sure, before))
	}
	close(stop)
	recorded.Wait()
	h := readHolder(s.Path())
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	checkAlone(t, s.Path())
	if _, err := os.Stat(filepath.Dir(h.Socket)); err == nil {
		t.Error("the socket is still there")
	}
}

// checkCopy opens a recording that is written, holds what it gets against what was recorded, at least so many exchanges,
// and returns how many there are.
func checkCopy(t *testing.T, path string, least uint64) uint64 {
	t.Helper()
	r, err := OpenReadOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	verify(t, r)
	rec, err := r.Recording()
	if err != nil || rec.Count < least || len(rec.Passes) != 1 {
		t.Fatalf("a copy holds %d exchanges, %d were stored: %v", rec.Count, least, err)
	}
	runs, err := r.Runs()
	if err != nil || len(runs) != 1 {
		t.Fatalf("a copy holds runs %v, %v", runs, err)
	}
	observed := 0
	for i, step := range steps(t, r) {
		want := liveExchange(i)
		want.Seq, want.Pass = uint64(i+1), 1
		if !reflect.DeepEqual(step.Exchange, want) {
			t.Fatalf("exchange %d of a copy is another", i+1)
		}
		observed += len(step.Observations)
	}
	if observed != runs[0].Steps {
		t.Errorf("a copy has %d observations and says %d", observed, runs[0].Steps)
	}
	if h := r.Holder(); h == nil || h.PID != os.Getpid() || h.Doing != "testing" || r.Path() != path {
		t.Errorf("a copy of %s is of %s, held by %v", path, r.Path(), h)
	}
	if err := r.Record(newExchange(1)); !errors.Is(err, ErrReadOnly) {
		t.Errorf("Record into a copy: %v", err)
	}
	return rec.Count
}

// TestReadAfterFailure sees that what was stored can be read while the process that could store no more still runs.
func TestReadAfterFailure(t *testing.T) {
	s := newStore(t, Options{})
	record(t, s, 50)
	s.queue.stop(errors.New("disk is gone"))
	r, err := OpenReadOnly(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if n := len(collect(t, r)); n != 50 {
		t.Errorf("a copy holds %d exchanges, want 50", n)
	}
}

// TestHolderRefuses sees that a holder answers nothing else, and that whoever gets no copy is told why.
func TestHolderRefuses(t *testing.T) {
	s := newStore(t, Options{})
	put(t, s, bucketFingerprints, seqKey(1), make([]byte, fingerprintSize))
	if err := os.Chmod(filepath.Dir(s.Path()), 0o500); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(filepath.Dir(s.Path()), 0o700)
	if os.Getuid() != 0 { // who may write everywhere
		if _, err := OpenReadOnly(s.Path()); !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), "permission") {
			t.Errorf("OpenReadOnly where no copy can be made: %v", err)
		}
	}
	s.server.stop()
	if _, err := OpenReadOnly(s.Path()); !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), "did not serve a copy") {
		t.Errorf("OpenReadOnly where nobody answers: %v", err)
	}
}

// TestAppendedPassBesideReader sees that a second pass is whole for readers that come while it is recorded.
func TestAppendedPassBesideReader(t *testing.T) {
	s := newStore(t, Options{})
	record(t, s, 3)
	if err := s.EndPass(testStart); err != nil {
		t.Fatal(err)
	}
	if _, err := s.BeginPass(exchange.Pass{Label: "second"}); err != nil {
		t.Fatal(err)
	}
	r, err := OpenReadOnly(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	rec, err := r.Recording()
	if err != nil || len(rec.Passes) != 2 || rec.Passes[1].Label != "second" || !rec.Passes[1].Ended.IsZero() {
		t.Errorf("a copy holds passes %v, %v", rec.Passes, err)
	}
}

// A recording that was opened by a relative path is read by processes that stand in other folders: the copy that they are
// given has an absolute one.
func TestCopyOfARelativePath(t *testing.T) {
	t.Chdir(t.TempDir())
	s, err := Create("relative.db", Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	path, err := readHolder("relative.db").ask(askCopy)
	if err != nil {
		t.Fatal(err)
	}
	os.Remove(path)
	if !filepath.IsAbs(path) {
		t.Errorf("the copy is at %s", path)
	}
}
