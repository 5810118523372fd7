package jvm

import (
	"strings"

	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/jvm/link"
	"github.com/flaketap/flaketap/suite/jvm/meaning"
	"github.com/flaketap/flaketap/suite/script"
)

// dialect is EvoMaster's format for the JVM: JUnit 4 or 5, REST-assured, in Java or in Kotlin.
type dialect struct {
	kotlin bool
	old    bool // JUnit 4, as the file's imports say
	style  link.Style
}

// Java is the format in Java.
func Java() script.Dialect {
	return script.Dialect{Name: "EvoMaster's tests in Java (.java)", Extensions: []string{".java"}, Mark: "// ",
		Read: func(s *script.Script) (script.Writer, error) { return (&dialect{}).read(s) }}
}

// Kotlin is the format in Kotlin.
func Kotlin() script.Dialect {
	return script.Dialect{Name: "EvoMaster's tests in Kotlin (.kt)", Extensions: []string{".kt"}, Mark: "// ",
		Read: func(s *script.Script) (script.Writer, error) { return (&dialect{kotlin: true}).read(s) }}
}

func (j *dialect) writer() script.Writer {
	w := script.Writer{Assert: j.write, Disable: link.Disable, Path: j.path, Behind: j.behind, Define: j.define,
		Skip:  j.skip,
		Graft: &script.Grafter{SetUp: j.setUp, URL: j.url, Body: j.payload, Header: j.header, Fresh: j.fresh}}
	if !j.kotlin {
		w.Escape = escaped
	}
	return w
}

