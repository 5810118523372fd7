package relation

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/flaketap/flaketap/volatility/notation"
)

// A relation is stated where data that have nothing to do with each other would satisfy it less than once in a hundred
// times, over all candidates that were thought of. What speaks for a relation is counted in bits: a new value of a
// place that could have been any of n confirms it by log2 n. Values that were seen before say next to nothing, as one
// request has one answer.

const (
	maxSupport = 64   // different values that are counted
	maxBits    = 20   // that one value may count for
	maxChance  = 0.75 // that an order may be true of values of different answers
	doubtBits  = 6.65 // log2 100
	minTimes   = 12   // different pairs of times that are in order
	minTouches = 5    // times that numbers in order came to be equal, and never crossed
	apart      = 2    // units of a clock that moments are apart by at least, for one to be the later one
	coarse     = int64(time.Millisecond)
)

// test holds a row against every candidate, and lets go of those that it contradicts.
func (s *scope) test(row []value) {
	for i, v := range s.vars {
		x := &row[i]
		switch {
		case !v.wantedIn(s) || x.at != 0:
		case v.timed && x.kind == isText && !x.moment():
			x.kind = isOther
		case v.epoch && x.kind == isDecimal:
			x.sinceEpoch()
		}
	}
	s.candidates = slices.DeleteFunc(s.candidates, func(c *candidate) bool {
		switch s.check(c, row) {
		case contradicted:
			return true
		case confirmed:
			s.support(c, row)
		}
		return false
	})
	s.sorted(row)
}

// wantedIn reports whether a variable's moments are needed.
func (v *variable) wantedIn(s *scope) bool {
	return !s.found || v.wanted
}

// support counts what a row says for a candidate.
func (s *scope) support(c *candidate, row []value) {
	x, y := row[c.a], row[c.b]
	witness := []value{x}
	switch c.kind {
	case Contains:
		witness[0] = y
	case Offset, Ratio, AtLeast:
		witness = append(witness, y)
	case Sum, Product:
		witness = append(witness, y, row[c.c])
	}
	f := witness[0].size()
	if c.kind == Equal && x.kind != isDecimal {
		f = y.size()
	}
	if c.kind == AtLeast && !c.distance(s, x, y) {
		return
	}
	h := hashOf(witness)
	switch {
	case h == c.last:
		return
	case slices.Contains(c.seen, h):
		c.recurs++
	case len(c.seen) < maxSupport:
		if len(c.seen) == 0 {
			c.low, c.high, c.width, c.random = f, f, math.MaxInt, true
		}
		c.low, c.high = min(c.low, f), max(c.high, f)
		c.width = min(c.width, len(witness[0].text))
		c.random = c.random && witness[0].kind == isText && (s.vars[c.a].timed ||
			notation.ShapesOf(witness[0].text)&notation.GeneratedShapes != 0)
		c.fine = c.fine || x.at%coarse != 0
		c.seen = append(c.seen, h)
	}
	c.last = h
}

// size is the number that a value is, and 0 where it is none.
func (v value) size() float64 {
	if v.kind == isDecimal {
		return float64(v.d.m) / float64(powers[v.d.scale])
	}
	return float64(v.at)
}

// distance counts how far from each other two values in order are, and reports whether that speaks for the order.
func (c *candidate) distance(s *scope, x, y value) bool {
	gap := float64(x.at - y.at)
	if !s.clocked(c) {
		d, _ := x.d.minus(y.d)
		if gap = float64(d.m) / float64(powers[d.scale]); gap == 0 {
			c.touches++
		}
	} else if unit := max(s.vars[c.a].unit, s.vars[c.b].unit); gap <= float64(apart*max(unit, coarse)) {
		c.near = c.near || gap != 0 || unit >= coarse // to the microsecond, the same is one reading
		return false
	}
	if len(c.seen) == 0 || gap < c.least {
		c.least = gap
	}
	c.gaps = max(c.gaps, gap)
	return true
}

// clocked reports whether a candidate is of two moments.
func (s *scope) clocked(c *candidate) bool {
	a, b := s.vars[c.a], s.vars[c.b]
	return a.timed && b.timed || a.epoch && b.epoch
}

// chance returns how often values of different rows are in order: where they always are, it says nothing that their
// ranges do not say.
func (s *scope) chance(c *candidate) float64 {
	pairs, ordered := 0, 0
	for i, row := range s.rows {
		for k, other := range s.rows {
			if i == k || row[c.a].kind == absent || other[c.b].kind == absent {
				continue
			}
			pairs++
			mixed := slices.Clone(row)
			mixed[c.b] = other[c.b]
			if s.check(c, mixed) == confirmed {
				ordered++
			}
		}
	}
	return float64(ordered) / float64(max(1, pairs))
}

