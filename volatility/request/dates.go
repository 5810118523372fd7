package request

import (
	"slices"

	"github.com/flaketap/flaketap/volatility/notation"
)

// maxDates bounds the dates that are remembered.
const maxDates = 10_000

// Dates are those that requests of a recording sent, however they are called: an answer that has one later repeats what
// the client said, and did not make it of the clock.
type Dates map[string]struct{}

// Remember keeps the dates of a request, and returns those that are new.
func (m Dates) Remember(sent Values) (fresh []string) {
	if len(m) >= maxDates {
		return nil
	}
	for text := range sent {
		if _, known := m[text]; known {
			continue
		}
		if moment, ok := notation.TextMoment(text); ok && moment.Unit == notation.Day {
			fresh = append(fresh, text)
		}
	}
	slices.Sort(fresh) // the map's own order is another each time
	fresh = fresh[:min(len(fresh), maxDates-len(m))]
	for _, text := range fresh {
		m[text] = struct{}{}
	}
	return fresh
}

// Has reports whether a request sent a value.
func (m Dates) Has(v notation.Scalar) bool {
	_, ok := m[v.Text]
	return ok && v.Kind == notation.String
}
