package suite

import (
	"slices"
	"strconv"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
)

// multiset says of an array in any order, of whose elements the test expects one value of each, that it has these
// values, each as often: that one of them is there, as said for each, would not tell a second time. It gives nothing
// where no value is expected twice.
func (w *weakening) multiset(step expr.Index) []expr.Expr {
	n, ok := step.I.(expr.Num)
	array, own := w.arrayPlace()
	if _, err := strconv.Atoi(n.Text); !ok || err != nil || own < 0 {
		return nil
	}
	claims := map[string]expr.Expr{}
	for _, a := range w.t.Assertions {
		segments := a.Place.Segments()
		if a.Call != w.a.Call || a.Relation != exchange.Equal || len(segments) <= own ||
			a.Place.General(own) != array {
			continue
		}
		claims[segments[own]] = literalOf(a)
	}
	var list expr.List
	repeated := false
	for i := range len(claims) {
		claim := claims[strconv.Itoa(i)]
		if claim == nil || expr.IsComposite(claim) {
			return nil
		}
		repeated = repeated || slices.ContainsFunc(list.Elems, func(x expr.Expr) bool { return expr.Identical(x, claim) })
		list.Elems = append(list.Elems, claim)
	}
	if !repeated {
		return nil
	}
	const element = "e"
	var each expr.Expr = expr.Each{Elem: expr.Subst(w.subject, step, expr.Name{ID: element}), Var: element, List: step.X}
	if expr.Identical(w.subject, step) {
		each = step.X
	}
	return []expr.Expr{expr.SameItems{X: each, Y: list}}
}

// arrayPlace returns the place of the assertion with a wildcard for the element of the array in any order, and which of
// its segments that is; -1 where there is none.
func (w *weakening) arrayPlace() (exchange.Place, int) {
	place := w.a.Place
	for i := len(place.Segments()) - 1; i > 0; i-- {
		if place = place.Parent(); w.field != nil && w.field.Place.Matches(place) {
			return w.a.Place.General(i), i
		}
	}
	return "", -1
}

// literalOf returns the value that an assertion of equality compares with; nil where there is none.
func literalOf(a *script.Assertion) expr.Expr {
	c, ok := expr.Last(a.Meaning).(expr.Compare)
	if !ok {
		return nil
	}
	return c.Y
}
