package python

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/script"
)

// read goes through the statements: class, methods, what they hold.
func (l dialect) read(s *script.Script) (script.Writer, error) {
	s.GeneratorBugs = mendKeys(s)
	stmts, err := statements(s.File, s.Text)
	if err != nil {
		return script.Writer{}, err
	}
	var r *reader
	class := -1 // the indentation of the class that we are in
	requests, skip := false, false
	for _, st := range stmts {
		indent := len(st.Indent)
		requests = requests || st.is("import", "requests")
		if r != nil && indent > len(r.test.Head.Indent) {
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
			test := &script.Test{Name: st.tokens[1].text, Line: st.FirstLine, Head: st.Span, Skipped: skip}
			skip = false
			s.Tests = append(s.Tests, test)
			r = &reader{script: s, test: test, assigned: map[string]bool{}, block: -1}
		}
	}
	if len(s.Tests) == 0 || !requests || !strings.Contains(s.Text, baseURL) {
		return script.Writer{}, &script.SyntaxError{File: s.File,
			Reason: "no tests of EvoMaster's Python format: no unittest.TestCase with tests that use requests", NoTests: true}
	}
	return l.writer(), nil
}

// baseURL is the attribute of the generator's test cases that says where the API is.
const baseURL = "baseUrlOfSut"

// reader reads the statements of one test.
type reader struct {
	script   *script.Script
	test     *script.Test
	assigned map[string]bool
	body     string
	bodyAt   script.Span // the expression that it was assigned
	dynamic  bool        // the body that was assigned last holds a variable's value
	headers  []script.Header
	unclear  bool   // the headers that were assigned last are not all written out
	block    int    // the indentation of the block that we are in, -1 for none
	opener   string // the keyword that opened it
}

func (r *reader) statement(st statement) {
	if r.test.BodyStart == 0 {
		r.test.BodyStart, r.test.Indent = st.Start-len(st.Indent), st.Indent
	}
	r.test.BodyEnd = st.End
	if r.block >= 0 && len(st.Indent) <= r.block {
		r.block = -1
	}
	switch keyword := st.tokens[0].text; {
	case st.tokens[0].kind != tokenName:
	case keyword == "assert":
		r.assertion(st)
	case st.tokens[len(st.tokens)-1].text == ":" && r.block < 0:
		r.block, r.opener = len(st.Indent), keyword
	case st.is("headers", "["):
		r.header(st)
	case st.is("headers", "."):
		r.unclear = true
	case len(st.tokens) > 2 && st.tokens[1].text == "=" && st.tokens[1].kind == tokenOp:
		r.assign(st)
	}
}

// header reads headers["Accept"] = "…".
func (r *reader) header(st statement) {
	if len(st.tokens) < 6 || st.tokens[2].kind != tokenString || st.tokens[3].text != "]" || st.tokens[4].text != "=" {
		r.unclear = true
		return
	}
	h := script.Header{Name: st.tokens[2].text, Value: "\x00"}
	if x, err := parseExpr(st.tokens[5:]); err == nil {
		h.Value = r.text(x)
		h.At = script.Span{Start: st.tokens[5].start, End: st.End}
	}
	r.headers = slices.DeleteFunc(slices.Clone(r.headers),
		func(o script.Header) bool { return strings.EqualFold(o.Name, h.Name) })
	r.headers = append(r.headers, h)
}

// assign reads name = expression.
func (r *reader) assign(st statement) {
	name := st.tokens[0].text
	x, err := parseExpr(st.tokens[2:])
	call, isCall := x.(pyCall)
	switch {
	case err != nil:
	case isCall && r.call(name, call, st):
	case name == "body":
		r.body, r.dynamic = "", false
		r.bodyAt = script.Span{Start: st.tokens[2].start, End: st.End}
		if d, ok := x.(pyDict); !ok || len(d.keys) > 0 {
			r.body = r.text(x)
			r.dynamic = strings.Contains(r.body, "\x00")
		}
	case name == "headers":
		d, ok := x.(pyDict)
		r.headers, r.unclear = nil, !ok || len(d.keys) > 0
	default:
		r.test.Extractions = append(r.test.Extractions, script.Extraction{Name: name, Value: meaning(x), At: st.Span})
	}
	r.assigned[name] = true
}

// text evaluates a string expression as far as it is written out; the rest becomes a NUL.
func (r *reader) text(x node) string {
	switch x := x.(type) {
	case strLit:
		return x.s
	case pyBinary:
		if x.op == "+" {
			return r.text(x.x) + r.text(x.y)
		}
	case pyAttr:
		if x.name == baseURL {
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
func (r *reader) call(name string, x pyCall, st statement) bool {
	fn, ok := x.fn.(pyAttr)
	if !ok || !isPyName(fn.x, "requests") || len(x.args) == 0 {
		return false
	}
	c := &script.Call{Line: st.FirstLine, Var: name, Method: strings.ToUpper(fn.name), At: st.Span}
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
		c.TargetAt = firstArgument(st)
	}
	c.Target, _, _ = strings.Cut(r.text(url), "#")
	c.Guarded = r.block >= 0 && (r.opener == "try" || r.opener == "with")
	for _, kw := range x.kw {
		if id, ok := kw.x.(pyName); ok && script.GeneratedName(id.id) && !r.assigned[id.id] && c.Unset == "" {
			c.Unset = id.id
		}
		switch kw.name {
		case "headers":
			c.Headers, c.MoreHeaders = r.headers, r.unclear
			if !isPyName(kw.x, "headers") {
				c.Headers, c.MoreHeaders = nil, true
			}
		case "cookies", "auth":
			c.MoreHeaders = true
		case "data":
			c.Body, c.Dynamic = r.body, r.dynamic || !isPyName(kw.x, "body")
			if !c.Dynamic && c.Body != "" {
				c.BodyAt = r.bodyAt
			}
		case "json", "files":
			c.Dynamic = true
		}
	}
	if c.Location != "" && c.Location != "\x00" && !r.assigned[c.Location] && c.Unset == "" {
		c.Unset = c.Location
	}
	for _, h := range r.headers {
		if strings.EqualFold(h.Name, "accept") && h.Value != "\x00" {
			c.Accept = h.Value
		}
	}
	r.test.Calls = append(r.test.Calls, c)
	return true
}

// firstArgument returns where the first argument of a statement's first call stands.
func firstArgument(st statement) script.Span {
	depth := 0
	var at script.Span
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
			if at.Start == 0 {
				at.Start = t.start
			}
			at.End = t.end
		}
	}
	return at
}

func isPyName(x node, id string) bool {
	n, ok := x.(pyName)
	return ok && n.id == id
}

// assertion reads an assert statement.
func (r *reader) assertion(st statement) {
	a := &script.Assertion{Text: r.script.Text[st.Start:st.End], At: st.Span}
	a.File, a.Line, a.Test = r.script.File, st.FirstLine, r.test.Name
	r.test.Assertions = append(r.test.Assertions, a)
	a.Ours = r.script.Commented(st.FirstLine)
	x, err := parseExpr(st.tokens[1:])
	if err != nil {
		a.Reason = err.Error()
		return
	}
	a.Meaning = meaning(x)
	switch {
	case r.block >= 0 && r.opener != "try" && r.opener != "with":
		a.Reason = script.UnderCondition
	case !(script.Claims{Test: r.test}).Generated(a, a.Meaning) && !a.Ours:
		a.Reason = "the generator writes no such assertion"
	}
}
