package build

import (
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/setup"
	"github.com/flaketap/flaketap/suite/write/plan"
)

// cleanUps take away what a test made itself of what it sends, the last first. What tests share stays.
func (b *builder) cleanUps(sends []uint64, once map[uint64]bool) []plan.Step {
	var sent setup.Sent
	for _, seq := range slices.Sorted(slices.Values(sends)) {
		if once[seq] {
			sent.Shared = append(sent.Shared, seq)
		} else {
			sent.Own = append(sent.Own, seq)
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

// mustBeGiven says of the steps of a test that change state which values earlier answers must have given: a producer
// may answer with the right status and without the value, and the recorded one may name another's thing.
func (b *builder) mustBeGiven(steps []plan.Step) {
	given := map[string]bool{}
	for i := range steps {
		s := &steps[i]
		switch s.Role {
		case plan.SetUp, plan.Tested:
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
