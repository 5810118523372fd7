package golang

import (
	"go/types"
	"slices"

	"github.com/flaketap/flaketap/suite/expr"
)

// exact is a condition as Go finds it true: where an answer lacks a member, a field or an element of a map has the zero
// value of its type, and a condition that this fulfils holds. plain is the condition without that.
func exact(x expr.Expr) (full, plain expr.Expr) {
	switch x := x.(type) {
	case expr.And:
		exacts, plains := make([]expr.Expr, len(x.Xs)), make([]expr.Expr, len(x.Xs))
		for i, y := range x.Xs {
			exacts[i], plains[i] = exact(y)
		}
		return expr.And{Xs: exacts}, expr.And{Xs: plains}
	case expr.Or:
		exacts, plains := make([]expr.Expr, len(x.Xs)), make([]expr.Expr, len(x.Xs))
		for i, y := range x.Xs {
			exacts[i], plains[i] = exact(y)
			if i < len(x.Xs)-1 { // nothing may be raised in it, as Go goes on behind it
				exacts[i] = expr.AllOf(append(present(y), exacts[i])...)
			}
		}
		return expr.Or{Xs: exacts}, expr.Or{Xs: plains}
	}
	return leaf(x)
}

// leaf is exact for a condition that is made of no others.
func leaf(x expr.Expr) (full, plain expr.Expr) {
	plain = indexed(x)
	found := lenient(x)
	switch {
	case len(found) == 1 && holdsOfZero(x, found...):
		return expr.AnyOf(append(absent(found[0]), plain)...), plain
	case len(found) == 2 && isEquality(x) && holdsOfZero(x, found...):
		var both []expr.Expr
		for _, p := range found {
			both = append(both, expr.AnyOf(append(absent(p), expr.Same(indexed(p), p.Default))...))
		}
		return expr.Or{Xs: []expr.Expr{expr.And{Xs: both}, plain}}, plain
	}
	return plain, plain
}

func isEquality(x expr.Expr) bool {
	c, ok := x.(expr.Compare)
	return ok && c.Op == expr.Eq
}

// lenient lists the paths of a condition that end with a step which gives a zero value where there is nothing.
func lenient(x expr.Expr) []expr.Get {
	var out []expr.Get
	skip := map[string]bool{}
	expr.Walk(x, func(y expr.Expr) {
		g, ok := y.(expr.Get)
		if !ok || skip[key(g)] {
			return
		}
		for of := g.X; ; { // the steps before are looked at with it
			switch step := of.(type) {
			case expr.Get:
				skip[key(step)] = true
				of = step.X
				continue
			case expr.Index:
				of = step.X
				continue
			}
			break
		}
		skip[key(g)] = true
		out = append(out, g)
	})
	return out
}

// key tells paths apart.
func key(g expr.Get) string {
	out := ""
	for of := expr.Expr(g); ; {
		switch step := of.(type) {
		case expr.Get:
			name, _ := step.Key.(expr.Str)
			out, of = "."+name.Value+"\x00"+out, step.X
			continue
		case expr.Index:
			n, _ := step.I.(expr.Num)
			out, of = "["+n.Text+out, step.X
			continue
		case expr.Answer:
			return step.Var + string(rune('0'+step.Part)) + out
		}
		return out
	}
}

// holdsOfZero reports whether a condition is true where all of some paths have their zero values.
func holdsOfZero(x expr.Expr, paths ...expr.Get) bool {
	for _, p := range paths {
		x = expr.Subst(x, p, p.Default)
	}
	ok, err := expr.Scope{}.Holds(x)
	return ok && err == nil
}

// absent lists the conditions under which a path leads to a zero value of its type.
func absent(p expr.Get) []expr.Expr {
	var out []expr.Expr
	if inner, ok := p.X.(expr.Get); ok && !expr.Identical(inner.Default, expr.Null{}) {
		out = absent(inner)
	}
	at := expr.Index{X: indexed(p.X), I: p.Key}
	if missing, ok := expr.Missing(at); ok {
		out = append(out, missing)
	}
	if _, header := p.X.(expr.Answer); !expr.Identical(p.Default, expr.Null{}) && !(header && isHeader(p)) {
		out = append(out, expr.IsNull(at))
	}
	return out
}

func isHeader(p expr.Get) bool {
	of, ok := p.X.(expr.Answer)
	return ok && of.Part == expr.Headers
}

// present says that each step of a condition's paths leads somewhere.
func present(x expr.Expr) []expr.Expr {
	var out []expr.Expr
	for _, p := range lenient(x) {
		var steps []expr.Expr
		for of := expr.Expr(p); ; {
			if g, ok := of.(expr.Get); ok {
				steps = append([]expr.Expr{expr.Cmp(g.Key, expr.In, indexed(g.X))}, steps...)
				of = g.X
				continue
			}
			if i, ok := of.(expr.Index); ok {
				of = i.X
				continue
			}
			break
		}
		if holdsOfZero(x, p) {
			continue // what is missing makes it true
		}
		out = append(out, steps...)
	}
	return out
}

// indexed is a condition whose paths raise an error where there is nothing.
func indexed(x expr.Expr) expr.Expr {
	for {
		found := lenient(x)
		if len(found) == 0 {
			return x
		}
		for _, g := range found {
			x = expr.Subst(x, g, expr.Index{X: g.X, I: g.Key})
		}
	}
}

// natural leaves out of a condition what Go finds true of itself, as a value that is missing is a zero value.
func (p printer) natural(x expr.Expr) expr.Expr {
	if and, ok := x.(expr.And); ok {
		out := make([]expr.Expr, len(and.Xs))
		for i, y := range and.Xs {
			out[i] = p.natural(y)
		}
		return expr.And{Xs: out}
	}
	or, ok := x.(expr.Or)
	if !ok {
		return x
	}
	last := or.Xs[len(or.Xs)-1]
	full, _ := exact(p.relaxed(last))
	itself, ok := full.(expr.Or)
	if !ok {
		return expr.AnyOf(append(slices.Clone(or.Xs[:len(or.Xs)-1]), p.natural(last))...)
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
func (p printer) relaxed(x expr.Expr) expr.Expr {
	switch x := x.(type) {
	case expr.Index:
		if y, _, ok := p.relaxedPath(x); ok {
			return y
		}
	case expr.Compare:
		if x.Op == expr.Eq || x.Op == expr.Ne {
			return expr.Cmp(orNil(p.relaxed(x.X)), x.Op, orNil(p.relaxed(x.Y)))
		}
		return expr.Cmp(p.relaxed(x.X), x.Op, p.relaxed(x.Y))
	case expr.Len:
		return expr.Len{X: p.relaxed(x.X)}
	case expr.Between:
		return expr.Between{Low: x.Low, X: p.relaxed(x.X), High: x.High}
	}
	return x
}

func (p printer) relaxedPath(x expr.Expr) (expr.Expr, types.Type, bool) {
	for _, n := range p.names.values {
		if expr.Identical(n.x, x) {
			return n.raw, n.typ, true
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
	zero := zeroOf(typ)
	return expr.Get{X: of, Key: i.I, Default: zero}, typ, zero != nil
}
