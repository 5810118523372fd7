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
// comparison: those that the recorded answer and this one have in common stand in another order, and never did before;
// or one that stood at the same place in each answer stands at another one.
func (j *judging) orders() {
	if j.recorded == nil || j.op == nil {
		return
	}
	then, now := arrays(j.recorded), arrays(j.now)
	for _, place := range slices.Sorted(maps.Keys(then)) {
		if _, said := j.found[place]; said || j.apart(place) || now[place] == "" || now[place] == then[place] {
			continue
		}
		was, is := raws(then[place]), raws(now[place])
		f := Finding{Place: place, Kind: Never, Field: j.op.At(place), Says: "has elements in another order", Of: 1 + len(j.earlier)}
		f.Unsure = f.Of < Enough
		switch {
		case inverted(was, is):
			if slices.ContainsFunc(j.arraysBefore(place), func(before []string) bool { return inverted(was, before) }) {
				f = Finding{Place: place, Kind: Moves, Field: f.Field, Says: f.Says}
			}
			j.add(f)
		case j.displaced(place, was, is):
			j.add(f)
		}
	}
}

// arraysBefore are the raw elements of the arrays that earlier answers had at a place.
func (j *judging) arraysBefore(place exchange.Place) [][]string {
	var out [][]string
	for _, a := range j.earlier {
		if raw := arrays(a)[place]; raw != "" && a.SameStatus(j.recorded) {
			out = append(out, raws(raw))
		}
	}
	return out
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
func inverted(a, b []string) bool {
	last := -1
	for _, at := range shared(a, b) {
		if at[1] < last {
			return true
		}
		last = at[1]
	}
	return false
}

// displaced reports whether an element of an array stands at another place in one that is as long, though in all those
// before it stood where it does in the first.
func (j *judging) displaced(place exchange.Place, was, is []string) bool {
	moved := slices.DeleteFunc(shared(was, is), func(at [2]int) bool { return at[0] == at[1] })
	if len(moved) == 0 || len(was) != len(is) {
		return false
	}
	before := j.arraysBefore(place)
	return slices.ContainsFunc(moved, func(at [2]int) bool {
		return !slices.ContainsFunc(before, func(array []string) bool {
			return len(array) != len(was) || array[at[0]] != was[at[0]]
		})
	})
}

// shared are the elements that two arrays have once each, in the order of the first: where they stand in both.
func shared(a, b []string) [][2]int {
	if slices.Equal(a, b) {
		return nil
	}
	var out [][2]int
	first, second := once(a), once(b)
	for i, raw := range a {
		if n, there := second[raw]; there && first[raw] == i && n >= 0 {
			out = append(out, [2]int{i, n})
		}
	}
	return out
}

// once is where each element of an array stands; -1 for one that it has twice.
func once(array []string) map[string]int {
	at := make(map[string]int, len(array))
	for i, raw := range array {
		if _, twice := at[raw]; twice {
			i = -1
		}
		at[raw] = i
	}
	return at
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
