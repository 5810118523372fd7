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
	subject := lookedAt(each.Elem)
	var candidates []expr.Expr
	if one.a.Relation != "" && len(some) > 0 {
		one.subject, one.active = one.a.Subject(), some
		subject = expr.Subst(one.subject, first, element)
		candidates = one.consequents()
	}
	if subject == nil {
		return nil
	}
	if values := elementValues(expr.Each{Elem: subject, Var: each.Var, List: each.List}, trials); len(values) > 0 {
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

// elementValues are the values of all elements in all trials; nil where one has none.
func elementValues(each expr.Each, trials []expr.Scope) []any {
	var out []any
	for _, s := range trials {
		v, err := s.Eval(each)
		items, ok := v.(expr.Items)
		if err != nil || !ok {
			return nil
		}
		out = append(out, items...)
	}
	return out
}

// lookedAt is the value that a condition is about; nil where that is not one.
func lookedAt(x expr.Expr) expr.Expr {
	switch x := x.(type) {
	case expr.Compare:
		if expr.IsLiteral(x.X) {
			return x.Y
		}
		return x.X
	case expr.Between:
		return x.X
	case expr.Match:
		return x.X
	case expr.HasPrefix:
		return x.X
	case expr.HasSuffix:
		return x.X
	case expr.SameItems:
		return x.X
	case expr.Not:
		return lookedAt(x.X)
	}
	return nil
}
