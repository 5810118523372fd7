package python

import "github.com/flaketap/flaketap/suite/expr"

// whatIsUnknown says what of an expression is not understood; "" where all is.
func whatIsUnknown(x expr.Expr) string {
	what := ""
	expr.Walk(x, func(y expr.Expr) {
		switch y := y.(type) {
		case expr.Unknown:
			if what == "" {
				what = y.What
			}
		case expr.Undefined:
			what = "the name " + y.ID
		}
	})
	return what
}
