package align

import (
	"cmp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/script"
)

// Run is what a test sends in one go: all of it, or what it sends in one of its runs.
type Run struct {
	Test  *script.Test
	Calls []*script.Call
}

// Whole is a test with all that it sends.
func Whole(t *script.Test) Run { return Run{t, t.Calls} }

// Orders lists the orders in which runners run the tests: that of the names of their classes and theirs (unittest, and
// pytest where told so), that of the file (pytest, and Jest, whose tables run all tests that stand in them with one row
// before the next), that of the hash codes of their names (JUnit 4 and 5, which call theirs deterministic but not
// obvious), and that of the file with a group's own tests before those of the groups in it (Mocha).
func Orders(s *script.Script) [][]Run {
	byName, byFile, byHash := slices.Clone(s.Tests), slices.Clone(s.Tests), slices.Clone(s.Tests)
	slices.SortStableFunc(byName, func(a, b *script.Test) int {
		return cmp.Or(cmp.Compare(a.Turn, b.Turn), slices.CompareFunc(a.Groups, b.Groups, byGroupName),
			cmp.Compare(a.Name, b.Name))
	})
	slices.SortStableFunc(byFile, func(a, b *script.Test) int { return cmp.Compare(a.Turn, b.Turn) })
	slices.SortStableFunc(byHash, func(a, b *script.Test) int {
		return cmp.Or(cmp.Compare(a.Turn, b.Turn), cmp.Compare(script.JavaHash(a.Name), script.JavaHash(b.Name)),
			cmp.Compare(a.Name, b.Name))
	})
	outerFirst := slices.Clone(byFile)
	slices.SortStableFunc(outerFirst, func(a, b *script.Test) int {
		return cmp.Or(cmp.Compare(a.Turn, b.Turn), slices.CompareFunc(a.Groups, b.Groups, byGroup))
	})
	var out [][]Run
	for _, order := range [][]Run{wholes(byName), inTurns(byFile), wholes(byHash), wholes(outerFirst)} {
		if !slices.ContainsFunc(out, func(o []Run) bool { return slices.EqualFunc(o, order, sameRun) }) {
			out = append(out, order)
		}
	}
	return out
}

func byGroup(a, b script.Group) int { return cmp.Compare(a.Start, b.Start) }

func byGroupName(a, b script.Group) int { return cmp.Compare(a.Name, b.Name) }

func wholes(tests []*script.Test) []Run {
	out := make([]Run, len(tests))
	for i, t := range tests {
		out[i] = Whole(t)
	}
	return out
}

func sameRun(a, b Run) bool { return a.Test == b.Test && slices.Equal(a.Calls, b.Calls) }

// inTurns are the runs of tests that stand in the order of their file, those in turns that take turns.
func inTurns(tests []*script.Test) []Run {
	type placed struct {
		Run
		at []int
	}
	var all []placed
	for _, t := range tests {
		if len(t.Runs) == 0 {
			all = append(all, placed{Whole(t), []int{t.Turn, t.Head.Start}})
		}
		for i, r := range t.Runs {
			end := len(t.Calls)
			if i+1 < len(t.Runs) {
				end = t.Runs[i+1].From
			}
			all = append(all, placed{Run{t, t.Calls[r.From:end]}, append([]int{t.Turn}, r.Place...)})
		}
	}
	if slices.ContainsFunc(tests, func(t *script.Test) bool { return len(t.Runs) > 0 }) {
		slices.SortStableFunc(all, func(a, b placed) int { return slices.Compare(a.at, b.at) })
	}
	out := make([]Run, len(all))
	for i, one := range all {
		out[i] = one.Run
	}
	return out
}

// MaxForward is how many orders a suite runs in that is not told to run the other way round.
const MaxForward = 4

// Backward are orders the other way round: whoever looks for tests that lean on each other runs them so.
func Backward(orders [][]Run) [][]Run {
	var out [][]Run
	for _, order := range orders {
		reversed := slices.Clone(order)
		slices.Reverse(reversed)
		out = append(out, reversed)
	}
	return out
}

// Resolved is the generator's resolve_location as far as the path goes: the location's path, with what the template has
// beyond its length; the template where there is no location.
func Resolved(location, template string) string {
	if location == "" {
		return template
	}
	path, _ := exchange.SplitTarget(location)
	have := strings.Count(path, "/")
	for i, segment := range strings.Split(template, "/") {
		if i > have {
			path += "/" + segment
		}
	}
	return path
}
