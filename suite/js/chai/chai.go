package chai

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/js"
)

// link is a word of a chain of Chai's: to, not, above(3).
type link struct {
	word   string
	args   []*js.Node
	called bool
}

// taken takes a chain apart: its subject, nil where it is about the answer of pm.response, and its words.
func taken(n *js.Node) (subject *js.Node, links []link, ok bool) {
	defer func() { slices.Reverse(links) }()
	for {
		switch {
		case n.Form == js.NodeCall && n.Args[0].Form == js.NodeMember && !isExpect(n):
			links = append(links, link{n.Args[0].Text, n.Args[1:], true})
			n = n.Args[0].Args[0]
		case n.Form == js.NodeMember && n.Text == "response" && n.Args[0].Is("pm"):
			return nil, links, len(links) > 1 && links[len(links)-1].word == "to"
		case n.Form == js.NodeMember && n.Text == "should":
			return n.Args[0], append(links, link{word: "to"}), len(links) > 0
		case n.Form == js.NodeMember:
			links = append(links, link{word: n.Text})
			n = n.Args[0]
		case isExpect(n):
			return n.Args[1], links, len(links) > 0
		default:
			return nil, nil, false
		}
	}
}

// isExpect reports whether a node is pm.expect(x) or expect(x).
func isExpect(n *js.Node) bool {
	if n.Form != js.NodeCall || len(n.Args) < 2 {
		return false
	}
	object, name, _ := n.Method()
	return n.Args[0].Is("expect") || object.Is("pm") && name == "expect"
}

// reading goes along a chain.
type reading struct {
	*js.Reading
	answer   string    // the variable of the answer
	x        expr.Expr // the subject; nil where that is the whole answer
	not      bool
	some     bool // what is listed need not be all
	deep     bool // elements are equal where their members are
	truth    bool // only whether the subject is taken for true is asked
	sorted   bool // the subject is sorted before it is compared, as by says
	by       js.Order
	text     *js.Node // the subject, where that is a text that is made of a list
	says     []expr.Expr
	relation exchange.Relation
}

// Chain is an assertion that is taken apart.
type Chain struct {
	Subject *js.Node // nil where that is an answer as a whole
	links   []link
}

// ChainOf takes an assertion by expect, pm.expect or pm.response apart; false where it is none.
func ChainOf(n *js.Node) (Chain, bool) {
	subject, links, ok := taken(n)
	return Chain{subject, links}, ok
}

// Joined reports whether a chain has words that only join others, as those of Jest's expect never have.
func (a Chain) Joined() bool {
	return slices.ContainsFunc(a.links, func(l link) bool { return joins(l.word) })
}

// joins reports whether a word only joins the others.
func joins(word string) bool {
	switch word {
	case "to", "be", "been", "is", "that", "which", "and", "has", "have", "with", "at", "of", "same", "but", "does", "still",
		"also":
		return true
	}
	return false
}

// Read reads what a chain asserts, and the relation that it does so by, where "in" alone does not tell. answer is the
// variable of the answer that a chain without a subject speaks of.
func (a Chain) Read(r *js.Reading, answer string) (expr.Expr, exchange.Relation, bool) {
	c := &reading{Reading: r, answer: answer}
	step := c.step
	if a.Subject == nil {
		step = c.answerStep
	} else if c.x, c.by, c.sorted = r.Sorted(a.Subject); c.sorted {
		step = c.sortedStep
	} else if x, ok := r.Meaning(a.Subject); ok {
		c.x = x
	} else {
		c.text, step = a.Subject, c.joinedStep
	}
	for i, l := range a.links {
		if !step(l, i+1 == len(a.links)) {
			return nil, "", false
		}
	}
	switch len(c.says) {
	case 0:
		return nil, "", false
	case 1:
		return c.says[0], c.relation, true
	}
	return expr.And{Xs: c.says}, "", true
}

// say notes an assertion, or its opposite.
func (c *reading) say(x expr.Expr) bool {
	if c.not {
		if in, ok := x.(expr.Compare); ok && in.Op == expr.In && c.relation == "" {
			x = expr.Not{X: x}
		} else if in.Op == expr.Eq && ok || isOfType(x) || c.truth {
			x = js.Opposite(x)
		} else {
			x = expr.Unless(x)
		}
	}
	c.says = append(c.says, x)
	return true
}

