package search

import (
	"cmp"
	"context"
	"slices"

	"github.com/flaketap/flaketap/internal/bisect"
)

// inquiry is the search for what one victim depends on.
type inquiry struct {
	*Polluters
	victim   int
	polluted bool  // looked for is what makes it differ, else what makes it go as recorded
	suspects []int // in the order in which they are played
}

// explain finds what a victim depends on, nil where nothing that was played before it does.
func (s *Polluters) explain(ctx context.Context, victim int) (*Dependence, error) {
	q := &inquiry{Polluters: s, victim: victim, polluted: true}
	before := s.alternative[:max(0, slices.Index(s.alternative, victim))]
	if s.noisy { // it may have been chance that it moved
		if moved, err := q.agreed(ctx, before); err != nil || !moved {
			return nil, err
		}
	}
	alone, err := q.agreed(ctx, nil)
	if err != nil {
		return nil, err
	}
	q.suspects = before
	if alone {
		q.polluted = false
		q.suspects = make([]int, victim)
		for i := range q.suspects {
			q.suspects[i] = i
		}
	}
	needed := s.After([]int{victim})
	q.suspects = slices.DeleteFunc(slices.Clone(q.suspects), func(i int) bool { return slices.Contains(needed, i) })
	if len(q.suspects) == 0 {
		return nil, nil
	}
	after, err := q.one(ctx)
	if err == nil && after == nil {
		after, err = q.several(ctx)
	}
	if err != nil || after == nil {
		return nil, err
	}
	slices.Sort(after)
	return &Dependence{Victim: victim, After: after, Polluted: q.polluted}, nil
}

// hit plays some of the suspects, and then the victim, and reports whether that made the difference. A suspect brings
// along all that it needs.
func (q *inquiry) hit(ctx context.Context, some []int) (bool, error) {
	differing, err := q.try(ctx, q.After(append(slices.Clone(some), q.victim)))
	return slices.Contains(differing, q.victim) == q.polluted, err
}

// agreed is hit, asked until two more say the same than the contrary where trials are not of one mind.
func (q *inquiry) agreed(ctx context.Context, some []int) (bool, error) {
	for balance := 0; ; {
		hit, err := q.hit(ctx, some)
		if err != nil {
			return false, err
		}
		if hit {
			balance++
		} else {
			balance--
		}
		if !q.noisy || balance == 2 || balance == -2 {
			return hit, nil
		}
	}
}

// one finds the one suspect that makes the difference alone, nil where none seems to: it plays those that half of the
// suspicion rests upon, and weighs all anew by what came of it.
func (q *inquiry) one(ctx context.Context) ([]int, error) {
	weights := map[int]float64{}
	for _, i := range q.suspects {
		weights[i] = (1 - together) / float64(len(q.suspects))
	}
	none := together
	for none < 0.5 {
		ranked := slices.Clone(q.suspects)
		slices.SortStableFunc(ranked, func(a, b int) int { return cmp.Compare(weights[b], weights[a]) })
		if weights[ranked[0]] >= certain {
			return ranked[:1], nil
		}
		some := q.half(ranked, weights)
		if some == nil {
			return nil, nil
		}
		hit, err := q.hit(ctx, some)
		if err != nil {
			return nil, err
		}
		none = q.learn(weights, none, some, hit)
	}
	return nil, nil
}

// learn weighs the suspects anew (Bayes) by what came of playing some of them, and returns the new weight of its being
// none of them alone.
func (q *inquiry) learn(weights map[int]float64, none float64, some []int, hit bool) float64 {
	fits, fitsNot := q.doubt(), 1-q.doubt()
	if hit {
		fits, fitsNot = fitsNot, fits
	}
	played := make([]bool, q.Sequences)
	for _, i := range q.After(some) {
		played[i] = true
	}
	none *= fitsNot
	sum := none
	for _, i := range q.suspects {
		if played[i] {
			weights[i] *= fits
		} else {
			weights[i] *= fitsNot
		}
		sum += weights[i]
	}
	for _, i := range q.suspects {
		weights[i] /= sum
	}
	return none / sum
}

// half returns those of the suspects, ranked by weight, to play next: with all that they need they bear as near to half
// of the weight as can be. It returns nil where no trial would tell anything.
func (q *inquiry) half(ranked []int, weights map[int]float64) []int {
	chosen, nearest := 0, 0.5-1e-6
	single := -1
	played := make([]bool, q.Sequences)
	mass := 0.0
	for n, i := range ranked {
		mass += q.weigh(q.with(nil, i, played), weights)
		if off := distance(mass); off < nearest {
			chosen, nearest, single = n+1, off, -1
		}
		if n < 8 {
			if off := distance(q.weigh(q.After([]int{i}), weights)); off < nearest {
				nearest, single = off, n
			}
		}
		if mass > 0.9 && n >= 8 {
			break
		}
	}
	if single >= 0 {
		return []int{ranked[single]}
	}
	if chosen == 0 {
		return nil
	}
	some := ranked[:chosen]
	return slices.DeleteFunc(slices.Clone(q.suspects), func(i int) bool { return !slices.Contains(some, i) })
}

func (q *inquiry) weigh(some []int, weights map[int]float64) float64 {
	sum := 0.0
	for _, i := range some {
		sum += weights[i]
	}
	return sum
}

func distance(mass float64) float64 { return max(mass-0.5, 0.5-mass) }

// several finds suspects that make the difference together, and do not once any of them is left out: the one without
// which the shortest list of them that makes it would not, then, with that one kept, the next. It is delta debugging by
// halves, which takes fewer trials where more suspects never undo what fewer did: as many as there are to be found
// times the logarithm of the suspects. It returns nil where all of them do not make the difference, or in the end not
// those found.
func (q *inquiry) several(ctx context.Context) ([]int, error) {
	if hit, err := q.agreed(ctx, q.suspects); err != nil || !hit {
		return nil, err
	}
	var kept []int
	left := q.suspects
	for len(left) > 0 {
		if len(kept) > 0 {
			if hit, err := q.agreed(ctx, kept); err != nil || hit {
				return kept, err
			}
		}
		enough, err := bisect.Shortest(len(left),
			func(n int) (bool, error) { return q.agreed(ctx, slices.Concat(left[:n], kept)) })
		if err != nil {
			return nil, err
		}
		kept = slices.Concat(left[enough-1:enough], kept)
		left = left[:enough-1]
	}
	hit, err := q.agreed(ctx, kept)
	if err != nil || !hit {
		return nil, err
	}
	return kept, nil
}
