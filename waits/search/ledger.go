package search

import (
	"context"
	"slices"
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
	book  *book
	asked []time.Duration // in the order in which they were first asked for
}

// book is what ledgers share.
type book struct {
	run     Runner
	tallies map[time.Duration]Tally
}

// NewLedger returns one in which nothing stands yet.
func NewLedger(run Runner) *Ledger { return &Ledger{book: &book{run, map[time.Duration]Tally{}}} }

// Share returns a ledger that knows what came of the times of this one, and lists those that it is asked for itself.
func (l *Ledger) Share() *Ledger { return &Ledger{book: l.book} }

// Tallies lists what came of the times that were asked for, in that order.
func (l *Ledger) Tallies() []Tally {
	var out []Tally
	for _, value := range l.asked {
		out = append(out, l.Of(value))
	}
	return out
}

// Of is what came of a time so far.
func (l *Ledger) Of(value time.Duration) Tally {
	t := l.book.tallies[value]
	t.Value = value
	return t
}

// Runs counts the runs with the times that were asked for, by whomever they were made.
func (l *Ledger) Runs() (n int) {
	for _, value := range l.asked {
		n += l.Of(value).Runs()
	}
	return n
}

// Runs counts the runs.
func (t Tally) Runs() int {
	if t.Failed {
		return t.Passed + 1
	}
	return t.Passed
}

// Holds has the test run with a time until it has passed so many times in all, and reports whether none of its runs
// failed. A time that failed once holds never again.
func (l *Ledger) Holds(ctx context.Context, value time.Duration, runs int) (bool, error) {
	if !slices.Contains(l.asked, value) {
		l.asked = append(l.asked, value)
	}
	t := l.Of(value)
	if t.Failed || t.Passed >= runs {
		return !t.Failed, nil
	}
	passed, failed, err := l.book.run(ctx, value, runs-t.Passed)
	t.Passed, t.Failed = t.Passed+passed, failed
	l.book.tallies[value] = t
	return !failed && err == nil, err
}
