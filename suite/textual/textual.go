// Package textual tells what texts have in common that are not the same.
package textual

import (
	"regexp"
	"strings"
	"unicode"
)

// MaxLength bounds the texts that are searched for a common piece, in bytes.
const MaxLength = 2000

// Shared returns the longest piece of a text that is found in those of the values that are texts, one after the
// other.
func Shared(want string, seen []any) string {
	for _, v := range seen {
		if s, ok := v.(string); ok {
			want = commonPiece(want, s)
		}
	}
	return want
}

// commonPiece returns the longest piece that two texts share.
func commonPiece(a, b string) string {
	if strings.Contains(b, a) {
		return a
	}
	a, b = a[:min(len(a), MaxLength)], b[:min(len(b), MaxLength)]
	best, end := 0, 0
	prev, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for i := range len(a) {
		for j := range len(b) {
			row[j+1] = 0
			if a[i] == b[j] {
				row[j+1] = prev[j] + 1
			}
			if row[j+1] > best {
				best, end = row[j+1], i+1
			}
		}
		prev, row = row, prev
	}
	return strings.ToValidUTF8(a[end-best:end], "")
}

// Part returns where two texts part, in the one and in the other: behind the longest piece that they share, or behind
// what they begin with alike.
func Part(want, text string) (inWant, inText int) {
	for inWant < min(len(want), len(text)) && want[inWant] == text[inWant] {
		inWant++
	}
	if inWant > 0 || len(want) == 0 {
		return inWant, inWant
	}
	common := commonPiece(want, text)
	return strings.Index(want, common) + len(common), strings.Index(text, common) + len(common)
}

// Letters are those of a text.
func Letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return r
		}
		return -1
	}, text)
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

// MovingNumbers tells which of the numbers of a text are others in texts that are the same otherwise; nil where one is
// not. Those move with it that stand beside one that does, with no word between them.
func MovingNumbers(want string, runs [][]int, seen []any, whole bool) []bool {
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
	together(moves, want, runs)
	return moves
}

const eachPiece = `[^/?&=<>;:,"\s]+`

// PatternOf is a pattern of all of some pieces.
func PatternOf(column []string) string {
	digits, empty := true, false
	for _, piece := range column {
		digits = digits && piece != "" && strings.Trim(piece, "0123456789") == ""
		empty = empty || piece == ""
	}
	switch {
	case digits:
		return "[0-9]+"
	case empty:
		return strings.TrimSuffix(eachPiece, "+") + "*"
	}
	return eachPiece
}
