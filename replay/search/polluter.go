package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
)

// Trial puts the API back to its start, plays the sequences of order, one after the other, and returns those that did
// not go as they did when they were recorded. Sequences are numbers from 0, in recorded order.
type Trial func(ctx context.Context, order []int) (differing []int, err error)

// Dependence says that how a sequence goes depends on what was played before it.
type Dependence struct {
	Victim   int
	After    []int // the fewest sequences found that make the difference, in recorded order; usually one
	Polluted bool  // the victim goes otherwise than recorded after them; else it goes as recorded only after them
}

// Polluters finds out which sequences decide how others go, by playing some of them in some orders. One sequence that
// does so alone is found by halving the suspects, where each trial weighs what is suspected (with a chance of being
// wrong, for an API whose answers also move by themselves); several that do so only together, by a delta debugging that
// halves too (Zeller and Hildebrandt 2002, Simplifying and Isolating Failure-Inducing Input, ask for the same).
type Polluters struct {
	Sequences int // how many there are
	// those that a sequence takes values from: they are played before it in any trial; nil: none
	Needs func(int) []int
	Trial Trial
	Limit int // trials at most, with those that were noted; 0 means 40

	Trials    int   // how many were made or noted
	Unsolved  []int // those that the order moved, and of which no reason was found
	Undecided bool  // the trials did not even tell which those are

	plain, other counts
	alternative  []int // the order, other than the recorded one, that is looked into
	noisy        bool  // trials in one order were not of one mind
}

const (
	defaultLimit = 40
	// the chance that a trial says the wrong thing of a sequence, before and after that was seen
	calm, noise = 0.01, 0.05
	together    = 0.02  // the chance, before anything is known, that it takes several sequences at once
	certain     = 0.995 // of having found the one
	rounds      = 4     // how often the recorded and the other order are played where trials are not of one mind
)

// counts says how often each sequence differed in one order.
type counts struct {
	trials    int
	differing map[int]int
}

func (c *counts) add(differing []int) {
	if c.differing == nil {
		c.differing = map[int]int{}
	}
	c.trials++
	for _, i := range differing {
		c.differing[i]++
	}
}

// errLimit ends a search that has no more trials to make.
var errLimit = errors.New("all trials are used")

// Note takes in a trial that was made already: of all sequences in the recorded order, or in another one. That other
// order is the one that is looked into.
func (s *Polluters) Note(order, differing []int) {
	s.Trials++
	if slices.IsSorted(order) {
		s.plain.add(differing)
		s.noisy = s.noisy || len(differing) > 0
		return
	}
	s.alternative = order
	s.other.add(differing)
}

// Find looks for the reasons of all that goes otherwise in another order: the one that was noted, else the reverse. It
// ends when everything is explained, or when all trials are used: then Unsolved says what is left.
func (s *Polluters) Find(ctx context.Context) ([]Dependence, error) {
	if s.alternative == nil {
		s.alternative = s.Reverse()
	}
	suspects, err := s.victims(ctx)
	if err != nil {
		s.Undecided = true
		return nil, s.ended(err)
	}
	var found []Dependence
	s.Unsolved = suspects
	for len(s.Unsolved) > 0 {
		d, err := s.explain(ctx, s.Unsolved[0])
		if err == nil && d == nil {
			s.Unsolved = s.Unsolved[1:] // it moves by itself, or by what nobody can tell
			continue
		}
		if err != nil {
			return found, s.ended(err)
		}
		s.Unsolved = s.Unsolved[1:]
		found = append(found, *d)
		also, err := s.alike(ctx, *d)
		found = append(found, also...)
		if err != nil {
			return found, s.ended(err)
		}
	}
	return found, nil
}

// ended makes nothing of running out of trials: Unsolved tells it.
func (s *Polluters) ended(err error) error {
	if errors.Is(err, errLimit) {
		return nil
	}
	return fmt.Errorf("search for what depends on order: %w", err)
}

// Reverse is the order that is farthest from the recorded one among those that play every sequence after the ones it
// needs.
func (s *Polluters) Reverse() []int {
	order := make([]int, s.Sequences)
	for i := range order {
		order[i] = s.Sequences - 1 - i
	}
	return s.After(order)
}

