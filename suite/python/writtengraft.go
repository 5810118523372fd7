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
	"github.com/flaketap/flaketap/suite/python/black"
	"github.com/flaketap/flaketap/suite/python/source"
	"github.com/flaketap/flaketap/suite/python/syntax"
	"github.com/flaketap/flaketap/suite/script"
)

// grafter writes set-ups as the test writes its own requests: at its head, with its client and base URL.
func (w *suiteFile) grafter() *script.Grafter {
	return &script.Grafter{SetUp: w.setUp, Bind: w.bind, Refused: w.refused, Sender: w.sender, Shares: w.shares, Able: w.able,
		Place: w.place, Fresh: w.freshText, Everywhere: w.everywhere, Outside: w.outside}
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

// shares is what tests of the file change and this one names: by it they hand each other what they made.
func (w *suiteFile) shares(_ *script.Script, t *script.Test) string {
	test, text := w.functions[t], ""
	for _, st := range test.body {
		text += w.script.Text[st.Start:st.End] + "\n"
	}
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
		if m.awaits != "" || own && !requested(f) {
			return false
		}
	}
	_, ok := w.call(m, x)
	return why == "" && ok
}

// requested reports whether a test asks for pytest's fixture request.
func requested(f *function) bool {
	return slices.ContainsFunc(f.params, func(p parameter) bool { return p.name == "request" })
}

// setUp sends what goes before in the words of the test.
func (w *suiteFile) setUp(s *script.Script, t *script.Test, before, clean []script.SetUpRequest) (open, end []string) {
	m, _ := w.modelOf(t)
	f := w.functions[t]
	width := black.LineWidth - len(t.Indent)
	for _, x := range before {
		if x.Comment != "" {
			open = append(open, s.Comment(x.Comment))
		}
		sent, _ := w.call(m, x)
		open = append(open, sent.Lines(x.Var+" = "+m.awaits, "", width)...)
		if x.Status != 0 {
			status := w.partOf(t, m, x.Var, expr.Status)
			assert := fmt.Sprintf("assert %s == %d", status, x.Status)
			if w.unit(f) {
				assert = fmt.Sprintf("self.assertEqual(%s, %d)", status, x.Status)
			}
			open = append(open, s.Comment(script.SetUpMustSucceed), assert)
		}
		for _, k := range x.Captures {
			open = append(open, k.Name+" = "+w.taken(t, m, x.Var, k))
		}
	}
	for _, x := range clean {
		if x.Comment != "" {
			open = append(open, s.Comment(x.Comment))
		}
		sent, _ := w.call(m, x)
		switch {
		case w.unit(f):
			method, _, _ := strings.Cut(sent.Text, "(")
			sent.Inner = append([]black.Piece{{Text: method}}, sent.Inner...)
			sent.Text = "self.addCleanup("
			if m.awaits != "" {
				sent.Text = "self.addAsyncCleanup("
			}
			open = append(open, sent.Lines("", "", width)...)
		default:
			later := black.Piece{Text: "request.addfinalizer(", Inner: []black.Piece{{Text: "lambda: " + sent.Flat()}}, Close: ")", Call: true}
			open = append(open, later.Lines("", "", width)...)
		}
	}
	return append(open, ""), nil
}

