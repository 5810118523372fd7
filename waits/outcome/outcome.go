// Package outcome tells when tests ran that failed in a run of a suite, by the results that its runner left, so that
// the tests that passed in such a run can be learned from.
//
// It errs to the side of failing: where results say roughly when a test ran, all of that time is its own, and so is
// what lies between it and the tests before and behind it, as that may be its set-up and tear-down.
package outcome

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/flaketap/flaketap/suite/results"
	"github.com/flaketap/flaketap/suite/verify"
	"github.com/flaketap/flaketap/waits/oracle"
)

// Failed returns when the tests ran that failed in a run, in milliseconds since it began, in order. Paths are files, or
// folders with files, that the runner left; those that were written before the run began are none of it. An error
// says why that is not known of each test that failed.
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
	ran = slices.DeleteFunc(ran, func(r results.Detailed) bool { return r.Outcome == results.Skip })
	slices.SortStableFunc(ran, func(a, b results.Detailed) int { return a.Start.Compare(b.Start) })
	return spans(ran, began, ended)
}

// spans are the times of those tests that failed, of all in the order in which they began.
func spans(ran []results.Detailed, began, ended time.Time) (out []oracle.Span, err error) {
	for i, r := range ran {
		if !r.Failed() {
			continue
		}
		if r.Start.IsZero() || r.End.Before(began) || r.Start.After(ended) {
			return nil, fmt.Errorf("the results do not say when in the run the test %q ran", r.ID().String())
		}
		from, to := began, ended
		if i > 0 {
			from = earlier(ran[i-1].End, r.Start)
		}
		if i+1 < len(ran) {
			to = later(ran[i+1].Start, r.End)
		}
		out = append(out, oracle.Span{From: since(began, from), To: since(began, to)})
	}
	switch {
	case len(ran) == 0:
		return nil, errors.New("the runner left no results of the run")
	case len(out) == 0:
		return nil, errors.New("no test failed by the results, but the command did")
	}
	return slices.CompactFunc(out, func(a, b oracle.Span) bool { return a == b }), nil
}

func earlier(a, b time.Time) time.Time { return slices.MinFunc([]time.Time{a, b}, time.Time.Compare) }

func later(a, b time.Time) time.Time { return slices.MaxFunc([]time.Time{a, b}, time.Time.Compare) }

// since is how many milliseconds a time is after another; 0 before it.
func since(began, at time.Time) float64 {
	return max(0, float64(at.Sub(began))/float64(time.Millisecond))
}
