package suite

import (
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
)

// An assertion in a function that tests share is held against what each of them was answered, and what is written in
// its place is true of all. Where the function is given what it expects, the assertion stays as it is for those tests
// of which it holds: assert resp.status_code == expected or resp.status_code in {200, 503}.

// shared judges an assertion in a function that tests share. What was seen without a set-up that a test is given now
// says nothing any more, and what was seen in another order of the tests says nothing of this, but of those that flake.
func (p *patcher) shared(t *script.Test, a *script.Assertion) {
	var trials []expr.Scope
	for _, use := range a.Uses {
		given := len(p.grafts[use.Test.Name].Steps) > 0
		unseen := use.Test.HasSetUp() && !p.observed(use.Test)
		if p.restores && !p.flaking(use.Test.Name) || use.Test.Skipped || given || unseen {
			continue
		}
		for _, s := range p.trials(use.Test) {
			if own, ok := use.In(s); ok {
				trials = append(trials, own)
			}
		}
	}
	p.assertion(t, a, trials)
}

// expects tells whether a shared assertion says something else in one use than in another.
func (w *weakening) expects() bool {
	return len(w.a.Uses) > 0 && len(w.a.Uses[0].Values) > 0 && w.a.Prior == nil && w.whole == nil
}

// acrossUses says of a shared assertion that it holds, or, where a function is called with what is expected and that
// does not hold, what does.
func (w *weakening) acrossUses() (expr.Expr, string) {
	says := []expr.Expr{w.a.Meaning}
	for _, trials := range w.a.Uses[0].Alike(w.trials) {
		one, ok := w.instance(trials)
		if !ok {
			return nil, ""
		}
		if one.failed == 0 {
			continue
		}
		said, _ := one.weakest()
		if said == nil {
			return nil, ""
		}
		if w.field == nil {
			w.field = one.field
		}
		says = append(says, orParts(w.a.Uses[0].Named(said, trials[0]))...)
	}
	if slices.ContainsFunc(says[1:], func(x expr.Expr) bool { return script.Admits(x, w.a.Meaning) }) {
		says = says[1:]
	}
	x := expr.AnyOf(says...)
	if _, failed := hold(x, w.trials); failed > 0 {
		return nil, ""
	}
	text, ok := w.p.script.Writer.Assert(w.p.script, w.t, w.a, x)
	if !ok {
		return nil, ""
	}
	return x, text
}

// instance is the weakening of what a shared assertion says in uses that expect the same, with what they expect written
// out; false where that is no literal.
func (w *weakening) instance(trials []expr.Scope) (*weakening, bool) {
	a := *w.a
	a.Uses, a.Claim = nil, exchange.Claim{File: a.File, Line: a.Line, Test: a.Test}
	meaning, ok := w.a.Uses[0].Written(a.Meaning, trials[0])
	if !ok {
		return nil, false
	}
	a.Meaning = meaning
	if !(script.Claims{Test: w.t}).Any(&a, a.Meaning) {
		a.Claim = exchange.Claim{File: a.File, Line: a.Line, Test: a.Test}
	}
	one := &weakening{p: w.p, t: w.t, a: &a, whole: w.a}
	one.trials, one.failed = hold(a.Meaning, trials)
	if one.failed > 0 && a.Relation == "" {
		w.p.reclaim(w.t, &a)
	}
	if a.Relation != "" {
		one.subject = a.Subject()
	}
	one.field = w.p.field(w.t, &a)
	return one, true
}
