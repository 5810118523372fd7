package golang

import (
	"go/types"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
)

// hasFields reports whether a type is a struct, or made of some.
func hasFields(t types.Type) bool { return hasFieldsWithin(t, 0) }

func hasFieldsWithin(t types.Type, depth int) bool {
	if depth > maxInlined {
		return false
	}
	switch u := under(t).(type) {
	case *types.Struct:
		return true
	case *types.Pointer:
		return hasFieldsWithin(u.Elem(), depth+1)
	case *types.Slice:
		return hasFieldsWithin(u.Elem(), depth+1)
	case *types.Map:
		return hasFieldsWithin(u.Elem(), depth+1)
	}
	return false
}

// fold gives the objects of a value the members that encoding/json would take for fields of a struct, though their
// names are written in another case, by the names that keyOf has for them.
func fold(v any, t types.Type, depth int) {
	if depth > script.MaxDepth {
		return
	}
	switch u := under(t).(type) {
	case *types.Pointer:
		fold(v, u.Elem(), depth+1)
	case *types.Slice:
		items, _ := v.(expr.Items)
		for _, e := range items {
			fold(e, u.Elem(), depth+1)
		}
	case *types.Map:
		object, _ := v.(map[string]any)
		for _, e := range object {
			fold(e, u.Elem(), depth+1)
		}
	case *types.Struct:
		object, ok := v.(map[string]any)
		if !ok {
			return
		}
		for i := range u.NumFields() {
			key, ok := keyOf(u, i)
			switch {
			case !ok:
			case key == "":
				fold(v, u.Field(i).Type(), depth+1)
			default:
				foldMember(object, key)
				fold(object[key], u.Field(i).Type(), depth+1)
			}
		}
	}
}

// foldMember gives an object a member by the name of one that is written in another case.
func foldMember(object map[string]any, key string) {
	if _, exact := object[key]; exact {
		return
	}
	for _, k := range slices.Sorted(maps.Keys(object)) {
		if strings.EqualFold(k, key) {
			object[key] = object[k]
			return
		}
	}
}

// json is what encoding/json writes for a struct that is written out.
func (v record) json() (any, bool) {
	s, ok := under(v.typ).(*types.Struct)
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
			zero := zeroOf(f.Type())
			if _, isStruct := under(f.Type()).(*types.Struct); isStruct || zero == nil {
				return nil, false
			}
			if isSlice(f.Type()) || isMap(f.Type()) {
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
