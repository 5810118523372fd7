package jest

import (
	"encoding/base64"
	"strconv"
	"strings"
	"unicode"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/write/javascript"
	"github.com/flaketap/flaketap/suite/write/plan"
)

// block writes the statements of a test.
type block struct {
	file    *testFile
	indent  int
	sharing bool // it is a set-up that tests share
	let     bool // the variable of the answer is given several values
	named   bool // it was declared
	lines   []string
}

func (b *block) line(text string) {
	b.lines = append(b.lines, strings.Repeat(" ", b.indent)+text+"\n")
}

func (b *block) blank() { b.lines = append(b.lines, "\n") }

func (b *block) comment(text string) {
	if text != "" {
		b.line("// " + plan.Visible(text))
	}
}

// step writes the sending of one request and what is asserted of its answer.
func (b *block) step(s *plan.Step) {
	title := s.Title
	left := s.Left
	if left == "" {
		left = javascript.Unsendable(s)
	}
	switch {
	case left != "":
		b.comment(title + " is left out: " + left + ".")
		return
	case s.Once && !b.sharing:
		name := b.file.share(s)
		b.comment(title)
		b.line("await " + name + "();")
		return
	}
	b.comment(title)
	why := ""
	if s.Ending == plan.Answered {
		why = fetchRefuses(s)
	}
	b.comment(why)
	b.comment(s.Wait.Comment())
	if s.Role == plan.SetUp && len(s.Given) > 0 {
		call := javascript.Call(b.file.use("requireGiven"), javascript.Strings(s.Given)...)
		b.line(call.Write(b.indent, b.indent, 1) + ";")
	}
	request := b.request(s)
	if s.Ending != plan.Answered {
		request = request.With("seconds", javascript.Int(s.EndsWithin()))
		call := javascript.Call(b.file.use("ends"), request)
		head := "const end = await "
		b.line(head + call.Write(b.indent, b.indent+len(head), 1) + ";")
		b.expect(javascript.Name("end"), "toBe", javascript.String(string(s.Ending)))
		return
	}
	switch {
	case s.Role == plan.CleanUp:
		if why != "" {
			request = request.With("raw", javascript.Name("true"))
		}
		call := javascript.Call(b.file.use("cleanUp"), request)
		b.cleanUp(s, call)
		return
	case why != "":
		b.answer(javascript.Call(b.file.use("sendRaw"), request))
	default:
		b.answer(javascript.Call(b.file.use("send"), request))
	}
	folded := b.file.common.Fold(*s)
	b.statements(folded.Statements())
}

// cleanUp writes the call of a clean-up, which is sent where answers gave what it takes away.
func (b *block) cleanUp(s *plan.Step, call javascript.Node) {
	if len(s.Given) > 0 {
		given := javascript.Call(b.file.use("given"), javascript.Strings(s.Given)...)
		b.line("if (" + given.Write(b.indent, b.indent+len("if ("), 3) + ") {")
		b.indent += 2
		defer func() {
			b.indent -= 2
			b.line("}")
		}()
	}
	b.line("await " + call.Write(b.indent, b.indent+len("await "), 1) + ";")
}

func (b *block) answer(call javascript.Node) {
	head := "const res = await "
	switch {
	case b.named:
		head = "res = await "
	case b.let:
		head = "let res = await "
	}
	b.named = true
	b.line(head + call.Write(b.indent, b.indent+len(head), 1) + ";")
}

// request is what a step sends.
func (b *block) request(s *plan.Step) javascript.Node {
	n := javascript.Node{Kind: javascript.Object}.With("method", javascript.String(s.Method)).With("target",
		b.text(s.Target))
	switch s.Base {
	case "":
	case plan.MocksBase:
		b.file.mocks["mocks"] = true
		n = n.With("base", javascript.Name("mocks.url"))
	default:
		n = n.With("base", javascript.String(s.Base))
	}
	sent, without := plan.Without(s.OwnHeaders(b.file.headers))
	if len(sent) > 0 {
		list := javascript.Node{Kind: javascript.Array}
		for _, h := range sent {
			list.Parts = append(list.Parts, javascript.List(javascript.String(h.Name), b.text(h.Value)))
		}
		n = n.With("headers", list)
	}
	if len(without) > 0 {
		n = n.With("without", javascript.List(javascript.Strings(without)...))
	}
	switch {
	case s.Body == nil:
	case s.Body.Bytes != nil:
		n = n.With("body", javascript.Call(b.file.use("fromBase64"),
			javascript.String(base64.StdEncoding.EncodeToString(s.Body.Bytes))))
	default:
		n = n.With("body", b.text(s.Body.Text))
	}
	if s.Body != nil && s.Body.Chunked {
		n = n.With("chunked", javascript.Name("true"))
	}
	if s.Wait != nil {
		n = n.With("until", b.literal(javascript.Until(s.Wait)))
	}
	return n
}

