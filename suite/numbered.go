package suite

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/textual"
)

// maxNumbers bounds the numbers of a text that are told apart.
const maxNumbers = 20

var digitRun = regexp.MustCompile(`[0-9]+`)

// numbered says of a text that it is what the suite expects but for numbers that move, each of which stands by itself:
// "column: [0-9]+ of". It gives nothing where the texts differ in more, or in digits that are a part of a word.
func (w *weakening) numbered(want string, seen []any) []expr.Expr {
	runs := digitRun.FindAllStringIndex(want, -1)
	if len(seen) == 0 || len(runs) == 0 || len(runs) > maxNumbers || len(want) > textual.MaxLength ||
		strings.ContainsFunc(want, unicode.IsControl) {
		return nil
	}
	whole := w.a.Relation == exchange.Equal
	moves := textual.MovingNumbers(want, runs, seen, whole)
	if !slices.Contains(moves, true) || len(textual.Letters(want)) < minFragment {
		return nil
	}
	pattern, at := "", 0
	for i, run := range runs {
		if !moves[i] {
			continue
		}
		before, _ := utf8.DecodeLastRuneInString(want[:run[0]])
		after, _ := utf8.DecodeRuneInString(want[run[1]:])
		if unicode.IsLetter(before) || unicode.IsLetter(after) {
			return nil
		}
		pattern += literal.QuoteRegexp(want[at:run[0]]) + "[0-9]+"
		at = run[1]
	}
	pattern += literal.QuoteRegexp(want[at:])
	if whole {
		return []expr.Expr{expr.Match{X: w.subject, Pattern: pattern, Full: true}}
	}
	const anything = `[\s\S]*`
	return []expr.Expr{expr.Match{X: w.subject, Pattern: pattern},
		expr.Match{X: w.subject, Pattern: anything + pattern + anything, Full: true}} // where a dialect knows no other
}

// addressed says of a text with addresses in it that it is what the suite expects but for the servers that they name.
func (w *weakening) addressed() []expr.Expr {
	want, _ := literal.FromJSON(w.a.Value)
	hosts := regexp.MustCompile(`\bhttps?://`+serverName).FindAllStringIndex(want, maxNumbers+1)
	if w.a.Relation != exchange.Equal || len(hosts) == 0 || len(hosts) > maxNumbers || len(want) > textual.MaxLength ||
		strings.ContainsFunc(want, unicode.IsControl) {
		return nil
	}
	pattern, at := "", 0
	for _, host := range hosts {
		name := host[0] + strings.Index(want[host[0]:], "://") + len("://")
		pattern += literal.QuoteRegexp(want[at:name]) + serverName
		at = host[1]
	}
	if len(want[at:]) < minFragment {
		return nil
	}
	return []expr.Expr{expr.Match{X: w.subject, Pattern: pattern + literal.QuoteRegexp(want[at:]), Full: true}}
}

// serverName is a pattern of the server that an address names, with its port.
const serverName = `[0-9A-Za-z_.:-]+`
