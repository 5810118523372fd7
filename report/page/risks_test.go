package page

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/internal/testbed/recorded"
	"github.com/flaketap/flaketap/report/findings"
)

// Those that are named first are at risk, the worst first: tests where there are any, else sequences.
func TestRisks(t *testing.T) {
	of := func(failed int) *findings.Failed { return &findings.Failed{Failed: failed, Of: 10} }
	f := &findings.Findings{Tests: []findings.Test{
		{Name: "asserts", Claims: []findings.Claim{{Category: "Time", Statement: "assert x == 1"}, {}}},
		{Name: "seldom", Before: of(1), Why: "12 is not 13"},
		{Name: "still", Before: of(2), After: of(1)},
		{Name: "often", Before: of(9)},
	}}
	want := []riskRow{
		{"t3", "still", "not-reproduced", "still fails: 1 of 10", ""},
		{"t4", "often", "at-risk", "failed 9 of 10", ""},
		{"t2", "seldom", "at-risk", "failed 1 of 10", "12 is not 13"},
		{"t1", "asserts", "at-risk", "2 assertions", "Time assert x == 1"},
	}
	got := newRisks(f, nil)
	if diff := cmp.Diff(want, got.Rows); diff != "" || got.All != "" || got.Title != "Tests at risk" {
		t.Errorf("%q, all %q (-want +got):\n%s", got.Title, got.All, diff)
	}
	for n := range 9 {
		f.Tests = append(f.Tests, findings.Test{Name: fmt.Sprint("more ", n), Before: of(10)})
	}
	if got := newRisks(f, nil); len(got.Rows) != maxRisks || got.All != "#tests" || got.Rows[1].Name != "more 0" {
		t.Errorf("of 13 tests: %+v", got)
	}
	if got := newRisks(&findings.Findings{}, nil); got != nil {
		t.Errorf("of none: %+v", got)
	}
}

// Without tests, sequences are named that went otherwise, or of which something moves; no steady one.
func TestRisksOfSequences(t *testing.T) {
	f := gathered(t, recorded.Market(), 10)
	got := newRisks(f, sequenceViews(f))
	if len(got.Rows) != f.Headline.AtRisk || got.Title != "Sequences at risk" {
		t.Fatalf("%d are named of %d", len(got.Rows), f.Headline.AtRisk)
	}
	if first := got.Rows[0]; first.Words != "not reproduced" || first.Why != "otherwise in runs 4, 9; 5 places: Time, Rand" {
		t.Errorf("the first is %+v", first)
	}
}
