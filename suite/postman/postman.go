package postman

import (
	"errors"
	"fmt"
	"regexp"
	"sort"
	"strings"

	"github.com/flaketap/flaketap/internal/jsontree"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/js/chai"
	"github.com/flaketap/flaketap/suite/script"
)

// file is Postman's collections, with the tests that their scripts make. The items of one folder are one test, as
// they hand values on to each other. What is known of a file's scripts is kept beside it.
type file struct {
	lines  []scriptLine               // of all scripts, in order
	inline map[*script.Assertion]bool // it is the body of a function without braces
	urls   map[*script.Call]string    // as the file writes them
	first  map[*script.Test]*jsontree.Node
	asks   map[*script.Call]scripts
}

// Dialect is Postman's format.
func Dialect() script.Dialect {
	return script.Dialect{Name: "Postman's collections (.json)", Extensions: []string{".json"}, Mark: "// ",
		Read: func(s *script.Script) (script.Writer, error) {
			return (&file{inline: map[*script.Assertion]bool{}, urls: map[*script.Call]string{},
				first: map[*script.Test]*jsontree.Node{}, asks: map[*script.Call]scripts{}}).read(s)
		}}
}

func (l *file) writer() script.Writer {
	return script.Writer{Assert: l.write, Disable: l.disable, Path: l.path, Behind: l.below, Above: l.above, Poll: l.poll,
		Graft: &script.Grafter{SetUp: l.setUp, URL: l.url, Body: l.payload, Header: l.header, Able: l.able, Place: l.place,
			Fresh: l.fresh}}
}

// scriptLine is one line of a script: an element of an array, or a piece of one string.
type scriptLine struct {
	text  string
	start int  // where its text begins in the file, in bytes
	end   int  // where it ends
	array bool // it is an element of an array
	quote int  // of an element: where it begins, quote included
}

// read goes through the items of a collection.
func (l *file) read(s *script.Script) (script.Writer, error) {
	notOne := &script.SyntaxError{File: s.File, Reason: "no collection of Postman's with tests in scripts", NoTests: true}
	if !strings.Contains(s.Text, `"item"`) || !strings.Contains(s.Text, `"info"`) {
		return script.Writer{}, notOne
	}
	root, err := script.ParseJSON(s.File, s.Text)
	if err != nil {
		return script.Writer{}, err
	}
	if root.At("info") == nil || root.At("item") == nil {
		return script.Writer{}, notOne
	}
	r := &reader{script: s, file: l, starts: script.LineStarts(s), vars: map[string]string{}, names: map[string]int{}}
	for _, v := range elements(root.At("variable")) {
		if key := textAt(&v, "key"); key != "" {
			r.vars[key] = textAt(&v, "value")
		}
	}
	if err := r.items(root, textAt(root, "info", "name")); err != nil {
		return script.Writer{}, err
	}
	if len(s.Tests) == 0 {
		return script.Writer{}, notOne
	}
	return l.writer(), nil
}

// reader reads one collection.
type reader struct {
	script *script.Script
	file   *file
	starts []int
	vars   map[string]string // the collection's own variables
	test   *script.Test      // the one that the present folder's items belong to
	folder *jsontree.Node
	set    map[string]int // how often the test sets a variable
	names  map[string]int // how many tests are called so
}

// items reads the items of a folder.
func (r *reader) items(folder *jsontree.Node, name string) error {
	items := elements(folder.At("item"))
	for i := range items {
		item := &items[i]
		if item.At("item") != nil {
			if err := r.items(item, strings.TrimPrefix(name+" / "+textAt(item, "name"), " / ")); err != nil {
				return err
			}
			continue
		}
		if item.At("request") == nil || strings.HasPrefix(textAt(item, "name"), cleanUp) {
			continue
		}
		if r.folder != folder {
			at := r.span(item.Start, item.End)
			r.folder, r.set = folder, map[string]int{}
			r.test = &script.Test{Name: r.unique(name), Line: at.FirstLine, Head: at, BodyStart: item.Start}
			r.script.Tests, r.file.first[r.test] = append(r.script.Tests, r.test), item
		}
		r.test.BodyEnd = item.End
		if err := r.item(item); err != nil {
			return err
		}
	}
	return nil
}

// unique numbers a test whose name another has: folders may be called alike, and the requests of one may stand on both
// sides of a folder within it.
func (r *reader) unique(name string) string {
	if r.names[name]++; r.names[name] > 1 {
		return fmt.Sprintf("%s (%d)", name, r.names[name])
	}
	return name
}

// span makes a span of bytes of the file.
func (r *reader) span(start, end int) script.Span {
	line := func(pos int) int { return sort.SearchInts(r.starts, pos+1) }
	return script.Span{FirstLine: line(start), LastLine: line(max(start, end-1)), Start: start, End: end}
}

