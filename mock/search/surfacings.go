package search

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock/search/tree"
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

// surfacings lists what is proven.
func (s *searcher) surfacings() (out []Surfacing) {
	c := s.compare()
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

// trace finds which field surfaces where: it repeats trials of the search whose difference is not proven, and tries
// other values of the fields that are in the stubs of behaviors, of those first of which nothing is known to follow.
func (s *searcher) trace(ctx context.Context) error {
	tried := map[pair]bool{}
	others := s.others()
	for {
		c := s.compare()
		next := c.repeats(tried)
		if len(next) == 0 {
			// Of what has followed already, something else may in another behavior.
			slices.SortStableFunc(others, func(a, b traced) int {
				return cmp.Or(cmp.Compare(a.turn, b.turn), cmp.Compare(c.known(a.surface), c.known(b.surface)))
			})
			most := min(len(others), atOnce)
			for _, one := range others[:most] {
				next = append(next, one.trialOf)
			}
			others = others[most:]
		}
		if len(next) == 0 {
			return nil
		}
		if err := s.runAll(ctx, next); err != nil {
			return err
		}
	}
}

// atOnce is how many values are tried before it is looked at what follows them.
const atOnce = 16

// known is 1 where something is known to follow a field, or 0.
func (c compared) known(at surface) int {
	if c.proven[at].none() {
		return 0
	}
	return 1
}

// trialOf is a trial that is to be run for what it is compared with.
type trialOf struct {
	hunt    *hunt
	setting setting
}

// runAll runs trials one after the other.
func (s *searcher) runAll(ctx context.Context, all []trialOf) error {
	for i, one := range all {
		end := s.foresee(func() (out []Trial) {
			for _, next := range all[i+1:] {
				out = append(out, next.hunt.trial(next.setting))
			}
			return out
		})
		_, _, err := s.try(ctx, one.hunt, one.setting)
		end()
		if err != nil {
			return err
		}
	}
	return nil
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

// traced is another value of a field in the stubs of a behavior.
type traced struct {
	surface
	trialOf
	turn, far int
}

// others are other values of fields in the stubs of behaviors: of each field the first in the behavior that got
// furthest, then further ones, and those in others.
func (s *searcher) others() (out []traced) {
	for _, b := range s.found {
		if b.End != Answered {
			continue
		}
		for _, e := range b.setting.endpoints() {
			a := b.setting[e]
			if !a.fielded() {
				continue
			}
			for _, p := range tree.Places(a.JSON) {
				v, _ := tree.Get(a.JSON, tree.Within(p))
				for i, other := range b.hunt.otherThan(e, p, v) {
					set := b.setting.with(e, a.with(p, other))
					if b.hunt.history.shown[set.key()] == nil {
						out = append(out, traced{surface{b.hunt, e, p}, trialOf{b.hunt, set}, i, b.sight.score()})
					}
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b traced) int {
		return cmp.Or(cmp.Compare(b.far, a.far), cmp.Compare(a.turn, b.turn))
	})
	times := map[surface]int{}
	for i := range out { // each field comes once before one comes again
		out[i].turn = times[out[i].surface]
		times[out[i].surface]++
	}
	slices.SortStableFunc(out, func(a, b traced) int { return cmp.Compare(a.turn, b.turn) })
	return out
}

// mostOthers is how many other values of a field are tried in one behavior.
const mostOthers = 4

// otherThan are other values of a field, of the type of one: first those that the API is known to look for.
func (h *hunt) otherThan(e Endpoint, p exchange.Place, v any) (out []any) {
	add := func(o any) {
		if !tree.Contains(out, o) && !tree.Same(o, v) && kindOf(o) == kindOf(v) && len(out) < mostOthers {
			out = append(out, o)
		}
	}
	if f := h.known.field(e, p); f != nil {
		for _, o := range slices.Concat(f.values, f.compared) {
			if len(out) < mostOthers/2 {
				add(o)
			}
		}
	}
	switch v := v.(type) {
	case string:
		if strings.HasPrefix(v, future[:10]) {
			add(past[:min(len(v), len(past))])
		}
		add("trace7f3q")
		texts, _ := h.words.near(e, name(p), 1)
		for _, text := range texts {
			add(text)
		}
		add(v + "9")
	case bool:
		add(!v)
	case float64:
		add(v + 13)
		add(v*2 + 1000)
		add(0.0)
	case []any:
		if len(v) > 0 {
			add([]any{})
			add(append(slices.Clone(v), v[0]))
		}
		out = append(out, nil)
	case map[string]any:
		out = append(out, nil)
	}
	return out
}
