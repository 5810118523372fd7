package align

import (
	"cmp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/script"
)

// Orders lists the orders in which runners run the tests: that of their names (unittest, and pytest where told so),
// that of the file (pytest, Jest), and that of the hash codes of their names (JUnit 4 and 5, which call theirs
// deterministic but not obvious).
func Orders(s *script.Script) [][]*script.Test {
	byName, byFile, byHash := slices.Clone(s.Tests), slices.Clone(s.Tests), slices.Clone(s.Tests)
	slices.SortStableFunc(byName, func(a, b *script.Test) int {
		return cmp.Or(cmp.Compare(a.Turn, b.Turn), cmp.Compare(a.Name, b.Name))
	})
	slices.SortStableFunc(byFile, func(a, b *script.Test) int { return cmp.Compare(a.Turn, b.Turn) })
	slices.SortStableFunc(byHash, func(a, b *script.Test) int {
		return cmp.Or(cmp.Compare(a.Turn, b.Turn), cmp.Compare(script.JavaHash(a.Name), script.JavaHash(b.Name)),
			cmp.Compare(a.Name, b.Name))
	})
	var out [][]*script.Test
	for _, order := range [][]*script.Test{byName, byFile, byHash} {
		if !slices.ContainsFunc(out, func(o []*script.Test) bool { return slices.Equal(o, order) }) {
			out = append(out, order)
		}
	}
	return out
}

// MaxForward is how many orders a suite runs in that is not told to run the other way round.
const MaxForward = 3

// Backward are orders the other way round: whoever looks for tests that lean on each other runs them so.
func Backward(orders [][]*script.Test) [][]*script.Test {
	var out [][]*script.Test
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
