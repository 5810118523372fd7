package relation

import (
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/volatility/notation"
)

// The bounds on the candidates of one scope.
const (
	maxPaired     = 48  // numbers that are held against each other
	maxTripled    = 24  // numbers of which two are added or multiplied
	maxTexts      = 24  // texts that are searched for the values of others
	maxCandidates = 192 // that the first rows leave over
	minDistinct   = 3   // different values of a place before anything is said of it
	minContained  = 4   // bytes of a value that is looked for in texts
)

// candidate is a relation that no answer has contradicted.
type candidate struct {
	kind    Kind
	a, b, c int // variables; -1 where there is none
	by      decimal

	seen    []uint64 // the values that it was true of, each once, at most maxSupport
	last    uint64
	recurs  int // times that values seen before came back after others
	low     float64
	high    float64
	width   int     // characters of the shortest text
	chance  float64 // of an order: that values of different answers satisfy it
	touches int     // of an order of numbers: rows in which both are the same
	gaps    float64 // of an order: the longest distance, the least one
	least   float64
	near    bool // of an order of moments: some are no further apart than two readings of one clock
	random  bool // texts that were drawn, or moments
	fine    bool // moments that a clock gave which tells apart what comes within a millisecond
}

// find makes the candidates from the rows that were kept, and lets go of these.
func (s *scope) find() {
	s.found = true
	s.profile()
	moving := s.moving()
	leaders := s.equals(moving)
	var numbers, times, texts []int
	for _, i := range leaders {
		switch v := s.vars[i]; {
		case v.derived != isOwn:
		case v.timed:
			times = append(times, i)
		case s.numeric(i):
			numbers = append(numbers, i)
		default:
			texts = append(texts, i)
		}
	}
	numbers = numbers[:min(len(numbers), maxPaired)]
	s.pairs(numbers)
	s.pairs(times[:min(len(times), maxTexts)])
	s.triples(numbers[:min(len(numbers), maxTripled)])
	s.contained(texts[:min(len(texts), maxTexts)], leaders)
	if len(s.candidates) > maxCandidates {
		s.candidates = s.candidates[:maxCandidates]
	}
	for _, c := range s.candidates {
		if c.kind == AtLeast {
			c.chance = s.chance(c)
		}
	}
	s.candidates = slices.DeleteFunc(s.candidates, func(c *candidate) bool { return c.chance > maxChance })
	s.order = slices.DeleteFunc(s.order, func(c *candidate) bool { return len(c.seen) < minDistinct })
	rows := s.rows
	s.rows, s.hashes = nil, nil
	order, last := s.order, s.last // these have seen the rows already, and in their order
	s.order = nil
	for _, row := range rows {
		s.test(row)
	}
	s.order, s.last = order, last
}

// profile learns of each variable whether it is a time, and how exact it is told; rows get their moments.
func (s *scope) profile() {
	for k, row := range s.rows {
		if n := len(s.vars) - len(row); n > 0 { // places that came later
			s.rows[k] = append(row, make([]value, n)...)
		}
	}
	for i, v := range s.vars {
		v.timed = s.all(i, func(x *value) bool { return x.kind == isText && x.moment() })
		v.epoch = !v.timed && s.all(i, func(x *value) bool { return x.kind == isDecimal && x.sinceEpoch() })
		for _, row := range s.rows {
			v.scale = max(v.scale, row[i].d.scale)
			if u := row[i].unit; u > 0 && (v.unit == 0 || u < v.unit) {
				v.unit = u
			}
		}
	}
}

// moment reads a text as a point in time, and reports whether it is one.
func (v *value) moment() bool {
	if len(v.text) < 10 || len(v.text) > 64 || notation.DateAt(v.text) != 0 {
		return false
	}
	m, ok := notation.TextMoment(v.text)
	v.is(m)
	return ok && !m.InText && !m.TimeOfDay && !m.SinceEpoch && m.At.Year() > 1900
}

// sinceEpoch reads a number as a count since the epoch, and reports whether it is one, to the second or finer.
func (v *value) sinceEpoch() bool {
	m, ok := notation.MomentOf(notation.Scalar{Kind: notation.Number, Raw: v.text})
	if ok = ok && m.Unit <= time.Second; ok {
		v.is(m)
	}
	return ok
}

