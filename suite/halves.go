package suite

import (
	"github.com/flaketap/flaketap/suite/expr"
)

// halves is what is left of a comparison that speaks of more than one place, or of a range: each of its halves that
// holds, and of what does not hold the type; nil where there is nothing.
func (w *weakening) halves(x expr.Expr, trials []expr.Scope) expr.Expr {
	var says []expr.Expr
	switch x := x.(type) {
	case expr.Between:
		for _, half := range []expr.Expr{expr.Cmp(x.Low, expr.Le, x.X), expr.Cmp(x.X, expr.Le, x.High)} {
			if seen, failed := hold(half, trials); failed == 0 && len(seen) == len(trials) {
				says = append(says, half)
			}
		}
		if len(says) == 0 {
			says = typesOf(trials, x.X)
		}
	case expr.Compare:
		a, isList := x.X.(expr.List)
		b, areLists := x.Y.(expr.List)
		switch {
		case x.Op == expr.Eq && isList && areLists && len(a.Elems) == len(b.Elems) && len(a.Elems) <= maxParts:
			var elems []expr.Expr
			for i := range a.Elems {
				elems = append(elems, expr.Same(a.Elems[i], b.Elems[i]))
			}
			says = w.parts(elems, trials)
		case isOrder(x.Op):
			says = typesOf(trials, x.X, x.Y)
		}
	}
	if len(says) == 0 {
		return nil
	}
	return expr.AllOf(says...)
}

// isOrder reports whether an operator compares values of one type.
func isOrder(op expr.Op) bool {
	switch op {
	case expr.Eq, expr.Lt, expr.Le, expr.Gt, expr.Ge:
		return true
	}
	return false
}

// typesOf says of each of some expressions that are taken from answers what type it always has.
func typesOf(trials []expr.Scope, xs ...expr.Expr) []expr.Expr {
	var out []expr.Expr
	for _, x := range xs {
		base, _ := expr.Steps(x)
		if _, ok := base.(expr.Answer); !ok {
			continue
		}
		var values []any
		for _, s := range trials {
			if v, err := s.Eval(x); err == nil {
				values = append(values, v)
			}
		}
		if len(values) < len(trials) {
			continue
		}
		shapes := expr.Shapes(x, values)
		out = append(out, shapes[len(shapes)-1])
	}
	return out
}
