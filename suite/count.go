package suite

import (
	"github.com/flaketap/flaketap/compare"
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility"
)

// Count returns how many places of the recorded answers a suite from src asserts as they were recorded, and how many it
// weakens to what holds of them. A place is the status, a header, or a scalar of a body; those that move by the
// protocol's own rule are in neither figure.
func Count(src Source) (kept, weakened int) {
	for i := range src.Steps {
		e := src.Steps[i].Exchange
		op := src.operation(e)
		if unsendable(e) != "" || op == nil {
			continue
		}
		fp := exchange.Exact(e)
		compare.Walk(e.Response, func(place exchange.Place, raw string) {
			if raw != "" && (raw[0] == '{' || raw[0] == '[') && len(raw) > 2 {
				return // its members are counted
			}
			switch f := op.Volatile(place, fp); {
			case f != nil && !f.Apart():
				weakened++
			case f == nil && !protocol(op, place):
				kept++
			}
		})
	}
	return kept, weakened
}

// protocol reports whether a place is one that the protocol itself moves.
func protocol(op *volatility.Operation, place exchange.Place) bool {
	f := op.At(place)
	return f != nil && f.Apart()
}
