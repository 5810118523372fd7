package search

import (
	"context"
	"maps"
	"math"
	"slices"
	"sort"

	"github.com/flaketap/flaketap/exchange"
)

// What is foreseen of a search ([Trial.Likely]) is told by the search itself, as it would go if nothing new came of its
// trials. It decides nothing: a trial that was foreseen counts when the search gets there, and no sooner.

// foresee has trials be likely to come before those that were until then, up to the call of what it returns.
func (s *searcher) foresee(first func() []Trial) (end func()) {
	before := s.likely
	s.likely = func(most int) []Trial {
		out := first()
		if before != nil && len(out) < most {
			out = append(out, before(most-len(out))...)
		}
		return out[:min(len(out), most)]
	}
	return func() { s.likely = before }
}

// firsts are the first trials of requests, up to so many.
func firsts(hunts []*hunt, most int) (out []Trial) {
	for _, h := range hunts[:min(len(hunts), most)] {
		out = append(out, h.watched(setting{}))
	}
	return out
}

// repeat is try for a trial that is likely to come so many times more.
func (s *searcher) repeat(ctx context.Context, h *hunt, set setting, more int) (seen sight, out Outcome, err error) {
	defer s.foresee(func() []Trial { return slices.Repeat([]Trial{h.trial(set)}, more) })()
	return s.try(ctx, h, set)
}

// each are trials of a change, each with some names of a group.
func (h *hunt) each(c change, groups [][]exchange.Place) (out []Trial) {
	for _, some := range groups {
		out = append(out, h.trial(c.apply(some)))
	}
	return out
}

// coming are the changes that are tried next where none of them leads to anything new. What that counts is taken back.
func (s *searcher) coming(most int) (out []Trial) {
	if most = min(most, int(reach*float64(s.o.Trials))-s.done); most <= 0 {
		return nil
	}
	counted := map[*int]int{}
	dearest := map[*hunt]int{} // the cost up to which it is known what comes
	known := map[foreseen]bool{}
	for _, h := range s.hunts {
		defer h.restore(h.pending, maps.Clone(h.turns), maps.Clone(h.dull), h.spent)
		h.pending, dearest[h] = h.cheapest(perForeseen * most)
	}
	defer func() {
		for n, was := range counted {
			*n = was
		}
	}()
	for len(out) < most {
		h, at := s.next()
		if h == nil || h.cost(h.pending[at]) > dearest[h] {
			return out
		}
		c := h.take(at)
		for _, n := range []*int{c.tries, c.everywhere} {
			if _, is := counted[n]; !is {
				counted[n] = *n
			}
		}
		set, _, news := s.begin(h, &c)
		one := foreseen{h, set.key()}
		if !news || known[one] {
			continue
		}
		known[one] = true
		h.bore(&c)
		h.spent++
		if c.grouped() != nil {
			out = append(out, h.trial(set))
		} else {
			out = append(out, h.watched(set))
		}
	}
	return out
}

// foreseen is what a request is likely to be tried with.
type foreseen struct {
	hunt *hunt
	set  string // its key
}

// perForeseen is how many of the cheapest changes are looked at for each that is foreseen: trying one makes others
// dearer.
const perForeseen = 4

// restore puts back what was foreseen with.
func (h *hunt) restore(pending []*change, turns map[Endpoint]int, dull map[gene]int, spent int) {
	h.pending, h.turns, h.dull, h.spent = pending, turns, dull, spent
}

// cheapest are so many of the changes that wait, in their order, and what the dearest of them costs.
func (h *hunt) cheapest(most int) (some []*change, dearest int) {
	if len(h.pending) <= most {
		return slices.Clone(h.pending), math.MaxInt
	}
	costs := make([]int, len(h.pending))
	for i, c := range h.pending {
		costs[i] = h.cost(c)
	}
	sorted := slices.Sorted(slices.Values(costs))
	dearest = sorted[most-1]
	equals := most - sort.SearchInts(sorted, dearest) // of those that cost as much, the first
	for i, c := range h.pending {
		if costs[i] == dearest {
			equals--
		}
		if costs[i] < dearest || costs[i] == dearest && equals >= 0 {
			some = append(some, c)
		}
	}
	return some, dearest
}

// fewSmaller is how many smaller stubs of one behavior are foreseen before those of others: each depends on those
// before.
const fewSmaller = 2

// smallest are the trials, up to so many, by which the stubs of a behavior are made smaller where none of them does it.
func (b *Behavior) smallest(all []func(setting) setting, most int) (out []Trial) {
	for _, smaller := range all {
		if set := smaller(b.setting); len(out) < most && b.mayBe(set) {
			out = append(out, b.hunt.trial(set))
		}
	}
	return out
}

// lessening are the trials by which the stubs of behaviors are made smaller: the first of each, then the others.
func (s *searcher) lessening(behaviors []*Behavior, most int) (out []Trial) {
	var then []Trial
	for _, b := range behaviors {
		if len(out) >= most {
			break
		}
		if all := b.smallest(b.setting.smaller(), most); len(all) > 0 {
			out, then = append(out, all[0]), append(then, all[1:]...)
		}
	}
	out = append(out, then...)
	return out[:min(len(out), most)]
}

// proving are so many trials that prove a behavior.
func (b *Behavior) proving(n int) []Trial {
	return slices.Repeat([]Trial{b.hunt.anew(b.setting)}, max(n, 0))
}
