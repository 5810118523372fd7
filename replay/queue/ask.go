package queue

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/flaketap/flaketap/internal/console"
)

// Asking is a plan whose items are put on a board one by one, each by who waits for what comes of it. Several
// goroutines may use it.
type Asking struct {
	offers   sync.Mutex // of what follows
	offering *Round
	items    int

	round *Round // of the goroutine that takes what comes
	end   context.CancelFunc
	over  sync.WaitGroup

	mu      sync.Mutex
	waiting map[int]chan<- *Result // by item
	failed  error                  // why nothing comes any more
}

// Ask puts the job of a plan on a board, which two goroutines use: so it is given twice.
func Ask(
	ctx context.Context, offers, answers Board, key *Key, plan string, job *Job, c *console.Console,
) (*Asking, error) {
	offering, err := Begin(ctx, offers, key, plan, job, c)
	if err != nil {
		return nil, err
	}
	a := &Asking{offering: offering, round: newRound(answers, key, plan, job, c), waiting: map[int]chan<- *Result{}}
	a.round.alone = offering.alone
	ctx, a.end = context.WithCancel(context.WithoutCancel(ctx))
	a.over.Go(func() { a.take(ctx) })
	return a, nil
}

// Item has an item worked on, and returns what comes of it. The board keeps neither then.
func (a *Asking) Item(ctx context.Context, content []byte) ([]byte, error) {
	came := make(chan *Result, 1)
	number, err := a.put(ctx, content, came)
	if err != nil {
		return nil, err
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case result, ok := <-came:
		switch {
		case !ok:
			a.mu.Lock()
			defer a.mu.Unlock()
			return nil, a.failed
		case result.Failed != "":
			return nil, fmt.Errorf("item %d was given up after %s: %s", number, console.Count(result.Attempt, "attempt"),
				console.OneLine(result.Failed))
		}
		return result.Found, nil
	}
}

// put puts an item on the board.
func (a *Asking) put(ctx context.Context, content []byte, came chan<- *Result) (number int, err error) {
	a.offers.Lock()
	defer a.offers.Unlock()
	a.items++
	number = a.items
	if err := a.await(number, came); err != nil {
		return 0, err
	}
	if err = a.offering.KeepContent(ctx, number, content); err == nil {
		err = a.offering.Offer(ctx, askedRun, number)
	}
	return number, err
}

// await has what comes of an item go to who waits for it.
func (a *Asking) await(number int, came chan<- *Result) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.failed == nil {
		a.waiting[number] = came
	}
	return a.failed
}

// askedRun is the run of all items: each is worked on once.
const askedRun = 1

// take gives what comes to who waits for it, until it fails, or ctx ends.
func (a *Asking) take(ctx context.Context) {
	for {
		number, result, err := a.round.Next(ctx, askedRun)
		if err == nil {
			a.give(number, result)
			err = a.round.board.Drop(ctx, Ticket{a.round.plan, askedRun, number})
			if errors.Is(err, ErrAway) { // it goes with the plan
				err = nil
			}
		}
		if err != nil {
			a.mu.Lock()
			a.failed = err
			for number, came := range a.waiting {
				close(came)
				delete(a.waiting, number)
			}
			a.mu.Unlock()
			return
		}
	}
}

// give gives a result to who waits for it.
func (a *Asking) give(number int, result *Result) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if came := a.waiting[number]; came != nil {
		came <- result
		delete(a.waiting, number)
	}
}

// Close removes all of the plan.
func (a *Asking) Close(ctx context.Context) error {
	a.end()
	a.over.Wait()
	a.round.Leave()
	a.offers.Lock()
	defer a.offers.Unlock()
	return a.offering.End(ctx)
}
