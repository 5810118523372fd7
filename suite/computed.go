package suite

import (
	"cmp"
	"slices"

	"github.com/flaketap/flaketap/suite/expr"
)

// ofComputed is what is left of a comparison of something that is made of answers with what is written out, the
// strongest first: the elements in any order, the value among those of the list that it was taken from, how it is
// written.
func (w *weakening) ofComputed(x expr.Compare, trials []expr.Scope) []expr.Expr {
	if !expr.FromAnswer(x.X) || !expr.IsLiteral(x.Y) || len(trials) == 0 {
		return nil
	}
	var candidates []expr.Expr
	list, isList := x.Y.(expr.List)
	switch {
	case isList && len(list.Elems) > 0 && !slices.ContainsFunc(list.Elems, expr.IsComposite):
		candidates = append(candidates, expr.SameItems{X: x.X, Y: list})
	case !isList && !expr.IsComposite(x.Y):
		candidates = append(expr.AmongElements(x), w.learnedOfElement(x, trials)...)
	}
	for _, one := range candidates {
		if w.sayable(one, trials) {
			return []expr.Expr{one}
		}
	}
	if isList {
		if says := w.ofList(x.X, list, trials); len(says) > 0 {
			return says
		}
	}
	for _, one := range expr.ShapesWith(trials, x.X, x.Y) {
		if w.sayable(one, trials) {
			return []expr.Expr{one}
		}
	}
	return nil
}

// sayable reports whether a statement holds in each of some trials, and can be written.
func (w *weakening) sayable(x expr.Expr, trials []expr.Scope) bool {
	if seen, failed := hold(x, trials); failed > 0 || len(seen) < len(trials) {
		return false
	}
	_, ok := w.p.script.Writer.Assert(w.p.script, w.t, cmp.Or(w.whole, w.a), x)
	return ok || w.whole != nil && w.whole.Runs
}

// learnedOfElement is what the map knows of what is taken from an element of a list, whichever that is.
func (w *weakening) learnedOfElement(x expr.Compare, trials []expr.Scope) []expr.Expr {
	first := expr.InFirst(x.X)
	some := slices.DeleteFunc(slices.Clone(trials), func(s expr.Scope) bool {
		_, err := s.Eval(first)
		return err != nil
	})
	one := w.partOf(expr.Same(first, x.Y), some)
	if one.a.Relation == "" || one.field == nil || !one.field.Place.Matches(one.a.Place) || len(some) == 0 {
		return nil
	}
	one.subject, one.active = one.a.Subject(), some
	_, claimed := one.samples()
	var out []expr.Expr
	for _, says := range one.learnedOf(claimed) {
		out = append(out, expr.Subst(says, first, x.X))
	}
	return out
}
