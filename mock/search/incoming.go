package search

import (
	"context"
	"fmt"
)

// Incoming has requests that come while a search goes on, as those of a fuzzer. It is asked by one goroutine.
type Incoming interface {
	// Next returns the requests that came since it was asked last, in order, to be searched from now on. It is asked
	// between trials, and told how many of them there were: so it can run trials of its own meanwhile. best returns the
	// answers of services by which requests got furthest so far, as [Trial.Stubs] has them. An error ends the search.
	Next(ctx context.Context, trials int, best func() []byte) ([]Request, error)
	// Wait waits until there is more to come, for a second at most, and reports whether there may be more. It is asked
	// where there is nothing else to try.
	Wait(ctx context.Context) bool
	// End says that the search takes no more.
	End()
}

// hear asks for requests that came.
func (s *searcher) hear(ctx context.Context) error {
	if s.o.More == nil {
		return nil
	}
	more, err := s.o.More.Next(ctx, s.done, func() []byte { return s.furthest().stubs() })
	if err != nil {
		return fmt.Errorf("take requests: %w", err)
	}
	s.came = append(s.came, more...)
	return nil
}

// welcome begins to search the requests that came.
func (s *searcher) welcome(ctx context.Context) error {
	if err := s.hear(ctx); err != nil || len(s.came) == 0 {
		return err
	}
	before := len(s.hunts)
	s.add(s.came)
	s.came = nil
	return s.first(ctx, s.hunts[before:])
}

// await waits for requests where there is nothing else to try, and reports whether to go on.
func (s *searcher) await(ctx context.Context) bool {
	return s.o.More != nil && ctx.Err() == nil && s.o.More.Wait(ctx)
}

// endMore takes no more requests.
func (s *searcher) endMore() {
	if s.o.More != nil {
		s.o.More.End()
		s.o.More = nil
	}
}

// furthest has for each endpoint the good answer of the request that got furthest by one.
func (s *searcher) furthest() setting {
	set, scores := setting{}, map[Endpoint]int{}
	for _, h := range s.hunts {
		if h.front == nil {
			continue
		}
		for e, a := range h.front.setting {
			if score, known := scores[e]; a.plain() && (!known || h.front.score > score) {
				set[e], scores[e] = a, h.front.score
			}
		}
	}
	return set
}