// call writes a request as the model is sent; false where it cannot be.
func (w *suiteFile) call(m model, x script.SetUpRequest) (black.Piece, bool) {
	url, ok := m.url(x.Target)
	sent := black.Piece{Text: m.client + "." + strings.ToLower(x.Method) + "(", Close: ")", Call: true}
	if _, known := script.ClientMethod(strings.ToLower(x.Method)); !known {
		sent.Text = m.client + ".request("
		sent.Inner = append(sent.Inner, black.Piece{Text: literal.Python(x.Method)})
	}
	sent.Inner = append(sent.Inner, black.Piece{Text: url})
	headers, kind := black.Piece{Text: "headers={", Close: "}"}, ""
	for _, h := range x.Headers {
		if strings.EqualFold(h.Name, "content-type") && len(h.Value) == 1 {
			kind, _, _ = strings.Cut(h.Value[0].Text, ";")
			if kind = strings.TrimSpace(kind); kind == "application/json" || kind == "application/x-www-form-urlencoded" {
				continue
			}
		}
		headers.Inner = append(headers.Inner, black.Piece{Text: literal.Python(h.Name) + ": " + textOfParts(h.Value)})
	}
	switch body, isJSON := handset.JSON(x.Body); {
	case len(x.Body) == 0:
	case isJSON && (kind == "application/json" || strings.HasSuffix(kind, "+json")):
		sent.Inner = append(sent.Inner, pieceOf("json=", body))
	default:
		form, isForm := handset.Form(x.Body)
		ok = ok && isForm && kind == "application/x-www-form-urlencoded"
		sent.Inner = append(sent.Inner, pieceOf("data=", form))
	}
	if len(headers.Inner) > 0 {
		sent.Inner = append(sent.Inner, headers)
	}
	for _, f := range m.further {
		sent.Inner = append(sent.Inner, black.Piece{Text: f})
	}
	return sent, ok
}

// url writes a URL with another path.
func (m model) url(target []script.TextPart) (string, bool) {
	target = slices.Clone(target)
	if len(target) == 0 || !strings.HasPrefix(target[0].Text, m.mount) {
		return "", false
	}
	target[0].Text = strings.TrimPrefix(target[0].Text, m.mount)
	if m.mount != "" && target[0].Text != "" && !strings.ContainsAny(target[0].Text[:1], "/?") {
		return "", false
	}
	text := m.base
	format := strings.Contains(m.base, "{")
	for _, p := range target {
		format = format || p.Variable != ""
	}
	for _, p := range target {
		if p.Variable != "" {
			text += "{" + p.Variable + "}"
			continue
		}
		plain := literal.Python(p.Text)
		plain = plain[1 : len(plain)-1]
		if format {
			plain = strings.NewReplacer("{", "{{", "}", "}}").Replace(plain)
		}
		text += plain
	}
	quote := `"`
	if strings.Contains(m.base, quote) {
		quote = "'"
	}
	if format {
		quote = "f" + quote
	}
	return m.before + quote + text + quote[len(quote)-1:] + m.after, true
}

// textOfParts writes a text of which parts are variables.
func textOfParts(parts []script.TextPart) string {
	if len(parts) == 1 && parts[0].Variable != "" {
		return parts[0].Variable
	}
	url, _ := model{}.url(parts)
	if len(parts) > 0 && parts[0].Variable != "" {
		url, _ = model{}.url(append([]script.TextPart{{}}, parts...))
	}
	return url
}

