package expr

// UnknownIn says what of an expression is not understood; "" where all is.
func UnknownIn(x Expr) string {
	what := ""
	Walk(x, func(y Expr) {
		switch y := y.(type) {
		case Unknown:
			if what == "" {
				what = y.What
			}
		case Undefined:
			what = "the name " + y.ID
		}
	})
	return what
}
