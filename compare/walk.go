package compare

import (
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// Walk calls visit with every place of an answer and its raw JSON token: the status, the headers by name, the body
// and what it holds in the order of the document. Containers are visited too, before what they hold, with the whole of
// their text. Of a key that occurs twice only the last member is visited, as that is the one that JSON readers see.
// A text is one place, /body, whose token is a string; so is an empty body. What is neither JSON nor text has the
// token "binary:<length>:<digest>".
func (a *Answer) Walk(visit func(place exchange.Place, raw string)) {
	a.walk(func(p *path, raw string) { visit(exchange.Place(p.concrete), raw) })
}

// Each does as [Answer.Walk], but names each place with its array indexes as wildcards, and so calls visit with the
// same place once for each element. The bytes of general are valid during the call only.
func (a *Answer) Each(visit func(general []byte, raw string)) {
	a.walk(func(p *path, raw string) { visit(p.general, raw) })
}

func (a *Answer) walk(visit func(p *path, raw string)) {
	var p path
	one := func(place exchange.Place, raw string) {
		p.concrete = append(p.concrete[:0], place...)
		p.general = append(p.general[:0], place...)
		visit(&p, raw)
	}
	if a.status != "" {
		one(exchange.PlaceStatus, a.status)
	}
	for _, h := range a.headers {
		one(h.place, quote(h.value))
	}
	if !a.body.there {
		return
	}
	t := a.body.tree()
	if t == nil {
		one(exchange.PlaceBody, a.body.token())
		return
	}
	p.reset()
	t.walk(0, &p, visit)
}

// walk visits node i and what it holds; p is its place.
func (t *tape) walk(i uint32, p *path, visit func(p *path, raw string)) {
	visit(p, t.raw(i))
	n := &t.nodes[i]
	if n.kind < array {
		return
	}
	hidden := t.hidden(i)
	for c, at := i+1, 0; c < n.next; c, at = t.nodes[c].next, at+1 {
		if hidden[c] {
			continue
		}
		mark := p.mark()
		if p.down(t, n.kind, c, at) {
			t.walk(c, p, visit)
		}
		p.up(mark)
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
