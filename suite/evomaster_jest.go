package suite

import (
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
)

// jest is EvoMaster's JavaScript format: Jest, superagent. What people write in that style is read too.
type jest struct{}

// jestReader reads one file.
type jestReader struct {
	script  *Script
	tokens  []jsToken
	starts  []int             // where the lines begin, in bytes
	typed   bool              // TypeScript
	clients map[string]bool   // the names under which superagent and supertest are known
	texts   map[string]string // constants of the file that are texts
	known   map[string]bool   // all names that the file declares outside of tests
	titles  []string          // of the describes that we are in
	skipped bool
}

// read goes through the statements of the file: describe, test, and what they hold.
func (jest) read(s *Script) error {
	tokens, err := jsTokens(s.File, s.text)
	if err != nil {
		return err
	}
	r := &jestReader{script: s, tokens: tokens, starts: lineStarts(s), clients: map[string]bool{}, texts: map[string]string{}, known: map[string]bool{}}
	r.typed = strings.HasSuffix(strings.ToLower(path.Ext(s.File)), "ts")
	r.imports()
	if len(r.clients) > 0 {
		r.block(jsBlock{0, len(tokens)}, 0)
	}
	if len(s.Tests) == 0 {
		return &SyntaxError{File: s.File, Reason: "no tests of EvoMaster's Jest format: no test() in a file that uses superagent", NoTests: true}
	}
	return nil
}

// lineStarts lists where the lines of a script begin, in bytes.
func lineStarts(s *Script) []int {
	out := make([]int, len(s.lines))
	pos := 0
	for i, l := range s.lines {
		out[i] = pos
		pos += len(l)
	}
	return out
}

// imports finds the names that the file gives the HTTP library.
func (r *jestReader) imports() {
	for i, t := range r.tokens {
		if t.kind != jsString || t.text != "superagent" && t.text != "supertest" {
			continue
		}
		switch {
		case i >= 4 && r.tokens[i-1].is("(") && r.tokens[i-2].is("require") && r.tokens[i-3].is("="):
			r.clients[r.tokens[i-4].text] = true
		case i >= 2 && r.tokens[i-1].is("from"):
			r.clients[r.tokens[i-2].text] = true
		}
	}
}

// parser reads a block of the file.
func (r *jestReader) parser(b jsBlock) *jsParser {
	return &jsParser{tokens: r.tokens, pos: b.from, end: b.to, typed: r.typed}
}

// block reads statements outside of tests.
func (r *jestReader) block(b jsBlock, depth int) {
	if depth > maxNested {
		return
	}
	for p := r.parser(b); p.pos < p.end; {
		st := p.statement()
		for i, name := range st.names {
			r.known[name] = true
			if x := st.values[i]; x != nil {
				if text := r.text(x, nil); !strings.Contains(text, "\x00") {
					r.texts[name] = text
				}
			}
		}
		if st.keyword == "?" {
			r.declared(st)
		}
		if st.keyword == "" && st.x != nil {
			r.topLevel(st, depth)
		}
	}
}

// declared notes the names in statements that are not read: imports, functions, classes.
func (r *jestReader) declared(st jsStatement) {
	for _, t := range r.tokens[st.first:min(st.last, st.first+50)] {
		if t.kind == jsWord {
			r.known[t.text] = true
		}
	}
}

// topLevel reads a call of describe or test, with what hangs on it: test.skip, it.each(…).
func (r *jestReader) topLevel(st jsStatement, depth int) {
	x := st.x
	if x.form != nodeCall || len(x.args) < 3 {
		return
	}
	callee := x.args[0]
	skip := false
	for callee.form == nodeMember || callee.form == nodeCall {
		skip = skip || callee.form == nodeMember && (callee.text == "skip" || callee.text == "todo")
		callee = callee.args[0]
	}
	title, fn := r.text(x.args[1], nil), x.args[2]
	if callee.form != nodeName || fn.form != nodeFunction {
		return
	}
	skipped := r.skipped
	r.skipped = skipped || skip || strings.HasPrefix(callee.text, "x")
	switch callee.text {
	case "describe", "xdescribe", "fdescribe":
		r.titles = append(r.titles, title)
		r.block(jsBlock{fn.from, fn.to}, depth+1)
		r.titles = r.titles[:len(r.titles)-1]
	case "test", "it", "xtest", "xit", "fit":
		r.test(st, title, fn)
	}
	r.skipped = skipped
}

