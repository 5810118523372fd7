package golang

import (
	"go/types"
	"slices"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/golang/pattern"
	"github.com/flaketap/flaketap/suite/golang/typing"
)

// compared is a comparison of two values.
func compared(a value, op expr.Op, b value) expr.Expr {
	if isWritten(a) && !isWritten(b) {
		a, op, b = b, op.Turned(), a
	}
	switch v := a.(type) {
	case diff:
		if meaningOf(b) == expr.Expr(expr.Str{}) {
			return sameOrNot(v.same, op)
		}
	case textLen: // bytes and characters are alike where there are none
		if none := meaningOf(b); none == expr.Expr(expr.Num{Text: "0"}) {
			return expr.Cmp(expr.Len{X: v.x}, op, none)
		}
	}
	switch op {
	case expr.Eq, expr.Ne:
		return sameOrNot(equal(a, b), op)
	}
	return expr.Cmp(meaningOf(a), op, meaningOf(b))
}

// sameOrNot says that two values are equal, or that they are not.
func sameOrNot(same expr.Expr, op expr.Op) expr.Expr {
	if op == expr.Ne {
		return expr.Negate(same)
	}
	return same
}

// equal says that two values are equal, of which the one that is written out stands behind.
func equal(a, b value) expr.Expr {
	a, b = deref(a), deref(b)
	if isComposed(a) && isNil(b) || isNil(a) && isComposed(b) {
		return expr.Bool{}
	}
	if isWritten(a) && !isWritten(b) {
		a, b = b, a
	}
	x, ok := a.(plain)
	switch w := b.(type) {
	case record, list:
		if ok {
			return fieldwise(x, w, 0)
		}
	case plain:
		if !ok {
			break
		}
		switch {
		case typing.IsAny(x.typ) && (w.ints || typing.IsInteger(w.typ)):
			return expr.Unknown{What: "a whole number where JSON gives a float64"}
		case areUnlike(x.typ, w.typ):
			return expr.Unknown{What: "a value of a type that is never equal to the other's"}
		case w.x == expr.Expr(expr.Null{}) && w.typ == nil && (typing.IsSlice(x.typ) || typing.IsMap(x.typ)):
			if expr.IsLiteral(x.x) {
				return expr.Unknown{What: "whether an empty list is nil"}
			}
			return expr.IsNull(orNil(x.x))
		}
		return expr.Same(x.x, w.x)
	}
	return expr.Cmp(meaningOf(a), expr.Eq, meaningOf(b))
}

// isNil reports whether a value is nil as it is written, and isComposed whether it is one that is written out and is not.
func isNil(v value) bool {
	p, ok := v.(plain)
	return ok && p.x == expr.Expr(expr.Null{})
}

func isComposed(v value) bool {
	switch v := v.(type) {
	case record, list, table, function:
		return true
	case plain:
		switch x := v.x.(type) {
		case expr.List: // one that is empty may be nil
			return len(x.Elems) > 0
		case expr.Object:
			return len(x.Keys) > 0
		case expr.Str, expr.Num, expr.Bool:
			return true
		}
	}
	return false
}

// areUnlike reports whether a value of one static type is never equal to one of another; in an any are the types that
// encoding/json gives.
func areUnlike(a, b types.Type) bool {
	switch {
	case a == nil || b == nil || typing.IsAny(a) && typing.IsAny(b):
		return false
	case typing.IsAny(a):
		return typing.JSONType(b) == ""
	case typing.IsAny(b):
		return typing.JSONType(a) == ""
	}
	return !types.Identical(a, b)
}

// hasNone reports whether no element of a list can be equal to a value of a static type.
func hasNone(in plain, t types.Type) bool {
	return in.ints && typing.IsAny(t) || areUnlike(elementType(in.typ), t)
}

// elementType is the static type of what is in a list, which an any may hold.
func elementType(t types.Type) types.Type {
	if typing.IsAny(t) {
		return t
	}
	return typing.ElemOf(t)
}

// deeply is a value as one that is held against another by what tells a list that is nil from an empty one.
func deeply(v value) value {
	p, ok := deref(v).(plain)
	if !ok || !typing.IsSlice(p.typ) && !typing.IsMap(p.typ) {
		return v
	}
	p.x = orNil(p.x)
	return p
}

// orNil is the path to a list or a map that is nil where an answer has nothing for it.
func orNil(x expr.Expr) expr.Expr {
	of, ok := x.(expr.Get)
	if !ok {
		return x
	}
	switch of.Default.(type) {
	case expr.List, expr.Object:
		of.Default = expr.Null{}
	}
	return of
}

// isWritten reports whether a value is written out.
func isWritten(v value) bool {
	switch v := v.(type) {
	case record, list:
		return true
	case plain:
		return expr.IsLiteral(v.x)
	}
	return false
}

// fieldwise says that the fields of a struct have the values of one that is written out: an answer may have others.
func fieldwise(x plain, want value, depth int) expr.Expr {
	if depth > maxInlined {
		return expr.Unknown{What: "a struct that nests too deeply"}
	}
	switch w := deref(want).(type) {
	case record:
		s, ok := typing.Under(typing.Pointee(x.typ)).(*types.Struct)
		if !ok {
			return expr.Unknown{What: "a struct"}
		}
		return allOf(fieldsOf(x, s, w, depth))
	case list:
		t, ok := typing.Under(x.typ).(*types.Slice)
		if !ok {
			return expr.Unknown{What: "a list of structs"}
		}
		all := []expr.Expr{expr.Cmp(expr.Len{X: x.x}, expr.Eq, expr.Int(len(w.elems)))}
		for i, e := range w.elems {
			all = append(all, fieldwise(plain{x: expr.Index{X: x.x, I: expr.Int(i)}, typ: t.Elem()}, e, depth+1))
		}
		return allOf(all)
	case plain:
		return equal(deeply(x), w)
	}
	return meaningOf(want)
}

