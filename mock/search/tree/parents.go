package tree

import "github.com/flaketap/flaketap/exchange"

// Resolved is a place as it is in a value: where that has a list and the place does not say so, in its elements. An
// error in Go tells no elements.
func Resolved(v any, p exchange.Place) exchange.Place {
	out := exchange.PlaceBody
	for _, s := range Within(p) {
		if list, is := v.([]any); is && s != exchange.Wildcard {
			out = out.Each()
			v = nil
			if len(list) > 0 {
				v = list[0]
			}
		}
		out = Below(out, s)
		v, _ = Get(v, []string{s})
	}
	return out
}

// mostParents bounds the places of a value that something is put in.
const mostParents = 5

// Parents are the objects of a value, the empty ones, and the first elements that empty lists may get, first.
func Parents(v any) (out []exchange.Place) {
	var full []exchange.Place
	see := func(p exchange.Place, v any) {
		switch v := v.(type) {
		case map[string]any:
			if len(v) == 0 {
				out = append(out, p)
			} else {
				full = append(full, p)
			}
		case []any:
			if len(v) == 0 {
				out = append(out, p.Each())
			}
		}
	}
	see(exchange.PlaceBody, v)
	for _, p := range Places(v) {
		inner, _ := Get(v, Within(p))
		see(p, inner)
	}
	out = append(out, full...)
	return out[:min(len(out), mostParents)]
}

// ByParent are places by what they lie in.
func ByParent(places []exchange.Place) map[exchange.Place][]exchange.Place {
	out := map[exchange.Place][]exchange.Place{}
	for _, p := range places {
		out[p.Parent()] = append(out[p.Parent()], p)
	}
	return out
}
