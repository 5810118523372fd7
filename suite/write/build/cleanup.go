package build

import (
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/setup"
	"github.com/flaketap/flaketap/suite/write/plan"
)

// withCleanUps adds to the steps of a test those that take away what it made itself of what it sends, the last first.
// What tests share stays. What the test takes away itself has a clean-up where the test may fail before it comes to
// that, and is then not taken away twice.
func (b *builder) withCleanUps(steps []plan.Step, sends []uint64, once map[uint64]bool) []plan.Step {
	var sent setup.Sent
	for _, seq := range slices.Sorted(slices.Values(sends)) {
		if once[seq] {
			sent.Shared = append(sent.Shared, seq)
		} else {
			sent.Own = append(sent.Own, seq)
		}
	}
	all, _ := b.session.CleanUps(&sent)
	var out []plan.Step
	for _, c := range all {
		if slices.ContainsFunc(c.Uses, func(u setup.Use) bool { return !b.keeps(u) }) {
			continue
		}
		by := slices.IndexFunc(steps, func(s plan.Step) bool { return s.Seq == c.By })
		switch {
		case c.By != 0 && (by < 1 || steps[by].Left != "" || madeBy(steps[by-1], c)):
			continue
		case c.By != 0:
			steps[by].Gone = append(steps[by].Gone, c.ID)
		}
		s := plan.Step{Role: plan.CleanUp, Seq: c.Exchange.Seq, Title: b.operationName(c.Exchange)}
		b.send(&s, c.Exchange, c.Uses)
		out = append(out, s)
	}
	return append(steps, out...)
}

// madeBy reports whether a set-up makes what a clean-up is for: where the test takes that away in the next step,
// nothing but its status can fail in between. It says so too where the clean-up does not name that as the test knows
// it.
func madeBy(s plan.Step, c setup.CleanUp) bool {
	n := slices.IndexFunc(c.Uses, func(u setup.Use) bool { return u.Name == c.ID })
	return n < 0 || s.Role == plan.SetUp && c.Uses[n].From.Seq == s.Seq
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
		for _, name := range s.Gone {
			given[name] = false
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
