package python

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/handset"
	"github.com/flaketap/flaketap/suite/python/before"
	"github.com/flaketap/flaketap/suite/python/black"
	"github.com/flaketap/flaketap/suite/python/source"
	"github.com/flaketap/flaketap/suite/python/syntax"
	"github.com/flaketap/flaketap/suite/script"
)

// grafter writes set-ups as the test writes its own requests: at its head, with its client and base URL.
func (w *suiteFile) grafter() *script.Grafter {
	return &script.Grafter{SetUp: w.setUp, Bind: w.bind, Refused: w.refused, Sender: w.sender, Shares: w.shares,
		Able: w.able, Place: w.place, Ahead: w.ahead, Otherwise: true, Fresh: w.freshText,
		Everywhere: w.everywhere, Outside: w.outside}
}

// bodyStart is where the statements of a function begin behind its docstring, with the comments above the first.
func (w *suiteFile) bodyStart(f *function) int {
	last := f.head.LastLine
	if first := f.body[0]; len(f.body) > 1 && len(first.Tokens) == 1 && first.Tokens[0].Kind == syntax.TokenString {
		last = first.LastLine
	}
	at := 0
	for _, line := range w.script.Lines[:last] {
		at += len(line)
	}
	for _, line := range w.script.Lines[last:] {
		if strings.TrimSpace(line) != "" {
			break
		}
		at += len(line)
	}
	return at
}

// refused says why a test is given no set-up.
func (w *suiteFile) refused(_ *script.Script, t *script.Test) string {
	f := w.functions[t]
	if f.many || f.unrolled {
		return "the test runs with several values"
	}
	return ""
}

// sender is why no request can be sent at the head of a test.
func (w *suiteFile) sender(_ *script.Script, t *script.Test) string {
	_, why := w.modelOf(t)
	return why
}

// shares is what tests of the file change and this one reads, or gives: by it they hand each other what they made.
func (w *suiteFile) shares(_ *script.Script, t *script.Test) (reads, gives string) {
	read, given := "", ""
	for _, st := range w.functions[t].body {
		from := w.reads(st)
		given += w.script.Text[st.Start:from] + "\n"
		read += w.script.Text[from:st.End] + "\n"
	}
	return w.changedIn(read), w.changedIn(given)
}

// changedIn is what a text names of what tests of the file change; "" for nothing.
func (w *suiteFile) changedIn(text string) string {
	for _, name := range w.changed() {
		if regexp.MustCompile(`(^|[^\w.])` + regexp.QuoteMeta(name) + `\b`).MatchString(text) {
			return "the variable " + name
		}
		if attribute, ok := strings.CutPrefix(name, "."); ok &&
			regexp.MustCompile(`\.`+regexp.QuoteMeta(attribute)+`\b`).MatchString(text) {
			return "the attribute " + attribute
		}
	}
	return ""
}

// reads is where a statement begins to read: behind what it only gives a value to.
func (w *suiteFile) reads(st syntax.Statement) int {
	if st.Is("global") {
		return st.End
	}
	to := syntax.TopLevel(st.Tokens, "=")
	for i, t := range st.Tokens[:max(0, to)] {
		if t.Text == "(" || t.Text == "," || i > 0 && t.Kind == syntax.TokenName && st.Tokens[i-1].Text != "." {
			return st.Start
		}
	}
	if to > 0 {
		return st.Tokens[to].End
	}
	return st.Start
}

// changed lists the variables of the file, and with a dot the attributes of classes, that its tests change.
func (w *suiteFile) changed() []string {
	var out []string
	for _, f := range w.module.functions {
		for _, st := range f.body {
			if st.Is("global") {
				for _, t := range st.Tokens[1:] {
					if t.Kind == syntax.TokenName {
						out = append(out, t.Text)
					}
				}
				continue
			}
			name := st.Tokens[0].Text
			_, known := w.module.constants[name]
			if known && len(st.Tokens) > 2 && (st.Tokens[1].Text == "[" && syntax.TopLevel(st.Tokens, "=") > 0 ||
				st.Tokens[1].Text == "." &&
					slices.Contains([]string{"append", "add", "update", "setdefault", "extend", "insert", "pop", "clear"}, st.Tokens[2].Text)) {
				out = append(out, name)
			}
			if !strings.HasPrefix(f.name, "test") {
				continue
			}
			if m := regexp.MustCompile(`^(?:cls|self\.__class__|type\(self\)|[A-Z]\w*)\.(\w+)\s*=[^=]`).
				FindStringSubmatch(w.script.Text[st.Start:st.End]); m != nil {
				out = append(out, "."+m[1])
			}
		}
	}
	return out
}

// unit reports whether a test is a method of unittest's.
func (w *suiteFile) unit(f *function) bool {
	for _, c := range w.module.lineage(f.class, maxBases) {
		isCase := func(base string) bool { return strings.HasSuffix(base, "TestCase") }
		if slices.ContainsFunc(c.module.bases[c.name], isCase) {
			return true
		}
	}
	return false
}

// able reports whether a request can be written as the test sends its own. What takes away what was made needs
// unittest's clean-ups, or pytest's fixture request.
func (w *suiteFile) able(_ *script.Script, t *script.Test, x script.SetUpRequest) bool {
	m, why := w.modelOf(t)
	f := w.functions[t]
	if strings.HasPrefix(x.Var, "cleanup_") && !w.unit(f) {
		text := ""
		for _, st := range f.body {
			text += w.script.Text[st.Start:st.End] + "\n"
		}
		own := regexp.MustCompile(`(^|[^\w.])request\b[^=]`).MatchString(text)
		if m.Awaits != "" || own && !requested(f) {
			return false
		}
	}
	_, ok := m.Call(x)
	return why == "" && ok
}

