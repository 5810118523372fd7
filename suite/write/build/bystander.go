package build

import (
	"slices"

	"github.com/flaketap/flaketap/exchange"

	"github.com/flaketap/flaketap/suite/setup"
)

// harmless splits set-ups, in recorded order, into those that touch nothing but what the test itself makes, and the
// others that would change something, which the test goes without. What the test is about makes things too.
func (b *builder) harmless(needs []uint64, d draft) (kept, refused []uint64) {
	all := slices.Clone(needs)
	for _, s := range d.tested {
		if unsendable(s.Exchange) == "" {
			all = append(all, s.Exchange.Seq)
		}
	}
	slices.Sort(all)
	var own setup.Possessions
	for _, seq := range all {
		x := b.sending(b.steps[seq].Exchange, nil, func(v *exchange.Binding) bool { return own.Has(v.Producer.Seq) })
		setUp := slices.Contains(needs, seq)
		if setUp && !b.bystanders.May(&own, x) {
			refused = append(refused, seq)
			continue
		}
		if setUp {
			kept = append(kept, seq)
		}
		b.bystanders.Sent(&own, x)
	}
	return kept, refused
}

// sending is a request as a test sends it: with the values that others of its requests give, by renamed in place of its
// own.
func (b *builder) sending(e *exchange.Exchange, renamed map[string]*exchange.Binding, gives func(*exchange.Binding) bool) setup.Sending {
	x := setup.Sending{Exchange: e, Given: map[exchange.Place]setup.Gift{}}
	for _, u := range b.uses[e.Seq] {
		v := u.binding
		if other := renamed[v.Name]; other != nil {
			v = other
		}
		if gives(v) {
			x.Given[u.place] = setup.Gift{From: v.Producer, Value: v.Value}
		}
	}
	return x
}
