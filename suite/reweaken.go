package suite

import (
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
)

// reclaim reads what a statement of flaketap's says behind its guards, so that it can be weakened further: where an
// execution came to it at last, as what it said until then was guessed from what the suite expected, and where another
// value has been seen than it admits.
func (p *patcher) reclaim(t *script.Test, a *script.Assertion) {
	several := func(x expr.Expr) bool { _, and := x.(expr.And); return and }
	if !a.Ours || a.Snapshot && several(a.Meaning) {
		return // a snapshot's members are weakened one by one
	}
	guards := orParts(a.Meaning)
	last := len(guards) - 1
	x, guards := guards[last], guards[:last]
	r := script.Claims{Test: t}
	said := script.Assertion{Claim: a.Claim}
	subject, values := expr.Admitted(x)
	switch {
	case values != nil && r.Place(&said, subject):
		said.Relation = exchange.Equal
		for n := len(guards) - 1; n >= 0; n-- { // x is None or isinstance(x, str)
			too, more := expr.Admitted(guards[n])
			if more == nil || !expr.Identical(too, subject) {
				break
			}
			guards, values = guards[:n], append(values, more...)
		}
		a.Prior = &script.PriorWeakening{Subject: subject, Values: values}
	case len(guards) > 0 && r.Generated(&said, x):
		a.Prior = nil
	default:
		return
	}
	a.Claim, a.Guards = said.Claim, guards
	a.File, a.Line, a.Test = p.script.File, a.At.FirstLine, t.Name
}

// orParts takes an "or" apart, and those that it is one of: guards stand before what a matcher such as anyOf says.
func orParts(x expr.Expr) []expr.Expr {
	or, ok := x.(expr.Or)
	if !ok {
		return []expr.Expr{x}
	}
	var out []expr.Expr
	for _, x := range or.Xs {
		out = append(out, orParts(x)...)
	}
	return out
}

// widened gives what can be said of the subject of a statement that was narrower: what the map says, where that admits
// what the statement did, and else the types.
func (w *weakening) widened() []expr.Expr {
	seen, _ := w.samples()
	var out []expr.Expr
	if w.field != nil && w.field.Place.Matches(w.a.Place) && len(w.active) > 0 {
		out = w.learnedOf(w.a.Prior.Values...)
	}
	return append(out, expr.Shapes(w.subject, append(seen, w.a.Prior.Values...))...)
}
