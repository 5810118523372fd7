package suite

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility"
)

// asserted are the relations that tests assert: those that are computed. That one value is no less than another, or holds
// it, was true of every answer seen, and may well be a habit.
var asserted = []volatility.RelationKind{
	volatility.RelEqual, volatility.RelSum, volatility.RelDifference, volatility.RelProduct, volatility.RelCount, volatility.RelTotal,
}

// relations asserts how the places that move follow from others of the same answer.
func (a *asserting) relations() {
	if a.mode != Relax || a.op == nil {
		return
	}
	for _, f := range a.op.Fields {
		if f.Protocol || !f.AppliesTo(a.fp) {
			continue
		}
		for _, r := range f.Holds.Relations {
			places := append([]exchange.Place{f.Place}, r.Of...)
			if !slices.Contains(asserted, r.Is) || slices.ContainsFunc(places, a.unwritable) {
				continue
			}
			line := "assert related(res, " + pyString(string(r.Is))
			for _, p := range places {
				line += ", " + pyString(string(p))
			}
			a.out = append(a.out, line+")")
		}
	}
}

// unwritable reports whether a place cannot stand in a test: its keys hold a secret, or it is no part of a JSON body and no
// header of a plain name.
func (a *asserting) unwritable(p exchange.Place) bool {
	return a.holdsSecret(string(p)) || p.Root() != "body" && (p.Root() != "header" || strings.Contains(string(p), "~"))
}
