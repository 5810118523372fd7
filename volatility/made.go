package volatility

import "github.com/flaketap/flaketap/volatility/notation"

// made knows the dates that the answers to writes gave to what they made, and that the clock explains. Later answers repeat
// them, beside the dates of things that were there before: those are constants, and do not speak against the clock.
type made map[madeDate]struct{}

// madeDate is a date under a name.
type madeDate struct{ name, raw string }

// maxMadeDates bounds the dates that are remembered.
const maxMadeDates = 10_000

// remember keeps a date that the clock explains.
func (m made) remember(t *tally, v notation.Scalar) {
	if len(m) < maxMadeDates {
		m[madeDate{leaf(t.place), v.Raw}] = struct{}{}
	}
}

// repeats reports whether a value is such a date, under the same name.
func (m made) repeats(t *tally, v notation.Scalar) bool {
	if len(m) == 0 {
		return false
	}
	_, ok := m[madeDate{leaf(t.place), v.Raw}]
	return ok
}
