package outside

import (
	"maps"
	"math"
	"slices"

	"github.com/flaketap/flaketap/volatility/notation"
)

const (
	// minMoves is how often a place and a value have to move together, where nobody saw to it that the value does.
	minMoves = 2
	// maxChance is what the chance may be at most that so many moves of a place fell upon those of one of the values.
	maxChance = 0.05
	// maxChanceArranged is that where somebody saw to it that the value moves, and nothing else.
	maxChanceArranged = 0.25
	// maxFollowed bounds how many values a place is said to follow.
	maxFollowed = 3
)

// Seen counts, over the pairs of one operation, how often values were there, and how often they were others. The zero
// Seen has seen none.
type Seen struct {
	values map[int]tally
}

// tally is how often a value was there, and moved.
type tally struct{ of, moved int }

// Count takes in a pair.
func (s *Seen) Count(p Pair) {
	if s.values == nil {
		s.values = map[int]tally{}
	}
	for _, h := range p {
		t, known := s.values[h.name]
		if !known && len(s.values) >= maxNames {
			continue
		}
		t.of++
		if h.moved {
			t.moved++
		}
		s.values[h.name] = t
	}
}

// Moves counts the pairs in which one place of an operation moved. The zero Moves has counted none.
type Moves struct {
	of   int
	with map[int]together
}

// together is how often a value moved with the place, how often both were equal before and after, how often it was not
// there in one of the two, and how often it moved because somebody saw to that.
type together struct{ moved, equal, absent, arranged int }

// Arranged says whether somebody saw to it that a value of the pair moves.
type Arranged bool

// Count takes in a pair in which the place moved, from one raw JSON token to another.
func (m *Moves) Count(p Pair, before, after string, arranged Arranged) {
	m.of++
	if m.with == nil {
		m.with = map[int]together{}
	}
	was, is := notation.ScalarOf(before).Plain(), notation.ScalarOf(after).Plain()
	for _, h := range p {
		t, known := m.with[h.name]
		if !h.moved || !known && len(m.with) >= maxNames {
			continue
		}
		t.moved++
		if h.before != "" && h.after != "" && h.before == was && h.after == is {
			t.equal++
		}
		if h.absent {
			t.absent++
		}
		if arranged {
			t.arranged++
		}
		m.with[h.name] = t
	}
}

// Followed names the values that a place follows, those that it equals before others.
func (b *Book) Followed(s *Seen, m *Moves) (names []string) {
	if b == nil || m.of == 0 {
		return nil
	}
	var equal, with []string
	tried := 0 // values that the place may have moved with
	for _, t := range s.values {
		if t.moved > 0 && t.moved < t.of {
			tried++
		}
	}
	for _, number := range slices.Sorted(maps.Keys(m.with)) {
		t, seen := m.with[number], s.values[number]
		switch {
		case b.echoes[number] || t.moved != m.of || seen.moved != m.of:
		case t.equal+t.absent == m.of && t.equal >= minMoves:
			equal = append(equal, b.names[number])
		case seen.moved == seen.of: // what always moves says nothing
		case t.arranged == m.of && chance(seen.of, seen.moved) <= maxChanceArranged,
			m.of >= minMoves && float64(tried)*chance(seen.of, seen.moved) <= maxChance:
			with = append(with, b.names[number])
		}
	}
	slices.Sort(equal)
	slices.Sort(with)
	names = equal
	if len(names) == 0 {
		names = with
	}
	return names[:min(len(names), maxFollowed)]
}

// chance is that of so many moves, anywhere among n pairs, to be in these: one in the number of ways to choose them.
func chance(n, moves int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(moves + 1))
	c, _ := math.Lgamma(float64(n - moves + 1))
	return math.Exp(b + c - a)
}
