package script

import (
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
)

// Use is one call of a function that tests share: what such a function asserts holds where it holds in each of its
// uses.
type Use struct {
	Test *Test
	// Answers are the variables of the calls whose answers it is about in this use, by those that the assertion speaks
	// of.
	Answers map[string]string
	// Values are what names of the function stand for that stand for something else in another use.
	Values map[string]expr.Expr
}

// Of is what an assertion of the function says in this use, in the words of the test.
func (u Use) Of(x expr.Expr) expr.Expr {
	for name, value := range u.Values {
		x = expr.Subst(x, expr.Name{ID: name}, value)
	}
	return expr.Renamed(x, u.Answers)
}

// Instance is the assertion of a function as one of the test's own that this use has it be.
func (u Use) Instance(a *Assertion) *Assertion {
	own := &Assertion{Text: a.Text, Reason: a.Reason, At: a.At, Ours: a.Ours, Meaning: u.Of(a.Meaning)}
	own.File, own.Line, own.Test = a.File, a.Line, u.Test.Name
	if !(Claims{Test: u.Test}).Any(own, own.Meaning) {
		own.Claim = exchange.Claim{File: a.File, Line: a.Line, Test: u.Test.Name}
	}
	return own
}

// expect notes the status that an assertion of the function asserts in this use, of a call of which the test itself
// asserts none.
func (u Use) expect(a *Assertion) {
	own := u.Instance(a)
	if own.Place != exchange.PlaceStatus || own.Relation != exchange.Equal {
		return
	}
	if c := u.Test.Calls[own.Call]; c.ExpectedStatus == "" {
		c.ExpectedStatus = own.Value
	}
}

// maxUses bounds how often tests call a function that is followed for what it asserts.
const maxUses = 2000

// Saying is what an assertion of a function says in one use, and what names stand for there that are written out.
type Saying struct {
	Test  *Test
	Says  expr.Expr
	Names map[string]expr.Expr
}

// Shared is what an assertion of a function says in all of its uses, in the words of the first: about the answers that
// stand in the same places, and by name of what the function was given where that differs. It is false where no such
// statement says all of them.
func Shared(all []Saying) (x expr.Expr, uses []Use, ok bool) {
	if len(all) == 0 || len(all) > maxUses {
		return nil, nil, false
	}
	first := answersOf(all[0].Says)
	said := make([]expr.Expr, len(all))
	for i, one := range all {
		own := answersOf(one.Says)
		if len(own) != len(first) {
			return nil, nil, false
		}
		use, back := Use{Test: one.Test, Answers: map[string]string{}}, map[string]string{}
		for n, answer := range own {
			use.Answers[first[n]], back[answer] = answer, first[n]
		}
		said[i], uses = expr.Renamed(one.Says, back), append(uses, use)
	}
	names := differing(all)
	tries := [][]string{nil, names}
	for _, name := range names {
		tries = append(tries, []string{name})
	}
	for _, by := range tries {
		named := make([]expr.Expr, len(said))
		for i, x := range said {
			for _, name := range by {
				x = expr.Subst(x, all[i].Names[name], expr.Name{ID: name})
			}
			named[i] = x
		}
		if slices.ContainsFunc(named, func(x expr.Expr) bool { return !expr.Identical(x, named[0]) }) {
			continue
		}
		for i := range uses {
			uses[i].Values = map[string]expr.Expr{}
			for _, name := range by {
				uses[i].Values[name] = all[i].Names[name]
			}
		}
		return named[0], uses, true
	}
	return nil, nil, false
}

// answersOf are the variables of the answers that an expression is about, in the order in which it comes to them.
func answersOf(x expr.Expr) (out []string) {
	expr.Walk(x, func(y expr.Expr) {
		if of, ok := y.(expr.Answer); ok && !slices.Contains(out, of.Var) {
			out = append(out, of.Var)
		}
	})
	return out
}

// differing are the names that stand for something else in one use than in another, in order.
func differing(all []Saying) (out []string) {
	for name, value := range all[0].Names {
		everywhere, differs := true, false
		for _, one := range all {
			own, known := one.Names[name]
			everywhere = everywhere && known
			differs = differs || !expr.Identical(own, value)
		}
		if everywhere && differs {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}
