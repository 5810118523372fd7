package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/flaketap/flaketap/internal/console"
)

// ErrRemoved is why the wait for results ends that nobody will give.
var ErrRemoved = errors.New("the work that this waits for was removed from the hub")

// Round is a plan that a replay has put on a board. It is used by one goroutine.
type Round struct {
	board   Board
	key     *Key
	plan    string
	console *console.Console

	role    Role
	resumed bool                         // it was there already
	alone   bool                         // it was said that no worker is there
	tickets func() (Ticket, error, bool) // of results, as they come
	stop    func()
	known   map[Ticket]bool
	come    map[int][]int // by run: the items whose results came while another run was waited for
}

// Begin puts the job of a plan on a board. A plan that is there already, of a replay that is resumed, goes on.
func Begin(ctx context.Context, board Board, key *Key, plan string, job *Job, c *console.Console) (*Round, error) {
	r := newRound(board, key, plan, job, c)
	if err := r.shared(ctx, job); err != nil {
		return nil, err
	}
	others, err := board.Plans(ctx)
	if err != nil {
		return nil, err
	}
	for _, other := range others {
		if _, err := readJob(ctx, board, key, other); err != nil && !errors.Is(err, ErrMissing) {
			return nil, err
		}
		if other == plan {
			r.resumed = true
		} else {
			c.Warn("flaketap: the workers have other work to do first (%s); if whoever asked for it has ended, "+
				"flaketap hub remove nats://HOST:PORT/NAME --plan %s takes away what it left", other, other)
		}
	}
	text, err := json.Marshal(job)
	if err != nil {
		return nil, err
	}
	name := jobName(plan)
	text, err = json.Marshal(envelope{Format, key.id, key.seal(name, text)})
	if err != nil {
		return nil, err
	}
	return r, board.Put(ctx, name, text)
}

func newRound(board Board, key *Key, plan string, job *Job, c *console.Console) *Round {
	return &Round{board: board, key: key, plan: plan, console: c, role: job.role(), known: map[Ticket]bool{},
		come: map[int][]int{}}
}

// shared refuses a key that none of the workers has that are there: each of them would end over what is put there.
// Where nobody is there it says who is missing; who has trials has said so before.
func (r *Round) shared(ctx context.Context, job *Job) error {
	keys, err := r.board.Keys(ctx)
	if err != nil || slices.Contains(keys, r.key.id) || slices.Contains(keys, "") {
		return err
	}
	if len(keys) == 0 {
		if r.alone = true; !job.Lends {
			r.console.Say("flaketap: no %s is at that hub yet: %s", r.role.Worker(), r.role.howTo())
		}
		return nil
	}
	return errors.New("the workers at that hub have another key: give them and this command the same --token-key, or use " +
		"another NAME")
}

// missed says of workers that are waited for that the last of them is gone, and that one is there again. What keeps the
// hub from telling is told elsewhere.
func (r *Round) missed(ctx context.Context) {
	keys, err := r.board.Keys(ctx)
	if err != nil || r.alone == (len(keys) == 0) {
		return
	}
	if r.alone = !r.alone; r.alone {
		r.console.Warn("flaketap: no %s is at that hub any more; waiting for one: %s", r.role.Worker(), r.role.howTo())
	} else {
		r.console.Warn("flaketap: a %s is at that hub again", r.role.Worker())
	}
}

// Plan returns the name of the plan.
func (r *Round) Plan() string { return r.plan }

