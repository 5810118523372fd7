package golang

import (
	"go/ast"
	"go/types"
	"net/textproto"
	"strconv"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/golang/typing"
)

// selected is a member of a package, of an answer, of a struct.
func (r *follower) selected(x *ast.SelectorExpr) value {
	if pkg := r.PkgOf(x.X); pkg != "" {
		return packageMember(pkg, x.Sel.Name)
	}
	of := r.eval(x.X)
	if p, ok := of.(pointer); ok {
		of = p.to.value
	}
	switch v := of.(type) {
	case answer:
		return ofAnswer(v, x.Sel.Name)
	case *fixture:
		if f, ok := r.method(x, v); ok {
			return f
		}
		return r.fixtureField(v, x).value
	case *request:
		switch x.Sel.Name {
		case "Header":
			return v.headers
		case "URL":
			return v
		}
		return opaque{"the field " + x.Sel.Name + " of a request"}
	case record:
		return r.recordField(v, x)
	case plain:
		return r.field(v, x)
	}
	if f, ok := r.method(x, of); ok {
		return f
	}
	return opaque{"the field " + x.Sel.Name}
}

// ofAnswer is a field of an answer.
func ofAnswer(v answer, name string) value {
	switch name {
	case "StatusCode":
		return plain{x: expr.Answer{Var: v.id}, typ: types.Typ[types.Int]}
	case "Header":
		return headersOf(v)
	case "Body":
		return bodyOf(v)
	}
	return opaque{"the field " + name + " of an answer"}
}

// within is the answer that a struct has within it, as struct{ *http.Response }.
func (v record) within() (answer, bool) {
	s, ok := typing.Under(v.typ).(*types.Struct)
	if !ok {
		return answer{}, false
	}
	for i := range s.NumFields() {
		if of, ok := v.fields["Response"].(answer); ok && s.Field(i).Embedded() && s.Field(i).Name() == "Response" {
			return of, true
		}
	}
	return answer{}, false
}

// declares reports whether a struct has a field of a name itself.
func (v record) declares(name string) bool {
	s, ok := typing.Under(v.typ).(*types.Struct)
	if !ok {
		return false
	}
	for i := range s.NumFields() {
		if s.Field(i).Name() == name {
			return true
		}
	}
	return false
}

// method is a method of a type of the file.
func (r *follower) method(x *ast.SelectorExpr, of value) (function, bool) {
	d, ok := r.Functions[r.Info.Uses[x.Sel]]
	if !ok {
		return function{}, false
	}
	return function{typ: d.Type, body: d.Body, recv: d.Recv, of: of}, true
}

// recordField is a field of a struct that is written out.
func (r *follower) recordField(v record, x *ast.SelectorExpr) value {
	if f, ok := r.method(x, v); ok {
		return f
	}
	typ := r.TypeOf(x)
	if field, ok := v.fields[x.Sel.Name]; ok {
		return r.retyped(field, typ)
	}
	if of, ok := v.within(); ok && !v.declares(x.Sel.Name) {
		return ofAnswer(of, x.Sel.Name)
	}
	if zero := typing.ZeroOf(typ); zero != nil {
		return plain{x: zero, typ: typ}
	}
	return opaque{"the field " + x.Sel.Name}
}

// field is a field of a struct that was decoded.
func (r *follower) field(v plain, x *ast.SelectorExpr) value {
	if f, ok := r.method(x, v); ok {
		return f
	}
	found, ok := r.Info.Selections[x]
	unknown := opaque{"the field " + x.Sel.Name}
	if !ok || found.Kind() != types.FieldVal {
		return unknown
	}
	if !fromAnswer(v.x) {
		return unknown
	}
	of, t := v.x, v.typ
	for _, i := range found.Index() {
		s, ok := typing.Under(typing.Pointee(t)).(*types.Struct)
		if !ok || i >= s.NumFields() || typing.DecodesItself(t) {
			return unknown
		}
		key, ok := typing.KeyOf(s, i)
		if !ok {
			return unknown
		}
		t = s.Field(i).Type()
		if key == "" {
			continue
		}
		zero := typing.ZeroOf(t)
		if zero == nil {
			return unknown
		}
		of = expr.Get{X: of, Key: expr.Str{Value: key}, Default: zero}
	}
	return plain{x: of, typ: t}
}

