package pytest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/write/plan"
)

// laid lays a statement out for where it is to stand, and leaves the indentation to others.
func (w *writer) laid(e expr, prefix, suffix string) []string {
	lines := e.lines(w.indent, prefix, suffix)
	for i := range lines {
		lines[i] = lines[i][w.indent:]
	}
	return lines
}

// within writes lines that stand four columns further in.
func (w *writer) within(write func() []string) []string {
	w.indent += 4
	lines := write()
	w.indent -= 4
	return indented(lines)
}

// send writes the sending of one request.
func (w *writer) send(s plan.Step, prefix string) []string {
	args := w.message(s)
	if s.Wait != nil {
		args = append(args, named("until=", answers(s.Wait)), atom(fmt.Sprintf("seconds=%d", int(s.Wait.Patience.Seconds()))))
		if every := s.Wait.Pause(); every != plan.DefaultPause {
			args = append(args, atom(fmt.Sprintf("every=%v", every.Seconds())))
		}
	}
	sent := w.laid(call("api.send(", args...), prefix, "")
	if seen := s.Wait.Comment(); seen != "" {
		return append([]string{"# " + seen}, sent...)
	}
	return sent
}

// ends writes the sending of a request that is not answered.
func (w *writer) ends(s plan.Step) []string {
	args := append(w.message(s), atom(fmt.Sprintf("seconds=%d", s.EndsWithin())))
	return w.compared(call("api.ends(", args...), atom(literal.Python(string(s.Ending))))
}

// message writes what is sent, as arguments.
func (w *writer) message(s plan.Step) []expr {
	args := []expr{atom(literal.Python(s.Method)), w.text(s.Target)}
	if own := s.OwnHeaders(w.headers); len(own) > 0 {
		args = append(args, named("headers=", w.pairs(own)))
	}
	if s.Body != nil {
		args = append(args, named("body=", w.body(s.Body)))
		if s.Body.Chunked {
			args = append(args, atom("chunked=True"))
		}
	}
	switch s.Base {
	case "":
	case plan.MocksBase:
		args = append(args, atom("base_url=mocks.url"))
	default:
		args = append(args, atom("base_url="+literal.Python(s.Base)))
	}
	return args
}

// pairs writes headers; one that is not to be sent has None.
func (w *writer) pairs(headers []plan.Header) expr {
	out := list()
	for _, h := range headers {
		value := atom("None")
		if h.Value != nil {
			value = w.text(h.Value)
		}
		out.items = append(out.items, call("(", atom(literal.Python(h.Name)), value))
	}
	return out
}

// answers writes what an answer is waited for to say.
func answers(w *plan.Wait) expr {
	e := call("answers(", atom("status="+strconv.Itoa(w.Status)))
	if len(w.Values) > 0 {
		values := expr{text: "{", end: "}"}
		for _, v := range w.Values {
			values.items = append(values.items, named(literal.Python(string(v.Place))+": ", pyScalar(string(v.JSON))))
		}
		e.items = append(e.items, named("values=", values))
	}
	if len(w.InVain) > 0 {
		never := list()
		for _, v := range w.InVain {
			never.items = append(never.items, call("(", atom(literal.Python(string(v.Place))), pyScalar(string(v.JSON))))
		}
		e.items = append(e.items, named("never=", never))
	}
	return e
}

func (w *writer) body(b *plan.Body) expr {
	if b.Bytes == nil {
		return w.text(b.Text)
	}
	const width = 24
	e := atom(literal.PythonBytes(b.Bytes))
	if len(b.Bytes) > width {
		e.broken = []string{""}
		for c := range slices.Chunk(b.Bytes, width) {
			e.broken = append(e.broken, literal.PythonBytes(c))
		}
	}
	return e
}

// text writes a text: a literal, one expression, an f-string, or a concatenation.
func (w *writer) text(t plan.Text) expr {
	if len(t) == 1 && t[0].IsLiteral() {
		return str(t[0].Literal)
	}
	plain := true // fit for an f-string in double quotes
	parts := make([]expr, len(t))
	for i, p := range t {
		if p.IsLiteral() {
			plain = plain && !strings.ContainsAny(p.Literal, "\"'\\{}\r\n\t") &&
				!strings.ContainsFunc(p.Literal, func(r rune) bool { return !strconv.IsPrint(r) })
			parts[i] = str(p.Literal)
			continue
		}
		parts[i] = atom(piece(p))
	}
	if len(t) == 1 {
		x := strings.TrimSuffix(parts[0].text, ")")
		if name, arg, ok := strings.Cut(x, "("); ok && x != parts[0].text { // so that it can be broken
			return call(name+"(", atom(arg))
		}
		return parts[0]
	}
	long := expr{text: `"".join(`, items: []expr{list(parts...)}, end: ")", bare: true}
	if !plain {
		flat := make([]string, len(parts))
		for i, p := range parts {
			flat[i] = p.text
		}
		return expr{text: strings.Join(flat, " + "), long: &long}
	}
	var b strings.Builder
	b.WriteString(`f"`)
	for i, p := range t {
		if p.IsLiteral() {
			b.WriteString(p.Literal)
			continue
		}
		b.WriteString("{" + strings.ReplaceAll(parts[i].text, `"`, "'") + "}")
	}
	return expr{text: b.String() + `"`, long: &long}
}

