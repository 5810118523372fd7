package mutant

import "github.com/flaketap/flaketap/exchange"

// Drop takes a member out of its object, the last element out of an array, or a header out of the head.
const Drop Kind = "drop"

// drop takes a place away.
func drop() fault {
	return fault{
		kind: Drop,
		breaks: func(m Mutant, _ *seen, known Judgement) bool {
			return m.Place != exchange.PlaceBody && !known.Optional && !(known.Volatile && last(m.Place) == exchange.Wildcard)
		},
		member: without,
		field:  func(Mutant, []byte) ([]byte, bool) { return nil, true },
		tells: func(m Mutant) string {
			if last(m.Place) == exchange.Wildcard {
				return "which elements there are, or how many"
			}
			return "that it is there"
		},
	}
}