// item reads one request and its tests.
func (r *reader) item(item *jsontree.Node) error {
	request := item.At("request")
	c := &script.Call{Var: fmt.Sprintf("answer_%d", len(r.test.Calls)), Method: "GET",
		Client: &expr.Client{Text: expr.UTF8, JSON: js.ParseJSON}, At: r.span(item.Start, item.End)}
	if strings.HasPrefix(textAt(item, "name"), setUpName) {
		c.Var = fmt.Sprintf("%s%d", script.SetUpPrefix, len(r.test.Calls))
	}
	c.Line = r.span(request.Start, request.End).FirstLine
	c.Accept = "*/*"
	if method := textAt(request, "method"); method != "" {
		c.Method = strings.ToUpper(method)
	}
	r.url(c, request)
	r.headers(c, request)
	if body := request.At("body"); body != nil {
		switch raw := body.At("raw"); {
		case textAt(body, "mode") == "raw" && raw != nil:
			c.Body = variables.ReplaceAllString(raw.Text(), "\x00")
			c.Dynamic = strings.Contains(c.Body, "\x00")
			if !c.Dynamic {
				c.BodyAt = r.span(raw.Start, raw.End)
			}
		case body.At("mode") != nil && body.At("mode").Kind == jsontree.String:
			c.Dynamic = true
		}
	}
	r.test.Calls = append(r.test.Calls, c)
	for _, event := range elements(item.At("event")) {
		if textAt(&event, "listen") != "test" {
			r.drawn(&event)
			r.file.runsBefore(c, event.At("script", "exec"))
			continue
		}
		if err := r.tests(c, event.At("script", "exec")); err != nil {
			return err
		}
	}
	return nil
}

// variables are Postman's places for values.
var variables = regexp.MustCompile(`\{\{[^{}]*\}\}`)

// headers reads those of a request.
func (r *reader) headers(c *script.Call, request *jsontree.Node) {
	list := request.At("header")
	c.MoreHeaders = list != nil && list.Kind == jsontree.String
	for _, h := range elements(list) {
		value := h.At("value")
		if off := h.At("disabled"); off != nil && off.Raw == "true" || value == nil || value.Kind != jsontree.String {
			continue
		}
		own := script.Header{Name: textAt(&h, "key"), Value: variables.ReplaceAllString(value.Text(), "\x00"),
			At: r.span(value.Start, value.End)}
		if c.Headers = append(c.Headers, own); strings.EqualFold(own.Name, "accept") {
			c.Accept = value.Text()
		}
	}
	if auth := request.At("auth"); auth != nil && auth.Kind == jsontree.Object && textAt(auth, "type") != "noauth" {
		if variables.MatchString(r.script.Text[auth.Start:auth.End]) {
			c.Headers = append(c.Headers, script.Header{Name: "Authorization", Value: "\x00"})
		} else {
			c.MoreHeaders = true
		}
	}
}

// url reads where a request goes.
func (r *reader) url(c *script.Call, request *jsontree.Node) {
	url := request.At("url")
	if request.Kind == jsontree.String {
		url = request
	}
	raw := url
	if url != nil && url.Kind == jsontree.Object {
		raw = url.At("raw")
	}
	if raw == nil || raw.Kind != jsontree.String {
		c.Target = "\x00"
		return
	}
	c.TargetAt = r.span(url.Start, url.End) // of an object, Postman does not read the whole that it holds too
	text := raw.Text()
	r.file.urls[c] = text
	for _, v := range elements(url.At("variable")) {
		key, value := "/:"+textAt(&v, "key"), "/"+textAt(&v, "value")
		if i := strings.Index(text, key); i >= 0 && (i+len(key) == len(text) ||
			strings.ContainsRune("/?#", rune(text[i+len(key)]))) {
			text = text[:i] + value + text[i+len(key):]
		}
	}
	text = variables.ReplaceAllStringFunc(text, func(v string) string {
		if value := r.vars[strings.Trim(v, "{} ")]; script.SchemeAndHost.MatchString(value) {
			return value // the base URL: an environment may have another, of the same path
		}
		return "\x00"
	})
	if !script.SchemeAndHost.MatchString(text) && !strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "\x00") {
		text = "http://" + text
	}
	if c.Target = script.PathOf(text); c.Target == "" || c.Target[0] == '?' {
		c.Target = "/" + c.Target
	}
}

