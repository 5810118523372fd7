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
)

// maxNumbers bounds the numbers of a text that are told apart.
const maxNumbers = 20

var digitRun = regexp.MustCompile(`[0-9]+`)

// numbered says of a text that it is what the suite expects but for numbers that move, each of which stands by itself:
// "column: [0-9]+ of". It gives nothing where the texts differ in more, or in digits that are a part of a word.
func (w *weakening) numbered(want string, seen []any) []expr.Expr {
	runs := digitRun.FindAllStringIndex(want, -1)
	if len(seen) == 0 || len(runs) == 0 || len(runs) > maxNumbers || len(want) > maxCommon ||
		strings.ContainsFunc(want, unicode.IsControl) {
		return nil
	}
	whole := w.a.Relation == exchange.Equal
	moves := movingNumbers(want, runs, seen, whole)
	if !slices.Contains(moves, true) || len(strings.Map(onlyLetters, want)) < minFragment {
		return nil
	}
	together(moves, want, runs)
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
	if w.a.Relation != exchange.Equal || len(hosts) == 0 || len(hosts) > maxNumbers || len(want) > maxCommon ||
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

// onlyLetters drops what is no letter.
func onlyLetters(r rune) rune {
	if unicode.IsLetter(r) {
		return r
	}
	return -1
}

// together has numbers move that stand beside one that does, with no word between them: they may be the parts of a date
// that the texts share today.
func together(moves []bool, want string, runs [][]int) {
	beside := func(i, j int) {
		between := want[min(runs[i][1], runs[j][1]):max(runs[i][0], runs[j][0])]
		moves[j] = moves[j] || moves[i] && !strings.ContainsFunc(between, unicode.IsLetter)
	}
	for i := 1; i < len(runs); i++ {
		beside(i-1, i)
	}
	for i := len(runs) - 1; i > 0; i-- {
		beside(i, i-1)
	}
}

// movingNumbers tells which of the numbers of a text are others in texts that are the same otherwise; nil where one is
// not.
func movingNumbers(want string, runs [][]int, seen []any, whole bool) []bool {
	form := regexp.QuoteMeta(want[:runs[0][0]])
	for i, run := range runs {
		next := len(want)
		if i+1 < len(runs) {
			next = runs[i+1][0]
		}
		form += "([0-9]+)" + regexp.QuoteMeta(want[run[1]:next])
	}
	if whole {
		form = `\A` + form + `\z`
	}
	re, err := regexp.Compile(form)
	if err != nil {
		return nil
	}
	moves := make([]bool, len(runs))
	for _, v := range seen {
		text, _ := v.(string)
		found := re.FindStringSubmatch(text)
		if found == nil {
			return nil
		}
		for i, run := range runs {
			moves[i] = moves[i] || found[i+1] != want[run[0]:run[1]]
		}
	}
	return moves
}
