package results

import "cmp"

// Test is what several executions of a suite say of one of its tests.
type Test struct {
	ID
	Ran     int    // executions in which it passed, failed or broke off
	Failed  int    // of them, those in which it failed or broke off
	Message string // of its first failure
	Flips   bool   // it both passed and failed
}

// Steady reports whether the test passed in every one of so many executions.
func (t *Test) Steady(executions int) bool { return t.Ran == executions && t.Failed == 0 }

// Rates are the failure rates of N executions of a suite, over the tests that ran in any of them; those that were
// skipped in all are none. A test fails consistently where it fails in every execution that ran it, and unstably where
// it fails in some and passes in others.
//
// FR is the share of failing tests in one execution, the mean over the executions: Failures of Runs. FRc is the share
// of tests that fail consistently, FRu that of those that fail unstably. So FRc ≤ FR ≤ FRc + FRu, and where no test is
// unstable FR is FRc. The names are those of the study of flaky fuzzer tests; what they mean here is what stands here.
type Rates struct {
	Executions int     // N
	Tests      int     // that ran at least once
	Runs       int     // of tests, over all executions
	Failures   int     // of those runs
	Consistent int     // tests
	Unstable   int     // tests
	FR         float64 // Failures / Runs; 0 where there is no run
	FRc        float64 // Consistent / Tests
	FRu        float64 // Unstable / Tests
}

// Tally puts together what executions of one suite say of its tests, in the order in which the tests first occur.
func Tally(executions [][]Result) []*Test {
	var out []*Test
	known := map[ID]*Test{}
	for _, results := range executions {
		for _, r := range results {
			if r.Outcome == Skip {
				continue
			}
			t := known[r.ID()]
			if t == nil {
				t = &Test{ID: r.ID()}
				known[t.ID], out = t, append(out, t)
			}
			t.Ran++
			if r.Failed() {
				t.Failed++
				t.Message = cmp.Or(t.Message, r.Message)
			}
			t.Flips = t.Failed > 0 && t.Failed < t.Ran
		}
	}
	return out
}

// RatesOf counts what a [Tally] of so many executions holds.
func RatesOf(tests []*Test, executions int) Rates {
	r := Rates{Executions: executions, Tests: len(tests)}
	for _, t := range tests {
		r.Runs, r.Failures = r.Runs+t.Ran, r.Failures+t.Failed
		switch {
		case t.Flips:
			r.Unstable++
		case t.Failed > 0:
			r.Consistent++
		}
	}
	r.FR, r.FRc, r.FRu = share(r.Failures, r.Runs), share(r.Consistent, r.Tests), share(r.Unstable, r.Tests)
	return r
}

func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
