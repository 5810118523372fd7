package jvm

import (
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/jvm/before"
	"github.com/flaketap/flaketap/suite/jvm/link"
	"github.com/flaketap/flaketap/suite/jvm/polling"
	"github.com/flaketap/flaketap/suite/kotlin"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/suite/snapshot"
)

// WrittenJava is the format of tests in Java that people write: for JUnit or TestNG, with REST-assured, the JDK's own
// HTTP client or OkHttp.
func WrittenJava() script.Dialect {
	return script.Dialect{Name: "tests for JUnit or TestNG that use REST-assured, java.net.http or OkHttp (.java)",
		Extensions: []string{".java"}, Mark: "// ", Read: readWritten}
}

// WrittenKotlin is the format of such tests in Kotlin.
func WrittenKotlin() script.Dialect {
	return script.Dialect{Name: "tests for JUnit or TestNG that use REST-assured, java.net.http or OkHttp (.kt)",
		Extensions: []string{".kt"}, Mark: "// ", Read: func(s *script.Script) (script.Writer, error) {
			if _, err := java.LexKotlin(s.File, s.Text); err != nil {
				return script.Writer{}, err
			}
			text := java.Among(s, java.LexKotlin)
			module, err := kotlin.Read(s.File, text)
			if err != nil {
				return script.Writer{}, err
			}
			return readModule(s, &dialect{kotlin: true}, module, text)
		}}
}

// written is a file of such tests.
type written struct {
	*dialect
	script *script.Script
	module *java.File
	forms  map[int]form    // how assertions are written, by where they begin
	shared map[int]bool    // where assertions begin in methods that tests share, which are listed once
	rounds map[int]*rounds // what assertions say in several runs, by where they begin
	// assertions of methods that do nothing but assert, which are said where these are called
	helpers     map[int]script.Span
	rooted      map[string]bool // answers whose paths begin elsewhere, by the variables of their calls
	actualFirst bool            // what is asserted stands before what is expected, as in TestNG
	follows     bool            // a client of the JDK's goes where it is redirected
	text        string          // of the file, and behind it of those that define its classes
	renames     bool            // Jackson's names are not those of members
	grafts      *before.File
	reads       map[*script.Call]int            // where expressions end that give answers, in bytes
	valued      map[*script.Call]*polling.Value // what statements give names that other clients read
	approved    map[int]*approved               // assertions that compare with approved texts, by where they begin
	approvals   snapshot.Approvals
}

// readWritten reads the methods of a file, and follows each test through those that it calls.
func readWritten(s *script.Script) (script.Writer, error) {
	if _, err := java.LexWritten(s.File, s.Text); err != nil {
		return script.Writer{}, err
	}
	text := java.Among(s, java.LexWritten)
	tokens, err := java.LexWritten(s.File, text)
	if err != nil {
		return script.Writer{}, err
	}
	return readModule(s, &dialect{}, java.Read(tokens), text)
}

func readModule(s *script.Script, d *dialect, module *java.File, text string) (script.Writer, error) {
	w := &written{dialect: d, script: s, module: module, forms: map[int]form{}, rounds: map[int]*rounds{},
		helpers: map[int]script.Span{},
		shared:  map[int]bool{},
		rooted:  map[string]bool{}, follows: strings.Contains(text, "Redirect.NORMAL") || strings.Contains(text, "Redirect.ALWAYS"),
		text: text, renames: renamesMembers(text),
		grafts: before.New(s, module), reads: map[*script.Call]int{}, valued: map[*script.Call]*polling.Value{},
		approved: map[int]*approved{}, approvals: snapshot.Approvals{}}
	r := &reader{Parser: w.module.Parser, dialect: w.dialect, script: s}
	w.old = !r.mentions("org", ".", "junit", ".", "jupiter")
	w.actualFirst = r.mentions("org", ".", "testng")
	w.style = link.StyleOf(s.Text, d.kotlin)
	for w.style.Response = "answer"; strings.Contains(s.Text, w.style.Response); {
		w.style.Response += "_"
	}
	w.grafts.Kotlin = d.kotlin
	calls, turns := 0, w.module.Turns()
	for _, f := range w.module.Methods {
		if test, _ := f.IsTest(); test && w.holds(f.Head) {
			t, many := w.test(f)
			calls += len(t.Calls)
			t.Turn = turns[f.Class] + w.module.Order(f, s.Text)
			s.Tests = append(s.Tests, t)
			w.grafts.Methods[t], w.grafts.Many[t] = f, many
		}
	}
	if calls == 0 {
		return script.Writer{}, &script.SyntaxError{File: s.File, Reason: "no tests that send requests: no methods with @Test " +
			"that send one with REST-assured, java.net.http or OkHttp", NoTests: true}
	}
	w.listed()
	out := script.Writer{Assert: w.laid, Disable: w.disable, Path: w.path, Skip: w.skip, Above: above,
		Elsewhere: w.elsewhere, Poll: w.poll, Graft: w.grafts.Grafter()}
	if w.kotlin {
		out.Above = kotlin.Above
	} else {
		out.Escape = escaped
	}
	return out, nil
}

// above writes lines above an assertion of Java.
func above(s *script.Script, at script.Span, lines []string) []script.Edit {
	return java.Above(s, at, linkIndent, lines)
}

