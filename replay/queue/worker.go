package queue

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"slices"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay"
	"github.com/flaketap/flaketap/replay/service"
)

// Worker plays what is on a board, one ticket after the other.
type Worker struct {
	Board   Board
	Wire    Wire   // over which it lends its API
	Crew    Crew   // who is told that it is there; nil: nobody
	Version string // of this flaketap
	Key     *Key
	Machine exchange.Machine
	// Player says how the API is started, reset and reached; the rest comes with each job. Its Service is the API, and has
	// to be there.
	Player  replay.Player
	Console *console.Console
	Role    Role
	// Judge is there for a worker that judges, or runs trials of a search, and plays nothing: it needs no Player.
	Judge Judge

	api  *service.Instance // nil where it is not started
	plan string            // that the job is of
	job  *Job
	tell *teller
}

// Judge judges one part of a plan, or runs one trial, of which judging is what [Job] has: content is what was kept
// under a number ([Round.KeepContent]). What it returns comes to the plan's [Round] as it is.
type Judge func(ctx context.Context, judging []byte, part int, content func(number int) ([]byte, error)) ([]byte, error)

// partingTime is how long a worker that ends may take to say what it leaves.
const partingTime = 5 * time.Second

// Run plays until ctx ends, or the worker cannot go on: its API does not start, or the work is sealed with another key.
func (w *Worker) Run(ctx context.Context) error {
	err := w.begin(ctx)
	defer func() { w.tell.close() }()
	for err == nil {
		err = w.next(ctx)
	}
	if ctx.Err() != nil {
		err = nil
	}
	return errors.Join(err, w.stop())
}

// begin finds out what is in the way before anything is leased.
func (w *Worker) begin(ctx context.Context) error {
	if w.Role == Plays {
		if err := w.readyToPlay(); err != nil {
			return err
		}
	}
	plans, err := w.Board.Plans(ctx)
	if err != nil {
		return err
	}
	for _, plan := range plans {
		if err := w.take(ctx, plan); err != nil && !errors.Is(err, ErrMissing) {
			return err
		}
	}
	if w.Role == Plays {
		if err := w.ready(ctx); err != nil {
			return err
		}
	}
	w.tell = w.tells(ctx)
	switch w.Role {
	case Plays:
		w.Console.Say("flaketap: the API is ready; waiting for work as %s", w.Machine)
	case Judges:
		w.Console.Say("flaketap: waiting for maps to judge")
	case Tries:
		w.Console.Say("flaketap: the API is ready; waiting for trials of mock search as %s", w.Machine)
	}
	return nil
}

// readyToPlay finds out what is missing that the API needs.
func (w *Worker) readyToPlay() error {
	s := w.Player.Service
	if s == nil {
		return console.Usage(errors.New("worker needs --start, the command that starts its API"))
	}
	if s.Ready == "" && !s.ChoosesPort() {
		return console.Usage(errors.New("worker needs --ready URL, or {port} in --start, to know when the API is ready"))
	}
	if _, at := s.Readiness(); !s.ChoosesPort() { // else the API that was started says where it is
		ready, err := url.Parse(at)
		if err != nil {
			return console.Usage(fmt.Errorf("--ready: %w", err))
		}
		w.Player.Target = &url.URL{Scheme: ready.Scheme, Host: ready.Host}
	}
	redactor := exchange.Redactor{Key: w.Key.tokens}
	s.RedactMessage = func(text string) string { return redactor.Show("", text) }
	return nil
}

// next waits for a ticket, and plays it.
func (w *Worker) next(ctx context.Context) error {
	var lease Lease
	err := insist(ctx, w.Console, func() (err error) {
		lease, err = w.Board.Lease(ctx)
		return err
	})
	if err != nil {
		return err
	}
	w.tell.set(lease)
	defer w.tell.set(nil)
	return w.serve(ctx, lease)
}

// unable is why a worker cannot go on, whatever it is to play.
type unable struct{ error }

func (u unable) Unwrap() error { return u.error }

// Unable says of an error of a [Judge] that it would come with any other part too: the worker ends.
func Unable(err error) error { return unable{err} }

// serve does what a lease asks for.
func (w *Worker) serve(ctx context.Context, lease Lease) error {
	keeping, end := context.WithCancel(ctx)
	defer end()
	go lease.Keep(keeping)
	t := lease.Ticket()
	result := &Result{Failed: fmt.Sprintf("%d workers died, or could not be heard any more, while they played it", MostAttempts)}
	if lease.Attempt() <= MostAttempts {
		played, err := w.attempt(ctx, t)
		var own unable
		switch {
		case ctx.Err() != nil, errors.As(err, &own):
			return errors.Join(err, w.giveBack(lease))
		case errors.Is(err, ErrMissing), errors.Is(err, errLent): // the replay has ended, or there is no result
			return done(ctx, lease)
		case err != nil && lease.Attempt() < MostAttempts:
			w.Console.Say("flaketap: item %d of run %d failed, attempt %d of %d: %v", t.Item, t.Run, lease.Attempt(), MostAttempts, err)
			return w.giveBack(lease)
		case err != nil:
			result.Failed = err.Error()
		default:
			result = played
		}
	}
	result.Machine, result.Attempt = w.Machine, lease.Attempt()
	return w.hand(ctx, lease, result)
}

