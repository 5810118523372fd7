package jest

import (
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/jest/superagent"
	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/js/expect"
	"github.com/flaketap/flaketap/suite/script"
)

// dialect is EvoMaster's JavaScript format: Jest, superagent.
type dialect struct{}

// reader reads one file.
type reader struct {
	script  *script.Script
	tokens  []js.Token
	starts  []int             // where the lines begin, in bytes
	typed   bool              // TypeScript
	clients map[string]bool   // the names under which superagent is known
	texts   map[string]string // constants of the file that are texts
	known   map[string]bool   // all names that the file declares outside of tests
	titles  []string          // of the describes that we are in
	skipped bool
}

// read goes through the statements of the file: describe, test, and what they hold.
func (l dialect) read(s *script.Script) (script.Writer, error) {
	tokens, err := js.Tokens(s.File, s.Text)
	if err != nil {
		return script.Writer{}, err
	}
	r := &reader{script: s, tokens: tokens, starts: script.LineStarts(s), clients: map[string]bool{},
		texts: map[string]string{}, known: map[string]bool{}}
	r.typed = strings.HasSuffix(strings.ToLower(path.Ext(s.File)), "ts")
	r.imports()
	if len(r.clients) > 0 && r.generated() {
		r.block(js.Block{From: 0, To: len(tokens)}, 0)
	}
	if len(s.Tests) == 0 {
		return script.Writer{}, &script.SyntaxError{File: s.File,
			Reason: "no tests of EvoMaster's Jest format: no test() in a file that uses superagent", NoTests: true}
	}
	return l.writer(), nil
}

// generated reports whether the file has the names that EvoMaster gives. People use superagent too, in other ways.
func (r *reader) generated() bool {
	return slices.ContainsFunc(r.tokens, func(t js.Token) bool { return t.Is("baseUrlOfSut") || t.Is("EM") })
}

// imports finds the names that the file gives the HTTP library.
func (r *reader) imports() {
	for i, t := range r.tokens {
		if t.Kind != js.JsString || t.Text != "superagent" {
			continue
		}
		switch {
		case i >= 4 && r.tokens[i-1].Is("(") && r.tokens[i-2].Is("require") && r.tokens[i-3].Is("="):
			r.clients[r.tokens[i-4].Text] = true
		case i >= 2 && r.tokens[i-1].Is("from"):
			r.clients[r.tokens[i-2].Text] = true
		}
	}
}

// parser reads a block of the file.
func (r *reader) parser(b js.Block) *js.Parser {
	return &js.Parser{Tokens: r.tokens, Pos: b.From, End: b.To, Typed: r.typed}
}

// block reads statements outside of tests.
func (r *reader) block(b js.Block, depth int) {
	if depth > js.MaxNested {
		return
	}
	for p := r.parser(b); p.Pos < p.End; {
		st := p.Statement()
		for i, name := range st.Names {
			r.known[name] = true
			if x := st.Values[i]; x != nil {
				if text := r.text(x, nil); !strings.Contains(text, "\x00") {
					r.texts[name] = text
				}
			}
		}
		if st.Keyword == "?" {
			r.declared(st)
		}
		if st.Keyword == "" && st.X != nil {
			r.topLevel(st, depth)
		}
	}
}

// declared notes the names in statements that are not read: imports, functions, classes.
func (r *reader) declared(st js.Statement) {
	for _, t := range r.tokens[st.First:min(st.Last, st.First+50)] {
		if t.Kind == js.Word {
			r.known[t.Text] = true
		}
	}
}

// topLevel reads a call of describe or test, with what hangs on it: test.skip, it.each(…).
func (r *reader) topLevel(st js.Statement, depth int) {
	x := st.X
	if x.Form != js.NodeCall || len(x.Args) < 3 {
		return
	}
	callee := x.Args[0]
	skip := false
	for callee.Form == js.NodeMember || callee.Form == js.NodeCall {
		skip = skip || callee.Form == js.NodeMember && (callee.Text == "skip" || callee.Text == "todo")
		callee = callee.Args[0]
	}
	title, fn := r.text(x.Args[1], nil), x.Args[2]
	if callee.Form != js.NodeName || fn.Form != js.NodeFunction {
		return
	}
	skipped := r.skipped
	r.skipped = skipped || skip || strings.HasPrefix(callee.Text, "x")
	switch callee.Text {
	case "describe", "xdescribe", "fdescribe":
		r.titles = append(r.titles, title)
		r.block(js.Block{From: fn.From, To: fn.To}, depth+1)
		r.titles = r.titles[:len(r.titles)-1]
	case "test", "it", "xtest", "xit", "fit":
		r.test(st, title, fn)
	}
	r.skipped = skipped
}

// span makes a span of the bytes from start to end.
func (r *reader) span(start, end int) script.Span {
	line := func(pos int) int { return sort.SearchInts(r.starts, pos+1) }
	at := script.Span{FirstLine: line(start), LastLine: line(max(start, end-1)), Start: start, End: end}
	if before := r.script.Text[r.starts[at.FirstLine-1]:start]; strings.Trim(before, " \t") == "" {
		at.Indent = before
	}
	return at
}

// spanOf makes the span of some tokens, the second bound behind the last one.
func (r *reader) spanOf(first, last int) script.Span {
	return r.span(r.tokens[first].Start, r.tokens[max(first, last-1)].End)
}

