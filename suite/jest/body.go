package jest

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/js/expect"
	"github.com/flaketap/flaketap/suite/script"
)

// testReading reads the body of one test.
type testReading struct {
	*reader
	test     *script.Test
	reading  *js.Reading
	assigned map[string]bool
	local    map[string]string   // names that are texts
	answers  map[*js.Node]string // chains of calls that send a request, and the variables that have the answers
}

func (v *testReading) block(b js.Block, in js.Context) {
	if in.Depth++; in.Depth > js.MaxNested {
		return
	}
	for p := v.parser(b); p.Pos < p.End; {
		st := p.Statement()
		v.statement(st, in)
		v.reading.After(st)
	}
}

func (v *testReading) statement(st js.Statement, in js.Context) {
	under := in
	under.Condition = true
	switch st.Keyword {
	case "", "return":
		if st.X != nil {
			v.expression(st, st.X, in)
		}
	case "const", "let", "var":
		for i, name := range st.Names {
			v.assign(st, name, st.Values[i], in)
		}
		for _, x := range st.Taken {
			v.send(st, x, "", in)
		}
	case "{":
		v.block(st.Blocks[0], in)
	case "if":
		if v.conditional(st, in) {
			return
		}
		for _, b := range st.Blocks {
			v.block(b, under)
		}
	case "try":
		tried := in
		tried.Guarded = in.Guarded || st.Blocks[1].To > 0
		v.block(st.Blocks[0], tried)
		v.block(st.Blocks[1], under)
		v.block(st.Blocks[2], in)
	case "for", "while", "do", "with":
		for _, b := range st.Blocks {
			v.block(b, under)
		}
	default:
		v.unread(st)
	}
}

// unread notes the assertions of a statement that is not read.
func (v *testReading) unread(st js.Statement) {
	for i := st.First; i+1 < st.Last; i++ {
		if v.tokens[i].Is("expect") && v.tokens[i+1].Is("(") {
			a := v.note(v.spanOf(st.First, st.Last))
			a.Reason = "it is in code that flaketap does not read"
			return
		}
	}
}

// note adds an assertion to the test.
func (v *testReading) note(at script.Span) *script.Assertion {
	a := &script.Assertion{Text: v.script.Text[at.Start:at.End], At: at}
	a.File, a.Line, a.Test = v.script.File, at.FirstLine, v.test.Name
	a.Ours = v.script.Commented(at.FirstLine)
	v.test.Assertions = append(v.test.Assertions, a)
	return a
}

// expression reads an expression that stands for itself.
func (v *testReading) expression(st js.Statement, x *js.Node, in js.Context) {
	if e, ok := expect.Of(x); ok {
		in.Guarded = in.Guarded || e.Has("rejects")
		sent := v.send(st, e.Subject, "", in)
		if sent && e.Has("rejects") {
			return // the call was noted as one that is to fail
		}
		v.assertion(v.spanOf(st.First, st.Last), e, in, nil)
		return
	}
	if x.Form == js.NodeBinary && x.Text == "=" && x.Args[0].Form == js.NodeName {
		v.assign(st, x.Args[0].Text, x.Args[1], in)
		return
	}
	if !v.send(st, x, "", in) {
		v.unread(st)
	}
}

// assertion reads what an expect.Expectation asserts, where guards are false.
func (v *testReading) assertion(at script.Span, e expect.Expectation, in js.Context, guards []expr.Expr) {
	a := v.note(at)
	x, ok := expect.Meaning(v.reading, e)
	switch {
	case in.Condition:
		a.Reason = script.UnderCondition
	case !ok:
		a.Reason = "it asserts in an unknown way"
	}
	if !ok {
		return
	}
	a.Meaning = x
	if len(guards) > 0 {
		a.Meaning = expr.Or{Xs: append(slices.Clone(guards), x)}
		return
	}
	a.Relation = e.Relation()
	if in.Condition || !(script.Claims{Test: v.test}).Any(a, x) {
		a.Relation, a.Place, a.Value, a.Call = "", "", "", 0
	}
}

