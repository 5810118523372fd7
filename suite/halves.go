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
			says = expr.TypesOf(trials, x.X)
		}
	case expr.Any:
		if x := w.ofElements(expr.All(x), trials); x != nil {
			says = []expr.Expr{x}
		}
	case expr.All:
		if x := w.ofElements(x, trials); x != nil {
			says = []expr.Expr{x}
		}
	case expr.Match:
		says = expr.ShapesOf(trials, x.X)
	case expr.HasPrefix:
		says = expr.ShapesOf(trials, x.X)
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
		case x.Op == expr.Eq && len(expr.Memberwise(x)) > 0:
			says = w.parts(expr.Memberwise(x), trials)
		case x.Op == expr.Eq && expr.FromAnswer(x.X) && expr.IsLiteral(x.Y):
			says = w.ofComputed(x, trials)
		case x.Op == expr.Eq && expr.IsPiece(x.X):
			says = expr.ShapesOf(trials, x.X)
		case x.Op == expr.Eq:
			says = append(expr.ShapesOf(trials, x.X), expr.ShapesOf(trials, x.Y)...)
		case expr.IsOrder(x.Op):
			says = expr.TypesOf(trials, x.X, x.Y)
		}
	}
	if len(says) == 0 {
		return nil
	}
	return expr.AllOf(says...)
}
