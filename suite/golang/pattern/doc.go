// Package pattern reads and writes regular expressions in tests in Go.
package pattern

import (
	"regexp/syntax"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
)

// Literal writes a regular expression as a literal.
func Literal(x expr.Match) string {
	text := x.Pattern
	if x.Full {
		if isAlternation(text) {
			text = "(?:" + text + ")"
		}
		text = "^" + text + "$"
	}
	if strconv.CanBackquote(text) {
		return "`" + text + "`"
	}
	return literal.Go(text)
}

// isAlternation reports whether a pattern may be one of several: anchors before and behind it would not stand for all
// of it then.
func isAlternation(pattern string) bool {
	depth, class := 0, false
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++
			if i < len(pattern) && pattern[i] == 'Q' {
				return true // what follows is quoted in a way of its own
			}
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == '|' && depth == 0:
			return true
		}
	}
	return false
}

// Wholly reads a pattern that matches all of a text.
func Wholly(x expr.Match) expr.Expr {
	inner, begins := strings.CutPrefix(x.Pattern, "^")
	inner, ends := strings.CutSuffix(inner, "$")
	if !begins || !ends || strings.HasSuffix(inner, `\`) || x.Full {
		return x
	}
	if group, ok := strings.CutPrefix(inner, "(?:"); ok {
		if group, ok := strings.CutSuffix(group, ")"); ok && isAlternation(group) && isPattern(group) {
			return expr.Match{X: x.X, Pattern: group, Full: true}
		}
	}
	if isAlternation(inner) {
		return x
	}
	return expr.Match{X: x.X, Pattern: inner, Full: true}
}

func isPattern(text string) bool {
	_, err := syntax.Parse(text, syntax.Perl)
	return err == nil
}
