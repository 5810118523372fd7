package volatility

import (
	"github.com/flaketap/flaketap/volatility/notation"
	"github.com/flaketap/flaketap/volatility/request"
)

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

// sentDates knows the dates that requests of the recording sent, however they are called: an answer that has one later
// repeats what the client said, and did not make it of the clock.
type sentDates map[string]struct{}

// remember keeps the dates of a request.
func (m sentDates) remember(sent request.Values) {
	for text := range sent {
		if _, known := m[text]; known || len(m) >= maxCreatedDates {
			continue
		}
		if moment, ok := notation.TextMoment(text); ok && moment.Unit == notation.Day {
			m[text] = struct{}{}
		}
	}
}

// has reports whether a request sent a value.
func (m sentDates) has(v notation.Scalar) bool {
	_, ok := m[v.Text]
	return ok && v.Kind == notation.String
}
