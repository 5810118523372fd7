package search

import (
	"context"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/replay"
)

// Watch plays a trial in which reads may be asked again: after each answer to an exchange, again says whether it is.
// What is carried over is of the last answer. It returns all answers, in the order in which they came.
func (t *PlayerTrier) Watch(ctx context.Context, exchanges []*exchange.Exchange, bindings []exchange.Binding,
	again func(*exchange.Observation) bool) ([]*exchange.Observation, error) {
	p := t.Player
	p.Bindings, p.Total, p.Settle, p.Workers = bindings, len(exchanges), 0, 1
	var all []*exchange.Observation
	p.Around = append(p.Around[:len(p.Around):len(p.Around)], func(next replay.Send) replay.Send {
		return func(ctx context.Context, s replay.Sending, take func(*exchange.Observation) error) error {
			begun := time.Now()
			for {
				var last *exchange.Observation
				err := next(ctx, s, func(o *exchange.Observation) error { last = o; return nil })
				if err != nil || last == nil {
					return err
				}
				if all = append(all, last); !again(last) {
					return take(last)
				}
				if err := replay.Pause(ctx, replay.NextLook(time.Since(begun)/8)); err != nil {
					return err
				}
			}
		}
	})
	_, err := p.Play(ctx, listed(exchanges), make(collected, len(exchanges)))
	return all, err
}
