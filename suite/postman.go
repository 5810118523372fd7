package suite

import (
	"errors"
	"fmt"
	"regexp"
	"sort"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
)

// postman is Postman's collections, with the tests that their scripts make. The items of one folder are one test, as
// they hand values on to each other. What is known of a file's scripts is kept beside it.
type postman struct {
	lines  []scriptLine        // of all scripts, in order
	inline map[*Assertion]bool // it is the body of a function without braces
	urls   map[*Call]string    // as the file writes them
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
func (*postman) read(s *Script) error {
	notOne := &SyntaxError{File: s.File, Reason: "no collection of Postman's with tests in scripts", NoTests: true}
	if !strings.Contains(s.text, `"item"`) || !strings.Contains(s.text, `"info"`) {
		return notOne
	}
	root, err := readJSONFile(s.File, s.text)
	if err != nil {
		return err
	}
	if root.at("info") == nil || root.at("item") == nil {
		return notOne
	}
	l := &postman{inline: map[*Assertion]bool{}, urls: map[*Call]string{}}
	r := &postmanReader{script: s, language: l, starts: lineStarts(s), vars: map[string]string{}, names: map[string]int{}}
	for _, v := range root.at("variable").elements() {
		if key := v.at("key").string(); key != "" {
			r.vars[key] = v.at("value").string()
		}
	}
	if err := r.items(root, root.at("info", "name").string()); err != nil {
		return err
	}
	if len(s.Tests) == 0 {
		return notOne
	}
	s.language = l
	return nil
}

// postmanReader reads one collection.
type postmanReader struct {
	script   *Script
	language *postman
	starts   []int
	vars     map[string]string // the collection's own variables
	test     *Test             // the one that the present folder's items belong to
	folder   *jsonValue
	set      map[string]int // how often the test sets a variable
	names    map[string]int // how many tests are called so
}

// items reads the items of a folder.
func (r *postmanReader) items(folder *jsonValue, name string) error {
	for _, item := range folder.at("item").elements() {
		if item.at("item") != nil {
			if err := r.items(item, strings.TrimPrefix(name+" / "+item.at("name").string(), " / ")); err != nil {
				return err
			}
			continue
		}
		if item.at("request") == nil || strings.HasPrefix(item.at("name").string(), postmanCleanUp) {
			continue
		}
		if r.folder != folder {
			at := r.span(item.start, item.end)
			r.folder, r.set = folder, map[string]int{}
			r.test = &Test{Name: r.unique(name), Line: at.first, head: at, open: item.start}
			r.script.Tests = append(r.script.Tests, r.test)
		}
		r.test.end = item.end
		if err := r.item(item); err != nil {
			return err
		}
	}
	return nil
}

// unique numbers a test whose name another has: folders may be called alike, and the requests of one may stand on both
// sides of a folder within it.
func (r *postmanReader) unique(name string) string {
	if r.names[name]++; r.names[name] > 1 {
		return fmt.Sprintf("%s (%d)", name, r.names[name])
	}
	return name
}

// span makes a span of bytes of the file.
func (r *postmanReader) span(start, end int) span {
	line := func(pos int) int { return sort.SearchInts(r.starts, pos+1) }
	return span{first: line(start), last: line(max(start, end-1)), start: start, end: end}
}

// item reads one request and its tests.
func (r *postmanReader) item(item *jsonValue) error {
	request := item.at("request")
	c := &Call{Var: fmt.Sprintf("answer_%d", len(r.test.Calls)), Method: "GET", client: &expr.Client{Text: decoded, JSON: jsJSON}, at: r.span(item.start, item.end)}
	if strings.HasPrefix(item.at("name").string(), postmanSetUp) {
		c.Var = fmt.Sprintf("%s%d", setUpName, len(r.test.Calls))
	}
	c.Line = r.span(request.start, request.end).first
	c.Accept = "*/*"
	if method := request.at("method").string(); method != "" {
		c.Method = strings.ToUpper(method)
	}
	r.url(c, request)
	r.headers(c, request)
	if body := request.at("body"); body != nil {
		switch raw := body.at("raw"); {
		case body.at("mode").string() == "raw" && raw != nil:
			c.Body = variables.ReplaceAllString(raw.text, "\x00")
			c.Dynamic = strings.Contains(c.Body, "\x00")
			if !c.Dynamic {
				c.body = r.span(raw.start, raw.end)
			}
		case body.at("mode") != nil && body.at("mode").kind == jsonString:
			c.Dynamic = true
		}
	}
	r.test.Calls = append(r.test.Calls, c)
	for _, event := range item.at("event").elements() {
		if event.at("listen").string() != "test" {
			continue
		}
		if err := r.tests(c, event.at("script", "exec")); err != nil {
			return err
		}
	}
	return nil
}

// variables are Postman's places for values.
var variables = regexp.MustCompile(`\{\{[^{}]*\}\}`)

// headers reads those of a request.
func (r *postmanReader) headers(c *Call, request *jsonValue) {
	list := request.at("header")
	c.unclear = list != nil && list.kind == jsonString
	for _, h := range list.elements() {
		value := h.at("value")
		if off := h.at("disabled"); off != nil && off.text == "true" || value == nil || value.kind != jsonString {
			continue
		}
		own := header{h.at("key").string(), variables.ReplaceAllString(value.text, "\x00"), r.span(value.start, value.end)}
		if c.headers = append(c.headers, own); strings.EqualFold(own.name, "accept") {
			c.Accept = value.text
		}
	}
	if auth := request.at("auth"); auth != nil && auth.kind == jsonObject && auth.at("type").string() != "noauth" {
		if variables.MatchString(r.script.text[auth.start:auth.end]) {
			c.headers = append(c.headers, header{name: "Authorization", value: "\x00"})
		} else {
			c.unclear = true
		}
	}
}

// url reads where a request goes.
func (r *postmanReader) url(c *Call, request *jsonValue) {
	url := request.at("url")
	if request.kind == jsonString {
		url = request
	}
	raw := url
	if url != nil && url.kind == jsonObject {
		raw = url.at("raw")
	}
	if raw == nil || raw.kind != jsonString {
		c.Target = "\x00"
		return
	}
	c.target = r.span(url.start, url.end) // of an object, Postman does not read the whole that it holds too
	text := raw.text
	r.language.urls[c] = text
	for _, v := range url.at("variable").elements() {
		key, value := "/:"+v.at("key").string(), "/"+v.at("value").string()
		if i := strings.Index(text, key); i >= 0 && (i+len(key) == len(text) || strings.ContainsRune("/?#", rune(text[i+len(key)]))) {
			text = text[:i] + value + text[i+len(key):]
		}
	}
	text = variables.ReplaceAllStringFunc(text, func(v string) string {
		if value := r.vars[strings.Trim(v, "{} ")]; schemeAndHost.MatchString(value) {
			return value // the base URL: an environment may have another, of the same path
		}
		return "\x00"
	})
	if !schemeAndHost.MatchString(text) && !strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "\x00") {
		text = "http://" + text
	}
	if c.Target = pathOf(text); c.Target == "" || c.Target[0] == '?' {
		c.Target = "/" + c.Target
	}
}

