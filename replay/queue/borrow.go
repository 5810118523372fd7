package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay/line"
	"github.com/flaketap/flaketap/replay/service"
)

// Lender has workers lend their APIs, each for one trial. It implements [service.Lender], and may be used by several
// goroutines. Nothing is asked of workers before the first [Lender.Lend].
type Lender struct {
	Board   Board
	Wire    Wire
	Key     *Key
	Plan    string // a name that no other has
	Console *console.Console

	mu     sync.Mutex // of the board, which one goroutine uses at a time
	round  *Round     // nil before the first trial
	here   Ear        // hears nothing that matters: that it is there tells that this is
	trials int
}

// offerAgain is how long a call is waited for until the ticket is offered again: somebody may have called while nobody
// could be heard.
const offerAgain = 15 * time.Second

// Lend implements [service.Lender].
func (l *Lender) Lend(ctx context.Context, port int) (service.Lent, error) {
	t := l.next()
	for {
		near, err := l.answered(ctx, t)
		if err == nil {
			var lent service.Lent
			if lent, err = carried(ctx, near, port); err == nil {
				return lent, nil
			}
			t = l.next() // that worker cannot, or is gone
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !errors.Is(err, ErrAway) && !errors.Is(err, line.ErrLost) {
			return nil, err
		}
		l.Console.Say("flaketap: %v; waiting for another worker", err)
	}
}

// next is the ticket of another trial.
func (l *Lender) next() Ticket {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.trials++
	return Ticket{Plan: l.Plan, Run: l.trials}
}

// answered offers a ticket, and answers the worker that calls.
func (l *Lender) answered(ctx context.Context, t Ticket) (near *line.Near, err error) {
	ear, err := l.Wire.Listen(t.callName())
	if err != nil {
		return nil, err
	}
	defer func() {
		if near == nil {
			ear.Close()
		}
	}()
	for {
		if err := l.offer(ctx, t); err != nil {
			return nil, err
		}
		waiting, cancel := context.WithTimeout(ctx, offerAgain)
		c, err := l.heard(waiting, ear, t)
		cancel()
		if err == nil {
			return l.begin(c, ear)
		}
		if ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
			return nil, err
		}
	}
}

// heard waits for a call. What cannot be opened is from nobody who has the key.
func (l *Lender) heard(ctx context.Context, ear Ear, t Ticket) (c call, err error) {
	for {
		sealed, err := ear.Hear(ctx)
		if err != nil {
			return c, err
		}
		if text, err := l.Key.openShort(t.callName(), sealed); err == nil && json.Unmarshal(text, &c) == nil {
			return c, nil
		}
	}
}

// offer offers a ticket, unless the plan was removed.
func (l *Lender) offer(ctx context.Context, t Ticket) (err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.round == nil {
		if l.here, err = l.Wire.Listen(HereName(l.Plan)); err != nil { // before there is a plan that would be left
			return err
		}
		err = insist(ctx, l.Console, func() error {
			l.round, err = Begin(ctx, l.Board, l.Key, l.Plan, &Job{Lends: true}, l.Console)
			return err
		})
		if err != nil {
			l.here.Close()
			l.round = nil
			return err
		}
	}
	return insist(ctx, l.Console, func() error {
		if _, err := l.Board.Get(ctx, jobName(t.Plan)); errors.Is(err, ErrMissing) {
			return ErrRemoved
		} else if err != nil {
			return err
		}
		return l.Board.Offer(ctx, t)
	})
}

// begin begins to speak with a worker that called. It may call once more, which called hears.
func (l *Lender) begin(c call, called Ear) (*line.Near, error) {
	ear, err := l.Wire.Listen(borrowerName(c.Session))
	if err != nil {
		return nil, err
	}
	t := &talk{wire: l.Wire, key: l.Key, ear: ear, in: borrowerName(c.Session), out: lenderName(c.Session)}
	return line.NewNear(t, func() { ear.Close(); called.Close() }), nil
}

// carried waits until an API is ready, and has what connects to a port here go there.
func carried(ctx context.Context, near *line.Near, port int) (service.Lent, error) {
	scheme, err := near.Ready(ctx)
	if err != nil {
		near.Close()
		return nil, err
	}
	ln, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		near.Close()
		return nil, fmt.Errorf("listen for an API that is lent: %w", err)
	}
	near.Carry(ln)
	if scheme != "https" {
		scheme = "http"
	}
	return &lent{near, &url.URL{Scheme: scheme, Host: ln.Addr().String()}}, nil
}

// Close removes the plan, with what of it nobody has taken.
func (l *Lender) Close(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.round == nil {
		return nil
	}
	l.here.Close()
	return l.round.End(ctx)
}

// lent is an API that a worker lends.
type lent struct {
	near *line.Near
	at   *url.URL
}

func (l *lent) Target() *url.URL      { return l.at }
func (l *lent) Settle()               { l.near.Settle() }
func (l *lent) Over() <-chan struct{} { return l.near.Over() }
func (l *lent) Return() error         { l.near.Close(); return nil }

func (l *lent) Why() error {
	err := l.near.Why()
	if errors.Is(err, line.ErrLost) {
		return fmt.Errorf("%w: %w", service.ErrLost, err)
	}
	return err
}
