package search

import (
	"context"
	"maps"
	"slices"
)

// proofs is how often a behavior is seen with the stubs that it is kept with.
const proofs = 3

// shrink makes the stubs of each behavior smaller. Where the trials that prove the smaller ones fail, or are not there
// any more, the behavior keeps those with which it was found.
func (s *searcher) shrink(ctx context.Context) error {
	for _, b := range s.found {
		found := *b
		err := s.lessen(ctx, b)
		if err == nil {
			err = s.prove(ctx, b)
		}
		if len(b.Proofs) < proofs {
			*b = found
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// lessen leaves out of the stubs of a behavior what it stays without.
func (s *searcher) lessen(ctx context.Context, b *Behavior) error {
	for _, smaller := range b.setting.smaller() {
		set := smaller(b.setting)
		same, out, err := s.stays(ctx, b, set)
		if err != nil {
			return err
		}
		if same {
			b.setting, b.Calls, b.Proofs = set, out.Calls, append(b.Proofs[:0:0], out.Record)
		}
	}
	return nil
}

// prove tries the stubs of a behavior again, until they have led to it often enough, or did not.
func (s *searcher) prove(ctx context.Context, b *Behavior) error {
	for len(b.Proofs) < proofs {
		same, out, err := s.stays(ctx, b, b.setting)
		if err != nil || !same {
			return err
		}
		b.Proofs = append(b.Proofs, out.Record)
	}
	return nil
}

// stays reports whether a setting leads to a behavior.
func (s *searcher) stays(ctx context.Context, b *Behavior, set setting) (same bool, out Outcome, err error) {
	sign, out, err := s.try(ctx, b.hunt, set)
	return err == nil && sign == b.sign && slices.Equal(findings(out), b.Findings), out, err
}

// smaller lists what may be left out: answers as a whole, then single fields.
func (s setting) smaller() (out []func(setting) setting) {
	for _, e := range s.endpoints() {
		out = append(out, func(s setting) setting { return s.without(e) })
	}
	for _, e := range s.endpoints() {
		for _, field := range slices.Sorted(maps.Keys(s[e].Fields)) {
			out = append(out, func(s setting) setting {
				if a, set := s[e]; set {
					return s.with(e, a.without(field))
				}
				return s
			})
		}
	}
	return out
}