// span makes a span of the bytes from start to end.
func (r *jestReader) span(start, end int) span {
	line := func(pos int) int { return sort.SearchInts(r.starts, pos+1) }
	at := span{first: line(start), last: line(max(start, end-1)), start: start, end: end}
	if before := r.script.text[r.starts[at.first-1]:start]; strings.Trim(before, " \t") == "" {
		at.indent = before
	}
	return at
}

// spanOf makes the span of some tokens, the second bound behind the last one.
func (r *jestReader) spanOf(first, last int) span {
	return r.span(r.tokens[first].start, r.tokens[max(first, last-1)].end)
}

// test reads one test.
func (r *jestReader) test(st jsStatement, title string, fn *jsNode) {
	name := strings.Join(append(slices.Clone(r.titles), title), " ")
	t := &Test{Name: name, head: r.spanOf(st.first, st.last), skipped: r.skipped}
	t.Line = t.head.first
	r.script.Tests = append(r.script.Tests, t)
	v := &jestTest{jestReader: r, test: t, assigned: map[string]bool{}, answers: map[*jsNode]string{}}
	v.reading = &jsReading{own: v.own, aliases: map[string]expr.Expr{}}
	body := jsBlock{fn.from, fn.to}
	if fn.to < len(r.tokens) && r.tokens[fn.to].is("}") && fn.from < fn.to {
		first, closing := r.spanOf(fn.from, fn.from+1), r.spanOf(fn.to, fn.to+1)
		named := r.clients["superagent"] // what is written into a test uses it by that name
		if named && first.first > r.tokens[fn.from-1].line && closing.first > first.first && r.ownLine(first) && r.ownLine(closing) {
			t.open, t.end, t.indent = r.starts[first.first-1], r.starts[closing.first-1], first.indent
		}
	}
	v.block(body, jestContext{})
}

// ownLine reports whether a span begins on a line of its own.
func (r *jestReader) ownLine(at span) bool { return at.start-len(at.indent) == r.starts[at.first-1] }

// text evaluates a string expression as far as it is written out; the rest becomes a NUL. local holds the texts of a test.
func (r *jestReader) text(x *jsNode, local map[string]string) string {
	switch x.form {
	case nodeString:
		return x.text
	case nodeNumber:
		return x.text
	case nodeTemplate:
		text := x.keys[0]
		for i, hole := range x.args {
			text += r.text(hole, local) + x.keys[i+1]
		}
		return text
	case nodeBinary:
		switch x.text {
		case "+":
			return r.text(x.args[0], local) + r.text(x.args[1], local)
		case "||", "??":
			return r.text(x.args[1], local)
		}
	case nodeName:
		if text, ok := local[x.text]; ok {
			return text
		}
		if x.text == "baseUrlOfSut" {
			return ""
		}
		if text, ok := r.texts[x.text]; ok {
			return text
		}
	}
	return "\x00"
}

func (jest) mark() string { return "// " }

// jestDialect names answers as superagent does, and asserts with Jest's matchers.
func jestDialect() jsDialect {
	return jsDialect{
		part: func(name string, what expr.Part) (string, bool) {
			part := map[expr.Part]string{expr.Status: ".status", expr.Text: ".text", expr.JSON: ".body"}[what]
			return name + part, part != ""
		},
		header: func(name, key string) (string, bool) {
			return name + ".header" + "[" + jsQuoted(key) + "]", true
		},
		say: jestSays,
	}
}

