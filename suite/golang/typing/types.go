package typing

import (
	"go/types"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode"

	"github.com/flaketap/flaketap/suite/expr"
)

// IsString reports whether a type is one of texts, whatever its name.
func IsString(t types.Type) bool { return BasicInfo(t)&types.IsString != 0 }

// IsInteger reports whether a type is one of whole numbers.
func IsInteger(t types.Type) bool { return BasicInfo(t)&types.IsInteger != 0 }

// IsFloat reports whether a type is one of numbers with a point.
func IsFloat(t types.Type) bool { return BasicInfo(t)&types.IsFloat != 0 }

// IsNumber reports whether a type is one of numbers.
func IsNumber(t types.Type) bool { return IsInteger(t) || IsFloat(t) }

// IsBoolean reports whether a type is one of truth values.
func IsBoolean(t types.Type) bool { return BasicInfo(t)&types.IsBoolean != 0 }

// BasicInfo is what the language says of a type that it declares itself, or of one that is made of such; 0 for any
// other.
func BasicInfo(t types.Type) types.BasicInfo {
	if b, ok := Under(t).(*types.Basic); ok {
		return b.Info()
	}
	return 0
}

// IsAny reports whether a type is any: what encoding/json then stores are its own types.
func IsAny(t types.Type) bool {
	i, ok := Under(t).(*types.Interface)
	return ok && i.Empty()
}

// IsMap reports whether a type is a map with names for keys.
func IsMap(t types.Type) bool {
	m, ok := Under(t).(*types.Map)
	return ok && IsString(m.Key())
}

// IsSlice reports whether a type is one of lists.
func IsSlice(t types.Type) bool {
	_, ok := Under(t).(*types.Slice)
	return ok
}

// IsBytes reports whether a type is []byte.
func IsBytes(t types.Type) bool {
	s, ok := Under(t).(*types.Slice)
	if !ok {
		return false
	}
	b, ok := Under(s.Elem()).(*types.Basic)
	return ok && b.Kind() == types.Byte
}

// ZeroOf is what a variable of a type holds where an answer has nothing for it, as a value of JSON; nil where the type
// is none that encoding/json fills in by its own rules.
func ZeroOf(t types.Type) expr.Expr {
	if DecodesItself(t) {
		return nil
	}
	if IsMoment(t) {
		return NoMoment()
	}
	switch u := Under(t).(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsString != 0:
			return expr.Str{}
		case u.Info()&(types.IsInteger|types.IsFloat) != 0:
			return expr.Num{Text: "0"}
		case u.Info()&types.IsBoolean != 0:
			return expr.Bool{}
		}
	case *types.Interface:
		if u.Empty() {
			return expr.Null{}
		}
	case *types.Pointer:
		if ZeroOf(u.Elem()) != nil {
			return expr.Null{}
		}
	case *types.Slice:
		if !IsBytes(t) {
			return expr.List{Elems: []expr.Expr{}}
		}
	case *types.Map:
		if IsMap(t) {
			return expr.Object{}
		}
	case *types.Struct:
		return expr.Object{}
	}
	return nil
}

// DecodesItself reports whether a type of the file says itself how it is decoded.
func DecodesItself(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return false
	}
	for i := range n.NumMethods() {
		switch n.Method(i).Name() {
		case "UnmarshalJSON", "UnmarshalText":
			return true
		}
	}
	return false
}

// KeyOf is the name of the member of an object that a field of a struct is decoded from; "" where the members are those
// of the struct that is embedded. ok is false for a field that is none, or is decoded in a way of its own. Of a field
// without a tag encoding/json takes the member that is called so in whatever case: here it begins in lower case.
func KeyOf(s *types.Struct, i int) (key string, ok bool) {
	f := s.Field(i)
	tag := reflect.StructTag(s.Tag(i)).Get("json")
	name, options, _ := strings.Cut(tag, ",")
	for o := range strings.SplitSeq(options, ",") {
		if o == "string" {
			return "", false
		}
	}
	switch {
	case tag == "-" || !f.Exported() && !f.Embedded():
		return "", false
	case name != "":
		return name, true
	case f.Embedded():
		_, isStruct := Under(Pointee(f.Type())).(*types.Struct)
		return "", isStruct
	}
	return lowered(f.Name()), true
}

// Pointee is the type that a pointer leads to, and a type itself that is none of pointers.
func Pointee(t types.Type) types.Type {
	if p, ok := Under(t).(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// lowered is a name that begins in lower case: name, id, userID, urlPath.
func lowered(name string) string {
	runes := []rune(name)
	n := 0
	for n < len(runes) && unicode.IsUpper(runes[n]) {
		n++
	}
	if n > 1 && n < len(runes) && unicode.IsLower(runes[n]) {
		n-- // the last capital begins a word
	}
	return strings.ToLower(string(runes[:n])) + string(runes[n:])
}

// FieldOf is the field of a struct that is decoded from a member, its name and its type; ok is false where there is
// none.
func FieldOf(t types.Type, key string) (name string, typ types.Type, ok bool) {
	s, isStruct := Under(Pointee(t)).(*types.Struct)
	if !isStruct {
		return "", nil, false
	}
	for i := range s.NumFields() {
		own, ok := KeyOf(s, i)
		switch {
		case !ok:
		case own == key && own != "":
			return s.Field(i).Name(), s.Field(i).Type(), true
		case own == "" && s.Field(i).Type() != t: // promoted from what is embedded
			if name, typ, ok := FieldOf(s.Field(i).Type(), key); ok {
				return name, typ, true
			}
		}
	}
	return "", nil, false
}

// IsInfinite reports whether JSON has no such number.
func IsInfinite(f float64) bool { return math.IsInf(f, 0) || math.IsNaN(f) }

// FloatText is a number in the notation of JSON.
func FloatText(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

// IntType is int.
func IntType() types.Type { return types.Typ[types.Int] }

// SliceOf is the type of lists of a type.
func SliceOf(t types.Type) types.Type { return types.NewSlice(t) }

// ElemOf is the type of the elements of a list; nil for what is none.
func ElemOf(t types.Type) types.Type {
	if s, ok := Under(t).(*types.Slice); ok {
		return s.Elem()
	}
	return nil
}

// SameType reports whether values of two types can be equal.
func SameType(a, b types.Type) bool { return types.Identical(a, b) || IsAny(a) && IsAny(b) }

// Under is the type that a type is made of; nil where that is not known.
func Under(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	return t.Underlying()
}

// Known is a type, or nil for one that is not known.
func Known(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	if b, ok := t.(*types.Basic); ok && (b.Kind() == types.Invalid || b.Kind() == types.UntypedNil) {
		return nil
	}
	return t
}

// JSONType is what JSON calls a type that encoding/json itself gives; "" for any other.
func JSONType(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		switch t.Kind() {
		case types.String:
			return "string"
		case types.Float64:
			return "number"
		case types.Bool:
			return "boolean"
		}
	case *types.Slice:
		if IsAny(t.Elem()) {
			return "array"
		}
	case *types.Map:
		if IsString(t.Key()) && IsAny(t.Elem()) {
			return "dict"
		}
	}
	return ""
}
