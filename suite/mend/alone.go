package mend

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/suite/setup"
)

// confirmed is how often a test is played by itself: what is added to it has to hold each time.
const confirmed = 2

// PlayAlone sends what each test sends by itself, on a fresh start each time, so that what is added to it holds
// whatever runs before it. It does nothing where nothing is to be added, or there is no API to try on.
func (r *Round) PlayAlone(ctx context.Context, s *SetUps) error {
	if !r.o.Strengthen || s.search == nil {
		return nil
	}
	r.alone = map[string]map[string][]setup.Trial{}
	for _, f := range r.tests {
		calls := map[string][]setup.Ran{}
		for _, ran := range f.Ran() {
			calls[ran.Test] = append(calls[ran.Test], ran)
		}
		r.alone[f.path] = map[string][]setup.Trial{}
		for _, test := range slices.Sorted(maps.Keys(calls)) {
			for range confirmed {
				trial, err := s.playAlone(ctx, calls[test])
				if err != nil {
					return fmt.Errorf("play %s by itself: %w", test, err)
				}
				r.alone[f.path][test] = append(r.alone[f.path][test], trial)
			}
			r.played++
			s.playing.Update(r.played, 0)
		}
	}
	s.playing.Clear()
	return nil
}

// playAlone makes a trial of the requests of one test.
func (s *SetUps) playAlone(ctx context.Context, test []setup.Ran) (setup.Trial, error) {
	var exchanges []*exchange.Exchange
	b := flow.NewBinder()
	last := 0
	for _, ran := range test {
		e := *ran.Exchange
		e.Seq, e.Pass, e.Conn, e.Sequence = uint64(len(exchanges)+1), 1, 0, ""
		exchanges = append(exchanges, &e)
		b.Add(&e)
		last = max(last, ran.Call)
	}
	answers, err := s.search.Trier.Try(ctx, exchanges, b.Bindings())
	if err != nil {
		return setup.Trial{}, err
	}
	out := setup.Trial{Answers: make([]*exchange.Response, last+1)}
	for i, ran := range test {
		out.Answers[ran.Call] = answers[i]
	}
	return out, nil
}

// playedAlone says how many tests were played by themselves; "" for none.
func (r *Round) playedAlone() string {
	if r.played == 0 {
		return ""
	}
	return fmt.Sprintf("%s played alone, %d times each", console.Count(r.played, "test"), confirmed)
}
