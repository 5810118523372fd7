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
		candidates = append(amongElements(x), w.learnedOfElement(x, trials)...)
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
	for _, one := range shapesWith(trials, x.X, x.Y) {
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

// amongElements says of a value that is taken from an element of a list that some element of it has the value.
func amongElements(x expr.Compare) []expr.Expr {
	var out []expr.Expr
	_, steps := expr.Steps(x.X)
	for _, step := range steps {
		if _, isName := step.I.(expr.Str); isName {
			continue
		}
		among := step
		if ordered, ok := step.X.(expr.Ordered); ok {
			among.X = ordered.List
		}
		out = append(out, expr.MemberOf(among, expr.Subst(x.X, step, among), x.Y))
	}
	return out
}

// shapesWith says how something that is made of answers is always written, and what is expected of it too.
func shapesWith(trials []expr.Scope, x, expected expr.Expr) []expr.Expr {
	var values []any
	for _, s := range trials {
		v, err := s.Eval(x)
		if err != nil {
			return nil
		}
		values = append(values, v)
	}
	if v, err := (expr.Scope{}).Eval(expected); err == nil && !slices.ContainsFunc(values, func(seen any) bool {
		return expr.TypeOf(seen) != expr.TypeOf(v)
	}) {
		values = append(values, v)
	}
	return expr.Shapes(x, values)
}

// learnedOfElement is what the map knows of what is taken from an element of a list, whichever that is.
func (w *weakening) learnedOfElement(x expr.Compare, trials []expr.Scope) []expr.Expr {
	first := inFirst(x.X)
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

// inFirst leads to the first element of a list where a path leads to one that is picked, or that comes first in order.
func inFirst(x expr.Expr) expr.Expr {
	step, ok := x.(expr.Index)
	if !ok {
		return x
	}
	if _, isName := step.I.(expr.Str); isName {
		step.X = inFirst(step.X)
		return step
	}
	switch list := step.X.(type) {
	case expr.Ordered:
		return inFirst(expr.Index{X: list.List, I: expr.Int(0)})
	case expr.Each:
		return expr.Subst(list.Elem, expr.Name{ID: list.Var}, inFirst(expr.Index{X: list.List, I: expr.Int(0)}))
	}
	return expr.Index{X: inFirst(step.X), I: expr.Int(0)}
}
