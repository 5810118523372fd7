package typing

import "go/types"

// Unlike reports whether a value of one static type is never equal to one of another; in an any are the types that
// encoding/json gives.
func Unlike(a, b types.Type) bool {
	switch {
	case a == nil || b == nil || IsAny(a) && IsAny(b):
		return false
	case IsAny(a):
		return JSONType(b) == ""
	case IsAny(b):
		return JSONType(a) == ""
	}
	return !types.Identical(a, b)
}

// ElementOf is the static type of what is in a list, which an any may hold.
func ElementOf(t types.Type) types.Type {
	if IsAny(t) {
		return t
	}
	return ElemOf(t)
}
