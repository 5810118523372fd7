package suite

import (
	"maps"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
)

// An assertion in a function that tests share is held against what each of them was answered, and what is written in
// its place is true of all. Where the function is given what it expects, the assertion stays as it is for those tests
// of which it holds: assert resp.status_code == expected or resp.status_code in {200, 503}.

// shared judges an assertion in a function that tests share. What was seen without a set-up that a test is given now
// says nothing any more, and what was seen in another order of the tests says nothing of this.
func (p *patcher) shared(t *script.Test, a *script.Assertion) {
	var trials []expr.Scope
	for _, use := range a.Uses {
		given := len(p.grafts[use.Test.Name].Steps) > 0
		if p.restores || use.Test.Skipped || given || use.Test.HasSetUp() && !p.observed(use.Test) {
			continue
		}
		for _, s := range p.trials(use.Test) {
			if own, ok := usedIn(use, s); ok {
				trials = append(trials, own)
			}
		}
	}
	p.assertion(t, a, trials)
}

// usedIn is what the names of a shared assertion stood for in one use; false where an answer was not seen.
func usedIn(use script.Use, s expr.Scope) (expr.Scope, bool) {
	own := expr.Scope{}
	for of, answer := range use.Answers {
		if s[answer] == nil {
			return nil, false
		}
		own[of] = s[answer]
	}
	for name, value := range use.Values {
		own.Take(name, value, 0)
	}
	return own, true
}

// expects tells whether a shared assertion says something else in one use than in another.
func (w *weakening) expects() bool {
	return len(w.a.Uses) > 0 && len(w.a.Uses[0].Values) > 0 && w.a.Prior == nil && w.whole == nil
}

// acrossUses says of a shared assertion that it holds, or, where a function is called with what is expected and that
// does not hold, what does.
func (w *weakening) acrossUses() (expr.Expr, string) {
	says := []expr.Expr{w.a.Meaning}
	for _, trials := range w.expecting() {
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
		says = append(says, orParts(w.byName(said, trials[0]))...)
	}
	if slices.ContainsFunc(says[1:], w.admits) {
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
	for name := range w.a.Uses[0].Values {
		value, ok := expr.Literal(trials[0][name])
		if !ok {
			return nil, false
		}
		a.Meaning = expr.Subst(a.Meaning, expr.Name{ID: name}, value)
	}
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

// byName is what is said in some uses with the names of what these are given in the place of it, among the values that
// are admitted, and where members are named.
func (w *weakening) byName(x expr.Expr, given expr.Scope) expr.Expr {
	for name := range w.a.Uses[0].Values {
		value, _ := expr.Literal(given[name])
		var was, is []expr.Expr
		expr.Walk(x, func(y expr.Expr) {
			switch y := y.(type) {
			case expr.Index:
				if expr.Identical(y.I, value) {
					was, is = append(was, y), append(is, expr.Index{X: y.X, I: expr.Name{ID: name}})
				}
			case expr.Set:
				was, is = append(was, y), append(is, expr.Subst(y, value, expr.Name{ID: name}))
			}
		})
		for i := range was {
			x = expr.Subst(x, was[i], is[i])
		}
	}
	return x
}

// admits reports whether a statement admits what a shared assertion expects, among other values.
func (w *weakening) admits(x expr.Expr) bool {
	was, ok := w.a.Meaning.(expr.Compare)
	is, too := x.(expr.Compare)
	set, several := is.Y.(expr.Set)
	return ok && too && several && was.Op == expr.Eq && is.Op == expr.In && expr.Identical(was.X, is.X) &&
		slices.ContainsFunc(set.Elems, func(y expr.Expr) bool { return expr.Identical(y, was.Y) })
}

// expecting are the trials of uses that expect the same, in order.
func (w *weakening) expecting() (out [][]expr.Scope) {
	var keys []string
	for _, s := range w.trials {
		var key strings.Builder
		for _, name := range slices.Sorted(maps.Keys(w.a.Uses[0].Values)) {
			key.WriteString(expr.Show(s[name]) + "\n")
		}
		at := slices.Index(keys, key.String())
		if at < 0 {
			at, keys, out = len(keys), append(keys, key.String()), append(out, nil)
		}
		out[at] = append(out[at], s)
	}
	return out
}

// assertionsOf are those of a test, and those that functions make for it as they are in its own words.
func (h *BoundScript) assertionsOf(t *script.Test) (out []*script.Assertion) {
	for _, a := range t.Assertions {
		if len(a.Uses) == 0 {
			out = append(out, a)
		}
	}
	for _, other := range h.script.Tests {
		for _, a := range other.Assertions {
			for _, use := range a.Uses {
				if use.Test == t {
					out = append(out, use.Instance(a))
				}
			}
		}
	}
	return out
}
