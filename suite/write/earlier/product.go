package earlier

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/volatility/relation"
)

// The least that speaks for a product: executions as for any relation to an earlier answer, different products among
// them, and the significant digits of each, for numbers of few digits are products of many.
const (
	minProducts = 3
	minFigures  = 4
)

// Factor is a number of an answer of the test, with all such answers.
type Factor struct {
	exchange.Ref
	Answers []Answer
}

// Counts reports whether all values are numbers that change what they are multiplied with.
func (f Factor) Counts() bool {
	return !slices.ContainsFunc(f.Answers, func(x Answer) bool {
		digits := strings.Trim(x.Texts[f.Place], "-0.")
		return !literal.IsNumber(x.Texts[f.Place]) || digits == "" || digits == "1"
	})
}

// in is what a factor was when an answer came; "" where that is not known.
func (f Factor) in(x Answer) string {
	if before := LastBefore(f.Answers, x); before != nil {
		return before.Texts[f.Place]
	}
	return ""
}

// Product returns in how many executions a value was the product of two factors; 0 where it was not in one, or chance
// may have made it.
func Product(now []Answer, place exchange.Place, f, g Factor) int {
	told, n := map[string]bool{}, 0
	is := relation.Relation{Is: relation.Product, Of: make([]exchange.Place, 2)}
	for _, x := range now {
		text, one, other := x.Texts[place], f.in(x), g.in(x)
		if one == "" || other == "" {
			continue
		}
		figures := strings.TrimLeft(strings.ReplaceAll(text, ".", ""), "-0")
		if len(figures) < minFigures || !literal.IsNumber(text) || is.Check(text, one, other) != nil {
			return 0
		}
		told[text] = true
		n++
	}
	if n < MinExecutions || len(told) < minProducts {
		return 0
	}
	return n
}
