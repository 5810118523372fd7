package search_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/flaketap/flaketap/waits/search"
)

const ms = time.Millisecond

// oracle is a test that passes where the wait is as long as what it waits for, which is drawn for each run.
type oracle struct {
	draw func() time.Duration
	runs int
}

func (o *oracle) run(ctx context.Context, value time.Duration, runs int) (passed int, failed bool, err error) {
	for range runs {
		if ctx.Err() != nil {
			return passed, false, ctx.Err()
		}
		o.runs++
		if o.draw() > value {
			return passed, true, nil
		}
		passed++
	}
	return passed, false, nil
}

// lognormal draws times of that median and spread.
func lognormal(r *rand.Rand, median time.Duration, sigma float64) func() time.Duration {
	return func() time.Duration { return time.Duration(float64(median) * math.Exp(sigma*r.NormFloat64())) }
}

// A search chooses no time that failed, nor one that it has not proven, nor one outside of its range; it comes to its
// end within the halves of its range; and of runs that it asks for, all count.
func TestSearches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := time.Duration(rapid.IntRange(0, 2000).Draw(t, "low")) * ms
		s := search.Search{Low: low, High: low + time.Duration(rapid.IntRange(1, 30_000).Draw(t, "range"))*ms,
			Step:        rapid.SampledFrom([]time.Duration{0, ms, time.Second}).Draw(t, "step"),
			Validations: rapid.IntRange(1, 100).Draw(t, "validations")}
		s.Screen = rapid.IntRange(1, s.Validations).Draw(t, "screen")
		seed := rapid.Uint64().Draw(t, "seed")
		o := &oracle{draw: lognormal(rand.New(rand.NewPCG(seed, 1)), time.Duration(rapid.IntRange(1, 4000).Draw(t, "median"))*ms,
			rapid.Float64Range(0, 1).Draw(t, "sigma"))}
		ledger := search.NewLedger(o.run)
		find := rapid.SampledFrom([]func(context.Context, *search.Ledger) (time.Duration, error){s.FirstMatch, s.ToTheEnd}).Draw(t, "search")
		value, err := find(context.Background(), ledger)
		if err != nil {
			t.Fatal(err)
		}
		halves := int(math.Ceil(math.Log2(float64(s.High-s.Low) / float64(max(search.Threshold, s.Step)))))
		if n := len(ledger.Tallies()); n > max(halves, 0)+1 {
			t.Errorf("%d times were tried in a range of %d halves", n, halves)
		}
		if ledger.Runs() != o.runs {
			t.Errorf("%d runs, of which %d count", o.runs, ledger.Runs())
		}
		if of := ledger.Of(value); value != 0 && (of.Failed || of.Passed < s.Validations || value < s.Low || value > s.High) {
			t.Errorf("%s was chosen, of %+v", value, of)
		}
		if value == 0 && !ledger.Of(s.High).Failed {
			t.Errorf("none was chosen, and the high end is %+v", ledger.Of(s.High))
		}
	})
}

// What takes always the same is found to the threshold, and the first time that holds is the first half above it.
func TestSteady(t *testing.T) {
	needs := func() time.Duration { return 437 * ms }
	s := search.Search{Low: 100 * ms, High: time.Second, Step: ms, Validations: 100, Screen: 29}
	for name, find := range map[string]func(context.Context, *search.Ledger) (time.Duration, error){"first": s.FirstMatch, "end": s.ToTheEnd} {
		o := &oracle{draw: needs}
		l := search.NewLedger(o.run)
		value, err := find(context.Background(), l)
		if of := l.Of(value); of.Passed != s.Validations {
			t.Errorf("%s: %d runs have passed, want %d", name, of.Passed, s.Validations)
		}
		if want := map[string]time.Duration{"first": 550 * ms, "end": 438 * ms}[name]; err != nil || value < want || value > want+search.Threshold {
			t.Errorf("%s: %s, %v; want %s", name, value, err, want)
		}
	}
}

// Two searches share what came of a time.
func TestShared(t *testing.T) {
	o := &oracle{draw: func() time.Duration { return 437 * ms }}
	s := search.Search{High: time.Second, Validations: 100, Screen: 100}
	l := search.NewLedger(o.run)
	if _, err := s.FirstMatch(context.Background(), l); err != nil {
		t.Fatal(err)
	}
	before, other := o.runs, l.Share()
	if _, err := s.ToTheEnd(context.Background(), other); err != nil {
		t.Fatal(err)
	}
	alone := &oracle{draw: o.draw}
	if _, err := s.ToTheEnd(context.Background(), search.NewLedger(alone.run)); err != nil {
		t.Fatal(err)
	}
	if o.runs != alone.runs || before != 100 || other.Runs() != alone.runs || l.Runs() != 100 {
		t.Errorf("%d runs for the first, %d for both, %d for the second alone", before, o.runs, alone.runs)
	}
}

// A search that is cut off gives what it knows to pass the screening, and nothing that it does not.
func TestInterrupted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		left := rapid.IntRange(0, 400).Draw(t, "runs")
		o := &oracle{draw: func() time.Duration {
			if left--; left <= 0 {
				cancel()
			}
			return 437 * ms
		}}
		l := search.NewLedger(o.run)
		s := search.Search{High: time.Second, Validations: 100, Screen: 29}
		value, err := s.ToTheEnd(ctx, l)
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if of := l.Of(value); value != 0 && (of.Failed || of.Passed < 29) {
			t.Errorf("%+v was chosen", of)
		}
	})
}

// What is good is told from what is bad as often as is said, or nearly so, and the boundaries are those of Wald.
func TestSequential(t *testing.T) {
	s := search.Screening()
	if s.Enough() != 29 || s.Judge(28, 0) != search.Undecided || s.Judge(29, 0) != search.IsGood || s.Judge(0, 1) != search.IsBad {
		t.Errorf("%d are enough", s.Enough())
	}
	r := rand.New(rand.NewPCG(3, 4))
	wrong := func(share float64, verdict search.Verdict) (n int) {
		for range 2000 {
			passed, failed := 0, 0
			for s.Judge(passed, failed) == search.Undecided {
				if r.Float64() < share {
					failed++
				} else {
					passed++
				}
			}
			if s.Judge(passed, failed) == verdict {
				n++
			}
		}
		return n
	}
	if bad, good := wrong(s.Good, search.IsBad), wrong(s.Bad, search.IsGood); bad > 130 || good > 130 {
		t.Errorf("of 2000, %d good ones are taken for bad, and %d bad ones for good", bad, good)
	}
}
