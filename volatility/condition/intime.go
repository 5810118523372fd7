package condition

import (
	"cmp"
	"slices"

	"github.com/flaketap/flaketap/exchange"
)

// InTime numbers runs by when they began: what goes on from run to run goes on in time, whatever numbers the runs
// were given, as files of them are imported in any order. It is nil where the order of the numbers is that of time, or
// where it is not known of every run when it began.
func InTime(runs []exchange.Run) map[int]int {
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
