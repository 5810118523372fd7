package suite

import (
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
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
func (r *jsReading) jestMeaning(e expectation) (expr, bool) {
	x, ok := r.jestMatcher(e)
	if !ok || !e.not() {
		return x, ok
	}
	if e.matcher == "toContain" || e.matcher == "toContainEqual" {
		return pyUnary{"not", x}, true
	}
	return unless(x), true
}

// unless says the opposite of a comparison: what is not there is not equal to anything either.
func unless(x expr) expr {
	if c, ok := x.(pyCompare); ok && len(c.ops) == 1 && (c.ops[0] == "==" || c.ops[0] == "is") {
		if none, ok := missing(c.x); ok {
			return pyBool{"or", []expr{none, negated(x)}}
		}
	}
	return negated(x)
}

func (r *jsReading) jestMatcher(e expectation) (expr, bool) {
	switch len(e.args) {
	case 0:
		return r.jestState(e)
	case 1:
		return r.jestComparison(e)
	}
	if e.matcher == "toHaveProperty" {
		x, ok := r.property(e.subject, e.args[0])
		y, known := r.meaning(e.args[1])
		return sameAs(x, y), ok && known
	}
	return nil, false
}

// jestState reads the matchers that compare with nothing.
func (r *jsReading) jestState(e expectation) (expr, bool) {
	switch e.matcher {
	case "toBeTruthy":
		return r.truth(e.subject)
	case "toBeFalsy":
		x, ok := r.meaning(e.subject)
		return negated(x), ok && isBoolean(x)
	}
	x, ok := r.meaning(e.subject)
	if !ok {
		return nil, false
	}
	switch e.matcher {
	case "toBeNull":
		return sameAs(x, pyName{"None"}), true
	case "toBeUndefined":
		return missing(x)
	case "toBeDefined":
		x, ok := missing(x)
		return negated(x), ok
	}
	return nil, false
}

// jestComparison reads the matchers that compare with one thing.
func (r *jsReading) jestComparison(e expectation) (expr, bool) {
	arg := e.args[0]
	switch e.matcher {
	case "toBe", "toEqual", "toStrictEqual":
		if object, name, args := arg.method(); object.is("expect") && name == "any" && len(args) == 1 {
			x, ok := r.meaning(e.subject)
			y, known := jsTyped(x, map[string]string{"String": "string", "Number": "number", "Boolean": "boolean", "Array": "array"}[args[0].text])
			return y, ok && known
		}
		return r.toBe(e.subject, arg)
	case "toHaveProperty":
		x, ok := r.property(e.subject, arg)
		if i, isIndex := x.(pyIndex); isIndex && ok {
			return pyCompare{i.i, []string{"in"}, []expr{i.x}}, true
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
		if seq, ok := x.(pySeq); ok {
			x = pySeq{true, seq.elems}
		}
		return pyCompare{y, []string{"in"}, []expr{x}}, true
	case "toMatch":
		return pyCompare{y, []string{"in"}, []expr{x}}, true
	case "toHaveLength":
		return pyCompare{pyCall{fn: pyName{"length"}, args: []expr{x}}, []string{"=="}, []expr{y}}, true
	}
	op, ok := map[string]string{"toBeLessThan": "<", "toBeLessThanOrEqual": "<=", "toBeGreaterThan": ">", "toBeGreaterThanOrEqual": ">="}[e.matcher]
	return pyCompare{x, []string{op}, []expr{y}}, ok
}

// toBe reads that a subject is a value; that a condition is true says the condition.
func (r *jsReading) toBe(subject, value *jsNode) (expr, bool) {
	if value.is("true") || value.is("false") {
		x, ok := r.meaning(subject)
		if ok && isBoolean(x) {
			if value.is("false") {
				return negated(x), true
			}
			return x, true
		}
	}
	return r.equal(subject, value, false)
}

// property reads the place that toHaveProperty names: members with points between, or a list of them.
func (r *jsReading) property(subject, path *jsNode) (expr, bool) {
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
		x = pyIndex{x, pyStr{k}}
	}
	return x, ok && len(keys) > 0
}

// claimOf notes what an assertion claims, where it is one of the relations that claims know.
func claimOf(t *Test, a *Assertion, x expr) bool {
	r := &testReader{test: t}
	switch x := x.(type) {
	case pyCall:
		return r.claimOfCall(a, x)
	case pyCompare:
		if len(x.ops) != 1 {
			return false
		}
		switch x.ops[0] {
		case "==", "is":
			return r.claimOfEqual(a, x.x, x.ys[0])
		case "in", "not in":
			return r.claimOfMember(a, x.ops[0], x.x, x.ys[0])
		}
	}
	return false
}

func (r *testReader) claimOfCall(a *Assertion, x pyCall) bool {
	switch {
	case isName(x.fn, "is_valid_uri_or_empty"):
		return r.claim(a, x)
	case isName(x.fn, "is_empty"):
		a.Relation = exchange.Empty
		return r.place(a, x.args[0])
	}
	if attr, ok := x.fn.(pyAttr); ok && attr.name == "startswith" {
		text, _ := x.args[0].(pyStr)
		a.Relation, a.Value = exchange.Contains, literal.JSON(text.s)
		return r.place(a, attr.x)
	}
	return false
}

func (r *testReader) claimOfEqual(a *Assertion, left, right expr) bool {
	token, ok := jsonLiteral(right)
	if !ok {
		return false
	}
	if call, ok := left.(pyCall); ok && isName(call.fn, "length") && len(call.args) == 1 {
		a.Relation, a.Value = exchange.Length, token
		return r.place(a, call.args[0])
	}
	if _, plain := jsonToken(right); plain {
		return r.equal(a, left, right)
	}
	a.Relation, a.Value = exchange.Equal, token
	return r.place(a, left)
}

func (r *testReader) claimOfMember(a *Assertion, op string, left, right expr) bool {
	if key, ok := left.(pyStr); ok && a.Relation != exchange.Contains {
		if op == "not in" || a.Relation == exchange.Present {
			if r.contained(a, op, left, right) && a.Place.Root() == "header" {
				return true
			}
			a.Relation = exchange.Present
			if op == "not in" {
				a.Relation = exchange.Absent
			}
			if !r.place(a, right) || a.Place.Root() != "body" {
				return false
			}
			a.Place = a.Place.Key(key.s)
			return true
		}
	}
	return r.contained(a, op, left, right)
}

// jsonLiteral returns a literal as JSON, objects and arrays too.
func jsonLiteral(x expr) (string, bool) {
	var parts []string
	switch x := x.(type) {
	case pySeq:
		for _, e := range x.elems {
			token, ok := jsonLiteral(e)
			if !ok {
				return "", false
			}
			parts = append(parts, token)
		}
		return "[" + strings.Join(parts, ",") + "]", true
	case pyDict:
		for i, k := range x.keys {
			key, isText := k.(pyStr)
			token, ok := jsonLiteral(x.values[i])
			if !ok || !isText {
				return "", false
			}
			parts = append(parts, literal.JSON(key.s)+":"+token)
		}
		return "{" + strings.Join(parts, ",") + "}", true
	}
	return jsonToken(x)
}
