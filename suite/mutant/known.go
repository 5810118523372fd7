package mutant

import (
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// Known is what a map says of a place: that it moves, or something that it is a part of, or the status, without
// which nothing else can be relied on.
func Known(op *mapfile.Operation, place exchange.Place) (j Judgement) {
	if f := op.At(exchange.PlaceStatus); f != nil && f.Volatile() {
		j.Volatile = true
	}
	for p := place; p != ""; p = p.Parent() {
		f := op.At(p)
		if f == nil {
			continue
		}
		j.Volatile = j.Volatile || f.Volatile()
		j.Ignored = j.Ignored || f.Ignored()
		if p == place {
			if f.Place != place {
				j.Place = f.Place
			}
			j.Optional = f.Holds.Optional
			j.Unordered = f.Holds.Order != "" || f.Category == mapfile.Unord
		}
	}
	return j
}
