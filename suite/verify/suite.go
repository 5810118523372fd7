package verify

import (
	"fmt"
	"slices"

	"github.com/flaketap/flaketap/suite/results"
)

// suiteRuns is one of the suites with its runs without faults, and what they say.
type suiteRuns struct {
	Suite
	number   int // of the suite, from 1
	outcomes []Outcome
	further  []Outcome // of the runs that are made behind the faults
	tests    []*results.Test
	rates    results.Rates
	reliable []*results.Test // what the whole runs say of the tests, further ones too: by these a fault is noticed
	whole    int             // runs that did not break off; all, where all did
	timedOut int             // runs that were cut off by their time limit
	seen     *transcript     // of the first run, with what moved in the others
}

// add takes in a run.
func (s *suiteRuns) add(o Outcome, seen *transcript) {
	if s.seen == nil {
		s.seen = seen
	} else {
		s.seen.compare(seen)
	}
	if o.TimedOut {
		s.timedOut++
	}
	s.outcomes = append(s.outcomes, o)
}

// brokenOff returns how a run ended otherwise than its tests say, as far as that can be told of one run; else "".
func brokenOff(o Outcome) string {
	switch {
	case o.TimedOut:
		return "it was stopped by --timeout"
	case o.Status != 0 && !slices.ContainsFunc(o.Results, results.Result.Failed):
		return fmt.Sprintf("the command ended with status %d, and no test failed", o.Status)
	}
	return ""
}

// runTest is the name of the further test that runs make which end otherwise than their tests say.
const runTest = "(run)"

// count counts what the runs say of the tests.
func (s *suiteRuns) count() {
	all, _ := split(s.outcomes)
	s.tests = results.Tally(all)
	s.rates = results.RatesOf(s.tests, len(all))
	all, whole := split(slices.Concat(s.outcomes, s.further))
	if len(whole) == 0 {
		whole = all
	}
	s.reliable, s.whole = results.Tally(whole), len(whole)
}

// steady reports whether a test passed in every whole run without a fault.
func (s *suiteRuns) steady(id results.ID) bool {
	return slices.ContainsFunc(s.reliable, func(t *results.Test) bool { return t.ID == id && t.Steady(s.whole) })
}

// split returns what each run says of its tests, and what the whole ones do. Runs that ended otherwise than their tests
// say, and those that left no results where others left some, make a further test, which failed in them and passed in
// the others.
func split(outcomes []Outcome) (all, whole [][]results.Result) {
	silent := !slices.ContainsFunc(outcomes, func(o Outcome) bool { return !o.Silent })
	broken := make([]string, len(outcomes))
	for i, o := range outcomes {
		if !silent { // else the exit status is the test
			broken[i] = brokenOff(o)
		}
		if o.Silent && !silent && broken[i] == "" {
			broken[i] = "it left no results"
		}
	}
	anyBroken := slices.ContainsFunc(broken, func(how string) bool { return how != "" })
	for i, o := range outcomes {
		found := o.Results
		if o.Silent && !silent {
			found = nil
		}
		if broken[i] == "" {
			whole = append(whole, found)
		}
		if anyBroken {
			r := results.Result{Name: runTest, Outcome: results.Pass}
			if broken[i] != "" {
				r.Outcome, r.Message = results.Error, broken[i]
			}
			found = append(slices.Clip(found), r)
		}
		all = append(all, found)
	}
	return all, whole
}

// Tally counts what executions of one suite say of its tests, with [runTest] among them where executions ended
// otherwise than their tests say.
func Tally(outcomes []Outcome) ([]*results.Test, results.Rates) {
	s := suiteRuns{outcomes: outcomes}
	s.count()
	return s.tests, s.rates
}
