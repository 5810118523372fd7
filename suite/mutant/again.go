package mutant

import (
	"bytes"
	"slices"
	"sync"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/wire"
)

// Kinds that give an answer of the same run again.
const (
	// Stale gives the answer that the same request line got before, as a cache does that is never told.
	Stale Kind = "stale"
	// Resource gives an answer to another request line of the operation: the answer about another resource, another
	// page.
	Resource Kind = "resource"
)

// stale gives the answer before again.
func stale() fault {
	return fault{
		kind: Stale, plausible: true, breaks: nowhere, again: func(a answered) *exchange.Response { return a.before },
		tells: func(m Mutant) string { return m.unlessVolatile(m.equality() + ", other than in the answer before") },
	}
}

// resource gives the answer about another resource.
func resource() fault {
	return fault{
		kind: Resource, plausible: true, breaks: nowhere, again: func(a answered) *exchange.Response { return a.other },
		tells: func(m Mutant) string { return m.unlessVolatile(m.equality() + ", other than for another resource") },
	}
}

// nowhere is for faults that are about no single place.
func nowhere(Mutant, *seen, Judgement) bool { return false }

// answered is what an operation was answered before an exchange; nil where there is nothing.
type answered struct {
	before *exchange.Response // to the same method and target, with whatever status
	other  *exchange.Response // the first with the same status to another target
}

// The bounds on what a Past keeps.
const (
	maxPast      = 64 << 20 // bytes
	maxPastCount = 10_000   // answers
)

// Past is what an operation was answered in a run so far. The zero value is ready, and safe for concurrent use.
type Past struct {
	mu     sync.Mutex
	size   int
	before map[string]*exchange.Response // by method and target
	first  map[int][]given               // by status: to the first two targets
}

// given is an answer to a target.
type given struct {
	target string
	answer *exchange.Response
}

// Plant plants a mutant in the answer of an exchange of its operation, as [Mutant.Apply] does, and remembers the
// answer.
func (p *Past) Plant(m Mutant, e *exchange.Exchange) (raw []byte, changed bool) {
	f := faultOf(m.Kind, m.Way)
	if f.again == nil {
		return m.Apply(e.Response)
	}
	again := f.again(p.add(e))
	if again == nil || e.Response.Status != m.Status || !whole(e.Response) || !differ(again, e.Response) {
		return nil, false
	}
	body, err := again.Payload()
	if err != nil {
		return nil, false
	}
	if len(again.Body) == 0 {
		return bytes.Clone(again.Head), true
	}
	return slices.Concat(withLength(again.Head, len(body)), body), true
}

// add remembers the answer of an exchange, and returns what came before it.
func (p *Past) add(e *exchange.Exchange) (a answered) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.before == nil {
		p.before, p.first = map[string]*exchange.Response{}, map[int][]given{}
	}
	target := e.Request.Method + " " + e.Request.Target
	a.before = p.before[target]
	for _, g := range p.first[e.Response.Status] {
		if g.target != target {
			a.other = g.answer
			break
		}
	}
	size := len(e.Response.Head) + len(e.Response.Body)
	if !whole(e.Response) || p.size+size > maxPast || len(p.before) >= maxPastCount {
		return a
	}
	p.size += size
	p.before[target] = e.Response
	if of := p.first[e.Response.Status]; len(of) == 0 || len(of) == 1 && of[0].target != target {
		p.first[e.Response.Status] = append(of, given{target, e.Response})
	}
	return a
}

// whole reports whether all of an answer is there to be given again, or to be replaced.
func whole(r *exchange.Response) bool {
	return !r.Malformed && r.Cut == 0 && !wire.IsHTTP2(r.Head) && len(r.Tunnel) == 0
}

// differ reports whether the statuses or the bodies of two answers differ.
func differ(a, b *exchange.Response) bool {
	if a.Status != b.Status {
		return true
	}
	one, err := a.Payload()
	other, oerr := b.Payload()
	return err == nil && oerr == nil && !bytes.Equal(one, other)
}
