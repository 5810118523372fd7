package search

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/bisect"
	"github.com/flaketap/flaketap/mock/search/tree"
)

// fewNames is how many names together may bring something about.
const fewNames = 3

// grouped is the group with whose places a change is tried: its own, or that which stands beside its base; nil where it
// is tried by itself.
func (c *change) grouped() *change {
	switch {
	case c.group != nil:
		return c
	case c.base != nil && c.field != "":
		return c.base.beside
	}
	return nil
}

// apply is the setting that a change makes; places are those of its group that are given a value.
func (c change) apply(places []exchange.Place) setting {
	set := c.base.setting.with(c.endpoint, c.answer)
	if len(places) == 0 {
		return set
	}
	group := c.grouped()
	a, groups := set[group.endpoint], tree.ByParent(places)
	for _, at := range slices.Sorted(maps.Keys(groups)) { // what lies outside first
		some := groups[at]
		object, _ := tree.Get(a.JSON, tree.Within(at))
		members, _ := object.(map[string]any)
		all := make(map[string]any, len(members)+len(some))
		for _, p := range some {
			all[tree.Name(p)] = group.value(p)
		}
		maps.Copy(all, members)
		a = a.with(at, all)
	}
	return set.with(group.endpoint, a)
}

// tryGroup tries values of many names at once, and finds out which of them matter where they lead to something new.
func (s *searcher) tryGroup(ctx context.Context, h *hunt, c change, places []exchange.Place) error {
	set := c.apply(places)
	seen, out, err := s.try(ctx, h, set)
	if err != nil {
		return err
	}
	c.covers = s.covers(out.Covered)
	if c.borrowed && s.learnBorrowed(h, c, places, set, seen) {
		return nil
	}
	if c.group != nil && tells(seen, places) {
		s.absorb(h, c, seen)
		return nil
	}
	if h.same(seen, c.base.sight) || !c.mistyped && seen.score() < c.base.sight.score() && h.isKnown(seen) {
		if c.covers && out.End == Answered {
			h.venture(&c, seen, out)
		}
		return nil
	}
	matter, few, err := s.narrow(ctx, h, c, places, seen)
	if err != nil || !few {
		return err
	}
	group := c.grouped()
	delete(h.unread, group.endpoint)
	s.learn(group.endpoint, group.fields(matter))
	again := c
	again.turn++
	h.pend([]change{again}) // without those that are known now, which may have hidden others
	set = c.apply(matter)
	got, err := s.look(ctx, h, set, c)
	if err == nil {
		c.answer, c.group = set[c.endpoint], nil
		got.first = true
		s.absorb(h, c, got)
	}
	return err
}

// narrow finds the few of the places with which a change does what was seen with all of them. It is not few where it
// takes many, as then it is the number of them that does it, nor where the change does it by itself.
func (s *searcher) narrow(ctx context.Context, h *hunt, c change, places []exchange.Place, seen sight) (
	matter []exchange.Place, few bool, err error,
) {
	s.purpose = toNarrow
	does := func(some []exchange.Place, then [][]exchange.Place) (bool, error) {
		set := c.apply(some)
		if got, tried := h.tried[set.key()]; tried {
			return h.same(got, seen), nil
		}
		defer s.foresee(func() []Trial { return h.each(c, then) })()
		got, _, err := s.try(ctx, h, set)
		return h.same(got, seen), err
	}
	if c.group == nil { // it was tried by itself before, as a rule
		if alone, err := does(nil, nil); alone || err != nil {
			return nil, false, err
		}
	}
	matter, err = bisect.Few(places, fewNames, does)
	return matter, len(matter) <= fewNames, err
}

// fields are those that matter of a group, and those within their values, which may be why they do.
func (c *change) fields(matter []exchange.Place) []field {
	out := make([]field, 0, len(matter))
	for _, p := range matter {
		out = append(out, field{place: p, source: FromWords})
		for _, in := range tree.Places(c.value(p)) {
			if !strings.HasSuffix(string(in), exchange.Wildcard) {
				out = append(out, field{place: p + in[len(exchange.PlaceBody):], source: FromWords})
			}
		}
	}
	return out
}

// venture has fields that are known be changed beside a group that ran what nothing did before.
func (h *hunt) venture(c *change, seen sight, out Outcome) {
	b := baseOf(c.apply(nil), seen, out.Body, c.endpoint)
	b.beside = c.grouped()
	h.ventures = append(h.ventures, b)
	for _, e := range b.endpoints {
		l := &lister{base: b, endpoint: e}
		h.fieldChanges(l, b.current(e), h.known.fields[e])
		h.pend(l.out)
	}
}