// isOfType reports whether a condition asks for a type.
func isOfType(x expr.Expr) bool {
	_, ok := expr.Last(x).(expr.IsType)
	not, _ := expr.Last(x).(expr.Not)
	_, notOther := not.X.(expr.IsType)
	return ok || notOther
}

// step reads one word about a value.
func (c *reading) step(l link, last bool) bool {
	if joins(l.word) {
		return !l.called
	}
	switch l.word {
	case "all":
		return !l.called
	case "any", "contains", "contain", "include", "includes":
		if !l.called {
			c.some = true // what follows need not be all
			return true
		}
	case "deep":
		c.deep = true
		return !l.called
	case "not":
		c.not = !c.not
		return true
	case "length", "lengthOf":
		size := expr.Length{X: c.x}
		if !l.called {
			c.x = size
			return !last
		}
		return c.compare(size, expr.Eq, l)
	}
	if l.called {
		return c.calledStep(l)
	}
	switch l.word {
	case "true", "false":
		return c.say(expr.Same(c.x, expr.Bool{Value: l.word == "true"}))
	case "null":
		return c.say(expr.Same(c.x, expr.Null{}))
	case "undefined":
		x, ok := expr.Missing(c.x)
		c.relation = exchange.Present
		return ok && c.say(x)
	case "ok":
		c.truth = true
		return c.say(expr.Cmp(c.x, expr.NotIn, expr.Falsy()))
	case "empty":
		return c.say(expr.Cmp(expr.Len{X: c.x}, expr.Eq, expr.Num{Text: "0"}))
	case "exist":
		x, ok := expr.Missing(c.x)
		null := expr.Same(c.x, expr.Null{})
		if c.not {
			c.says = append(c.says, expr.Or{Xs: []expr.Expr{x, null}})
			return ok
		}
		c.says = append(c.says, expr.Negate(x), expr.Negate(null))
		return ok
	}
	return false
}

// sortedStep reads one word about an array that is sorted: that it is a list that is written out.
func (c *reading) sortedStep(l link, last bool) bool {
	switch l.word {
	case "equal", "equals", "eq":
		if !c.deep {
			return false
		}
	case "eql", "eqls":
	default:
		return !l.called && c.step(l, last)
	}
	if len(l.args) == 0 {
		return false
	}
	list, ok := c.Meaning(l.args[0])
	same, known := js.SortedAs(c.x, c.by, list)
	return ok && known && c.say(same)
}

// compare says how a value compares with the argument of a word.
func (c *reading) compare(x expr.Expr, op expr.Op, l link) bool {
	if len(l.args) == 0 {
		return false
	}
	y, ok := c.Meaning(l.args[0])
	if op == expr.Eq {
		return ok && c.say(expr.Same(x, y))
	}
	return ok && c.say(expr.Cmp(x, op, y))
}

