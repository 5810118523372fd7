package search

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock/search/kind"
	"github.com/flaketap/flaketap/mock/search/lines"
	"github.com/flaketap/flaketap/mock/search/records"
	"github.com/flaketap/flaketap/mock/search/tree"
	"github.com/flaketap/flaketap/mock/search/typical"
)

// Bounds of the records that are known, and of those that an answer is held against.
const (
	maxRecords  = 200
	mostRecords = 30
)

// addRecord takes a record of a file whose first line comes behind a number of lines.
func (w *Words) addRecord(r records.Record, behind int) {
	if r.Line += behind; len(r.Fields) > 0 && len(w.records) < maxRecords {
		w.records = append(w.records, r)
	}
}

// recordsOf are the records that an answer of an endpoint may be, those first that stand near its path.
func (w *Words) recordsOf(e Endpoint) []records.Record {
	if w == nil {
		return nil
	}
	all, known := w.nearby[e.Path]
	if !known {
		anchors := w.anchors(e)
		all = slices.Clone(w.records)
		slices.SortStableFunc(all, func(a, b records.Record) int {
			return cmp.Compare(lines.Between(anchors, []int{a.Line}), lines.Between(anchors, []int{b.Line}))
		})
		all = all[:min(len(all), mostRecords)]
		if w.nearby == nil {
			w.nearby = map[string][]records.Record{}
		}
		w.nearby[e.Path] = all
	}
	return all
}

// mistyped is a value of a type that a field does not take: what decodes it fails by it, or says so.
func mistyped(f records.Field) any { return typical.Wrong(kind.Kind(f.Kind)) }

// declared adds answers that have all members of a record, with values of wrong types: where the answer is decoded as
// one of it, that fails.
func (h *hunt) declared(l *lister, current Answer) {
	for i, r := range h.words.recordsOf(l.endpoint) {
		var outer []exchange.Place
		values := map[exchange.Place]any{}
		for _, f := range r.Fields {
			if f.Place.Parent() == exchange.PlaceBody && f.Kind != "" {
				outer, values[f.Place] = append(outer, f.Place), mistyped(f)
			}
		}
		if len(outer) > 0 {
			c := l.add(sequence, i, fmt.Sprint("mistyped ", outer), current)
			c.group, c.value, c.mistyped = outer, func(p exchange.Place) any { return values[p] }, true
		}
	}
}

// beyond adds answers that tell by a wrong type whether the other fields are read of records that have a known one.
// What lies within others follows once these are known.
func (h *hunt) beyond(l *lister, current Answer, known field) {
	for _, r := range h.words.recordsOf(l.endpoint) {
		if !r.Has(known.place) {
			continue
		}
		for _, f := range r.Fields {
			at := f.Place.Parent()
			if f.Kind == "" || h.known.field(l.endpoint, f.Place) != nil || !h.known.holds(l.endpoint, at) {
				continue
			}
			if !current.has(at) { // what happens without the field is held against what happens with it
				l.add(sequence, 0, fmt.Sprint("holder ", at), current.with(at, map[string]any{}))
			}
			l.probe(sequence, 0, f.Place, " mistyped", current.with(f.Place, mistyped(f)))
		}
	}
}

// holds reports whether a place is known: the whole answer, a field, or the elements of one.
func (k *knowledge) holds(e Endpoint, p exchange.Place) bool {
	return p == exchange.PlaceBody || k.field(e, p) != nil || tree.IsElement(p) && k.field(e, p.Parent()) != nil
}
