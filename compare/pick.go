package compare

import (
	"github.com/flaketap/flaketap/exchange"
)

// Picker finds chosen places in many answers, without a walk through all that they hold. Make one with [NewPicker].
type Picker struct {
	headers map[exchange.Place]int
	body    *pick
}

// pick is a segment of the chosen places.
type pick struct {
	id   int // of the place that ends here, -1 where none does
	keys map[uint64]*pick
	each *pick // of the elements of an array
}

// Picked is told of the places that were chosen, by the positions in the list given to [NewPicker]: of the headers first,
// then of the body in the order of the document. Of what is in an array it is told between Element and Done, once for
// each element; arrays within arrays nest.
type Picked interface {
	Scalar(id int, raw string) // a raw JSON token that is no container
	Array(id, elements int)
	Element(id int)
	Done(id int)
}

// NewPicker chooses places: headers and places of a body, named as [Answer.Each] names them. A wildcard stands for the
// elements of an array, and never for the members of an object; where something within an array is chosen, so is the array.
func NewPicker(places []exchange.Place) *Picker {
	p := &Picker{headers: make(map[exchange.Place]int), body: &pick{id: -1}}
	for id, place := range places {
		if place.Root() != "body" {
			p.headers[place] = id
			continue
		}
		at := p.body
		for _, segment := range place.Segments()[1:] {
			at = at.down(segment)
		}
		at.id = id
	}
	return p
}

func (k *pick) down(segment string) *pick {
	if segment == exchange.Wildcard {
		if k.each == nil {
			k.each = &pick{id: -1}
		}
		return k.each
	}
	if k.keys == nil {
		k.keys = make(map[uint64]*pick)
	}
	key := hashOf(segment)
	if k.keys[key] == nil {
		k.keys[key] = &pick{id: -1}
	}
	return k.keys[key]
}

// Pick tells of each chosen place that the answer has.
func (a *Answer) Pick(p *Picker, to Picked) {
	if len(p.headers) > 0 {
		for _, h := range a.headers {
			if id, ok := p.headers[h.place]; ok {
				to.Scalar(id, quote(h.value))
			}
		}
	}
	if !a.body.there || p.body.id < 0 && p.body.keys == nil && p.body.each == nil {
		return
	}
	if t := a.body.tree(); t != nil {
		t.pick(0, p.body, to)
	}
}

func (t *tape) pick(i uint32, k *pick, to Picked) {
	switch n := &t.nodes[i]; {
	case n.kind == array:
		if k.id < 0 && k.each == nil {
			return
		}
		to.Array(k.id, int(n.count))
		if k.each == nil {
			return
		}
		for c := i + 1; c < n.next; c = t.nodes[c].next {
			to.Element(k.id)
			t.pick(c, k.each, to)
			to.Done(k.id)
		}
	case n.kind == object:
		if len(k.keys) == 0 {
			return
		}
		hidden := t.hidden(i)
		for c := i + 1; c < n.next; c = t.nodes[c].next {
			if below := k.keys[t.nodes[c].key]; below != nil && !hidden[c] {
				t.pick(c, below, to)
			}
		}
	case k.id >= 0:
		to.Scalar(k.id, t.raw(i))
	}
}
