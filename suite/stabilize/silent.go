package stabilize

import (
	"fmt"
	"io"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/suite/results"
	"github.com/flaketap/flaketap/suite/verify"
)

// tellResults says where the runs of a round left no results of tests, or fewer than runs before them: a process that
// ends early, as by process.exit(0), may have passed over a failure.
func (s *session) tellResults(r *round) {
	if n := silent(r.runs); n > 0 {
		s.console.Say("round %d: %s left no results of tests: %s", r.number, console.Count(n, "run"), unproven)
	}
	most := 0
	for i, x := range r.runs {
		if !x.Silent && len(x.Results) < most {
			s.console.Say("flaketap: run %d of round %d left only %s, of %d in a run before: the others are not proven",
				i+1, r.number, console.Count(len(x.Results), "result"), most)
		}
		if !x.Silent {
			most = max(most, len(x.Results))
		}
	}
}

// unproven is what a run without results comes to.
const unproven = "its exit status counts as one test, and nothing is proven test by test; " +
	"see that the command prints results (unittest -v, go test -json, jest --json) or leaves a file of them (--results), " +
	"and that no test ends the process"

// silent counts the runs that left no results.
func silent(runs []execution) (n int) {
	for _, x := range runs {
		if x.Silent {
			n++
		}
	}
	return n
}

// silentText says of runs of the last form that left no results that they prove little.
func (r *Result) silentText(w io.Writer) {
	if n := r.After.Silent; n > 0 {
		fmt.Fprintf(w, "no results: %d of %s left none: %s\n", n, console.Count(r.After.Runs, "run"), unproven)
	}
}

// ran are the tests of which the runs of a round left results; none where one of them left none.
func (r *round) ran() []results.ID {
	if silent(r.runs) > 0 {
		return nil
	}
	var out []results.ID
	tests, _ := verify.Tally(r.outcomes())
	for _, test := range tests {
		out = append(out, test.ID)
	}
	return out
}
