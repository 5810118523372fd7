package search

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock/search/kind"
	"github.com/flaketap/flaketap/mock/search/tree"
)

// Field is what was learnt of a field of an answer.
type Field struct {
	Endpoint Endpoint
	Place    exchange.Place
	// Kinds are the types with which the request gets furthest; "any" alone where each does the same.
	Kinds  []kind.Kind
	Values []any // that the service may answer, as far as an error or a description lists them
	Source Source
}

// enoughKinds is of how many types values have to be tried before all types are said to do.
const enoughKinds = 4

// fields lists what was learnt of fields, in their order.
func (s *searcher) fields() (out []Field) {
	for e, known := range s.known.fields {
		for _, f := range known {
			kinds := s.kinds(e, f)
			if f.kind != kind.Unknown && f.kind != kind.Any {
				kinds = []kind.Kind{f.kind}
			}
			out = append(out, Field{Endpoint: e, Place: f.place, Kinds: kinds,
				Values: slices.Concat(f.values, f.compared), Source: f.source})
		}
	}
	slices.SortFunc(out, func(a, b Field) int {
		return cmp.Or(a.Endpoint.compare(b.Endpoint), strings.Compare(string(a.Place), string(b.Place)))
	})
	return out
}

// kinds are the types with which a request gets furthest, by the bases at which a field matters: with another value, or
// without it, something else happens there.
func (s *searcher) kinds(e Endpoint, f field) (out []kind.Kind) {
	votes, indifferent := map[kind.Kind]int{}, false
	for _, h := range s.hunts {
		for _, b := range h.bases {
			if slices.Contains(b.endpoints, e) {
				indifferent = h.vote(b, e, f, votes) || indifferent
			}
		}
	}
	for _, k := range slices.Sorted(maps.Keys(votes)) {
		if votes[k] > 0 {
			out = append(out, k)
		}
	}
	if len(out) >= enoughKinds && len(out) == len(votes) || len(votes) == 0 && indifferent {
		return []kind.Kind{kind.Any}
	}
	return out
}

// vote counts the types with which a request gets furthest from a base, by the trials that were run. Where all of many
// do the same it counts none, and says so.
func (h *hunt) vote(b *base, e Endpoint, f field, votes map[kind.Kind]int) (indifferent bool) {
	current := b.current(e)
	absent, tried := h.tried[b.setting.with(e, current.without(f.place)).key()]
	by, differs, furthest := map[kind.Kind]int{}, false, math.MinInt
	f.kind = kind.Unknown
	likely, others := h.values(e, f)
	var first *sight
	if tried {
		first = &absent
	}
	values := slices.Concat(likely, others)
	if v, there := tree.Get(current.JSON, tree.Within(f.place)); there {
		values = append(values, v)
	}
	for _, v := range values {
		seen, tried := h.tried[b.setting.with(e, current.with(f.place, v)).key()]
		if !tried {
			continue
		}
		if first == nil {
			first = &seen
		}
		differs = differs || seen.sign != first.sign
		if before, there := by[kind.Of(v)]; !there || seen.far() > before {
			by[kind.Of(v)] = seen.far()
		}
		furthest = max(furthest, seen.far())
	}
	if !differs || len(by) < 2 {
		return !differs && len(by) >= enoughKinds
	}
	for k, far := range by {
		if far == furthest {
			votes[k]++
		} else {
			votes[k] -= 2
		}
	}
	return false
}

// String is the endpoint as people write it.
func (e Endpoint) String() string { return fmt.Sprintf("%s %s%s", e.Method, e.Service, e.Path) }