// sorted sees whether the elements of an array are in the order of one of their members.
func (s *scope) sorted(row []value) {
	if s.place == "" {
		return
	}
	if !s.found && s.looked == 1 {
		for i, v := range s.vars {
			if v.derived == isOwn {
				s.order = append(s.order, &candidate{kind: Ascending, a: i, b: -1, c: -1},
					&candidate{kind: Descending, a: i, b: -1, c: -1})
			}
		}
	}
	last := s.last
	s.last = row
	if last == nil {
		return
	}
	s.spare = last
	s.order = slices.DeleteFunc(s.order, func(c *candidate) bool {
		if c.a >= len(last) || last[c.a].kind == absent || row[c.a].kind == absent {
			return true // what some elements lack sorts nothing
		}
		order, ok := compareValues(last[c.a], row[c.a])
		if !ok || order > 0 && c.kind == Ascending || order < 0 && c.kind == Descending {
			return true
		}
		if h := hashOf([]value{last[c.a], row[c.a]}); order != 0 && len(c.seen) < maxSupport && !slices.Contains(c.seen, h) {
			c.seen = append(c.seen, h)
		}
		return false
	})
}

// compareValues orders numbers, moments, and texts by their bytes.
func compareValues(a, b value) (order int, ok bool) {
	switch {
	case a.kind == isDecimal && b.kind == isDecimal:
		less, ok := a.d.less(b.d)
		if !ok || a.d.equal(b.d) {
			return 0, ok
		}
		if less {
			return -1, true
		}
		return 1, true
	case a.kind != isText || b.kind != isText:
		return 0, false
	case a.text == b.text:
		return 0, true
	case a.moment() && b.moment():
		return cmp.Compare(a.at, b.at), true
	}
	return cmp.Compare(a.text, b.text), true
}

// justified states the candidates that are no chance, but for those that others imply.
func (s *scope) justified() []Stated {
	var kept []*candidate
	for _, c := range slices.Concat(s.candidates, s.order) {
		if c.bits() >= doubtBits+math.Log2(float64(max(1, s.tried+2*len(s.vars)))) && c.firm(s) {
			kept = append(kept, c)
		}
	}
	var out []Stated
	for _, c := range kept {
		if c.kind == AtLeast && slices.ContainsFunc(kept, func(d *candidate) bool { return d.implies(c, kept) }) {
			continue
		}
		out = append(out, s.stated(c))
	}
	return out
}

// implies reports whether an order follows from another one and a third: a >= b and b >= c.
func (c *candidate) implies(d *candidate, all []*candidate) bool {
	return c.kind == AtLeast && c.a == d.a && c.b != d.b && slices.ContainsFunc(all, func(e *candidate) bool {
		return e.kind == AtLeast && e.a == c.b && e.b == d.b
	})
}

// bits returns how much speaks for a candidate.
func (c *candidate) bits() float64 {
	n := float64(len(c.seen))
	switch c.kind {
	case Ascending, Descending:
		return n // elements in any order are in this one less than once in 2^(n-1) times
	case AtLeast:
		return -n * math.Log2(max(c.chance, 0.5))
	case Offset, Ratio:
		n -= 2 // one value goes into the constant
	}
	one := 1.0
	switch {
	case c.random:
		one = maxBits
	case c.high > c.low:
		one = min(maxBits, math.Log2(c.span()+1))
	case len(c.seen) >= 8:
		one = min(maxBits, 2*float64(c.width))
	}
	return n*one + min(float64(c.recurs), maxSupport)/2
}

// span is how many numbers lie between the least and the largest seen, counted in hundredths where they are close.
func (c *candidate) span() float64 {
	span := c.high - c.low
	if span < 10 && span != math.Trunc(span) {
		span *= 100
	}
	return span
}

// firm reports whether enough different values confirm a candidate for the next ones to do so as well.
func (c *candidate) firm(s *scope) bool {
	switch c.kind {
	case Equal:
		if s.vars[c.a].timed && !c.fine {
			return false // a clock that was read twice shows the same millisecond nearly always, and then does not
		}
		return len(c.seen) >= minDistinct || float64(c.recurs) >= 2*doubtBits
	case Ascending, Descending:
		return len(c.seen) >= minDistinct
	case AtLeast:
		if s.vars[c.a].timed {
			return len(c.seen) >= minTimes && !c.near
		}
		if s.clocked(c) {
			return len(c.seen) >= 3*minTimes && !c.near
		}
		// An order of numbers is the rule where they meet and never cross, or keep away from each other.
		return len(c.seen) >= 3*minTimes && (c.touches >= minTouches || c.least >= c.gaps/3)
	}
	return len(c.seen) > minDistinct
}
