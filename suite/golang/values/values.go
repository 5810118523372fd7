package values

import (
	"go/types"
	"slices"
	"strconv"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/golang/typing"
)

// Value writes a value that is written out as one of a type: of any, as encoding/json decodes it.
func Value(x expr.Expr, t types.Type) (string, bool) {
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
		return List(x.Elems, t)
	case expr.Set:
		return List(x.Elems, t)
	case expr.Object:
		return object(x, t)
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

// List writes a list of values of one type.
func List(elems []expr.Expr, t types.Type) (string, bool) {
	elem := anyType()
	if s, ok := typing.Under(t).(*types.Slice); ok {
		elem = s.Elem()
	} else if !typing.IsAny(t) {
		return "", false
	}
	name, ok := TypeName(elem)
	if !ok {
		return "", false
	}
	out := "[]" + name + "{"
	for i, e := range elems {
		text, ok := Value(e, elem)
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

func object(x expr.Object, t types.Type) (string, bool) {
	if m, ok := typing.Under(t).(*types.Map); !typing.IsAny(t) && (!ok || !typing.IsAny(m.Elem())) {
		return "", false
	}
	out := "map[string]any{"
	for i, k := range x.Keys {
		text, ok := Value(x.Values[i], anyType())
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

// TypeName is how a type is called anywhere; false for one of the file or of another package.
func TypeName(t types.Type) (string, bool) {
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
