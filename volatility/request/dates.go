package request

import "github.com/flaketap/flaketap/volatility/notation"

// maxDates bounds the dates that are remembered.
const maxDates = 10_000

// Dates are those that requests of a recording sent, however they are called: an answer that has one later repeats what
// the client said, and did not make it of the clock.
type Dates map[string]struct{}

// Remember keeps the dates of a request.
func (m Dates) Remember(sent Values) {
	for text := range sent {
		if _, known := m[text]; known || len(m) >= maxDates {
			continue
		}
		if moment, ok := notation.TextMoment(text); ok && moment.Unit == notation.Day {
			m[text] = struct{}{}
		}
	}
}

// Has reports whether a request sent a value.
func (m Dates) Has(v notation.Scalar) bool {
	_, ok := m[v.Text]
	return ok && v.Kind == notation.String
}
