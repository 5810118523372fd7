package mapfile

import "github.com/flaketap/flaketap/exchange"

// The places of what is measured of an answer as a whole, in classes.
const (
	PlaceSize   exchange.Place = "/size"
	PlaceTiming exchange.Place = "/timing"
)

// MovesByProtocol reports whether a place moves by the protocol's own rule: the times that HTTP puts on every answer,
// the framing, which follows the body, and what is measured of an answer as a whole.
func MovesByProtocol(p exchange.Place) bool {
	switch p {
	case PlaceSize, PlaceTiming, "/header/date", "/header/age", "/header/content-length", "/header/transfer-encoding",
		"/header/connection", "/header/keep-alive":
		return true
	}
	return false
}

// Repeats reports whether a place says no more than another one: a part of a text, which is counted as the text it is
// in, and the reason phrase, which says in words what the status says.
func (f *Field) Repeats() bool {
	_, _, part := f.Place.Text()
	return part || f.Place == exchange.PlaceReason
}

// Recount counts the places. Those of the protocol, and those that the user ignores, are left out.
func (m *Map) Recount() {
	m.Summary = Summary{}
	s := &m.Summary
	counts := map[Judgement]*int{Jitter: &s.Jitter, Drift: &s.Drift, WouldMove: &s.WouldMove, Hint: &s.Hint,
		Stable: &s.Stable}
	for _, o := range m.Operations {
		for _, f := range o.Fields {
			if n := counts[f.Judgement]; n != nil && f.Counts() {
				m.Summary.Places++
				*n++
			}
		}
	}
}