// hand keeps a result, and takes its ticket off the board.
func (w *Worker) hand(ctx context.Context, lease Lease, result *Result) error {
	name := lease.Ticket().ResultName()
	content, err := result.encode()
	if err != nil {
		content, err = (&Result{Machine: result.Machine, Attempt: result.Attempt, Failed: "its answers are too large: " +
			err.Error()}).encode()
	}
	if err != nil {
		return err
	}
	sealed := w.Key.seal(name, content)
	if err := insist(ctx, w.Console, func() error { return w.Board.Put(ctx, name, sealed) }); err != nil {
		return err
	}
	return done(ctx, lease)
}

// done takes a ticket off the board. Where that does not work, somebody leases it once more, for nothing.
func done(ctx context.Context, lease Lease) error {
	if err := lease.Done(ctx); err != nil && !errors.Is(err, ErrAway) {
		return err
	}
	return nil
}

// giveBack returns a lease where the worker ends.
func (w *Worker) giveBack(lease Lease) error {
	ctx, cancel := context.WithTimeout(context.Background(), partingTime)
	defer cancel()
	if err := lease.Return(ctx); err != nil && !errors.Is(err, ErrAway) { // else the lease ends by itself
		return err
	}
	return nil
}

// attempt plays what a ticket names.
func (w *Worker) attempt(ctx context.Context, t Ticket) (*Result, error) {
	if err := insist(ctx, w.Console, func() error { return w.take(ctx, t.Plan) }); err != nil {
		if !errors.Is(err, ErrMissing) {
			err = unable{err}
		}
		return nil, err
	}
	if w.Role != Plays {
		found, err := w.Judge(ctx, w.job.Judging, t.Item, func(number int) ([]byte, error) {
			return w.content(ctx, itemName(t.Plan, number))
		})
		return &Result{Found: found}, err
	}
	if w.job.Lends {
		if err := w.lend(ctx, t); err != nil && !errors.Is(err, ErrNobody) {
			return nil, err
		}
		return nil, errLent
	}
	content, err := w.content(ctx, itemName(t.Plan, t.Item))
	if err != nil {
		return nil, err
	}
	item, err := decodeItem(content)
	if err != nil {
		return nil, err
	}
	return w.play(ctx, w.job.player(w.Player, item, t.Run), item)
}

// content returns what is kept under a name.
func (w *Worker) content(ctx context.Context, name string) (content []byte, err error) {
	err = insist(ctx, w.Console, func() (err error) {
		content, err = w.Board.Get(ctx, name)
		return err
	})
	if err != nil {
		return nil, err
	}
	return w.Key.open(name, content)
}

// take reads the job of a plan.
func (w *Worker) take(ctx context.Context, plan string) error {
	if w.plan == plan {
		return nil
	}
	job, err := readJob(ctx, w.Board, w.Key, plan)
	if err != nil {
		return err
	}
	w.plan, w.job = plan, job
	return nil
}

// play plays an item. An API that has served before, and does not let itself be reset, is started anew first.
func (w *Worker) play(ctx context.Context, p replay.Player, item *Item) (*Result, error) {
	for {
		fresh := w.api == nil
		if err := w.ready(ctx); err != nil {
			return nil, unable{err}
		}
		result := &Result{}
		sum, err := p.PlayOn(ctx, w.api, item, result)
		if err != nil || p.Reset == "" {
			err = errors.Join(err, w.stop())
		}
		switch {
		case errors.Is(err, service.ErrReset) && !fresh:
			continue
		case errors.Is(err, service.ErrReset):
			return nil, unable{err}
		case err != nil:
			return nil, err
		}
		result.Unresolved = sum.Unresolved
		return result, nil
	}
}

// ready starts the API where it is not there.
func (w *Worker) ready(ctx context.Context) (err error) {
	if w.api == nil {
		w.api, err = w.Player.Service.Start(ctx)
	}
	return err
}

// stop stops the API.
func (w *Worker) stop() error {
	if w.api == nil {
		return nil
	}
	api := w.api
	w.api = nil
	return api.Stop()
}

// player returns a player for an item in a run.
func (j *Job) player(own replay.Player, item *Item, run int) replay.Player {
	p := own
	p.Recorded, p.Recorders, p.Credentials = j.Recorded, j.Recorders, j.Credentials
	p.Lapsed = map[string]bool{}
	for _, value := range j.Lapsed {
		p.Lapsed[value] = true
	}
	p.Restarts = func(pass int) bool { return slices.Contains(j.Restarts, pass) }
	p.Pace, _ = replay.ParsePace(j.Pace) // as the replay said it
	p.Timeout = j.Timeout
	if run == 1 || j.SettleAll {
		p.Settle = j.Settle
	}
	p.Bindings = item.Bindings
	p.Order = flow.NewOrder()
	for _, e := range item.List {
		p.Order.Add(e)
	}
	p.Order.Bind(item.Bindings)
	p.Later, p.Total = item.after, len(item.List)
	return p
}

// Exchanges implements [replay.Source].
func (i *Item) Exchanges() iter.Seq2[*exchange.Exchange, error] { return i.after(0) }

// after yields the exchanges behind a position.
func (i *Item) after(seq uint64) iter.Seq2[*exchange.Exchange, error] {
	return func(yield func(*exchange.Exchange, error) bool) {
		for _, e := range i.List {
			if e.Seq > seq && !yield(e, nil) {
				return
			}
		}
	}
}

// Observe implements [replay.Sink].
func (r *Result) Observe(o *exchange.Observation) error {
	r.Observations = append(r.Observations, o)
	return nil
}
