package search

import "github.com/flaketap/flaketap/mock/search/structures"

// declaredWith are the fields that the files declare in the same structure as one that is known of an endpoint.
func (w *Words) declaredWith(e Endpoint, known field) (out []field) {
	if w == nil {
		return nil
	}
	anchors := w.anchors(e)
	far := func(line int) int { return min(between(anchors, []int{line}), structures.Near) }
	isList := func(name string) bool { return KindNamed(name) == List }
	for _, f := range structures.With(w.structures, known.place, far, isList) {
		kind := KindNamed(f.Type)
		if f.List {
			kind = List
		} else if f.Object {
			kind = Object
		}
		out = append(out, field{place: f.Place, kind: kind, source: FromWords})
	}
	return out
}
