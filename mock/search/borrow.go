package search

import (
	"fmt"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock/search/borrowed"
	"github.com/flaketap/flaketap/mock/search/wordings"
)

// borrow adds answers whose objects have all names that are known of something else, where the parser has nothing to
// say of what the base has: it may name the first error alone.
func (h *hunt) borrow(l *lister, current Answer) {
	wrong := slices.ContainsFunc(l.base.sight.told, wordings.Told.Parsed)
	if !h.known.parsed[l.endpoint] || !l.base.answered(l.endpoint) || wrong {
		return
	}
	for i, object := range borrowed.Objects(current.JSON) {
		places := h.known.names.Below(l.endpoint.String(), object)
		places = slices.DeleteFunc(places, current.has)
		if len(places) > 0 {
			l.group(sequence, i, borrowing(places), current, places, borrowed.Value)
			l.out[len(l.out)-1].borrowed = true
		}
	}
}

// learnBorrowed learns the fields of which a parser says that it does not take what they have of a group, and reports
// whether there are any: then the others have their turn, as it may name the first one alone.
func (s *searcher) learnBorrowed(h *hunt, c change, places []exchange.Place, set setting, seen sight) bool {
	told := borrowed.Refused(set[c.endpoint].JSON, seen.told, places)
	if len(told) == 0 {
		s.known.names.Try(c.endpoint.String(), places)
		return false
	}
	var fields []field
	for _, t := range told {
		fields = append(fields, field{place: t.Place, kind: t.Kind, values: t.Values, works: t.Fits, source: FromError})
	}
	s.learn(c.endpoint, fields)
	c.group = slices.DeleteFunc(places, func(p exchange.Place) bool { return s.known.field(c.endpoint, p) != nil })
	if len(c.group) > 0 {
		c.gene = "group " + borrowing(c.group)
		h.pend([]change{c})
	}
	return true
}

// borrowing names what is tried with some places of one object.
func borrowing(places []exchange.Place) string {
	return fmt.Sprint("borrowed ", len(places), " in ", places[0].Parent())
}
