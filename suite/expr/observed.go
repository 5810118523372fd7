package expr

import "slices"

// AmongElements says of a value that is taken from an element of a list that some element of it has the value.
func AmongElements(x Compare) []Expr {
	var out []Expr
	_, steps := Steps(x.X)
	for _, step := range steps {
		if _, isName := step.I.(Str); isName {
			continue
		}
		among := step
		if ordered, ok := step.X.(Ordered); ok {
			among.X = ordered.List
		}
		out = append(out, MemberOf(among, Subst(x.X, step, among), x.Y))
	}
	return out
}

// ShapesWith says how something that is made of answers is always written, and what is expected of it too.
func ShapesWith(trials []Scope, x, expected Expr) []Expr {
	values, ok := valuesIn(trials, x)
	if !ok {
		return nil
	}
	if v, err := (Scope{}).Eval(expected); err == nil && !slices.ContainsFunc(values, func(seen any) bool {
		return TypeOf(seen) != TypeOf(v)
	}) {
		values = append(values, v)
	}
	return Shapes(x, values)
}

// valuesIn are the values of an expression in all trials; false where one has none.
func valuesIn(trials []Scope, x Expr) (values []any, ok bool) {
	for _, s := range trials {
		v, err := s.Eval(x)
		if err != nil {
			return nil, false
		}
		values = append(values, v)
	}
	return values, true
}

// InFirst leads to the first element of a list where a path leads to one that is picked, or that comes first in order.
func InFirst(x Expr) Expr {
	step, ok := x.(Index)
	if !ok {
		return x
	}
	if _, isName := step.I.(Str); isName {
		step.X = InFirst(step.X)
		return step
	}
	switch list := step.X.(type) {
	case Ordered:
		return InFirst(Index{X: list.List, I: Int(0)})
	case Each:
		return Subst(list.Elem, Name{ID: list.Var}, InFirst(Index{X: list.List, I: Int(0)}))
	}
	return Index{X: InFirst(step.X), I: Int(0)}
}

// TypesOf says of each of some expressions that are taken from answers what type it always has.
func TypesOf(trials []Scope, xs ...Expr) []Expr {
	var out []Expr
	for _, x := range xs {
		if shapes := allShapes(trials, x); len(shapes) > 0 {
			out = append(out, shapes[len(shapes)-1])
		}
	}
	return out
}

// ShapesOf says of an expression that is taken from answers how it is always written, or else its type.
func ShapesOf(trials []Scope, x Expr) []Expr {
	if shapes := allShapes(trials, x); len(shapes) > 0 {
		return shapes[:1]
	}
	return nil
}

// allShapes are those of an expression that is taken from answers, the strongest first; nil where some lack it.
func allShapes(trials []Scope, x Expr) []Expr {
	if text, ok := x.(ToText); ok && alwaysText(trials, text.X) {
		x = text.X
	}
	switch base, _ := Steps(x); base.(type) {
	case Answer, Total, Slice, Arith:
		if !FromAnswer(base) {
			return nil
		}
	default:
		return nil
	}
	values, ok := valuesIn(trials, x)
	if !ok {
		return nil
	}
	return Shapes(x, values)
}

// alwaysText reports whether an expression is a text in all trials.
func alwaysText(trials []Scope, x Expr) bool {
	values, ok := valuesIn(trials, x)
	return ok && !slices.ContainsFunc(values, func(v any) bool { return TypeOf(v) != TypeString })
}

// ElementValues are the values of all elements in all trials; nil where one has none.
func ElementValues(each Each, trials []Scope) []any {
	lists, _ := valuesIn(trials, each)
	var out []any
	for _, v := range lists {
		items, ok := v.(Items)
		if !ok {
			return nil
		}
		out = append(out, items...)
	}
	return out
}

// Distinct returns the different values of an expression over some trials, in order, as [Show] shows them; those
// where there is none are left out.
func Distinct(x Expr, trials []Scope) []string {
	var out []string
	for _, s := range trials {
		v, err := s.Eval(x)
		if err != nil {
			continue
		}
		if text := Show(v); !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

// IsOrder reports whether an operator compares values of one type.
func IsOrder(op Op) bool {
	switch op {
	case Eq, Lt, Le, Gt, Ge:
		return true
	}
	return false
}
