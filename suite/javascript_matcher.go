package suite

import (
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
)

// expectation is a chain of calls that asserts something: expect(subject).not.toBe(…).
type expectation struct {
	subject *jsNode
	words   []string // between the subject and the matcher: "not", "rejects"
	matcher string
	args    []*jsNode
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
func expectationOf(n *jsNode) (expectation, bool) {
	for n.form == nodeUnary && (n.text == "await" || n.text == "void") {
		n = n.args[0]
	}
	object, name, args := n.method()
	e := expectation{matcher: name, args: args}
	for object != nil && object.form == nodeMember {
		e.words = append(e.words, object.text)
		object = object.args[0]
	}
	if object == nil || object.form != nodeCall || !object.args[0].is("expect") || len(object.args) < 2 {
		return e, false
	}
	e.subject = object.args[1]
	return e, true
}

// jestMeaning reads what one of Jest's matchers asserts.
func (r *jsReading) jestMeaning(e expectation) (expr.Expr, bool) {
	x, ok := r.jestMatcher(e)
	if !ok || !e.not() {
		return x, ok
	}
	if e.matcher == "toContain" || e.matcher == "toContainEqual" {
		return expr.Not{X: x}, true
	}
	return unless(x), true
}

// unless says the opposite of a comparison: what is not there is not equal to anything either.
func unless(x expr.Expr) expr.Expr {
	if c, ok := x.(expr.Compare); ok && (c.Op == expr.Eq || c.Op == expr.Is) {
		if none, ok := expr.Missing(c.X); ok {
			return expr.Or{Xs: []expr.Expr{none, expr.Negate(x)}}
		}
	}
	return expr.Negate(x)
}

func (r *jsReading) jestMatcher(e expectation) (expr.Expr, bool) {
	switch len(e.args) {
	case 0:
		return r.jestState(e)
	case 1:
		return r.jestComparison(e)
	}
	if e.matcher == "toHaveProperty" {
		x, ok := r.property(e.subject, e.args[0])
		y, known := r.meaning(e.args[1])
		return expr.Same(x, y), ok && known
	}
	return nil, false
}

// jestState reads the matchers that compare with nothing.
func (r *jsReading) jestState(e expectation) (expr.Expr, bool) {
	switch e.matcher {
	case "toBeTruthy":
		return r.truth(e.subject)
	case "toBeFalsy":
		x, ok := r.meaning(e.subject)
		return expr.Negate(x), ok && expr.IsCondition(x)
	}
	x, ok := r.meaning(e.subject)
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

// jestComparison reads the matchers that compare with one thing.
func (r *jsReading) jestComparison(e expectation) (expr.Expr, bool) {
	arg := e.args[0]
	switch e.matcher {
	case "toBe", "toEqual", "toStrictEqual":
		if object, name, args := arg.method(); object.is("expect") && name == "any" && len(args) == 1 {
			x, ok := r.meaning(e.subject)
			y, known := expr.Typed(x, map[string]string{"String": "string", "Number": "number", "Boolean": "boolean", "Array": "array"}[args[0].text])
			return y, ok && known
		}
		return r.toBe(e.subject, arg)
	case "toHaveProperty":
		x, ok := r.property(e.subject, arg)
		if i, isIndex := x.(expr.Index); isIndex && ok {
			return expr.Cmp(i.I, expr.In, i.X), true
		}
		return nil, false
	case "toMatch":
		if arg.form == nodePattern {
			return r.matched(e.subject, arg)
		}
	}
	x, okX := r.meaning(e.subject)
	y, okY := r.meaning(arg)
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
func (r *jsReading) toBe(subject, value *jsNode) (expr.Expr, bool) {
	if value.is("true") || value.is("false") {
		x, ok := r.meaning(subject)
		if ok && expr.IsCondition(x) {
			if value.is("false") {
				return expr.Negate(x), true
			}
			return x, true
		}
	}
	return r.equal(subject, value, false)
}

// property reads the place that toHaveProperty names: members with points between, or a list of them.
func (r *jsReading) property(subject, path *jsNode) (expr.Expr, bool) {
	x, ok := r.meaning(subject)
	var keys []string
	switch {
	case path.form == nodeString:
		keys = strings.Split(path.text, ".")
	case path.form == nodeArray:
		for _, k := range path.args {
			if k.form != nodeString {
				return nil, false
			}
			keys = append(keys, k.text)
		}
	}
	for _, k := range keys {
		x = expr.Index{X: x, I: expr.Str{Value: k}}
	}
	return x, ok && len(keys) > 0
}
