package expr

import (
	"maps"
	"slices"
)

// left is the value of a [Without].
func (x Without) left(v any) (any, error) {
	of, ok := v.(map[string]any)
	if !ok {
		return nil, NotKnown("members of what is no object")
	}
	of = maps.Clone(of)
	for _, key := range x.Keys {
		delete(of, key)
	}
	return of, nil
}

// At is a member of an object, or an element of an array. One that an object has which others were taken of is that of
// the whole object.
func At(x, step Expr) Expr {
	of, ok := x.(Without)
	if key, isKey := step.(Str); ok && isKey && !slices.Contains(of.Keys, key.Value) {
		return At(of.X, step)
	}
	return Index{x, step}
}

// same says that what is left of an object has the members of one that is written out, and no others.
func (x Without) same(y Object) Expr {
	says := []Expr{Cmp(Len{X: x}, Eq, Int(len(y.Keys)))}
	for i, key := range y.Keys {
		says = append(says, Same(At(x, Str{key}), y.Values[i]))
	}
	return And{says}
}
