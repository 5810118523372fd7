package jest

import (
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/js"
)

// chai is an assertion in the words of Chai: expect(subject).to.have.property("id").
type chai struct {
	subject *js.Node
	flags   map[string]bool // "not", "deep", "include"
	word    string          // what is asserted: "equal", "true"
	args    []*js.Node
}

// isChaiWord reports whether a word of a chain is one of Chai's, and none of Jest's.
func isChaiWord(word string) bool {
	switch word {
	case "to", "be", "been", "is", "that", "which", "and", "has", "have", "with", "at", "of", "same", "but", "does", "still", "also":
		return true
	}
	return false
}

// chaiOf reads a chain of Chai's that asserts one thing.
func chaiOf(n *js.Node) (chai, bool) {
	type link struct {
		word string
		args []*js.Node
	}
	var links []link
	chained := false
	for {
		if n.Form == js.NodeCall && n.Args[0].Is("expect") && len(n.Args) > 1 {
			break
		}
		one := link{args: []*js.Node{}}
		if n.Form == js.NodeCall {
			one.args = n.Args[1:]
			n = n.Args[0]
		}
		if n.Form != js.NodeMember {
			return chai{}, false
		}
		one.word = n.Text
		chained = chained || isChaiWord(one.word)
		links = append([]link{one}, links...)
		n = n.Args[0]
		if len(links) > 20 {
			return chai{}, false
		}
	}
	c := chai{subject: n.Args[1], flags: map[string]bool{}}
	for i, l := range links {
		flag := len(l.args) == 0 && (l.word == "not" || l.word == "deep" || l.word == "include" || l.word == "contain" ||
			l.word == "nested" || l.word == "own" || l.word == "all" || l.word == "ordered" || l.word == "any")
		switch {
		case i == len(links)-1:
			c.word, c.args = l.word, l.args
		case flag:
			c.flags[l.word] = true
		case !isChaiWord(l.word):
			c.word = "?" // several assertions in one chain
			return c, chained
		}
	}
	return c, chained && len(links) > 0
}

// ofAnswer is what is asserted of an answer as a whole: chai-http's status.
func (c chai) ofAnswer(call string) (expr.Expr, bool) {
	if c.word != "status" || len(c.args) != 1 || c.args[0].Form != js.NodeNumber || c.flags["not"] {
		return nil, false
	}
	return expr.Cmp(expr.Answer{Var: call, Part: expr.Status}, expr.Eq, expr.Numeral(c.args[0].Text)), true
}

// meaning is what is asserted.
func (c chai) meaning(by *js.Reading) (expr.Expr, bool) {
	x, ok := c.affirmed(reading{by})
	if !ok || !c.flags["not"] {
		return x, ok
	}
	switch x.(type) {
	case expr.Compare, expr.Or, expr.IsType:
		return js.Opposite(x), true
	}
	return expr.Unless(x), true
}

func (c chai) affirmed(r reading) (expr.Expr, bool) {
	switch len(c.args) {
	case 0:
		return c.state(r)
	case 1:
		return c.compared(r)
	}
	if c.word == "property" && len(c.args) == 2 {
		e := expectation{subject: c.subject, matcher: "toHaveProperty", args: c.args}
		return c.asProperty(r, e)
	}
	if c.word == "within" && len(c.args) == 2 {
		x, ok := r.Meaning(c.subject)
		low, okLow := r.Meaning(c.args[0])
		high, okHigh := r.Meaning(c.args[1])
		return expr.Between{Low: low, X: x, High: high}, ok && okLow && okHigh
	}
	return nil, false
}

// asProperty reads a property as Jest's matcher does, its name as one key but for nested ones.
func (c chai) asProperty(r reading, e expectation) (expr.Expr, bool) {
	if e.args[0].Form != js.NodeString || !c.flags["nested"] && strings.Contains(e.args[0].Text, ".") ||
		strings.Contains(e.args[0].Text, "[") {
		return nil, false
	}
	return r.meaningOf(e)
}