func fieldsOf(x plain, s *types.Struct, w record, depth int) []expr.Expr {
	var all []expr.Expr
	for i := range s.NumFields() {
		f := s.Field(i)
		key, ok := typing.KeyOf(s, i)
		zero := typing.ZeroOf(f.Type())
		if !ok || zero == nil {
			return []expr.Expr{expr.Unknown{What: "the field " + f.Name()}}
		}
		of := plain{x: x.x, typ: f.Type()}
		if key != "" {
			of.x = expr.Get{X: x.x, Key: expr.Str{Value: key}, Default: zero}
		}
		given, isGiven := w.fields[f.Name()]
		_, isStruct := typing.Under(f.Type()).(*types.Struct)
		switch {
		case isGiven:
			all = append(all, fieldwise(of, given, depth+1))
		case isStruct:
			all = append(all, fieldwise(of, record{typ: f.Type()}, depth+1))
		case typing.IsSlice(f.Type()), typing.IsMap(f.Type()):
			all = append(all, expr.IsNull(orNil(of.x)))
		default:
			all = append(all, expr.Same(of.x, zero))
		}
	}
	return all
}

func allOf(xs []expr.Expr) expr.Expr {
	if len(xs) == 0 {
		return expr.Bool{Value: true}
	}
	return expr.AllOf(xs...)
}

// contained says that a value is in a list that is written out, or in one of an answer.
func contained(x, in value) expr.Expr {
	list, _ := in.(plain)
	if one, ok := x.(plain); ok && hasNone(list, one.typ) {
		return expr.Unknown{What: "a list of another type"}
	}
	of := meaningOf(in)
	if elems, ok := of.(expr.List); ok {
		of = expr.Set(elems)
	}
	return expr.Cmp(meaningOf(x), expr.In, of)
}

// oneOf says that one of two conditions holds: that a value is one of some, where they say so.
func oneOf(a, b expr.Expr) expr.Expr {
	all := append(parts[expr.Or](a), parts[expr.Or](b)...)
	last := len(all) - 1
	second, ok := all[last].(expr.Compare)
	first, too := all[last-1].(expr.Compare)
	if ok && too && expr.Identical(first.X, second.X) && second.Op == expr.Eq && isScalar(second.Y) {
		set, isSet := first.Y.(expr.Set)
		if first.Op == expr.Eq && isScalar(first.Y) {
			set, isSet = expr.Set{Elems: []expr.Expr{first.Y}}, true
		}
		if isSet && (first.Op == expr.Eq || first.Op == expr.In) {
			in := expr.Cmp(first.X, expr.In, expr.Set{Elems: append(slices.Clone(set.Elems), second.Y)})
			return expr.AnyOf(append(slices.Clone(all[:last-1]), in)...)
		}
	}
	return expr.Or{Xs: all}
}

func isScalar(x expr.Expr) bool {
	_, ok := expr.Token(x)
	return ok
}

// parts are the conditions of an expr.And or an expr.Or, and else the condition itself.
func parts[T expr.And | expr.Or](x expr.Expr) []expr.Expr {
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

// opposite is the opposite of a condition, with each part of it turned.
func opposite(x expr.Expr) expr.Expr {
	switch x := x.(type) {
	case expr.And:
		out := opposite(x.Xs[0])
		for _, y := range x.Xs[1:] {
			out = oneOf(out, opposite(y))
		}
		return out
	case expr.Or:
		var out []expr.Expr
		for _, y := range x.Xs {
			out = append(out, opposite(y))
		}
		return expr.AllOf(out...)
	case expr.Compare:
		if of, ok := map[expr.Op]expr.Op{expr.Lt: expr.Ge, expr.Le: expr.Gt, expr.Gt: expr.Le, expr.Ge: expr.Lt}[x.Op]; ok {
			return expr.Cmp(x.X, of, x.Y) // Go compares what has an order, and panics where an any holds something else
		}
	}
	return expr.Negate(x)
}

// simplified reads Low <= x && x <= High, patterns that match all of a text, and values that are true or false.
func simplified(x expr.Expr) expr.Expr {
	switch x := x.(type) {
	case expr.And:
		var out []expr.Expr
		for _, y := range x.Xs {
			y = simplified(y)
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
			out[i] = simplified(y)
		}
		return expr.Or{Xs: out}
	case expr.Get, expr.Index:
		return expr.Same(x, expr.Bool{Value: true})
	case expr.Not:
		switch x.X.(type) {
		case expr.Get, expr.Index:
			return expr.Same(x.X, expr.Bool{})
		}
		return expr.Not{X: simplified(x.X)}
	case expr.Match:
		return pattern.Wholly(x)
	}
	return x
}

func between(a, b expr.Expr) (expr.Expr, bool) {
	low, ok := a.(expr.Compare)
	high, too := b.(expr.Compare)
	if !ok || !too || low.Op != expr.Ge || high.Op != expr.Le || !expr.Identical(low.X, high.X) ||
		!isScalar(low.Y) || !isScalar(high.Y) {
		return nil, false
	}
	return expr.Between{Low: low.Y, X: low.X, High: high.Y}, true
}
