package python

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/python/keys"
	"github.com/flaketap/flaketap/suite/python/meaning"
	"github.com/flaketap/flaketap/suite/python/syntax"
	"github.com/flaketap/flaketap/suite/script"
)

// read goes through the statements: class, methods, what they hold.
func (l dialect) read(s *script.Script) (script.Writer, error) {
	s.GeneratorBugs = keys.Mend(s)
	stmts, err := syntax.Statements(s.File, s.Text)
	if err != nil {
		return script.Writer{}, err
	}
	var r *reader
	class := -1 // the indentation of the class that we are in
	requests, skip := false, false
	for _, st := range stmts {
		indent := len(st.Indent)
		requests = requests || st.Is("import", "requests")
		if r != nil && indent > len(r.test.Head.Indent) {
			r.statement(st)
			continue
		}
		r = nil
		switch {
		case st.Is("class"):
			class = -1
			for i := range st.Tokens {
				if (syntax.Statement{Tokens: st.Tokens[i:]}).Is("unittest", ".", "TestCase") {
					class = indent
				}
			}
		case indent <= class:
			class = -1
		case st.Is("@", "unittest", ".", "skip"):
			skip = true
		case class >= 0 && st.Is("def") && len(st.Tokens) > 1 && strings.HasPrefix(st.Tokens[1].Text, "test"):
			test := &script.Test{Name: st.Tokens[1].Text, Line: st.FirstLine, Head: st.Span, Skipped: skip}
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

func (r *reader) statement(st syntax.Statement) {
	if r.test.BodyStart == 0 {
		r.test.BodyStart, r.test.Indent = st.Start-len(st.Indent), st.Indent
	}
	r.test.BodyEnd = st.End
	if r.block >= 0 && len(st.Indent) <= r.block {
		r.block = -1
	}
	switch keyword := st.Tokens[0].Text; {
	case st.Tokens[0].Kind != syntax.TokenName:
	case keyword == "assert":
		r.assertion(st)
	case st.Tokens[len(st.Tokens)-1].Text == ":" && r.block < 0:
		r.block, r.opener = len(st.Indent), keyword
	case st.Is("headers", "["):
		r.header(st)
	case st.Is("headers", "."):
		r.unclear = true
	case len(st.Tokens) > 2 && st.Tokens[1].Text == "=" && st.Tokens[1].Kind == syntax.TokenOp:
		r.assign(st)
	}
}

// header reads headers["Accept"] = "…".
func (r *reader) header(st syntax.Statement) {
	if len(st.Tokens) < 6 || st.Tokens[2].Kind != syntax.TokenString ||
		st.Tokens[3].Text != "]" || st.Tokens[4].Text != "=" {
		r.unclear = true
		return
	}
	h := script.Header{Name: st.Tokens[2].Text, Value: "\x00"}
	if x, err := syntax.ParseExpr(st.Tokens[5:]); err == nil {
		h.Value = r.text(x)
		h.At = script.Span{Start: st.Tokens[5].Start, End: st.End}
	}
	r.headers = slices.DeleteFunc(slices.Clone(r.headers),
		func(o script.Header) bool { return strings.EqualFold(o.Name, h.Name) })
	r.headers = append(r.headers, h)
}

// assign reads name = expression.
func (r *reader) assign(st syntax.Statement) {
	name := st.Tokens[0].Text
	x, err := syntax.ParseExpr(st.Tokens[2:])
	call, isCall := x.(syntax.Call)
	switch {
	case err != nil:
	case isCall && r.call(name, call, st):
	case name == "body":
		r.body, r.dynamic = "", false
		r.bodyAt = script.Span{Start: st.Tokens[2].Start, End: st.End}
		if d, ok := x.(syntax.Dict); !ok || len(d.Keys) > 0 {
			r.body = r.text(x)
			r.dynamic = strings.Contains(r.body, "\x00")
		}
	case name == "headers":
		d, ok := x.(syntax.Dict)
		r.headers, r.unclear = nil, !ok || len(d.Keys) > 0
	default:
		r.test.Extractions = append(r.test.Extractions, script.Extraction{Name: name, Value: meaning.Of(x), At: st.Span})
	}
	r.assigned[name] = true
}

// text evaluates a string expression as far as it is written out; the rest becomes a NUL.
func (r *reader) text(x syntax.Node) string {
	switch x := x.(type) {
	case syntax.StrLit:
		return x.S
	case syntax.Binary:
		if x.Op == "+" {
			return r.text(x.X) + r.text(x.Y)
		}
	case syntax.Attr:
		if x.Name == baseURL {
			return ""
		}
	case syntax.Call:
		if syntax.IsName(x.Fn, "str") && len(x.Args) == 1 {
			return r.text(x.Args[0])
		}
	}
	return "\x00"
}

// call reads requests.get(url, headers=…, data=…) and its kind; it reports whether the expression is one.
func (r *reader) call(name string, x syntax.Call, st syntax.Statement) bool {
	fn, ok := x.Fn.(syntax.Attr)
	if !ok || !syntax.IsName(fn.X, "requests") || len(x.Args) == 0 {
		return false
	}
	c := &script.Call{Line: st.FirstLine, Var: name, Method: strings.ToUpper(fn.Name), At: st.Span}
	url := x.Args[0]
	if fn.Name == "request" && len(x.Args) > 1 {
		c.Method, url = strings.ToUpper(r.text(x.Args[0])), x.Args[1]
	}
	if resolve, ok := url.(syntax.Call); ok && syntax.IsName(resolve.Fn, "resolve_location") && len(resolve.Args) == 2 {
		c.Location, url = "\x00", resolve.Args[1]
		if loc, ok := resolve.Args[0].(syntax.Name); ok {
			c.Location = loc.Id
		}
	}
	if c.Location == "" && fn.Name != "request" {
		c.TargetAt = firstArgument(st)
	}
	c.Target, _, _ = strings.Cut(r.text(url), "#")
	c.Guarded = r.block >= 0 && (r.opener == "try" || r.opener == "with")
	for _, kw := range x.Kw {
		if id, ok := kw.X.(syntax.Name); ok && script.GeneratedName(id.Id) && !r.assigned[id.Id] && c.Unset == "" {
			c.Unset = id.Id
		}
		switch kw.Name {
		case "headers":
			c.Headers, c.MoreHeaders = r.headers, r.unclear
			if !syntax.IsName(kw.X, "headers") {
				c.Headers, c.MoreHeaders = nil, true
			}
		case "cookies", "auth":
			c.MoreHeaders = true
		case "data":
			c.Body, c.Dynamic = r.body, r.dynamic || !syntax.IsName(kw.X, "body")
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
func firstArgument(st syntax.Statement) script.Span {
	depth := 0
	var at script.Span
	for _, t := range st.Tokens {
		if t.Kind == syntax.TokenOp {
			switch {
			case strings.Contains("([{", t.Text):
				if depth++; depth == 1 {
					continue
				}
			case strings.Contains(")]}", t.Text):
				depth--
			}
			if depth == 0 && t.Text == ")" || depth == 1 && t.Text == "," {
				return at
			}
		}
		if depth > 0 {
			if at.Start == 0 {
				at.Start = t.Start
			}
			at.End = t.End
		}
	}
	return at
}

// assertion reads an assert statement.
func (r *reader) assertion(st syntax.Statement) {
	a := &script.Assertion{Text: r.script.Text[st.Start:st.End], At: st.Span}
	a.File, a.Line, a.Test = r.script.File, st.FirstLine, r.test.Name
	r.test.Assertions = append(r.test.Assertions, a)
	a.Ours = r.script.Commented(st.FirstLine)
	x, err := syntax.ParseExpr(st.Tokens[1:])
	if err != nil {
		a.Reason = err.Error()
		return
	}
	a.Meaning = meaning.Of(x)
	switch {
	case r.block >= 0 && r.opener != "try" && r.opener != "with":
		a.Reason = script.UnderCondition
	case !(script.Claims{Test: r.test}).Generated(a, a.Meaning) && !a.Ours:
		a.Reason = "the generator writes no such assertion"
	}
}
