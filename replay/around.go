package replay

import (
	"context"
	"sync"

	"github.com/flaketap/flaketap/exchange"
)

// Sending is a request on its way to the API.
type Sending struct {
	Exchange *exchange.Exchange // as it was recorded
	Request  exchange.Request   // as it is sent, with what is carried over
	Fresh    bool               // on a connection of its own

	step *step
	gate *gate // see together
}

// Send sends a request and hands take what it is answered, once for each time it is sent. The first answer counts: the
// summary and the values to carry over are of it; the sink gets all. It returns the error of take.
type Send func(ctx context.Context, s Sending, take func(*exchange.Observation) error) error

// Around puts something around the sending of requests: it may change a request, wait, or send it more than once. One
// player's workers call what it returns at the same time.
type Around func(next Send) Send

// gate has requests that are sent at the same instant wait for each other. Each has one of its own; they share the
// count.
type gate struct {
	missing *sync.WaitGroup
	once    sync.Once
}

// pass waits until all are there. A nil gate is open.
func (g *gate) pass() {
	if g != nil {
		g.leave()
		g.missing.Wait()
	}
}

// leave has nobody wait for this one any longer.
func (g *gate) leave() { g.once.Do(g.missing.Done) }

// together returns a request n times over, to be sent by n goroutines: each waits, on a connection of its own, until
// all are ready to be sent. Only the answer to the first may be the one that counts.
func (s Sending) together(n int) []Sending {
	out := make([]Sending, n)
	var missing sync.WaitGroup
	missing.Add(n)
	for i := range out {
		out[i] = s
		out[i].gate = &gate{missing: &missing}
		if i > 0 {
			own := *s.step
			out[i].step = &own
		}
	}
	return out
}

// Waiting has each request wait until wait returns; an error ends the run.
func Waiting(wait func(context.Context, *exchange.Exchange) error) Around {
	return func(next Send) Send {
		return func(ctx context.Context, s Sending, take func(*exchange.Observation) error) error {
			if err := wait(ctx, s.Exchange); err != nil {
				return err
			}
			return next(ctx, s, take)
		}
	}
}

// Altering changes each request right before it is sent.
func Altering(change func(exchange.Request) exchange.Request) Around {
	return func(next Send) Send {
		return func(ctx context.Context, s Sending, take func(*exchange.Observation) error) error {
			s.Request = change(s.Request)
			return next(ctx, s, take)
		}
	}
}

// Apart sends each request on a connection of its own.
func Apart(next Send) Send {
	return func(ctx context.Context, s Sending, take func(*exchange.Observation) error) error {
		s.Fresh = true
		return next(ctx, s, take)
	}
}

// Again sends each request so many further times, one after the other.
func Again(times func(*exchange.Exchange) int) Around {
	return func(next Send) Send {
		return func(ctx context.Context, s Sending, take func(*exchange.Observation) error) error {
			for range 1 + times(s.Exchange) {
				if err := next(ctx, s, take); err != nil {
					return err
				}
			}
			return nil
		}
	}
}

// Twice sends the requests that which names a second time, at the same instant, on another connection.
func Twice(which func(*exchange.Exchange) bool) Around {
	return func(next Send) Send {
		return func(ctx context.Context, s Sending, take func(*exchange.Observation) error) error {
			if !which(s.Exchange) {
				return next(ctx, s, take)
			}
			return s.atOnce(ctx, 2, next, take)
		}
	}
}

// atOnce sends a request n times at the same instant, each on a connection of its own, and hands on what they are
// answered once all are.
func (s Sending) atOnce(ctx context.Context, n int, next Send, take func(*exchange.Observation) error) error {
	answers, errs := make([][]*exchange.Observation, n), make([]error, n)
	var all sync.WaitGroup
	for i, one := range s.together(n) {
		all.Go(func() {
			defer one.gate.leave() // it may have failed before
			errs[i] = next(ctx, one, func(o *exchange.Observation) error {
				answers[i] = append(answers[i], o)
				return nil
			})
		})
	}
	all.Wait()
	for i, err := range errs {
		if err != nil {
			return err
		}
		for _, o := range answers[i] {
			if err := take(o); err != nil {
				return err
			}
		}
	}
	return nil
}

// Crowd sends the requests that which names exchange.SentAlone times, one after the other, and then n times at the same
// instant. found is told of those that are answered otherwise then: with another status or fault, or, unless the first
// two differ in that themselves, with something else that is there or another word.
func Crowd(n int, which func(*exchange.Exchange) bool, found func(*exchange.Exchange)) Around {
	return func(next Send) Send {
		return func(ctx context.Context, s Sending, take func(*exchange.Observation) error) error {
			if !which(s.Exchange) {
				return next(ctx, s, take)
			}
			var alone []*exchange.Observation
			for range exchange.SentAlone {
				err := next(ctx, s, func(o *exchange.Observation) error {
					alone = append(alone, o)
					return take(o)
				})
				if err != nil {
					return err
				}
			}
			first := alone[0]
			steady := !saysOther(first, alone[len(alone)-1])
			return s.atOnce(ctx, n, next, func(o *exchange.Observation) error {
				if otherOutcome(first, o) || steady && saysOther(first, o) {
					found(s.Exchange)
				}
				return take(o)
			})
		}
	}
}

// otherOutcome reports whether a request came to another status or fault than another time.
func otherOutcome(was, is *exchange.Observation) bool {
	return outcome(was.Response, was.Fault) != outcome(is.Response, is.Fault)
}

// saysOther reports whether a request was answered something else than another time, by what is there and by its words.
func saysOther(was, is *exchange.Observation) bool {
	return was.Response != nil && is.Response != nil && unsettled(was.Response, is.Response)
}
