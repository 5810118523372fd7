package wording

import (
	"go/types"
	"slices"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/golang/lenient"
	"github.com/flaketap/flaketap/suite/golang/typing"
)

// Natural leaves out of a condition what Go finds true of itself, as a value that is missing is a zero value.
func (p Printer) Natural(x expr.Expr) expr.Expr {
	if and, ok := x.(expr.And); ok {
		out := make([]expr.Expr, len(and.Xs))
		for i, y := range and.Xs {
			out[i] = p.Natural(y)
		}
		return expr.And{Xs: out}
	}
	or, ok := x.(expr.Or)
	if !ok {
		return x
	}
	last := or.Xs[len(or.Xs)-1]
	full, _ := lenient.Exact(p.relaxed(last))
	itself, ok := full.(expr.Or)
	if !ok {
		return expr.AnyOf(append(slices.Clone(or.Xs[:len(or.Xs)-1]), p.Natural(last))...)
	}
	var out []expr.Expr
	for _, guard := range or.Xs[:len(or.Xs)-1] {
		if !slices.ContainsFunc(itself.Xs, func(y expr.Expr) bool { return expr.Identical(y, guard) }) {
			out = append(out, guard)
		}
	}
	return expr.AnyOf(append(out, last)...)
}

// relaxed is a condition with the steps that give a zero value where there is nothing, by the types of the variables.
func (p Printer) relaxed(x expr.Expr) expr.Expr {
	switch x := x.(type) {
	case expr.Index:
		if y, _, ok := p.relaxedPath(x); ok {
			return y
		}
	case expr.Compare:
		if x.Op == expr.Eq || x.Op == expr.Ne {
			return expr.Cmp(lenient.OrNil(p.relaxed(x.X)), x.Op, lenient.OrNil(p.relaxed(x.Y)))
		}
		return expr.Cmp(p.relaxed(x.X), x.Op, p.relaxed(x.Y))
	case expr.Len:
		return expr.Len{X: p.relaxed(x.X)}
	case expr.Between:
		return expr.Between{Low: x.Low, X: p.relaxed(x.X), High: x.High}
	}
	return x
}

func (p Printer) relaxedPath(x expr.Expr) (expr.Expr, types.Type, bool) {
	for _, n := range p.Names.Values {
		if expr.Identical(n.X, x) {
			return n.Raw, n.Type, true
		}
	}
	i, ok := x.(expr.Index)
	if !ok {
		return nil, nil, false
	}
	if name, _, isHeader := expr.HeaderOf(i); isHeader {
		return expr.Get{X: i.X, Key: expr.Str{Value: name}, Default: expr.Str{}}, types.Typ[types.String], true
	}
	of, t, ok := p.relaxedPath(i.X)
	if !ok {
		return nil, nil, false
	}
	_, typ, ok := p.step("", t, i.I)
	if !ok {
		return nil, nil, false
	}
	if _, isNumber := i.I.(expr.Num); isNumber {
		return expr.Index{X: of, I: i.I}, typ, true
	}
	zero := typing.ZeroOf(typ)
	return expr.Get{X: of, Key: i.I, Default: zero}, typ, zero != nil
}
