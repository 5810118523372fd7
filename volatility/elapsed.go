package volatility

import (
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/notation"
)

// A duration that a fast API measures is 0 in every run, and 1 on a slower machine. What counts the time that passed is
// told by its name and its unit, and by values that are no more than that time and stand at the end of what the unit
// can tell. A name alone explains nothing.

// elapsedStats counts how the recorded values of a place relate to the time that had passed.
type elapsedStats struct {
	unit           time.Duration // that the place is named to count, 0 where it is not
	own            bool          // it counts the time that the answer took, else that since something of the session
	within, beyond int           // values below two units that were no more than that time, and others
}

// elapsedOf tells by its name what time a place counts.
func elapsedOf(place exchange.Place) (e elapsedStats) {
	e.unit, e.own, _ = notation.ElapsedName(leaf(place))
	return e
}

// seen holds a recorded value against the time that had passed.
func (e *elapsedStats) seen(v notation.Scalar, s *answerView) {
	d, unit := time.Duration(0), e.unit
	switch {
	case v.Kind == notation.String:
		ago, ok := notation.JustNow(v.Text)
		if !ok {
			return
		}
		d, unit = ago.Since, ago.Unit
	case e.unit == 0 || !v.Numeric():
		return
	default:
		d = time.Duration(min(max(notation.Float(v.Raw), -2), 2) * float64(unit))
	}
	passed := s.at.To.Sub(s.window.From)
	if e.own {
		passed = s.at.To.Sub(s.at.From)
	}
	if s.window.Known() && d >= 0 && d < 2*unit && d <= passed {
		e.within++
		return
	}
	e.beyond++
}

// followsAgo reports whether two times from now tell of one moment, or of one of each run.
func followsAgo(before, after notation.Scalar, rec, run *answerView) bool {
	if before.Kind != notation.String || after.Kind != notation.String {
		return false
	}
	m, okBefore := notation.AgoOf(before.Text)
	n, okAfter := notation.AgoOf(after.Text)
	if !okBefore || !okAfter || m.Rest != n.Rest {
		return false
	}
	passed, allowed := run.at.From.Sub(rec.at.From), max(m.Unit, n.Unit)+notation.Slack
	if (n.Since - m.Since - passed).Abs() <= allowed {
		return true
	}
	inSession := func(a notation.Ago, s *answerView) bool {
		return s.window.Known() && a.Since >= 0 && a.Since <= s.at.To.Sub(s.window.From)+a.Unit/2 // it may be rounded
	}
	return inSession(m, rec) && inSession(n, run)
}

// ofElapsedTime: every value is a duration of less than two of its units, and no longer than the time that had passed.
func ofElapsedTime(t *fieldStats) explanation {
	e := explanation{Category: mapfile.Time, Weight: suggested}
	if s := t.elapsed; s.within > 0 && s.beyond == 0 && len(t.links.echo.list) == 0 && s.within == t.values.n {
		e.Evidence = []mapfile.Evidence{mapfile.NearClock(mapfile.UnitElapsed)}
	}
	return e
}
