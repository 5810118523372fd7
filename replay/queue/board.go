package queue

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay"
)

// MostAttempts is how often a ticket is leased before it is given up.
const MostAttempts = 5

// ErrMissing is what is not on a board, or not any more.
var ErrMissing = errors.New("it is not there")

// ErrAway is what errors are that may be over when the same is tried again: nobody answers, or there is no room.
var ErrAway = errors.New("the hub cannot be reached")

// ErrQuiet is what is heard of results where none has come for a while: others may.
var ErrQuiet = errors.New("nothing has come for a while")

// Ticket is one item in one run of a plan: what is leased.
type Ticket struct {
	Plan      string
	Run, Item int
}

// The names of what is kept of a plan.
func jobName(plan string) string            { return plan + ".job" }
func itemName(plan string, item int) string { return fmt.Sprintf("%s.item.%d", plan, item) }

// ItemName is where the item of a ticket is kept.
func (t Ticket) ItemName() string { return itemName(t.Plan, t.Item) }

// ResultName is where what came of a ticket is kept.
func (t Ticket) ResultName() string { return fmt.Sprintf("%s.result.%d.%d", t.Plan, t.Run, t.Item) }

// Board is where a replay and its workers meet. Errors that may pass wrap [ErrAway].
type Board interface {
	// Put keeps content under a name, which is of letters, digits, dots and dashes. Where there is some already, that
	// stays, and it is no error.
	Put(ctx context.Context, name string, content []byte) error
	// Get returns what is kept under a name; [ErrMissing] where nothing is.
	Get(ctx context.Context, name string) ([]byte, error)
	// Plans lists the plans of which a job is kept.
	Plans(ctx context.Context) ([]string, error)
	// Keys lists the ids of the keys of the workers that are there for what is on this board, "" for one that does not
	// tell.
	Keys(ctx context.Context) ([]string, error)
	// Offer has a ticket leased, behind those that were offered before. One that waits already does so once.
	Offer(ctx context.Context, t Ticket) error
	// Lease waits for a ticket.
	Lease(ctx context.Context) (Lease, error)
	// Results yields the tickets of a plan of which a result is kept, and goes on with those that come, until ctx ends
	// or it fails; [ErrMissing] where the job of the plan is not kept any more. Each [ErrQuiet] meanwhile is no failure.
	Results(ctx context.Context, plan string) iter.Seq2[Ticket, error]
	// Drop removes an item, and the result of its ticket.
	Drop(ctx context.Context, t Ticket) error
	// Clear removes all of a plan.
	Clear(ctx context.Context, plan string) error
}

// Lease is a ticket that nobody else has for now.
type Lease interface {
	Ticket() Ticket
	// Attempt says how often the ticket has been leased, this time included.
	Attempt() int
	// Keep extends the lease until ctx ends.
	Keep(ctx context.Context)
	// Done takes the ticket off the board.
	Done(ctx context.Context) error
	// Return has the ticket leased again at once.
	Return(ctx context.Context) error
}

// again is how long is waited until something is tried again.
const again = 250 * time.Millisecond

// insist tries something until it works, or fails for good; it says once why it takes longer.
func insist(ctx context.Context, c *console.Console, try func() error) error {
	for told := false; ; {
		err := try()
		if err == nil && told {
			c.Warn("flaketap: the hub answers again")
		}
		if err == nil || !errors.Is(err, ErrAway) || ctx.Err() != nil {
			return err
		}
		if !told {
			told = true
			c.Warn("flaketap: %v; trying again", err)
		}
		if err := replay.Pause(ctx, again); err != nil {
			return err
		}
	}
}
