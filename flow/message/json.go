package message

import (
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/jsontree"
)

// placeOf returns the place of a JSON path within the text at p.
func placeOf(p exchange.Place, path []jsontree.Step) exchange.Place {
	for _, s := range path {
		if s.Key != nil {
			p = p.Key(*s.Key)
		} else {
			p = p.Index(s.Index)
		}
	}
	return p
}

// LastKey returns the key of the innermost member of a path and that of the member around it; array indexes in
// between count for nothing. Either is "" where there is none.
func LastKey(path []jsontree.Step) (key, parent string) {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i].Key == nil {
			continue
		}
		if key == "" {
			key = *path[i].Key
			continue
		}
		return key, *path[i].Key
	}
	return key, ""
}