// readJob reads the job of a plan, or says what is in the way.
func readJob(ctx context.Context, board Board, key *Key, plan string) (*Job, error) {
	name := jobName(plan)
	text, err := board.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	var kept envelope
	if err := json.Unmarshal(text, &kept); err != nil {
		return nil, fmt.Errorf("read job %s: %w", plan, err)
	}
	switch {
	case kept.Format > Format:
		return nil, fmt.Errorf("job %s has format %d, this flaketap speaks %d: update this one", plan, kept.Format, Format)
	case kept.Format < Format:
		return nil, fmt.Errorf("job %s has format %d, this flaketap speaks %d: update the one that asks for it",
			plan, kept.Format, Format)
	case kept.Key != key.id:
		return nil, fmt.Errorf("job %s is sealed with another key: give all that work together the same --token-key, "+
			"or use another NAME", plan)
	}
	if text, err = key.open(name, kept.Job); err != nil {
		return nil, err
	}
	job := &Job{}
	if err := json.Unmarshal(text, job); err != nil {
		return nil, fmt.Errorf("read job %s: %w", plan, err)
	}
	return job, nil
}

// Keep puts an item on the board.
func (r *Round) Keep(ctx context.Context, number int, item *Item) error {
	content, err := item.encode()
	if err != nil {
		return err
	}
	return r.KeepContent(ctx, number, content)
}

// KeepContent puts what a judgement is made of on the board: what whoever judges asks for by its number.
func (r *Round) KeepContent(ctx context.Context, number int, content []byte) error {
	name := itemName(r.plan, number)
	sealed := r.key.seal(name, content)
	return insist(ctx, r.console, func() error { return r.board.Put(ctx, name, sealed) })
}

// Offer has an item, which is kept, played in a run, unless it has been.
func (r *Round) Offer(ctx context.Context, run, item int) error {
	t := Ticket{r.plan, run, item}
	return insist(ctx, r.console, func() error {
		if r.resumed {
			if _, err := r.board.Get(ctx, t.ResultName()); !errors.Is(err, ErrMissing) {
				return err
			}
		}
		return r.board.Offer(ctx, t)
	})
}

// Next waits for the result of an item of a run that it has not returned yet. The ctx is that of the whole wait,
// however often it is called.
func (r *Round) Next(ctx context.Context, run int) (item int, result *Result, err error) {
	for len(r.come[run]) == 0 {
		t, err := r.arrival(ctx)
		if err != nil {
			return 0, nil, err
		}
		if !r.known[t] {
			r.known[t] = true
			r.come[t.Run] = append(r.come[t.Run], t.Item)
		}
	}
	item = r.come[run][0]
	r.come[run] = r.come[run][1:]
	t := Ticket{r.plan, run, item}
	var sealed []byte
	err = insist(ctx, r.console, func() error {
		sealed, err = r.board.Get(ctx, t.ResultName())
		return err
	})
	if err == nil {
		sealed, err = r.key.open(t.ResultName(), sealed)
	}
	if err == nil {
		result, err = decodeResult(sealed)
	}
	if err != nil {
		return 0, nil, fmt.Errorf("result of item %d in run %d: %w", item, run, err)
	}
	return item, result, nil
}

// arrival waits for the ticket of a result, which may have come before.
func (r *Round) arrival(ctx context.Context) (t Ticket, err error) {
	return t, insist(ctx, r.console, func() error {
		if r.tickets == nil {
			if _, err := r.board.Get(ctx, jobName(r.plan)); errors.Is(err, ErrMissing) {
				return ErrRemoved
			} else if err != nil {
				return err
			}
			r.tickets, r.stop = iter.Pull2(r.board.Results(ctx, r.plan))
		}
		var more bool
		for t, err, more = r.tickets(); errors.Is(err, ErrQuiet); t, err, more = r.tickets() {
			r.missed(ctx)
		}
		if err == nil && !more {
			err = fmt.Errorf("%w: it ended", ErrAway)
		}
		if err != nil {
			r.Leave()
		}
		if errors.Is(err, ErrMissing) {
			return ErrRemoved
		}
		return err
	})
}

// Leave ends the wait for results. What is on the board stays, for a replay that goes on with it.
func (r *Round) Leave() {
	if r.stop != nil {
		r.stop()
		r.tickets, r.stop = nil, nil
	}
}

// End removes all of the plan.
func (r *Round) End(ctx context.Context) error {
	r.Leave()
	return r.board.Clear(ctx, r.plan)
}
