package golang

import (
	"go/types"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode"

	"github.com/flaketap/flaketap/suite/expr"
)

func isString(t types.Type) bool { return basicInfo(t)&types.IsString != 0 }

func isInteger(t types.Type) bool { return basicInfo(t)&types.IsInteger != 0 }

func isFloat(t types.Type) bool { return basicInfo(t)&types.IsFloat != 0 }

func isNumber(t types.Type) bool { return isInteger(t) || isFloat(t) }

func isBoolean(t types.Type) bool { return basicInfo(t)&types.IsBoolean != 0 }

func basicInfo(t types.Type) types.BasicInfo {
	if b, ok := under(t).(*types.Basic); ok {
		return b.Info()
	}
	return 0
}

// isAny reports whether a type is any: what encoding/json then stores are its own types.
func isAny(t types.Type) bool {
	i, ok := under(t).(*types.Interface)
	return ok && i.Empty()
}

// isMap reports whether a type is a map with names for keys.
func isMap(t types.Type) bool {
	m, ok := under(t).(*types.Map)
	return ok && isString(m.Key())
}

func isSlice(t types.Type) bool {
	_, ok := under(t).(*types.Slice)
	return ok
}

// isBytes reports whether a type is []byte.
func isBytes(t types.Type) bool {
	s, ok := under(t).(*types.Slice)
	if !ok {
		return false
	}
	b, ok := under(s.Elem()).(*types.Basic)
	return ok && b.Kind() == types.Byte
}

// zeroOf is what a variable of a type holds where an answer has nothing for it, as a value of JSON; nil where the type
// is none that encoding/json fills in by its own rules.
func zeroOf(t types.Type) expr.Expr {
	if decodesItself(t) {
		return nil
	}
	switch u := under(t).(type) {
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
		if zeroOf(u.Elem()) != nil {
			return expr.Null{}
		}
	case *types.Slice:
		if !isBytes(t) {
			return expr.List{Elems: []expr.Expr{}}
		}
	case *types.Map:
		if isMap(t) {
			return expr.Object{}
		}
	case *types.Struct:
		return expr.Object{}
	}
	return nil
}

// decodesItself reports whether a type of the file says itself how it is decoded.
func decodesItself(t types.Type) bool {
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

// keyOf is the name of the member of an object that a field of a struct is decoded from; "" where the members are those
// of the struct that is embedded. ok is false for a field that is none, or is decoded in a way of its own. Of a field
// without a tag encoding/json takes the member that is called so in whatever case: here it begins in lower case.
func keyOf(s *types.Struct, i int) (key string, ok bool) {
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
		_, isStruct := under(pointee(f.Type())).(*types.Struct)
		return "", isStruct
	}
	return lowered(f.Name()), true
}

func pointee(t types.Type) types.Type {
	if p, ok := under(t).(*types.Pointer); ok {
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

// fieldOf is the field of a struct that is decoded from a member, its name and its type; ok is false where there is
// none.
func fieldOf(t types.Type, key string) (name string, typ types.Type, ok bool) {
	s, isStruct := under(pointee(t)).(*types.Struct)
	if !isStruct {
		return "", nil, false
	}
	for i := range s.NumFields() {
		own, ok := keyOf(s, i)
		switch {
		case !ok:
		case own == key && own != "":
			return s.Field(i).Name(), s.Field(i).Type(), true
		case own == "" && s.Field(i).Type() != t: // promoted from what is embedded
			if name, typ, ok := fieldOf(s.Field(i).Type(), key); ok {
				return name, typ, true
			}
		}
	}
	return "", nil, false
}

func isInfinite(f float64) bool { return math.IsInf(f, 0) || math.IsNaN(f) }

// floatText is a number in the notation of JSON.
func floatText(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

func intType() types.Type { return types.Typ[types.Int] }

func sliceOf(t types.Type) types.Type { return types.NewSlice(t) }

func elemOf(t types.Type) types.Type {
	if s, ok := under(t).(*types.Slice); ok {
		return s.Elem()
	}
	return nil
}

// sameType reports whether values of two types can be equal.
func sameType(a, b types.Type) bool { return types.Identical(a, b) || isAny(a) && isAny(b) }