// piece writes a bound value, a secret or the host, escaped as it needs to be.
func piece(p plan.Piece) string {
	x := "bound[" + literal.Python(p.Bound) + "]"
	switch {
	case p.Host:
		return "res.host"
	case p.Secret != "":
		x = "secret(" + literal.Python(p.Secret) + ")"
	}
	switch p.Escape {
	case plan.InPath:
		return "in_path(" + x + ")"
	case plan.InQuery:
		return "in_query(" + x + ")"
	case plan.InJSON:
		return "in_json(" + x + ")"
	case plan.AsJSON:
		return "as_json(" + x + ")"
	case plan.FromBase64:
		return "from_base64(" + x + ")"
	}
	return x
}

// statements writes what is kept of an answer, and what is asserted.
func (w *writer) statements(list []plan.Statement) []string {
	var out []string
	list, values := plan.InBody(list)
	for _, s := range list {
		switch {
		case s.Keep != nil:
			out = append(out, w.capture(s.Keep)...)
		case s.Gone != "":
			out = append(out, "bound.gone("+literal.Python(s.Gone)+", res)")
		case s.Assert != nil && s.Assert.Kind == plan.CheckJSON:
			out = append(out, w.whole(s.Assert, values)...)
		case s.Assert != nil:
			out = append(out, w.check(s.Assert)...)
		case s.SkipUnless != 0:
			out = append(out, fmt.Sprintf("if res.status != %d:", s.SkipUnless),
				"    pytest.skip("+literal.Python(plan.NotMade)+")")
		default:
			then := w.within(func() []string { return w.statements(s.Then) })
			if !slices.ContainsFunc(then, func(l string) bool { return !strings.HasPrefix(l, "    #") }) {
				then = append(then, "    pass")
			}
			out = append(append(out, fmt.Sprintf("if res.status == %d:", s.Only)), then...)
		}
	}
	return out
}

// check writes one assertion, with the reason where it asserts less than was recorded.
func (w *writer) check(c *plan.Check) []string {
	var out []string
	for _, line := range c.Comments() {
		out = append(out, "# "+line)
	}
	return append(out, w.assertion(c)...)
}

// assertion writes a check: of the status, of the head, or of the body as a whole.
func (w *writer) assertion(c *plan.Check) []string {
	switch c.Kind {
	case plan.CheckStatus:
		return status(c.Statuses)
	case plan.CheckCommon:
		args := []expr{atom("res"), atom(fmt.Sprintf("status=%d", c.Statuses[0]))}
		if len(c.Except) > 0 {
			args = append(args, named("but=", list().with(quoted(c.Except))))
		}
		return w.laid(call("check_common(", args...), "", "")
	case plan.CheckHeader:
		name := literal.Python(strings.Join(c.Place.Segments()[1:], "/"))
		if len(c.Lines) == 1 {
			return w.equals("res.headers["+name+"]", w.text(c.Lines[0]))
		}
		lines := list()
		for _, l := range c.Lines {
			lines.items = append(lines.items, w.text(l))
		}
		return w.laid(lines, "assert res.headers.all("+name+") == ", "")
	case plan.CheckCookie:
		return w.laid(w.text(c.Name), "assert ", " in res.cookies")
	case plan.CheckEmpty:
		return []string{`assert res.body == b""`}
	case plan.CheckText:
		return w.equals("res.text", w.text(c.Text))
	case plan.CheckDigest:
		return []string{fmt.Sprintf("assert len(res.body) == %d", c.Length),
			"assert sha256(res.body) == " + literal.Python(c.SHA256)}
	case plan.CheckSize:
		if c.Length == 0 {
			return []string{"assert len(res.body) > 0"}
		}
		return []string{fmt.Sprintf("assert len(res.body) == %d", c.Length)}
	}
	return w.assertionAt(c)
}

