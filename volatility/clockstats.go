package volatility

import (
	"math"
	"strings"
	"time"

	"github.com/flaketap/flaketap/volatility/inorder"
	"github.com/flaketap/flaketap/volatility/notation"
)

// seen counts a value by whether it can be read as a moment.
func (c *clockStats) seen(m notation.Moment, timed bool) {
	if !timed {
		c.unread++
		return
	}
	c.read++
	c.unit = max(c.unit, m.Unit)
	for _, one := range []struct {
		is bool
		of *int
	}{{m.SinceEpoch, &c.counts}, {m.InText || m.Unusual, &c.inText}, {m.TimeOfDay, &c.daily}, {!m.Zoned, &c.unzoned}} {
		if one.is {
			*one.of++
		}
	}
}

// reach widens the largest distance of a value from the answer that has it.
func (c *clockStats) reach(m notation.Moment, at notation.Span) {
	if at.Known() {
		c.farthest = max(c.farthest, m.Distance(at).Abs())
	}
}

// sooner reports whether all values are moments whose last digit is worth more than the time that lay between answers.
func (c *clockStats) sooner(apart time.Duration) bool {
	return c.read > 0 && c.unread == 0 && c.unit >= time.Second && apart > 0 && apart < c.unit
}

// follow sees whether a value changed as the clock did: by as much as time passed, or from a moment of the recording
// to one of the run. Counts of the time that passed are looked for too.
func (t *fieldStats) follow(before, after notation.Scalar, rec, run *answerView) {
	c := &t.clock
	m, okBefore := t.momentAt(before, rec.at)
	n, okAfter := t.momentAt(after, run.at)
	c.seen(n, okAfter)
	if !rec.at.Known() || !run.at.Known() {
		return
	}
	if okBefore && okAfter && !m.At.Equal(n.At) && m.Rest == n.Rest {
		c.reach(n, run.at)
		moved, passed := n.At.Sub(m.At), run.at.From.Sub(rec.at.From)
		allowed := notation.Slack + m.Unit + rec.at.To.Sub(rec.at.From) + run.at.To.Sub(run.at.From)
		// Of something that was made within its own run it does not matter what stood there before: an older element of
		// the same list, perhaps.
		if (moved-passed).Abs() <= allowed && m.Unit < notation.Day || n.During(run.window) || m.During(rec.window) ||
			m.Unit >= notation.Day && m.Near(rec.at) && n.Near(run.at) {
			c.follows++
			return
		}
	}
	if followsAgo(before, after, rec, run) {
		c.follows++
		return
	}
	c.strays++
	passed := run.at.From.Sub(rec.at.From)
	if grown, digit, ok := notation.Numbered(before, after); ok {
		c.steady.Add(grown, digit, passed)
	}
	switch {
	case before.Numeric() && after.Numeric():
		c.countElapsed(notation.Float(after.Raw)-notation.Float(before.Raw), passed)
	case before.Kind == notation.String && after.Kind == notation.String:
		// Durations first: of "2s" and "3s" the numbers alone would be in another unit than those of "2s" and "300ms".
		if x, y, ok := notation.DurationsIn(before.Text, after.Text); ok {
			c.countElapsed(float64(y-x), passed)
		} else if x, y, ok := notation.NumbersIn(before.Text, after.Text); ok {
			c.countElapsed(notation.Float(y)-notation.Float(x), passed)
		}
	}
}

// countElapsed sees whether a number grew as time passed, in some unit: an uptime.
func (c *clockStats) countElapsed(grown float64, passed time.Duration) {
	if passed.Abs() < inorder.LeastPassed {
		return
	}
	c.lastTried++
	for i, unit := range durationUnits {
		off := time.Duration(grown*float64(unit)) - passed
		coarse := unit > time.Millisecond && math.Abs(grown) < 20 && grown == math.Trunc(grown)
		if off.Abs() <= max(100*time.Millisecond, passed.Abs()/50) && !coarse {
			c.lasts[i]++
		}
	}
}

// seen looks for the authority and for words of the environment in a string.
func (n *addressStats) seen(w *stepAnalysis, v notation.Scalar) {
	if w.port != "" && v.Plain() == w.port {
		n.port++
	} else {
		n.noPort++
	}
	if v.Kind != notation.String {
		return
	}
	if w.host != "" && strings.Contains(v.Text, w.host) {
		n.host++
	} else {
		n.noHost++
	}
	if w.dialed != "" && strings.Contains(v.Text, w.dialed) {
		n.dialed++
	}
	for _, word := range w.judge.environment {
		if v.Text == word || (len(word) >= 5 || word[0] == '/') && holdsWord(v.Text, word) {
			n.environment = word
		}
	}
}

// follow sees whether a string changed in nothing but the authority.
func (n *addressStats) follow(before, after notation.Scalar, w *stepAnalysis, s *answerView) {
	if before.Kind != notation.String || after.Kind != notation.String {
		return
	}
	host := hostOf(s.request)
	if w.host != "" && host != "" && host != w.host && strings.Contains(before.Text, w.host) &&
		strings.ReplaceAll(before.Text, w.host, host) == after.Text {
		n.hostMoves++
		n.host++
		return
	}
	n.otherMoves++
	if host != "" && strings.Contains(after.Text, host) {
		n.host++
	} else {
		n.noHost++
	}
}

// holdsWord reports whether a text holds a word that is no part of a longer one.
func holdsWord(s, word string) bool {
	for from := 0; ; {
		i := strings.Index(s[from:], word)
		if i < 0 {
			return false
		}
		at := from + i
		if !notation.WordByteAt(s, at-1) && (at+len(word) == len(s) || !notation.WordByteAt(s, at+len(word))) {
			return true
		}
		from = at + 1
	}
}
