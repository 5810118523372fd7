package flow

import (
	"fmt"

	"github.com/flaketap/flaketap/exchange"
)

// Order says which exchanges of a recording must be played in order, and which may be played beside each other. It
// takes the exchanges one after the other, so that a recording need not be in memory: what it keeps is a few bytes for
// each.
//
// Sequences are told apart as [Sequences] does: by the client's marks, else by its connections, where every connection
// is known and no value goes from one to another, else all of a pass is one. Connections that carry a single request
// each tell nothing. Values may go from one marked sequence to another: who plays them beside each other waits for the
// response that gives a value ([Carrier.Needs]).
type Order struct {
	of     []int32          // by position: the number of an exchange's sequence, by mark or connection
	marks  map[uint64]int32 // the numbers of marked sequences, by a hash of pass and mark
	passes map[int]*passOrder
	count  int32
}

// passOrder is the order of what bears no mark in one pass.
type passOrder struct {
	whole     int32    // the number of the sequence that all of it is, where connections tell nothing
	apart     bool     // they tell sequences apart
	exchanges int      // without a mark
	conns     []int32  // by connection: the number of its sequence, 0 for one that was not seen
	used      int      // how many connections were seen
	ends      []uint64 // by connection: the last exchange on it, marked or not
}

// NewOrder returns an Order that has seen nothing yet.
func NewOrder() *Order {
	return &Order{marks: map[uint64]int32{}, passes: map[int]*passOrder{}}
}

// maxConn bounds the numbers of connections that are told apart in one pass; a recorder counts them from 1.
const maxConn = 1 << 24

// Add takes the next exchange of the recording.
func (o *Order) Add(e *exchange.Exchange) {
	p := o.passes[e.Pass]
	if p == nil {
		p = &passOrder{apart: true, whole: o.next()}
		o.passes[e.Pass] = p
	}
	known := e.Conn > 0 && e.Conn < maxConn
	if known {
		p.ends = grown(p.ends, int(e.Conn))
		p.ends[e.Conn] = e.Seq
	}
	o.of = grown(o.of, int(e.Seq))
	switch {
	case e.Sequence != "":
		key := hash(fmt.Sprintf("%d %s", e.Pass, e.Sequence))
		if o.marks[key] == 0 {
			o.marks[key] = o.next()
		}
		o.of[e.Seq] = o.marks[key]
		return
	case known:
		p.conns = grown(p.conns, int(e.Conn))
		if p.conns[e.Conn] == 0 {
			p.used++
			p.conns[e.Conn] = o.next()
		}
		o.of[e.Seq] = p.conns[e.Conn]
	default:
		p.apart = false
		o.of[e.Seq] = p.whole
	}
	p.exchanges++
}

func (o *Order) next() int32 {
	o.count++
	return o.count
}

// grown returns a list that has an element at i.
func grown[T any](list []T, i int) []T {
	if i < len(list) {
		return list
	}
	return append(list, make([]T, i+1-len(list))...)
}

// Bind takes the bindings of the recording, once all exchanges were added.
func (o *Order) Bind(bindings []exchange.Binding) {
	for _, p := range o.passes {
		p.apart = p.apart && p.exchanges >= 2*p.used
	}
	owner := map[int32]*passOrder{} // of the sequences that are connections
	for _, p := range o.passes {
		for _, n := range p.conns {
			if n > 0 {
				owner[n] = p
			}
		}
	}
	for _, b := range bindings {
		from := o.at(b.Producer.Seq)
		for _, u := range b.Uses {
			p := owner[from]
			if to := o.at(u.Seq); p != nil && to != from && owner[to] == p {
				p.apart = false
			}
		}
	}
}

func (o *Order) at(seq uint64) int32 {
	if seq >= uint64(len(o.of)) {
		return 0
	}
	return o.of[seq]
}

// Sequence returns the number of the sequence that an exchange belongs to, from 0; numbers are given once each, not
// without gaps.
func (o *Order) Sequence(e *exchange.Exchange) int {
	if p := o.passes[e.Pass]; p != nil && e.Sequence == "" && !p.apart {
		return int(p.whole)
	}
	return int(o.at(e.Seq))
}

// Closes reports whether an exchange was the last on its connection.
func (o *Order) Closes(e *exchange.Exchange) bool {
	p := o.passes[e.Pass]
	return p != nil && e.Conn < uint64(len(p.ends)) && p.ends[e.Conn] == e.Seq
}

// Count returns how many sequences there are.
func (o *Order) Count() int {
	n := len(o.marks)
	for _, p := range o.passes {
		switch {
		case p.exchanges == 0:
		case p.apart:
			n += p.used
		default:
			n++
		}
	}
	return n
}
