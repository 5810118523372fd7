package search

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock/search/tree"
)

// proofs is how often a behavior is seen with the stubs that it is kept with.
const proofs = 3

// withRecord adds the record of a trial, unless it has none.
func withRecord(all [][]*exchange.Exchange, out Outcome) [][]*exchange.Exchange {
	if out.Past {
		return all
	}
	return append(all, out.Record)
}

// shrink makes the stubs of each behavior smaller: first of those with findings. Where the trials that prove the
// smaller ones fail, or are not there any more, the behavior keeps those with which it was found.
func (s *searcher) shrink(ctx context.Context) error {
	order := slices.Clone(s.found)
	slices.SortStableFunc(order, func(a, b *Behavior) int {
		return cmp.Compare(min(len(b.Findings), 1), min(len(a.Findings), 1))
	})
	for i, b := range order {
		if s.used() >= shrunk {
			return nil
		}
		s.likely = func(most int) []Trial { return s.lessening(order[i+1:], most) }
		if err := s.minimize(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

// minimize makes the stubs of one behavior smaller.
func (s *searcher) minimize(ctx context.Context, b *Behavior) error {
	found := *b
	err := s.lessen(ctx, b)
	if err == nil {
		err = s.prove(ctx, b)
	}
	if len(b.Proofs) < proofs {
		*b = found
	}
	return err
}

// lessen leaves out of the stubs of a behavior what it stays without.
func (s *searcher) lessen(ctx context.Context, b *Behavior) error {
	s.purpose = toLessen
	all := b.setting.smaller()
	for i, smaller := range all {
		set := smaller(b.setting)
		if s.o.Trials-s.done < proofs { // so many are left to prove it
			return nil
		}
		if !b.mayBe(set) {
			continue
		}
		end := s.foresee(func() []Trial { return b.smallest(all[i+1:], fewSmaller) })
		seen, out, err := s.try(ctx, b.hunt, set)
		end()
		if err != nil {
			return err
		}
		if b.is(seen, out, set) {
			b.setting, b.Calls, b.Proofs = set, out.Calls, withRecord(nil, out)
		}
	}
	return nil
}

// mayBe reports whether smaller stubs may lead to a behavior, as far as it is known.
func (b *Behavior) mayBe(set setting) bool {
	key := set.key()
	before, tried := b.hunt.tried[key]
	return key != b.setting.key() && (!tried || b.hunt.same(before, b.sight))
}

// prove tries the stubs of a behavior again, until they have led to it often enough, or did not.
func (s *searcher) prove(ctx context.Context, b *Behavior) error {
	s.purpose = toProve
	for len(b.Proofs) < proofs {
		end := s.foresee(func() []Trial { return b.proving(proofs - 1 - len(b.Proofs)) })
		seen, out, err := s.tryAnew(ctx, b.hunt, b.setting)
		end()
		if err != nil || !b.is(seen, out, b.setting) {
			return err
		}
		b.Proofs = withRecord(b.Proofs, out)
	}
	return nil
}

// proveAll proves the behaviors whose trials ran in a search that was ended, and are not there any more: beyond the
// budget too, since what is not proven gets no test.
func (s *searcher) proveAll(ctx context.Context) error {
	s.likely = nil
	for _, b := range s.found {
		if err := s.prove(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

// is reports whether a trial of a setting showed the behavior.
func (b *Behavior) is(seen sight, out Outcome, set setting) bool {
	return b.hunt.same(seen, b.sight) && slices.Equal(findings(out, set), b.Findings) &&
		(!b.paced || b.hunt.paces.Of(seen.pace(nil)) == b.Pace)
}

// smaller lists what may be left out: answers as a whole, then what goes before and behind them, headers, and single
// fields, the outer ones first.
func (s setting) smaller() (out []func(setting) setting) {
	change := func(e Endpoint, f func(Answer) Answer) {
		out = append(out, func(s setting) setting {
			if a, set := s[e]; set {
				return s.with(e, f(a))
			}
			return s
		})
	}
	for _, e := range s.endpoints() {
		out = append(out, func(s setting) setting { return s.without(e) })
	}
	for _, e := range s.endpoints() {
		if s[e].Interim != 0 {
			change(e, func(a Answer) Answer { a.Interim = 0; return a })
		}
		if s[e].Then != nil {
			change(e, func(a Answer) Answer { a.Then = nil; return a })
		}
		for _, name := range slices.Sorted(maps.Keys(s[e].Header)) {
			change(e, func(a Answer) Answer { return a.unheaded(name) })
		}
		for _, p := range tree.Places(s[e].JSON) {
			change(e, func(a Answer) Answer { return a.without(p) })
		}
	}
	return out
}
