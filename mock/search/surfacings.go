package search

import (
	"cmp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// Surfacing says that a field of a service's answer surfaces in what the API does: where one was given another value of
// its type, and all else held, the other changed too.
type Surfacing struct {
	Request  Request
	Endpoint Endpoint
	Field    exchange.Place
	// Answer are the places of the API's answer that follow the field, the status among them.
	Answer []exchange.Place
	// Calls are the outgoing calls that do: in their target, their body, or in whether and how often they are made.
	Calls []Endpoint
	// Log says that the lines of the log do, whatever values they have.
	Log bool
}

// compared is what the trials until now say of where fields surface.
type compared struct {
	order  []surface
	proven map[surface]moved
	open   []pair // of which something differs that is not proven yet
}

// compare holds trials against each other that differ in one field alone. Those of the search are most of them.
func (s *searcher) compare() compared {
	c := compared{proven: map[surface]moved{}}
	for _, h := range s.hunts {
		var pairs []pair
		often := map[surface]counts{}
		for _, a := range h.differing() {
			pairs = append(pairs, a.pairs()...)
		}
		for _, p := range pairs {
			if _, known := c.proven[p.surface]; !known {
				c.proven[p.surface] = moved{}
				c.order = append(c.order, p.surface)
			}
			m := p.moves()
			if !p.held() {
				often[p.surface] = often[p.surface].with(m, p)
				m = p.copies(m)
			}
			c.proven[p.surface] = c.proven[p.surface].or(m)
		}
		for at, times := range often {
			c.proven[at] = c.proven[at].or(times.proven())
		}
		for _, p := range pairs { // once all is known that is proven
			if !p.held() && !p.moves().without(c.proven[p.surface]).none() {
				c.open = append(c.open, p)
			}
		}
	}
	return c
}

// counts are the settings that were tried once, and moved something beside one that was tried again.
type counts struct {
	places map[exchange.Place]map[*shown]bool
	calls  map[Endpoint]map[*shown]bool
}

// enoughOnce is how many of them prove it: so many do not happen to do the same.
const enoughOnce = 3

func (c counts) with(m moved, p pair) counts {
	if c.places == nil {
		c = counts{map[exchange.Place]map[*shown]bool{}, map[Endpoint]map[*shown]bool{}}
	}
	once := p.b
	if !p.a.repeated() {
		once = p.a
	}
	if p.a.repeated() || p.b.repeated() {
		for _, at := range m.places {
			count(c.places, at, once)
		}
		for _, e := range m.calls {
			count(c.calls, e, once)
		}
	}
	return c
}

func count[K comparable](in map[K]map[*shown]bool, at K, one *shown) {
	if in[at] == nil {
		in[at] = map[*shown]bool{}
	}
	in[at][one] = true
}

// proven is what was moved often enough.
func (c counts) proven() (m moved) {
	for at, all := range c.places {
		if len(all) >= enoughOnce {
			m.places = append(m.places, at)
		}
	}
	for e, all := range c.calls {
		if len(all) >= enoughOnce {
			m.calls = append(m.calls, e)
		}
	}
	return m
}

// inherit has objects surface where their members do: they have no other value of their own than one with another
// member.
func (c *compared) inherit() {
	for _, at := range slices.Clone(c.order) {
		m := c.proven[at]
		for in := at; !m.none() && in.within(); {
			if _, known := c.proven[in]; !known {
				c.order = append(c.order, in)
			}
			c.proven[in] = c.proven[in].or(m)
		}
	}
}

// within goes on to the object that a field is a member of, and reports whether there is one within the answer.
func (f *surface) within() bool {
	if strings.HasSuffix(string(f.field), "/"+exchange.Wildcard) {
		return false
	}
	f.field = f.field.Parent()
	return f.field != exchange.PlaceBody && !strings.HasSuffix(string(f.field), "/"+exchange.Wildcard)
}

// surfacings lists what is proven.
func (s *searcher) surfacings() (out []Surfacing) {
	c := s.compare()
	c.inherit()
	for _, at := range c.order {
		m := c.proven[at]
		if m.none() {
			continue
		}
		slices.Sort(m.places)
		slices.SortFunc(m.calls, Endpoint.compare)
		out = append(out, Surfacing{at.hunt.request, at.endpoint, at.field, m.places, m.calls, m.log})
	}
	slices.SortStableFunc(out, func(a, b Surfacing) int {
		return cmp.Or(strings.Compare(a.Request.Target, b.Request.Target), a.Endpoint.compare(b.Endpoint),
			cmp.Compare(a.Field, b.Field))
	})
	return out
}

// repeats are the trials that prove what differs, or show that it does by itself: of each field those of one pair for
// each thing that differs.
func (c compared) repeats(tried map[pair]bool) (out []trialOf) {
	will := map[surface]moved{}
	planned := map[*shown]bool{}
	for _, p := range c.open {
		m := p.moves().without(c.proven[p.surface]).without(will[p.surface])
		if tried[p] || m.none() {
			continue
		}
		tried[p] = true
		will[p.surface] = will[p.surface].or(m)
		for _, one := range []*shown{p.a, p.b} {
			if !one.repeated() && !planned[one] {
				planned[one] = true
				out = append(out, trialOf{p.hunt, one.setting})
			}
		}
	}
	return out
}
