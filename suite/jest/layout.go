package jest

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/js/prettier"
	"github.com/flaketap/flaketap/suite/script"
)

// lineWidth is how long a line may be, as prettier has it.
const lineWidth = 80

// widthOf is how long lines of the file may be: as prettier has it, or as the longest line of code is that could be
// broken.
func widthOf(s *script.Script, tokens []js.Token) int {
	return s.Width(lineWidth, func(yield func(script.Extent) bool) {
		for _, t := range tokens {
			if !yield(script.Extent{Line: t.Line, Start: t.Start, End: t.End, Whole: true}) {
				return
			}
		}
	})
}

// broken is what is said in the place of an assertion that has a line of its own: in as many lines as it takes.
func (w *written) broken(t *script.Test, a *script.Assertion, text string) string {
	tokens, err := js.Tokens(w.script.File, text)
	if err != nil || !w.script.BeginsLine(a.At) || inlineBody(w.script, a.At) {
		return text
	}
	p := w.layout(t)
	unit := strings.ReplaceAll(p.unit, "\t", "  ")
	indent := utf8.RuneCountInString(strings.ReplaceAll(a.At.Indent, "\t", "  "))
	style := prettier.Style{Width: w.width - indent, Indent: len(unit), End: p.end}
	lines := style.Statements(text, js.Layout(text, tokens))
	for i, line := range lines {
		bare := strings.TrimLeft(line, " ")
		lines[i] = strings.Repeat(p.unit, (len(line)-len(bare))/len(unit)) + bare
	}
	return strings.Join(lines, script.LineEnd(w.script.Lines[0])+a.At.Indent)
}

// piece is a piece of an expression: a text, and in its brackets, if it has any, others with commas between.
type piece struct {
	text  string
	inner []piece
	close string
}

func (p piece) flat() string {
	if p.close == "" {
		return p.text
	}
	parts := make([]string, len(p.inner))
	for i, x := range p.inner {
		parts[i] = x.flat()
	}
	inner := strings.Join(parts, ", ")
	if strings.HasSuffix(p.text, "{") && inner != "" {
		inner = " " + inner + " "
	}
	return p.text + inner + p.close
}

// layout is how a test is laid out: how deep its lines stand and go further in, and what ends a statement.
type layout struct {
	indent, unit, end string
}

func (w *written) layout(t *script.Test) layout {
	out := layout{indent: t.Indent, unit: "  "}
	if unit, ok := strings.CutPrefix(t.Indent, t.Head.Indent); ok && unit != "" {
		out.unit = unit
	}
	for _, x := range w.tokens {
		if x.Is(";") {
			out.end = ";"
		}
	}
	return out
}

// lines lays a piece out between what stands before and behind it, as prettier does: the last argument of a call opens
// on the line of the call.
func (p layout) lines(x piece, before, after string, deeper int) []string {
	width := lineWidth - len(p.indent) - deeper
	if flat := before + x.flat() + after; len(flat) <= width || len(x.inner) == 0 {
		return []string{flat}
	}
	last := x.inner[len(x.inner)-1]
	others := x.inner[:len(x.inner)-1]
	if strings.HasSuffix(x.text, "(") && last.close != "" && !slices.ContainsFunc(others, func(o piece) bool { return o.close != "" }) {
		head := x.text
		for _, arg := range others {
			head += arg.flat() + ", "
		}
		return p.lines(piece{text: head + last.text, inner: last.inner, close: last.close + x.close}, before, after, deeper)
	}
	out := []string{before + x.text}
	for _, arg := range x.inner {
		for _, line := range p.lines(arg, "", ",", deeper+len(p.unit)) {
			out = append(out, p.unit+line)
		}
	}
	return append(out, x.close+after)
}
