package jest

import (
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/js"
)

// expectation is a chain of calls that asserts something: expect(subject).not.toBe(…).
type expectation struct {
	subject *js.Node
	words   []string // between the subject and the matcher: "not", "rejects"
	matcher string
	args    []*js.Node
}

// not reports whether the opposite is asserted.
func (e expectation) not() bool { return e.has("not") }

func (e expectation) has(word string) bool {
	for _, w := range e.words {
		if w == word {
			return true
		}
	}
	return false
}

// expectationOf reads a chain that begins with a call of expect.
func expectationOf(n *js.Node) (expectation, bool) {
	for n.Form == js.NodeUnary && (n.Text == "await" || n.Text == "void") {
		n = n.Args[0]
	}
	object, name, args := n.Method()
	e := expectation{matcher: name, args: args}
	for object != nil && object.Form == js.NodeMember {
		e.words = append(e.words, object.Text)
		object = object.Args[0]
	}
	if object == nil || object.Form != js.NodeCall || !object.Args[0].Is("expect") || len(object.Args) < 2 {
		return e, false
	}
	e.subject = object.Args[1]
	return e, true
}

// reading reads what Jest's matchers assert.
type reading struct{ *js.Reading }

// meaningOf reads what one of Jest's matchers asserts.
func (r reading) meaningOf(e expectation) (expr.Expr, bool) {
	x, ok := r.matcherMeaning(e)
	if !ok || !e.not() {
		return x, ok
	}
	switch e.matcher {
	case "toContain", "toContainEqual":
		return expr.Not{X: x}, true
	case "toBeTruthy":
		return js.Opposite(x), true
	case "toBe", "toEqual", "toStrictEqual": // undefined is equal to nothing else
		if _, compares := x.(expr.Compare); compares {
			return js.Opposite(x), true
		}
		subject, _ := r.Meaning(e.subject)
		if missing, ok := expr.Missing(subject); ok {
			return expr.AnyOf(missing, expr.Negate(x)), true
		}
		return js.Opposite(x), true
	}
	return expr.Unless(x), true
}

func (r reading) matcherMeaning(e expectation) (expr.Expr, bool) {
	switch len(e.args) {
	case 0:
		return r.stateMatcher(e)
	case 1:
		return r.comparison(e)
	}
	if e.matcher == "toHaveProperty" {
		x, ok := r.property(e.subject, e.args[0])
		y, known := r.Meaning(e.args[1])
		return expr.Same(x, y), ok && known
	}
	return nil, false
}

// stateMatcher reads the matchers that compare with nothing.
func (r reading) stateMatcher(e expectation) (expr.Expr, bool) {
	switch e.matcher {
	case "toBeTruthy":
		return r.Truth(e.subject)
	case "toBeFalsy":
		x, ok := r.Truth(e.subject)
		return js.Opposite(x), ok
	}
	x, ok := r.Meaning(e.subject)
	if !ok {
		return nil, false
	}
	switch e.matcher {
	case "toBeNull":
		return expr.Same(x, expr.Null{}), true
	case "toBeUndefined":
		return expr.Missing(x)
	case "toBeDefined":
		x, ok := expr.Missing(x)
		return expr.Negate(x), ok
	}
	return nil, false
}

// comparison reads the matchers that compare with one thing.
func (r reading) comparison(e expectation) (expr.Expr, bool) {
	arg := e.args[0]
	switch e.matcher {
	case "toBe", "toEqual", "toStrictEqual":
		if object, name, args := arg.Method(); object.Is("expect") && name == "any" && len(args) == 1 {
			x, ok := r.Meaning(e.subject)
			y, known := expr.Typed(x, map[string]string{"String": "string", "Number": "number", "Boolean": "boolean",
				"Array": "array"}[args[0].Text])
			return y, ok && known
		}
		if e.matcher == "toBe" && (arg.Form == js.NodeArray || arg.Form == js.NodeObject) {
			return nil, false // nothing is what is made anew
		}
		if x, ok := r.arrays(e, arg); ok {
			return x, true
		}
		return r.toBe(e.subject, arg)
	case "toHaveProperty":
		x, ok := r.property(e.subject, arg)
		if i, isIndex := x.(expr.Index); isIndex && ok {
			return expr.Cmp(i.I, expr.In, i.X), true
		}
		return nil, false
	case "toMatch":
		if arg.Form == js.NodePattern {
			return r.Matched(e.subject, arg)
		}
	}
	x, okX := r.Meaning(e.subject)
	y, okY := r.Meaning(arg)
	if !okX || !okY {
		return nil, false
	}
	switch e.matcher {
	case "toContain", "toContainEqual":
		if seq, ok := x.(expr.List); ok {
			x = expr.Set(seq)
		}
		return expr.Cmp(y, expr.In, x), true
	case "toMatch":
		return expr.Cmp(y, expr.In, x), true
	case "toHaveLength":
		return expr.Cmp(expr.Length{X: x}, expr.Eq, y), true
	}
	op, ok := map[string]expr.Op{"toBeLessThan": expr.Lt, "toBeLessThanOrEqual": expr.Le, "toBeGreaterThan": expr.Gt,
		"toBeGreaterThanOrEqual": expr.Ge}[e.matcher]
	return expr.Cmp(x, op, y), ok
}

// toBe reads that a subject is a value; that a condition is true says the condition.
func (r reading) toBe(subject, value *js.Node) (expr.Expr, bool) {
	if value.Is("true") || value.Is("false") {
		x, ok := r.Meaning(subject)
		if ok && expr.IsCondition(x) {
			if value.Is("false") {
				return js.Opposite(x), true
			}
			return x, true
		}
	}
	return r.Equal(subject, value, js.Strict)
}

// arrays reads that an array, sorted, is a list that is written out, and that it has all of some elements:
// expect([...x].sort()).toEqual([…]), expect(x).toEqual(expect.arrayContaining([…])).
func (r reading) arrays(e expectation, arg *js.Node) (expr.Expr, bool) {
	if object, name, args := arg.Method(); object.Is("expect") && name == "arrayContaining" && len(args) == 1 {
		array, ok := r.Meaning(e.subject)
		wanted, known := r.Meaning(args[0])
		list, isList := wanted.(expr.List)
		var has []expr.Expr
		for _, elem := range list.Elems {
			has = append(has, expr.Cmp(elem, expr.In, array))
		}
		return expr.And{Xs: has}, ok && known && isList && len(has) > 0
	}
	array, by, ok := r.Sorted(e.subject)
	if !ok {
		return nil, false
	}
	list, other, sorted := r.Sorted(arg)
	if !sorted {
		list, ok = r.Meaning(arg)
	}
	if _, isList := list.(expr.List); sorted && isList && other == by {
		return expr.SameItems{X: array, Y: list}, true
	}
	same, known := js.SortedAs(array, by, list)
	return same, ok && !sorted && known
}

// property reads the place that toHaveProperty names: members with points between, or a list of them.
func (r reading) property(subject, path *js.Node) (expr.Expr, bool) {
	x, ok := r.Meaning(subject)
	var keys []string
	switch {
	case path.Form == js.NodeString:
		keys = strings.Split(path.Text, ".")
	case path.Form == js.NodeArray:
		for _, k := range path.Args {
			if k.Form != js.NodeString {
				return nil, false
			}
			keys = append(keys, k.Text)
		}
	}
	for _, k := range keys {
		x = expr.Index{X: x, I: expr.Str{Value: k}}
	}
	return x, ok && len(keys) > 0
}
