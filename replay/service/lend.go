package service

import (
	"context"
	"errors"
	"fmt"
	"net/url"
)

// Lender has instances of an API that run elsewhere.
type Lender interface {
	// Lend waits for an instance that begins anew, and is reached at a port of this machine until it is given back.
	Lend(ctx context.Context, port int) (Lent, error)
}

// Lent is an instance of an API that somebody lends.
type Lent interface {
	// Target is the base URL at which it is reached.
	Target() *url.URL
	// Settle waits until it is known whether all that it was sent so far has reached it; where not, it is Over.
	Settle()
	// Over is closed once it is not reached any more.
	Over() <-chan struct{}
	// Why says then why that is: that its API ended, or [ErrLost].
	Why() error
	// Return gives it back. Only the first call does anything.
	Return() error
}

// ErrLost is wrapped by the error of an instance that is not reached any more, and may be well: what was done with it
// proves nothing, and is to be done again.
var ErrLost = errors.New("the API that a worker lent cannot be reached any more")

// ErrNotLent is why a wait for an instance ended before anybody lent one.
var ErrNotLent = errors.New("no worker lent its API")

// borrow starts nothing, and waits for an instance that somebody lends.
func (s *Service) borrow(ctx context.Context, port int) (*Instance, error) {
	lent, err := s.From.Lend(ctx, port)
	if ctx.Err() != nil && err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotLent, ctx.Err())
	}
	if err != nil {
		return nil, err
	}
	i := &Instance{service: s, port: port, target: lent.Target(), lent: lent, ended: make(chan struct{}), log: emptyLog()}
	go func() {
		<-lent.Over()
		close(i.ended)
	}()
	return i, nil
}

// Lost is why nothing can be said of what was done with the API until now; nil where something can.
func (i *Instance) Lost() error {
	if i == nil || i.lent == nil {
		return nil
	}
	i.lent.Settle()
	select {
	case <-i.lent.Over():
	default:
		return nil
	}
	if err := i.lent.Why(); errors.Is(err, ErrLost) {
		return err
	}
	return nil
}

// Again does something until what it does it with is not lost on the way, and no more often than it makes sense.
func Again(do func() error) error {
	for n := 1; ; n++ {
		if err := do(); !errors.Is(err, ErrLost) || n == mostLost {
			return err
		}
	}
}

// mostLost is how often something is done again: what loses so many workers is not bad luck.
const mostLost = 5
