package lenient

import (
	"slices"

	"github.com/flaketap/flaketap/suite/expr"
)

// Exact is a condition as Go finds it true: where an answer lacks a member, a field or an element of a map has the zero
// value of its type, and a condition that this fulfils holds. plain is the condition without that.
func Exact(x expr.Expr) (full, plain expr.Expr) {
	switch x := x.(type) {
	case expr.And:
		exacts, plains := make([]expr.Expr, len(x.Xs)), make([]expr.Expr, len(x.Xs))
		for i, y := range x.Xs {
			exacts[i], plains[i] = Exact(y)
		}
		return expr.And{Xs: exacts}, expr.And{Xs: plains}
	case expr.Or:
		exacts, plains := make([]expr.Expr, len(x.Xs)), make([]expr.Expr, len(x.Xs))
		for i, y := range x.Xs {
			exacts[i], plains[i] = Exact(y)
			if i < len(x.Xs)-1 { // nothing may be raised in it, as Go goes on behind it
				exacts[i] = expr.AllOf(append(present(y), exacts[i])...)
			}
		}
		return expr.Or{Xs: exacts}, expr.Or{Xs: plains}
	}
	if all, ok := x.(expr.All); ok {
		if each, ok := all.X.(expr.Each); ok && each.Cond == nil {
			return ofEach(each)
		}
	}
	return leaf(x)
}

// ofEach is Exact for what is said of each element of a list: of none, where there is no list.
func ofEach(each expr.Each) (full, plain expr.Expr) {
	inFull, inPlain := each, each
	inFull.Elem, inPlain.Elem = Exact(each.Elem)
	nothing := Nothing(each.List)
	inFull.List, inPlain.List = Indexed(each.List), Indexed(each.List)
	return expr.AnyOf(append(nothing, expr.All{X: inFull})...), expr.All{X: inPlain}
}

// Nothing lists the conditions under which a list that is gone through is nil, as a field is that the answer lacks.
func Nothing(list expr.Expr) []expr.Expr {
	of, ok := list.(expr.Get)
	if isWhole(list) {
		return []expr.Expr{expr.IsNull(list)}
	}
	if !ok {
		return nil
	}
	if _, isList := of.Default.(expr.List); !isList {
		return nil
	}
	return absent(of)
}

// leaf is Exact for a condition that is made of no others.
func leaf(x expr.Expr) (full, plain expr.Expr) {
	plain = Indexed(x)
	found := free(x)
	switch {
	case len(found) == 1 && holdsOfZero(x, found...):
		return expr.AnyOf(append(absent(found[0]), plain)...), plain
	case len(found) == 2 && isEquality(x) && holdsOfZero(x, found...):
		var both []expr.Expr
		for _, p := range found {
			both = append(both, expr.AnyOf(append(absent(p), expr.Same(Indexed(p), p.Default))...))
		}
		return expr.Or{Xs: []expr.Expr{expr.And{Xs: both}, plain}}, plain
	}
	if list := counted(x); list != nil && len(found) == 0 {
		if none, err := (expr.Scope{}).Holds(expr.Subst(x, expr.Len{X: list}, expr.Int(0))); none && err == nil {
			return expr.AnyOf(expr.IsNull(list), plain), plain
		}
	}
	return plain, plain
}

// counted is the JSON of an answer of which a condition asks how long it is: null is a list without elements. It is
// nil where the condition asks that of nothing, or of a part.
func counted(x expr.Expr) (list expr.Expr) {
	expr.Walk(x, func(y expr.Expr) {
		if length, ok := y.(expr.Len); ok && isWhole(length.X) {
			list = length.X
		}
	})
	return list
}

// isWhole reports whether an expression is the JSON of an answer as a whole.
func isWhole(x expr.Expr) bool {
	of, ok := x.(expr.Answer)
	return ok && of.Part == expr.JSON
}

func isEquality(x expr.Expr) bool {
	c, ok := x.(expr.Compare)
	return ok && c.Op == expr.Eq
}

