package stabilize

import (
	"slices"

	"github.com/flaketap/flaketap/suite/mend"
	"github.com/flaketap/flaketap/suite/results"
	"github.com/flaketap/flaketap/suite/verify"
)

// blamed says which set-ups are in the way of the tests that fail. Those that leave more behind each time, before these
// tests, look first whether it is there. Where they do already, or cannot, they are withheld; then those of the tests
// that fail; then all that leave something behind; then half of all that come before a test that fails, the later half
// first; and in the end all. What was withheld in vain is given again.
func (r *round) blamed() mend.Restraint {
	given, leaving := r.by.given()
	earlier, before, now := r.before(leaving), r.before(given), r.restraint
	if looking := with(now.LookFirst, earlier); len(looking) > len(now.LookFirst) {
		return mend.Restraint{Withhold: now.Withhold, LookFirst: looking}
	}
	failed := r.failed()
	own := slices.DeleteFunc(slices.Clone(given), func(test string) bool { return !results.Among(failed, test) })
	last, ever := r.inVain()
	kept := slices.DeleteFunc(slices.Clone(now.Withhold), func(id results.ID) bool { return slices.Contains(last, id) })
	half := len(before) / 2
	for _, some := range [][]string{earlier, own, leaving, before[half:], before[:half]} {
		if slices.ContainsFunc(some, func(test string) bool { return !results.Among(ever, test) }) {
			return mend.Restraint{Withhold: with(kept, some), LookFirst: now.LookFirst}
		}
	}
	return mend.Restraint{Withhold: with(now.Withhold, given), LookFirst: now.LookFirst}
}

// inVain are the tests that were withheld for this round in vain, and all that were since the suite held in its own
// order: they fail all the same, or the same tests fail as before.
func (r *round) inVain() (last, ever []results.ID) {
	for c := r; c.after != nil && c.after.from == c.from; c = c.after {
		same := slices.Equal(c.failed(), c.after.failed())
		more := slices.DeleteFunc(slices.Clone(c.restraint.Withhold), func(id results.ID) bool {
			return slices.Contains(c.after.restraint.Withhold, id) || !same && !results.Among(c.failed(), id.Name)
		})
		if ever = append(ever, more...); c == r {
			last = more
		}
	}
	return last, ever
}

// failed are the tests that failed in a run of the round, in the order of their runner.
func (r *round) failed() (out []results.ID) {
	tests, _ := verify.Tally(r.outcomes())
	for _, t := range tests {
		if t.Failed > 0 {
			out = append(out, t.ID)
		}
	}
	return out
}

// with are some tests and those of others that are not among them.
func with(some []results.ID, others []string) []results.ID {
	out := slices.Clone(some)
	for _, test := range others {
		if !results.Among(out, test) {
			out = append(out, results.ID{Name: test})
		}
	}
	return out
}
