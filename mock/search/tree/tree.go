package tree

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/flaketap/flaketap/exchange"
)

// Within are the segments of a place below the body.
func Within(p exchange.Place) []string {
	if p == exchange.PlaceBody || p == "" {
		return nil
	}
	return p.Segments()[1:]
}

// Put is the value with another one at a place; what the place lies in is made where it is not there, or is of another
// type.
func Put(v any, at []string, value any) any {
	if len(at) == 0 {
		return value
	}
	if at[0] == exchange.Wildcard {
		list, _ := v.([]any)
		if len(list) == 0 {
			return []any{Put(nil, at[1:], value)}
		}
		list = slices.Clone(list)
		list[0] = Put(list[0], at[1:], value)
		return list
	}
	object, _ := v.(map[string]any)
	out := make(map[string]any, len(object)+1)
	maps.Copy(out, object)
	out[at[0]] = Put(out[at[0]], at[1:], value)
	return out
}

// Drop is the value without what stands at a place.
func Drop(v any, at []string) any {
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
		list[0] = Drop(list[0], at[1:])
		return list
	case map[string]any:
		if _, there := v[at[0]]; !there {
			return v
		}
		out := maps.Clone(v)
		if len(at) == 1 {
			delete(out, at[0])
		} else {
			out[at[0]] = Drop(out[at[0]], at[1:])
		}
		return out
	}
	return v
}

// Get is what stands at a place.
func Get(v any, at []string) (value any, there bool) {
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

// Bounds of what is looked at of one answer: how many places, and how far within each other.
const (
	MaxPlaces = 200
	MaxDepth  = 8
)

// Places lists the places within a value, but for the value itself: members in the order of their names, of a list
// its first element.
func Places(v any) (out []exchange.Place) {
	var walk func(v any, p exchange.Place, depth int)
	walk = func(v any, p exchange.Place, depth int) {
		if len(out) >= MaxPlaces || depth == 0 {
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
	walk(v, exchange.PlaceBody, MaxDepth)
	return out
}

// Same reports whether two values of JSON are the same.
func Same(a, b any) bool {
	switch a.(type) {
	case map[string]any, []any:
		x, _ := json.Marshal(a) // both came from JSON, or are written here
		y, _ := json.Marshal(b)
		return string(x) == string(y)
	}
	switch b.(type) {
	case map[string]any, []any:
		return false
	}
	return a == b
}

// Contains reports whether a value of JSON is one of several.
func Contains(all []any, v any) bool {
	return slices.ContainsFunc(all, func(o any) bool { return Same(o, v) })
}

// Unlike lists the places at which two values of JSON differ, the place given being that of the values themselves;
// elements are one place.
func Unlike(x, y any, p exchange.Place) []exchange.Place { return unlike(x, y, p, nil, MaxDepth) }

func unlike(x, y any, p exchange.Place, to []exchange.Place, depth int) []exchange.Place {
	if len(to) >= MaxPlaces || Same(x, y) {
		return to
	}
	add := func(p exchange.Place) []exchange.Place {
		if slices.Contains(to, p) {
			return to
		}
		return append(to, p)
	}
	if depth == 0 {
		return add(p)
	}
	switch a := x.(type) {
	case map[string]any:
		b, is := y.(map[string]any)
		if !is {
			return add(p)
		}
		either := maps.Clone(a)
		maps.Copy(either, b)
		for _, name := range slices.Sorted(maps.Keys(either)) {
			v, in := a[name]
			w, inOther := b[name]
			if in != inOther {
				to = add(p.Key(name))
				continue
			}
			to = unlike(v, w, p.Key(name), to, depth-1)
		}
		return to
	case []any:
		b, is := y.([]any)
		if !is || len(a) != len(b) {
			return add(p)
		}
		for i := range a {
			to = unlike(a[i], b[i], p.Each(), to, depth-1)
		}
		return to
	}
	return add(p)
}