// assertionAt writes a check of a place, or of the JSON of the body.
func (w *writer) assertionAt(c *plan.Check) []string {
	place := atom(literal.Python(string(c.Place)))
	switch c.Kind {
	case plan.CheckOutline:
		if len(c.Keys) == 0 {
			return []string{fmt.Sprintf("assert len(res.json()) == %d", c.Length)}
		}
		keys := call("has_keys(", atom("res.json()"))
		for _, k := range c.Keys {
			keys.items = append(keys.items, atom(literal.Python(k)))
		}
		return w.laid(keys, "assert ", "")
	case plan.CheckHolds:
		return w.holds(c)
	case plan.CheckItems:
		return w.items(c)
	case plan.CheckEqual:
		if c.Extent == plan.Among {
			return w.laid(w.text(c.Text), "assert ", " in texts_at(res, "+place.text+")")
		}
		got, want := "text_at(res, "+place.text+")", w.text(c.Text)
		if w.indent+utf8.RuneCountInString("assert "+got+".endswith()"+want.flat()) <= lineWidth {
			if c.Suffix {
				return w.laid(call(got+".endswith(", want), "assert ", "")
			}
			return w.equals(got, want)
		}
		long := call("is_text(", atom("res"), place, want)
		if c.Suffix {
			long.items = append(long.items, atom("suffix=True"))
		}
		return w.laid(long, "assert ", "")
	case plan.CheckRelated:
		args := []expr{atom("res"), atom(literal.Python(string(c.Relation))), place}
		for _, t := range c.Operands() {
			args = append(args, w.text(t))
		}
		return w.laid(call("related(", args...), "assert ", "")
	case plan.CheckHash:
		args := []expr{atom("res"), place, atom(literal.Python(string(c.Hash))), w.text(c.Operands()[0])}
		if c.Length > 0 {
			args = append(args, atom("digits="+strconv.Itoa(c.Length)))
		}
		return w.laid(call("has_digest(", args...), "assert ", "")
	}
	return nil
}

// items writes a check of the elements of an array.
func (w *writer) items(c *plan.Check) []string {
	found := masked("at(res.json(), "+literal.Python(string(plan.Pointer(c.Place, exchange.PlaceBody)))+")", c)
	wanted := w.pyJSON(plan.ReadNode(c.JSON), nil)
	if c.Extent == plan.Among {
		return w.laid(call("has_items(", append([]expr{found}, wanted.items...)...), "assert ", "")
	}
	same := call("same_items(", found, wanted)
	if c.Extent == plan.AsSet {
		same.items = append(same.items, atom("as_set=True"))
	}
	return w.laid(same, "assert ", "")
}

func (w *writer) equals(got string, want expr) []string {
	wide := func(line string) bool { return w.indent+utf8.RuneCountInString(line) > lineWidth }
	flat := "assert " + got + " == " + want.flat()
	if wide(flat) && want.end == "" && want.long == nil && len(want.broken) <= 2 && !wide("    == "+want.flat()) {
		return []string{"assert (", "    " + got, "    == " + want.flat(), ")"}
	}
	return w.laid(want, "assert "+got+" == ", "")
}

func status(statuses []int) []string {
	switch len(statuses) {
	case 0:
		return nil
	case 1:
		return []string{fmt.Sprintf("assert res.status == %d", statuses[0])}
	}
	return []string{"assert res.status in (" + strings.Trim(strings.ReplaceAll(fmt.Sprint(statuses), " ", ", "),
		"[]") + ")"}
}

// compared writes that one value equals another; the first is broken only where it does not fit by itself.
func (w *writer) compared(got, want expr) []string {
	flat := "assert " + got.flat() + " == "
	if w.indent+utf8.RuneCountInString(flat+want.text) <= lineWidth || got.end == "" {
		return w.laid(want, flat, "")
	}
	lines := got.open(w.indent, "assert ", " == ")
	rest := want.lines(w.indent, ") == ", "")
	lines = append(lines[:len(lines)-1], rest...)
	for i := range lines {
		lines[i] = lines[i][w.indent:]
	}
	return lines
}

// masked writes the masking of a value.
func masked(value string, c *plan.Check) expr {
	if len(c.Masks)+len(c.Absent) == 0 {
		return atom(value)
	}
	e := call("masked(", atom(value))
	for _, m := range c.Masks {
		e.items = append(e.items, atom(literal.Python(string(m))))
	}
	if len(c.Absent) > 0 {
		absent := list()
		for _, p := range c.Absent {
			absent.items = append(absent.items, atom(literal.Python(string(p))))
		}
		e.items = append(e.items, named("absent=", absent))
	}
	return e
}