// escaped keeps a backslash from beginning an escape: Java reads those of characters before it knows what a comment is
// (JLS 3.3).
func escaped(text string) string { return strings.ReplaceAll(text, `\`, `\\`) }

// reader reads a file to a script.
type reader struct {
	java.Parser
	*dialect
	script *script.Script
	outer  map[string]bool // names that stand outside of tests: fields, helpers
	mends  []script.GeneratorBug

	test     *script.Test
	declared map[string]bool // the names that the test has declared so far
	depth    int             // of blocks
	call     int             // the one whose answer the assertions are about that are being read
}

// read goes through the classes and what they hold. What the generator wrote wrong is read again as it ought to have
// been written.
func (j *dialect) read(s *script.Script) (script.Writer, error) {
	mends, err := j.readTests(s)
	if err != nil || len(mends) == 0 {
		return j.writer(), err
	}
	var b strings.Builder
	at := 0
	s.GeneratorBugs = map[int]script.GeneratorBug{}
	for _, m := range mends {
		b.WriteString(s.Text[at:m.At.Start])
		b.WriteString(m.After)
		at = m.At.End
		s.GeneratorBugs[m.At.FirstLine] = m
	}
	b.WriteString(s.Text[at:])
	s.Text, s.Tests = b.String(), nil
	s.Lines = script.SplitLines(s.Text)
	_, err = j.readTests(s)
	return j.writer(), err
}

func (j *dialect) readTests(s *script.Script) ([]script.GeneratorBug, error) {
	if !generated(s.Text) {
		return nil, &script.SyntaxError{File: s.File, Reason: "no tests of EvoMaster's: nothing in the file is named as it does",
			NoTests: true}
	}
	tokens, err := java.Lex(s.File, s.Text, j.kotlin)
	if err != nil {
		return nil, err
	}
	r := &reader{Parser: java.Parser{Tokens: tokens, Match: java.Matches(tokens)}, dialect: j, script: s,
		outer: map[string]bool{}}
	j.old = !r.mentions("org", ".", "junit", ".", "jupiter")
	j.style = link.StyleOf(s.Text, j.kotlin)
	methods := r.methods()
	if len(methods) == 0 || !r.mentions("io", ".", "restassured") {
		return nil, &script.SyntaxError{File: s.File,
			Reason: "no tests of EvoMaster's JUnit formats: no methods with @Test in a file that uses io.restassured"}
	}
	for _, m := range methods {
		if err := r.method(m); err != nil {
			return nil, err
		}
	}
	return r.mends, nil
}

// generated reports whether a file has names that EvoMaster gives: people's tests are of another dialect.
func generated(text string) bool {
	return strings.Contains(text, meaning.BaseURL) || strings.Contains(strings.ToLower(text), "evomaster")
}

// mentions reports whether these tokens stand in a row somewhere.
func (r *reader) mentions(texts ...string) bool {
	for i := 0; i+len(texts) <= len(r.Tokens); i++ {
		n := 0
		for n < len(texts) && r.Tokens[i+n].Is(texts[n]) {
			n++
		}
		if n == len(texts) {
			return true
		}
	}
	return false
}

// testMethod is a test: its tokens.
type testMethod struct {
	name          string
	head, keyword int // its first annotation, its name
	open, close   int // the braces of its body
	skipped       bool
}

// methods finds the tests, and notes the names that stand outside of them.
func (r *reader) methods() []testMethod {
	var out []testMethod
	head, isTest, skipped := -1, false, false
	skipUntil := 0 // where a class ends that is skipped as a whole
	for i := 0; i < len(r.Tokens); i++ {
		t := &r.Tokens[i]
		switch {
		case t.Is("@"):
			if head < 0 {
				head = i
			}
			name := ""
			name, i = r.Annotation(i)
			isTest = isTest || name == "Test"
			skipped = skipped || name == "Disabled" || name == "Ignore"
		case t.Is("class") && i > 0 && !r.Tokens[i-1].Is("::") && !r.Tokens[i-1].Is("."):
			for j := i; skipped && j < len(r.Tokens); j++ {
				if r.Tokens[j].Is("{") {
					skipUntil = max(skipUntil, r.Match[j])
					break
				}
			}
			head, isTest, skipped = -1, false, false
		case isTest && t.Kind == java.NameToken && i+1 < len(r.Tokens) && r.Tokens[i+1].Is("("):
			m := testMethod{name: t.Text, head: head, keyword: i, skipped: skipped || i < skipUntil}
			if m.open = r.body(r.Match[i+1] + 1); m.open >= 0 {
				m.close = r.Match[m.open]
				out = append(out, m)
				i = m.close
			}
			head, isTest, skipped = -1, false, false
		case t.Is(";") || t.Is("{") || t.Is("}") || t.Is("="):
			head, isTest, skipped = -1, false, false
		}
		if t.Kind == java.NameToken {
			r.outer[t.Text] = true
		}
	}
	return out
}

// body finds the brace that opens a method's body behind its parameters; -1 where it has none.
func (r *reader) body(i int) int {
	for ; i < len(r.Tokens); i++ {
		switch t := &r.Tokens[i]; {
		case t.Is("{"):
			return i
		case t.Is("("):
			i = r.Match[i]
		case t.Is(";") || t.Is("}") || t.Is("@") || t.Is("fun") || t.Is("class"):
			return -1
		}
	}
	return -1
}

// span returns the piece of the file from one token to before another.
func (r *reader) span(from, to int) script.Span {
	first, last := &r.Tokens[from], &r.Tokens[to-1]
	text := r.script.Text[:first.Start]
	at := script.Span{FirstLine: first.Line, LastLine: last.Line, Start: first.Start, End: last.End}
	at.Indent = text[len(strings.TrimRight(text, " \t")):]
	if from != to-1 {
		at.LastLine += strings.Count(r.script.Text[last.Start:last.End], "\n") // a text block
	}
	return at
}

// lineStart returns where the line begins that a token stands on.
func (r *reader) lineStart(token int) int {
	return strings.LastIndexAny(r.script.Text[:r.Tokens[token].Start], "\r\n") + 1
}

// firstLine returns where the first line begins behind a brace that is not blank, be it a comment.
func (r *reader) firstLine(brace, next int) int {
	text := r.script.Text
	at := r.lineStart(next)
	for i := r.Tokens[brace].Line; i < r.Tokens[next].Line-1; i++ { // the lines between the two, from 0
		if strings.TrimSpace(r.script.Lines[i]) != "" {
			above := 0
			for _, line := range r.script.Lines[i : r.Tokens[next].Line-1] {
				above += len(line)
			}
			return strings.LastIndexAny(text[:at], "\r\n") + 1 - above
		}
	}
	return at
}

// method reads one test.
func (r *reader) method(m testMethod) error {
	t := &script.Test{Name: m.name, Line: r.Tokens[m.head].Line, Head: r.span(m.head, m.keyword+1), Skipped: m.skipped}
	r.test, r.declared = t, map[string]bool{}
	r.script.Tests = append(r.script.Tests, t)
	if m.open+1 < m.close && r.Tokens[m.open+1].Line > r.Tokens[m.open].Line &&
		r.Tokens[m.close].Line > r.Tokens[m.close-1].Line {
		t.BodyStart, t.BodyEnd = r.firstLine(m.open, m.open+1), r.lineStart(m.close)
		t.Indent = r.span(m.open+1, m.open+2).Indent
	}
	r.block(m.open+1, m.close, context{})
	for _, c := range t.Calls {
		if c.Unset != "" && !strings.HasPrefix(c.Unset, "location_") {
			return &script.SyntaxError{File: r.script.File, Line: c.Line,
				Reason: c.Unset + " is never defined, so that the file does not compile (" + t.Name + ")"}
		}
	}
	return nil
}

// context is what a statement stands in.
type context struct {
	guarded   bool // a try
	condition bool // an if, a loop, a catch
	after     bool // a finally: a clean-up of flaketap's
}

// caught reports whether a try has a catch.
func (r *reader) caught(try int) bool {
	for i := try + 1; i < len(r.Tokens); i++ {
		switch t := &r.Tokens[i]; {
		case t.Is("("):
			i = r.Match[i]
		case t.Is("{"):
			i = r.Match[i] + 1
			return i < len(r.Tokens) && r.Tokens[i].Is("catch")
		default:
			return false
		}
	}
	return false
}

// block reads the statements between two braces.
func (r *reader) block(from, to int, in context) {
	if r.depth++; r.depth > script.MaxDepth {
		r.depth--
		return
	}
	defer func() { r.depth-- }()
	for i := from; i < to; {
		t := &r.Tokens[i]
		switch {
		case t.Is(";"):
			i++
		case t.Is("{"):
			r.block(i+1, r.Match[i], in)
			i = r.Match[i] + 1
		case t.Is("try"), t.Is("if"), t.Is("for"), t.Is("while"), t.Is("catch"), t.Is("finally"), t.Is("else"), t.Is("do"),
			t.Is("when"), t.Is("switch"):
			inner := in
			inner.guarded = in.guarded || t.Is("try") && r.caught(i)
			inner.condition = in.condition || !t.Is("try") && !t.Is("finally")
			inner.after = in.after || t.Is("finally")
			if i++; i < to && r.Tokens[i].Is("(") {
				i = r.Match[i] + 1
			}
			if i < to && r.Tokens[i].Is("{") {
				r.block(i+1, r.Match[i], inner)
				i = r.Match[i] + 1
			} else if i < to && inner.condition {
				i = r.statement(i, to, inner)
			}
		default:
			i = r.statement(i, to, in)
		}
	}
}

// statement reads one statement, and returns where the next may begin.
func (r *reader) statement(from, to int, in context) int {
	end := from
	for end < to && !r.Tokens[end].Is(";") {
		if end > from && r.kotlin && r.ends(end) {
			break
		}
		if t := &r.Tokens[end]; t.Is("(") || t.Is("[") || t.Is("{") {
			end = r.Match[end]
		}
		end++
	}
	if !in.after {
		r.say(from, min(end, to), in)
	}
	return max(end, from+1)
}

// ends reports whether a statement of Kotlin ends before a token: it stands on a line of its own, and neither it nor
// the one before it goes on.
func (r *reader) ends(i int) bool {
	t, before := &r.Tokens[i], &r.Tokens[i-1]
	if t.Line == before.Line {
		return false
	}
	for _, op := range []string{".", "?.", "?:", "&&", "||", "as", "{"} {
		if t.Is(op) {
			return false
		}
	}
	for _, op := range []string{"+", "-", "*", "/", "=", ".", "?.", "?:", ",", ":", "->", "&&", "||"} {
		if before.Is(op) {
			return false
		}
	}
	return true
}

// say takes a statement in: a declaration, a call, an assertion.
func (r *reader) say(from, to int, in context) {
	name, value := r.declaration(from, to)
	x := r.Parse(value, to)
	at := r.span(from, to)
	root, links := java.Chain(x)
	switch {
	case len(links) == 0:
		if name != "" && x != nil {
			r.extraction(name, x, at)
		}
	case links[0].Name == "given":
		r.chain(name, links, at, in)
	case name != "":
		r.extraction(name, x, at)
	default:
		if id, ok := root.(java.Name); ok && r.links(id.ID, links, in) {
			break
		}
		r.asserted(links[len(links)-1], at, in)
	}
	if name != "" {
		r.declared[name] = true
	}
	if name == r.style.Response {
		r.style.Response = "response"
	}
}

// declaration returns the variable that a statement declares or assigns, "" where it does not, and where its value
// begins.
func (r *reader) declaration(from, to int) (name string, value int) {
	for i := from; i < to; i++ {
		switch t := &r.Tokens[i]; {
		case t.Is("=") && i > from:
			if r.kotlin {
				for k := from; k+1 < i; k++ {
					if r.Tokens[k].Is("val") || r.Tokens[k].Is("var") {
						return r.Tokens[k+1].Text, i + 1
					}
				}
			}
			if r.Tokens[i-1].Kind == java.NameToken {
				return r.Tokens[i-1].Text, i + 1
			}
			return "", i + 1
		case t.Kind == java.NameToken || t.Is("<") || t.Is(">") || t.Is(",") || t.Is("?") || t.Is(".") || t.Is("*") || t.Is(":"):
		case t.Is("["):
			i = r.Match[i]
		default:
			return "", from
		}
	}
	if to-from > 1 && !r.Tokens[from].Is("return") && !r.Tokens[from].Is("throw") && r.Tokens[to-1].Kind == java.NameToken &&
		r.Tokens[to-2].Text != "." {
		return r.Tokens[to-1].Text, to // declared, and not set
	}
	return "", from
}
