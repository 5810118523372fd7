// Package borrowed tells fields that an answer may lack, of which a parser says nothing as long as they are not there.
// It keeps names that are those of something else, in answers of services, of the API, and in requests: what belongs
// together is often called the same. Given a value that next to no field takes, a parser refuses those that it knows,
// and says of which type they are to be; others it passes over.
package borrowed

import (
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock/search/kind"
	"github.com/flaketap/flaketap/mock/search/tree"
	"github.com/flaketap/flaketap/mock/search/wordings"
)

// Bounds of what is kept and tried: names, their bytes, and objects of one answer.
const (
	maxNames   = 200
	maxName    = 60
	maxObjects = 8
)

// Names are those that were heard, and where each was tried. The zero value has none.
type Names struct {
	all   []string
	tried map[string]bool // by [at]
}

// Add adds names, but for those that are known.
func (n *Names) Add(names ...string) {
	for _, name := range names {
		if len(n.all) < maxNames && len(name) <= maxName && name != exchange.Wildcard && !slices.Contains(n.all, name) {
			n.all = append(n.all, name)
		}
	}
}

// AddMembers adds those of the objects of a value.
func (n *Names) AddMembers(v any) {
	for _, p := range tree.Places(v) {
		n.Add(tree.Name(p))
	}
}

func at(endpoint string, p exchange.Place) string { return endpoint + " " + string(p) }

// Below are the places that the names make within an object of an endpoint's answer, but for those that were tried.
func (n *Names) Below(endpoint string, object exchange.Place) (out []exchange.Place) {
	for _, name := range n.all {
		if p := object.Key(name); !n.Tried(endpoint, p) {
			out = append(out, p)
		}
	}
	return out
}

// Try notes that places were tried.
func (n *Names) Try(endpoint string, places []exchange.Place) {
	if n.tried == nil {
		n.tried = map[string]bool{}
	}
	for _, p := range places {
		n.tried[at(endpoint, p)] = true
	}
}

// Tried reports whether a place was.
func (n *Names) Tried(endpoint string, p exchange.Place) bool { return n.tried[at(endpoint, p)] }

// Objects are the places of an answer's objects, the first ones.
func Objects(answer any) (out []exchange.Place) {
	for _, p := range append([]exchange.Place{exchange.PlaceBody}, tree.Places(answer)...) {
		v, _ := tree.Get(answer, tree.Within(p))
		if kind.Of(v) == kind.Object && len(out) < maxObjects {
			out = append(out, p)
		}
	}
	return out
}

// Value is what the places are given: only a list of lists takes it.
func Value(exchange.Place) any { return []any{[]any{}} }

// Refused is what a parser tells of places that had that value in an answer. What it says of the elements makes a list
// of the place.
func Refused(answer any, told []wordings.Told, places []exchange.Place) (out []wordings.Told) {
	for _, t := range told {
		if !t.Parsed() || t.Kind == kind.Unknown {
			continue
		}
		p := tree.Resolved(answer, t.Place)
		if slices.Contains(places, p) {
			t.Place = p
			out = append(out, t)
			continue
		}
		if list := p.Parent(); slices.Contains(places, list) { // then p is its elements, as that value is a list
			t.Place = p
			out = append(out, wordings.Told{Place: list, Kind: kind.List}, t)
		}
	}
	return out
}