// text is a text as an expression.
func (b *block) text(t plan.Text) javascript.Node {
	if s, ok := t.Constant(); ok {
		return javascript.String(s)
	}
	if len(t) == 1 {
		return b.piece(t[0])
	}
	var out strings.Builder
	out.WriteByte('`')
	for _, p := range t {
		if p.IsLiteral() {
			out.WriteString(literal.JavaScriptTemplate(p.Literal))
			continue
		}
		n := b.piece(p)
		out.WriteString("${" + n.Flat() + "}")
	}
	out.WriteByte('`')
	return javascript.Node{Kind: javascript.Template, Text: out.String()}
}

// piece is what stands for a part of a text that comes from elsewhere.
func (b *block) piece(p plan.Piece) javascript.Node {
	var n javascript.Node
	switch {
	case p.Host:
		return javascript.Name("res.host")
	case p.Secret != "":
		n = javascript.Call(b.file.use("secret"), javascript.String(p.Secret))
	default:
		if n = javascript.Name(b.file.use("bound") + "." + p.Bound); javascript.Key(p.Bound) != p.Bound ||
			unicode.IsDigit(rune(p.Bound[0])) {
			n = javascript.Name("bound[" + literal.PrettyJavaScript(p.Bound) + "]")
		}
	}
	switch p.Escape {
	case plan.InPath:
		return javascript.Call(b.file.use("inPath"), n)
	case plan.InQuery:
		return javascript.Call(b.file.use("inQuery"), n)
	case plan.InJSON:
		return javascript.Call(b.file.use("inJSON"), n)
	case plan.AsJSON:
		return javascript.Call(b.file.use("asJSON"), n)
	case plan.FromBase64:
		return javascript.Call(b.file.use("fromBase64"), n)
	}
	return n
}

// statements writes what is kept and asserted of an answer.
func (b *block) statements(list []plan.Statement) {
	list, values := plan.InBody(list)
	for _, s := range list {
		switch {
		case s.Keep != nil:
			how := "take"
			if s.Keep.Find {
				how = "find"
			}
			b.line(b.statement(javascript.Call(b.file.use(how), javascript.String(s.Keep.Name), javascript.Name("res"),
				javascript.String(string(s.Keep.Place)))))
		case s.Gone != "":
			b.line(b.statement(javascript.Call(b.file.use("gone"), javascript.String(s.Gone), javascript.Name("res"))))
		case s.Assert != nil && s.Assert.Kind == plan.CheckJSON:
			b.json(s.Assert, values)
		case s.Assert != nil:
			b.check(s.Assert)
		case s.SkipUnless != 0: // Jest skips no test that has begun
			b.line("if (res.status !== " + strconv.Itoa(s.SkipUnless) + ") {")
			b.line("  console.warn(" + literal.PrettyJavaScript(plan.NotMade) + ");")
			b.line("  return;")
			b.line("}")
		case s.Only != 0 && javascript.Assert(s.Then):
			b.line("if (res.status === " + strconv.Itoa(s.Only) + ") {")
			b.indent += 2
			b.statements(s.Then)
			b.indent -= 2
			b.line("}")
		case s.Only != 0:
			b.statements(s.Then)
		}
	}
}

func (b *block) statement(n javascript.Node) string { return n.Write(b.indent, b.indent, 1) + ";" }

func (b *block) expect(got javascript.Node, matcher string, args ...javascript.Node) {
	b.line(javascript.Expect(b.indent, got, matcher, args...))
}

// check writes one assertion, and why it is no stronger.
func (b *block) check(c *plan.Check) {
	for _, line := range c.Comments() {
		b.comment(line)
	}
	if javascript.Asserts(c) {
		b.assertion(c)
	}
}

