package logic

import (
	"slices"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/golang/pattern"
)

// AllOf says that all of some conditions hold; none are true.
func AllOf(xs []expr.Expr) expr.Expr {
	if len(xs) == 0 {
		return expr.Bool{Value: true}
	}
	return expr.AllOf(xs...)
}

// OneOf says that one of two conditions holds: that a value is one of some, where they say so.
func OneOf(a, b expr.Expr) expr.Expr {
	all := append(Parts[expr.Or](a), Parts[expr.Or](b)...)
	last := len(all) - 1
	second, ok := all[last].(expr.Compare)
	first, too := all[last-1].(expr.Compare)
	if ok && too && expr.Identical(first.X, second.X) && second.Op == expr.Eq && IsScalar(second.Y) {
		set, isSet := first.Y.(expr.Set)
		if first.Op == expr.Eq && IsScalar(first.Y) {
			set, isSet = expr.Set{Elems: []expr.Expr{first.Y}}, true
		}
		if isSet && (first.Op == expr.Eq || first.Op == expr.In) {
			in := expr.Cmp(first.X, expr.In, expr.Set{Elems: append(slices.Clone(set.Elems), second.Y)})
			return expr.AnyOf(append(slices.Clone(all[:last-1]), in)...)
		}
	}
	return expr.Or{Xs: all}
}

// IsScalar reports whether an expression is a text, a number, a truth value or null that is written out.
func IsScalar(x expr.Expr) bool {
	_, ok := expr.Token(x)
	return ok
}

// Parts are the conditions of an expr.And or an expr.Or, and else the condition itself.
func Parts[T expr.And | expr.Or](x expr.Expr) []expr.Expr {
	if of, ok := x.(T); ok {
		switch of := any(of).(type) {
		case expr.And:
			return slices.Clone(of.Xs)
		case expr.Or:
			return slices.Clone(of.Xs)
		}
	}
	return []expr.Expr{x}
}

// Opposite is the opposite of a condition, with each part of it turned.
func Opposite(x expr.Expr) expr.Expr {
	switch x := x.(type) {
	case expr.And:
		out := Opposite(x.Xs[0])
		for _, y := range x.Xs[1:] {
			out = OneOf(out, Opposite(y))
		}
		return out
	case expr.Or:
		var out []expr.Expr
		for _, y := range x.Xs {
			out = append(out, Opposite(y))
		}
		return expr.AllOf(out...)
	case expr.Compare:
		if of, ok := map[expr.Op]expr.Op{expr.Lt: expr.Ge, expr.Le: expr.Gt, expr.Gt: expr.Le, expr.Ge: expr.Lt}[x.Op]; ok {
			return expr.Cmp(x.X, of, x.Y) // Go compares what has an order, and panics where an any holds something else
		}
	}
	return expr.Negate(x)
}

// Simplified reads Low <= x && x <= High, patterns that match all of a text, and values that are true or false.
func Simplified(x expr.Expr) expr.Expr {
	switch x := x.(type) {
	case expr.And:
		var out []expr.Expr
		for _, y := range x.Xs {
			y = Simplified(y)
			if n := len(out) - 1; n >= 0 {
				if range1, ok := between(out[n], y); ok {
					out[n] = range1
					continue
				}
			}
			out = append(out, y)
		}
		return expr.AllOf(out...)
	case expr.Or:
		out := make([]expr.Expr, len(x.Xs))
		for i, y := range x.Xs {
			out[i] = Simplified(y)
		}
		return expr.Or{Xs: out}
	case expr.Get, expr.Index:
		return expr.Same(x, expr.Bool{Value: true})
	case expr.Not:
		switch x.X.(type) {
		case expr.Get, expr.Index:
			return expr.Same(x.X, expr.Bool{})
		}
		return expr.Not{X: Simplified(x.X)}
	case expr.Match:
		return pattern.Wholly(x)
	}
	return x
}

func between(a, b expr.Expr) (expr.Expr, bool) {
	low, ok := a.(expr.Compare)
	high, too := b.(expr.Compare)
	if !ok || !too || low.Op != expr.Ge || high.Op != expr.Le || !expr.Identical(low.X, high.X) ||
		!IsScalar(low.Y) || !IsScalar(high.Y) {
		return nil, false
	}
	return expr.Between{Low: low.Y, X: low.X, High: high.Y}, true
}
