package jest

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/handset"
	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/js/prettier"
	"github.com/flaketap/flaketap/suite/script"
)

// grafter writes set-ups as the test writes its own requests: at its head, with its client and base URL.
func (w *written) grafter() *script.Grafter {
	return &script.Grafter{SetUp: w.setUp, Bind: w.bind, Refused: w.refused, Sender: w.sender, Shares: w.shares,
		Able: w.able, Place: w.place, Otherwise: true, Fresh: w.fresh, Everywhere: w.everywhere, Outside: w.outside}
}

// refused says why a test is given no set-up.
func (w *written) refused(_ *script.Script, t *script.Test) string {
	several := func(g *group) bool { return g.many || g.table != nil }
	if i := slices.IndexFunc(w.cases, func(c testCase) bool { return c.fn == w.bodies[t] }); w.unrolled[t] ||
		i >= 0 && slices.ContainsFunc(w.cases[i].groups(), several) {
		return "the test runs with several values"
	}
	return ""
}

// sender is why no request can be sent at the head of a test.
func (w *written) sender(_ *script.Script, t *script.Test) string {
	_, why := w.modelOf(t)
	return why
}

// able reports whether a request can be written as the test sends its own.
func (w *written) able(_ *script.Script, t *script.Test, x script.SetUpRequest) bool {
	m, why := w.modelOf(t)
	_, ok := w.request(m, x)
	return why == "" && ok
}

// setUp sends what goes before in the words of the test. What cleans up stands in a finally around the rest.
func (w *written) setUp(s *script.Script, t *script.Test, before, clean []script.SetUpRequest) (open, end []string) {
	m, _ := w.modelOf(t)
	p := w.layout(t)
	for _, x := range before {
		if x.Comment != "" {
			open = append(open, s.Comment(x.Comment))
		}
		sent, _ := w.request(m, x)
		if m.library == axiosClient && x.Status == 0 {
			sent.Close += ".catch((error) => error.response)"
		}
		open = append(open, p.Lines(sent, "const "+x.Var+" = await ", p.End, 0)...)
		if x.Status != 0 {
			open = append(open, s.Comment(script.SetUpMustSucceed), w.succeeds(x)+p.End)
		}
		open = append(open, w.captures(m, x, p)...)
	}
	if len(clean) == 0 {
		return append(open, ""), nil
	}
	if clean[0].Comment != "" {
		open = append(open, s.Comment(clean[0].Comment))
	}
	open, end = append(open, "", "try {"), []string{"} finally {"}
	for _, x := range clean {
		sent, _ := w.request(m, x)
		if m.library == axiosClient {
			sent.Close += ".catch(() => {})"
		}
		end = append(end, p.Taken(sent, x.Made, x.MadeBy)...)
	}
	return open, append(end, "}")
}

// succeeds asserts the status of a request.
func (w *written) succeeds(x script.SetUpRequest) string {
	if _, chai := w.module.packages["expect"]; w.expects && (!chai || w.module.packages["expect"] != "chai") {
		return fmt.Sprintf("expect(%s.status).toBe(%d)", x.Var, x.Status)
	}
	return fmt.Sprintf("if (%s.status !== %d) throw new Error(`the set-up was answered ${%s.status}`)", x.Var, x.Status, x.Var)
}

// captures keeps what is taken from an answer. What fetch gives can be read once.
func (w *written) captures(m model, x script.SetUpRequest, p prettier.Layout) []string {
	var out []string
	body := x.Var + ".data"
	inBody := 0
	for _, k := range x.Captures {
		if len(k.Place.Segments()) > 1 && k.Place.Root() == "body" {
			inBody++
		}
	}
	if m.library == fetchClient {
		if body = "(await " + x.Var + ".json())"; inBody > 1 {
			read := "await " + x.Var + ".json()"
			if x.Captures[0].If != 0 { // what refuses it may be no JSON
				read = fmt.Sprintf("%s.status === %d ? %s : null", x.Var, x.Captures[0].If, read)
			}
			out = append(out, "const "+x.Var+"_body = "+read+p.End)
			body = x.Var + "_body"
		}
	}
	for _, k := range x.Captures {
		header := func(name string) string { return x.Var + m.library.header(name) }
		text := "String(" + body + js.Steps(k.Steps) + ")"
		switch s := k.Place.Segments(); {
		case k.Place == exchange.PlaceBody && m.library == fetchClient:
			text = "(await " + x.Var + ".text()).trim()"
		case k.Place == exchange.PlaceBody:
			text = "String(" + body + ").trim()"
		case s[0] == "header" && len(s) == 4:
			n, _ := strconv.Atoi(s[3])
			text = fmt.Sprintf("new URL(%s, \"http://localhost\").pathname.split(\"/\")[%d]", header(s[1]), n+1)
		case s[0] == "header":
			text = header(s[1])
		}
		if k.If == 0 {
			out = append(out, "const "+k.Name+" = "+text+p.End)
			continue
		}
		otherwise := textOf([]script.TextPart{{Text: k.Otherwise}}, w.quotes())
		out = append(out, p.Choice(k.Name, fmt.Sprintf("%s.status === %d", x.Var, k.If), text, otherwise)...)
	}
	return out
}

