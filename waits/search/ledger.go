package search

import (
	"context"
	"time"
)

// Runner runs a test with a wait of some time until it has passed so many times, or failed once, and returns how often
// it passed. The error is that it could not be run, or that the context has ended.
type Runner func(ctx context.Context, value time.Duration, runs int) (passed int, failed bool, err error)

// Tally is what came of the runs with one time.
type Tally struct {
	Value  time.Duration
	Passed int  // runs
	Failed bool // one run, the last
}

// Ledger runs tests, and keeps what came of each time.
type Ledger struct {
	run     Runner
	tallies []Tally
}

// NewLedger returns one in which nothing stands yet.
func NewLedger(run Runner) *Ledger { return &Ledger{run: run} }

// Tallies lists what came of all times, in the order in which they were first tried.
func (l *Ledger) Tallies() []Tally { return l.tallies }

// Of is what came of a time so far.
func (l *Ledger) Of(value time.Duration) Tally { return *l.tally(value) }

// Runs counts all runs.
func (l *Ledger) Runs() (n int) {
	for _, t := range l.tallies {
		if n += t.Passed; t.Failed {
			n++
		}
	}
	return n
}

// Holds has the test run with a time until it has passed so many times in all, and reports whether none of its runs
// failed. A time that failed once holds never again.
func (l *Ledger) Holds(ctx context.Context, value time.Duration, runs int) (bool, error) {
	t := l.tally(value)
	if t.Failed || t.Passed >= runs {
		return !t.Failed, nil
	}
	passed, failed, err := l.run(ctx, value, runs-t.Passed)
	t.Passed, t.Failed = t.Passed+passed, failed
	return !failed && err == nil, err
}

// tally is the entry of a time.
func (l *Ledger) tally(value time.Duration) *Tally {
	for i := range l.tallies {
		if l.tallies[i].Value == value {
			return &l.tallies[i]
		}
	}
	l.tallies = append(l.tallies, Tally{Value: value})
	return &l.tallies[len(l.tallies)-1]
}
