package volatility

import (
	"math"
	"strings"
	"time"
)

// seen counts a value by whether it can be read as a moment.
func (c *clock) seen(m moment, timed bool) {
	if !timed {
		c.unread++
		return
	}
	c.read++
	c.unit = max(c.unit, m.unit)
	for _, one := range []struct {
		is bool
		of *int
	}{{m.count, &c.counts}, {m.inText || m.odd, &c.inText}, {m.daily, &c.daily}, {!m.zoned, &c.unzoned}} {
		if one.is {
			*one.of++
		}
	}
}

// reach widens the largest distance of a value from the answer that has it.
func (c *clock) reach(m moment, at span) {
	if at.known() {
		c.farthest = max(c.farthest, m.distance(at).Abs())
	}
}

// sooner reports whether all values are moments whose last digit is worth more than the time that lay between answers.
func (c *clock) sooner(apart time.Duration) bool {
	return c.read > 0 && c.unread == 0 && c.unit >= time.Second && apart > 0 && apart < c.unit
}

// follow sees whether a value changed as the clock did: by as much as time passed, or from a moment of the recording
// to one of the run. Counts of the time that passed are looked for too.
func (c *clock) follow(before, after scalar, rec, run *sight) {
	m, okBefore := momentOf(before)
	n, okAfter := momentOf(after)
	c.seen(n, okAfter)
	if !rec.at.known() || !run.at.known() {
		return
	}
	if okBefore && okAfter && !m.at.Equal(n.at) && m.rest == n.rest {
		c.reach(n, run.at)
		moved, passed := n.at.Sub(m.at), run.at.from.Sub(rec.at.from)
		allowed := slack + m.unit + rec.at.to.Sub(rec.at.from) + run.at.to.Sub(run.at.from)
		// Of something that was made within its own run it does not matter what stood there before: an older element of
		// the same list, perhaps.
		if (moved-passed).Abs() <= allowed && m.unit < day || n.during(run.window) || m.during(rec.window) ||
			m.unit == day && m.near(rec.at) && n.near(run.at) {
			c.follows++
			return
		}
	}
	c.strays++
	passed := run.at.from.Sub(rec.at.from)
	if grown, digit, ok := numbered(before, after); ok {
		c.steady.add(grown, digit, passed)
	}
	switch {
	case before.numeric() && after.numeric():
		c.lasting(float(after.raw)-float(before.raw), passed)
	case before.kind == isString && after.kind == isString:
		// Durations first: of "2s" and "3s" the numbers alone would be in another unit than those of "2s" and "300ms".
		if x, y, ok := durationsIn(before.text, after.text); ok {
			c.lasting(float64(y-x), passed)
		} else if x, y, ok := numbersIn(before.text, after.text); ok {
			c.lasting(float(y)-float(x), passed)
		}
	}
}

// leastPassed is the least time that must have passed: what passes more quickly could be anything, and so could what grew by a
// handful.
const leastPassed = 300 * time.Millisecond

// lasting sees whether a number grew as time passed, in some unit: an uptime.
func (c *clock) lasting(grown float64, passed time.Duration) {
	if passed.Abs() < leastPassed {
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
func (n *network) seen(w *work, v scalar) {
	if w.port != "" && v.word() == w.port {
		n.port++
	} else {
		n.noPort++
	}
	if v.kind != isString {
		return
	}
	if w.host != "" && strings.Contains(v.text, w.host) {
		n.host++
	} else {
		n.noHost++
	}
	if w.dialed != "" && strings.Contains(v.text, w.dialed) {
		n.dialed++
	}
	for _, word := range w.environment {
		if v.text == word || (len(word) >= 5 || word[0] == '/') && holdsWord(v.text, word) {
			n.environment = word
		}
	}
}

// follow sees whether a string changed in nothing but the authority.
func (n *network) follow(before, after scalar, w *work, s *sight) {
	if before.kind != isString || after.kind != isString {
		return
	}
	host := hostOf(s.request)
	if w.host != "" && host != "" && host != w.host && strings.Contains(before.text, w.host) &&
		strings.ReplaceAll(before.text, w.host, host) == after.text {
		n.hostMoves++
		n.host++
		return
	}
	n.otherMoves++
	if host != "" && strings.Contains(after.text, host) {
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
		if !wordByte(s, at-1) && (at+len(word) == len(s) || !wordByte(s, at+len(word))) {
			return true
		}
		from = at + 1
	}
}
