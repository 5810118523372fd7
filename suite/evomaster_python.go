package suite

import (
	"slices"
	"strings"
)

// read goes through the statements: class, methods, what they hold.
func (unittest) read(s *Script) error {
	s.slips = mendKeys(s)
	stmts, err := statements(s.File, s.text)
	if err != nil {
		return err
	}
	var r *testReader
	class := -1 // the indentation of the class that we are in
	requests, skip := false, false
	for _, st := range stmts {
		indent := len(st.indent)
		requests = requests || st.is("import", "requests")
		if r != nil && indent > len(r.test.head.indent) {
			r.statement(st)
			continue
		}
		r = nil
		switch {
		case st.is("class"):
			class = -1
			for i := range st.tokens {
				if (statement{tokens: st.tokens[i:]}).is("unittest", ".", "TestCase") {
					class = indent
				}
			}
		case indent <= class:
			class = -1
		case st.is("@", "unittest", ".", "skip"):
			skip = true
		case class >= 0 && st.is("def") && len(st.tokens) > 1 && strings.HasPrefix(st.tokens[1].text, "test"):
			test := &Test{Name: st.tokens[1].text, Line: st.first, head: st.span, skipped: skip}
			skip = false
			s.Tests = append(s.Tests, test)
			r = &testReader{script: s, test: test, assigned: map[string]bool{}, block: -1}
		}
	}
	if len(s.Tests) == 0 || !requests {
		return &SyntaxError{File: s.File, Reason: "no tests of EvoMaster's Python format: no unittest.TestCase with tests that use requests", NoTests: true}
	}
	return nil
}

// underCondition is why an assertion is not understood that may not even be come to.
const underCondition = "it stands under a condition"

// testReader reads the statements of one test.
type testReader struct {
	script   *Script
	test     *Test
	assigned map[string]bool
	body     string
	bodyAt   span // the expression that it was assigned
	dynamic  bool // the body that was assigned last holds a variable's value
	headers  []header
	unclear  bool   // the headers that were assigned last are not all written out
	block    int    // the indentation of the block that we are in, -1 for none
	opener   string // the keyword that opened it
}

func (r *testReader) statement(st statement) {
	if r.test.open == 0 {
		r.test.open, r.test.indent = st.start-len(st.indent), st.indent
	}
	r.test.end = st.end
	if r.block >= 0 && len(st.indent) <= r.block {
		r.block = -1
	}
	switch keyword := st.tokens[0].text; {
	case st.tokens[0].kind != tokenName:
	case keyword == "assert":
		r.assertion(st)
	case st.tokens[len(st.tokens)-1].text == ":" && r.block < 0:
		r.block, r.opener = len(st.indent), keyword
	case st.is("headers", "["):
		r.header(st)
	case st.is("headers", "."):
		r.unclear = true
	case len(st.tokens) > 2 && st.tokens[1].text == "=" && st.tokens[1].kind == tokenOp:
		r.assign(st)
	}
}

// header reads headers["Accept"] = "…".
func (r *testReader) header(st statement) {
	if len(st.tokens) < 6 || st.tokens[2].kind != tokenString || st.tokens[3].text != "]" || st.tokens[4].text != "=" {
		r.unclear = true
		return
	}
	h := header{name: st.tokens[2].text, value: "\x00"}
	if x, err := parseExpr(st.tokens[5:]); err == nil {
		h.value = r.text(x)
		h.at = span{start: st.tokens[5].start, end: st.end}
	}
	r.headers = slices.DeleteFunc(slices.Clone(r.headers), func(o header) bool { return strings.EqualFold(o.name, h.name) })
	r.headers = append(r.headers, h)
}

// assign reads name = expression.
func (r *testReader) assign(st statement) {
	name := st.tokens[0].text
	x, err := parseExpr(st.tokens[2:])
	call, isCall := x.(pyCall)
	switch {
	case err != nil:
	case isCall && r.call(name, call, st):
	case name == "body":
		r.body, r.dynamic = "", false
		r.bodyAt = span{start: st.tokens[2].start, end: st.end}
		if d, ok := x.(pyDict); !ok || len(d.keys) > 0 {
			r.body = r.text(x)
			r.dynamic = strings.Contains(r.body, "\x00")
		}
	case name == "headers":
		d, ok := x.(pyDict)
		r.headers, r.unclear = nil, !ok || len(d.keys) > 0
	default:
		r.test.takings = append(r.test.takings, taking{name, meaning(x), st.span})
	}
	r.assigned[name] = true
}

