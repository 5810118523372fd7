package suite

import (
	"math/big"
	"slices"
	"strconv"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// related gives what follows from other values of the same answer, by what the map states of the place: total is base +
// jitter, whatever is drawn.
func (w *weakening) related() []expr.Expr {
	if w.field == nil || !w.field.Place.Matches(w.a.Place) || len(w.active) == 0 {
		return nil
	}
	var out []expr.Expr
	for _, c := range w.field.Holds.Computed() {
		var of []expr.Expr
		for _, place := range c.Of {
			if x, ok := w.sibling(place); ok {
				of = append(of, x)
			}
		}
		if len(of) == len(c.Of) {
			out = append(out, w.follows(c, of)...)
		}
	}
	return out
}

// follows writes what the subject is computed from; sums and differences of whole numbers alone, as others are rounded.
func (w *weakening) follows(c mapfile.Computed, of []expr.Expr) []expr.Expr {
	equal := func(x expr.Expr) expr.Expr { return expr.Cmp(w.subject, expr.Eq, x) }
	switch c.By {
	case mapfile.Same:
		return []expr.Expr{equal(of[0]), equal(expr.ToText{X: of[0]})}
	case mapfile.Count:
		return []expr.Expr{equal(expr.Len{X: of[0]})}
	case mapfile.Sum:
		if w.areInts(of) {
			return []expr.Expr{equal(expr.Arith{Op: expr.Add, X: of[0], Y: of[1]})}
		}
	case mapfile.Difference:
		if w.areInts(of) {
			return []expr.Expr{equal(expr.Arith{Op: expr.Subtract, X: of[0], Y: of[1]})}
		}
	}
	return nil
}

// areInts reports whether expressions are whole numbers in all active trials.
func (w *weakening) areInts(xs []expr.Expr) bool {
	return !slices.ContainsFunc(w.active, func(s expr.Scope) bool {
		return slices.ContainsFunc(xs, func(x expr.Expr) bool {
			v, err := s.Eval(x)
			_, whole := v.(*big.Int)
			return err != nil || !whole
		})
	})
}

// sibling returns the expression of a place of the JSON that the subject is of; wildcards stand for the elements that
// the subject is in. It is false where no such value was answered.
func (w *weakening) sibling(place exchange.Place) (x expr.Expr, ok bool) {
	if place.Root() != "body" || w.a.Place.Root() != "body" {
		return nil, false
	}
	own := w.a.Place.Segments()
	x = expr.Answer{Var: w.variable(), Part: expr.JSON}
	for i, segment := range place.Segments()[1:] {
		if segment == "*" {
			if i+1 >= len(own) {
				return nil, false
			}
			segment = own[i+1]
		} else if i+1 < len(own) && own[i+1] != segment {
			own = nil // from here on it is beside the subject
		}
		v, err := w.active[0].Eval(x)
		if err != nil {
			return nil, false
		}
		n, err := strconv.Atoi(segment)
		switch _, isArray := v.(expr.Items); {
		case isArray && err != nil:
			return nil, false
		case isArray:
			x = expr.Index{X: x, I: expr.Int(n)}
		default:
			x = expr.Index{X: x, I: expr.Str{Value: segment}}
		}
	}
	return x, true
}

// farFromZero says of whole numbers that they are not negative, where they lie so close together, and so far from 0,
// that none will be.
func farFromZero(subject expr.Expr, values []any) []expr.Expr {
	if len(values) < EnoughAnswers || !expr.FarFromZero(values, 100) {
		return nil
	}
	return []expr.Expr{expr.And{Xs: []expr.Expr{expr.IsType{X: subject, Types: []expr.Type{expr.TypeInt}},
		expr.Cmp(subject, expr.Ge, expr.Int(0))}}}
}
