package kotlin

import (
	"strings"
	"unicode/utf8"

	"github.com/flaketap/flaketap/internal/layout"
	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/kotlin/ktlint"
	"github.com/flaketap/flaketap/suite/script"
)

// unit is how far what is within something stands further in.
const unit = "    "

// Above returns the edits that write lines above an assertion. See [java.Above].
func Above(s *script.Script, at script.Span, lines []string) []script.Edit {
	return java.Above(s, at, unit, lines)
}

// leastWidth is how long lines may be at least, as the style guide of Android has it; ktlint's own is 140.
const leastWidth = 100

// Laid is what is said in the place of an assertion, in as many lines as it takes: in those that ktlint would break it
// into, and as long as other lines of the file.
func Laid(s *script.Script, at script.Span, text string) string {
	tokens, err := java.LexKotlin(s.File, text)
	indent := at.Indent
	if !s.BeginsLine(at) { // it gets a line of its own, below a comment
		indent, _ = java.Alone(s, at, unit)
	}
	if err != nil || strings.ContainsAny(text, "\r\n") {
		return text
	}
	style := ktlint.Style{Width: width(s) - utf8.RuneCountInString(indent), Indent: len(unit), Comma: comma(s)}
	return strings.Join(style.Lines(text, Tokens(tokens)), script.LineEnd(s.Lines[0])+indent)
}

// Tokens are tokens as those who lay them out take them.
func Tokens(tokens []java.Token) []layout.Token {
	out := make([]layout.Token, len(tokens))
	for i, t := range tokens {
		kind := layout.Other
		switch {
		case t.Kind == java.OpToken && strings.Contains("()[]{}", t.Text):
			kind = layout.Bracket
		case t.Kind == java.OpToken:
			kind = layout.Mark
		case t.Kind == java.NameToken:
			kind = layout.Name
		}
		out[i] = layout.Token{Kind: kind, Text: t.Text, Start: t.Start, End: t.End}
	}
	return out
}

// width is how long lines of a file may be: as the longest one is that has no text and no comment, which nobody breaks.
func width(s *script.Script) int {
	longest := leastWidth
	for _, line := range s.Lines {
		if !strings.ContainsAny(line, `"/`) {
			longest = max(longest, utf8.RuneCountInString(strings.TrimRight(line, "\r\n")))
		}
	}
	return longest
}

// comma is what a file has behind the last argument that has a line of its own; a comma where it has none such.
func comma(s *script.Script) string {
	bare := false
	for i, line := range s.Lines[min(1, len(s.Lines)):] {
		if !strings.HasPrefix(strings.TrimSpace(line), ")") {
			continue
		}
		switch before := strings.TrimSpace(s.Lines[i]); {
		case strings.HasSuffix(before, ","):
			return ","
		case !strings.HasSuffix(before, "(") && !strings.HasSuffix(before, "{"):
			bare = true
		}
	}
	if bare {
		return ""
	}
	return ","
}