// tests reads one script of a call.
func (r *postmanReader) tests(c *Call, exec *jsonValue) error {
	first := len(r.language.lines)
	var b strings.Builder
	var at []int // where each byte of the script stands in the file
	add := func(v *jsonValue, from, to int, array bool) {
		r.language.lines = append(r.language.lines, scriptLine{v.text[from:to], v.raw[from], v.raw[to], array, v.start})
		b.WriteString(v.text[from:to] + "\n")
		at = append(append(at, v.raw[from:to]...), v.raw[to])
	}
	switch {
	case exec == nil:
		return nil
	case exec.kind == jsonString:
		for from := 0; from < len(exec.text); {
			line := exec.text[from:]
			if i := strings.IndexByte(line, '\n'); i >= 0 {
				line = line[:i]
			}
			add(exec, from, from+len(line), false)
			from += len(line) + 1
		}
	default:
		for _, e := range exec.elements() {
			if e.kind == jsonString && !strings.ContainsAny(e.text, "\r\n") {
				add(e, 0, len(e.text), true)
			} else if e.kind == jsonString {
				return &SyntaxError{File: r.script.File, Line: r.span(e.start, e.end).first, Reason: "a line of a script that holds several"}
			}
		}
	}
	tokens, err := jsTokens(r.script.File, b.String())
	if err != nil {
		var e *SyntaxError
		if errors.As(err, &e) && first+e.Line-1 < len(r.language.lines) {
			start := r.language.lines[first+e.Line-1].start
			e.Line = r.span(start, start).first
		}
		return err
	}
	v := &postmanTest{postmanReader: r, call: c, tokens: tokens, at: at, text: b.String(), first: first}
	v.index = len(r.test.Calls) - 1
	v.reading = &jsReading{own: v.own, aliases: map[string]expr.Expr{}}
	v.block(jsBlock{0, len(tokens)}, jestContext{})
	return nil
}

