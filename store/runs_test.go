package store

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/exchange"
)

func beginRun(t testing.TB, s *Store) *RunWriter {
	t.Helper()
	w, err := s.BeginRun(exchange.Run{
		Kind: exchange.RunReplay, Started: testStart, Conditions: exchange.Conditions{Start: exchange.StartReset},
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func observe(t testing.TB, w *RunWriter, o *exchange.Observation) {
	t.Helper()
	if err := w.Observe(o); err != nil {
		t.Fatal(err)
	}
}

func flush(t testing.TB, s *Store) {
	t.Helper()
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
}

// texts lists what each step answered: "run:body", by position.
func texts(t testing.TB, s *Store) map[uint64][]string {
	t.Helper()
	out := map[uint64][]string{}
	next := uint64(1)
	for step, err := range s.Steps() {
		if err != nil {
			t.Fatal(err)
		}
		if step.Exchange.Seq != next {
			t.Fatalf("step %d came where %d was due", step.Exchange.Seq, next)
		}
		next++
		for _, o := range step.Observations {
			if o.Seq != step.Exchange.Seq {
				t.Fatalf("an observation of %d came with step %d", o.Seq, step.Exchange.Seq)
			}
			out[o.Seq] = append(out[o.Seq], fmt.Sprintf("%d:%s", o.Run, o.Response.Body))
		}
	}
	return out
}

func TestRuns(t *testing.T) {
	s := newStore(t, Options{})
	record(t, s, 3)
	first := beginRun(t, s)
	second := beginRun(t, s)
	observe(t, first, newObservation(1, "a"))
	observe(t, first, newObservation(3, "c"))
	observe(t, second, newObservation(2, "B"))
	ended := exchange.Run{
		Kind: exchange.RunReplay, Started: testStart, Ended: testStart.Add(5), Lost: 1, Added: 2, Steps: 99,
		Conditions: exchange.Conditions{Start: exchange.StartReset, Perturb: []string{"locale"}},
	}
	if err := first.Finish(ended); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil { // the second run is cut off
		t.Fatal(err)
	}
	s, err := OpenReadOnly(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	got, err := s.Runs()
	if err != nil {
		t.Fatal(err)
	}
	ended.Number, ended.Steps = 1, 2
	cut := exchange.Run{
		Number: 2, Kind: exchange.RunReplay, Started: testStart, Steps: 1,
		Conditions: exchange.Conditions{Start: exchange.StartReset},
	}
	if diff := cmp.Diff([]exchange.Run{ended, cut}, got); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
	want := map[uint64][]string{1: {"1:a"}, 2: {"2:B"}, 3: {"1:c"}}
	if diff := cmp.Diff(want, texts(t, s)); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
}

// TestResumeRun goes on with a run that was cut off, beside one that was finished.
func TestResumeRun(t *testing.T) {
	s := newStore(t, Options{})
	record(t, s, 3)
	whole, cut := beginRun(t, s), beginRun(t, s)
	observe(t, whole, newObservation(1, "a"))
	observe(t, cut, newObservation(1, "A"))
	if err := whole.Finish(exchange.Run{Ended: testStart}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := Open(s.Path(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.ResumeRun(1); err == nil || !strings.Contains(err.Error(), "was finished") {
		t.Errorf("a finished run: %v", err)
	}
	if _, err := s.ResumeRun(3); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a run that is not there: %v", err)
	}
	w, err := s.ResumeRun(2)
	if err != nil {
		t.Fatal(err)
	}
	observe(t, w, newObservation(3, "C"))
	if err := w.Finish(exchange.Run{Ended: testStart}); err != nil {
		t.Fatal(err)
	}
	want := map[uint64][]string{1: {"1:a", "2:A"}, 3: {"2:C"}}
	if diff := cmp.Diff(want, texts(t, s)); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	var got []string
	for step, err := range s.RunSteps(2) {
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range step.Observations {
			got = append(got, fmt.Sprintf("%d %d:%s", step.Exchange.Seq, o.Run, o.Response.Body))
		}
	}
	if diff := cmp.Diff([]string{"1 2:A", "3 2:C"}, got); diff != "" {
		t.Errorf("steps of the run (-want +got):\n%s", diff)
	}
	if runs, err := s.Runs(); err != nil || runs[1].Steps != 2 || runs[1].Ended.IsZero() {
		t.Errorf("%+v, %v", runs, err)
	}
}

// TestStepsOutOfOrder has observations come as workers bring them: in order within a sequence, any order between.
func TestStepsOutOfOrder(t *testing.T) {
	const steps, workers = 1600, 8
	s := newStore(t, Options{})
	record(t, s, steps)
	want := map[uint64][]string{}
	for run := range 3 {
		w := beginRun(t, s)
		var wg sync.WaitGroup
		for worker := range workers {
			wg.Go(func() {
				for seq := worker*steps/workers + 1; seq <= (worker+1)*steps/workers; seq++ {
					if err := w.Observe(newObservation(uint64(seq), fmt.Sprint(seq))); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		for seq := range uint64(steps) {
			want[seq+1] = append(want[seq+1], fmt.Sprintf("%d:%d", run+1, seq+1))
		}
		if err := w.Finish(exchange.Run{}); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(want, texts(t, s)); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
}

// TestStepsShuffled has one commit for every few observations, in no order at all, some of them twice and some of
// exchanges that are not there.
func TestStepsShuffled(t *testing.T) {
	const steps = 500
	s := newStore(t, Options{})
	record(t, s, steps)
	w := beginRun(t, s)
	want := map[uint64][]string{}
	random := rand.New(rand.NewPCG(1, 2))
	for i, n := range random.Perm(steps + 10) {
		seq := uint64(n + 1)
		observe(t, w, newObservation(seq, "x"))
		if seq <= steps {
			want[seq] = append(want[seq], "1:x")
		}
		if i%7 == 0 {
			flush(t, s)
		}
	}
	for seq := uint64(1); seq <= steps; seq += 10 { // blocks that begin where others do
		for range 2 {
			flush(t, s)
			observe(t, w, newObservation(seq, "x"))
			want[seq] = append(want[seq], "1:x")
		}
	}
	if err := w.Finish(exchange.Run{}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, texts(t, s)); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
}

func TestObserveRefuses(t *testing.T) {
	s := newStore(t, Options{})
	w := beginRun(t, s)
	if err := w.Observe(newObservation(0, "x")); err == nil {
		t.Error("Observe took an observation of no exchange")
	}
	o := newObservation(1, "x")
	o.Response = nil
	if err := w.Observe(o); err == nil {
		t.Error("Observe took an observation without outcome")
	}
}

// TestReadWhileWriting goes through a recording and stores an observation of each step, as a replay does: no reader
// may keep the writer from enlarging the file.
func TestReadWhileWriting(t *testing.T) {
	const steps = 100
	s := newStore(t, Options{QueueBytes: 64 << 10})
	record(t, s, steps)
	w := beginRun(t, s)
	random := rand.NewChaCha8([32]byte{})
	for step, err := range s.Steps() {
		if err != nil {
			t.Fatal(err)
		}
		body := make([]byte, 100_000) // cannot be compressed
		random.Read(body)
		observe(t, w, newObservation(step.Exchange.Seq, string(body)))
		if err := s.Record(newExchange(1)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish(exchange.Run{}); err != nil {
		t.Fatal(err)
	}
	runs, err := s.Runs()
	if err != nil || runs[0].Steps != steps {
		t.Errorf("the run has %v, %v; want %d steps", runs, err, steps)
	}
	if n := len(collect(t, s)); n != 2*steps {
		t.Errorf("%d exchanges are stored, want %d", n, 2*steps)
	}
}
