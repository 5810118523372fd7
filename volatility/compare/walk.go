package compare

import (
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// Walk calls visit with every place of an answer and its raw JSON token, as a client sees it: the status, the headers
// by name, the body and what it holds in the order of the document. Containers are visited too, before what they hold,
// with the whole of their text. Of a key that occurs twice only the last member is visited, as that is the one that
// JSON readers see. A text is one place, /body, whose token is a string; so is an empty body. What is neither JSON nor
// text has the token "binary:<length>:<digest>".
func (a *Answer) Walk(visit func(place exchange.Place, raw string)) {
	w := walker{visit: func(p *path, raw string) { visit(exchange.Place(p.concrete), raw) }}
	w.answer(a)
}

// Parts does as [Answer.Walk], and visits the reason phrase too, and after each text what that holds: its parts.
func (a *Answer) Parts(visit func(place exchange.Place, raw string)) {
	w := walker{visit: func(p *path, raw string) { visit(exchange.Place(p.concrete), raw) }, parts: true}
	w.answer(a)
}

// Each does as [Answer.Parts], but names each place with its array indexes as wildcards, and so calls visit with the
// same place once for each element. The bytes of general are valid during the call only.
func (a *Answer) Each(visit func(general []byte, raw string)) {
	w := walker{visit: func(p *path, raw string) { visit(p.general, raw) }, parts: true}
	w.answer(a)
}

// walker visits places, those of the parts of texts if it is to.
type walker struct {
	path  path
	visit func(p *path, raw string)
	parts bool
	depth int // how many texts are around the present place
}

func (w *walker) answer(a *Answer) {
	if a.status != "" {
		w.one(exchange.PlaceStatus, a.status, view{})
	}
	if w.parts && a.worded {
		w.one(exchange.PlaceReason, quote(a.reason), view{})
	}
	for _, h := range a.headers {
		var v view
		if w.parts {
			v = ofHeader(h.name, h.value)
		}
		w.one(h.place, quote(h.value), v)
	}
	if !a.body.there {
		return
	}
	if t := a.body.tree(); t != nil {
		w.path.reset()
		w.node(t, 0)
		return
	}
	var v view
	if w.parts {
		v = a.body.holds()
	}
	w.one(exchange.PlaceBody, a.body.token(), v)
}

// one visits a place that has nothing below it but the parts of a text.
func (w *walker) one(place exchange.Place, raw string, v view) {
	w.path.concrete = append(w.path.concrete[:0], place...)
	w.path.general = append(w.path.general[:0], place...)
	w.visit(&w.path, raw)
	w.within(v)
}

// within visits what a text at the present place holds.
func (w *walker) within(v view) {
	if v.tape == nil {
		return
	}
	mark := w.path.mark()
	if w.path.into(v.marker) {
		w.depth++
		w.node(v.tape, 0)
		w.depth--
	}
	w.path.up(mark)
}

// node visits node i of a tape and what it holds; the path is its place.
func (w *walker) node(t *tape, i uint32) {
	raw := t.raw(i)
	w.visit(&w.path, raw)
	n := &t.nodes[i]
	if n.kind < array {
		if n.kind == text && w.parts && w.depth < MaxNested {
			w.within(ofString(raw))
		}
		return
	}
	hidden := t.hidden(i)
	for c, at := i+1, 0; c < n.next; c, at = t.nodes[c].next, at+1 {
		if hidden[c] {
			continue
		}
		mark := w.path.mark()
		if w.path.down(t, n.kind, c, at) {
			w.node(t, c)
		}
		w.path.up(mark)
	}
}

// hidden returns the members of i that a later one of the same key hides.
func (t *tape) hidden(i uint32) map[uint32]bool {
	if !t.nodes[i].doubled {
		return nil
	}
	last, hidden := make(map[uint64]uint32), make(map[uint32]bool)
	for c := i + 1; c < t.nodes[i].next; c = t.nodes[c].next {
		if before, ok := last[t.nodes[c].key]; ok {
			hidden[before] = true
		}
		last[t.nodes[c].key] = c
	}
	return hidden
}

// path is the place that a walk has come to, concrete and general.
type path struct {
	concrete, general []byte
}

type mark struct{ concrete, general int }

func (p *path) reset() {
	p.concrete = append(p.concrete[:0], exchange.PlaceBody...)
	p.general = append(p.general[:0], exchange.PlaceBody...)
}

func (p *path) mark() mark { return mark{len(p.concrete), len(p.general)} }

func (p *path) up(m mark) { p.concrete, p.general = p.concrete[:m.concrete], p.general[:m.general] }

// into goes to what a text holds. It reports false where the place would be longer than MaxPlace.
func (p *path) into(marker string) bool {
	p.concrete = append(append(p.concrete, '/'), marker...)
	p.general = append(append(p.general, '/'), marker...)
	return len(p.concrete) <= MaxPlace
}

// down goes to node c, which stands at the given position in an array or object. It reports false where the place
// would be longer than MaxPlace.
func (p *path) down(t *tape, in kind, c uint32, at int) bool {
	if in == array {
		p.concrete = strconv.AppendInt(append(p.concrete, '/'), int64(at), 10)
		p.general = append(p.general, "/*"...)
		return len(p.concrete) <= MaxPlace
	}
	name := t.name(c)
	if len(p.concrete)+len(name) > MaxPlace {
		return false
	}
	if name == exchange.Wildcard || strings.ContainsAny(name, "~/") {
		name = string(exchange.Place("").Key(name)[1:])
	}
	p.concrete = append(append(p.concrete, '/'), name...)
	p.general = append(append(p.general, '/'), name...)
	return len(p.concrete) <= MaxPlace
}
