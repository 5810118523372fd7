package jest

import (
	"strings"
	"unicode/utf8"

	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/js/prettier"
	"github.com/flaketap/flaketap/suite/script"
)

// widthOf is how long lines of the file may be: by prettier's settings, where there are any, and else as prettier has
// it, or as the longest line of code is that could be broken.
func widthOf(s *script.Script, tokens []js.Token) int {
	if s.Beside != nil {
		if width, ok := prettier.WidthSet(script.Slashed(s.File), s.Beside); ok {
			return width
		}
	}
	return s.Width(prettier.LineWidth, func(yield func(script.Extent) bool) {
		for _, t := range tokens {
			if !yield(script.Extent{Line: t.Line, Start: t.Start, End: t.End, Whole: true}) {
				return
			}
		}
	})
}

// broken is what is said in the place of an assertion that has a line of its own: in as many lines as it takes.
func (w *written) broken(t *script.Test, a *script.Assertion, text string) string {
	if !w.script.BeginsLine(a.At) || inlineBody(w.script, a.At) {
		return text
	}
	lines := w.laid(t, a.At.Indent, text)
	return strings.Join(lines, script.LineEnd(w.script.Lines[0])+a.At.Indent)
}

// block is a function's body of several statements, each on lines of its own, in a line that is indented so.
func (w *written) block(t *script.Test, indent, text string) string {
	eol, unit := script.LineEnd(w.script.Lines[0]), w.layout(t).Unit
	lines := w.laid(t, indent+unit, text)
	return "{" + eol + indent + unit + strings.Join(lines, eol+indent+unit) + eol + indent + "}"
}

// laid are statements in as many lines as they take, behind an indentation that they do not have.
func (w *written) laid(t *script.Test, indent, text string) []string {
	text = w.spelled(text)
	tokens, err := js.Tokens(w.script.File, text)
	if err != nil {
		return []string{text}
	}
	p := w.layout(t)
	unit := strings.ReplaceAll(p.Unit, "\t", "  ")
	width := utf8.RuneCountInString(strings.ReplaceAll(indent, "\t", "  "))
	style := prettier.Style{Spelling: p.Spelling, Width: w.width - width, Indent: len(unit), End: p.End}
	lines := style.Statements(text, js.Layout(text, tokens))
	for i, line := range lines {
		bare := strings.TrimLeft(line, " ")
		lines[i] = strings.Repeat(p.Unit, (len(line)-len(bare))/len(unit)) + bare
	}
	return lines
}

func (w *written) layout(t *script.Test) prettier.Layout {
	out := prettier.Layout{Spelling: w.spelling, Indent: t.Indent}
	var ok bool
	if out.Unit, ok = strings.CutPrefix(t.Indent, t.Head.Indent); !ok || out.Unit == "" {
		out.Unit = prettier.UnitOf(w.script.Lines)
	}
	for _, x := range w.tokens {
		if x.Is(";") {
			out.End = ";"
		}
	}
	return out
}

// spelled is a text with the quotes and the brackets of the file; one that is no whole code stays as it is.
func (w *written) spelled(text string) string {
	tokens, err := js.Tokens(w.script.File, text)
	if err != nil {
		return text
	}
	return w.spelling.Spelled(text, js.Layout(text, tokens))
}
