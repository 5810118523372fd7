package mend

import (
	"fmt"

	"github.com/flaketap/flaketap/suite"
)

// UnreachedReport is a test that no execution came to the end of: what stands behind the assertion that fails is judged
// by nothing, and what it depends on is not known.
type UnreachedReport struct {
	Test   string `json:"test"`
	Line   int    `json:"line"` // of the first assertion that no execution came to
	Reason string `json:"reason"`
}

// unreached are the tests of a file that fail in each execution before one of their calls was sent, in its order. Those
// that are given something back are seen to their end in trials.
func (r *Round) unreached(f boundFile) []UnreachedReport {
	if r.o.Restore {
		return nil
	}
	var out []UnreachedReport
	failing := map[string]int{} // by test, the line of the first assertion that fails
	seen := map[string]bool{}
	for _, v := range f.Verdicts() {
		switch {
		case seen[v.Test] || len(r.grafts[f.path][v.Test].Trials) > 1:
		case v.Failed > 0 && v.Failed == v.Of && failing[v.Test] == 0:
			failing[v.Test] = v.Line
		case v.Finding == suite.Unseen && v.Relation != "" && failing[v.Test] > 0:
			seen[v.Test] = true
			out = append(out, UnreachedReport{Test: v.Test, Line: v.Line,
				Reason: fmt.Sprintf("the assertion in line %d fails in each execution, so none came to what stands here: "+
					"run the patched suite, and patch it by that", failing[v.Test])})
		}
	}
	return out
}
