package js

import (
	"github.com/flaketap/flaketap/suite/expr"
)

// What is not there is undefined in JavaScript: it is equal to nothing else, of no other type, and taken for false. A
// tree that looks at it raises an error instead, which makes an assertion false as a whole. So wherever something else
// than the whole depends on it, behind a "not" or beside an "or", a condition is read with a word on what is not there.

// Truth reads an expression of which only is asked whether JavaScript takes it for true.
func (r *Reading) Truth(n *Node) (expr.Expr, bool) {
	if n.Form == NodeBinary && (n.Text == "&&" || n.Text == "||") {
		if x, ok := r.emptyBody(n); ok {
			return x, true
		}
		return r.joined(n, r.Truth)
	}
	x, ok := r.Meaning(n)
	if !ok || expr.IsCondition(x) {
		return x, ok
	}
	return expr.Cmp(x, expr.NotIn, expr.Falsy()), true
}

// joined reads the operands of && and || and says that all hold, or that one does.
func (r *Reading) joined(n *Node, read func(*Node) (expr.Expr, bool)) (expr.Expr, bool) {
	var out []expr.Expr
	for _, e := range flattened(n, n.Text, nil) {
		x, ok := read(e)
		if !ok {
			return nil, false
		}
		out = append(out, x)
	}
	if n.Text == "&&" {
		return expr.And{Xs: out}, true
	}
	for i, x := range out[:len(out)-1] {
		out[i] = present(x)
	}
	return expr.Or{Xs: out}, true
}

// present says that a condition holds, and that what it looks at is there.
func present(x expr.Expr) expr.Expr {
	if missing := lacks(x); missing != nil {
		return expr.And{Xs: []expr.Expr{expr.Not{X: missing}, x}}
	}
	return x
}

// Opposite is the condition that is true where x is false in JavaScript.
func Opposite(x expr.Expr) expr.Expr {
	switch x := x.(type) {
	case expr.And:
		return expr.AnyOf(opposites(x.Xs)...)
	case expr.Or:
		return expr.AllOf(opposites(x.Xs)...)
	case expr.Not:
		return present(x.X)
	case expr.Compare:
		if x.Op == expr.Ne || x.Op == expr.IsNot {
			return present(expr.Negate(x))
		}
	}
	others := otherThan(x)
	if missing := lacks(x); missing != nil {
		others = append([]expr.Expr{missing}, others...)
	}
	return expr.AnyOf(append(others, expr.Negate(x))...)
}

// otherThan says what else is not equal to 1 or 0 in JavaScript, but is as values are compared here: true and false.
func otherThan(x expr.Expr) []expr.Expr {
	c, _ := x.(expr.Compare)
	number, isNumber := c.Y.(expr.Num)
	if _, isPath := c.X.(expr.Index); !isPath || !isNumber || c.Op != expr.Eq {
		return nil
	}
	for _, truth := range []bool{false, true} {
		if v, _ := expr.Number(number.Text); expr.Equal(v, truth) {
			return []expr.Expr{expr.IsType{X: c.X, Types: []expr.Type{expr.TypeBool}}}
		}
	}
	return nil
}

func opposites(xs []expr.Expr) []expr.Expr {
	out := make([]expr.Expr, len(xs))
	for i, x := range xs {
		out[i] = Opposite(x)
	}
	return out
}

// lacks says that what a condition looks at is not there; nil where that makes no difference, or an error in JavaScript
// too.
func lacks(x expr.Expr) expr.Expr {
	switch x := x.(type) {
	case expr.Or:
		return lacks(x.Xs[0])
	case expr.And:
		return lacks(x.Xs[0])
	case expr.IsType:
		return nothingAt(x.X)
	case expr.Compare:
		if _, ofTruth := x.Y.(expr.Set); ofTruth || x.Op != expr.In && x.Op != expr.NotIn {
			return nothingAt(x.X)
		}
	}
	return nil
}

func nothingAt(x expr.Expr) expr.Expr {
	if missing, ok := expr.Missing(x); ok {
		return missing
	}
	return nil
}

// otherwise reads that a value, or what is written out for where there is none, is another that is written out:
// (body.total ?? 0) === 0.
func (r *Reading) otherwise(a, b *Node) (expr.Expr, bool) {
	x, ok := r.Meaning(a.Args[0])
	instead, okInstead := r.Meaning(a.Args[1])
	y, okY := r.Meaning(b)
	if !ok || !okInstead || !okY || !expr.IsLiteral(instead) || !expr.IsLiteral(y) {
		return nil, false
	}
	equal, err := expr.Scope{}.Holds(expr.Cmp(instead, expr.Eq, y))
	if err != nil || !equal {
		return expr.Same(x, y), err == nil
	}
	var none []expr.Expr
	of := x
	if counted, isLength := x.(expr.Length); isLength {
		of = counted.X
	}
	_, steps := expr.Steps(of)
	for _, step := range steps {
		if missing, known := expr.Missing(step); known {
			none = append(none, missing, expr.IsNull(step))
		}
	}
	return expr.AnyOf(append(none, expr.Same(x, y))...), len(none) > 0
}

// Opposites lists conditions of which one is true where x is false.
func Opposites(x expr.Expr) []expr.Expr {
	if and, ok := x.(expr.And); ok {
		return opposites(and.Xs)
	}
	return []expr.Expr{Opposite(x)}
}

// looselyEqual says that a value is equal to a scalar as == has it: a number and its text are. Of what is a number
// anyway it says no more than that it is equal.
func looselyEqual(x, y expr.Expr) expr.Expr {
	if _, isPath := x.(expr.Index); !isPath {
		return expr.Same(x, y)
	}
	or := func(others ...expr.Expr) expr.Expr {
		var xs []expr.Expr
		for _, other := range others {
			xs = append(xs, expr.Same(x, other))
		}
		return expr.Or{Xs: append(xs, expr.Same(x, y))}
	}
	switch y := y.(type) {
	case expr.Bool:
		if y.Value {
			return or(expr.Num{Text: "1"}, expr.Str{Value: "1"})
		}
		return or(expr.Num{Text: "0"}, expr.Str{Value: "0"}, expr.Str{})
	case expr.Num:
		return or(expr.Str{Value: y.Text})
	case expr.Neg:
		if text, ok := expr.Token(y); ok {
			return or(expr.Str{Value: text})
		}
	case expr.Str:
		if _, isNumber := expr.Number(y.Value); isNumber && y.Value != "" {
			return or(expr.Numeral(y.Value))
		}
	}
	return expr.Same(x, y)
}
