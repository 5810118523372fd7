package search

import (
	"context"
	"time"
)

// Threshold is the least difference between times that a search looks for, as TRaf has it.
const Threshold = 5 * time.Millisecond

// Validations is how many runs have to pass before a time holds, as TRaf has it.
const Validations = 100

// Search is the range that is searched, and what it takes for a time to hold.
type Search struct {
	Low  time.Duration // the test flakes with it; 0: the least there is
	High time.Duration // is said to be enough
	// Step is the least difference that can be written; 0: any
	Step time.Duration
	// Validations are the runs that a time which is chosen has to pass, Screen those that one has to pass which the
	// search goes on from. Where they are equal the searches are those that TRaf has published.
	Validations, Screen int
}

// FirstMatch tries the middle of the range, then that of what is above it, and so on, and returns the first time that
// holds: the high end in the end. Zero is none. With an error comes nothing.
func (s Search) FirstMatch(ctx context.Context, l *Ledger) (time.Duration, error) {
	for low := s.Low; s.High-low > s.threshold(); {
		middle := low + (s.High-low)/2
		if holds, err := l.Holds(ctx, s.round(middle), s.Validations); holds || err != nil {
			return chosen(s.round(middle), holds), err
		}
		low = middle
	}
	holds, err := l.Holds(ctx, s.High, s.Validations)
	return chosen(s.High, holds), err
}

// ToTheEnd halves the range to its end, and returns the shortest time that holds: where one that the search went on
// from does not hold in the end, the next one above it. Zero is none. With an error comes the shortest time that no run
// has failed with and that passed the screening, if there is one.
func (s Search) ToTheEnd(ctx context.Context, l *Ledger) (time.Duration, error) {
	low, high := s.Low, s.High
	up := []time.Duration{s.High} // what may hold, the longest first
	for high-low > s.threshold() {
		middle := low + (high-low)/2
		holds, err := l.Holds(ctx, s.round(middle), min(s.Screen, s.Validations))
		switch {
		case err != nil:
			return s.best(l, up), err
		case holds:
			high = middle
			up = append(up, s.round(middle))
		default:
			low = middle
		}
	}
	for len(up) > 0 {
		value := up[len(up)-1]
		if holds, err := l.Holds(ctx, value, s.Validations); holds || err != nil {
			return chosen(value, holds || l.Of(value).Passed >= s.Screen), err
		}
		up = up[:len(up)-1]
	}
	return 0, nil
}

// best is the shortest time that passed the screening.
func (s Search) best(l *Ledger, up []time.Duration) time.Duration {
	last := up[len(up)-1]
	return chosen(last, l.Of(last).Passed >= s.Screen)
}

func (s Search) threshold() time.Duration { return max(Threshold, s.Step) }

// round is the next time that can be written, within the range.
func (s Search) round(t time.Duration) time.Duration {
	if s.Step > 0 {
		t = (t + s.Step - 1) / s.Step * s.Step
	}
	return min(t, s.High)
}

func chosen(value time.Duration, holds bool) time.Duration {
	if !holds {
		return 0
	}
	return value
}
