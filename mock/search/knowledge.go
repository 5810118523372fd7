package search

import (
	"maps"
	"slices"

	"github.com/flaketap/flaketap/exchange"
)

// knowledge is what is known of the services, whichever request told it.
type knowledge struct {
	fields  map[Endpoint][]field
	samples map[Endpoint][]Answer // good answers to begin with
	again   map[Endpoint]*again
	bests   map[Endpoint]best
	missing map[Endpoint][]Told // members of what was not there
	genes   map[gene]*int       // how often each was tried
}

// again are the answers after which an endpoint is asked once more.
type again struct {
	failed, good []Answer
}

// Bounds of the answers of an endpoint that others follow.
const (
	maxFailed = 6
	maxGood   = 4
)

// best is the answer that led furthest.
type best struct {
	answer       Answer
	class, calls int
}

func newKnowledge() *knowledge {
	return &knowledge{fields: map[Endpoint][]field{}, samples: map[Endpoint][]Answer{}, again: map[Endpoint]*again{},
		bests: map[Endpoint]best{}, missing: map[Endpoint][]Told{}, genes: map[gene]*int{}}
}

// maxMissing bounds the members of what was not there that are known of one endpoint.
const maxMissing = 10

// lack notes what is told of something that is not there.
func (k *knowledge) lack(e Endpoint, told []Told) {
	for _, t := range told {
		known := slices.ContainsFunc(k.missing[e], func(o Told) bool { return o.Place == t.Place })
		if t.From == Missing && !known && len(k.missing[e]) < maxMissing {
			k.missing[e] = append(k.missing[e], t)
		}
	}
}

// works is a value that mended an error at a place, where one is known.
func (k *knowledge) works(e Endpoint, p exchange.Place) any {
	for _, f := range k.fields[e] {
		if f.place == p {
			return f.works
		}
	}
	return nil
}

// learn adds fields of what an endpoint answers, and returns those that are new, or of which more is known now.
func (k *knowledge) learn(e Endpoint, fields []field) (news []field) {
	for _, f := range fields {
		i := slices.IndexFunc(k.fields[e], func(o field) bool { return o.place == f.place })
		if i < 0 {
			if len(k.fields[e]) < maxPlaces {
				k.fields[e] = append(k.fields[e], f)
				news = append(news, f)
			}
			continue
		}
		old := &k.fields[e][i]
		if old.kind == Unknown && f.kind != Unknown || old.values == nil && f.values != nil {
			if old.kind == Unknown {
				old.kind = f.kind
			}
			if old.works == nil {
				old.works = f.works
			}
			if old.values == nil {
				old.values = f.values
			}
			news = append(news, *old)
		}
	}
	return news
}

// best is the answer of an endpoint that led furthest; other where none is known.
func (k *knowledge) best(e Endpoint, other Answer) Answer {
	if b, known := k.bests[e]; known {
		return b.answer
	}
	return other
}

// led notes how far a base got with its answers, and returns the endpoints of which a better one is known now.
func (k *knowledge) led(b *base) (better []Endpoint) {
	for _, e := range b.setting.endpoints() {
		a := b.setting[e]
		if !a.plain() {
			continue
		}
		old, known := k.bests[e]
		if !known || b.class < old.class || b.class == old.class && len(b.endpoints) > old.calls {
			k.bests[e] = best{a, b.class, len(b.endpoints)}
			better = append(better, e)
		}
	}
	return better
}

// askedAgain notes that an endpoint was asked again after an answer, and reports whether that is new.
func (k *knowledge) askedAgain(e Endpoint, a Answer) bool {
	seen := k.again[e]
	if seen == nil {
		seen = &again{}
		k.again[e] = seen
	}
	list, most := &seen.failed, maxFailed
	if a.plain() {
		list, most = &seen.good, maxGood
	}
	alike := func(o Answer) bool {
		return o.Status == a.Status && o.Fault == a.Fault && o.Delay == a.Delay && maps.Equal(o.Header, a.Header) &&
			same(o.JSON, a.JSON)
	}
	if len(*list) >= most || slices.ContainsFunc(*list, alike) {
		return false
	}
	*list = append(*list, a)
	return true
}

// resolved is a place as it is in an answer: where that has a list and the place does not say so, in its elements. An
// error in Go tells no elements.
func resolved(v any, p exchange.Place) exchange.Place {
	out := exchange.PlaceBody
	for _, s := range within(p) {
		if list, is := v.([]any); is && s != exchange.Wildcard {
			out = out.Each()
			v = nil
			if len(list) > 0 {
				v = list[0]
			}
		}
		if s == exchange.Wildcard {
			out = out.Each()
		} else {
			out = out.Key(s)
		}
		v, _ = get(v, []string{s})
	}
	return out
}

// maxFills bounds how many answers are tried that errors ask for, of one endpoint.
const maxFills = 80

