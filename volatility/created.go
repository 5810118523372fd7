package volatility

import "github.com/flaketap/flaketap/volatility/notation"

// createdDates knows the dates that the answers to writes gave to what they made, and that the clock explains. Later
// answers repeat them, beside the dates of things that were there before: those are constants, and do not speak against
// the clock.
type createdDates map[createdDate]struct{}

// createdDate is a date under a name.
type createdDate struct{ name, raw string }

// maxCreatedDates bounds the dates that are remembered.
const maxCreatedDates = 10_000

// remember keeps a date that the clock explains.
func (m createdDates) remember(t *fieldStats, v notation.Scalar) {
	if len(m) < maxCreatedDates {
		m[createdDate{leaf(t.place), v.Raw}] = struct{}{}
	}
}

// repeats reports whether a value is such a date, under the same name.
func (m createdDates) repeats(t *fieldStats, v notation.Scalar) bool {
	if len(m) == 0 {
		return false
	}
	_, ok := m[createdDate{leaf(t.place), v.Raw}]
	return ok
}
