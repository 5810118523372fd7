package postman

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/write/javascript"
	"github.com/flaketap/flaketap/suite/write/plan"
)

// folders are the groups, each with the set-ups that its tests share before them.
func (w *writer) folders() []collectionItem {
	names, tests := plan.Groups(w.plan.Tests)
	out := []collectionItem{}
	single := map[uint64]bool{}
	for _, g := range names {
		folder := collectionItem{ID: id(g), Name: g}
		shared := collectionItem{ID: id(g, "set-up"), Name: "set-up"}
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
func (w *writer) test(t plan.Test) collectionItem {
	folder := collectionItem{ID: id(t.Group, t.Name), Name: t.Name, Items: []collectionItem{}}
	var about []string
	for _, line := range t.About {
		about = append(about, plan.Visible(line))
	}
	early := endsEarly(&t)
	for _, s := range t.Steps {
		if s.Once {
			continue
		}
		item, left := w.item(&s, t.Group, t.Name)
		if left != "" {
			about = append(about, plan.Visible(fmt.Sprintf("%d: %s is left out: %s.", s.Seq, s.Title, left)))
			continue
		}
		if early && s.Role != plan.CleanUp && len(folder.Items) > 0 {
			item.Events = append([]event{exec("prerequest", []string{skipsWhenOver})}, item.Events...)
		}
		folder.Items = append(folder.Items, item)
	}
	if early && len(folder.Items) > 0 {
		first := &folder.Items[0]
		first.Events = append([]event{exec("prerequest", []string{beginsAnew, begins})}, first.Events...)
	}
	if script := w.forgets(&t); script != "" && len(folder.Items) > 0 {
		first := &folder.Items[0]
		first.Events = append([]event{exec("prerequest", []string{script})}, first.Events...)
	}
	folder.Description = strings.Join(about, "\n\n")
	return folder
}

// item is one request and its script; left says why there can be none.
func (w *writer) item(s *plan.Step, names ...string) (item collectionItem, left string) {
	if left = s.Left; left == "" {
		left = leftOut(s)
	}
	if left != "" {
		return item, left
	}
	title := plan.Visible(fmt.Sprintf("%d: %s", s.Seq, s.Title))
	if s.Role != plan.Tested {
		title += " (" + string(s.Role) + ")"
	}
	item = collectionItem{ID: id(append(names, string(s.Role), strconv.FormatUint(s.Seq, 10))...), Name: title}
	base := "{{" + w.baseURL + "}}"
	if s.Base != "" {
		base = s.Base
	}
	item.Request = &request{Method: s.Method, Header: []header{}, URL: base + w.text(s.Target)}
	for _, h := range s.Headers {
		item.Request.Header = append(item.Request.Header, header{h.Name, w.text(h.Value)})
	}
	if left = w.body(&item, s); left != "" {
		return item, left
	}
	if script := w.begun(s); script != "" {
		item.Events = append(item.Events, exec("prerequest", []string{script}))
	}
	if script := w.guard(s); script != "" {
		item.Events = append(item.Events, exec("prerequest", strings.Split(script, "\n")))
	}
	if script := w.script(s); len(script) > 0 {
		item.Events = append(item.Events, exec("test", script))
	}
	return item, ""
}

// A test that is over says so in a variable, for the requests that follow: a request of a collection cannot end it.
const (
	beginsAnew    = `// What ended another test does not end this one.`
	begins        = `pm.collectionVariables.unset("test is over");`
	skipsWhenOver = `if (pm.collectionVariables.has("test is over")) pm.execution.skipRequest();`
)

// endsEarly reports whether what follows a request of a test may be left out: where it ends the test, or is a set-up,
// without which nothing of the rest means anything.
func endsEarly(t *plan.Test) bool {
	return slices.ContainsFunc(t.Steps, func(s plan.Step) bool { return !s.Once && (s.Ends || s.Role == plan.SetUp) })
}

// forgets is the script that begins a test where a request of it is guarded: what earlier tests were given is not its
// own, but for what tests share. It is "" where nothing is to be forgotten.
func (w *writer) forgets(t *plan.Test) string {
	var names []string
	guarded := false
	for _, s := range t.Steps {
		guarded = guarded || len(s.Given) > 0
		for _, c := range s.Captures {
			if name := literal.PrettyJavaScript("given " + w.names[c.Name]); !s.Once && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if !guarded || len(names) == 0 {
		return ""
	}
	return "[" + strings.Join(names, ", ") + "].forEach((name) => pm.collectionVariables.unset(name));"
}

// guard is the script that keeps a request from being sent where no answer gave what it changes; "" for a request that
// changes nothing. But for a clean-up, the test fails without it, and is over.
func (w *writer) guard(s *plan.Step) string {
	var missing []string
	for _, name := range s.Given {
		missing = append(missing, "!pm.collectionVariables.has("+literal.PrettyJavaScript("given "+w.names[name])+")")
	}
	if len(missing) == 0 {
		return ""
	}
	condition := "if (" + strings.Join(missing, " || ") + ") "
	if s.Role == plan.CleanUp {
		return condition + "pm.execution.skipRequest();"
	}
	return condition + `{
  pm.test("its values were given", () => {
    throw new Error("no answer of this test gave what the request changes");
  });
  pm.collectionVariables.set("test is over", "1");
  pm.execution.skipRequest();
}`
}

// begun is the script that has an account that tests share signed up under another name in each run; "" for requests
// that do no such thing.
func (w *writer) begun(s *plan.Step) string {
	for _, v := range w.plan.Bound {
		if s.Single && v.Fresh {
			return "pm.collectionVariables.set(" + literal.PrettyJavaScript(w.names[v.Name]) + ", `r${Date.now().toString(36)}`);"
		}
	}
	return ""
}

// body fills in what a request's body is.
func (w *writer) body(item *collectionItem, s *plan.Step) (left string) {
	if s.Body == nil {
		return ""
	}
	if s.Body.Chunked {
		item.Request.Header = append(item.Request.Header, header{"Transfer-Encoding", "chunked"})
		disabled := systemHeaders()
		disabled["content-length"] = true
		item.Behavior = map[string]any{"disabledSystemHeaders": disabled}
	}
	if s.Body.Bytes == nil && !(len(s.Body.Text) == 1 && s.Body.Text[0].Escape == plan.FromBase64) {
		text := w.text(s.Body.Text)
		item.Request.Body = &requestBody{Mode: "raw", Raw: &text}
		return ""
	}
	name, ok := w.file(s)
	if !ok {
		return "its body could not be read"
	}
	item.Request.Body = &requestBody{Mode: "file", File: &bodyFile{name}}
	return ""
}

// leftOut says why Postman cannot send a request as it was recorded; "" where it can.
func leftOut(s *plan.Step) string {
	if s.Method != strings.ToUpper(s.Method) {
		return "Postman would write the method in capitals"
	}
	for _, p := range s.Target {
		if strings.Contains(p.Literal, "#") {
			return "Postman would take a part of its target for a fragment"
		}
	}
	if target, _ := s.Target.Constant(); !strings.HasPrefix(target, "/") && len(s.Target) == 1 {
		return "its target is not a path"
	}
	return javascript.Unsendable(s)
}

// script asserts what is said of an answer.
func (w *writer) script(s *plan.Step) []string {
	b := &scripter{w: w}
	if s.Role != plan.CleanUp {
		folded := w.common.Fold(*s)
		b.statements(folded.Statements())
	}
	if s.Role == plan.SetUp && !s.Once && !s.Ends && len(s.Checks) > 0 && len(s.Checks[0].Statuses) > 0 {
		b.only(s.Checks[0].Statuses...)
	}
	if !slices.ContainsFunc(b.lines, func(l string) bool { return !strings.HasPrefix(strings.TrimSpace(l), "//") }) {
		return b.lines
	}
	if s.Wait != nil {
		b.onceDone(s.Wait)
	}
	return append([]string{"const t = flaketap(pm);"}, b.lines...)
}

// onceDone has what is written so far done of the answer alone that is waited for, or is the last one.
func (b *scripter) onceDone(w *plan.Wait) {
	waits := &scripter{w: b.w}
	head := 0
	if seen := w.Comment(); seen != "" {
		waits.line("// " + seen)
		head = 1
	}
	waits.call("waits", waits.literal(javascript.Until(w)))
	waits.lines[head] = "if (!" + waits.lines[head]
	last := len(waits.lines) - 1
	waits.lines[last] = strings.TrimSuffix(waits.lines[last], ";") + ") {"
	for _, l := range b.lines {
		waits.lines = append(waits.lines, strings.TrimRight("  "+l, " "))
	}
	b.lines = append(waits.lines, "}")
}

// scripter writes the script of a request.
type scripter struct {
	w      *writer
	indent int
	lines  []string
}

func (b *scripter) line(text string) {
	for l := range strings.SplitSeq(text, "\n") {
		b.lines = append(b.lines, strings.Repeat(" ", b.indent)+l)
	}
}

// call writes a call of the library.
func (b *scripter) call(name string, args ...javascript.Node) {
	n := javascript.Call("t."+name, args...)
	b.line(strings.ReplaceAll(n.Write(b.indent, b.indent, 1), javascript.NewLine(b.indent), "\n") + ";")
}

func (b *scripter) comment(text string) {
	if text != "" {
		b.line("// " + plan.Visible(text))
	}
}

// only ends the test where the answer has another status than these.
func (b *scripter) only(statuses ...int) {
	var list []javascript.Node
	for _, n := range statuses {
		list = append(list, javascript.Int(n))
	}
	b.call("only", list...)
}

// statements writes what is kept and asserted of an answer.
func (b *scripter) statements(list []plan.Statement) {
	for _, s := range list {
		switch {
		case s.Keep != nil:
			how := "take"
			if s.Keep.Find {
				how = "find"
			}
			b.call(how, javascript.String(b.w.names[s.Keep.Name]), javascript.String(string(s.Keep.Place)))
		case s.Gone != "":
			b.call("gone", javascript.String(b.w.names[s.Gone]))
		case s.Assert != nil:
			b.check(s.Assert)
		case s.SkipUnless != 0:
			b.only(s.SkipUnless)
		case s.Only != 0 && javascript.Assert(s.Then):
			b.line("if (t.is(" + strconv.Itoa(s.Only) + ")) {")
			b.indent += 2
			b.statements(s.Then)
			b.indent -= 2
			b.line("}")
		case s.Only != 0:
			b.statements(s.Then)
		}
	}
}

// check writes one assertion, and why it is no stronger.
func (b *scripter) check(c *plan.Check) {
	for _, line := range c.Comments() {
		b.comment(line)
	}
	if javascript.Asserts(c) {
		b.assertion(c)
	}
}

// assertion writes a check: of the status, of the head, or of the body as a whole.
func (b *scripter) assertion(c *plan.Check) {
	switch c.Kind {
	case plan.CheckStatus:
		var statuses []javascript.Node
		for _, n := range c.Statuses {
			statuses = append(statuses, javascript.Int(n))
		}
		b.call("status", statuses...)
	case plan.CheckCommon:
		call := javascript.Call("checkCommon", javascript.Name("t"), javascript.Int(c.Statuses[0]))
		if len(c.Except) > 0 {
			call.Parts = append(call.Parts, javascript.List(javascript.Strings(c.Except)...))
		}
		b.line(strings.ReplaceAll(call.Write(b.indent, b.indent, 1), javascript.NewLine(b.indent), "\n") + ";")
	case plan.CheckHeader:
		args := []javascript.Node{javascript.String(c.Place.Segments()[1])}
		for _, l := range c.Lines {
			args = append(args, b.text(l))
		}
		b.call("header", args...)
	case plan.CheckCookie:
		b.call("cookie", b.text(c.Name))
	case plan.CheckEmpty:
		b.call("size", javascript.Int(0))
	case plan.CheckText:
		b.call("text", b.text(c.Text))
	case plan.CheckDigest:
		b.call("size", javascript.Int(c.Length))
		b.call("sha256", javascript.String(c.SHA256))
	default:
		b.assertionAt(c)
	}
}

// assertionAt writes a check of a place, or of the JSON of the body.
func (b *scripter) assertionAt(c *plan.Check) {
	place := javascript.String(string(c.Place))
	switch c.Kind {
	case plan.CheckJSON:
		b.call("json", b.masked(c, javascript.Node{Kind: javascript.Object})...)
	case plan.CheckOutline:
		if len(c.Keys) == 0 {
			b.call("elements", javascript.Int(c.Length))
			return
		}
		b.call("keys", javascript.Strings(c.Keys)...)
	case plan.CheckHolds:
		b.call("hold", place, b.literal(javascript.Held(c, "t.now")))
	case plan.CheckItems:
		options := javascript.Node{Kind: javascript.Object}
		if c.Extent != plan.Whole {
			options = options.With("extent", javascript.String(string(c.Extent)))
		}
		b.call("items", append([]javascript.Node{place}, b.masked(c, options)...)...)
	case plan.CheckEqual:
		name := "equal"
		switch {
		case c.Extent == plan.Among:
			name = "some"
		case c.Suffix:
			name = "ends"
		}
		b.call(name, place, b.text(c.Text))
	case plan.CheckRelated:
		args := []javascript.Node{javascript.String(string(c.Relation)), place}
		for _, t := range c.Operands() {
			args = append(args, b.text(t))
		}
		b.call("related", args...)
	case plan.CheckHash:
		b.call("digest", javascript.Hash(c, b.text)...)
	}
}

// masked is the JSON of a check, and what of the answer is masked before it is compared.
func (b *scripter) masked(c *plan.Check, options javascript.Node) []javascript.Node {
	options = javascript.Masking(c, options)
	args := []javascript.Node{b.literal(javascript.JSON(c.JSON, c.Masks, javascript.As(javascript.String(plan.Masked))))}
	if len(options.Parts) > 0 {
		args = append(args, options)
	}
	return args
}

// literal has the numbers and pairs of a literal made by the library.
func (b *scripter) literal(n javascript.Node) javascript.Node {
	if n.Kind == javascript.Invocation {
		n.Text = "t." + n.Text
	}
	n.Parts = slices.Clone(n.Parts)
	for i := range n.Parts {
		n.Parts[i] = b.literal(n.Parts[i])
	}
	return n
}

// text is a text as an expression.
func (b *scripter) text(t plan.Text) javascript.Node {
	if s, ok := t.Constant(); ok {
		return javascript.String(s)
	}
	var out strings.Builder
	out.WriteByte('`')
	for _, p := range t {
		var n javascript.Node
		switch {
		case p.IsLiteral():
			out.WriteString(literal.JavaScriptTemplate(p.Literal))
			continue
		case p.Host:
			n = javascript.Name("t.host")
		case p.Secret != "":
			n = javascript.Call("t.secret", javascript.String(b.w.names[p.Secret]))
		default:
			n = javascript.Call("t.bound", javascript.String(b.w.names[p.Bound]))
		}
		if len(t) == 1 {
			return n
		}
		out.WriteString("${" + n.Flat() + "}")
	}
	out.WriteByte('`')
	return javascript.Node{Kind: javascript.Template, Text: out.String()}
}