// fills lists the answers that mend what errors told of one.
func (h *hunt) fills(c change, a Answer, told []Told, at sight) []change {
	if !a.plain() || len(told) == 0 || h.filled[c.endpoint] > maxFills {
		return nil
	}
	l := &lister{base: c.base, endpoint: c.endpoint}
	add := func(turn int, b Answer, supposed []field) {
		if len(supposed) == 0 {
			return
		}
		l.add(good, turn, "mended "+geneOf(b.JSON), b)
		last := &l.out[len(l.out)-1]
		last.supposed, last.before = supposed, at
	}
	b, supposed := h.mend(c.endpoint, a, exchange.PlaceBody, told, Root)
	add(1, b, supposed)
	for i, p := range parents(a) {
		both, more := h.mend(c.endpoint, b, p, told, Inner)
		if len(more) > 0 {
			add(1+2*i, both, append(slices.Clone(supposed), more...))
		}
	}
	if len(told) == 1 && told[0].From != Missing {
		h.fillOtherwise(a, told[0], add)
	}
	h.fillMissing(l, a, told, add)
	h.filled[c.endpoint] += len(l.out)
	return l.out
}

// fillOtherwise lists answers with other values of a field that an error tells: of other kinds, and, where it is told
// in spite of a text, other texts.
func (h *hunt) fillOtherwise(a Answer, t Told, add func(int, Answer, []field)) {
	p := resolved(a.JSON, t.Place)
	for _, o := range placesOf(a.JSON) {
		if t.From == Inner && name(o) == name(t.Place) {
			p = o
		}
	}
	old, there := get(a.JSON, within(p))
	f := field{place: p, kind: t.Kind, values: t.Values, source: FromError}
	values := slices.Clone(t.Values)
	if there && kindOf(old) == String && t.Values == nil {
		texts, _ := h.words.near(name(p), perField)
		for _, text := range texts {
			values = append(values, text)
		}
	}
	if dated().MatchString(name(p)) {
		values = append(values, future, future[:10])
	}
	values = append(values, "x", 1.0, true, map[string]any{}, []any{map[string]any{}}, []any{})
	turn := 1
	for _, v := range values {
		if !f.kind.takes(v) || there && same(v, old) {
			continue
		}
		add(turn, a.with(p, v), []field{f})
		turn++
	}
}

// mend is an answer with what is told put right below a place, and the fields that are.
func (h *hunt) mend(e Endpoint, a Answer, at exchange.Place, told []Told, from From) (Answer, []field) {
	var supposed []field
	for _, t := range told {
		if t.From != from || t.Place == exchange.PlaceBody {
			continue
		}
		p := resolved(a.JSON, at+t.Place[len(exchange.PlaceBody):])
		f := field{place: p, kind: t.Kind, values: t.Values, source: FromError}
		old, there := get(a.JSON, within(p))
		listed := f.values == nil || slices.ContainsFunc(f.values, func(v any) bool { return same(v, old) })
		if there && f.kind.takes(old) && listed {
			continue
		}
		supposed = append(supposed, f)
		if works := h.known.works(e, p); works != nil && f.kind.takes(works) {
			a = a.with(p, works)
		} else {
			a = a.with(p, h.filler(f))
		}
	}
	return a, supposed
}

// parents are the objects of an answer, the empty ones, and the first elements that empty lists may get, first.
func parents(a Answer) (out []exchange.Place) {
	var full []exchange.Place
	see := func(p exchange.Place, v any) {
		switch v := v.(type) {
		case map[string]any:
			if len(v) == 0 {
				out = append(out, p)
			} else {
				full = append(full, p)
			}
		case []any:
			if len(v) == 0 {
				out = append(out, p.Each())
			}
		}
	}
	see(exchange.PlaceBody, a.JSON)
	for _, p := range placesOf(a.JSON) {
		v, _ := get(a.JSON, within(p))
		see(p, v)
	}
	out = append(out, full...)
	return out[:min(len(out), 5)]
}

// fillMissing lists answers for errors that name a member of something that is not there, by a name that is not told.
func (h *hunt) fillMissing(l *lister, a Answer, told []Told, add func(int, Answer, []field)) {
	for _, t := range told {
		turn, groups := 1, 2
		if t.From == Inner && len(told) == 1 {
			turn, groups = 2, 7 // what it lies in may be missing, too
		} else if t.From != Missing {
			continue
		}
		rest := within(t.Place)
		filler := h.filler(field{place: t.Place, kind: t.Kind})
		try := func(p exchange.Place) {
			if p = resolved(a.JSON, p); turn < 8 && !a.has(p) {
				add(turn, a.with(p, filler), []field{{place: p, kind: t.Kind, source: FromError}})
				turn++
			}
		}
		for _, p := range h.words.nested() {
			if p.Segments()[len(p.Segments())-1] == rest[len(rest)-1] {
				try(p)
			}
		}
		for _, f := range h.known.fields[l.endpoint] {
			if v, _ := get(a.JSON, within(f.place)); kindOf(v) != Object && kindOf(v) != List {
				try(f.place + t.Place[len(exchange.PlaceBody):])
			}
		}
		for _, p := range placesOf(a.JSON) {
			v, _ := get(a.JSON, within(p))
			if list, is := v.([]any); is && len(list) == 0 {
				try(p.Each() + t.Place[len(exchange.PlaceBody):])
			} else if v == nil {
				try(p + t.Place[len(exchange.PlaceBody):])
			}
		}
		inner := put(nil, rest, filler)
		l.group(good, groups, "holding "+string(t.Place), a, h.words.places(), func(exchange.Place) any { return inner })
		l.group(good, groups+1, "listing "+string(t.Place), a, h.words.places(), func(exchange.Place) any { return []any{inner} })
	}
}
