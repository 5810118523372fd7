package write

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/flaketap/flaketap/internal/literal"
)

// jestBlock writes the statements of a test.
type jestBlock struct {
	file    *jestFile
	indent  int
	sharing bool // it is a set-up that tests share
	let     bool // the variable of the answer is given several values
	named   bool // it was declared
	lines   []string
}

func (b *jestBlock) line(text string) {
	b.lines = append(b.lines, strings.Repeat(" ", b.indent)+text+"\n")
}

func (b *jestBlock) blank() { b.lines = append(b.lines, "\n") }

func (b *jestBlock) comment(text string) {
	if text != "" {
		b.line("// " + visible(text))
	}
}

// step writes the sending of one request and what is asserted of its answer.
func (b *jestBlock) step(s *Step) {
	title := fmt.Sprintf("%d: %s", s.Seq, s.Title)
	left := s.Left
	if left == "" {
		left = jestLeft(s)
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
	why := fetchRefuses(s)
	b.comment(why)
	request := b.request(s)
	switch {
	case s.Role == CleanUp:
		if why != "" {
			request = request.with("raw", jsName("true"))
		}
		call := jsOf(b.file.use("cleanUp"), request)
		b.cleanUp(s, call)
		return
	case why != "":
		b.answer(jsOf(b.file.use("sendRaw"), request))
	default:
		b.answer(jsOf(b.file.use("send"), request))
	}
	b.checks(s)
}

// cleanUp writes the call of a clean-up, which is sent where answers gave what it takes away.
func (b *jestBlock) cleanUp(s *Step, call jsNode) {
	var names []jsNode
	for _, p := range s.Target {
		if p.Bound != "" {
			names = append(names, jsStr(p.Bound))
		}
	}
	if len(names) > 0 {
		given := jsOf(b.file.use("given"), names...)
		b.line("if (" + given.write(b.indent, b.indent+len("if ("), 3) + ") {")
		b.indent += 2
		defer func() {
			b.indent -= 2
			b.line("}")
		}()
	}
	b.line("await " + call.write(b.indent, b.indent+len("await "), 1) + ";")
}

func (b *jestBlock) answer(call jsNode) {
	head := "const res = await "
	switch {
	case b.named:
		head = "res = await "
	case b.let:
		head = "let res = await "
	}
	b.named = true
	b.line(head + call.write(b.indent, b.indent+len(head), 1) + ";")
}

// request is what a step sends.
func (b *jestBlock) request(s *Step) jsNode {
	n := jsNode{kind: jsObject}.with("method", jsStr(s.Method)).with("target", b.text(s.Target))
	if s.Base != "" {
		n = n.with("base", jsStr(s.Base))
	}
	if len(s.Headers) > 0 {
		list := jsNode{kind: jsArray}
		for _, h := range s.Headers {
			list.parts = append(list.parts, jsList(jsStr(h.Name), b.text(h.Value)))
		}
		n = n.with("headers", list)
	}
	switch {
	case s.Body == nil:
	case s.Body.Bytes != nil:
		n = n.with("body", jsOf(b.file.use("fromBase64"), jsStr(base64.StdEncoding.EncodeToString(s.Body.Bytes))))
	default:
		n = n.with("body", b.text(s.Body.Text))
	}
	if s.Body != nil && s.Body.Chunked {
		n = n.with("chunked", jsName("true"))
	}
	return n
}

// text is a text as an expression.
func (b *jestBlock) text(t Text) jsNode {
	if s, ok := t.plain(); ok {
		return jsStr(s)
	}
	if len(t) == 1 {
		return b.piece(t[0])
	}
	var out strings.Builder
	out.WriteByte('`')
	for _, p := range t {
		if p.literal() {
			out.WriteString(literal.JavaScriptTemplate(p.Literal))
			continue
		}
		n := b.piece(p)
		out.WriteString("${" + n.flat() + "}")
	}
	out.WriteByte('`')
	return jsNode{kind: jsTemplate, text: out.String()}
}

// piece is what stands for a part of a text that comes from elsewhere.
func (b *jestBlock) piece(p Piece) jsNode {
	var n jsNode
	switch {
	case p.Host:
		return jsName("res.host")
	case p.Secret != "":
		n = jsOf(b.file.use("secret"), jsStr(p.Secret))
	default:
		if n = jsName(b.file.use("bound") + "." + p.Bound); jsKey(p.Bound) != p.Bound || unicode.IsDigit(rune(p.Bound[0])) {
			n = jsName("bound[" + literal.PrettyJavaScript(p.Bound) + "]")
		}
	}
	switch p.Escape {
	case InPath:
		return jsOf(b.file.use("inPath"), n)
	case InQuery:
		return jsOf(b.file.use("inQuery"), n)
	case InJSON:
		return jsOf(b.file.use("inJSON"), n)
	case AsJSON:
		return jsOf(b.file.use("asJSON"), n)
	case FromBase64:
		return jsOf(b.file.use("fromBase64"), n)
	}
	return n
}

// checks writes what is kept and asserted of an answer. Checks that are made of answers of one status stand together.
func (b *jestBlock) checks(s *Step) {
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
		b.line(b.statement(jsOf(b.file.use(how), jsStr(c.Name), jsName("res"), jsStr(string(c.Place)))))
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
			b.line("if (res.status === " + strconv.Itoa(part[0].If) + ") {")
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

func (b *jestBlock) statement(n jsNode) string { return n.write(b.indent, b.indent, 1) + ";" }

func (b *jestBlock) expect(got jsNode, matcher string, args ...jsNode) {
	b.line(jsExpect(b.indent, got, matcher, args...))
}

// check writes one assertion, and why it is no stronger.
func (b *jestBlock) check(c *Check) {
	if c.Why != "" {
		if place := string(c.Place); strings.Contains(c.Why, place) {
			b.comment(c.Why)
		} else {
			b.comment(place + ": " + c.Why)
		}
	}
	b.comment(c.Off)
	if asserts(c) {
		b.assertion(c)
	}
}

func (b *jestBlock) assertion(c *Check) {
	res, place := jsName("res"), jsStr(string(c.Place))
	switch c.Kind {
	case CheckStatus:
		if len(c.Statuses) == 1 {
			b.expect(jsName("res.status"), "toBe", jsInt(c.Statuses[0]))
			return
		}
		list := jsNode{kind: jsArray}
		for _, n := range c.Statuses {
			list.parts = append(list.parts, jsInt(n))
		}
		b.expect(list, "toContain", jsName("res.status"))
	case CheckHeader:
		b.header(c)
	case CheckCookie:
		b.expect(jsName("res.cookieNames"), "toContain", b.text(c.Name))
	case CheckEmpty:
		b.expect(jsName("res.size"), "toBe", jsInt(0))
	case CheckText:
		b.expect(jsName("res.text"), "toBe", b.text(c.Text))
	case CheckDigest:
		b.expect(jsName("res.size"), "toBe", jsInt(c.Length))
		b.expect(jsName("res.sha256"), "toBe", jsStr(c.SHA256))
	case CheckJSON:
		b.json(c)
	case CheckOutline:
		if len(c.Keys) == 0 {
			b.expect(jsName("res.json"), "toHaveLength", jsInt(c.Length))
			return
		}
		var keys []jsNode
		for _, k := range c.Keys {
			keys = append(keys, jsStr(k))
		}
		b.expect(jsName("res.json"), "toHaveKeys", keys...)
	case CheckHolds:
		said := statements(c.Holds)
		if c.Optional || c.Holds.Optional {
			said = said.with("optional", jsName("true"))
		}
		b.expect(res, "toHold", place, said)
	case CheckItems:
		b.items(c)
	case CheckEqual:
		matcher := "toBe"
		if c.Suffix {
			matcher = "toEndWith"
		}
		b.expect(jsOf(b.file.use("textAt"), res, place), matcher, b.text(c.Text))
	case CheckRelated:
		args := []jsNode{jsStr(string(c.Relation)), place}
		for _, p := range c.Of {
			args = append(args, jsStr(string(p)))
		}
		b.expect(res, "toBeRelated", args...)
	}
}

// header asserts the lines of a header.
func (b *jestBlock) header(c *Check) {
	name := jsStr(c.Place.Segments()[1])
	if len(c.Lines) == 1 {
		b.expect(jsOf("res.header", name), "toBe", b.text(c.Lines[0]))
		return
	}
	list := jsNode{kind: jsArray}
	for _, l := range c.Lines {
		list.parts = append(list.parts, b.text(l))
	}
	b.expect(jsOf("res.lines", name), "toEqual", list)
}

// json asserts a JSON body.
func (b *jestBlock) json(c *Check) {
	got := jsName("res.json")
	if len(c.Absent) > 0 {
		args := []jsNode{got}
		for _, p := range c.Absent {
			args = append(args, jsStr(string(p)))
		}
		got = jsOf(b.file.use("without"), args...)
	}
	b.expect(got, "toEqual", b.literal(jsJSON(c.JSON, c.Masks, jsName("volatile"))))
}

// items asserts that an array has its elements in any order.
func (b *jestBlock) items(c *Check) {
	args := []jsNode{jsStr(string(c.Place)), b.literal(jsJSON(c.JSON, c.Masks, jsName("VOLATILE")))}
	options := masking(c, jsNode{kind: jsObject})
	if c.AsSet {
		options = options.with("asSet", jsName("true"))
	}
	if len(options.parts) > 0 {
		args = append(args, options)
	}
	b.expect(jsName("res"), "toHaveItems", args...)
}

// literal notes what of the library a JSON literal uses.
func (b *jestBlock) literal(n jsNode) jsNode {
	switch {
	case n.kind == jsAtom && (n.text == "volatile" || n.text == "VOLATILE"),
		n.kind == jsCall && (n.text == "exact" || n.text == "pairs"):
		b.file.use(n.text)
	}
	for _, p := range n.parts {
		b.literal(p)
	}
	return n
}
