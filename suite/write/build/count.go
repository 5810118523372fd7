package build

import (
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/setup"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// Count returns how many places of the recorded answers a plan from src asserts as they were recorded, and how many it
// weakens to what holds of them, by the map. A place is the status, a header, or a scalar of a body; those that move by
// the protocol's own rule are in neither figure.
func Count(src suite.Source, p plan.Plan) (kept, weakened int) {
	b := &builder{src: src}
	tested := map[uint64]bool{}
	for _, t := range p.Tests {
		for _, s := range t.Steps {
			tested[s.Seq] = tested[s.Seq] || s.Role == plan.Tested
		}
	}
	for i := range src.Steps {
		e := src.Steps[i].Exchange
		op := b.operation(e)
		if !tested[e.Seq] || setup.Unsendable(e) != "" || op == nil {
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
func protocol(op *mapfile.Operation, place exchange.Place) bool {
	f := op.At(place)
	return f != nil && f.Apart()
}