// conditional reads if (…) expect(…)…; where it is clear what that says, and reports whether it is.
func (v *testReading) conditional(st js.Statement, in js.Context) bool {
	if len(st.Blocks) != 1 || st.X == nil || in.Condition {
		return false
	}
	var says []js.Statement
	for p := v.parser(st.Blocks[0]); p.Pos < p.End; {
		inner := p.Statement()
		if inner.Keyword != "" || inner.X == nil {
			return false
		}
		if e, ok := expect.Of(inner.X); !ok || len(v.chains(e.Subject, nil)) > 0 {
			return false
		}
		says = append(says, inner)
	}
	cond, ok := v.reading.Truth(st.X)
	if !ok || len(says) == 0 {
		return false
	}
	guards := js.Opposites(cond)
	for _, inner := range says {
		at := v.spanOf(inner.First, inner.Last)
		if len(says) == 1 {
			at = v.spanOf(st.First, st.Last)
		}
		e, _ := expect.Of(inner.X)
		v.assertion(at, e, in, guards)
	}
	return true
}

// assign reads name = value.
func (v *testReading) assign(st js.Statement, name string, value *js.Node, in js.Context) {
	v.assigned[name] = true
	if value == nil {
		return
	}
	for value.Form == js.NodeUnary && value.Text == "await" {
		value = value.Args[0]
	}
	if v.local == nil {
		v.local = map[string]string{}
	}
	delete(v.local, name)
	if v.send(st, value, name, in) && v.answers[value] == name {
		delete(v.reading.Aliases, name)
		return
	}
	if text := v.text(value, v.local); !strings.Contains(text, "\x00") {
		v.local[name] = text
	}
	v.take(v.spanOf(st.First, st.Last), name, value)
}

// take notes a variable that is taken from answers.
func (v *testReading) take(at script.Span, name string, value *js.Node) {
	x, ok := v.reading.Meaning(value)
	delete(v.reading.Aliases, name)
	if !ok {
		v.reading.Aliases[name] = nil
		return
	}
	if i, isIndex := x.(expr.Index); isIndex {
		if !expr.IsTextual(i) {
			v.reading.Aliases[name] = x
		}
		if _, isKey := i.I.(expr.Str); isKey { // what is not there is undefined
			x = expr.Get{X: i.X, Key: i.I}
		}
	} else if _, isPart := x.(expr.Answer); isPart {
		v.reading.Aliases[name] = x
	}
	v.test.Extractions = append(v.test.Extractions, script.Extraction{Name: name, Value: x, At: at})
}

// own reads the parts of answers as superagent names them, and the generator's helpers.
func (v *testReading) own(n *js.Node) (expr.Expr, bool) {
	if name, ok := v.answers[n]; ok && name != "" {
		return expr.Name{ID: name}, true
	}
	if object, name, args := n.Method(); object != nil {
		switch {
		case object.Is("EM") && name == "isValidURIorEmpty" && len(args) == 1:
			x, ok := v.reading.Meaning(args[0])
			return expr.IsURI{X: x}, ok
		case name == "get" && len(args) == 1 && args[0].Form == js.NodeString:
			if of, ok := v.answer(object); ok {
				return expr.Header(of, strings.ToLower(args[0].Text)), true
			}
		}
		return nil, false
	}
	if n.Form == js.NodeMember {
		if of, ok := v.answer(n.Args[0]); ok {
			switch n.Text {
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
func (v *testReading) header(n *js.Node) (expr.Expr, bool) {
	if n.Form != js.NodeIndex && n.Form != js.NodeMember {
		return nil, false
	}
	headers := n.Args[0]
	if headers.Form != js.NodeMember || headers.Text != "header" && headers.Text != "headers" {
		return nil, false
	}
	of, ok := v.answer(headers.Args[0])
	key := n.Text
	if n.Form == js.NodeIndex {
		ok = ok && n.Args[1].Form == js.NodeString
		key = n.Args[1].Text
	}
	return expr.Header(of, strings.ToLower(key)), ok
}

// answer returns the variable of an answer.
func (v *testReading) answer(n *js.Node) (string, bool) {
	for n.Form == js.NodeUnary && n.Text == "await" {
		n = n.Args[0]
	}
	name := n.Text
	if n.Form != js.NodeName {
		name = v.answers[n]
	} else if x, ok := v.reading.Aliases[name]; ok {
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