// test reads one test.
func (r *reader) test(st js.Statement, title string, fn *js.Node) {
	name := strings.Join(append(slices.Clone(r.titles), title), " ")
	t := &script.Test{Name: name, Head: r.spanOf(st.First, st.Last), Skipped: r.skipped}
	t.Line = t.Head.FirstLine
	r.script.Tests = append(r.script.Tests, t)
	v := &testReading{reader: r, test: t, assigned: map[string]bool{}, answers: map[*js.Node]string{}}
	v.reading = &js.Reading{Own: v.own, Aliases: map[string]expr.Expr{}}
	body := js.Block{From: fn.From, To: fn.To}
	if fn.To < len(r.tokens) && r.tokens[fn.To].Is("}") && fn.From < fn.To {
		first, closing := r.spanOf(fn.From, fn.From+1), r.spanOf(fn.To, fn.To+1)
		named := r.clients["superagent"] // what is written into a test uses it by that name
		if named && first.FirstLine > r.tokens[fn.From-1].Line && closing.FirstLine > first.FirstLine && r.ownLine(first) &&
			r.ownLine(closing) {
			t.BodyStart, t.BodyEnd, t.Indent = r.starts[first.FirstLine-1], r.starts[closing.FirstLine-1], first.Indent
		}
	}
	v.block(body, js.Context{})
}

// ownLine reports whether a span begins on a line of its own.
func (r *reader) ownLine(at script.Span) bool {
	return at.Start-len(at.Indent) == r.starts[at.FirstLine-1]
}

// text evaluates a string expression as far as it is written out; the rest becomes a NUL. local holds the texts of a
// test.
func (r *reader) text(x *js.Node, local map[string]string) string {
	switch x.Form {
	case js.NodeString:
		return x.Text
	case js.NodeNumber:
		return x.Text
	case js.NodeTemplate:
		text := x.Keys[0]
		for i, hole := range x.Args {
			text += r.text(hole, local) + x.Keys[i+1]
		}
		return text
	case js.NodeBinary:
		switch x.Text {
		case "+":
			return r.text(x.Args[0], local) + r.text(x.Args[1], local)
		case "||", "??":
			return r.text(x.Args[1], local)
		}
	case js.NodeName:
		if text, ok := local[x.Text]; ok {
			return text
		}
		if x.Text == "baseUrlOfSut" {
			return ""
		}
		if text, ok := r.texts[x.Text]; ok {
			return text
		}
	}
	return "\x00"
}

// Dialect is EvoMaster's format for Jest.
func Dialect() script.Dialect {
	return script.Dialect{Name: "EvoMaster's tests for Jest (.js, .mjs, .cjs, .ts)",
		Extensions: []string{".js", ".mjs", ".cjs", ".ts"}, Mark: "// ", Read: dialect{}.read}
}

func (l dialect) writer() script.Writer {
	return script.Writer{Assert: l.write, Disable: l.disable, Path: l.path, Behind: l.behind, SkipInPlace: l.skipped,
		Graft: &script.Grafter{SetUp: superagent.SetUp, URL: superagent.URL, Body: superagent.Body,
			Header: superagent.Header, Fresh: l.freshText}}
}

// words names answers as superagent does, and asserts with Jest's matchers.
func words() js.Words {
	return js.Words{
		Part: superagent.Part,
		Header: func(name, key string) (string, bool) {
			return name + ".header" + "[" + literal.JavaScript(key) + "]", true
		},
		Say: expect.Says,
	}
}

// write keeps an assertion one line.
func (dialect) write(s *script.Script, _ *script.Test, a *script.Assertion, x expr.Expr) (string, bool) {
	return js.NewWriter(words(), a).Line(x, inlineBody(s, a.At))
}

// behind writes lines where an assertion has its own.
func (dialect) behind(s *script.Script, t *script.Test, a *script.Assertion, adds []script.Addition) (script.Edit,
	bool) {
	edit, ok := script.Lines(s, t, a, adds)
	return edit, ok && !inlineBody(s, a.At)
}

// inlineBody reports whether a span is the body of an arrow function that has no braces.
func inlineBody(s *script.Script, at script.Span) bool {
	return strings.HasSuffix(strings.TrimRight(s.Text[:at.Start], " \t\r\n"), "=>")
}

// disable comments the assertion out. What stands behind it on its last line goes on a line of its own.
func (dialect) disable(s *script.Script, a *script.Assertion) []script.Edit {
	edits := s.CommentOut(a.At)
	for i, edit := range edits { // the lines behind the first stand as far in as that, which prettier would have them do
		if i > 0 && strings.HasPrefix(s.Text[edit.Start:], a.At.Indent) {
			edits[i].Start += len(a.At.Indent)
			edits[i].End = edits[i].Start
		}
	}
	if inlineBody(s, a.At) {
		edits[0].Text = "{} " + edits[0].Text
	}
	rest := s.Text[a.At.End:]
	if i := strings.IndexAny(rest, "\r\n"); i >= 0 {
		rest = rest[:i]
	}
	if rest = strings.TrimLeft(rest, " \t"); rest != "" && !strings.HasPrefix(rest, "//") {
		edits = append(edits, script.Edit{Start: a.At.End, End: a.At.End, Text: script.LineEnd(s.Lines[0]) + a.At.Indent})
	}
	return edits
}

// skipped marks the definition of a test: test.skip("…").
func (dialect) skipped(s *script.Script, t *script.Test) []script.Edit {
	for _, name := range []string{"test", "it"} {
		if at := t.Head.Start + len(name); strings.HasPrefix(s.Text[t.Head.Start:], name+"(") {
			return []script.Edit{{Start: at, End: at, Text: ".skip"}}
		}
	}
	return nil
}

// path names a member of a body as the suite does: .items[0].id.
func (dialect) path(t *script.Test, a *script.Assertion, subject expr.Expr) string {
	w := js.NewWriter(words(), a)
	return strings.TrimPrefix(w.Value(subject), t.Calls[a.Call].Var+".body")
}