// tests reads one script of a call.
func (r *reader) tests(c *script.Call, exec *jsontree.Node) error {
	first := len(r.file.lines)
	var b strings.Builder
	var at []int                                          // where each byte of the script stands in the file
	listed := exec != nil && exec.Kind != jsontree.String // each line is an element of a list
	add := func(v *jsontree.Node, text string, raw []int) {
		r.file.lines = append(r.file.lines, scriptLine{text, raw[0], raw[len(text)], listed, v.Start})
		b.WriteString(text + "\n")
		at = append(at, raw[:len(text)+1]...)
	}
	switch {
	case exec == nil:
		return nil
	case exec.Kind == jsontree.String:
		text, raw := exec.Source()
		for from := 0; from < len(text); {
			line, _, _ := strings.Cut(text[from:], "\n")
			add(exec, line, raw[from:])
			from += len(line) + 1
		}
	default:
		for _, e := range elements(exec) {
			if e.Kind != jsontree.String {
				continue
			}
			text, raw := e.Source()
			if strings.ContainsAny(text, "\r\n") {
				return &script.SyntaxError{File: r.script.File, Line: r.span(e.Start, e.End).FirstLine,
					Reason: "one line holds several statements"}
			}
			add(&e, text, raw)
		}
	}
	tokens, err := js.Tokens(r.script.File, b.String())
	if err != nil {
		var e *script.SyntaxError
		if errors.As(err, &e) && first+e.Line-1 < len(r.file.lines) {
			start := r.file.lines[first+e.Line-1].start
			e.Line = r.span(start, start).FirstLine
		}
		return err
	}
	r.file.testedBy(c, first, b.String())
	v := &testReading{reader: r, call: c, tokens: tokens, at: at, text: b.String(), first: first}
	v.index = len(r.test.Calls) - 1
	v.reading = &js.Reading{Own: v.own, Aliases: map[string]expr.Expr{}}
	v.block(js.Block{From: 0, To: len(tokens)}, js.Context{})
	return nil
}

// testReading reads one script.
type testReading struct {
	*reader
	call    *script.Call
	index   int
	tokens  []js.Token
	at      []int
	text    string
	first   int // the first of its lines among all
	reading *js.Reading
}

func (v *testReading) parser(b js.Block) *js.Parser {
	return &js.Parser{Tokens: v.tokens, Pos: b.From, End: b.To}
}

func (v *testReading) block(b js.Block, in js.Context) {
	if in.Depth++; in.Depth > js.MaxNested {
		return
	}
	for p := v.parser(b); p.Pos < p.End; {
		st := p.Statement()
		under := in
		under.Condition = true
		switch st.Keyword {
		case "", "return":
			if st.X != nil {
				v.expression(st.X, st.First, st.Last, in)
			}
		case "const", "let", "var":
			for i, name := range st.Names {
				v.declare(name, st.Values[i])
			}
		case "{":
			v.block(st.Blocks[0], in)
		case "if":
			if !v.conditional(st, in) {
				for _, b := range st.Blocks {
					v.block(b, under)
				}
			}
		case "try":
			v.block(st.Blocks[0], in)
			v.block(st.Blocks[1], under)
			v.block(st.Blocks[2], in)
		case "for", "while", "do", "with":
			for _, b := range st.Blocks {
				v.block(b, under)
			}
		default:
			v.unread(st.First, st.Last)
		}
		v.reading.After(st)
	}
}

// declare notes what a local name stands for.
func (v *testReading) declare(name string, value *js.Node) {
	delete(v.reading.Aliases, name)
	v.reading.Aliases[name] = nil
	if value != nil {
		if x, ok := v.reading.Meaning(value); ok {
			v.reading.Aliases[name] = x
		}
	}
}

// unread notes the assertions of what is not read.
func (v *testReading) unread(first, last int) {
	for i := first; i+1 < last; i++ {
		if v.tokens[i].Is("expect") && v.tokens[i+1].Is("(") || v.tokens[i].Is("response") && v.tokens[i+1].Is(".") &&
			i+2 < last && v.tokens[i+2].Is("to") {
			v.note(first, last).Reason = "it is in code that flaketap does not read"
			return
		}
	}
}

// note adds an assertion that some tokens make.
func (v *testReading) note(first, last int) *script.Assertion {
	start, end := v.tokens[first].Start, v.tokens[last-1].End
	a := &script.Assertion{Text: v.text[start:end], At: v.span(v.at[start], v.at[end])}
	a.File, a.Line, a.Test, a.Call = v.script.File, a.At.FirstLine, v.test.Name, v.index
	a.Ours = v.ours(v.tokens[first].Line)
	v.file.inline[a] = strings.HasSuffix(strings.TrimRight(v.text[:start], " \t\r\n"), "=>")
	v.test.Assertions = append(v.test.Assertions, a)
	return a
}

// ours reports whether the line above one of the script's is a comment of flaketap's.
func (v *testReading) ours(line int) bool {
	n := v.first + line - 2
	return line > 1 && n < len(v.file.lines) &&
		strings.HasPrefix(strings.TrimLeft(v.file.lines[n].text, " \t"), "// "+script.CommentMark)
}

