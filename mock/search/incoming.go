package search

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/flow/message"
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
	o := s.o
	o.Requests, s.came = s.came, nil
	before := len(s.hunts)
	s.add(o)
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

// Bounds of the requests that are taken of those that come while a search goes on.
const (
	maxArrivals  = 100
	perOperation = 3
)

// Arrivals chooses, of requests that come one by one, those that are searched: one of each operation and shape, which
// is at which places it has values, whatever these are. What it was answered does not count: that follows the services.
type Arrivals struct {
	taken  []*exchange.Exchange
	shapes []string
}

// Has notes a request that is searched anyway.
func (a *Arrivals) Has(e *exchange.Exchange) {
	a.taken, a.shapes = append(a.taken, e), append(a.shapes, placed(e))
}

// Take returns what is to be searched of an exchange; news is false where one like it was taken before, where there are
// as many as there may be, and where it cannot be sent again.
func (a *Arrivals) Take(e *exchange.Exchange) (r Request, news bool) {
	if e.Request.Malformed || e.Unsendable() != "" || !strings.HasPrefix(e.Request.Target, "/") || e.Response == nil {
		return r, false
	}
	if len(a.taken) >= maxArrivals {
		return r, false
	}
	operations, shape, alike := flow.Templates(append(slices.Clip(a.taken), e)), placed(e), 0
	for i := range a.taken {
		if operations[i] != operations[len(a.taken)] {
			continue
		}
		if alike++; alike >= perOperation || a.shapes[i] == shape {
			return r, false
		}
	}
	if r, news = requestOf(e); news {
		a.Has(e)
	}
	return r, news
}

// placed are the places in query and body at which a request has values: of lists, those of their elements together.
func placed(e *exchange.Exchange) string {
	var out []string
	for _, site := range message.SitesOutsideHeader(&e.Request) {
		if site.Place.Root() == "path" {
			continue
		}
		p := site.Place.Segments()
		for i, segment := range p {
			if i > 0 && message.IsIndex(segment) {
				p[i] = exchange.Wildcard
			}
		}
		out = append(out, strings.Join(p, "/"))
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), " ")
}