// steps lists the paths of a condition that end with a step which gives a zero value where there is nothing.
func steps(x expr.Expr) []expr.Get {
	var out []expr.Get
	skip := map[string]bool{}
	expr.Walk(x, func(y expr.Expr) {
		g, ok := y.(expr.Get)
		if !ok || skip[key(g)] {
			return
		}
		for of := g.X; ; { // the steps before are looked at with it
			switch step := of.(type) {
			case expr.Get:
				skip[key(step)] = true
				of = step.X
				continue
			case expr.Index:
				of = step.X
				continue
			}
			break
		}
		skip[key(g)] = true
		out = append(out, g)
	})
	return out
}

// free lists those of them that do not begin with an element of a list that the condition itself goes through.
func free(x expr.Expr) []expr.Get {
	own := map[string]bool{}
	expr.Walk(x, func(y expr.Expr) {
		if each, ok := y.(expr.Each); ok {
			own[each.Var] = true
		}
	})
	return slices.DeleteFunc(steps(x), func(g expr.Get) bool {
		bound := false
		expr.Walk(g, func(y expr.Expr) {
			name, ok := y.(expr.Name)
			bound = bound || ok && own[name.ID]
		})
		return bound
	})
}

// key tells paths apart.
func key(g expr.Get) string {
	out := ""
	for of := expr.Expr(g); ; {
		switch step := of.(type) {
		case expr.Get:
			name, _ := step.Key.(expr.Str)
			out, of = "."+name.Value+"\x00"+out, step.X
			continue
		case expr.Index:
			n, _ := step.I.(expr.Num)
			out, of = "["+n.Text+out, step.X
			continue
		case expr.Answer:
			return step.Var + string(rune('0'+step.Part)) + out
		case expr.Name:
			return step.ID + out
		}
		return out
	}
}

// holdsOfZero reports whether a condition is true where all of some paths have their zero values.
func holdsOfZero(x expr.Expr, paths ...expr.Get) bool {
	for _, p := range paths {
		x = expr.Subst(x, p, p.Default)
	}
	ok, err := expr.Scope{}.Holds(x)
	return ok && err == nil
}

// absent lists the conditions under which a path leads to a zero value of its type.
func absent(p expr.Get) []expr.Expr {
	var out []expr.Expr
	if inner, ok := p.X.(expr.Get); ok && !expr.Identical(inner.Default, expr.Null{}) {
		out = absent(inner)
	}
	at := expr.Index{X: Indexed(p.X), I: p.Key}
	if missing, ok := expr.Missing(at); ok {
		out = append(out, missing)
	}
	if _, header := p.X.(expr.Answer); !expr.Identical(p.Default, expr.Null{}) && !(header && isHeader(p)) {
		out = append(out, expr.IsNull(at))
	}
	return out
}

func isHeader(p expr.Get) bool {
	of, ok := p.X.(expr.Answer)
	return ok && of.Part == expr.Headers
}

// present says that each step of a condition's paths leads somewhere.
func present(x expr.Expr) []expr.Expr {
	var out []expr.Expr
	for _, p := range steps(x) {
		var steps []expr.Expr
		for of := expr.Expr(p); ; {
			if g, ok := of.(expr.Get); ok {
				steps = append([]expr.Expr{expr.Cmp(g.Key, expr.In, Indexed(g.X))}, steps...)
				of = g.X
				continue
			}
			if i, ok := of.(expr.Index); ok {
				of = i.X
				continue
			}
			break
		}
		if holdsOfZero(x, p) {
			continue // what is missing makes it true
		}
		out = append(out, steps...)
	}
	return out
}

// Indexed is a condition whose paths raise an error where there is nothing.
func Indexed(x expr.Expr) expr.Expr {
	for {
		found := steps(x)
		if len(found) == 0 {
			return x
		}
		for _, g := range found {
			x = expr.Subst(x, g, expr.Index{X: g.X, I: g.Key})
		}
	}
}

// OrNil is the path to a list or a map that is nil where an answer has nothing for it.
func OrNil(x expr.Expr) expr.Expr {
	of, ok := x.(expr.Get)
	if !ok {
		return x
	}
	switch of.Default.(type) {
	case expr.List, expr.Object:
		of.Default = expr.Null{}
	}
	return of
}
