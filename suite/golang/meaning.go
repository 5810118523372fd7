package golang

import (
	"go/types"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/golang/lenient"
	"github.com/flaketap/flaketap/suite/golang/logic"
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
	case joined:
		if op == expr.Eq || op == expr.Ne {
			return sameOrNot(v.is(b), op)
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
func equal(a, b value) expr.Expr { return options{}.equal(a, b) }

// equal says that of what the options look at.
func (o options) equal(a, b value) expr.Expr {
	a, b = deref(a), deref(b)
	if isComposed(a) && isNil(b) || isNil(a) && isComposed(b) {
		return expr.Bool{}
	}
	if isWritten(a) && !isWritten(b) {
		a, b = b, a
	}
	if text, ok := a.(joined); ok {
		return text.is(b)
	}
	x, ok := a.(plain)
	switch w := b.(type) {
	case record, list:
		if ok {
			return o.fieldwise(x, w, 0)
		}
	case plain:
		if !ok {
			break
		}
		switch {
		case len(o.ignored) > 0 && typing.HasFields(x.typ):
			return expr.Unknown{What: "what is left of two structs"}
		case o.anyOrder && typing.IsSlice(x.typ) && !isNil(w):
			return sameItems(x, w)
		case typing.IsAny(x.typ) && (w.ints || typing.IsInteger(w.typ)):
			return expr.Unknown{What: "a whole number where JSON gives a float64"}
		case typing.Unlike(x.typ, w.typ):
			return expr.Unknown{What: "a value of a type that is never equal to the other's"}
		case w.x == expr.Expr(expr.Null{}) && w.typ == nil && (typing.IsSlice(x.typ) || typing.IsMap(x.typ)):
			if expr.IsLiteral(x.x) {
				return expr.Unknown{What: "whether an empty list is nil"}
			}
			if x.null {
				return expr.Cmp(expr.Len{X: x.x}, expr.Eq, expr.Int(0))
			}
			return expr.IsNull(lenient.OrNil(x.x))
		}
		return expr.Same(x.x, w.x)
	}
	return expr.Cmp(meaningOf(a), expr.Eq, meaningOf(b))
}

// isNil reports whether a value is nil as it is written, and isComposed whether it is one that is written out and is
// not.
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

// hasNone reports whether no element of a list can be equal to a value of a static type.
func hasNone(in plain, t types.Type) bool {
	return in.ints && typing.IsAny(t) || typing.Unlike(typing.ElementOf(in.typ), t)
}

// deeply is a value as one that is held against another by what tells a list that is nil from an empty one.
func deeply(v value) value {
	p, ok := deref(v).(plain)
	if !ok || !typing.IsSlice(p.typ) && !typing.IsMap(p.typ) {
		return v
	}
	p.x = lenient.OrNil(p.x)
	return p
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
func (o options) fieldwise(x plain, want value, depth int) expr.Expr {
	if depth > maxInlined {
		return expr.Unknown{What: "a struct that nests too deeply"}
	}
	switch w := deref(want).(type) {
	case record:
		s, ok := typing.Under(typing.Pointee(x.typ)).(*types.Struct)
		if !ok {
			return expr.Unknown{What: "a struct"}
		}
		return logic.AllOf(o.fieldsOf(x, s, w, depth))
	case list:
		t, ok := typing.Under(x.typ).(*types.Slice)
		if !ok || o.anyOrder {
			return expr.Unknown{What: "a list of structs"}
		}
		all := []expr.Expr{expr.Cmp(expr.Len{X: x.x}, expr.Eq, expr.Int(len(w.elems)))}
		for i, e := range w.elems {
			all = append(all, o.fieldwise(plain{x: expr.Index{X: x.x, I: expr.Int(i)}, typ: t.Elem()}, e, depth+1))
		}
		return logic.AllOf(all)
	case plain:
		return o.equal(o.deeply(x), w)
	}
	return meaningOf(want)
}

func (o options) fieldsOf(x plain, s *types.Struct, w record, depth int) []expr.Expr {
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
		if o.ignores(x.typ, f.Name()) {
			continue
		}
		given, isGiven := w.fields[f.Name()]
		_, isStruct := typing.Under(f.Type()).(*types.Struct)
		switch {
		case isGiven:
			all = append(all, o.fieldwise(of, given, depth+1))
		case isStruct && !typing.IsMoment(f.Type()):
			all = append(all, o.fieldwise(of, record{typ: f.Type()}, depth+1))
		case typing.IsSlice(f.Type()), typing.IsMap(f.Type()):
			all = append(all, o.isNil(of.x))
		default:
			all = append(all, expr.Same(of.x, zero))
		}
	}
	return all
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
