package write

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
)

// folders are the groups, each with the set-ups that its tests share before them.
func (w *postmanWriter) folders() []postmanItem {
	names, tests := groups(w.plan.Tests)
	out := []postmanItem{}
	single := map[uint64]bool{}
	for _, g := range names {
		folder := postmanItem{ID: postmanID(g), Name: g}
		shared := postmanItem{ID: postmanID(g, "set-up"), Name: "set-up"}
		seen := map[uint64]bool{}
		for _, t := range tests[g] {
			for _, s := range t.Steps {
				if s.Once && !seen[s.Seq] && !single[s.Seq] {
					seen[s.Seq], single[s.Seq] = true, s.Single
					if item, left := w.item(&s, g, "set-up"); left == "" {
						shared.Items = append(shared.Items, item)
					}
				}
			}
		}
		if len(shared.Items) > 0 {
			folder.Items = append(folder.Items, shared)
		}
		for _, t := range tests[g] {
			folder.Items = append(folder.Items, w.test(t))
		}
		out = append(out, folder)
	}
	return out
}

// test is the folder of a test.
func (w *postmanWriter) test(t Test) postmanItem {
	folder := postmanItem{ID: postmanID(t.Group, t.Name), Name: t.Name, Items: []postmanItem{}}
	var about []string
	for _, line := range t.About {
		about = append(about, visible(line))
	}
	for _, s := range t.Steps {
		if s.Once {
			continue
		}
		item, left := w.item(&s, t.Group, t.Name)
		if left != "" {
			about = append(about, visible(fmt.Sprintf("%d: %s is left out: %s.", s.Seq, s.Title, left)))
			continue
		}
		folder.Items = append(folder.Items, item)
	}
	folder.Description = strings.Join(about, "\n\n")
	return folder
}

// item is one request and its script; left says why there can be none.
func (w *postmanWriter) item(s *Step, names ...string) (item postmanItem, left string) {
	if left = s.Left; left == "" {
		left = postmanLeft(s)
	}
	if left != "" {
		return item, left
	}
	title := visible(fmt.Sprintf("%d: %s", s.Seq, s.Title))
	if s.Role != Tested {
		title += " (" + string(s.Role) + ")"
	}
	item = postmanItem{ID: postmanID(append(names, string(s.Role), strconv.FormatUint(s.Seq, 10))...), Name: title}
	base := "{{" + w.baseURL + "}}"
	if s.Base != "" {
		base = s.Base
	}
	item.Request = &postmanRequest{Method: s.Method, Header: []postmanHeader{}, URL: base + w.text(s.Target)}
	for _, h := range s.Headers {
		item.Request.Header = append(item.Request.Header, postmanHeader{h.Name, w.text(h.Value)})
	}
	if left = w.body(&item, s); left != "" {
		return item, left
	}
	if script := w.guard(s); script != "" {
		item.Events = append(item.Events, postmanExec("prerequest", []string{script}))
	}
	if script := w.script(s); len(script) > 0 {
		item.Events = append(item.Events, postmanExec("test", script))
	}
	return item, ""
}

// guard is the script that keeps a clean-up from being sent where no answer gave what it takes away; "" for other steps.
func (w *postmanWriter) guard(s *Step) string {
	var missing []string
	for _, p := range s.Target {
		if p.Bound != "" {
			missing = append(missing, "!pm.collectionVariables.has("+literal.PrettyJavaScript("given "+w.names[p.Bound])+")")
		}
	}
	if s.Role != CleanUp || len(missing) == 0 {
		return ""
	}
	return "if (" + strings.Join(missing, " || ") + ") pm.execution.skipRequest();"
}

// body fills in what a request's body is.
func (w *postmanWriter) body(item *postmanItem, s *Step) (left string) {
	if s.Body == nil {
		return ""
	}
	if s.Body.Chunked {
		item.Request.Header = append(item.Request.Header, postmanHeader{"Transfer-Encoding", "chunked"})
		item.Behavior = map[string]any{"disabledSystemHeaders": systemHeaders(true)}
	}
	if s.Body.Bytes == nil && !(len(s.Body.Text) == 1 && s.Body.Text[0].Escape == FromBase64) {
		text := w.text(s.Body.Text)
		item.Request.Body = &postmanBody{Mode: "raw", Raw: &text}
		return ""
	}
	name, ok := w.file(s)
	if !ok {
		return "its body could not be read"
	}
	item.Request.Body = &postmanBody{Mode: "file", File: &postmanFile{name}}
	return ""
}

// postmanLeft says why Postman cannot send a request as it was recorded; "" where it can.
func postmanLeft(s *Step) string {
	if s.Method != strings.ToUpper(s.Method) {
		return "Postman would write the method in capitals"
	}
	for _, p := range s.Target {
		if strings.Contains(p.Literal, "#") {
			return "Postman would take a part of its target for a fragment"
		}
	}
	if target, _ := s.Target.plain(); !strings.HasPrefix(target, "/") && len(s.Target) == 1 {
		return "its target is no path"
	}
	return jestLeft(s)
}

// script asserts what is said of an answer.
func (w *postmanWriter) script(s *Step) []string {
	b := &postmanScripter{w: w}
	if s.Role != CleanUp {
		b.checks(s)
	}
	if !slices.ContainsFunc(b.lines, func(l string) bool { return !strings.HasPrefix(strings.TrimSpace(l), "//") }) {
		return b.lines
	}
	return append([]string{"const t = flaketap(pm);"}, b.lines...)
}

// postmanScripter writes the script of a request.
type postmanScripter struct {
	w      *postmanWriter
	indent int
	lines  []string
}

