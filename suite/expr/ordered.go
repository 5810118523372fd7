package expr

import (
	"maps"
	"slices"
)

// ordered evaluates an [Ordered]. Keys that have no order raise an error, as those that an element lacks.
func (s Scope) ordered(x Ordered) (any, error) {
	v, err := s.Eval(x.List)
	if err != nil {
		return nil, err
	}
	items, ok := v.(Items)
	if !ok {
		return nil, NotKnown("the order of what is no array")
	}
	keys := items
	if x.Key != nil {
		inner := maps.Clone(s)
		keys = make(Items, len(items))
		for i, e := range items {
			inner[x.Var] = e
			if keys[i], err = inner.Eval(x.Key); err != nil {
				return nil, err
			}
		}
	}
	places := make([]int, len(items))
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(i, j int) int {
		c, failed := x.compared(keys[i], keys[j])
		if failed != nil {
			err = failed
		}
		return c
	})
	if err != nil {
		return nil, err
	}
	out := make(Items, len(items))
	for i, at := range places {
		out[i] = items[at]
	}
	return out, nil
}

// compared is which of two keys comes first.
func (x Ordered) compared(a, b any) (int, error) {
	if x.Falling {
		a, b = b, a
	}
	if less, err := relate(a, Lt, b); err != nil || less {
		return -1, err
	}
	more, err := relate(b, Lt, a)
	if more {
		return 1, err
	}
	return 0, err
}
