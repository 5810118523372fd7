package relation

import (
	"cmp"
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// Relation says how the value of a place follows from others of the same answer. Where places lie within an array, it
// is true of each of its elements. It is said of the answers in which all of its places are there and not null.
type Relation struct {
	Is Kind             `json:"is"`
	Of []exchange.Place `json:"of"`
	By json.Number      `json:"by,omitempty"` // of offset (of times: seconds) and ratio
}

// Kind is what a [Relation] states of a place p and the places a, b that Of lists.
type Kind string

// The relations. Numbers are computed with as decimals.
const (
	Equal      Kind = "equal"      // p == a: as numbers, as texts, or as a number and its text
	Sum        Kind = "sum"        // p == a + b
	Difference Kind = "difference" // p == a - b
	Product    Kind = "product"    // p == a × b, rounded to the decimals that p has where those are two or more
	Offset     Kind = "offset"     // p == a + By, of numbers or of times
	Ratio      Kind = "ratio"      // p == a × By
	AtLeast    Kind = "at-least"   // p >= a, of numbers or of times
	AtMost     Kind = "at-most"    // p <= a
	Count      Kind = "count"      // p is the number of elements of the array a
	Total      Kind = "total"      // p is the sum of a over all elements of an array; of a × b where there are two
	Contains   Kind = "contains"   // the text p holds the value of a
	Ascending  Kind = "ascending"  // the elements of the array p are sorted by a
	Descending Kind = "descending"
)

// MaxRelations bounds the relations stated of one place.
const MaxRelations = 8

// Stated is a relation with the place that it is stated of.
type Stated struct {
	Place exchange.Place
	Relation
}

// Relations returns what holds and is no chance, in an order that depends on the places alone.
func (m *Miner) Relations() []Stated {
	var out []Stated
	for _, s := range m.scopes {
		if !s.found {
			s.find()
		}
		out = append(out, s.justified()...)
	}
	slices.SortFunc(out, func(a, b Stated) int {
		return cmp.Or(cmp.Compare(a.Place, b.Place), cmp.Compare(rank(a.Is), rank(b.Is)), slices.Compare(a.Of, b.Of))
	})
	return out
}

// Kinds goes through the relations, those that say the most first.
func Kinds() iter.Seq[Kind] { return slices.Values(kinds[:]) }

var kinds = [...]Kind{
	Equal, Count, Total, Sum, Difference, Product, Offset, Ratio,
	Ascending, Descending, Contains, AtLeast, AtMost,
}

func rank(k Kind) int { return slices.Index(kinds[:], k) }

// stated gives a candidate as it is written.
func (s *scope) stated(c *candidate) Stated {
	a := s.vars[c.a]
	r := Stated{Place: a.place, Relation: Relation{Is: c.kind}}
	switch c.kind {
	case Ascending, Descending:
		r.Place, r.Of = s.place.Parent(), []exchange.Place{a.place}
		return r
	case Offset, Ratio:
		r.By = json.Number(c.by.String())
	}
	for _, i := range []int{c.b, c.c} {
		if i < 0 {
			continue
		}
		v := s.vars[i]
		switch {
		case v.derived == isCount:
			r.Is = Count
		case v.derived == isTotal:
			r.Is = Total
		}
		r.Of = append(r.Of, v.names()...)
	}
	return r
}

// names are the places that a variable is computed from.
func (v *variable) names() []exchange.Place {
	if v.derived != isTotal {
		return []exchange.Place{v.place}
	}
	out := []exchange.Place{v.below.vars[v.of[0]].place}
	if v.of[1] >= 0 {
		out = append(out, v.below.vars[v.of[1]].place)
	}
	return out
}

// scopeOf reports whether a place is in an array, and in which scope.
func scopeOf(p exchange.Place) exchange.Place {
	if i := strings.LastIndex(string(p), "/"+exchange.Wildcard); i >= 0 {
		return p[:i+2]
	}
	return ""
}
