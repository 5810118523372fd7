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
	keys []keyed
	many map[uint64]*pick // the same, where there are more than a look at each is worth
	each *pick            // of the elements of an array
}

// keyed is a member by the hash of its key.
type keyed struct {
	key  uint64
	pick *pick
}

// fewKeys is how many keys are looked through one by one.
const fewKeys = 8

// member returns what is chosen of a member, nil where nothing is.
func (k *pick) member(key uint64) *pick {
	if k.many != nil {
		return k.many[key]
	}
	for i := range k.keys {
		if k.keys[i].key == key {
			return k.keys[i].pick
		}
	}
	return nil
}

// Picked is told of the places that were chosen, by the positions in the list given to [NewPicker]: of the headers
// first, then of the body in the order of the document. Of what is in an array it is told between Element and Done,
// once for each element; arrays within arrays nest.
type Picked interface {
	Scalar(id int, raw string) // a raw JSON token that is no container
	Array(id, elements int)
	Element(id int)
	Done(id int)
}

// NewPicker chooses places: headers and places of a body, named as [Answer.Each] names them. A wildcard stands for the
// elements of an array, and never for the members of an object; where something within an array is chosen, so is the
// array.
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
	key := hashOf(segment)
	if below := k.member(key); below != nil {
		return below
	}
	below := &pick{id: -1}
	if k.keys = append(k.keys, keyed{key, below}); len(k.keys) > fewKeys {
		if k.many == nil {
			k.many = make(map[uint64]*pick)
			for _, m := range k.keys {
				k.many[m.key] = m.pick
			}
		}
		k.many[key] = below
	}
	return below
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
	if !a.body.there || p.body.id < 0 && len(p.body.keys) == 0 && p.body.each == nil {
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
			if below := k.member(t.nodes[c].key); below != nil && !hidden[c] {
				t.pick(c, below, to)
			}
		}
	case k.id >= 0:
		to.Scalar(k.id, t.raw(i))
	}
}
