package suite

import (
	"cmp"
	"slices"

	"github.com/flaketap/flaketap/suite/expr"
)

// ofElements is the strongest statement of all elements of a list that is true of what a condition says of them: what
// can be said of the first, as the map knows of that, or of the values that all had; nil where there is none.
func (w *weakening) ofElements(all expr.All, trials []expr.Scope) expr.Expr {
	each, ok := all.X.(expr.Each)
	if !ok || each.Cond != nil {
		return nil
	}
	if and, several := each.Elem.(expr.And); several {
		var says []expr.Expr
		for _, x := range and.Xs {
			says = append(says, expr.All{X: expr.Each{Elem: x, Var: each.Var, List: each.List}})
		}
		return expr.AllOf(w.parts(says, trials)...)
	}
	element, first := expr.Name{ID: each.Var}, expr.Index{X: each.List, I: expr.Int(0)}
	some := slices.DeleteFunc(slices.Clone(trials), func(s expr.Scope) bool {
		_, err := s.Eval(first)
		return err != nil
	})
	one := w.partOf(expr.Subst(each.Elem, element, first), some)
	subject := expr.LookedAt(each.Elem)
	var candidates []expr.Expr
	if one.a.Relation != "" && len(some) > 0 {
		one.subject, one.active = one.a.Subject(), some
		subject = expr.Subst(one.subject, first, element)
		candidates = one.consequents()
	}
	if subject == nil {
		return nil
	}
	if values := expr.ElementValues(expr.Each{Elem: subject, Var: each.Var, List: each.List}, trials); len(values) > 0 {
		candidates = append(candidates, expr.Shapes(subject, values)...)
	}
	for _, x := range candidates {
		x = expr.All{X: expr.Each{Elem: expr.Subst(x, first, element), Var: each.Var, List: each.List}}
		if seen, failed := hold(x, trials); failed > 0 || len(seen) < len(trials) {
			continue
		}
		if _, ok := w.p.script.Writer.Assert(w.p.script, w.t, cmp.Or(w.whole, w.a), x); ok {
			return x
		}
	}
	return nil
}

// ofList is what is left of a comparison of a list that is made of one of an answer with one that is written out: how
// many elements it has, and that each is one of those, or what else holds of all.
func (w *weakening) ofList(x expr.Expr, list expr.List, trials []expr.Scope) (says []expr.Expr) {
	each, made := x.(expr.Each)
	if !made || each.Cond != nil {
		each = expr.Each{Elem: expr.Name{ID: "element"}, Var: "element", List: x}
	}
	if !expr.FromAnswer(each.List) || slices.ContainsFunc(list.Elems, expr.IsComposite) {
		return nil
	}
	all := expr.Each{Elem: expr.Cmp(each.Elem, expr.In, expr.Set(list)), Var: each.Var, List: each.List}
	for _, half := range []expr.Expr{expr.Cmp(expr.Length{X: x}, expr.Eq, expr.Int(len(list.Elems))), expr.All{X: all}} {
		if seen, failed := hold(half, trials); failed == 0 && len(seen) == len(trials) {
			says = append(says, half)
		} else if all, isAll := half.(expr.All); isAll {
			if rest := w.ofElements(all, trials); rest != nil {
				says = append(says, rest)
			}
		}
	}
	return says
}