// request writes a request as the model is sent; false where it cannot be.
func (w *written) request(m model, x script.SetUpRequest) (prettier.Piece, bool) {
	quote := w.quotes()
	url, ok := m.url(x.Target, quote)
	sent := prettier.Piece{Text: m.client + "(", Close: ")", Inner: []prettier.Piece{{Text: url}}}
	headers := prettier.Piece{Text: "{", Close: "}"}
	form := false
	for _, h := range x.Headers {
		if len(h.Value) == 1 && strings.EqualFold(h.Name, "content-type") {
			form = strings.HasPrefix(h.Value[0].Text, "application/x-www-form-urlencoded")
			if m.library == axiosClient && (form || strings.HasPrefix(h.Value[0].Text, "application/json")) {
				continue
			}
		}
		headers.Inner = append(headers.Inner, prettier.Piece{Text: key(h.Name, quote) + ": " + textOf(h.Value, quote)})
	}
	options := prettier.Piece{Text: "{", Close: "}"}
	var body *prettier.Piece
	if len(x.Body) > 0 {
		item, isJSON := handset.JSON(x.Body)
		if !isJSON {
			item, isJSON = handset.Form(x.Body)
			ok = ok && isJSON && form
		}
		given := pieceOf("", item, quote)
		body = &given
		if form || m.library == fetchClient {
			name := map[bool]string{true: "new URLSearchParams(", false: "JSON.stringify("}[form]
			body = &prettier.Piece{Text: name, Close: ")", Inner: []prettier.Piece{given}}
		}
	}
	if m.library == axiosClient {
		method := strings.ToLower(x.Method)
		sent.Text = m.client + "." + method + "("
		takes := method == "post" || method == "put" || method == "patch"
		switch {
		case !isVerb(method) || !takes && body != nil:
			return sent, false
		case body != nil:
			sent.Inner = append(sent.Inner, *body)
		case takes && len(headers.Inner) > 0:
			sent.Inner = append(sent.Inner, prettier.Piece{Text: "undefined"})
		}
	} else {
		options.Inner = append(options.Inner, prettier.Piece{Text: "method: " + quoted(x.Method, quote)})
	}
	if len(headers.Inner) > 0 {
		headers.Text = "headers: {"
		options.Inner = append(options.Inner, headers)
	}
	if m.library == fetchClient && body != nil {
		body.Text = "body: " + body.Text
		options.Inner = append(options.Inner, *body)
	}
	if len(options.Inner) > 0 && (x.Method != "GET" || len(headers.Inner) > 0) {
		sent.Inner = append(sent.Inner, options)
	}
	return sent, ok
}

// url writes a URL with another path.
func (m model) url(target []script.TextPart, quote string) (string, bool) {
	target, ok := handset.BelowMount(target, m.mount)
	if !ok {
		return "", false
	}
	text := textOf(append([]script.TextPart{{}}, target...), quote)
	if strings.HasPrefix(text, "`") || strings.Contains(m.base, "${") {
		inner := text[1 : len(text)-1]
		return m.before + "`" + m.base + inner + "`" + m.after, !strings.HasPrefix(text, "`") == !slices.ContainsFunc(target, isVariable)
	}
	return m.before + text[:1] + m.base + text[1:] + m.after, true
}

func isVariable(p script.TextPart) bool { return p.Variable != "" }

// quotes is how most texts of the file are quoted.
func (w *written) quotes() string {
	single := 0
	for _, t := range w.tokens {
		if t.Kind == js.JsString {
			single += map[byte]int{'\'': 1, '"': -1}[w.script.Text[t.Start]]
		}
	}
	if single > 0 {
		return "'"
	}
	return `"`
}