func jestSays(v jsVerb, l, r string) string {
	e := "expect(" + l + ")"
	switch v {
	case saysEqual:
		return e + ".toBe(" + r + ")"
	case saysDeepEqual:
		return e + ".toEqual(" + r + ")"
	case saysDiffers:
		return e + ".not.toBe(" + r + ")"
	case saysDeepDiffer:
		return e + ".not.toEqual(" + r + ")"
	case saysOneOf:
		return "expect(" + r + ").toContain(" + l + ")"
	case saysContains:
		return e + ".toContain(" + r + ")"
	case saysLacks:
		return e + ".not.toContain(" + r + ")"
	case saysMatches:
		return e + ".toMatch(" + r + ")"
	case saysLess:
		return e + ".toBeLessThan(" + r + ")"
	case saysAtMost:
		return e + ".toBeLessThanOrEqual(" + r + ")"
	case saysGreater:
		return e + ".toBeGreaterThan(" + r + ")"
	case saysAtLeast:
		return e + ".toBeGreaterThanOrEqual(" + r + ")"
	case saysDefined:
		return e + ".toBeDefined()"
	case saysFilled:
		return e + ".toBeTruthy()"
	case saysUndefined:
		return e + ".toBeUndefined()"
	case saysProperty:
		return e + ".toHaveProperty([" + r + "])"
	case saysType:
		if r == "array" {
			return "expect(Array.isArray(" + l + ")).toBe(true)"
		}
		return "expect(typeof " + l + ").toBe(" + jsQuoted(r) + ")"
	}
	return e + ".toBe(true)"
}

// write keeps an assertion one line.
func (jest) write(s *Script, _ *Test, a *Assertion, x expr.Expr) (string, bool) {
	return newJSWriter(jestDialect(), a).line(x, inlineBody(s, a.at))
}

// inlineBody reports whether a span is the body of an arrow function that has no braces.
func inlineBody(s *Script, at span) bool {
	return strings.HasSuffix(strings.TrimRight(s.text[:at.start], " \t\r\n"), "=>")
}

// disable comments the assertion out. What stands behind it on its last line goes on a line of its own.
func (jest) disable(s *Script, a *Assertion) []edit {
	edits := s.commentOut(a.at)
	if inlineBody(s, a.at) {
		edits[0].text = "{} " + edits[0].text
	}
	rest := s.text[a.at.end:]
	if i := strings.IndexAny(rest, "\r\n"); i >= 0 {
		rest = rest[:i]
	}
	if rest = strings.TrimLeft(rest, " \t"); rest != "" && !strings.HasPrefix(rest, "//") {
		edits = append(edits, edit{a.at.end, a.at.end, lineEnd(s.lines[0]) + a.at.indent})
	}
	return edits
}

// lenient has nothing to do: what an answer lacks is undefined.
func (jest) lenient(*Script, *taking) (string, expr.Expr, bool) { return "", nil, false }

func (jest) unset(*Call) ([]string, bool) { return nil, false }

// skip has no line to add: the test is marked where it is defined, see skipped.
func (jest) skip(string) string { return "" }

// skipped marks the definition of a test: test.skip("…").
func (jest) skipped(s *Script, t *Test) []edit {
	for _, name := range []string{"test", "it"} {
		if at := t.head.start + len(name); strings.HasPrefix(s.text[t.head.start:], name+"(") {
			return []edit{{at, at, ".skip"}}
		}
	}
	return nil
}

// path names a member of a body as the suite does: .items[0].id.
func (jest) path(t *Test, a *Assertion, subject expr.Expr) string {
	w := newJSWriter(jestDialect(), a)
	return strings.TrimPrefix(w.value(subject), t.Calls[a.Call].Var+".body")
}

// place returns the relation that the matcher of an expectation means by "in".
func (e expectation) relation() exchange.Relation {
	if e.matcher == "toHaveProperty" || e.matcher == "toBeDefined" {
		return exchange.Present
	}
	return ""
}
