package python

import (
	"strings"
	"unicode/utf8"

	"github.com/flaketap/flaketap/suite/python/black"
	"github.com/flaketap/flaketap/suite/python/syntax"
	"github.com/flaketap/flaketap/suite/script"
)

// width is how long lines of the file may be: as black has it, or as the longest line of code is that could be broken.
func (w *suiteFile) width() int {
	return w.script.Width(black.LineWidth, func(yield func(script.Extent) bool) {
		for _, st := range w.stmts {
			for _, t := range st.Tokens {
				text := t.Kind == syntax.TokenString || t.Kind == syntax.TokenFormat
				if !yield(script.Extent{Line: t.Line, Start: t.Start, End: t.End, Whole: text}) {
					return
				}
			}
		}
	})
}

// broken is a statement, assert or a call, in as many lines as it takes.
func (w *suiteFile) broken(text, indent string) string {
	if utf8.RuneCountInString(indent+text) <= black.LineWidth {
		return text
	}
	stmts, err := syntax.Statements("", text)
	if err != nil || len(stmts) != 1 {
		return text
	}
	var tokens []black.Token
	for _, t := range stmts[0].Tokens {
		kind := black.Other
		switch t.Kind {
		case syntax.TokenName:
			kind = black.Name
		case syntax.TokenOp:
			kind = black.Operator
		}
		tokens = append(tokens, black.Token{Kind: kind, Text: t.Text, Start: t.Start, End: t.End})
	}
	lines := black.Broken(text, tokens, w.width()-utf8.RuneCountInString(indent))
	return strings.Join(lines, w.lineEnd()+indent)
}
