package search

import (
	"maps"
	"slices"

	"github.com/flaketap/flaketap/exchange"
)

// Values of JSON as trees that are never changed: put and drop return others. Of a list, a place with * is that of the
// first element, so that the others stay as they are.

// within are the segments of a place below the body.
func within(p exchange.Place) []string {
	if p == exchange.PlaceBody || p == "" {
		return nil
	}
	return p.Segments()[1:]
}

// put is the value with another one at a place; what the place lies in is made where it is not there, or is of another
// type.
func put(v any, at []string, value any) any {
	if len(at) == 0 {
		return value
	}
	if at[0] == exchange.Wildcard {
		list, _ := v.([]any)
		if len(list) == 0 {
			return []any{put(nil, at[1:], value)}
		}
		list = slices.Clone(list)
		list[0] = put(list[0], at[1:], value)
		return list
	}
	object, _ := v.(map[string]any)
	out := make(map[string]any, len(object)+1)
	maps.Copy(out, object)
	out[at[0]] = put(out[at[0]], at[1:], value)
	return out
}

// drop is the value without what stands at a place.
func drop(v any, at []string) any {
	if len(at) == 0 {
		return v
	}
	switch v := v.(type) {
	case []any:
		if at[0] != exchange.Wildcard || len(v) == 0 {
			return v
		}
		if len(at) == 1 {
			return v[1:]
		}
		list := slices.Clone(v)
		list[0] = drop(list[0], at[1:])
		return list
	case map[string]any:
		if _, there := v[at[0]]; !there {
			return v
		}
		out := maps.Clone(v)
		if len(at) == 1 {
			delete(out, at[0])
		} else {
			out[at[0]] = drop(out[at[0]], at[1:])
		}
		return out
	}
	return v
}

// get is what stands at a place.
func get(v any, at []string) (value any, there bool) {
	for _, segment := range at {
		switch in := v.(type) {
		case []any:
			if segment != exchange.Wildcard || len(in) == 0 {
				return nil, false
			}
			v = in[0]
		case map[string]any:
			if v, there = in[segment]; !there {
				return nil, false
			}
		default:
			return nil, false
		}
	}
	return v, true
}

// maxPlaces bounds the places of one answer that are looked at.
const maxPlaces = 200

// placesOf lists the places within a value, but for the value itself: members in the order of their names, of a list
// its first element.
func placesOf(v any) (out []exchange.Place) {
	var walk func(v any, p exchange.Place, depth int)
	walk = func(v any, p exchange.Place, depth int) {
		if len(out) >= maxPlaces || depth == 0 {
			return
		}
		switch v := v.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				out = append(out, p.Key(name))
				walk(v[name], p.Key(name), depth-1)
			}
		case []any:
			if len(v) > 0 {
				out = append(out, p.Each())
				walk(v[0], p.Each(), depth-1)
			}
		}
	}
	walk(v, exchange.PlaceBody, maxDepth)
	return out
}

// textsOf adds the texts within a value, and the objects and lists.
func textsOf(v any, to map[string]bool) {
	if raw := container(v); raw != "" {
		to[raw] = true
	}
	switch v := v.(type) {
	case string:
		to[v] = true
	case map[string]any:
		for _, in := range v {
			textsOf(in, to)
		}
	case []any:
		for _, in := range v {
			textsOf(in, to)
		}
	}
}

// Kind is what type a field has, as far as it is known.
type Kind string

// The kinds.
const (
	Unknown Kind = ""
	Any     Kind = "any" // each type is taken
	String  Kind = "string"
	Number  Kind = "number"
	Integer Kind = "integer"
	Boolean Kind = "boolean"
	List    Kind = "list"
	Object  Kind = "object"
	null    Kind = "null"
)

// kindOf is the kind of a value.
func kindOf(v any) Kind {
	switch v.(type) {
	case nil:
		return null
	case string:
		return String
	case bool:
		return Boolean
	case []any:
		return List
	case map[string]any:
		return Object
	}
	return Number
}

// takes reports whether a value is of the kind.
func (k Kind) takes(v any) bool {
	got := kindOf(v)
	return got == k || k == Integer && got == Number || k == Unknown || k == Any
}