// text evaluates a string expression as far as it is written out; the rest becomes a NUL.
func (r *testReader) text(x pyNode) string {
	switch x := x.(type) {
	case pyStr:
		return x.s
	case pyBinary:
		if x.op == "+" {
			return r.text(x.x) + r.text(x.y)
		}
	case pyAttr:
		if x.name == "baseUrlOfSut" {
			return ""
		}
	case pyCall:
		if isPyName(x.fn, "str") && len(x.args) == 1 {
			return r.text(x.args[0])
		}
	}
	return "\x00"
}

// call reads requests.get(url, headers=…, data=…) and its kind; it reports whether the expression is one.
func (r *testReader) call(name string, x pyCall, st statement) bool {
	fn, ok := x.fn.(pyAttr)
	if !ok || !isPyName(fn.x, "requests") || len(x.args) == 0 {
		return false
	}
	c := &Call{Line: st.first, Var: name, Method: strings.ToUpper(fn.name), at: st.span}
	url := x.args[0]
	if fn.name == "request" && len(x.args) > 1 {
		c.Method, url = strings.ToUpper(r.text(x.args[0])), x.args[1]
	}
	if resolve, ok := url.(pyCall); ok && isPyName(resolve.fn, "resolve_location") && len(resolve.args) == 2 {
		c.Location, url = "\x00", resolve.args[1]
		if loc, ok := resolve.args[0].(pyName); ok {
			c.Location = loc.id
		}
	}
	if c.Location == "" && fn.name != "request" {
		c.target = firstArgument(st)
	}
	c.Target, _, _ = strings.Cut(r.text(url), "#")
	c.Guarded = r.block >= 0 && (r.opener == "try" || r.opener == "with")
	for _, kw := range x.kw {
		if id, ok := kw.x.(pyName); ok && generated(id.id) && !r.assigned[id.id] && c.Unset == "" {
			c.Unset = id.id
		}
		switch kw.name {
		case "headers":
			c.headers, c.unclear = r.headers, r.unclear
			if !isPyName(kw.x, "headers") {
				c.headers, c.unclear = nil, true
			}
		case "cookies", "auth":
			c.unclear = true
		case "data":
			c.Body, c.Dynamic = r.body, r.dynamic || !isPyName(kw.x, "body")
			if !c.Dynamic && c.Body != "" {
				c.body = r.bodyAt
			}
		case "json", "files":
			c.Dynamic = true
		}
	}
	if c.Location != "" && c.Location != "\x00" && !r.assigned[c.Location] && c.Unset == "" {
		c.Unset = c.Location
	}
	for _, h := range r.headers {
		if strings.EqualFold(h.name, "accept") && h.value != "\x00" {
			c.Accept = h.value
		}
	}
	r.test.Calls = append(r.test.Calls, c)
	return true
}

// firstArgument returns where the first argument of a statement's first call stands.
func firstArgument(st statement) span {
	depth := 0
	var at span
	for _, t := range st.tokens {
		if t.kind == tokenOp {
			switch {
			case strings.Contains("([{", t.text):
				if depth++; depth == 1 {
					continue
				}
			case strings.Contains(")]}", t.text):
				depth--
			}
			if depth == 0 && t.text == ")" || depth == 1 && t.text == "," {
				return at
			}
		}
		if depth > 0 {
			if at.start == 0 {
				at.start = t.start
			}
			at.end = t.end
		}
	}
	return at
}

// generated reports whether a variable is one that the generator assigns in the test itself; others may come with the
// helper module, of which all is imported.
func generated(name string) bool {
	if name == "body" || name == "headers" {
		return true
	}
	for _, prefix := range []string{"res_", "location_", "token_", "auth_", "cookies_", "link_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

func isPyName(x pyNode, id string) bool {
	n, ok := x.(pyName)
	return ok && n.id == id
}

// assertion reads an assert statement.
func (r *testReader) assertion(st statement) {
	a := &Assertion{Text: r.script.text[st.start:st.end], at: st.span}
	a.File, a.Line, a.Test = r.script.File, st.first, r.test.Name
	r.test.Assertions = append(r.test.Assertions, a)
	a.ours = r.script.commented(st.first)
	x, err := parseExpr(st.tokens[1:])
	if err != nil {
		a.Reason = err.Error()
		return
	}
	a.x = meaning(x)
	switch {
	case r.block >= 0 && r.opener != "try" && r.opener != "with":
		a.Reason = underCondition
	case !(claims{r.test}).generated(a, a.x) && !a.ours:
		a.Reason = "the generator writes no such assertion"
	}
}
