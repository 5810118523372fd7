package expr

import "slices"

// Spread gives the meaning of a statement about the array that a path of Groovy's leads to: a member's name behind an
// array leads to the array of what its elements have by that name, null where one has nothing. Which arrays there are
// on the way only an answer tells, so it says the same of each reading that an answer may ask for, the plain one last.
func Spread(path Expr, says func(array Expr) Expr) Expr {
	const element = "e"
	var or Or
	_, steps := Steps(path)
	for n := len(steps) - 1; n >= 0; n-- {
		if _, isName := steps[n].I.(Str); !isName {
			break
		}
		list := steps[n].X
		each := Each{Elem: elementOf(steps[n:], Name{element}), Var: element, List: list}
		or.Xs = append(or.Xs, And{[]Expr{IsType{list, []Type{TypeArray}}, says(each)}})
	}
	if or.Xs == nil {
		return says(path)
	}
	return Or{append(or.Xs, says(path))}
}

// elementOf leads from an element by the names of some steps.
func elementOf(steps []Index, elem Expr) Expr {
	for _, step := range steps {
		elem = Get{X: elem, Key: step.I}
	}
	return elem
}

// Unspread returns, of what [Spread] says, behind guards or not, the one reading that some executions ask for; ok is
// false where they do not agree on one, and where it is another statement.
func Unspread(x Expr, executions []Scope) (says Expr, ok bool) {
	or, isOr := x.(Or)
	if !isOr {
		return nil, false
	}
	last := len(or.Xs) - 1
	first := slices.IndexFunc(or.Xs[:last], isSpread)
	if first < 0 {
		return nil, false
	}
	behind := func(x Expr) Expr { return AnyOf(append(slices.Clone(or.Xs[:first]), x)...) }
	for _, reading := range or.Xs[first:last] {
		if !isSpread(reading) {
			return nil, false
		}
		and := reading.(And)
		switch yes, no := arrays(and.Xs[0].(IsType).X, executions); {
		case yes > 0 && no == 0:
			return behind(and.Xs[1]), true
		case yes > 0 || no == 0:
			return nil, false
		}
	}
	return behind(or.Xs[last]), true
}

// arrays counts the executions in which an expression is an array, and those in which it is something else; in some
// there may be nothing.
func arrays(x Expr, executions []Scope) (yes, no int) {
	for _, s := range executions {
		switch v, err := s.Eval(x); {
		case err != nil:
		case TypeOf(v) == TypeArray:
			yes++
		default:
			no++
		}
	}
	return yes, no
}

// isSpread reports whether a statement is of one of the readings that [Spread] gives.
func isSpread(x Expr) bool {
	and, _ := x.(And)
	if len(and.Xs) != 2 {
		return false
	}
	of, isType := and.Xs[0].(IsType)
	found := false
	Walk(and.Xs[1], func(x Expr) {
		each, ok := x.(Each)
		found = found || ok && Identical(each.List, of.X)
	})
	return isType && found
}

// Having says that a path from an element leads somewhere; nil where it takes no step.
func Having(elem Expr) Expr {
	_, steps := Steps(elem)
	var all []Expr
	for _, step := range steps {
		if missing, ok := Missing(step); ok {
			all = append(all, Not{missing})
		}
	}
	if all == nil {
		return nil
	}
	return AllOf(all...)
}

// Indexed leads where a path leads that takes nothing for null: by [Index] in the place of each [Get].
func Indexed(x Expr) Expr {
	switch x := x.(type) {
	case Get:
		return Index{Indexed(x.X), x.Key}
	case Index:
		return Index{Indexed(x.X), x.I}
	}
	return x
}
