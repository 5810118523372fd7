package suite

import (
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
)

// settled returns an assertion as the executions show that it is meant: a path of REST-assured's may lead to one value,
// or to that of each element of an array. It is the same assertion where they show nothing.
func settled(t *script.Test, a *script.Assertion, trials []expr.Scope) *script.Assertion {
	x, ok := expr.Unspread(a.Meaning, trials)
	if !ok {
		return a
	}
	meant := *a
	meant.Meaning = x
	meant.Claim = exchange.Claim{File: a.File, Line: a.Line, Test: a.Test, Call: a.Call}
	if !(script.Claims{Test: t}).Any(&meant, x) {
		meant.Relation, meant.Place, meant.Value = "", "", ""
	}
	return &meant
}