// is takes in the moment that a value is.
func (v *value) is(m notation.Moment) {
	v.at, v.unit = m.At.UnixNano(), int64(m.Unit)
	for _, u := range units {
		if v.unit < int64(u) && v.at%int64(u) == 0 {
			v.unit = int64(u)
		}
	}
}

// units are what clocks are told to, however many digits are written.
var units = [...]time.Duration{
	10, 100, time.Microsecond, 10 * time.Microsecond, 100 * time.Microsecond, time.Millisecond, 10 * time.Millisecond,
	100 * time.Millisecond, time.Second, time.Minute, time.Hour, notation.Day,
}

// all reports whether all values that a variable has are such, and it has one.
func (s *scope) all(i int, ok func(*value) bool) bool {
	some := false
	for _, row := range s.rows {
		if row[i].kind == absent {
			continue
		}
		if some = true; !ok(&row[i]) {
			return false
		}
	}
	return some
}

func (s *scope) numeric(i int) bool {
	return s.all(i, func(x *value) bool { return x.kind == isDecimal })
}

// moving lists the variables that had two values at least.
func (s *scope) moving() []int {
	var out []int
	for i := range s.vars {
		if s.distinct(i, 2) {
			out = append(out, i)
		}
	}
	return out
}

// distinct reports whether a variable had so many different values.
func (s *scope) distinct(i, enough int) bool {
	var seen []uint64
	for _, row := range s.rows {
		if row[i].kind == absent {
			continue
		}
		if h := hashOf(row[i : i+1]); !slices.Contains(seen, h) {
			if seen = append(seen, h); len(seen) >= enough {
				return true
			}
		}
	}
	return false
}

// equals groups the variables that are equal in every row, states the further ones of a group by its first one, and
// returns the first ones.
func (s *scope) equals(moving []int) (leaders []int) {
	groups := [][]int{moving}
	for _, row := range s.rows {
		var next [][]int
		for _, g := range groups {
			next = append(next, split(g, row)...)
		}
		groups = next
	}
	s.tried += len(moving) * (len(moving) - 1) / 2
	for _, g := range groups {
		if len(g) == 0 {
			continue
		}
		first := max(0, slices.IndexFunc(g, func(i int) bool { return s.vars[i].derived == isOwn }))
		leaders = append(leaders, g[first])
		for k, i := range g {
			switch {
			case k == first || s.vars[g[first]].derived != isOwn:
			case s.vars[i].derived != isOwn:
				s.propose(Equal, g[first], i, -1)
			default:
				s.propose(Equal, i, g[first], -1)
			}
		}
	}
	slices.Sort(leaders)
	return leaders
}

// split divides a group by the values of a row; what the row has not stays in the first part.
func split(group []int, row []value) [][]int {
	var parts [][]int
	var missing []int
next:
	for _, i := range group {
		if row[i].kind == absent {
			missing = append(missing, i)
			continue
		}
		for k, p := range parts {
			if row[i].equal(row[p[0]]) {
				parts[k] = append(p, i)
				continue next
			}
		}
		parts = append(parts, []int{i})
	}
	if len(parts) == 0 {
		return [][]int{missing}
	}
	parts[0] = append(parts[0], missing...)
	slices.Sort(parts[0])
	return parts
}

// propose adds a candidate that is true of every row, and of one at least.
func (s *scope) propose(kind Kind, a, b, c int) bool {
	x := &candidate{kind: kind, a: a, b: b, c: c}
	if kind == Offset || kind == Ratio {
		if !s.solve(x) {
			return false
		}
	}
	some := false
	for _, row := range s.rows {
		switch s.check(x, row) {
		case contradicted:
			return false
		case confirmed:
			some = true
		}
	}
	if some {
		s.candidates = append(s.candidates, x)
	}
	return some
}

// pairs holds numbers against each other, or times.
func (s *scope) pairs(vars []int) {
	vars = slices.DeleteFunc(slices.Clone(vars), func(i int) bool { return !s.distinct(i, minDistinct) })
	s.tried += 2 * len(vars) * (len(vars) - 1)
	for k, b := range vars {
		for _, a := range vars[k+1:] {
			timed := s.vars[a].timed
			if s.propose(Offset, a, b, -1) || !timed && (s.propose(Ratio, a, b, -1) || s.propose(Ratio, b, a, -1)) {
				continue
			}
			if !s.propose(AtLeast, a, b, -1) {
				s.propose(AtLeast, b, a, -1)
			}
		}
	}
}