// postmanTest reads one script.
type postmanTest struct {
	*postmanReader
	call    *Call
	index   int
	tokens  []jsToken
	at      []int
	text    string
	first   int // the first of its lines among all
	reading *jsReading
}

func (v *postmanTest) parser(b jsBlock) *jsParser {
	return &jsParser{tokens: v.tokens, pos: b.from, end: b.to}
}

func (v *postmanTest) block(b jsBlock, in jestContext) {
	if in.depth++; in.depth > maxNested {
		return
	}
	for p := v.parser(b); p.pos < p.end; {
		st := p.statement()
		under := in
		under.condition = true
		switch st.keyword {
		case "", "return":
			if st.x != nil {
				v.expression(st.x, st.first, st.last, in)
			}
		case "const", "let", "var":
			for i, name := range st.names {
				v.declare(name, st.values[i])
			}
		case "{":
			v.block(st.blocks[0], in)
		case "if":
			if !v.conditional(st, in) {
				for _, b := range st.blocks {
					v.block(b, under)
				}
			}
		case "try":
			v.block(st.blocks[0], in)
			v.block(st.blocks[1], under)
			v.block(st.blocks[2], in)
		case "for", "while", "do", "with":
			for _, b := range st.blocks {
				v.block(b, under)
			}
		default:
			v.unread(st.first, st.last)
		}
	}
}

// declare notes what a local name stands for.
func (v *postmanTest) declare(name string, value *jsNode) {
	delete(v.reading.aliases, name)
	v.reading.aliases[name] = nil
	if value != nil {
		if x, ok := v.reading.meaning(value); ok {
			v.reading.aliases[name] = x
		}
	}
}

// unread notes the assertions of what is not read.
func (v *postmanTest) unread(first, last int) {
	for i := first; i+1 < last; i++ {
		if v.tokens[i].is("expect") && v.tokens[i+1].is("(") || v.tokens[i].is("response") && v.tokens[i+1].is(".") && i+2 < last && v.tokens[i+2].is("to") {
			v.note(first, last).Reason = "it stands in code that is not read"
			return
		}
	}
}

// note adds an assertion that some tokens make.
func (v *postmanTest) note(first, last int) *Assertion {
	start, end := v.tokens[first].start, v.tokens[last-1].end
	a := &Assertion{Text: v.text[start:end], at: v.span(v.at[start], v.at[end])}
	a.File, a.Line, a.Test, a.Call = v.script.File, a.at.first, v.test.Name, v.index
	a.ours = v.ours(v.tokens[first].line)
	v.language.inline[a] = strings.HasSuffix(strings.TrimRight(v.text[:start], " \t\r\n"), "=>")
	v.test.Assertions = append(v.test.Assertions, a)
	return a
}

// ours reports whether the line above one of the script's is a comment of flaketap's.
func (v *postmanTest) ours(line int) bool {
	n := v.first + line - 2
	return line > 1 && n < len(v.language.lines) && strings.HasPrefix(strings.TrimLeft(v.language.lines[n].text, " \t"), "// "+commentMark)
}

