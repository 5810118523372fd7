package breach

import (
	"maps"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/jsontree"
	"github.com/flaketap/flaketap/volatility/compare"
)

// maxOrdered bounds the elements of an array whose order is looked at.
const maxOrdered = 1000

// orders finds elements that changed places in an array of which others move, so that it is no mere reordering to a
// comparison: those that the recorded answer and this one have in common stand in another order, and never did before.
func (j *judging) orders() {
	if j.recorded == nil || j.op == nil {
		return
	}
	then, now := arrays(j.recorded), arrays(j.now)
	for _, place := range slices.Sorted(maps.Keys(then)) {
		if _, said := j.found[place]; said || j.apart(place) || !inverted(then[place], now[place]) {
			continue
		}
		before := slices.ContainsFunc(j.earlier, func(a *compare.Answer) bool {
			return a.SameStatus(j.recorded) && inverted(then[place], arrays(a)[place])
		})
		f := Finding{Place: place, Kind: Never, Field: j.op.At(place), Says: "has elements in another order"}
		if before {
			f.Kind = Moves
		} else {
			f.Of = 1 + len(j.earlier)
			f.Unsure = f.Of < Enough
		}
		j.add(f)
	}
}

// arrays are the raw arrays of an answer, by their places.
func arrays(a *compare.Answer) map[exchange.Place]string {
	out := map[exchange.Place]string{}
	a.Walk(func(place exchange.Place, raw string) {
		if strings.HasPrefix(raw, "[") {
			out[place] = raw
		}
	})
	return out
}

// inverted reports whether elements that two arrays have once each stand in another order in the second.
func inverted(a, b string) bool {
	if a == b || a == "" || b == "" {
		return false
	}
	at := map[string]int{} // in b, from 1; 0 for what it has twice
	for i, raw := range raws(b) {
		if _, twice := at[raw]; twice {
			at[raw] = 0
			continue
		}
		at[raw] = i + 1
	}
	last, seen := 0, map[string]bool{}
	for _, raw := range raws(a) {
		n := at[raw]
		if n == 0 || seen[raw] {
			continue
		}
		if seen[raw] = true; n < last {
			return true
		}
		last = n
	}
	return false
}

// raws are the raw elements of an array; none where there are too many.
func raws(array string) []string {
	n, err := jsontree.Parse(array, jsontree.Bounds{Depth: compare.MaxDepth})
	if err != nil || len(n.Children) > maxOrdered {
		return nil
	}
	out := make([]string, len(n.Children))
	for i := range n.Children {
		out[i] = n.Children[i].Raw
	}
	return out
}
