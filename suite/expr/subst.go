package expr

// Subst puts an expression in the place of each one that is identical to another, from the outside in.
func Subst(x, was, is Expr) Expr {
	if x == nil {
		return nil
	}
	if Identical(x, was) {
		return is
	}
	return mapped(x, func(y Expr) Expr { return Subst(y, was, is) })
}

// Renamed is an expression about other answers: those of the variables that names has for its own.
func Renamed(x Expr, names map[string]string) Expr {
	if of, ok := x.(Answer); ok {
		if to, known := names[of.Var]; known {
			of.Var = to
		}
		return of
	}
	return mapped(x, func(y Expr) Expr {
		if y == nil {
			return nil
		}
		return Renamed(y, names)
	})
}

// Walk calls f for an expression and for each one within it, from the outside in.
func Walk(x Expr, f func(Expr)) {
	if x == nil {
		return
	}
	f(x)
	mapped(x, func(y Expr) Expr {
		Walk(y, f)
		return y
	})
}

// Larger reports whether an expression is made of more than n others. It takes time in proportion to n, however large
// the expression is: one that stands in several places of another is counted in each.
func Larger(x Expr, n int) bool {
	var count func(Expr) Expr
	count = func(y Expr) Expr {
		if n--; y != nil && n >= 0 {
			mapped(y, count)
		}
		return y
	}
	count(x)
	return n < 0
}

// mapped returns a node with what f makes of each of its operands; f is given nil for one that is left out.
func mapped(x Expr, f func(Expr) Expr) Expr {
	all := func(xs []Expr) []Expr {
		out := make([]Expr, len(xs))
		for i, x := range xs {
			out[i] = f(x)
		}
		return out
	}
	switch x := x.(type) {
	case Unknown:
		return Unknown{x.What, all(x.Operands)}
	case Index:
		return Index{f(x.X), f(x.I)}
	case Get:
		return Get{f(x.X), f(x.Key), f(x.Default)}
	case Slice:
		return Slice{f(x.X), f(x.From), f(x.To)}
	case Arith:
		return Arith{x.Op, f(x.X), f(x.Y)}
	case If:
		return If{f(x.Cond), f(x.Then), f(x.Else)}
	case List:
		return List{all(x.Elems)}
	case Set:
		return Set{all(x.Elems)}
	case Object:
		return Object{x.Keys, all(x.Values)}
	case Each:
		return Each{f(x.Elem), x.Var, f(x.List), f(x.Cond), x.Lenient}
	case Ordered:
		return Ordered{f(x.List), x.Var, f(x.Key), x.Falling}
	case Compare:
		return Compare{f(x.X), x.Op, f(x.Y)}
	case Between:
		return Between{f(x.Low), f(x.X), f(x.High)}
	case And:
		return And{all(x.Xs)}
	case Or:
		return Or{all(x.Xs)}
	case HasPrefix:
		return HasPrefix{f(x.X), f(x.Prefix)}
	case HasSuffix:
		return HasSuffix{f(x.X), f(x.Suffix)}
	case SameItems:
		return SameItems{f(x.X), f(x.Y)}
	}
	return mappedUnary(x, f)
}

// mappedUnary is mapped for the nodes of one operand; a node of none is itself.
func mappedUnary(x Expr, f func(Expr) Expr) Expr {
	switch x := x.(type) {
	case Neg:
		return Neg{f(x.X)}
	case Len:
		return Len{f(x.X)}
	case Length:
		return Length{f(x.X)}
	case Bytes:
		return Bytes{f(x.X)}
	case ToText:
		return ToText{f(x.X)}
	case TokenPart:
		return TokenPart{f(x.X), x.Nth}
	case Links:
		return Links{f(x.X)}
	case Total:
		return Total{f(x.X)}
	case Trim:
		return Trim{f(x.X)}
	case Not:
		return Not{f(x.X)}
	case Any:
		return Any{f(x.X)}
	case All:
		return All{f(x.X)}
	case IsType:
		return IsType{f(x.X), x.Types}
	case Match:
		return Match{f(x.X), x.Pattern, x.Full}
	case IsDigits:
		return IsDigits{f(x.X)}
	case IsURI:
		return IsURI{f(x.X)}
	case IsEmpty:
		return IsEmpty{f(x.X)}
	case Without:
		return Without{f(x.X), x.Keys}
	case InOrder:
		return InOrder{f(x.X)}
	}
	return x
}
