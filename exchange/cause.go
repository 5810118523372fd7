package exchange

import (
	"maps"
	"slices"
	"time"
)

// Cause says which exchange of the API an external belongs to.
type Cause struct {
	Seq        uint64  // of the exchange that the API asked for; 0 where that is not known
	By         CauseBy // how Seq is known; "" where it is 0
	UnderWay   int     // how many exchanges were under way when the API asked
	Background bool    // some were, but the API asks that as often while none is: Seq is 0
}

// CauseBy says how a cause is known.
type CauseBy string

// How causes are known.
const (
	ByTime   CauseBy = "time"   // the exchange alone was under way
	ByValues CauseBy = "values" // what the API asked carries distinctive values of it
	ByTrace  CauseBy = "trace"  // what the API asked belongs to its trace
)

// Carried is what a request carries that may come back in what the API asks for it. Its values are digests: it takes
// little memory, and holds no secret.
type Carried struct {
	Trace  TraceID  // "" where it has none
	Values []uint64 // digests of its distinctive values, ascending, each once
	More   bool     // it may carry others
}

// Incoming is an exchange of the API as [Causes] looks at it.
type Incoming struct {
	Seq        uint64
	Start, End time.Time
	Carried    Carried
}

// Outgoing is an external as [Causes] looks at it.
type Outgoing struct {
	*External
	Carried Carried
}

// maxAround bounds the exchanges that the values of one external are held against.
const maxAround = 64

// Causes returns the causes of externals. What an external was asked for is, in this order:
//
//   - by its trace (W3C Trace Context), the one exchange of it that is under way, else the only one of it that was.
//     A trace of several others, none of them under way, does not tell;
//   - nothing, where quiet times show that the API asks that in the background: a second at least, in which it did so
//     three times; unless it carries distinctive values of one exchange under way alone;
//   - by its values, where several exchanges were under way, the one of which it carries distinctive values that none
//     of the others has. Where there are two of these, or where it is not known what one carries, this does not tell;
//   - by its time, the exchange that alone was under way. But where it carries none of this one's values, and such of
//     one that ended shortly before, it is late work of that one, if there is late work at its service: calls to it
//     came right behind an end, with values of what ended, while nothing was under way. Without that, it may as well
//     be about what an earlier exchange left in the API's state.
//
// It takes the time of sorting both, and of holding each external against 64 exchanges.
func Causes(incoming []Incoming, externals []Outgoing) []Cause {
	order := make([]int, len(externals))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return externals[a].Start.Compare(externals[b].Start) })
	at := newMoment(incoming)
	usual := newBackground(stretches(at.begun), externals, order)
	late := lateness{calls: map[int]uint64{}, services: map[lateService]bool{}}
	causes := make([]Cause, len(externals))
	for _, i := range order {
		x := &externals[i]
		at.move(x.Start)
		causes[i] = at.cause(&x.Carried)
		switch {
		case causes[i].By == ByTrace:
		case usual.apart(x) && !at.carries(&x.Carried): // an endpoint of GraphQL is one for all, the background's too
			causes[i] = Cause{UnderWay: len(at.open), Background: len(at.open) > 0}
		case len(at.open) <= 1 && !usual.inQuiet(x):
			late.look(i, x, at)
		}
	}
	for i, seq := range late.calls {
		if late.services[lateServiceOf(&externals[i])] {
			causes[i].Seq, causes[i].By = seq, ByValues
		}
	}
	return causes
}

// moment knows which exchanges are under way, and which were, at one time after the other.
type moment struct {
	begun, ended []*Incoming // all of them, by when they begin, and by when they end
	first, past  int         // how many of these have
	now          time.Time
	open         map[*Incoming]bool      // those under way
	traced       map[TraceID][]*Incoming // of these, those of a trace
	owners       map[TraceID]traceOwner  // of all that have begun
}

// traceOwner is an exchange of a trace, and whether there are others.
type traceOwner struct {
	of      *Incoming
	several bool
}

