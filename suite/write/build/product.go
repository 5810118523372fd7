package build

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/volatility/relation"
)

// A number may be the product of others that the test was told: a price in dollars that of the price in one answer and
// the rate in another. The map looks for products within one answer; here one factor at least is of an earlier answer
// of the test.

// The least that speaks for a product: executions as for any relation to an earlier answer, different products among
// them, and the significant digits of each, for numbers of few digits are products of many. Of one test so many numbers
// are tried as factors, the latest.
const (
	minProducts = 3
	minFigures  = 4
	maxFactors  = 16
)

// factor is a number of an answer of the test, with all such answers.
type factor struct {
	exchange.Ref
	answers []answer
}

// products asserts of numbers that move that they are products.
func (a *asserting) products() {
	if a.mode != suite.Relax || a.context == nil || len(a.context.order) == 0 {
		return
	}
	var factors []factor
	for _, c := range slices.Clone(a.out) {
		if c.Kind != plan.CheckHolds || c.Optional || c.Near != nil || c.Holds.Clock > 0 || a.secretPlace(c.Place) ||
			c.Holds.Type != "number" && c.Holds.Type != "integer" || idLike(c.Place) || a.isRelated(c.Place) {
			continue
		}
		if factors == nil {
			factors = a.factors()
		}
		if found := a.productAt(c.Place, factors); found != nil {
			found.If = c.If
			a.out = append(a.out, *found)
		}
	}
}

// isRelated reports whether a value is computed from others already.
func (a *asserting) isRelated(place exchange.Place) bool {
	return slices.ContainsFunc(a.out, func(c plan.Check) bool {
		return c.Place == place && c.Kind == plan.CheckRelated && c.Relation != relation.AtLeast && c.Relation != plan.Above
	})
}

// factors lists the numbers of this answer and of the earlier ones of the test, the latest first.
func (a *asserting) factors() []factor {
	out := []factor{}
	for _, seq := range slices.Backward(append(slices.Clone(a.context.order), a.e.Seq)) {
		all := a.executed(seq)
		if a.said.unsteady[seq] || len(all) < minSince {
			continue
		}
		for _, place := range slices.Sorted(maps.Keys(all[0].texts)) {
			f := factor{exchange.Ref{Seq: seq, Place: place}, all}
			if place.Root() == "body" && !idLike(place) && !a.secretPlace(place) && f.counts() && len(out) < maxFactors {
				out = append(out, f)
			}
		}
	}
	return out
}

// counts reports whether all values are numbers that change what they are multiplied with.
func (f factor) counts() bool {
	return !slices.ContainsFunc(f.answers, func(x answer) bool {
		digits := strings.Trim(x.texts[f.Place], "-0.")
		return !literal.IsNumber(x.texts[f.Place]) || digits == "" || digits == "1"
	})
}

// in is what a factor was when an answer came; "" where that is not known.
func (f factor) in(x answer) string {
	if before := lastBefore(f.answers, x); before != nil {
		return before.texts[f.Place]
	}
	return ""
}

// productAt finds two factors, of which an earlier answer gave one at least, whose product a value is.
func (a *asserting) productAt(place exchange.Place, factors []factor) *plan.Check {
	now := a.executed(a.e.Seq)
	for i, f := range factors {
		for _, g := range factors[i+1:] { // what this answer has comes first
			if g.Seq == a.e.Seq || f.Ref == (exchange.Ref{Seq: a.e.Seq, Place: place}) {
				continue
			}
			n := isProduct(now, place, f, g)
			if n == 0 {
				continue
			}
			out := plan.Check{Kind: plan.CheckRelated, Place: place, Relation: relation.Product,
				Why: fmt.Sprintf("so in %d of %d", n, n)}
			if f.Seq == a.e.Seq {
				out.Of = []exchange.Place{f.Place}
			} else {
				out.Given = []plan.Text{{{Bound: a.keep(a.context, f.Ref)}}}
			}
			out.Given = append(out.Given, plan.Text{{Bound: a.keep(a.context, g.Ref)}})
			return &out
		}
	}
	return nil
}

// isProduct returns in how many executions a value was the product of two factors; 0 where it was not in one, or chance
// may have made it.
func isProduct(now []answer, place exchange.Place, f, g factor) int {
	told, n := map[string]bool{}, 0
	is := relation.Relation{Is: relation.Product, Of: make([]exchange.Place, 2)}
	for _, x := range now {
		text, one, other := x.texts[place], f.in(x), g.in(x)
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
	if n < minSince || len(told) < minProducts {
		return 0
	}
	return n
}