// indexed is an element of a list, or a member of a map.
func (r *follower) indexed(x *ast.IndexExpr) value {
	of := r.eval(x.X)
	if f, ok := of.(function); ok {
		return f // of a type that is given
	}
	return elementAt(deref(of), r.eval(x.Index))
}

// elementAt is what is at an index of a value, or under a key.
func elementAt(from, at value) value {
	key, too := at.(plain)
	if all, ok := from.(list); ok && too {
		return all.element(key)
	}
	if all, ok := from.(table); ok && too {
		return all.element(key)
	}
	of, ok := from.(plain)
	if !ok || !too {
		return opaque{"an element"}
	}
	switch t := typing.Under(of.typ).(type) {
	case *types.Map:
		zero := typing.ZeroOf(t.Elem())
		if _, isText := key.x.(expr.Str); !isText || !typing.IsMap(of.typ) || zero == nil {
			break
		}
		if object, written := of.x.(expr.Object); written {
			for i, k := range object.Keys {
				if k == key.x.(expr.Str).Value {
					return plain{x: object.Values[i], typ: t.Elem(), ints: of.ints}
				}
			}
			return plain{x: zero, typ: t.Elem()}
		}
		return plain{x: expr.Get{X: of.x, Key: key.x, Default: zero}, typ: t.Elem()}
	case *types.Slice:
		n, isNumber := key.x.(expr.Num)
		if !isNumber || typing.IsBytes(of.typ) {
			break
		}
		return plain{x: expr.Index{X: of.x, I: n}, typ: t.Elem(), ints: of.ints}
	}
	return opaque{"an element"}
}

// element is an element of a list of structs that is written out.
func (l list) element(key plain) value {
	if n, ok := key.x.(expr.Num); ok {
		if i, err := strconv.Atoi(n.Text); err == nil && i >= 0 && i < len(l.elems) {
			return l.elems[i]
		}
	}
	return opaque{"an element"}
}

// element is an element of a map that is written out.
func (t table) element(key plain) value {
	for i, k := range t.keys {
		if own, ok := k.(plain); ok && expr.Identical(own.x, key.x) {
			return t.elems[i]
		}
	}
	return opaque{"an element"}
}

// typed is a value that is said to be of a type.
func (r *follower) typed(x *ast.TypeAssertExpr) value {
	v := r.eval(x.X)
	typ := r.TypeOf(x)
	if two, ok := typ.(*types.Tuple); ok && two.Len() > 0 { // with an ok
		typ = typing.Known(two.At(0).Type())
	}
	p, ok := v.(plain)
	if !ok || typ == nil || !typing.IsAny(p.typ) || typing.JSONType(typ) == "" {
		return opaque{"a value of another type"}
	}
	return plain{x: p.x, typ: typ}
}

// isOf says that a value is of the type that it is said to be of.
func (r *follower) isOf(p plain) value {
	is, ok := expr.Typed(p.x, typing.JSONType(p.typ))
	if !ok {
		return opaque{"such a type"}
	}
	return boolean(is)
}

// headerValue is what a header holds, an empty text where there is none.
func headerValue(id string, name value) value {
	p, _ := name.(plain)
	key, ok := p.x.(expr.Str)
	if !ok {
		return opaque{"a header whose name is not known"}
	}
	return plain{x: expr.Get{X: expr.Answer{Var: id, Part: expr.Headers},
		Key: expr.Str{Value: textproto.CanonicalMIMEHeaderKey(key.Value)}, Default: expr.Str{}}, typ: types.Typ[types.String]}
}
