package suite

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
)

// jestTest reads the body of one test.
type jestTest struct {
	*jestReader
	test     *Test
	reading  *jsReading
	assigned map[string]bool
	local    map[string]string  // names that are texts
	answers  map[*jsNode]string // chains of calls that send a request, and the variables that have the answers
}

// jestContext is what a statement stands in.
type jestContext struct {
	condition bool // it may not be come to
	guarded   bool // in a try that catches
	depth     int
}

func (v *jestTest) block(b jsBlock, in jestContext) {
	if in.depth++; in.depth > maxNested {
		return
	}
	for p := v.parser(b); p.pos < p.end; {
		v.statement(p.statement(), in)
	}
}

func (v *jestTest) statement(st jsStatement, in jestContext) {
	under := in
	under.condition = true
	switch st.keyword {
	case "", "return":
		if st.x != nil {
			v.expression(st, st.x, in)
		}
	case "const", "let", "var":
		for i, name := range st.names {
			v.assign(st, name, st.values[i], in)
		}
		for _, x := range st.taken {
			v.send(st, x, "", in)
		}
	case "{":
		v.block(st.blocks[0], in)
	case "if":
		if v.conditional(st, in) {
			return
		}
		for _, b := range st.blocks {
			v.block(b, under)
		}
	case "try":
		tried := in
		tried.guarded = in.guarded || st.blocks[1].to > 0
		v.block(st.blocks[0], tried)
		v.block(st.blocks[1], under)
		v.block(st.blocks[2], in)
	case "for", "while", "do", "with":
		for _, b := range st.blocks {
			v.block(b, under)
		}
	default:
		v.unread(st)
	}
}

// unread notes the assertions of a statement that is not read.
func (v *jestTest) unread(st jsStatement) {
	for i := st.first; i+1 < st.last; i++ {
		if v.tokens[i].is("expect") && v.tokens[i+1].is("(") {
			a := v.note(v.spanOf(st.first, st.last))
			a.Reason = "it stands in code that is not read"
			return
		}
	}
}

// note adds an assertion to the test.
func (v *jestTest) note(at span) *Assertion {
	a := &Assertion{Text: v.script.text[at.start:at.end], at: at}
	a.File, a.Line, a.Test = v.script.File, at.first, v.test.Name
	a.ours = v.script.commented(at.first)
	v.test.Assertions = append(v.test.Assertions, a)
	return a
}

// expression reads an expression that stands for itself.
func (v *jestTest) expression(st jsStatement, x *jsNode, in jestContext) {
	if e, ok := expectationOf(x); ok {
		in.guarded = in.guarded || e.has("rejects")
		sent := v.send(st, e.subject, "", in)
		if sent && e.has("rejects") {
			return // the call was noted as one that is to fail
		}
		v.assertion(v.spanOf(st.first, st.last), e, in, nil)
		return
	}
	if x.form == nodeBinary && x.text == "=" && x.args[0].form == nodeName {
		v.assign(st, x.args[0].text, x.args[1], in)
		return
	}
	if !v.send(st, x, "", in) {
		v.unread(st)
	}
}

// assertion reads what an expectation asserts, where guards are false.
func (v *jestTest) assertion(at span, e expectation, in jestContext, guards []expr.Expr) {
	a := v.note(at)
	x, ok := v.reading.jestMeaning(e)
	switch {
	case in.condition:
		a.Reason = underCondition
	case !ok:
		a.Reason = "it asserts in a way that is not known"
	}
	if !ok {
		return
	}
	a.x = x
	if len(guards) > 0 {
		a.x = expr.Or{Xs: append(slices.Clone(guards), x)}
		return
	}
	a.Relation = e.relation()
	if in.condition || !(claims{v.test}).any(a, x) {
		a.Relation, a.Place, a.Value, a.Call = "", "", "", 0
	}
}

// conditional reads if (…) expect(…)…; where it is clear what that says, and reports whether it is.
func (v *jestTest) conditional(st jsStatement, in jestContext) bool {
	if len(st.blocks) != 1 || st.x == nil || in.condition {
		return false
	}
	var says []jsStatement
	for p := v.parser(st.blocks[0]); p.pos < p.end; {
		inner := p.statement()
		if inner.keyword != "" || inner.x == nil {
			return false
		}
		if e, ok := expectationOf(inner.x); !ok || len(v.chains(e.subject, nil)) > 0 {
			return false
		}
		says = append(says, inner)
	}
	cond, ok := v.reading.truth(st.x)
	if !ok || len(says) == 0 {
		return false
	}
	guards := opposites(cond)
	for _, inner := range says {
		at := v.spanOf(inner.first, inner.last)
		if len(says) == 1 {
			at = v.spanOf(st.first, st.last)
		}
		e, _ := expectationOf(inner.x)
		v.assertion(at, e, in, guards)
	}
	return true
}

