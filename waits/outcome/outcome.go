// Package outcome tells when tests passed in a run of a suite that failed, by the results that its runner left, so that
// these can be learned from.
//
// It errs to the side of failing: where results say roughly when a test ran, all of that time is its own; and what came
// when no test ran, by the results, is of none that passed: it may be of one that left no results, as it hung.
package outcome

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/flaketap/flaketap/suite/results"
	"github.com/flaketap/flaketap/suite/verify"
	"github.com/flaketap/flaketap/waits/oracle"
)

// Failed returns the times of a run in which no test is known to have passed, as one ran that failed, or none, in
// milliseconds since it began, in order. Paths are files, or folders with files, that the runner left; those that were
// written before the run began are none of it. An error says why these times are not known.
func Failed(paths []string, began, ended time.Time) ([]oracle.Span, error) {
	var ran []results.Detailed
	var damage []error
	for _, path := range paths {
		files, err := verify.ResultsIn(path)
		damage = append(damage, err)
		for _, f := range files {
			if !f.Written.Before(began) {
				ran = append(ran, f.Dated(began)...)
			}
		}
	}
	if err := errors.Join(damage...); err != nil {
		return nil, err
	}
	slices.SortStableFunc(ran, func(a, b results.Detailed) int { return a.Start.Compare(b.Start) })
	return spans(ran, began, ended)
}

// least is how long what was skipped may take without having begun: a test that is expected to fail, and does, counts
// as skipped with some runners.
const least = 10 * time.Millisecond

// spans are these times, by what ran, in the order in which it began.
func spans(ran []results.Detailed, began, ended time.Time) (out []oracle.Span, err error) {
	failed, last := 0, began
	not := func(from, to time.Time) {
		if from, to := since(began, from), since(began, to); to > from {
			out = append(out, oracle.Span{From: from, To: to})
		}
	}
	for _, r := range ran {
		switch {
		case r.Outcome == results.Skip && r.Duration < least:
			continue
		case r.Failed() && (r.Start.IsZero() || r.End.Before(began) || r.Start.After(ended)):
			return nil, fmt.Errorf("the results do not say when in the run the test %q ran", r.ID().String())
		case r.Start.IsZero():
			continue
		}
		not(last, r.Start)
		if r.End.After(last) {
			last = r.End
		}
		if r.Failed() {
			failed++
		}
		if r.Outcome != results.Pass {
			not(r.Start, r.End)
		}
	}
	not(last, ended)
	switch {
	case len(ran) == 0:
		return nil, errors.New("the runner left no results of the run")
	case failed == 0:
		return nil, errors.New("no test failed by the results, but the command did")
	}
	return joined(out), nil
}

// joined are spans in order, with those made one that touch.
func joined(all []oracle.Span) (out []oracle.Span) {
	slices.SortFunc(all, func(a, b oracle.Span) int { return cmp.Compare(a.From, b.From) })
	for _, s := range all {
		if n := len(out); n > 0 && s.From <= out[n-1].To {
			out[n-1].To = max(out[n-1].To, s.To)
			continue
		}
		out = append(out, s)
	}
	return out
}

// since is how many milliseconds a time is after another; 0 before it.
func since(began, at time.Time) float64 {
	return max(0, float64(at.Sub(began))/float64(time.Millisecond))
}
