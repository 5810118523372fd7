package search

import (
	"fmt"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock/search/kind"
	"github.com/flaketap/flaketap/mock/search/tree"
	"github.com/flaketap/flaketap/mock/search/typical"
)

// read learns the fields that the API read, and reports whether one of them is new.
func (s *searcher) read(seen sight) (news bool) {
	for _, e := range seen.endpoints {
		var fields []field
		var lists []exchange.Place
		for _, r := range seen.reads[e] {
			if r.Place == exchange.PlaceBody {
				whole, known := s.known.wholes[e]
				if news = news || !known; !known || whole == kind.Unknown {
					s.known.wholes[e] = r.Kind
				}
				if whole != kind.List && s.known.wholes[e] == kind.List {
					lists = append(lists, r.Place)
				}
				continue
			}
			f := field{place: r.Place, kind: r.Kind, source: FromReads}
			fields = append(fields, s.known.around(e, r.Place)...)
			if r.Value != nil {
				f.compared = []any{r.Value}
			}
			known := s.known.field(e, r.Place)
			if known == nil || known.source == FromWords {
				news = true
			}
			if r.Kind == kind.List && (known == nil || known.kind == kind.Unknown) {
				lists = append(lists, r.Place)
			}
			fields = append(fields, f)
		}
		s.learn(e, fields)
		for _, p := range lists {
			if p == exchange.PlaceBody || s.known.field(e, p) != nil { // else too many are known, and it would be news each time
				s.each(e, func(_ *hunt, l *lister) { l.list(p) })
			}
		}
	}
	return news
}

// around are the fields that a place lies in: their kinds show by what is read within. Elements are fields, too.
func (k *knowledge) around(e Endpoint, p exchange.Place) (out []field) {
	for ; p.Parent() != exchange.PlaceBody; p = p.Parent() {
		if at := p.Parent(); k.field(e, at) != nil || tree.IsElement(at) {
			out = append(out, field{place: at, kind: holds(p), source: FromReads})
		}
	}
	return out
}

// holds is the kind of what a place lies in.
func holds(p exchange.Place) kind.Kind {
	if tree.IsElement(p) {
		return kind.List
	}
	return kind.Object
}

// reading reports whether it is told what of the answers of endpoints is read: then no words have to be understood.
func (k *knowledge) reading(all []Endpoint) bool {
	return slices.ContainsFunc(all, func(e Endpoint) bool {
		_, known := k.wholes[e]
		return known
	})
}

// list adds an answer that has a list at a place. Its element is an object, which shows what is read of each.
func (l *lister) list(p exchange.Place) {
	one := []any{map[string]any{}}
	if p == exchange.PlaceBody {
		l.add(good, 1, "a list", Answer{Status: 200, JSON: one})
		return
	}
	l.add(good, 1, fmt.Sprint("a list at ", p), l.base.current(l.endpoint).with(p, one))
}

// mostAlone is how many fields that were read are supplied one by one before others have their turn.
const mostAlone = 6

// supply lists answers that have what was read of them and was not there: all of it at once, and each alone, since one
// may end what the others lead to. An object in the place of what is not known otherwise shows what is read of it;
// where it is taken for a list, without a word, it shows nothing, and a list of one object does.
func (h *hunt) supply(b *base) (out []change) {
	for _, e := range b.endpoints {
		a := b.current(e)
		l := &lister{base: b, endpoint: e}
		switch {
		case a.plain():
			h.supplyAll(l, a)
		case a.Status/100 >= 4:
			h.supplyFailure(l, a)
		}
		out = append(out, l.out...)
	}
	return out
}

// supplyAll adds such answers of a good one.
func (h *hunt) supplyAll(l *lister, a Answer) {
	e := l.endpoint
	if h.known.wholes[e] == kind.List && kind.Of(a.JSON) != kind.List {
		l.list(exchange.PlaceBody)
	}
	all, open, alone := a, a, 0
	var untyped []exchange.Place
	places := absent(a, l.base.sight.reads[e])
	for _, p := range places {
		f := h.known.field(e, p)
		if f == nil {
			continue
		}
		v := h.supplied(*f)
		all = all.with(p, v)
		open = open.with(p, h.opened(e, *f, v))
		if f.kind == kind.Unknown && len(f.compared) == 0 && !h.known.inside(e, p) {
			untyped = append(untyped, p)
		}
		if alone < mostAlone {
			alone++
			l.add(good, 1+alone, fmt.Sprint("supplied ", p, geneOf(v)), a.with(p, v)).supplies = true
		}
	}
	if alone > 0 {
		l.add(good, 1, fmt.Sprint("supplied ", places), all).supplies = true
	}
	if len(untyped) > 0 {
		l.add(good, forOpened, fmt.Sprint("opened ", places), open)
		l.opening(all, open, untyped)
	}
	h.openKnown(l, a)
}

