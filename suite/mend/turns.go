package mend

import (
	"context"
	"sync"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/setup"
)

// turns has several searches for set-ups go side by side: one at a time thinks, as they share what they know of the
// session, while others wait for what their trials are answered, each on an API of its own. It is the Trier of them
// all.
type turns struct {
	thinking sync.Mutex
	free     chan setup.Trier // those on which no trial is made
}

func newTurns(triers []setup.Trier) *turns {
	t := &turns{free: make(chan setup.Trier, len(triers))}
	for _, one := range triers {
		t.free <- one
	}
	return t
}

// Try makes a trial for the search whose turn it is, which gives its turn to another meanwhile.
func (t *turns) Try(ctx context.Context, exchanges []*exchange.Exchange,
	bindings []exchange.Binding) ([]*exchange.Response, error) {
	t.thinking.Unlock()
	defer t.thinking.Lock()
	trier := <-t.free
	defer func() { t.free <- trier }()
	return trier.Try(ctx, exchanges, bindings)
}

// each calls a function for each number below count, as many at a time as there are triers. The first error ends all.
func (t *turns) each(ctx context.Context, count int, do func(ctx context.Context, i int) error) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	var all sync.WaitGroup
	next := 0
	for range min(count, cap(t.free)) {
		all.Go(func() {
			t.thinking.Lock()
			defer t.thinking.Unlock()
			for next < count && ctx.Err() == nil {
				next++
				if err := do(ctx, next-1); err != nil {
					end(err)
				}
			}
		})
	}
	all.Wait()
	return context.Cause(ctx)
}