func (b *postmanScripter) line(text string) {
	for l := range strings.SplitSeq(text, "\n") {
		b.lines = append(b.lines, strings.Repeat(" ", b.indent)+l)
	}
}

// call writes a call of the library.
func (b *postmanScripter) call(name string, args ...jsNode) {
	n := jsOf("t."+name, args...)
	b.line(strings.ReplaceAll(n.write(b.indent, b.indent, 1), jsLine(b.indent), "\n") + ";")
}

func (b *postmanScripter) comment(text string) {
	if text != "" {
		b.line("// " + visible(text))
	}
}

// checks writes what is kept and asserted of an answer. Checks that are made of answers of one status stand together.
func (b *postmanScripter) checks(s *Step) {
	rest := s.Checks
	if len(rest) > 0 && rest[0].Kind == CheckStatus {
		b.check(&rest[0])
		rest = rest[1:]
	}
	for _, c := range s.Captures {
		how := "take"
		if c.Find {
			how = "find"
		}
		b.call(how, jsStr(b.w.names[c.Name]), jsStr(string(c.Place)))
	}
	for len(rest) > 0 {
		n := 1
		for n < len(rest) && rest[n].If == rest[0].If {
			n++
		}
		part := rest[:n]
		rest = rest[n:]
		conditional := part[0].If != 0 && slices.ContainsFunc(part, func(c Check) bool { return asserts(&c) })
		if conditional {
			b.line("if (t.is(" + strconv.Itoa(part[0].If) + ")) {")
			b.indent += 2
		}
		for i := range part {
			b.check(&part[i])
		}
		if conditional {
			b.indent -= 2
			b.line("}")
		}
	}
}

// check writes one assertion, and why it is no stronger.
func (b *postmanScripter) check(c *Check) {
	if c.Why != "" && !strings.Contains(c.Why, string(c.Place)) {
		b.comment(string(c.Place) + ": " + c.Why)
	} else {
		b.comment(c.Why)
	}
	b.comment(c.Off)
	if asserts(c) {
		b.assertion(c)
	}
}

func (b *postmanScripter) assertion(c *Check) {
	place := jsStr(string(c.Place))
	switch c.Kind {
	case CheckStatus:
		var statuses []jsNode
		for _, n := range c.Statuses {
			statuses = append(statuses, jsInt(n))
		}
		b.call("status", statuses...)
	case CheckHeader:
		args := []jsNode{jsStr(c.Place.Segments()[1])}
		for _, l := range c.Lines {
			args = append(args, b.text(l))
		}
		b.call("header", args...)
	case CheckCookie:
		b.call("cookie", b.text(c.Name))
	case CheckEmpty:
		b.call("size", jsInt(0))
	case CheckText:
		b.call("text", b.text(c.Text))
	case CheckDigest:
		b.call("size", jsInt(c.Length))
		b.call("sha256", jsStr(c.SHA256))
	case CheckJSON:
		b.call("json", b.masked(c, jsNode{kind: jsObject})...)
	case CheckOutline:
		if len(c.Keys) == 0 {
			b.call("elements", jsInt(c.Length))
			return
		}
		var keys []jsNode
		for _, k := range c.Keys {
			keys = append(keys, jsStr(k))
		}
		b.call("keys", keys...)
	case CheckHolds:
		said := b.literal(statements(c.Holds))
		if c.Optional || c.Holds.Optional {
			said = said.with("optional", jsName("true"))
		}
		b.call("hold", place, said)
	case CheckItems:
		options := jsNode{kind: jsObject}
		if c.AsSet {
			options = options.with("asSet", jsName("true"))
		}
		b.call("items", append([]jsNode{place}, b.masked(c, options)...)...)
	case CheckEqual:
		name := "equal"
		if c.Suffix {
			name = "ends"
		}
		b.call(name, place, b.text(c.Text))
	case CheckRelated:
		args := []jsNode{jsStr(string(c.Relation)), place}
		for _, p := range c.Of {
			args = append(args, jsStr(string(p)))
		}
		b.call("related", args...)
	}
}

// masked is the JSON of a check, and what of the answer is masked before it is compared.
func (b *postmanScripter) masked(c *Check, options jsNode) []jsNode {
	options = masking(c, options)
	args := []jsNode{b.literal(jsJSON(c.JSON, c.Masks, jsStr(Masked)))}
	if len(options.parts) > 0 {
		args = append(args, options)
	}
	return args
}

// literal has the numbers and pairs of a literal made by the library.
func (b *postmanScripter) literal(n jsNode) jsNode {
	if n.kind == jsCall {
		n.text = "t." + n.text
	}
	n.parts = slices.Clone(n.parts)
	for i := range n.parts {
		n.parts[i] = b.literal(n.parts[i])
	}
	return n
}

// text is a text as an expression.
func (b *postmanScripter) text(t Text) jsNode {
	if s, ok := t.plain(); ok {
		return jsStr(s)
	}
	var out strings.Builder
	out.WriteByte('`')
	for _, p := range t {
		var n jsNode
		switch {
		case p.literal():
			out.WriteString(literal.JavaScriptTemplate(p.Literal))
			continue
		case p.Host:
			n = jsName("t.host")
		case p.Secret != "":
			n = jsOf("t.secret", jsStr(b.w.names[p.Secret]))
		default:
			n = jsOf("t.bound", jsStr(b.w.names[p.Bound]))
		}
		if len(t) == 1 {
			return n
		}
		out.WriteString("${" + n.flat() + "}")
	}
	out.WriteByte('`')
	return jsNode{kind: jsTemplate, text: out.String()}
}
