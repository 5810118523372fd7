package volatility

import (
	"fmt"
	"math"
	"slices"

	"github.com/flaketap/flaketap/volatility/notation"
)

// byCoincidence is the largest chance of a coincidence that explains a value by the clock.
const byCoincidence = 0.01

// coincide takes in a value that is near to the clock. All the values that differ from each other have to be so by
// chance, if any is.
func (c *clockStats) coincide(r recordedValue) {
	if r.value.Kind == notation.String && !r.moment.Weak {
		c.nearTexts++
	}
	if c.near == 1 {
		c.chance = 1
	}
	if c.chance > byCoincidence && !slices.Contains(c.nearAt, r.moment.At) {
		c.nearAt = append(c.nearAt, r.moment.At)
		c.chance *= r.moment.Coincidence()
	}
}

// all reports whether the clock explains all values that can be read as a moment, and whether these are all there are.
// Texts are judged each by itself: some of an operation may tell the day, and others have none to tell; but of a list
// of twelve months, one is the present one.
func (c *clockStats) all() bool {
	return c.near > 0 && c.near == c.read && (c.unread == 0 || c.nearTexts == c.near)
}

// momentAt reads a value of the place, in an answer that was made within a span. A number is a part of the date where
// it is called so.
func (t *fieldStats) momentAt(v notation.Scalar, at notation.Span) (notation.Moment, bool) {
	if t.calendar && v.Kind == notation.Integer && at.Known() {
		return notation.PartOfDate(leaf(t.place), v.Raw, at)
	}
	return notation.MomentAt(v, at)
}

// absorbNear takes in what was counted of a place that is one with this one.
func (c *clockStats) absorbNear(u clockStats) {
	c.nearTexts += u.nearTexts
	for _, at := range u.nearAt {
		if !slices.Contains(c.nearAt, at) {
			c.nearAt = append(c.nearAt, at)
		}
	}
	switch {
	case c.chance == 0 || u.chance == 0:
		c.chance = max(c.chance, u.chance)
	default:
		c.chance = min(c.chance, u.chance)
	}
}

// doubt says why what the clock would explain is a hint and no more.
func (c *clockStats) doubt() string {
	return fmt.Sprintf("as the clock showed, to the %s: by chance this is so of one fixed value in %.0f; what runs at "+
		"another time or by another clock answer will tell", unitOf(c.unit), math.Floor(1/c.chance))
}
