package flow

import (
	"slices"
	"strings"
	"sync"

	"github.com/flaketap/flaketap/exchange"
)

// Carrier gives the requests of one run the values that this run's own responses gave. It may be used by several
// goroutines at once.
type Carrier struct {
	uses      map[uint64][]use      // by the Seq of the request
	producers map[uint64][]*carried // by the Seq of the response

	mu sync.Mutex // guards the now and missed of every carried
}

// carried is a binding and what became of it in this run.
type carried struct {
	exchange.Binding
	now    string // the value to send
	missed bool   // the producer answered, or failed to, without the value
}

// use is one place of a request that a binding fills.
type use struct {
	place   exchange.Place
	binding *carried
}

// NewCarrier returns a Carrier for one run.
func NewCarrier(bindings []exchange.Binding) *Carrier {
	c := &Carrier{uses: map[uint64][]use{}, producers: map[uint64][]*carried{}}
	for _, b := range bindings {
		held := &carried{Binding: b, now: b.Value}
		c.producers[b.Producer.Seq] = append(c.producers[b.Producer.Seq], held)
		for _, u := range b.Uses {
			c.uses[u.Seq] = append(c.uses[u.Seq], use{u.Place, held})
		}
	}
	return c
}

// Learn takes what the step seq answered in this run; nil where it gave no answer. Where the answer lacks a value, the
// recorded one stays.
//
// A particular value from a list is looked for in the whole list first: while it is still there it is still the one
// meant, though its neighbours may have moved. A small number is not: each run may count from elsewhere.
func (c *Carrier) Learn(seq uint64, r *exchange.Response) {
	held := c.producers[seq]
	if len(held) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, b := range held {
		value, ok := find(r, b.Producer.Place, b.Value)
		if b.missed = !ok || !sendable(value); !b.missed {
			b.now = value
		}
	}
}

// find returns the value at place, or recorded where a list that place is in still has it under the same name.
func find(r *exchange.Response, place exchange.Place, recorded string) (value string, ok bool) {
	if r == nil {
		return "", false
	}
	for _, p := range partsAt(r, place, recorded) {
		if p.place == place {
			value, ok = p.value, true
		}
		if p.value == recorded && strong(recorded) && sameInList(p.place, place) {
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
		if x[i] != y[i] && !(isIndex(x[i]) && isIndex(y[i])) {
			return false
		}
	}
	return true
}

func isIndex(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// sendable reports whether a value may go into a request: a hostile answer must not be able to smuggle in a header or
// a second request, nor to make it endlessly long.
func sendable(value string) bool { return value != "" && len(value) <= maxValue && !hasControl(value) }

// Request returns the request to send in place of a recorded one: with its bound values replaced where this run gave
// others, and the length or chunk framing of its body mended. All else stays as it was recorded, byte for byte.
func (c *Carrier) Request(e *exchange.Exchange) exchange.Request {
	uses := c.uses[e.Seq]
	if len(uses) == 0 {
		return e.Request
	}
	fill := map[exchange.Place][]swap{}
	c.mu.Lock()
	for _, u := range uses {
		if u.binding.now != u.binding.Value {
			fill[u.place] = append(fill[u.place], swap{u.binding.Value, u.binding.now})
		}
	}
	c.mu.Unlock()
	if len(fill) == 0 {
		return e.Request
	}
	return rewrite(&e.Request, fill)
}

// Unresolved returns the names, sorted, of the bindings whose producer was played in this run and did not give the
// value: it failed, or answered otherwise.
func (c *Carrier) Unresolved() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var names []string
	for _, list := range c.producers {
		for _, b := range list {
			if b.missed {
				names = append(names, b.Name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// Needs returns the exchanges whose responses give values to the request of seq, each as often as it gives one.
func (c *Carrier) Needs(seq uint64) []uint64 {
	uses := c.uses[seq]
	if len(uses) == 0 {
		return nil
	}
	out := make([]uint64, len(uses))
	for i, u := range uses {
		out[i] = u.binding.Producer.Seq
	}
	return out
}
