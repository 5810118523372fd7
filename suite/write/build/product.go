package build

import (
	"fmt"
	"maps"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/earlier"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/volatility/relation"
)

// A number may be the product of others that the test was told: a price in dollars that of the price in one answer and
// the rate in another. The map looks for products within one answer; here one factor at least is of an earlier answer
// of the test.

// maxFactors is how many numbers of a test are tried as factors, the latest.
const maxFactors = 16

// products asserts of numbers that move that they are products.
func (a *asserting) products() {
	if a.mode != suite.Relax || a.context == nil || len(a.context.order) == 0 {
		return
	}
	var factors []earlier.Factor
	for _, c := range slices.Clone(a.out) {
		if c.Kind != plan.CheckHolds || c.Optional || c.Near != nil || a.secretPlace(c.Place) ||
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
func (a *asserting) factors() []earlier.Factor {
	out := []earlier.Factor{}
	for _, seq := range slices.Backward(append(slices.Clone(a.context.order), a.e.Seq)) {
		all := a.executed(seq)
		if a.said.unsteady[seq] || len(all) < earlier.MinExecutions {
			continue
		}
		for _, place := range slices.Sorted(maps.Keys(all[0].Texts)) {
			f := earlier.Factor{Ref: exchange.Ref{Seq: seq, Place: place}, Answers: all}
			if place.Root() == "body" && !idLike(place) && !a.secretPlace(place) && f.Counts() && len(out) < maxFactors {
				out = append(out, f)
			}
		}
	}
	return out
}

// productAt finds two factors, of which an earlier answer gave one at least, whose product a value is.
func (a *asserting) productAt(place exchange.Place, factors []earlier.Factor) *plan.Check {
	now := a.executed(a.e.Seq)
	for i, f := range factors {
		for _, g := range factors[i+1:] { // what this answer has comes first
			if g.Seq == a.e.Seq || f.Ref == (exchange.Ref{Seq: a.e.Seq, Place: place}) {
				continue
			}
			n := earlier.Product(now, place, f, g)
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