// After is an order in which what a sequence needs is put before it, if it is not there already.
func (s *Polluters) After(order []int) []int {
	out := make([]int, 0, len(order))
	played := make([]bool, s.Sequences)
	for _, i := range order {
		out = s.with(out, i, played)
	}
	return out
}

// with appends a sequence to an order, after all that it needs.
func (s *Polluters) with(order []int, i int, played []bool) []int {
	if i < 0 || i >= s.Sequences || played[i] {
		return order
	}
	played[i] = true
	if s.Needs != nil {
		for _, need := range s.Needs(i) {
			order = s.with(order, need, played)
		}
	}
	return append(order, i)
}

// try makes a trial, while there are some left.
func (s *Polluters) try(ctx context.Context, order []int) ([]int, error) {
	limit := s.Limit
	if limit <= 0 {
		limit = defaultLimit
	}
	if s.Trials >= limit {
		return nil, errLimit
	}
	s.Trials++
	return s.Trial(ctx, order)
}

// victims are the sequences that go as recorded in the recorded order, and not in the other one. Where it is seen that
// trials of one order are not of one mind, both are played some more times.
func (s *Polluters) victims(ctx context.Context) ([]int, error) {
	recorded := make([]int, s.Sequences)
	for i := range recorded {
		recorded[i] = i
	}
	for s.plain.trials == 0 || s.other.trials == 0 || s.noisy && min(s.plain.trials, s.other.trials) < rounds {
		order, side := recorded, &s.plain
		if s.other.trials < s.plain.trials {
			order, side = s.alternative, &s.other
		}
		differing, err := s.try(ctx, order)
		if err != nil {
			return nil, err
		}
		side.add(differing)
		s.noisy = s.noisy || side == &s.plain && len(differing) > 0
	}
	var out []int
	for i := range s.Sequences {
		if s.share(i) >= 0.5 {
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(s.share(b), s.share(a)) })
	return out, nil
}

// share is how much more often a sequence goes otherwise in the other order.
func (s *Polluters) share(i int) float64 {
	return float64(s.other.differing[i])/float64(s.other.trials) - float64(s.plain.differing[i])/float64(s.plain.trials)
}

// alike finds, in two trials, which other victims have the same reason as the one that was just found.
func (s *Polluters) alike(ctx context.Context, d Dependence) ([]Dependence, error) {
	if len(s.Unsolved) == 0 {
		return nil, nil
	}
	others := slices.Sorted(slices.Values(s.Unsolved))
	others = slices.DeleteFunc(others, func(i int) bool { return slices.Contains(d.After, i) })
	const both, neither = 3, 0
	seen := map[int]int{} // bit 0: differs without, bit 1: differs after
	for turn := range 2 * s.repeats() {
		order, bit := others, 1
		if turn%2 == 1 {
			order, bit = slices.Concat(d.After, others), 2
		}
		differing, err := s.try(ctx, s.After(order))
		if err != nil {
			return nil, err
		}
		for _, i := range others {
			differs := slices.Contains(differing, i)
			switch {
			case turn < 2 && differs:
				seen[i] |= bit
			case turn >= 2 && differs != (seen[i]&bit != 0):
				seen[i] = both // not of one mind
			}
		}
	}
	var out []Dependence
	for _, i := range others {
		if how := seen[i]; how != both && how != neither && !slices.Contains(s.After([]int{i}), d.After[0]) {
			out = append(out, Dependence{Victim: i, After: d.After, Polluted: how == 2})
			s.Unsolved = slices.DeleteFunc(s.Unsolved, func(u int) bool { return u == i })
		}
	}
	return out, nil
}

// doubt is the chance that a trial says the wrong thing of a sequence.
func (s *Polluters) doubt() float64 {
	if s.noisy {
		return noise
	}
	return calm
}

// repeats is how often a trial is made on whose word alone something is believed.
func (s *Polluters) repeats() int {
	if s.noisy {
		return 2
	}
	return 1
}
