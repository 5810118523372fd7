package suite

import (
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
)

// passedIn are the values that the calls of a test had in their paths in one run, by the source of the expressions that
// give them: what another test made, mostly, or a fixture.
func passedIn(t *script.Test, matched map[*script.Call]*exchange.Step, run int) expr.Scope {
	out := expr.Scope{}
	for _, c := range t.Calls {
		if c.Given == "" {
			continue
		}
		if r := sentIn(matched[c], run); r != nil {
			if value, ok := c.Passed(r.Target); ok {
				out[c.Given] = value
			}
		}
	}
	return out
}

// kindOf is what becomes of an assertion that says x now: it is bound where it compares a value with another of the
// test's own, as that is in each run.
func kindOf(x expr.Expr) ChangeKind {
	c, ok := x.(expr.Compare)
	if !ok || c.Op != expr.Eq {
		return Weakened
	}
	switch base, _ := expr.Steps(c.Y); base.(type) {
	case expr.Answer, expr.Name:
		return Rebound
	}
	return Weakened
}

// passed says that the value is the one that the call, or one before it in the test, has in its path: that is of a
// variable, and over the executions both move alike.
func (w *weakening) passed() []expr.Expr {
	if len(w.active) < 2 || len(expr.Distinct(w.subject, w.active)) < 2 {
		return nil
	}
	for i := w.a.Call; i >= 0; i-- {
		given := w.t.Calls[i].Given
		if given == "" {
			continue
		}
		x := expr.Cmp(w.subject, expr.Eq, expr.Name{ID: given})
		if seen, failed := hold(x, w.active); failed == 0 && len(seen) == len(w.active) {
			return []expr.Expr{x}
		}
	}
	return nil
}
