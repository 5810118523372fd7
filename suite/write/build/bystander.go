package build

import (
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/setup"
	"github.com/flaketap/flaketap/suite/write/plan"
)

// harmless splits set-ups, in recorded order, into those that touch nothing but what the test itself makes, and the
// others that would change something, which the test goes without. What the test is about makes things too.
func (b *builder) harmless(needs []uint64, d draft) (kept, refused []uint64) {
	all := slices.Clone(needs)
	for _, s := range d.tested {
		if setup.Unsendable(s.Exchange) == "" {
			all = append(all, s.Exchange.Seq)
		}
	}
	slices.Sort(all)
	var own setup.Possessions
	for _, seq := range all {
		x := b.sending(b.steps[seq].Exchange, func(v *exchange.Binding) bool { return own.Has(v.Producer.Seq) })
		setUp := slices.Contains(needs, seq)
		if setUp && !b.session.May(&own, x) {
			refused = append(refused, seq)
			continue
		}
		if setUp {
			kept = append(kept, seq)
		}
		b.session.Sent(&own, x)
	}
	return kept, refused
}

// mustBeGiven says of the set-ups and clean-ups of a test that change state which values earlier answers must have
// given: a producer may answer with the right status and without the value, and the recorded one may name another's
// thing.
func (b *builder) mustBeGiven(steps []plan.Step) {
	given := map[string]bool{}
	for i := range steps {
		s := &steps[i]
		switch s.Role {
		case plan.SetUp:
			if !s.Once && !b.steps[s.Seq].Exchange.Request.Safe() {
				s.Given = slices.DeleteFunc(b.changed(s), func(name string) bool { return !given[name] })
			}
		case plan.CleanUp:
			s.Given = s.Target.BoundNames()
		}
		for _, c := range s.Captures {
			given[c.Name] = true
		}
	}
}

// changed lists the values that name what a request changes: those of its target; else, where it is no POST to a
// collection, those of its body, or of its header, as a token of a session that it ends.
func (b *builder) changed(s *plan.Step) []string {
	names := s.Target.BoundNames()
	if len(names) > 0 || s.Method == "POST" && b.session.Makes(b.steps[s.Seq].Exchange) {
		return names
	}
	if s.Body != nil {
		names = s.Body.Text.BoundNames()
	}
	if len(names) > 0 {
		return names
	}
	for _, h := range s.Headers {
		names = append(names, h.Value.BoundNames()...)
	}
	return names
}
