package inorder

import (
	"math"
	"time"
)

// Rate sees whether numbers grow or shrink by the same in each second that passes, whatever they count and from
// when: days with a fraction since 1899, steps of 100 ns since 1601, milliseconds until then. Every change gives a
// range in which the rate lies; as long as one rate lies in all of them, the clock may be what is counted.
type Rate struct {
	tried       int // changes of numbers
	rated       int // of these, the ones after enough time to tell
	low, high   float64
	refuted     bool
	off         float64       // how wide the widest range is, of its rate
	least, most time.Duration // that passed
}

// LeastPassed is the least time that must have passed: what passes more quickly could be anything, and so could what
// grew by a handful.
const LeastPassed = 300 * time.Millisecond

// minRated is how many changes must agree on a rate.
const minRated = 3

// Add takes a change in: by how much a number differs, what its last digit is worth, and the time that passed.
func (s *Rate) Add(grown, digit float64, passed time.Duration) {
	s.tried++
	if passed.Abs() < LeastPassed || s.refuted {
		return
	}
	// The answers' own times are known to some milliseconds, and two clocks are not equally fast.
	off := 0.05/passed.Abs().Seconds() + 0.002 + digit/math.Abs(grown)
	switch {
	case grown == 0:
		s.refuted = true
		return
	case off > 0.2, digit == 1 && math.Abs(grown) < 1000:
		// A few steps of the last digit tell no rate, and what requests count grows steadily where runs do.
		return
	}
	rate := grown / passed.Seconds()
	low, high := rate-math.Abs(rate)*off, rate+math.Abs(rate)*off
	s.Absorb(Rate{rated: 1, low: low, high: high, off: off, least: passed.Abs(), most: passed.Abs()})
}

// join keeps the rates that are in two ranges.
func (s *Rate) join(o Rate) {
	s.low, s.high = max(s.low, o.low), min(s.high, o.high)
	s.off, s.least, s.most = max(s.off, o.off), min(s.least, o.least), max(s.most, o.most)
	s.refuted = s.refuted || o.refuted || s.low > s.high
}

// Absorb adds what was seen elsewhere.
func (s *Rate) Absorb(o Rate) {
	s.tried += o.tried
	switch s.rated += o.rated; {
	case o.rated == 0:
		s.refuted = s.refuted || o.refuted
	case s.rated == o.rated:
		s.low, s.high, s.off, s.least, s.most, s.refuted = o.low, o.high, o.off, o.least, o.most, o.refuted || s.refuted
	default:
		s.join(o)
	}
}

// Holds reports whether all of a number of changes agree on a rate, and were far enough apart for a number that has
// changed once and for all to have none.
func (s *Rate) Holds(changes int) bool {
	return !s.refuted && s.rated >= minRated && 2*s.rated >= s.tried && s.tried == changes &&
		float64(s.most) > float64(s.least)*(1+2.5*s.off)
}