// quoted writes a text.
func quoted(text, quote string) string {
	out := literal.JavaScript(text)
	if quote == "'" && !strings.ContainsAny(text, `'"\`) && !strings.Contains(out, `\`) {
		out = "'" + text + "'"
	}
	return out
}

// key writes the name of a member.
func key(name, quote string) string {
	if regexp.MustCompile(`^[A-Za-z_$][\w$]*$`).MatchString(name) {
		return name
	}
	return quoted(name, quote)
}

// textOf writes a text of which parts are variables.
func textOf(parts []script.TextPart, quote string) string {
	if len(parts) == 1 && parts[0].Variable != "" {
		return parts[0].Variable
	}
	plain, template, variable := "", "", false
	for _, p := range parts {
		if p.Variable != "" {
			variable = true
			template += "${" + p.Variable + "}"
			continue
		}
		plain += p.Text
		text := literal.JavaScript(p.Text)
		template += strings.NewReplacer("`", "\\`", "${", "\\${", `\"`, `"`).Replace(text[1 : len(text)-1])
	}
	if variable {
		return "`" + template + "`"
	}
	return quoted(plain, quote)
}

// pieceOf writes an item as JavaScript.
func pieceOf(name string, x handset.Item, quote string) prettier.Piece {
	switch x.Kind {
	case handset.Text:
		return prettier.Piece{Text: name + textOf(x.Parts, quote)}
	case handset.Number, handset.Word:
		if x.Parts[0].Variable != "" {
			return prettier.Piece{Text: name + "Number(" + x.Parts[0].Variable + ")"}
		}
		return prettier.Piece{Text: name + x.Parts[0].Text}
	}
	out := prettier.Piece{Text: name + "[", Close: "]"}
	if x.Kind == handset.Object {
		out = prettier.Piece{Text: name + "{", Close: "}"}
	}
	for i, item := range x.Items {
		name := ""
		if x.Kind == handset.Object {
			name = key(x.Keys[i], quote) + ": "
		}
		out.Inner = append(out.Inner, pieceOf(name, item, quote))
	}
	return out
}

// place puts a set-up at the head of a test. What stands between it and its clean-up goes further in.
func (w *written) place(s *script.Script, t *script.Test, open, end, _ []string) []script.Edit {
	eol := script.LineEnd(s.Lines[0])
	lines := func(all []string) string {
		text := ""
		for _, line := range all {
			if line != "" {
				line = t.Indent + line
			}
			text += line + eol
		}
		return text
	}
	at := t.BodyStart - len(eol) // behind what stands before, since it stays where it is
	edits := []script.Edit{{Start: at, End: at, Text: eol + strings.TrimSuffix(lines(open), eol)}}
	if len(end) == 0 {
		return edits
	}
	from, unit := t.BodyStart, w.layout(t).Unit
	for _, x := range w.within(script.Span{Start: t.BodyStart, End: t.BodyEnd}) {
		if n := strings.IndexByte(s.Text[x.Start:x.End], '\n'); x.Kind == js.JsTemplate && n >= 0 {
			edits = append(edits, script.Edit{Start: from, End: x.Start + n + 1, Indent: unit})
			from = x.End
		}
	}
	return append(edits, script.Edit{Start: from, End: t.BodyEnd, Indent: unit},
		script.Edit{Start: t.BodyEnd, End: t.BodyEnd, Text: lines(end)})
}

// bind puts variables into the literals of a call's own statement.
func (w *written) bind(s *script.Script, c *script.Call, sent string, parts []script.TextPart) ([]script.Edit, bool) {
	holes, ok := handset.Holes(sent, parts)
	if !ok {
		return nil, false
	}
	return handset.Bind(s.Text, w.literalsIn(c.At), sent, holes, bindingWords())
}

// literalsIn lists the literals of a piece of the file.
func (w *written) literalsIn(at script.Span) []handset.Literal {
	var literals []handset.Literal
	for _, t := range w.within(at) {
		source := w.script.Text[t.Start:t.End]
		switch {
		case t.Kind == js.JsString || t.Kind == js.JsTemplate:
			whole := t.Kind == js.JsTemplate || !strings.ContainsAny(source, "`$")
			literals = append(literals, handset.Literal{Start: t.Start, End: t.End, From: t.Start + 1, To: t.End - 1,
				Template: t.Kind == js.JsTemplate, Plain: !strings.ContainsAny(source, "\\\r\n") && whole, Cut: whole})
		case source[0] >= '0' && source[0] <= '9':
			literals = append(literals, handset.Literal{Start: t.Start, End: t.End, From: t.Start, To: t.End, Number: true})
		}
	}
	return literals
}

// bindingWords are how JavaScript writes variables.
func bindingWords() handset.Words {
	return handset.Words{
		Number: func(variable string) string { return "Number(" + variable + ")" },
		Text: func(source string, l handset.Literal, holes []handset.Hole) (string, bool) {
			return "`" + handset.Replaced(source, l.From, l.To, holes, func(v string) string { return "${" + v + "}" },
				func(text string) string { return text }) + "`", true
		}}
}
