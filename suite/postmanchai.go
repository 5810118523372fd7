package suite

import (
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// chaiLink is a word of a chain of Chai's: to, not, above(3).
type chaiLink struct {
	word   string
	args   []*jsNode
	called bool
}

// chaiChain takes a chain apart: its subject, or that it is about the whole answer, and its words.
func chaiChain(n *jsNode) (subject *jsNode, response bool, links []chaiLink, ok bool) {
	for {
		switch {
		case n.form == nodeCall && n.args[0].form == nodeMember && !isExpect(n):
			links = append(links, chaiLink{n.args[0].text, n.args[1:], true})
			n = n.args[0].args[0]
		case n.form == nodeMember && n.text == "response" && n.args[0].is("pm"):
			for i, j := 0, len(links)-1; i < j; i, j = i+1, j-1 {
				links[i], links[j] = links[j], links[i]
			}
			return nil, true, links, len(links) > 1 && links[0].word == "to"
		case n.form == nodeMember:
			links = append(links, chaiLink{word: n.text})
			n = n.args[0]
		case isExpect(n):
			for i, j := 0, len(links)-1; i < j; i, j = i+1, j-1 {
				links[i], links[j] = links[j], links[i]
			}
			return n.args[1], false, links, len(links) > 0
		default:
			return nil, false, nil, false
		}
	}
}

// isExpect reports whether a node is pm.expect(x) or expect(x).
func isExpect(n *jsNode) bool {
	if n.form != nodeCall || len(n.args) < 2 {
		return false
	}
	object, name, _ := n.method()
	return n.args[0].is("expect") || object.is("pm") && name == "expect"
}

// chaiReading goes along a chain.
type chaiReading struct {
	*jsReading
	x        expr // the subject
	not      bool
	says     []expr
	relation exchange.Relation
}

// chai reads what a chain asserts, and the relation that it does so by, where "in" alone does not tell.
func (r *jsReading) chai(answer string, n *jsNode) (expr, exchange.Relation, bool) {
	subject, response, links, ok := chaiChain(n)
	if !ok {
		return nil, "", false
	}
	c := &chaiReading{jsReading: r}
	step := c.step
	if response {
		c.x = pyName{answer}
		step = c.answerStep
	} else if c.x, ok = r.meaning(subject); !ok {
		return nil, "", false
	}
	for i, l := range links {
		if !step(l, i+1 == len(links)) {
			return nil, "", false
		}
	}
	switch len(c.says) {
	case 0:
		return nil, "", false
	case 1:
		return c.says[0], c.relation, true
	}
	return pyBool{"and", c.says}, "", true
}

// say notes an assertion, or its opposite.
func (c *chaiReading) say(x expr) bool {
	if c.not {
		if in, ok := x.(pyCompare); ok && in.ops[0] == "in" && c.relation == "" {
			x = pyUnary{"not", x}
		} else {
			x = unless(x)
		}
	}
	c.says = append(c.says, x)
	return true
}

// step reads one word about a value.
func (c *chaiReading) step(l chaiLink, last bool) bool {
	switch l.word {
	case "to", "be", "been", "is", "that", "which", "and", "has", "have", "with", "at", "of", "same", "but", "does", "still",
		"also", "deep":
		return !l.called
	case "not":
		c.not = !c.not
		return true
	case "length", "lengthOf":
		size := pyCall{fn: pyName{"length"}, args: []expr{c.x}}
		if !l.called {
			c.x = size
			return !last
		}
		return c.compare(size, "==", l)
	}
	if l.called {
		return c.calledStep(l)
	}
	switch l.word {
	case "true", "false":
		return c.say(sameAs(c.x, pyName{strings.ToUpper(l.word[:1]) + l.word[1:]}))
	case "null":
		return c.say(sameAs(c.x, pyName{"None"}))
	case "undefined":
		x, ok := missing(c.x)
		c.relation = exchange.Present
		return ok && c.say(x)
	case "ok":
		falsy := pySeq{tuple: true, elems: []expr{pyName{"None"}, pyName{"False"}, pyNum{"0"}, pyStr{""}}}
		return !c.not && c.say(pyCompare{c.x, []string{"not in"}, []expr{falsy}})
	case "empty":
		return c.say(pyCompare{pyCall{fn: pyName{"len"}, args: []expr{c.x}}, []string{"=="}, []expr{pyNum{"0"}}})
	case "exist":
		x, ok := missing(c.x)
		null := sameAs(c.x, pyName{"None"})
		if c.not {
			c.says = append(c.says, pyBool{"or", []expr{x, null}})
			return ok
		}
		c.says = append(c.says, negated(x), negated(null))
		return ok
	}
	return false
}

// compare says how a value compares with the argument of a word.
func (c *chaiReading) compare(x expr, op string, l chaiLink) bool {
	if len(l.args) == 0 {
		return false
	}
	y, ok := c.meaning(l.args[0])
	if op == "==" {
		return ok && c.say(sameAs(x, y))
	}
	return ok && c.say(pyCompare{x, []string{op}, []expr{y}})
}

// calledStep reads the words that take something.
func (c *chaiReading) calledStep(l chaiLink) bool {
	if len(l.args) == 0 {
		return false
	}
	switch l.word {
	case "equal", "equals", "eq", "eql", "eqls":
		return c.compare(c.x, "==", l)
	case "above", "gt", "greaterThan":
		return c.compare(c.x, ">", l)
	case "below", "lt", "lessThan":
		return c.compare(c.x, "<", l)
	case "least", "gte", "greaterThanOrEqual":
		return c.compare(c.x, ">=", l)
	case "most", "lte", "lessThanOrEqual":
		return c.compare(c.x, "<=", l)
	case "a", "an":
		name := l.args[0].text
		if name == "object" {
			name = "dict"
		}
		x, ok := jsTyped(c.x, name)
		return ok && l.args[0].form == nodeString && c.say(x)
	case "match", "matches":
		x, ok := c.meaning(c.pattern(l.args[0]))
		return ok && c.say(x)
	case "property":
		return c.property(l)
	case "within":
		if len(l.args) == 2 {
			lo, okLo := c.meaning(l.args[0])
			hi, okHi := c.meaning(l.args[1])
			return okLo && okHi && c.say(pyCompare{lo, []string{"<=", "<="}, []expr{c.x, hi}})
		}
	case "include", "includes", "contain", "contains", "string":
		y, ok := c.meaning(l.args[0])
		_, isDict := y.(pyDict)
		return ok && !isDict && c.say(pyCompare{y, []string{"in"}, []expr{c.x}})
	case "oneOf":
		y, ok := c.meaning(l.args[0])
		seq, isSeq := y.(pySeq)
		return ok && isSeq && c.say(pyCompare{c.x, []string{"in"}, []expr{pySeq{true, seq.elems}}})
	}
	return false
}

// pattern is the call of a regular expression's test, with the subject as it was read.
func (c *chaiReading) pattern(re *jsNode) *jsNode {
	c.aliases["\x00subject"] = c.x
	test := &jsNode{form: nodeMember, text: "test", args: []*jsNode{re}}
	return &jsNode{form: nodeCall, args: []*jsNode{test, {form: nodeName, text: "\x00subject"}}}
}

// property reads have.property("a") and have.property("a", 1); what follows is about the member.
func (c *chaiReading) property(l chaiLink) bool {
	key, ok := c.text(l.args, 0)
	if !ok {
		return false
	}
	of := c.x
	c.x = pyIndex{of, key}
	if len(l.args) > 1 {
		y, ok := c.meaning(l.args[1])
		return ok && c.say(sameAs(c.x, y))
	}
	c.relation = exchange.Present
	return c.say(pyCompare{key, []string{"in"}, []expr{of}})
}

// answerStep reads one word about the whole answer: pm.response.to.have.status(200).
func (c *chaiReading) answerStep(l chaiLink, last bool) bool {
	status := pyAttr{c.x, "status_code"}
	between := func(lo, hi string) bool {
		return c.say(pyCompare{pyNum{lo}, []string{"<=", "<="}, []expr{status, pyNum{hi}}})
	}
	if codes := map[string]string{"accepted": "202", "badRequest": "400", "unauthorized": "401", "forbidden": "403", "notFound": "404", "rateLimited": "429"}; codes[l.word] != "" {
		return c.say(pyCompare{status, []string{"=="}, []expr{pyNum{codes[l.word]}}})
	}
	switch l.word {
	case "to", "be", "have", "and", "not":
		return c.step(l, last)
	case "ok", "success":
		return between("200", "299")
	case "info":
		return between("100", "199")
	case "redirection":
		return between("300", "399")
	case "clientError":
		return between("400", "499")
	case "serverError":
		return between("500", "599")
	case "error":
		return between("400", "599")
	case "json":
		return c.say(pyCompare{pyStr{"json"}, []string{"in"}, []expr{pyIndex{pyAttr{c.x, "headers"}, pyStr{"content-type"}}}})
	case "status":
		return len(l.args) == 1 && l.args[0].form == nodeNumber && c.compare(status, "==", l)
	case "body":
		return len(l.args) == 1 && c.compare(pyAttr{c.x, "text"}, "==", l)
	case "header":
		key, ok := c.text(l.args, 0)
		if !ok {
			return false
		}
		name := pyStr{strings.ToLower(key.(pyStr).s)}
		if len(l.args) == 2 {
			return c.compare(pyIndex{pyAttr{c.x, "headers"}, name}, "==", chaiLink{args: l.args[1:]})
		}
		c.relation = exchange.Present
		return c.say(pyCompare{name, []string{"in"}, []expr{pyAttr{c.x, "headers"}}})
	case "jsonBody":
		return c.jsonBody(l)
	}
	return false
}

// jsonBody reads to.have.jsonBody("a"), with or without a value.
func (c *chaiReading) jsonBody(l chaiLink) bool {
	body := pyCall{fn: pyAttr{c.x, "json"}}
	key, ok := c.text(l.args, 0)
	if !ok || strings.ContainsAny(key.(pyStr).s, ".[") {
		return false
	}
	if len(l.args) > 1 {
		y, ok := c.meaning(l.args[1])
		return ok && c.say(sameAs(pyIndex{body, key}, y))
	}
	c.relation = exchange.Present
	return c.say(pyCompare{key, []string{"in"}, []expr{body}})
}

// chaiSays writes one of Chai's assertions.
func chaiSays(v jsVerb, l, r string) string {
	e := "pm.expect(" + l + ").to."
	switch v {
	case saysEqual:
		return e + "equal(" + r + ")"
	case saysDeepEqual:
		return e + "eql(" + r + ")"
	case saysDiffers:
		return e + "not.equal(" + r + ")"
	case saysDeepDiffer:
		return e + "not.eql(" + r + ")"
	case saysOneOf:
		return e + "be.oneOf(" + r + ")"
	case saysContains:
		return e + "include(" + r + ")"
	case saysLacks:
		return e + "not.include(" + r + ")"
	case saysMatches:
		return e + `be.a("string").that.matches(` + r + ")"
	case saysLess:
		return e + "be.below(" + r + ")"
	case saysAtMost:
		return e + "be.at.most(" + r + ")"
	case saysGreater:
		return e + "be.above(" + r + ")"
	case saysAtLeast:
		return e + "be.at.least(" + r + ")"
	case saysFilled:
		return e + "be.ok"
	case saysDefined:
		return e + "not.be.undefined"
	case saysUndefined:
		return e + "be.undefined"
	case saysProperty:
		return e + "have.property(" + r + ")"
	case saysType:
		return e + "be.a(" + jsQuoted(r) + ")"
	}
	return e + "be.true"
}