// solve finds the constant of an offset or a ratio in the first row that has both.
func (s *scope) solve(c *candidate) bool {
	for _, row := range s.rows {
		x, y := row[c.a], row[c.b]
		if x.kind == absent || y.kind == absent {
			continue
		}
		ok := false
		switch {
		case s.vars[c.a].timed:
			c.by, ok = seconds(x.at-y.at), true
		case c.kind == Offset:
			c.by, ok = x.d.minus(y.d)
		case y.d.m == 0:
			if x.d.m != 0 {
				return false
			}
			continue
		default:
			c.by, ok = x.d.over(y.d)
		}
		return ok && c.by.m != 0
	}
	return false
}

// seconds writes a number of nanoseconds.
func seconds(nanos int64) decimal {
	d := decimal{nanos, 9}
	for d.scale > 0 && d.m%10 == 0 {
		d.m, d.scale = d.m/10, d.scale-1
	}
	return d
}

// triples looks for sums and products.
func (s *scope) triples(vars []int) {
	vars = slices.DeleteFunc(slices.Clone(vars), func(i int) bool { return !s.distinct(i, minDistinct) })
	n := len(vars)
	s.tried += n * (n - 1) * max(0, n-2)
	for k, b := range vars {
		for _, c := range vars[k+1:] {
			for _, a := range vars {
				if a != b && a != c {
					s.propose(Sum, a, b, c)
					s.propose(Product, a, b, c)
				}
			}
		}
	}
}

// contained looks for texts that hold the value of another place.
func (s *scope) contained(texts, leaders []int) {
	s.tried += len(texts) * len(leaders)
	for _, a := range texts {
		for _, b := range leaders {
			if a != b && s.vars[b].derived == isOwn && s.distinct(b, minDistinct) &&
				s.all(b, func(x *value) bool { return len(x.text) >= minContained && x.kind != isOther }) {
				s.propose(Contains, a, b, -1)
			}
		}
	}
}

// outcome is what a row says of a candidate.
type outcome uint8

const (
	silent outcome = iota // a place is not there
	confirmed
	contradicted
)

// check holds a candidate against a row.
func (s *scope) check(c *candidate, row []value) outcome {
	x, y := row[c.a], row[c.b]
	if x.kind == absent || y.kind == absent || c.c >= 0 && row[c.c].kind == absent {
		return silent
	}
	ok := false
	switch {
	case c.kind == Equal:
		ok = x.equal(y)
	case c.kind == Contains:
		ok = x.kind == isText && y.kind != isOther && len(y.text) >= minContained && strings.Contains(x.text, y.text)
	case s.vars[c.a].timed:
		ok = x.kind == isText && y.kind == isText && s.timely(c, x, y)
	case x.kind != isDecimal || y.kind != isDecimal || c.c >= 0 && row[c.c].kind != isDecimal:
	default:
		ok = s.computes(c, row)
	}
	if ok {
		return confirmed
	}
	return contradicted
}

// timely checks a relation of two times.
func (s *scope) timely(c *candidate, x, y value) bool {
	if c.kind == Offset {
		return seconds(x.at-y.at) == c.by
	}
	return x.at >= y.at
}

// computes checks a relation of numbers.
func (s *scope) computes(c *candidate, row []value) bool {
	x, y := row[c.a].d, row[c.b].d
	switch c.kind {
	case AtLeast:
		less, ok := x.less(y)
		return ok && !less
	case Offset:
		sum, ok := y.plus(c.by)
		return ok && x.equal(sum)
	case Ratio:
		product, ok := y.times(c.by)
		return ok && x.equal(product)
	case Sum:
		sum, ok := y.plus(row[c.c].d)
		return ok && x.equal(sum)
	case Product:
		product, ok := y.times(row[c.c].d)
		return ok && x.rounded(product, max(s.vars[c.a].scale, x.scale))
	}
	return false
}