// expression reads an expression that stands for itself.
func (v *postmanTest) expression(x *jsNode, first, last int, in jestContext) {
	object, name, args := x.method()
	switch {
	case object.is("pm") && name == "test" && len(args) == 2 && args[1].form == nodeFunction:
		if fn := args[1]; len(fn.args) == 1 {
			v.expression(fn.args[0], fn.args[0].first, fn.args[0].last, in)
		} else {
			v.block(jsBlock{fn.from, fn.to}, in)
		}
	case v.takes(x, object, name, args, first, last):
	case x.form == nodeBinary && x.text == "=" && x.args[0].form == nodeIndex && x.args[0].args[0].is("tests"):
		a := v.note(first, last)
		cond, ok := v.reading.truth(x.args[1])
		v.assertion(a, cond, ok, in, nil)
	case x.form == nodeBinary && x.text == "=" && x.args[0].form == nodeName:
		v.declare(x.args[0].text, x.args[1])
	default:
		if _, _, _, ok := chaiChain(x); !ok {
			v.unread(first, last)
			return
		}
		a := v.note(first, last)
		says, relation, ok := v.reading.chai(v.call.Var, x)
		a.Relation = relation
		v.assertion(a, says, ok, in, nil)
	}
}

// assertion fills in what an assertion means.
func (v *postmanTest) assertion(a *Assertion, x expr.Expr, ok bool, in jestContext, guards []expr.Expr) {
	switch {
	case in.condition:
		a.Reason = underCondition
	case !ok:
		a.Reason = "it asserts in a way that is not known"
	}
	relation := a.Relation
	a.Relation = ""
	if !ok {
		return
	}
	a.x = x
	if len(guards) > 0 {
		a.x = expr.Or{Xs: append(guards[:len(guards):len(guards)], x)}
		return
	}
	a.Relation = relation
	if in.condition || strings.HasPrefix(a.Text, "tests") || !(claims{v.test}).any(a, x) {
		a.Relation, a.Place, a.Value = "", "", ""
	}
	a.Call = v.index
}

// conditional reads if (…) pm.expect(…)…; where it is clear what that says, and reports whether it is.
func (v *postmanTest) conditional(st jsStatement, in jestContext) bool {
	if len(st.blocks) != 1 || st.x == nil || in.condition {
		return false
	}
	cond, ok := v.reading.truth(st.x)
	var says []jsStatement
	for p := v.parser(st.blocks[0]); p.pos < p.end; {
		inner := p.statement()
		if inner.keyword != "" || inner.x == nil {
			return false
		}
		if _, _, _, isChain := chaiChain(inner.x); !isChain {
			return false
		}
		says = append(says, inner)
	}
	if !ok || len(says) == 0 {
		return false
	}
	for _, inner := range says {
		first, last := inner.first, inner.last
		if len(says) == 1 {
			first, last = st.first, st.last
		}
		x, _, ok := v.reading.chai(v.call.Var, inner.x)
		v.assertion(v.note(first, last), x, ok, in, opposites(cond))
	}
	return true
}

// takes reads the setting of a variable: pm.environment.set("id", json.id).
func (v *postmanTest) takes(x, object *jsNode, name string, args []*jsNode, first, last int) bool {
	setter := object != nil && object.form == nodeMember && object.args[0].is("pm") && name == "set" ||
		object.is("postman") && strings.HasPrefix(name, "set") && strings.HasSuffix(name, "Variable")
	if !setter || len(args) != 2 || args[0].form != nodeString {
		return false
	}
	key := variableName(args[0].text)
	value, ok := v.reading.meaning(args[1])
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
	k := taking{name: key, x: value, at: v.span(v.at[v.tokens[first].start], v.at[v.tokens[last-1].end])}
	k.at.first = len(v.script.lines) + 1 // a script that fails keeps no other request from being sent
	v.test.takings = append(v.test.takings, k)
	return true
}

// variableName is the name that a variable of Postman's has among the names of a test; "" where it can have none.
func variableName(key string) string {
	if !jsIdentifier.MatchString("a" + key) {
		return ""
	}
	if own, ok := strings.CutPrefix(key, postmanVariable); ok {
		return setUpName + own
	}
	return "var_" + key
}