func (b *block) assertion(c *plan.Check) {
	res, place := javascript.Name("res"), javascript.String(string(c.Place))
	switch c.Kind {
	case plan.CheckStatus:
		if len(c.Statuses) == 1 {
			b.expect(javascript.Name("res.status"), "toBe", javascript.Int(c.Statuses[0]))
			return
		}
		list := javascript.Node{Kind: javascript.Array}
		for _, n := range c.Statuses {
			list.Parts = append(list.Parts, javascript.Int(n))
		}
		b.expect(list, "toContain", javascript.Name("res.status"))
	case plan.CheckCommon:
		b.file.calls = true
		b.line(b.statement(commonCall(c)))
	case plan.CheckHeader:
		b.header(c)
	case plan.CheckCookie:
		b.expect(javascript.Name("res.cookieNames"), "toContain", b.text(c.Name))
	case plan.CheckEmpty:
		b.expect(javascript.Name("res.size"), "toBe", javascript.Int(0))
	case plan.CheckText:
		b.expect(javascript.Name("res.text"), "toBe", b.text(c.Text))
	case plan.CheckDigest:
		b.expect(javascript.Name("res.size"), "toBe", javascript.Int(c.Length))
		b.expect(javascript.Name("res.sha256"), "toBe", javascript.String(c.SHA256))
	case plan.CheckOutline:
		if len(c.Keys) == 0 {
			b.expect(javascript.Name("res.json"), "toHaveLength", javascript.Int(c.Length))
			return
		}
		b.expect(javascript.Name("res.json"), "toHaveKeys", javascript.Strings(c.Keys)...)
	case plan.CheckHolds:
		b.expect(res, "toHold", place, javascript.Held(c, "res.now"))
	case plan.CheckItems:
		b.items(c)
	case plan.CheckEqual:
		if c.Extent == plan.Among {
			b.expect(javascript.Call(b.file.use("textsAt"), res, place), "toContain", b.text(c.Text))
			return
		}
		matcher := "toBe"
		if c.Suffix {
			matcher = "toEndWith"
		}
		b.expect(javascript.Call(b.file.use("textAt"), res, place), matcher, b.text(c.Text))
	case plan.CheckRelated:
		args := []javascript.Node{javascript.String(string(c.Relation)), place}
		for _, t := range c.Operands() {
			args = append(args, b.text(t))
		}
		b.expect(res, "toBeRelated", args...)
	case plan.CheckHash:
		b.expect(res, "toHaveDigest", javascript.Hash(c, b.text)...)
	}
}

// header asserts the lines of a header.
func (b *block) header(c *plan.Check) {
	name := javascript.String(c.Place.Segments()[1])
	if len(c.Lines) == 1 {
		b.expect(javascript.Call("res.header", name), "toBe", b.text(c.Lines[0]))
		return
	}
	list := javascript.Node{Kind: javascript.Array}
	for _, l := range c.Lines {
		list.Parts = append(list.Parts, b.text(l))
	}
	b.expect(javascript.Call("res.lines", name), "toEqual", list)
}

// json asserts a JSON body; values are the checks of single values that are written where these stand.
func (b *block) json(c *plan.Check, values map[exchange.Place]*plan.Check) {
	for _, line := range c.Comments() {
		b.comment(line)
	}
	got := javascript.Name("res.json")
	if len(c.Absent) > 0 {
		args := append([]javascript.Node{got}, javascript.Strings(c.Absent)...)
		got = javascript.Call(b.file.use("without"), args...)
	}
	b.expect(got, "toEqual", b.literal(javascript.JSON(c.JSON, c.Masks, func(place exchange.Place) javascript.Node {
		if value := values[exchange.PlaceBody+place]; value != nil {
			return b.like(value)
		}
		return javascript.Name("volatile")
	})))
}

// like is what is said of a value, where it stands in a body.
func (b *block) like(c *plan.Check) javascript.Node {
	said := javascript.Node{Kind: javascript.Object}
	switch {
	case c.Kind == plan.CheckHolds:
		said = javascript.Said(c, "res.now")
	case c.Suffix:
		said = said.With("ends", b.text(c.Text))
	default:
		said = said.With("text", b.text(c.Text))
	}
	n := javascript.Call(b.file.use("like"), said)
	n.Note = plan.Visible(c.Why)
	return n
}

// items asserts that an array has its elements in any order.
func (b *block) items(c *plan.Check) {
	args := []javascript.Node{javascript.String(string(c.Place)),
		b.literal(javascript.JSON(c.JSON, c.Masks, javascript.As(javascript.Name("VOLATILE"))))}
	options := javascript.Masking(c, javascript.Node{Kind: javascript.Object})
	if c.Extent != plan.Whole {
		options = options.With("extent", javascript.String(string(c.Extent)))
	}
	if len(options.Parts) > 0 {
		args = append(args, options)
	}
	b.expect(javascript.Name("res"), "toHaveItems", args...)
}

// literal notes what of the library a JSON literal uses.
func (b *block) literal(n javascript.Node) javascript.Node {
	switch {
	case n.Kind == javascript.Atom && (n.Text == "volatile" || n.Text == "VOLATILE"),
		n.Kind == javascript.Invocation && (n.Text == "exact" || n.Text == "pairs"):
		b.file.use(n.Text)
	}
	for _, p := range n.Parts {
		b.literal(p)
	}
	return n
}