// requested reports whether a test asks for pytest's fixture request.
func requested(f *function) bool {
	return slices.ContainsFunc(f.params, func(p parameter) bool { return p.name == "request" })
}

// setUp sends what goes before in the words of the test.
func (w *suiteFile) setUp(s *script.Script, t *script.Test, steps, clean []script.SetUpRequest) (open, end []string) {
	m, _ := w.modelOf(t)
	f := w.functions[t]
	width := black.LineWidth - len(t.Indent)
	for _, x := range steps {
		if x.Comment != "" {
			open = append(open, s.Comment(x.Comment))
		}
		status := w.partOf(t, m, x.Var, expr.Status)
		open = append(open, m.Sent(x, status, width)...)
		if x.Status != 0 {
			assert := fmt.Sprintf("assert %s == %d", status, x.Status)
			if w.unit(f) {
				assert = fmt.Sprintf("self.assertEqual(%s, %d)", status, x.Status)
			}
			open = append(open, s.Comment(script.SetUpMustSucceed), assert)
		}
		for _, k := range x.Captures {
			taken := w.taken(t, m, x.Var, k)
			if k.If == 0 {
				open = append(open, k.Name+" = "+taken)
				continue
			}
			open = append(open, before.Choice(k, taken, status, width)...)
		}
	}
	for _, x := range clean {
		if x.Comment != "" {
			open = append(open, s.Comment(x.Comment))
		}
		sent, _ := m.Call(x)
		var lines []string
		switch {
		case w.unit(f):
			method, _, _ := strings.Cut(sent.Text, "(")
			sent.Inner = append([]black.Piece{{Text: method}}, sent.Inner...)
			sent.Text = "self.addCleanup("
			if m.Awaits != "" {
				sent.Text = "self.addAsyncCleanup("
			}
			lines = sent.Lines("", "", width)
		default:
			later := black.Piece{Text: "request.addfinalizer(", Inner: []black.Piece{{Text: "lambda: " + sent.Flat()}}, Close: ")", Call: true}
			lines = later.Lines("", "", width)
		}
		if x.Made != "" {
			lines = before.Under(fmt.Sprintf("if %s == %d:", w.partOf(t, m, x.Made, expr.Status), x.MadeBy), lines)
		}
		open = append(open, lines...)
	}
	return append(open, ""), nil
}

// taken writes the text that is taken from an answer, as the test asks its own answers.
func (w *suiteFile) taken(t *script.Test, m model, name string, k script.Capture) string {
	s := k.Place.Segments()
	switch {
	case k.Place == exchange.PlaceBody:
		return w.partOf(t, m, name, expr.Text) + ".strip()"
	case s[0] == "header" && len(s) == 4 && s[2] == "path":
		n, _ := strconv.Atoi(s[3])
		return fmt.Sprintf(`__import__("urllib.parse").parse.urlsplit(%s.headers[%s]).path.split("/")[%d]`, name,
			literal.Python(s[1]), n+1)
	case s[0] == "header":
		return name + ".headers[" + literal.Python(s[1]) + "]"
	}
	x := w.partOf(t, m, name, expr.JSON)
	for _, step := range k.Steps {
		x += "[" + source.Write(step) + "]"
	}
	return "str(" + x + ")"
}

// place puts a set-up at the head of a test, and has the test ask for the fixture that its clean-up needs; or before
// the fixtures that the test names, where these send requests.
func (w *suiteFile) place(s *script.Script, t *script.Test, open, _, used []string) []script.Edit {
	f := w.functions[t]
	if m, _, ok := w.apart(t); ok && slices.ContainsFunc(open, sends) {
		return w.fixtureOf(t, m, open, used).Edits(s, f.decorators, f.head)
	}
	eol, text := script.LineEnd(s.Lines[0]), ""
	for _, line := range open {
		if line != "" {
			line = t.Indent + line
		}
		text += line + eol
	}
	edits := []script.Edit{{Start: t.BodyStart, End: t.BodyStart, Text: text}}
	if !slices.ContainsFunc(open, finalizes) || requested(f) {
		return edits
	}
	return append(edits, before.Asks(s, f.head, "request"))
}

// bind puts variables into the literals of a call's own statement, or of those before it.
func (w *suiteFile) bind(s *script.Script, c *script.Call, sent string, parts []script.TextPart) ([]script.Edit, bool) {
	at := slices.IndexFunc(w.stmts, func(st syntax.Statement) bool { return st.Start == c.At.Start && st.End == c.At.End })
	holes, ok := handset.Holes(sent, parts)
	if at < 0 || !ok || w.stmts[at].Is("def") || w.stmts[at].Is("async", "def") {
		return nil, false
	}
	if edits, ok := handset.Bind(s.Text, before.Literals(s, w.stmts[at:at+1]), sent, holes, before.Words()); ok {
		return edits, true
	}
	from := at
	for from > 0 && len(w.stmts[from-1].Indent) >= len(c.At.Indent) {
		from--
	}
	return handset.Bind(s.Text, before.Literals(s, w.stmts[from:at+1]), sent, holes, before.Words())
}