// state reads what compares with nothing.
func (c chai) state(r reading) (expr.Expr, bool) {
	as := func(matcher string) (expr.Expr, bool) {
		return r.meaningOf(expectation{subject: c.subject, matcher: matcher})
	}
	switch c.word {
	case "ok":
		return as("toBeTruthy")
	case "null":
		return as("toBeNull")
	case "undefined":
		return as("toBeUndefined")
	case "true", "false":
		return r.toBe(c.subject, &js.Node{Form: js.NodeName, Text: c.word})
	case "empty":
		x, ok := r.Meaning(c.subject)
		return expr.Cmp(expr.Len{X: x}, expr.Eq, expr.Int(0)), ok
	}
	return nil, false
}

// compared reads what compares with one thing.
func (c chai) compared(r reading) (expr.Expr, bool) {
	arg := c.args[0]
	as := func(matcher string) (expr.Expr, bool) {
		return r.meaningOf(expectation{subject: c.subject, matcher: matcher, args: c.args})
	}
	switch c.word {
	case "equal", "equals", "eq", "eql", "eqls":
		if deep := c.flags["deep"] || c.word == "eql" || c.word == "eqls"; deep {
			return as("toEqual")
		}
		return as("toBe")
	case "a", "an":
		x, ok := r.Meaning(c.subject)
		typed, known := expr.Typed(x, arg.Text)
		return typed, ok && known && arg.Form == js.NodeString
	case "include", "includes", "contain", "contains", "string":
		if arg.Form == js.NodeObject || arg.Form == js.NodeArray {
			return nil, false
		}
		return as("toContain")
	case "property":
		return c.asProperty(r, expectation{subject: c.subject, matcher: "toHaveProperty", args: c.args})
	case "lengthOf", "length":
		return as("toHaveLength")
	case "match", "matches":
		return as("toMatch")
	case "oneOf":
		x, ok := r.Meaning(c.subject)
		list, known := r.Meaning(arg)
		elems, isList := list.(expr.List)
		return expr.Cmp(x, expr.In, expr.Set(elems)), ok && known && isList
	case "members":
		return c.members(r)
	}
	if matcher, ok := map[string]string{"above": "toBeGreaterThan", "gt": "toBeGreaterThan", "greaterThan": "toBeGreaterThan",
		"below": "toBeLessThan", "lt": "toBeLessThan", "lessThan": "toBeLessThan", "least": "toBeGreaterThanOrEqual",
		"gte": "toBeGreaterThanOrEqual", "most": "toBeLessThanOrEqual", "lte": "toBeLessThanOrEqual"}[c.word]; ok {
		return as(matcher)
	}
	return nil, false
}

// members reads that an array has some elements, in any order, or them among others.
func (c chai) members(r reading) (expr.Expr, bool) {
	array, ok := r.Meaning(c.subject)
	wanted, known := r.Meaning(c.args[0])
	list, isList := wanted.(expr.List)
	switch {
	case !ok || !known || !isList || len(list.Elems) == 0:
		return nil, false
	case c.flags["ordered"]:
		return expr.Same(array, list), true
	case c.flags["include"] || c.flags["contain"]:
		var has []expr.Expr
		for _, e := range list.Elems {
			has = append(has, expr.Cmp(e, expr.In, array))
		}
		return expr.And{Xs: has}, true
	}
	return expr.SameItems{X: array, Y: list}, true
}

// saidByChai writes a statement in the words of Chai.
func saidByChai(v js.Verb, l, r string) string {
	if v == js.SaysOneOf {
		return "expect(" + r + ").to.include(" + l + ")"
	}
	e := "expect(" + l + ")"
	if said, ok := map[js.Verb]string{js.SaysDefined: ".to.not.equal(undefined)", js.SaysUndefined: ".to.equal(undefined)",
		js.SaysFilled: ".to.be.ok"}[v]; ok {
		return e + said
	}
	if word, ok := map[js.Verb]string{js.SaysItems: "to.have.members", js.SaysDeepItems: "to.have.deep.members",
		js.SaysAll: "to.include.deep.members", js.SaysEqual: "to.equal", js.SaysDeepEqual: "to.deep.equal",
		js.SaysDiffers: "to.not.equal", js.SaysDeepDiffer: "to.not.deep.equal", js.SaysContains: "to.include",
		js.SaysLacks: "to.not.include", js.SaysMatches: "to.match", js.SaysLess: "to.be.below", js.SaysAtMost: "to.be.at.most",
		js.SaysGreater: "to.be.above", js.SaysAtLeast: "to.be.at.least", js.SaysProperty: "to.have.property"}[v]; ok {
		return e + "." + word + "(" + r + ")"
	}
	if v == js.SaysType {
		return e + ".to.be.a(" + literal.JavaScript(r) + ")"
	}
	return e + ".to.equal(true)"
}