// pieceOf writes an item as Python.
func pieceOf(name string, x handset.Item) black.Piece {
	switch x.Kind {
	case handset.Text:
		return black.Piece{Text: name + textOfParts(x.Parts)}
	case handset.Number:
		if x.Parts[0].Variable != "" {
			return black.Piece{Text: name + "int(" + x.Parts[0].Variable + ")"}
		}
		return black.Piece{Text: name + x.Parts[0].Text}
	case handset.Word:
		return black.Piece{Text: name + map[string]string{"true": "True", "false": "False", "null": "None"}[x.Parts[0].Text]}
	}
	out := black.Piece{Text: name + "[", Close: "]"}
	if x.Kind == handset.Object {
		out = black.Piece{Text: name + "{", Close: "}"}
	}
	for i, item := range x.Items {
		key := ""
		if x.Kind == handset.Object {
			key = literal.Python(x.Keys[i]) + ": "
		}
		out.Inner = append(out.Inner, pieceOf(key, item))
	}
	return out
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

// place puts a set-up at the head of a test, and has the test ask for the fixture that its clean-up needs.
func (w *suiteFile) place(s *script.Script, t *script.Test, open, _ []string) []script.Edit {
	f := w.functions[t]
	eol := script.LineEnd(s.Lines[0])
	text, finalizes := "", false
	for _, line := range open {
		finalizes = finalizes || strings.HasPrefix(line, "request.addfinalizer(")
		if line != "" {
			line = t.Indent + line
		}
		text += line + eol
	}
	edits := []script.Edit{{Start: t.BodyStart, End: t.BodyStart, Text: text}}
	if !finalizes || requested(f) {
		return edits
	}
	return append(edits, w.asks(f, eol))
}

// asks has a test ask for pytest's fixture request, as its last parameter.
func (w *suiteFile) asks(f *function, eol string) script.Edit {
	tokens := f.head.Tokens
	at := syntax.TopLevel(tokens, "->")
	if at < 0 {
		at = len(tokens) - 1
	}
	for at > 0 && tokens[at].Text != ")" {
		at--
	}
	before := tokens[at-1]
	text := ", request"
	switch {
	case before.Text == "(":
		text = "request"
	case before.Text == "," && before.Line < tokens[at].Line:
		line := w.script.Lines[before.Line-1]
		text = eol + line[:len(line)-len(strings.TrimLeft(line, " \t"))] + "request,"
	case before.Text == ",":
		text = " request"
	}
	return script.Edit{Start: before.End, End: before.End, Text: text}
}

// bind puts variables into the literals of a call's own statement, or of those before it.
func (w *suiteFile) bind(s *script.Script, c *script.Call, sent string, parts []script.TextPart) ([]script.Edit, bool) {
	at := slices.IndexFunc(w.stmts, func(st syntax.Statement) bool { return st.Start == c.At.Start && st.End == c.At.End })
	holes, ok := handset.Holes(sent, parts)
	if at < 0 || !ok || w.stmts[at].Is("def") || w.stmts[at].Is("async", "def") {
		return nil, false
	}
	if edits, ok := handset.Bind(s.Text, literalsOf(s, w.stmts[at:at+1]), sent, holes, bindingWords()); ok {
		return edits, true
	}
	from := at
	for from > 0 && len(w.stmts[from-1].Indent) >= len(c.At.Indent) {
		from--
	}
	return handset.Bind(s.Text, literalsOf(s, w.stmts[from:at+1]), sent, holes, bindingWords())
}

// bindingWords are how Python writes variables.
func bindingWords() handset.Words {
	return handset.Words{Number: func(variable string) string { return "int(" + variable + ")" }, Text: formatted}
}

// literalsOf lists the literals of statements.
func literalsOf(s *script.Script, stmts []syntax.Statement) []handset.Literal {
	var literals []handset.Literal
	for _, t := range slices.Concat(tokensOf(stmts)...) {
		switch t.Kind {
		case syntax.TokenNumber:
			literals = append(literals, handset.Literal{Start: t.Start, End: t.End, From: t.Start, To: t.End, Number: true})
		case syntax.TokenString, syntax.TokenFormat:
			source := s.Text[t.Start:t.End]
			prefix := len(source) - len(strings.TrimLeft(source, "rRfFuU"))
			content := source[prefix:]
			tripled := len(content) < 2 || strings.HasPrefix(content, content[:1]+content[:1])
			escaped := strings.ContainsAny(content, "\\\r\n") || strings.Contains(content, "{{") || strings.Contains(content, "}}")
			literals = append(literals, handset.Literal{Start: t.Start, End: t.End, From: t.Start + prefix + 1, To: t.End - 1,
				Template: t.Kind == syntax.TokenFormat, Plain: !tripled && !escaped,
				Cut: !tripled && content != "" && strings.ContainsAny(content[:1], "\"'") &&
					!(strings.ContainsAny(source[:prefix], "rR") && strings.Contains(content, "\\"))})
		}
	}
	return literals
}

func tokensOf(stmts []syntax.Statement) [][]syntax.Token {
	var out [][]syntax.Token
	for _, st := range stmts {
		out = append(out, st.Tokens)
	}
	return out
}

// formatted writes a literal as an f-string with variables in it.
func formatted(source string, l handset.Literal, holes []handset.Hole) (string, bool) {
	text := func(s string) string {
		if l.Template {
			return s
		}
		return strings.NewReplacer("{", "{{", "}", "}}").Replace(s)
	}
	quote := source[l.From-1 : l.From]
	return "f" + quote + handset.Replaced(source, l.From, l.To, holes, func(v string) string { return "{" + v + "}" }, text) + quote, true
}
