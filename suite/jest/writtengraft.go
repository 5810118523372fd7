package jest

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/handset"
	"github.com/flaketap/flaketap/suite/jest/before"
	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/script"
)

// grafter writes set-ups as the test writes its own requests: at its head, with its client and base URL.
func (w *written) grafter() *script.Grafter {
	return &script.Grafter{SetUp: w.setUp, Bind: w.bind, Refused: w.refused, Sender: w.sender, Shares: w.shares,
		Takes: w.takes,
		Able:  w.able, Place: w.place, Reaches: w.reaches, Early: w.early, Otherwise: true, Fresh: w.fresh,
		Handed: w.handedIn, Everywhere: w.everywhere, Outside: w.outside}
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
	_, ok := m.Request(x)
	return why == "" && ok
}

// by is what writes a set-up of a test.
func (w *written) by(t *script.Test) before.Sender {
	m, _ := w.modelOf(t)
	return before.Sender{Model: m, Layout: w.layout(t), Expects: w.jestExpects(), Comment: w.script.Comment,
		Spelled: w.spelled}
}

// jestExpects reports whether the file asserts by Jest's expect.
func (w *written) jestExpects() bool { return w.expects && w.module.packages["expect"] != "chai" }

// setUp sends what goes before in the words of the test. What cleans up stands in a finally around the rest.
func (w *written) setUp(s *script.Script, t *script.Test, steps, clean []script.SetUpRequest) (open, end []string) {
	by := w.by(t)
	open = by.Missing(steps)
	if len(clean) == 0 {
		return append(open, ""), nil
	}
	if clean[0].Comment != "" {
		open = append(open, s.Comment(clean[0].Comment))
	}
	return append(open, "", "try {"), append(append([]string{"} finally {"}, by.CleanUp(clean)...), "}")
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
