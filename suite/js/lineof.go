package js

import (
	"strings"

	"github.com/flaketap/flaketap/suite/script"
)

// LineOf is where the line begins in which a link of a chain stands behind others, with its indentation; false where
// the link begins the line, or what stands there began in the line above.
func LineOf(text string, tokens []Token, at script.Span) (script.Span, bool) {
	start := strings.LastIndexAny(text[:at.Start], "\r\n") + 1
	line := text[start:at.Start]
	if bare := strings.TrimLeft(line, " \t"); bare != "" && strings.HasPrefix(text[at.Start:], ".") {
		for _, t := range tokens {
			if t.Start < start && t.End > start { // a template of several lines
				return script.Span{}, false
			}
		}
		return script.Span{Start: start, Indent: line[:len(line)-len(bare)]}, true
	}
	return script.Span{}, false
}
