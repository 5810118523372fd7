package typing

import (
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
)

// maxNested bounds how deeply types nest that are looked at.
const maxNested = 8

// HasFields reports whether a type is a struct, or made of some.
func HasFields(t types.Type) bool { return hasFieldsWithin(t, 0) }

func hasFieldsWithin(t types.Type, depth int) bool {
	if depth > maxNested {
		return false
	}
	switch u := Under(t).(type) {
	case *types.Struct:
		return !IsMoment(t)
	case *types.Pointer:
		return hasFieldsWithin(u.Elem(), depth+1)
	case *types.Slice:
		return hasFieldsWithin(u.Elem(), depth+1)
	case *types.Map:
		return hasFieldsWithin(u.Elem(), depth+1)
	}
	return false
}

// Fold gives the objects of a value the members that encoding/json would take for fields of a struct, though their
// names are written in another case, by the names that KeyOf has for them.
func Fold(v any, t types.Type, depth int) {
	if depth > script.MaxDepth {
		return
	}
	switch u := Under(t).(type) {
	case *types.Pointer:
		Fold(v, u.Elem(), depth+1)
	case *types.Slice:
		items, _ := v.(expr.Items)
		for _, e := range items {
			Fold(e, u.Elem(), depth+1)
		}
	case *types.Map:
		object, _ := v.(map[string]any)
		for _, e := range object {
			Fold(e, u.Elem(), depth+1)
		}
	case *types.Struct:
		object, ok := v.(map[string]any)
		if !ok {
			return
		}
		for i := range u.NumFields() {
			key, ok := KeyOf(u, i)
			switch {
			case !ok:
			case key == "":
				Fold(v, u.Field(i).Type(), depth+1)
			default:
				foldMember(object, key)
				Fold(object[key], u.Field(i).Type(), depth+1)
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
