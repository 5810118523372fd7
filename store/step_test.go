package store

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Step gives what going through all Steps gives, at every position, whatever the order in which a run observed.
func TestStep(t *testing.T) {
	s := newStore(t, Options{})
	const n = 700
	record(t, s, n)
	forward, backward := beginRun(t, s), beginRun(t, s)
	for i := range n {
		observe(t, forward, newObservation(uint64(i+1), fmt.Sprintf("forward %d", i+1)))
		if seq := uint64(n - i); seq%3 != 0 { // the run has no counterpart of every third
			observe(t, backward, newObservation(seq, fmt.Sprintf("backward %d", seq)))
		}
		if i%50 == 0 {
			flush(t, s)
		}
	}
	flush(t, s)
	seq := uint64(0)
	for want, err := range s.Steps() {
		if err != nil {
			t.Fatal(err)
		}
		seq++
		got, err := s.Step(seq)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("step %d (-all +one):\n%s", seq, d)
		}
	}
	if seq != n {
		t.Fatalf("%d steps", seq)
	}
	if _, err := s.Step(n + 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("beyond the end: %v", err)
	}
}
