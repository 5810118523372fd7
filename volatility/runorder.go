package volatility

import (
	"cmp"
	"slices"

	"github.com/flaketap/flaketap/exchange"
)

// timeRanks numbers runs by when they began: what goes on from run to run goes on in time, whatever numbers the runs were
// given, as files of them are imported in any order. It is nil where the order of the numbers is that of time, or where
// it is not known of every run when it began.
func timeRanks(runs []exchange.Run) map[int]int {
	inTime := slices.Clone(runs)
	for _, r := range runs {
		if r.Started.IsZero() {
			return nil
		}
	}
	earlier := func(a, b exchange.Run) int {
		return cmp.Or(a.Started.Compare(b.Started), cmp.Compare(a.Number, b.Number))
	}
	if slices.IsSortedFunc(runs, earlier) {
		return nil
	}
	slices.SortFunc(inTime, earlier)
	out := make(map[int]int, len(runs))
	for i, r := range inTime {
		out[r.Number] = i
	}
	return out
}

// inTime returns the observations of a step in the order in which their runs began.
func (j *judge) inTime(observations []*exchange.Observation) []*exchange.Observation {
	if j.timeRank == nil {
		return observations
	}
	observations = slices.DeleteFunc(slices.Clone(observations), func(o *exchange.Observation) bool { return o == nil })
	slices.SortStableFunc(observations, func(a, b *exchange.Observation) int { return cmp.Compare(j.timeRank[a.Run], j.timeRank[b.Run]) })
	return observations
}
