package experiment

import (
	"context"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/replay"
)

// double sends requests twice at the same instant, and twice more: four answers are enough to tell a number of visits
// from what moves by itself.
func double() Experiment {
	const more = 2
	return Experiment{Name: "double", Help: "each GET and HEAD request twice at the same instant, and twice more",
		Default: true,
		make: func(string, situation) (Condition, error) {
			return Condition{Name: "double", kind: exchange.RunRepeat, further: more + 1, arrange: func(p *replay.Player) {
				p.Settle = 0
				putAround(p, twiceAndMore(more))
			}}, nil
		}}
}

// twiceAndMore sends repeatable requests twice at the same instant, and so many further times.
func twiceAndMore(more int) replay.Around {
	return func(next replay.Send) replay.Send {
		twice := replay.Twice(repeatable)(next)
		return func(ctx context.Context, s replay.Sending, take func(*exchange.Observation) error) error {
			if err := twice(ctx, s, take); err != nil || !repeatable(s.Exchange) {
				return err
			}
			for range more {
				if err := next(ctx, s, take); err != nil {
					return err
				}
			}
			return nil
		}
	}
}

// repeatable reports whether a request may be sent more than once: a double send of a POST makes two things.
func repeatable(e *exchange.Exchange) bool {
	return (e.Request.Method == "GET" || e.Request.Method == "HEAD") && e.Response != nil
}
