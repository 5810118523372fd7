// Package keys puts right what EvoMaster writes into Python without escaping it.
package keys

import (
	"regexp"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/python/syntax"
	"github.com/flaketap/flaketap/suite/script"
)

// keyedAssertion is an assertion about a place of a JSON body, up to its subscripts.
var keyedAssertion = regexp.MustCompile(`^[ \t]*assert (len\()?res_\d+\.json\(\)\[`)

// Mend puts right, in a script's text, the lines that do not parse for a property's name which has a quote in it:
// the generator writes it unescaped, and Python then takes the file for no program at all. Each subscript ends where a
// quote and a bracket stand before the next one, or before the end of the path; a line in which that leaves a choice
// stays as it is. The slips are returned by their lines.
func Mend(s *script.Script) map[int]script.GeneratorBug {
	slips := map[int]script.GeneratorBug{}
	for i, line := range s.Lines {
		if !keyedAssertion.MatchString(line) || parses(line) {
			continue
		}
		if mended, ok := mendedKeys(line); ok && parses(mended) {
			slips[i+1] = script.GeneratorBug{Reason: "a quote in a property's name was not escaped",
				Before: strings.TrimSpace(line), After: strings.TrimSpace(mended)}
			s.Lines[i] = mended
		}
	}
	if len(slips) > 0 {
		s.Text = strings.Join(s.Lines, "")
	}
	return slips
}

// parses reports whether a line asserts an expression.
func parses(line string) bool {
	st, err := syntax.Statements("", strings.TrimPrefix(strings.TrimSpace(line), "assert "))
	if err != nil || len(st) != 1 {
		return false
	}
	_, err = syntax.ParseExpr(st[0].Tokens)
	return err == nil
}

// mendedKeys escapes the names in the subscripts of one line; false where it cannot be said where each ends.
func mendedKeys(line string) (string, bool) {
	head := keyedAssertion.FindString(line)
	rest := line[len(head)-1:]
	var b strings.Builder
	b.WriteString(head[:len(head)-1])
	for strings.HasPrefix(rest, "[") {
		if end := strings.IndexByte(rest, ']'); end > 1 && strings.Trim(rest[1:end], "0123456789") == "" {
			b.WriteString(rest[:end+1])
			rest = rest[end+1:]
			continue
		}
		ends := subscriptEnds(rest)
		if len(ends) != 1 || !strings.HasPrefix(rest, `["`) {
			return "", false
		}
		b.WriteString("[" + literal.Python(rest[2:ends[0]]) + "]")
		rest = rest[ends[0]+2:]
	}
	b.WriteString(rest)
	return b.String(), true
}

// subscriptEnds lists where a subscript in quotes, with which a text begins, may end: before another one, or before
// what follows a whole path. Of those before another one the first counts.
func subscriptEnds(text string) []int {
	var ends []int
	for at := 2; at < len(text); at++ {
		if !strings.HasPrefix(text[at:], `"]`) {
			continue
		}
		behind := text[at+2:]
		switch {
		case strings.HasPrefix(behind, `["`), strings.HasPrefix(behind, "[") && len(behind) > 1 && '0' <= behind[1] &&
			behind[1] <= '9':
			return append(ends, at)
		case strings.HasPrefix(behind, " == "), strings.HasPrefix(behind, " is "), strings.HasPrefix(behind, ") == "):
			return append(ends, at)
		}
	}
	return ends
}