// calledStep reads the words that take something.
func (c *reading) calledStep(l link) bool {
	if len(l.args) == 0 {
		return false
	}
	switch l.word {
	case "equal", "equals", "eq":
		made := l.args[0].Form == js.NodeArray || l.args[0].Form == js.NodeObject
		return (c.deep || !made) && c.compare(c.x, expr.Eq, l) // but in depth, nothing is what is made anew
	case "eql", "eqls":
		return c.compare(c.x, expr.Eq, l)
	case "above", "gt", "greaterThan":
		return c.compare(c.x, expr.Gt, l)
	case "below", "lt", "lessThan":
		return c.compare(c.x, expr.Lt, l)
	case "least", "gte", "greaterThanOrEqual":
		return c.compare(c.x, expr.Ge, l)
	case "most", "lte", "lessThanOrEqual":
		return c.compare(c.x, expr.Le, l)
	case "a", "an":
		name := l.args[0].Text
		if name == "object" {
			name = "dict"
		}
		x, ok := expr.Typed(c.x, name)
		return ok && l.args[0].Form == js.NodeString && c.say(x)
	case "match", "matches":
		x, ok := c.Meaning(c.pattern(l.args[0]))
		return ok && c.say(x)
	case "closeTo", "approximately":
		if len(l.args) < 2 || c.not {
			return false
		}
		y, ok := c.Meaning(l.args[0])
		delta, known := c.Meaning(l.args[1])
		near, written := expr.Near(c.x, y, delta)
		return ok && known && written && c.say(near)
	case "property":
		return c.property(l)
	case "within":
		if len(l.args) == 2 {
			lo, okLo := c.Meaning(l.args[0])
			hi, okHi := c.Meaning(l.args[1])
			return okLo && okHi && c.say(expr.Between{Low: lo, X: c.x, High: hi})
		}
	case "include", "includes", "contain", "contains", "string":
		y, ok := c.Meaning(l.args[0])
		if dict, isDict := y.(expr.Object); isDict {
			return ok && c.among(dict)
		}
		return ok && c.say(expr.Cmp(y, expr.In, c.x))
	case "members":
		return c.members(l)
	case "keys":
		return c.keys(l)
	case "oneOf":
		y, ok := c.Meaning(l.args[0])
		list, isList := y.(expr.List)
		return ok && isList && c.say(expr.Cmp(c.x, expr.In, expr.Set(list)))
	}
	return false
}

// among reads that an object has some members of some values; what these are made of is the same only where the chain
// says deep.
func (c *reading) among(of expr.Object) bool {
	if c.not || len(of.Keys) == 0 {
		return false
	}
	for i, key := range of.Keys {
		if !c.deep && expr.IsComposite(of.Values[i]) {
			return false
		}
		c.says = append(c.says, expr.Same(expr.Index{X: c.x, I: expr.Str{Value: key}}, of.Values[i]))
	}
	return true
}

// keys reads have.all.keys("a", "b"): these members, and no others.
func (c *reading) keys(l link) bool {
	if c.not || c.some {
		return false
	}
	args := l.args
	if len(args) == 1 && args[0].Form == js.NodeArray {
		args = args[0].Args
	}
	c.says = append(c.says, expr.Cmp(expr.Len{X: c.x}, expr.Eq, expr.Int(len(args))))
	for _, a := range args {
		if a.Form != js.NodeString {
			return false
		}
		c.says = append(c.says, expr.Cmp(expr.Str{Value: a.Text}, expr.In, c.x))
	}
	return true
}

// members reads have.members([1, 2]): the array has these elements in any order, each as often as it is listed. Objects
// are compared by their members where the chain says deep; else none is the same as another.
func (c *reading) members(l link) bool {
	y, ok := c.Meaning(l.args[0])
	list, isList := y.(expr.List)
	if !ok || !isList || c.not || c.some || !c.deep && slices.ContainsFunc(list.Elems, expr.IsComposite) {
		return false
	}
	c.says = append(c.says, expr.SameItems{X: c.x, Y: list})
	return true
}

// pattern is the call of a regular expression's test, with the subject as it was read.
func (c *reading) pattern(re *js.Node) *js.Node {
	c.Aliases["\x00subject"] = c.x
	test := &js.Node{Form: js.NodeMember, Text: "test", Args: []*js.Node{re}}
	return &js.Node{Form: js.NodeCall, Args: []*js.Node{test, {Form: js.NodeName, Text: "\x00subject"}}}
}

// property reads have.property("a") and have.property("a", 1); what follows is about the member.
func (c *reading) property(l link) bool {
	key, ok := c.Text(l.args, 0)
	if !ok {
		return false
	}
	of := c.x
	c.x = expr.Index{X: of, I: key}
	if len(l.args) > 1 {
		y, ok := c.Meaning(l.args[1])
		return ok && c.say(expr.Same(c.x, y))
	}
	c.relation = exchange.Present
	return c.say(expr.Cmp(key, expr.In, of))
}

