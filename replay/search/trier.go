package search

import (
	"context"
	"iter"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/replay"
	"github.com/flaketap/flaketap/replay/service"
)

// PlayerTrier plays each trial as a run of its own: with the reset, or the start of the API, that the
// player has.
type PlayerTrier struct {
	Player replay.Player // its Bindings and Total are set for each trial
}

// Try plays one trial.
func (t *PlayerTrier) Try(ctx context.Context, exchanges []*exchange.Exchange,
	bindings []exchange.Binding) ([]*exchange.Response, error) {
	p := t.Player
	p.Bindings, p.Total = bindings, len(exchanges)
	var got collected
	err := service.Again(func() error {
		got = make(collected, len(exchanges))
		_, err := p.Play(ctx, listed(exchanges), got)
		return err
	})
	return got, err
}

// listed is a Source of exchanges that are in memory.
type listed []*exchange.Exchange

// Exchanges yields them.
func (l listed) Exchanges() iter.Seq2[*exchange.Exchange, error] {
	return func(yield func(*exchange.Exchange, error) bool) {
		for _, e := range l {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// collected is a Sink that keeps the answers by the numbers of their exchanges, which are counted from 1.
type collected []*exchange.Response

// Observe keeps an answer.
func (c collected) Observe(o *exchange.Observation) error {
	if i := o.Seq - 1; i < uint64(len(c)) && c[i] == nil {
		c[i] = o.Response
	}
	return nil
}