// openKnown adds answers with an object, and a list of one, in the place of what was read and is there, and shows no
// type: a plain value of it may be passed over without a word.
func (h *hunt) openKnown(l *lister, a Answer) {
	for i, r := range l.base.sight.reads[l.endpoint] {
		p := r.Place
		f := h.known.field(l.endpoint, p)
		if f == nil || f.kind != kind.Unknown || len(f.compared) > 0 || !a.has(p) || h.known.inside(l.endpoint, p) {
			continue
		}
		l.one(value, i, p, a, a)
	}
}

// open notes which place was tried as what other values may lie in, and read: what is read within it is read of others.
func (k *knowledge) open(c change, seen sight) {
	if slices.ContainsFunc(seen.reads[c.endpoint], func(r Read) bool { return r.Place == c.opens }) {
		k.opened[gene{c.endpoint, c.gene}] = true
	}
}

// forOpened is how much later objects and lists are tried than plain values: where these lead further there may be no
// need for them.
const forOpened = 4

// supplyFailure adds answers that fail, with a value of what was read of one: nothing but the reads tells of that.
func (h *hunt) supplyFailure(l *lister, a Answer) {
	for _, p := range absent(a, l.base.sight.reads[l.endpoint]) {
		f := h.known.field(l.endpoint, p)
		if f == nil {
			continue
		}
		likely, _ := h.values(l.endpoint, *f)
		for i, v := range likely[:min(len(likely), perGuess)] {
			l.add(sequence, i, fmt.Sprint(p, " of ", a.Status, geneOf(v)), a.with(p, v))
		}
	}
}

// supplied is a plain value of a field that was read: one that it is compared with where there is one. Where reading it
// showed no type it is no list and no object, whatever stands near its name in the files: those are tried beside it.
func (h *hunt) supplied(f field) any {
	v := h.filler(f)
	switch {
	case len(f.values) > 0:
	case len(f.compared) > 0:
		return f.compared[0]
	case f.kind == kind.Unknown && kind.Of(v).Holds():
		return typical.Filler(kind.Number)
	}
	return v
}

// opened is the value of a field that shows what is read within: an object, or a list of one element; the other value
// where the field is known to be none of these.
func (h *hunt) opened(e Endpoint, f field, v any) any {
	switch {
	case f.kind == kind.Unknown && len(f.compared) == 0:
		return map[string]any{}
	case f.kind != kind.List:
		return v
	}
	if of := h.known.field(e, f.place.Each()); of != nil && of.kind != kind.Unknown {
		return []any{h.filler(*of)}
	}
	return []any{map[string]any{}}
}

// opening adds answers with lists in the place of what was read and shows no type, in all places at once; and with an
// object, and a list, in each alone: where the request does not go well, for want of one maybe, before what is guessed.
func (l *lister) opening(all, open Answer, untyped []exchange.Place) {
	listed := open
	for i, p := range untyped {
		listed = listed.with(p, []any{map[string]any{}})
		switch {
		case i >= mostAlone || len(untyped) < 2: // of a single one it is in what is opened
		case l.base.sight.status/100 == 2:
			l.one(value, i, p, all, open)
		default:
			l.one(good, forOpened+2+i, p, all, open)
		}
	}
	l.add(good, forOpened+1, fmt.Sprint("listed ", untyped), listed)
}

// one adds answers with an object in one place beside plain values, which may have to be numbers or texts for it to be
// looked into, and with a list beside others.
func (l *lister) one(r rank, turn int, p exchange.Place, plain, open Answer) {
	l.add(r, turn, fmt.Sprint("opened ", p), plain.with(p, map[string]any{})).opens = p
	l.add(r, turn, fmt.Sprint("listed ", p), open.with(p, []any{map[string]any{}})).opens = p
}

// inside reports whether something is known of what lies within a place.
func (k *knowledge) inside(e Endpoint, p exchange.Place) bool {
	return slices.ContainsFunc(k.fields[e], func(f field) bool { return f.place != p && f.place.Within(p) })
}

// absent are the places that were read of an answer and are not there.
func absent(a Answer, reads []Read) (out []exchange.Place) {
	for _, r := range reads {
		if r.Place != exchange.PlaceBody && !a.has(r.Place) && !slices.Contains(out, r.Place) {
			out = append(out, r.Place)
		}
	}
	return out
}
