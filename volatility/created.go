package volatility

import (
	"slices"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/notation"
)

// noteCreated notes the dates that the answer to a write gave to what it made, as far as the clock explains them: they
// were made for this request, and no run answered the same a day or more apart.
func (j *judge) noteCreated(e *exchange.Exchange, rec *answerView, views []*answerView) {
	if !makes(e) {
		return
	}
	rec.answer.Each(func(general []byte, raw string) {
		v, place := notation.ScalarOf(raw), exchange.Place(general)
		t := fieldStats{place: place, calendar: v.Kind == notation.Integer && notation.IsPartOfDate(leaf(place))}
		m, timed := notation.Moment{}, false
		if v.Kind != notation.Null && v.Kind < notation.Array && place != exchange.PlaceStatus {
			m, timed = t.momentAt(v, rec.at)
		}
		if !timed || m.Unit != notation.Day || len(rec.values.Of(v)) > 0 || j.across.Sent.Has(v) ||
			!m.Near(rec.at) && !m.RoundTimeAhead(rec.at) && !m.RoundDateAhead(rec.at) {
			return
		}
		for _, s := range views {
			if apart(rec, s) > m.Unit && s.answer.SameStatus(rec.answer) && !s.differsAt(rec, place) {
				return
			}
		}
		j.across.Creates(leaf(place), raw)
	})
}

// apart is how much time lay between two answers.
func apart(rec, s *answerView) time.Duration {
	return max(s.at.From.Sub(rec.at.To), rec.at.From.Sub(s.at.To))
}

// differsAt reports whether an answer of the same status differs from the recorded one at a place.
func (s *answerView) differsAt(rec *answerView, place exchange.Place) bool {
	return slices.ContainsFunc(s.differencesFrom(rec),
		func(d compare.Difference) bool { return d.General == place && d.Kind != compare.Notation })
}