// assertOf reads a call of assert, of Node or of Chai.
func (r *follower) assertOf(n *js.Node) (claim, bool) {
	name, args := "", []*js.Node(nil)
	var by *js.Node
	if object, method, of := n.Method(); object != nil {
		by, name, args = object, method, of
	} else if n.Form == js.NodeCall {
		by, name, args = n.Args[0], "ok", n.Args[1:]
	}
	if by == nil || by.Form != js.NodeName || len(args) == 0 {
		return claim{}, false
	}
	switch module := r.file.modules[by.Text]; {
	case by.Text == "assert", module == "assert", module == "assert/strict", module == "power-assert":
	default:
		return claim{}, false
	}
	base := by.Text
	c := claim{subject: args[0], say: func(v js.Verb, l, r string) string { return saidByAssert(base, v, l, r) }}
	e := expectation{subject: args[0], args: args[1:min(len(args), 2)]}
	switch name {
	case "ok", "isOk", "isTrue":
		e.matcher, e.args = "toBeTruthy", nil
	case "isFalse":
		e.matcher, e.args = "toBeFalsy", nil
	case "isNull":
		e.matcher, e.args = "toBeNull", nil
	case "equal", "strictEqual", "deepEqual", "deepStrictEqual", "notEqual", "notStrictEqual", "notDeepStrictEqual", "notDeepEqual":
		if e.matcher = "toEqual"; strings.HasPrefix(name, "not") {
			e.words = []string{"not"}
		}
	case "match":
		e.matcher = "toMatch"
	case "include":
		e.matcher = "toContain"
	case "lengthOf":
		e.matcher = "toHaveLength"
	default:
		e.matcher = "?"
	}
	c.means = func(by *js.Reading) (expr.Expr, bool) { return reading{by}.meaningOf(e) }
	return c, true
}

// saidByAssert writes a statement by assert.
func saidByAssert(base string, v js.Verb, l, r string) string {
	call := func(name string) string { return base + "." + name + "(" + l + ", " + r + ")" }
	switch v {
	case js.SaysEqual:
		return call("strictEqual")
	case js.SaysDeepEqual:
		return call("deepStrictEqual")
	case js.SaysDiffers:
		return call("notStrictEqual")
	case js.SaysDeepDiffer:
		return call("notDeepStrictEqual")
	case js.SaysMatches:
		return call("match")
	case js.SaysItems, js.SaysDeepItems, js.SaysAll:
		return ""
	}
	conds := map[js.Verb]string{js.SaysOneOf: r + ".includes(" + l + ")", js.SaysContains: l + ".includes(" + r + ")",
		js.SaysLacks: "!" + l + ".includes(" + r + ")", js.SaysLess: l + " < " + r, js.SaysAtMost: l + " <= " + r,
		js.SaysGreater: l + " > " + r, js.SaysAtLeast: l + " >= " + r, js.SaysDefined: l + " !== undefined",
		js.SaysUndefined: l + " === undefined", js.SaysProperty: r + " in " + l, js.SaysFilled: l,
		js.SaysType: "typeof " + l + " === " + literal.JavaScript(r)}
	if r == "array" && v == js.SaysType {
		return base + ".ok(Array.isArray(" + l + "))"
	}
	cond, ok := conds[v]
	if !ok {
		cond = l
	}
	return base + ".ok(" + cond + ")"
}