// test follows one test.
func (w *written) test(f *java.Method) (t *script.Test, many bool) {
	head := w.span(f.Head, f.Keyword+1)
	t = &script.Test{Name: f.Name, Line: head.FirstLine, Head: head, Skipped: f.Skipped}
	if f.Open+1 < f.Close {
		first, last := w.span(f.Open+1, f.Open+2), w.span(f.Close-1, f.Close)
		t.BodyStart, t.BodyEnd, t.Indent = first.Start-len(first.Indent), last.End, first.Indent
	}
	w.rooted = map[string]bool{}
	runs, many := w.runsOf(f)
	if runs == nil {
		run := w.follower(t, f)
		run.many = many
		run.follows(f)
		for _, c := range t.Calls {
			c.Many = c.Many || many && c.Once == ""
		}
		return t, many
	}
	all := &rows{said: map[int]*rounds{}}
	for _, values := range runs {
		run := w.follower(t, f)
		run.rows, run.values = all, values
		run.follows(f)
		all.anew(t)
	}
	all.ends()
	return t, true
}

// follower is one that has not begun with a test yet.
func (w *written) follower(t *script.Test, f *java.Method) *follower {
	return &follower{file: w, test: t, class: f.Class, env: map[string]java.Node{}, moved: map[string]bool{},
		site: w.span(f.Head, f.Keyword+1), nodes: new(int), throws: w.mayThrow(f)}
}

// follows follows a run of a test.
func (r *follower) follows(f *java.Method) {
	if r.rows != nil {
		r.rows.from = len(r.test.Calls)
	}
	for _, first := range r.file.module.Before(f.Class) {
		sent := len(r.test.Calls)
		r.inline(first, nil, "")
		script.SentByHook(r.test.Calls[sent:], r.file.module.OnceFor(first, f.Class))
	}
	for _, p := range f.Params {
		r.env[p.Name] = java.Opaque{What: "the parameter " + p.Name}
	}
	if r.rows != nil {
		r.rows.takes(r, f.Params, r.values)
	}
	r.own = true
	r.block(f.Open+1, f.Close)
}

// span is the piece of the file from one token to before another.
func (w *written) span(from, to int) script.Span {
	return (&reader{Parser: w.module.Parser, script: w.script}).span(from, to)
}

// holds reports whether a token is one of the file, and not of those beside it.
func (w *written) holds(token int) bool { return w.module.Tokens[token].End <= len(w.script.Text) }

// source is the text of tokens.
func (w *written) source(from, to int) string {
	if from >= to || !w.holds(to-1) {
		return ""
	}
	return w.script.Text[w.module.Tokens[from].Start:w.module.Tokens[to-1].End]
}

// skip is the annotation that keeps a test from running.
func (w *written) skip(reason string) string {
	if w.actualFirst {
		return "@org.testng.annotations.Ignore(" + w.literal("flaketap: "+reason) + ")"
	}
	return w.dialect.skip(reason)
}

// path names what an assertion looks at as the test does.
func (w *written) path(t *script.Test, a *script.Assertion, subject expr.Expr) string {
	if f := w.forms[a.At.Start]; f.subject.source != "" {
		return f.subject.source
	}
	if of := w.rounds[a.At.Start]; of != nil {
		if n, ok := of.Of(subject); ok && n >= 0 {
			a, subject = of.last(a), of.Renamed(n, subject)
		}
	}
	return w.dialect.path(t, a, subject)
}

// disable comments an assertion out. What stands without braces in an if or a lambda becomes an empty statement.
func (w *written) disable(s *script.Script, a *script.Assertion) []script.Edit {
	at, f := a.At, w.forms[a.At.Start]
	if one := w.approved[at.Start]; one != nil && one.sends && !f.in.bare { // what it sends is sent still
		mark := map[bool]string{true: "", false: ";"}[w.kotlin]
		sent := one.call.Value + mark + script.LineEnd(s.Lines[at.FirstLine-1]) + at.Indent
		return append([]script.Edit{{Start: at.Start, End: at.Start, Text: sent}}, s.CommentOut(at)...)
	}
	if strings.HasPrefix(a.Text, ".") {
		edits := link.Disable(s, a)
		if f.named && !w.kotlin {
			edits[0].Text = ".and() " + edits[0].Text
		}
		return edits
	}
	rest, _, _ := strings.Cut(s.Text[at.End:], "\n")
	code := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(rest), ";"))
	before := s.Text[strings.LastIndexAny(s.Text[:at.Start], "\r\n")+1 : at.Start]
	alone := (code == "" || strings.HasPrefix(code, "//")) && (at.FirstLine == at.LastLine || strings.TrimSpace(before) == "") &&
		(w.kotlin || !f.in.lambda && strings.HasPrefix(strings.TrimSpace(rest), ";"))
	none := ""
	switch {
	case w.kotlin && (f.in.lambda || f.in.bare):
		none = "Unit "
	case f.in.lambda:
		none = "{ }"
	case f.in.bare && alone:
		none = "; "
	}
	switch {
	case alone:
		edits := s.CommentOut(at)
		edits[0].Text = none + edits[0].Text
		return edits
	case strings.Contains(a.Text, "*/"), w.kotlin && strings.Contains(a.Text, "/*"): // Kotlin's comments nest
		eol := script.LineEnd(s.Lines[at.FirstLine-1])
		if eol == "" {
			eol = "\n"
		}
		text := strings.ReplaceAll(strings.ReplaceAll(s.Text[at.Start:at.End], "\r\n", "\n"), "\n", eol+"// ")
		return []script.Edit{{Start: at.Start, End: at.End, Text: "// " + text + eol + at.Indent + none}}
	}
	return []script.Edit{{Start: at.Start, End: at.Start, Text: none + " /* "}, {Start: at.End, End: at.End, Text: " */"}}
}
