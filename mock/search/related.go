package search

import (
	"fmt"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock/search/kind"
	"github.com/flaketap/flaketap/mock/search/tree"
)

// guess is a place that may be one of a field, at a base.
type guess struct {
	base     *base
	endpoint Endpoint
	place    exchange.Place
}

// perGuess is how many values a place is tried with that may be one of a field.
const perGuess = 6

// tellings are the values that most tell whether a field is read of which no type is known.
var tellings = []any{"x", 1e6, true, 0.0, []any{map[string]any{}}, map[string]any{}}

// peers adds changes of what is read of the same thing as fields that are known, as far as the files tell.
func (h *hunt) peers(l *lister, current Answer, fields []field) {
	var places []exchange.Place
	for _, f := range fields {
		for _, peer := range h.words.peers(tree.Name(f.place)) {
			places = append(places, f.place.Parent().Key(peer))
		}
	}
	h.guess(l, current, places, value, 3)
}

// beside adds changes of what is read of an answer that fails, where its status is looked at.
func (h *hunt) beside(l *lister, current Answer) {
	if h.words == nil || current.Status/100 < 4 {
		return
	}
	var places []exchange.Place
	for _, one := range h.words.kin.statuses.Beside(current.Status) {
		places = append(places, exchange.PlaceBody.Key(one))
	}
	h.guess(l, current, places, sequence, 0)
}

// guess adds changes of places that may be ones of fields: all at once, since most are none, each with its first value,
// then each with its second one, and so on.
func (h *hunt) guess(l *lister, current Answer, places []exchange.Place, r rank, turn int) {
	if a, set := l.base.setting[l.endpoint]; !set || !a.fielded() {
		return // it would not be these fields alone that are changed
	}
	values := map[exchange.Place][]any{}
	var all []exchange.Place
	for _, p := range places {
		one := guess{l.base, l.endpoint, p}
		if h.known.guessed[one] || h.known.field(l.endpoint, p) != nil || current.has(p) {
			continue
		}
		h.known.guessed[one] = true
		values[p], all = h.guessed(l.endpoint, p), append(all, p)
	}
	for i := range perGuess {
		some := slices.DeleteFunc(slices.Clone(all), func(p exchange.Place) bool { return i >= len(values[p]) })
		l.group(r, turn+i, fmt.Sprint("guessed ", i), current, some, func(p exchange.Place) any { return values[p][i] })
	}
}

// guessed are the values that a place is tried with that may be one of a field.
func (h *hunt) guessed(e Endpoint, p exchange.Place) (values []any) {
	f := field{place: p, kind: h.words.kindOf(tree.Name(p)), source: FromWords}
	values, _ = h.values(e, f)
	if f.kind == kind.Unknown {
		values = slices.Concat(h.compared(f), tellings)
	}
	return values[:min(len(values), perGuess)]
}

// relate learns from a change of a field: that it is one, where nothing else told so and something else happened
// without it alone, and that the words which the files list with its value may be others that matter.
func (s *searcher) relate(h *hunt, c change, seen sight) {
	places := []exchange.Place{c.field}
	for _, f := range c.supposed {
		places = append(places, f.place)
	}
	for _, p := range places {
		if p == "" {
			continue
		}
		without, tried := h.tried[c.base.setting.with(c.endpoint, c.answer.without(p)).key()]
		if s.known.field(c.endpoint, p) == nil && tried && !h.same(seen, without) {
			s.learn(c.endpoint, []field{{place: p, source: FromWords}})
		}
		if v, _ := tree.Get(c.answer.JSON, tree.Within(p)); seen.first {
			s.tellSisters(h, c, p, v)
		}
	}
}

// tellSisters has the words that the files list with one that led to something new be tried in its place, with this
// request, and with the others where they got furthest.
func (s *searcher) tellSisters(h *hunt, c change, p exchange.Place, v any) {
	text, is := v.(string)
	f := s.known.field(c.endpoint, p)
	if !is || f == nil {
		return
	}
	sisters := h.words.sisters(text)
	for _, sister := range sisters {
		if !slices.Contains(f.listed, sister) {
			f.listed = append(f.listed, sister)
		}
	}
	for _, o := range s.hunts {
		b, a := o.front, Answer{}
		if o == h {
			b, a = c.base, c.answer
		} else if b == nil || !slices.Contains(b.endpoints, c.endpoint) {
			continue
		} else {
			a = b.current(c.endpoint)
		}
		l := &lister{base: b, endpoint: c.endpoint}
		for i, sister := range sisters {
			l.probe(sequence, i, p, geneOf(sister), a.with(p, sister))
		}
		o.pend(l.out)
	}
}
