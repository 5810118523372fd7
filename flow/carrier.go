package flow

import (
	"cmp"
	"slices"
	"sync"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/flow/words"
)

// Carrier gives the requests of one run the values that this run's own responses gave. It may be used by several
// goroutines at once. Beside the bindings it keeps some 16 bytes for each use, so that long recordings can be played.
type Carrier struct {
	uses      []index // of uses, sorted by the Seq of their requests
	producers []index // of bindings, sorted by the Seq of the responses

	mu   sync.Mutex // guards the now and missed of all that are held
	held []carried
}

// carried is a binding and what became of it in this run.
type carried struct {
	*exchange.Binding
	now    string // the value to send
	missed bool   // the producer answered, or failed to, without the value
}

// index is a binding, or one of its uses, by the exchange that it is in.
type index struct {
	seq     uint64
	binding int32
	use     int32
}

// entries returns the part of a sorted list that is of one exchange.
func entries(list []index, seq uint64) []index {
	from, _ := slices.BinarySearchFunc(list, seq, func(i index, seq uint64) int { return cmp.Compare(i.seq, seq) })
	to := from
	for to < len(list) && list[to].seq == seq {
		to++
	}
	return list[from:to]
}

// NewCarrier returns a Carrier for one run. It keeps the bindings, which must not change.
func NewCarrier(bindings []exchange.Binding) *Carrier {
	n := 0
	for i := range bindings {
		n += len(bindings[i].Uses)
	}
	c := &Carrier{uses: make([]index, 0, n), producers: make([]index, 0, len(bindings)),
		held: make([]carried, len(bindings))}
	for i := range bindings {
		b := &bindings[i]
		c.held[i] = carried{Binding: b, now: b.Value}
		c.producers = append(c.producers, index{seq: b.Producer.Seq, binding: int32(i)})
		for j, u := range b.Uses {
			c.uses = append(c.uses, index{u.Seq, int32(i), int32(j)})
		}
	}
	bySeq := func(a, b index) int { return cmp.Compare(a.seq, b.seq) }
	slices.SortStableFunc(c.uses, bySeq)
	slices.SortStableFunc(c.producers, bySeq)
	return c
}

// Learn takes what the step seq answered in this run; nil where it gave no answer. Where the answer lacks a value, the
// recorded one stays.
//
// A particular value from a list is looked for in the whole list first: while it is still there it is still the one
// meant, though its neighbours may have moved. A small number is not: each run may count from elsewhere.
func (c *Carrier) Learn(seq uint64, r *exchange.Response) {
	given := entries(c.producers, seq)
	if len(given) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, i := range given {
		b := &c.held[i.binding]
		value, ok := find(r, b.Producer.Place, b.Value)
		if b.missed = !ok || !message.Sendable(value); !b.missed {
			b.now = value
		}
	}
}

// find returns the value at place, or recorded where a list that place is in still has it under the same name.
func find(r *exchange.Response, place exchange.Place, recorded string) (value string, ok bool) {
	if r == nil {
		return "", false
	}
	for _, p := range message.PartsAt(r, place, recorded) {
		if p.Place == place {
			value, ok = p.Value, true
		}
		if p.Value == recorded && words.Particular(recorded) && sameInList(p.Place, place) {
			return recorded, true
		}
	}
	return value, ok
}

// sameInList reports whether two places are the same but for array indexes.
func sameInList(a, b exchange.Place) bool {
	x, y := a.Segments(), b.Segments()
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i] != y[i] && !(message.IsIndex(x[i]) && message.IsIndex(y[i])) {
			return false
		}
	}
	return true
}

// Request returns the request to send in place of a recorded one: with its bound values replaced where this run gave
// others, and the length or chunk framing of its body mended. All else stays as it was recorded, byte for byte.
func (c *Carrier) Request(e *exchange.Exchange) exchange.Request {
	uses := entries(c.uses, e.Seq)
	if len(uses) == 0 {
		return e.Request
	}
	fill := map[exchange.Place][]message.Swap{}
	c.mu.Lock()
	for _, u := range uses {
		if b := &c.held[u.binding]; b.now != b.Value {
			place := b.Uses[u.use].Place
			fill[place] = append(fill[place], message.Swap{Before: b.Value, After: b.now})
		}
	}
	c.mu.Unlock()
	if len(fill) == 0 {
		return e.Request
	}
	return message.Rewrite(&e.Request, fill)
}

// Unresolved returns the names, sorted, of the bindings whose producer was played in this run and did not give the
// value: it failed, or answered otherwise.
func (c *Carrier) Unresolved() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var names []string
	for _, b := range c.held {
		if b.missed {
			names = append(names, b.Name)
		}
	}
	slices.Sort(names)
	return names
}

// Needs returns the exchanges whose responses give values to the request of seq, each as often as it gives one.
func (c *Carrier) Needs(seq uint64) []uint64 {
	uses := entries(c.uses, seq)
	if len(uses) == 0 {
		return nil
	}
	out := make([]uint64, len(uses))
	for i, u := range uses {
		out[i] = c.held[u.binding].Producer.Seq
	}
	return out
}
