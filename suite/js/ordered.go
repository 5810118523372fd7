package js

import "github.com/flaketap/flaketap/suite/expr"

// most reads Math.max(...x) and Math.min(...x): the first of a list in order.
func (r *Reading) most(name string, args []*Node) (expr.Expr, bool) {
	if name != "max" && name != "min" || len(args) != 1 || args[0].Form != NodeUnary || args[0].Text != Spread {
		return nil, false
	}
	list, ok := r.Meaning(args[0].Args[0])
	return expr.Index{X: expr.Ordered{List: list, Falling: name == "max"}, I: expr.Int(0)}, ok
}

// first writes the first of a list of numbers in order.
func (w *Writer) first(x expr.Index) (string, bool) {
	list, ok := x.X.(expr.Ordered)
	if !ok || list.Key != nil || !expr.Identical(x.I, expr.Int(0)) {
		return "", false
	}
	if list.Falling {
		return "Math.max(..." + w.Value(list.List) + ")", true
	}
	return "Math.min(..." + w.Value(list.List) + ")", true
}
