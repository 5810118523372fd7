package search

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock/search/kind"
	"github.com/flaketap/flaketap/mock/search/tree"
	"github.com/flaketap/flaketap/mock/search/typical"
	"github.com/flaketap/flaketap/mock/search/wordings"
)

// repairs lists the answers that mend what errors tell at a base, each of the endpoint that it is told of, as far as
// can be told; of the others the likeliest alone.
func (h *hunt) repairs(b *base) (out []change) {
	told := map[Endpoint][]wordings.Told{}
	sure := map[Endpoint]bool{}
	at, set := b.setting[b.changed]
	failed := set && !at.plain() // and what words say is about that
	for _, t := range b.sight.told {
		if h.isSentence(t) || t.Plain && (failed || h.known.reading(b.endpoints)) {
			continue
		}
		if e, p := b.valued(t); p != "" { // a value was looked up, which is not there
			told[e], sure[e] = append(told[e], wordings.Told{Place: p, From: wordings.Root, Kind: kind.String}), true
			continue
		}
		if e, is := h.owner(b, t); e != (Endpoint{}) {
			told[e] = append(told[e], t)
			sure[e] = sure[e] || is
		}
	}
	for e, told := range told {
		out = append(out, h.fills(b, e, b.current(e), told, b.sight, 0)...)
		if sure[e] {
			continue
		}
		for _, other := range b.endpoints {
			if a, set := b.setting[other]; set && other != e {
				fills := h.fills(b, other, a, told, b.sight, 4)
				out = append(out, fills[:min(1, len(fills))]...)
			}
		}
	}
	slices.SortStableFunc(out, func(c, d change) int {
		return cmp.Or(c.endpoint.compare(d.endpoint), strings.Compare(c.gene, d.gene))
	})
	return out
}

// isSentence reports whether what is told are words about a service, and not a name that the API's files have.
func (h *hunt) isSentence(t wordings.Told) bool {
	return t.Plain && h.words != nil && !slices.Contains(h.words.Names(), tree.Name(t.Place))
}

// valued is the place of a field that has what is told as its value, and its endpoint.
func (b *base) valued(t wordings.Told) (Endpoint, exchange.Place) {
	if t.From != wordings.Inner || t.Kind != kind.Unknown {
		return Endpoint{}, ""
	}
	for _, e := range slices.Backward(b.endpoints) {
		a, set := b.setting[e]
		if !set || !a.fielded() {
			continue
		}
		for _, p := range tree.Places(a.JSON) {
			if v, _ := tree.Get(a.JSON, tree.Within(p)); v == tree.Name(t.Place) {
				return e, p
			}
		}
	}
	return Endpoint{}, ""
}

// nearPath is within how many lines of the path of an endpoint its fields are read, for the most part.
const nearPath = 25

// owner is the endpoint that something is told of: one whose answer has a field of the name, which is sure, else the
// one near whose path the name stands in the files, else the one that was asked last.
func (h *hunt) owner(b *base, t wordings.Told) (owner Endpoint, sure bool) {
	if last := b.sight.last; t.From == wordings.Missing && last.place != "" { // what was read last is what was not there
		return last.endpoint, true
	}
	least := nearPath + 1
	for _, e := range slices.Backward(b.endpoints) {
		if a, set := b.setting[e]; set && !a.fielded() {
			continue
		}
		has := func(p exchange.Place) bool { return tree.Name(p) == tree.Name(t.Place) }
		if t.From != wordings.Missing && slices.ContainsFunc(tree.Places(b.current(e).JSON), has) {
			return e, true
		}
		if far := h.words.fromPath(e, tree.Name(t.Place)); far < least {
			owner, least = e, far
		} else if owner == (Endpoint{}) {
			owner = e
		}
	}
	return owner, false
}

// maxFills bounds how many answers are tried that errors ask for, of one endpoint.
const maxFills = 500

// fills lists the answers that mend what errors told of one; later is how much later they are tried than others.
func (h *hunt) fills(from *base, e Endpoint, a Answer, told []wordings.Told, at sight, later int) []change {
	if !a.plain() || len(told) == 0 || h.filled[e] > maxFills {
		return nil
	}
	l := &lister{base: from, endpoint: e}
	add := func(turn int, b Answer, supposed []field) {
		if len(supposed) == 0 {
			return
		}
		c := l.add(good, turn+later, mended(b, supposed), b)
		c.supposed, c.before = supposed, at
	}
	for _, t := range told {
		if t.Place == exchange.PlaceBody && t.Kind == kind.List {
			l.list(t.Place)
		}
	}
	b, supposed := h.mend(e, a, exchange.PlaceBody, told, wordings.Root)
	add(1, b, supposed)
	for i, p := range tree.Parents(a.JSON) {
		both, more := h.mend(e, b, p, told, wordings.Inner)
		if len(more) > 0 {
			add(1+2*i, both, append(slices.Clone(supposed), more...))
		}
	}
	if len(told) == 1 && told[0].From != wordings.Missing {
		h.fillOtherwise(e, a, told[0], add)
	}
	if h.known.reading([]Endpoint{e}) {
		h.fillRead(a, told, at.last, add)
	} else {
		h.fillMissing(l, a, told, at.status/100 == 2, add)
	}
	h.filled[e] += len(l.out)
	return l.out
}