// expression reads an expression that stands for itself.
func (v *testReading) expression(x *js.Node, first, last int, in js.Context) {
	object, name, args := x.Method()
	switch {
	case object.Is("pm") && name == "test" && len(args) == 2 && args[1].Form == js.NodeFunction:
		if fn := args[1]; len(fn.Args) == 1 {
			v.expression(fn.Args[0], fn.Args[0].First, fn.Args[0].Last, in)
			v.reading.Disturbs(fn.Args[0])
		} else {
			v.block(js.Block{From: fn.From, To: fn.To}, in)
		}
	case v.takes(x, object, name, args, first, last):
	case x.Form == js.NodeBinary && x.Text == "=" && x.Args[0].Form == js.NodeIndex && x.Args[0].Args[0].Is("tests"):
		a := v.note(first, last)
		cond, ok := v.reading.Truth(x.Args[1])
		v.assertion(a, cond, ok, in, nil)
	case x.Form == js.NodeBinary && x.Text == "=" && x.Args[0].Form == js.NodeName:
		v.declare(x.Args[0].Text, x.Args[1])
	default:
		chain, ok := chai.ChainOf(x)
		if !ok {
			v.unread(first, last)
			return
		}
		a := v.note(first, last)
		says, relation, ok := chain.Read(v.reading, v.call.Var)
		a.Relation = relation
		v.assertion(a, says, ok, in, nil)
	}
}

// assertion fills in what an assertion means.
func (v *testReading) assertion(a *script.Assertion, x expr.Expr, ok bool, in js.Context, guards []expr.Expr) {
	switch {
	case in.Condition:
		a.Reason = script.UnderCondition
	case !ok:
		a.Reason = "it asserts in an unknown way"
	}
	relation := a.Relation
	a.Relation = ""
	if !ok {
		return
	}
	a.Meaning = x
	if len(guards) > 0 {
		a.Meaning = expr.Or{Xs: append(guards[:len(guards):len(guards)], x)}
		return
	}
	a.Relation = relation
	if in.Condition || strings.HasPrefix(a.Text, "tests") || !(script.Claims{Test: v.test}).Any(a, x) {
		a.Relation, a.Place, a.Value = "", "", ""
	}
	a.Call = v.index
}

// conditional reads if (…) pm.expect(…)…; where it is clear what that says, and reports whether it is.
func (v *testReading) conditional(st js.Statement, in js.Context) bool {
	if len(st.Blocks) != 1 || st.X == nil || in.Condition {
		return false
	}
	cond, ok := v.reading.Truth(st.X)
	var says []js.Statement
	for p := v.parser(st.Blocks[0]); p.Pos < p.End; {
		inner := p.Statement()
		if inner.Keyword != "" || inner.X == nil {
			return false
		}
		if _, isChain := chai.ChainOf(inner.X); !isChain {
			return false
		}
		says = append(says, inner)
	}
	if !ok || len(says) == 0 {
		return false
	}
	for _, inner := range says {
		first, last := inner.First, inner.Last
		if len(says) == 1 {
			first, last = st.First, st.Last
		}
		chain, _ := chai.ChainOf(inner.X)
		x, _, ok := chain.Read(v.reading, v.call.Var)
		v.assertion(v.note(first, last), x, ok, in, js.Opposites(cond))
	}
	return true
}

// takes reads the setting of a variable: pm.environment.set("id", json.id).
func (v *testReading) takes(x, object *js.Node, name string, args []*js.Node, first, last int) bool {
	setter := object != nil && object.Form == js.NodeMember && object.Args[0].Is("pm") && name == "set" ||
		object.Is("postman") && strings.HasPrefix(name, "set") && strings.HasSuffix(name, "Variable")
	if !setter || len(args) != 2 || args[0].Form != js.NodeString {
		return false
	}
	key := variableName(args[0].Text)
	value, ok := v.reading.Meaning(args[1])
	if v.set[key]++; v.set[key] > 1 { // which of the two counts depends on where it is asked
		value, ok = expr.Name{ID: "\x00"}, true
	}
	if !ok || key == "" {
		return true
	}
	if i, isIndex := value.(expr.Index); isIndex {
		if _, isKey := i.I.(expr.Str); isKey {
			value = expr.Get{X: i.X, Key: i.I}
		}
	}
	k := script.Extraction{Name: key, Value: value, At: v.span(v.at[v.tokens[first].Start], v.at[v.tokens[last-1].End])}
	k.At.FirstLine = len(v.script.Lines) + 1 // a script that fails keeps no other request from being sent
	v.test.Extractions = append(v.test.Extractions, k)
	return true
}
