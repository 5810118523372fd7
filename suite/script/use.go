package script

import (
	"maps"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
)

// In is what the names of a shared assertion stand for in this use, by those of the test; false where an answer is not
// known.
func (u Use) In(s expr.Scope) (expr.Scope, bool) {
	own := expr.Scope{}
	for of, answer := range u.Answers {
		if s[answer] == nil {
			return nil, false
		}
		own[of] = s[answer]
	}
	for name, value := range u.Values {
		own.Take(name, value, 0)
	}
	return own, true
}

// names are those that stand for something else in each use, in order.
func (u Use) names() []string { return slices.Sorted(maps.Keys(u.Values)) }

// Alike are trials apart by what the names stand for in them that differ between uses, in order.
func (u Use) Alike(trials []expr.Scope) (out [][]expr.Scope) {
	var keys []string
	for _, s := range trials {
		var key strings.Builder
		for _, name := range u.names() {
			key.WriteString(expr.Show(s[name]) + "\n")
		}
		at := slices.Index(keys, key.String())
		if at < 0 {
			at, keys, out = len(keys), append(keys, key.String()), append(out, nil)
		}
		out[at] = append(out[at], s)
	}
	return out
}

// Written is what an assertion says with what names stand for written out; false where that is no literal.
func (u Use) Written(x expr.Expr, given expr.Scope) (expr.Expr, bool) {
	for _, name := range u.names() {
		value, ok := expr.Literal(given[name])
		if !ok {
			return nil, false
		}
		x = expr.Subst(x, expr.Name{ID: name}, value)
	}
	return x, true
}

// Named is the opposite of Written among the values that are admitted, and where members are named.
func (u Use) Named(x expr.Expr, given expr.Scope) expr.Expr {
	for _, name := range u.names() {
		value, _ := expr.Literal(given[name])
		var was, is []expr.Expr
		expr.Walk(x, func(y expr.Expr) {
			switch y := y.(type) {
			case expr.Index:
				if expr.Identical(y.I, value) {
					was, is = append(was, y), append(is, expr.Index{X: y.X, I: expr.Name{ID: name}})
				}
			case expr.Set:
				was, is = append(was, y), append(is, expr.Subst(y, value, expr.Name{ID: name}))
			}
		})
		for i := range was {
			x = expr.Subst(x, was[i], is[i])
		}
	}
	return x
}

// Admits reports whether one statement admits what another expects, among other values.
func Admits(x, expected expr.Expr) bool {
	was, ok := expected.(expr.Compare)
	is, too := x.(expr.Compare)
	set, several := is.Y.(expr.Set)
	return ok && too && several && was.Op == expr.Eq && is.Op == expr.In && expr.Identical(was.X, is.X) &&
		slices.ContainsFunc(set.Elems, func(y expr.Expr) bool { return expr.Identical(y, was.Y) })
}

// NamesMembers reports whether a function is given the name of a member that it asks for: whether that is there is
// another question in each use.
func NamesMembers(x expr.Expr) bool {
	found := false
	expr.Walk(x, func(y expr.Expr) {
		switch y := y.(type) {
		case expr.Get:
			_, named := y.Key.(expr.Name)
			found = found || named
		case expr.Index:
			_, named := y.I.(expr.Name)
			found = found || named
		}
	})
	return found
}

// Everywhere are the names of calls that stand for the same in each use.
func Everywhere(uses []Use, first map[string]string, of func(i int) map[string]string) map[string]string {
	out := map[string]string{}
	for answer, name := range first {
		same := true
		for i, u := range uses {
			same = same && u.Answers[answer] != "" && of(i)[u.Answers[answer]] == name
		}
		if same {
			out[answer] = name
		}
	}
	return out
}

// AssertionsOf are those of a test, and those that functions make for it as they are in its own words.
func (s *Script) AssertionsOf(t *Test) (out []*Assertion) {
	for _, a := range t.Assertions {
		if len(a.Uses) == 0 {
			out = append(out, a)
		}
	}
	for _, other := range s.Tests {
		for _, a := range other.Assertions {
			for _, use := range a.Uses {
				if use.Test == t {
					out = append(out, use.Instance(a))
				}
			}
		}
	}
	return out
}