// mended names what is supposed to mend an error, whatever else the answer has.
func mended(a Answer, supposed []field) string {
	gene := "mended"
	for _, f := range supposed {
		v, _ := tree.Get(a.JSON, tree.Within(f.place))
		gene += " " + string(f.place) + geneOf(v)
	}
	return gene
}

// fillOtherwise lists answers with other values of a field that an error tells: of other kinds, and, where it is told
// in spite of a text, other texts.
func (h *hunt) fillOtherwise(e Endpoint, a Answer, t wordings.Told, add func(int, Answer, []field)) {
	p := tree.Resolved(a.JSON, t.Place)
	for _, o := range tree.Places(a.JSON) {
		if t.From == wordings.Inner && tree.Name(o) == tree.Name(t.Place) {
			p = o
		}
	}
	old, there := tree.Get(a.JSON, tree.Within(p))
	f := field{place: p, kind: t.Kind, values: t.Values, source: FromError}
	values := slices.Clone(t.Values)
	if there && kind.Of(old) == kind.String && t.Values == nil {
		texts, _ := h.words.near(e, tree.Name(p), 2*perField)
		values = append(values, h.compared(f)...)
		for _, text := range texts {
			values = append(values, text)
		}
	}
	if typical.Dated(tree.Name(p)) {
		values = append(values, typical.Future, typical.Future[:10])
	}
	values = append(values, "x", 1.0, true, map[string]any{}, []any{map[string]any{}}, []any{})
	turn := 1
	for _, v := range values {
		if !f.kind.Takes(v) || there && tree.Same(v, old) {
			continue
		}
		add(turn, a.with(p, v), []field{f})
		turn++
	}
}

// mend is an answer with what is told put right below a place, and the fields that are.
func (h *hunt) mend(e Endpoint, a Answer, at exchange.Place, told []wordings.Told, from wordings.From,
) (Answer, []field) {
	var supposed []field
	for _, t := range told {
		if t.From != from || t.Place == exchange.PlaceBody {
			continue
		}
		p := tree.Resolved(a.JSON, at+t.Place[len(exchange.PlaceBody):])
		f := field{place: p, kind: t.Kind, values: t.Values, source: FromError}
		old, there := tree.Get(a.JSON, tree.Within(p))
		listed := f.values == nil || tree.Contains(f.values, old)
		if there && f.kind.Takes(old) && listed && (t.Fits == nil || tree.Same(t.Fits, old)) {
			continue
		}
		supposed = append(supposed, f)
		works := h.known.works(e, p)
		switch {
		case t.Fits != nil:
			a = a.with(p, t.Fits)
		case works != nil && f.kind.Takes(works):
			a = a.with(p, works)
		default:
			a = a.with(p, h.filler(f))
		}
	}
	return a, supposed
}

// mends reports whether a parser told of each field that is supposed to mend its error, and says the same of none now.
func (c *change) mends(seen sight) bool {
	for _, f := range c.supposed {
		i := slices.IndexFunc(c.before.told, func(t wordings.Told) bool {
			return t.Parsed() && tree.Elementless(t.Place) == tree.Elementless(f.place)
		})
		if i < 0 {
			return false
		}
		same := func(t wordings.Told) bool { return reflect.DeepEqual(t, c.before.told[i]) }
		if slices.ContainsFunc(seen.told, same) {
			return false
		}
	}
	return true
}

// fillRead lists answers for errors that name a member of something that is not there, where it is told what is read:
// that is what was read last.
func (h *hunt) fillRead(a Answer, told []wordings.Told, last spot, add func(int, Answer, []field)) {
	for _, t := range told {
		if p := last.place + t.Place[len(exchange.PlaceBody):]; t.From == wordings.Missing && last.place != "" {
			add(1, a.with(p, h.filler(field{place: p, kind: t.Kind})), []field{{place: p, kind: t.Kind, source: FromError}})
		}
	}
}

// fillMissing lists answers for errors that name a member of something that is not there, by a name that is not told.
// Where the request passed in spite of them, words are not followed so far.
func (h *hunt) fillMissing(l *lister, a Answer, told []wordings.Told, passed bool, add func(int, Answer, []field)) {
	for _, t := range told {
		turn, groups := 1, 2
		if t.From == wordings.Inner && len(told) == 1 && !(t.Plain && passed) {
			turn, groups = 2, 20 // what it lies in may be missing, too
		} else if t.From != wordings.Missing {
			continue
		}
		rest := tree.Within(t.Place)
		filler := h.filler(field{place: t.Place, kind: t.Kind})
		try := func(p exchange.Place) {
			if p = tree.Resolved(a.JSON, p); turn < 8 && !a.has(p) {
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
			if v, _ := tree.Get(a.JSON, tree.Within(f.place)); !kind.Of(v).Holds() {
				try(f.place + t.Place[len(exchange.PlaceBody):])
			}
		}
		for _, p := range tree.Places(a.JSON) {
			v, _ := tree.Get(a.JSON, tree.Within(p))
			if list, is := v.([]any); is && len(list) == 0 {
				try(p.Each() + t.Place[len(exchange.PlaceBody):])
			} else if v == nil {
				try(p + t.Place[len(exchange.PlaceBody):])
			}
		}
		inner := tree.Put(nil, rest, filler)
		l.group(good, groups, "holding "+string(t.Place), a, h.words.places(), func(exchange.Place) any { return inner })
		l.group(good, groups+1, "listing "+string(t.Place), a, h.words.places(), func(exchange.Place) any { return []any{inner} })
	}
}