func newMoment(incoming []Incoming) *moment {
	m := &moment{open: map[*Incoming]bool{}, traced: map[TraceID][]*Incoming{}, owners: map[TraceID]traceOwner{}}
	for i := range incoming {
		m.begun = append(m.begun, &incoming[i])
	}
	m.ended = slices.Clone(m.begun)
	slices.SortStableFunc(m.begun, func(a, b *Incoming) int { return a.Start.Compare(b.Start) })
	slices.SortStableFunc(m.ended, func(a, b *Incoming) int { return a.End.Compare(b.End) })
	return m
}

// move goes on to a time that is not before the last.
func (m *moment) move(to time.Time) {
	m.now = to
	for ; m.first < len(m.begun) && !m.begun[m.first].Start.After(to); m.first++ {
		e := m.begun[m.first]
		m.open[e] = true
		if id := e.Carried.Trace; id != "" {
			m.traced[id] = append(m.traced[id], e)
			_, several := m.owners[id]
			m.owners[id] = traceOwner{e, several}
		}
	}
	for ; m.past < len(m.ended) && m.ended[m.past].End.Before(to); m.past++ {
		e := m.ended[m.past]
		delete(m.open, e)
		if id := e.Carried.Trace; id != "" {
			m.traced[id] = slices.DeleteFunc(m.traced[id], func(x *Incoming) bool { return x == e })
		}
	}
}

// cause is that of what carries so much, late work aside.
func (m *moment) cause(c *Carried) Cause {
	owner, known := m.owners[c.Trace]
	var of *Incoming
	by := ByTrace
	switch traced := m.traced[c.Trace]; {
	case len(traced) == 1:
		of = traced[0]
	case len(traced) > 1:
		of, by = carrier(c, traced), ByValues
	case known && !owner.several:
		of = owner.of
	case known:
	case len(m.open) == 1:
		for of = range m.open {
			by = ByTime
		}
	case len(m.open) <= maxAround:
		of, by = carrier(c, slices.Collect(maps.Keys(m.open))), ByValues
	}
	if of == nil {
		by = ""
		of = &Incoming{}
	}
	return Cause{Seq: of.Seq, By: by, UnderWay: len(m.open)}
}

// carries reports whether one exchange under way has values of what is carried that no other has.
func (m *moment) carries(c *Carried) bool {
	return len(m.open) <= maxAround && carrier(c, slices.Collect(maps.Keys(m.open))) != nil
}

// recent are the exchanges that ended so shortly before that what the API asks may still be for them; nil where they
// are too many.
func (m *moment) recent() []*Incoming {
	from := m.past
	for from > 0 && m.now.Sub(m.ended[from-1].End) < quietAfter {
		if from--; m.past-from > maxAround {
			return nil
		}
	}
	return m.ended[from:m.past:m.past]
}

// carrier is the one of some exchanges that has values of an external which none of the others has; nil where none has,
// several have, or may have.
func carrier(c *Carried, among []*Incoming) (one *Incoming) {
	if len(among) > maxAround || slices.ContainsFunc(among, func(e *Incoming) bool { return e.Carried.More }) {
		return nil
	}
	for _, v := range c.Values {
		var of *Incoming
		count := 0
		for _, e := range among {
			if e.Carried.has(v) {
				of, count = e, count+1
			}
		}
		if count != 1 {
			continue
		}
		if one != nil && one != of {
			return nil
		}
		one = of
	}
	return one
}

func (c *Carried) has(value uint64) bool {
	_, ok := slices.BinarySearch(c.Values, value)
	return ok
}

// lateness gathers what may be late work.
type lateness struct {
	calls    map[int]uint64       // by position: the exchange that each is for, if there is late work at its service
	services map[lateService]bool // those at which there is
}

// lateService is a service, and the method that it is asked with.
type lateService struct{ scheme, addr, method string }

func lateServiceOf(x *Outgoing) lateService { return lateService{x.Scheme, x.Addr, x.Request.Method} }

// look looks at an external that began while one exchange was under way, or none.
func (l *lateness) look(i int, x *Outgoing, m *moment) {
	among := m.recent()
	for e := range m.open {
		if slices.ContainsFunc(x.Carried.Values, e.Carried.has) {
			return
		}
		among = append(among, e)
	}
	of := carrier(&x.Carried, among)
	if of == nil {
		return
	}
	l.calls[i] = of.Seq
	if len(m.open) == 0 {
		l.services[lateServiceOf(x)] = true
	}
}