// answerStep reads one word about the whole answer: pm.response.to.have.status(200).
func (c *reading) answerStep(l link, last bool) bool {
	status := expr.Answer{Var: c.answer, Part: expr.Status}
	headers := expr.Answer{Var: c.answer, Part: expr.Headers}
	between := func(lo, hi string) bool {
		return c.say(expr.Between{Low: expr.Num{Text: lo}, X: status, High: expr.Num{Text: hi}})
	}
	if codes := map[string]string{"accepted": "202", "badRequest": "400", "unauthorized": "401", "forbidden": "403",
		"notFound": "404", "rateLimited": "429"}; codes[l.word] != "" {
		return c.say(expr.Cmp(status, expr.Eq, expr.Num{Text: codes[l.word]}))
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
		return c.say(expr.Cmp(expr.Str{Value: "json"}, expr.In, expr.Header(c.answer, "content-type")))
	case "property":
		key, ok := c.Text(l.args, 0)
		if name, _ := key.(expr.Str); ok && len(l.args) == 2 && (name.Value == "status" || name.Value == "statusCode") {
			return c.compare(status, expr.Eq, link{args: l.args[1:]})
		}
	case "status":
		return len(l.args) == 1 && l.args[0].Form == js.NodeNumber && c.compare(status, expr.Eq, l)
	case "body":
		return len(l.args) == 1 && c.compare(expr.Answer{Var: c.answer, Part: expr.Text}, expr.Eq, l)
	case "header":
		key, ok := c.Text(l.args, 0)
		if !ok {
			return false
		}
		name := expr.Str{Value: strings.ToLower(key.(expr.Str).Value)}
		if len(l.args) == 2 {
			return c.compare(expr.Index{X: headers, I: name}, expr.Eq, link{args: l.args[1:]})
		}
		c.relation = exchange.Present
		return c.say(expr.Cmp(name, expr.In, headers))
	case "jsonBody":
		return c.jsonBody(l)
	}
	return false
}

// jsonBody reads to.have.jsonBody("a"), with or without a value.
func (c *reading) jsonBody(l link) bool {
	body := expr.Answer{Var: c.answer, Part: expr.JSON}
	key, ok := c.Text(l.args, 0)
	if !ok || strings.ContainsAny(key.(expr.Str).Value, ".[") {
		return false
	}
	if len(l.args) > 1 {
		y, ok := c.Meaning(l.args[1])
		return ok && c.say(expr.Same(expr.Index{X: body, I: key}, y))
	}
	c.relation = exchange.Present
	return c.say(expr.Cmp(key, expr.In, body))
}

// Says writes one of Chai's assertions by the function that is called expect there.
func Says(expect string, v js.Verb, l, r string) string {
	e := expect + "(" + l + ").to."
	switch v {
	case js.SaysEqual:
		return e + "equal(" + r + ")"
	case js.SaysDeepEqual:
		return e + "eql(" + r + ")"
	case js.SaysDiffers:
		return e + "not.equal(" + r + ")"
	case js.SaysDeepDiffer:
		return e + "not.eql(" + r + ")"
	case js.SaysOneOf:
		return e + "be.oneOf(" + r + ")"
	case js.SaysContains:
		return e + "include(" + r + ")"
	case js.SaysDeepContains:
		return "" // deep.include of an array is not read
	case js.SaysLacks:
		return e + "not.include(" + r + ")"
	case js.SaysMatches:
		return e + `be.a("string").that.matches(` + r + ")"
	case js.SaysLess:
		return e + "be.below(" + r + ")"
	case js.SaysAtMost:
		return e + "be.at.most(" + r + ")"
	case js.SaysGreater:
		return e + "be.above(" + r + ")"
	case js.SaysAtLeast:
		return e + "be.at.least(" + r + ")"
	case js.SaysItems:
		return e + "have.members(" + r + ")"
	case js.SaysDeepItems:
		return e + "have.deep.members(" + r + ")"
	case js.SaysFilled:
		return e + "be.ok"
	case js.SaysDefined:
		return e + "not.be.undefined"
	case js.SaysUndefined:
		return e + "be.undefined"
	case js.SaysProperty:
		return e + "have.property(" + r + ")"
	case js.SaysType:
		return e + "be.a(" + literal.JavaScript(r) + ")"
	}
	return e + "be.true"
}
