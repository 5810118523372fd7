package build

import (
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/setup"
	"github.com/flaketap/flaketap/suite/write/plan"
)

// cleanUps take away what a test made itself, the last first. What tests share stays.
func (b *builder) cleanUps(d draft, needs []uint64, once map[uint64]bool, ctx *context) []plan.Step {
	sends := slices.Clone(needs)
	for _, s := range d.tested {
		if setup.Unsendable(s.Exchange) == "" {
			sends = append(sends, s.Exchange.Seq)
		}
	}
	slices.Sort(sends)
	sent := setup.Sent{Gives: sends}
	for _, seq := range sends {
		if !once[seq] {
			b.session.Sent(&sent.Own, b.sending(b.steps[seq].Exchange, ctx.gives))
		}
	}
	var out []plan.Step
	all, _ := b.session.CleanUps(&sent)
	for _, c := range all {
		if slices.ContainsFunc(c.Uses, func(u setup.Use) bool { return !b.keeps(u) }) {
			continue
		}
		s := plan.Step{Role: plan.CleanUp, Seq: c.Exchange.Seq, Title: b.operationName(c.Exchange)}
		b.send(&s, c.Exchange, c.Uses)
		out = append(out, s)
	}
	return out
}

// keeps reports whether a suite keeps the value that a request uses.
func (b *builder) keeps(u setup.Use) bool {
	return slices.ContainsFunc(b.session.Gives(u.From.Seq), func(v *exchange.Binding) bool { return v.Name == u.Name })
}

// sending is a request as a test sends it: with the values that others of its requests give.
func (b *builder) sending(e *exchange.Exchange, gives func(*exchange.Binding) bool) setup.Sending {
	x := setup.Sending{Exchange: e, Given: map[exchange.Place]setup.Gift{}}
	for _, t := range b.session.Takes(e.Seq) {
		if gives(t.Binding) {
			x.Given[t.Place] = setup.Gift{From: t.Producer, Value: t.Value}
		}
	}
	return x
}