// opposites lists conditions of which one is true where x is false.
func opposites(x expr.Expr) []expr.Expr {
	and, ok := x.(expr.And)
	if !ok {
		return []expr.Expr{expr.Negate(x)}
	}
	var out []expr.Expr
	for _, e := range and.Xs {
		out = append(out, expr.Negate(e))
	}
	return out
}

// assign reads name = value.
func (v *jestTest) assign(st jsStatement, name string, value *jsNode, in jestContext) {
	v.assigned[name] = true
	if value == nil {
		return
	}
	for value.form == nodeUnary && value.text == "await" {
		value = value.args[0]
	}
	if v.local == nil {
		v.local = map[string]string{}
	}
	delete(v.local, name)
	if v.send(st, value, name, in) && v.answers[value] == name {
		delete(v.reading.aliases, name)
		return
	}
	if text := v.text(value, v.local); !strings.Contains(text, "\x00") {
		v.local[name] = text
	}
	v.take(v.spanOf(st.first, st.last), name, value)
}

// take notes a variable that is taken from answers.
func (v *jestTest) take(at span, name string, value *jsNode) {
	x, ok := v.reading.meaning(value)
	delete(v.reading.aliases, name)
	if !ok {
		v.reading.aliases[name] = nil
		return
	}
	if i, isIndex := x.(expr.Index); isIndex {
		if !expr.IsTextual(i) {
			v.reading.aliases[name] = x
		}
		if _, isKey := i.I.(expr.Str); isKey { // what is not there is undefined
			x = expr.Get{X: i.X, Key: i.I}
		}
	} else if _, isPart := x.(expr.Answer); isPart {
		v.reading.aliases[name] = x
	}
	v.test.takings = append(v.test.takings, taking{name, x, at})
}

// own reads the parts of answers as superagent names them, and the generator's helpers.
func (v *jestTest) own(n *jsNode) (expr.Expr, bool) {
	if name, ok := v.answers[n]; ok && name != "" {
		return expr.Name{ID: name}, true
	}
	if object, name, args := n.method(); object != nil {
		switch {
		case object.is("EM") && name == "isValidURIorEmpty" && len(args) == 1:
			x, ok := v.reading.meaning(args[0])
			return expr.IsURI{X: x}, ok
		case name == "get" && len(args) == 1 && args[0].form == nodeString:
			if of, ok := v.answer(object); ok {
				return expr.Header(of, strings.ToLower(args[0].text)), true
			}
		}
		return nil, false
	}
	if n.form == nodeMember {
		if of, ok := v.answer(n.args[0]); ok {
			switch n.text {
			case "status", "statusCode":
				return expr.Answer{Var: of, Part: expr.Status}, true
			case "body":
				return expr.Answer{Var: of, Part: expr.JSON}, true
			case "text":
				return expr.Answer{Var: of, Part: expr.Text}, true
			}
			return nil, false
		}
	}
	return v.header(n)
}

// header reads res_0.header["x"].
func (v *jestTest) header(n *jsNode) (expr.Expr, bool) {
	if n.form != nodeIndex && n.form != nodeMember {
		return nil, false
	}
	headers := n.args[0]
	if headers.form != nodeMember || headers.text != "header" && headers.text != "headers" {
		return nil, false
	}
	of, ok := v.answer(headers.args[0])
	key := n.text
	if n.form == nodeIndex {
		ok = ok && n.args[1].form == nodeString
		key = n.args[1].text
	}
	return expr.Header(of, strings.ToLower(key)), ok
}

// answer returns the variable of an answer.
func (v *jestTest) answer(n *jsNode) (string, bool) {
	for n.form == nodeUnary && n.text == "await" {
		n = n.args[0]
	}
	name := n.text
	if n.form != nodeName {
		name = v.answers[n]
	} else if x, ok := v.reading.aliases[name]; ok {
		alias, _ := x.(expr.Name)
		name = alias.ID
	}
	for _, c := range v.test.Calls {
		if c.Var == name {
			return name, true
		}
	}
	return "", false
}
