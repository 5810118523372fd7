package stabilize

import (
	"slices"

	"github.com/flaketap/flaketap/suite/mend"
	"github.com/flaketap/flaketap/suite/results"
)

// base is the round whose suite is patched after this one: itself. Where it was given set-ups only so that it holds in
// other orders of its tests, and does not hold in its own with them, it is the round before, which does, without those
// that are to blame.
func (r *round) base() (from *round, restraint mend.Restraint) {
	if !r.failing() || r.from == nil || r.from.broken() == nil {
		return r, r.restraint
	}
	if given, _ := r.by.given(); len(given) == 0 {
		return r, r.restraint // no set-up is in its way
	}
	return r.from, r.blamed()
}

// before lists those of some tests that may have run before one that failed in the first run: not those that stand
// behind the last of these in the same group. Other groups may have run at the same time.
func (r *round) before(some []string) []string {
	all := r.runs[0].Results
	last := -1
	for i, t := range all {
		if t.Failed() {
			if last >= 0 && all[last].Suite != t.Suite {
				return some
			}
			last = i
		}
	}
	if last < 0 {
		return some
	}
	return slices.DeleteFunc(slices.Clone(some), func(test string) bool {
		return slices.ContainsFunc(all[last:], func(t results.Result) bool {
			return t.Suite == all[last].Suite && t.ID().Is(test)
		})
	})
}

// best is the round whose suite is the result: the last one that holds; where none does, the one of whose tests the
// smallest share fails, the last of several. A test that another round ran and this one did not, since it broke off,
// counts as failing.
func (s *session) best() *round {
	most := 0
	for _, r := range s.rounds {
		m, _ := r.measured()
		most = max(most, m.Tests)
	}
	best, least := s.rounds[0], 2.0
	for _, r := range s.rounds {
		m, _ := r.measured()
		rate := m.Rate
		if most > 0 {
			rate = (m.Rate*float64(m.Tests) + float64(most-m.Tests)) / float64(most)
		}
		if rate <= least {
			best, least = r, rate
		}
	}
	return best
}

// line lists the rounds by which a suite came to be, from the first one on.
func (r *round) line() (out []*round) {
	for ; r != nil; r = r.from {
		out = append(out, r)
	}
	slices.Reverse(out)
	return out
}
