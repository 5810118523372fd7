package golang

import (
	"go/types"
	"reflect"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/golang/typing"
)

// json is what encoding/json writes for a struct that is written out.
func (v record) json() (any, bool) {
	s, ok := typing.Under(v.typ).(*types.Struct)
	if !ok {
		return nil, false
	}
	out := map[string]any{}
	for i := range s.NumFields() {
		f := s.Field(i)
		tag := reflect.StructTag(s.Tag(i)).Get("json")
		name, options, _ := strings.Cut(tag, ",")
		if tag == "-" || !f.Exported() {
			continue
		}
		if name == "" {
			name = f.Name()
		}
		given, isGiven := v.fields[f.Name()]
		switch {
		case f.Embedded() || strings.Contains(options, "string"):
			return nil, false
		case isGiven:
			one, ok := jsonValue(given)
			if !ok {
				return nil, false
			}
			out[name] = one
		case strings.Contains(options, "omit"):
		default:
			zero := typing.ZeroOf(f.Type())
			if _, isStruct := typing.Under(f.Type()).(*types.Struct); isStruct || zero == nil {
				return nil, false
			}
			if typing.IsSlice(f.Type()) || typing.IsMap(f.Type()) {
				zero = expr.Null{}
			}
			one, ok := jsonValue(plain{x: zero})
			if !ok {
				return nil, false
			}
			out[name] = one
		}
	}
	return out, true
}
