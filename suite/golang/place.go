package golang

import (
	"go/types"
	"slices"
	"strconv"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/golang/typing"
)

// printer writes conditions for a place of a file.
type printer struct {
	*file
	names scope
}

// place writes what leads to a value, and its static type; ok is false where no name of the test leads there.
func (p printer) place(x expr.Expr) (text string, typ types.Type, ok bool) {
	for _, n := range p.names.values {
		if expr.Identical(n.x, x) {
			return n.name, n.typ, true
		}
	}
	switch x := x.(type) {
	case expr.Answer:
		if name := p.names.answers[x.Var]; name != "" && x.Part == expr.Status {
			return name + ".StatusCode", types.Typ[types.Int], true
		}
	case expr.Get:
		return p.place(expr.Index{X: x.X, I: x.Key})
	case expr.Index:
		if name, of, isHeader := expr.HeaderOf(x); isHeader {
			return p.header(of, name)
		}
		of, t, ok := p.place(x.X)
		if !ok {
			return "", nil, false
		}
		return p.step(of, t, x.I)
	case expr.Len:
		return p.length(x.X)
	case expr.Length:
		return p.length(x.X)
	case expr.ToText:
		of, t, ok := p.place(x.X)
		switch {
		case !ok || !typing.IsInteger(t):
		case isInt(t) && p.imports["strconv"] != "":
			return p.imports["strconv"] + ".Itoa(" + of + ")", types.Typ[types.String], true
		case p.imports["fmt"] != "":
			return p.imports["fmt"] + ".Sprint(" + of + ")", types.Typ[types.String], true
		}
	}
	return "", nil, false
}

func isInt(t types.Type) bool {
	b, ok := types.Unalias(t).(*types.Basic)
	return ok && b.Kind() == types.Int
}

func (p printer) header(answer, name string) (string, types.Type, bool) {
	of := p.names.headers[answer]
	if of == "" && p.names.answers[answer] != "" {
		of = p.names.answers[answer] + ".Header"
	}
	return of + ".Get(" + literal.Go(name) + ")", types.Typ[types.String], of != ""
}

// length writes the length of a list or a map, and that of a text in bytes, which is the only one that Go counts.
func (p printer) length(x expr.Expr) (string, types.Type, bool) {
	if bytes, isText := x.(expr.Bytes); isText {
		of, t, ok := p.place(bytes.X)
		return "len(" + of + ")", types.Typ[types.Int], ok && typing.IsString(t)
	}
	of, t, ok := p.place(x)
	return "len(" + of + ")", types.Typ[types.Int], ok && (typing.IsSlice(t) && !typing.IsBytes(t) || typing.IsMap(t))
}

// step writes a step into a value of a type.
func (p printer) step(of string, t types.Type, by expr.Expr) (string, types.Type, bool) {
	name, isName := by.(expr.Str)
	n, isNumber := by.(expr.Num)
	if isNumber {
		if _, err := strconv.ParseUint(n.Text, 10, 31); err != nil {
			return "", nil, false
		}
	}
	switch u := typing.Under(typing.Pointee(t)).(type) {
	case *types.Interface:
		switch {
		case !u.Empty() || t != typing.Pointee(t):
		case isName:
			return of + ".(map[string]any)[" + literal.Go(name.Value) + "]", t, true
		case isNumber:
			return of + ".([]any)[" + n.Text + "]", t, true
		}
	case *types.Map:
		if isName && typing.IsMap(t) {
			return of + "[" + literal.Go(name.Value) + "]", u.Elem(), true
		}
	case *types.Slice:
		if isNumber && typing.IsSlice(t) {
			return of + "[" + n.Text + "]", u.Elem(), true
		}
	case *types.Struct:
		if field, typ, ok := typing.FieldOf(t, name.Value); isName && ok && typing.Known(typ) != nil {
			return of + "." + field, typ, true
		}
	}
	return "", nil, false
}

// value writes a value that is written out as one of a type: of any, as encoding/json decodes it.
func (p printer) value(x expr.Expr, t types.Type) (string, bool) {
	switch x := x.(type) {
	case expr.Str:
		return literal.Go(x.Value), typing.IsString(t) || typing.IsAny(t)
	case expr.Bool:
		return strconv.FormatBool(x.Value), typing.IsBoolean(t) || typing.IsAny(t)
	case expr.Null:
		_, isPointer := typing.Under(t).(*types.Pointer)
		return "nil", isPointer || typing.IsAny(t)
	case expr.Num, expr.Neg:
		text, ok := expr.Token(x)
		if !ok {
			return "", false
		}
		return number(text, t)
	case expr.List:
		return p.list(x.Elems, t)
	case expr.Set:
		return p.list(x.Elems, t)
	case expr.Object:
		return p.object(x, t)
	}
	return "", false
}

// number writes a number of JSON as one of a type.
func number(text string, t types.Type) (string, bool) {
	v, ok := expr.Number(text)
	if !ok {
		return "", false
	}
	whole, isWhole := v.(interface{ IsInt64() bool })
	if typing.IsAny(t) {
		return "float64(" + text + ")", true
	}
	b, ok := typing.Under(t).(*types.Basic)
	switch {
	case !ok:
		return "", false
	case b.Info()&types.IsFloat != 0:
		return text, true
	case b.Info()&types.IsInteger == 0 || !isWhole || !whole.IsInt64():
		return "", false
	case b.Info()&types.IsUnsigned != 0:
		_, err := strconv.ParseUint(text, 10, bits(b))
		return text, err == nil
	}
	_, err := strconv.ParseInt(text, 10, bits(b))
	return text, err == nil
}

func bits(b *types.Basic) int {
	switch b.Kind() {
	case types.Int8, types.Uint8:
		return 8
	case types.Int16, types.Uint16:
		return 16
	case types.Int32, types.Uint32:
		return 32
	}
	return 64
}

// list writes a list of values of one type.
func (p printer) list(elems []expr.Expr, t types.Type) (string, bool) {
	elem := anyType()
	if s, ok := typing.Under(t).(*types.Slice); ok {
		elem = s.Elem()
	} else if !typing.IsAny(t) {
		return "", false
	}
	name, ok := typeName(elem)
	if !ok {
		return "", false
	}
	out := "[]" + name + "{"
	for i, e := range elems {
		text, ok := p.value(e, elem)
		if !ok {
			return "", false
		}
		if i > 0 {
			out += ", "
		}
		out += text
	}
	return out + "}", true
}

func (p printer) object(x expr.Object, t types.Type) (string, bool) {
	if m, ok := typing.Under(t).(*types.Map); !typing.IsAny(t) && (!ok || !typing.IsAny(m.Elem())) {
		return "", false
	}
	out := "map[string]any{"
	for i, k := range x.Keys {
		text, ok := p.value(x.Values[i], anyType())
		if !ok || slices.Contains(x.Keys[:i], k) {
			return "", false
		}
		if i > 0 {
			out += ", "
		}
		out += literal.Go(k) + ": " + text
	}
	return out + "}", true
}

// typeName is how a type is called anywhere; false for one of the file or of another package.
func typeName(t types.Type) (string, bool) {
	if typing.IsAny(t) {
		return "any", true
	}
	b, ok := types.Unalias(t).(*types.Basic)
	if !ok {
		return "", false
	}
	return b.Name(), true
}

func anyType() types.Type { return types.Universe.Lookup("any").Type() }
