package replay

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/internal/ahead"
)

// run is the state of one run. Its workers share it.
type run struct {
	player  *Player
	timeout time.Duration
	log     *slog.Logger
	carrier *flow.Carrier
	pool    pool
	metro   metronome
	meter   *meter
	settler settler
	sender  Send   // with all that the player puts around it
	others  bool   // the recording has exchanges for which somebody was reached
	before  []bool // by position: the exchanges that were played before the run was cut off

	mu      sync.Mutex // guards what follows
	summary Summary
	refused int // dials in a row that failed

	reaching sync.Mutex // guards reached, and has all but one wait for the first connection
	reached  bool       // the target has accepted a connection

	sinking sync.Mutex // one goroutine at a time is with the sink
}

func newRun(p *Player) *run {
	r := &run{
		player:  p,
		timeout: cmp.Or(p.Timeout, defaultTimeout),
		log:     cmp.Or(p.Log, slog.New(slog.DiscardHandler)),
		carrier: flow.NewCarrier(p.Bindings),
		metro:   metronome{pace: p.Pace},
		meter:   newMeter(p.Total, p.Progress),
		settler: settler{patience: p.Settle},
	}
	r.sender = r.transmit
	for _, around := range slices.Backward(p.Around) {
		r.sender = around(r.sender)
	}
	return r
}

// goOn takes in what the run observed before it was cut off.
func (r *run) goOn() error {
	if r.player.Earlier == nil {
		return nil
	}
	for step, err := range r.player.Earlier {
		if err != nil {
			return fmt.Errorf("replay: %w", err)
		}
		if len(step.Observations) == 0 {
			continue
		}
		e, o := step.Exchange, step.Observations[0]
		if missing := int(e.Seq) + 1 - len(r.before); missing > 0 {
			r.before = append(r.before, make([]bool, missing)...)
		}
		r.before[e.Seq] = true
		r.carrier.Learn(e.Seq, o.Response)
		r.settler.noted(e, o, r.sequence(e))
		r.summary.Note(e, o, r.sequence(e))
		r.summary.Repeated += len(step.Observations) - 1
	}
	return nil
}

// inOrder plays every exchange, one after the other.
func (r *run) inOrder(ctx context.Context, source Source, sink Sink) error {
	last, begun, pass := 0, false, 0
	for e, err := range ahead.Of(source.Exchanges(), (*exchange.Exchange).Size) {
		if err != nil {
			return fmt.Errorf("replay: %w", err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.enter(ctx, e, &pass); err != nil {
			return err
		}
		if n := r.sequence(e); r.player.begin != nil && (!begun || n != last) {
			last, begun = n, true
			if err := r.player.begin(ctx, n); err != nil {
				return fmt.Errorf("begin the sequence of exchange %d: %w", e.Seq, err)
			}
			r.reached = false // a reset may have started the API anew
		}
		if err := r.one(ctx, e, sink); err != nil {
			return err
		}
	}
	return nil
}

// enter resets the API where a further pass begins that began so when it was recorded; pass is the one before. A run
// that goes on within such a pass finds the API as it left it.
func (r *run) enter(ctx context.Context, e *exchange.Exchange, pass *int) error {
	first := *pass == 0
	if e.Pass == *pass || first || r.player.Restarts == nil || !r.player.Restarts(e.Pass) || r.played(e.Seq) {
		*pass = e.Pass
		return nil
	}
	*pass = e.Pass
	if err := r.player.Reset.Within(ctx, r.player.ResetTimeout); err != nil {
		return fmt.Errorf("begin pass %d: %w", e.Pass, err)
	}
	r.reaching.Lock()
	r.reached = false // the reset may have started the API anew
	r.reaching.Unlock()
	return nil
}

// played reports whether an exchange was played before the run was cut off.
func (r *run) played(seq uint64) bool { return seq < uint64(len(r.before)) && r.before[seq] }

// sequence returns the number of the sequence that an exchange belongs to.
func (r *run) sequence(e *exchange.Exchange) int {
	if r.player.Order == nil {
		return 0
	}
	return r.player.Order.Sequence(e)
}

// one plays one exchange: plans it, sends it, and passes on what it answered.
func (r *run) one(ctx context.Context, e *exchange.Exchange, sink Sink) error {
	defer r.meter.step()
	if r.played(e.Seq) {
		return nil
	}
	if err := r.metro.wait(ctx, e.Start); err != nil {
		return err
	}
	st := r.plan(e)
	if st.skip != "" {
		r.note(func(s *Summary) { s.Skip(st.skip) })
		r.carrier.Learn(e.Seq, nil)
		return nil
	}
	if stray := undialed(e) && r.others; !stray {
		if err := r.reach(ctx, st.line.to); err != nil {
			return err
		}
	}
	first := true
	return r.sender(ctx, Sending{Exchange: e, Request: st.request, step: st}, func(o *exchange.Observation) error {
		if !first {
			r.note(func(s *Summary) { s.Repeated++ })
			return r.deliver(st, o, sink)
		}
		first = false
		return r.answered(ctx, st, o, sink)
	})
}

// transmit is the [Send] at the heart of all others.
func (r *run) transmit(ctx context.Context, s Sending, take func(*exchange.Observation) error) error {
	s.step.request, s.step.fresh, s.step.gate = s.Request, s.Fresh, s.gate
	o, err := r.send(ctx, s.step)
	if err != nil {
		return err
	}
	return take(o)
}

// answered takes in the answer that counts: it is asked for again where it may settle, learned from, and passed on.
func (r *run) answered(ctx context.Context, st *step, o *exchange.Observation, sink Sink) error {
	e := st.exchange
	learned, sequence := o.Response, r.sequence(e)
	if r.settler.worth(e, o, sequence) {
		var err error
		if learned, err = r.settle(ctx, st, o); err != nil {
			return err
		}
	}
	r.settler.noted(e, o, sequence)
	r.carrier.Learn(e.Seq, learned)
	r.note(func(s *Summary) { s.Note(e, o, sequence) })
	return r.deliver(st, o, sink)
}

// note changes the summary.
func (r *run) note(change func(*Summary)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.summary)
}

// deliver passes an observation on.
func (r *run) deliver(st *step, o *exchange.Observation, sink Sink) error {
	e := st.exchange
	if o.Fault != nil {
		r.log.Debug("step failed", "seq", e.Seq, "fault", o.Fault.String())
	}
	r.sinking.Lock()
	err := sink.Observe(o)
	r.sinking.Unlock()
	if err != nil {
		return fmt.Errorf("store what exchange %d answered: %w", e.Seq, err)
	}
	return r.watch(e, o, st.line.to)
}

// reach makes sure, once per run, that there is an API to play to.
func (r *run) reach(ctx context.Context, to endpoint) error {
	r.reaching.Lock()
	defer r.reaching.Unlock()
	if r.reached {
		return nil
	}
	var grace time.Duration
	if r.player.Reset != "" {
		grace = cmp.Or(r.player.Grace, defaultGrace)
	}
	for until := time.Now().Add(grace); ; {
		l, fault, err := r.dial(ctx, to)
		switch {
		case err != nil:
			return err
		case fault == nil:
			r.pool.put(line{to: to}, l)
			r.reached = true
			return nil
		case fault.Kind != exchange.FaultDial:
			return fmt.Errorf("replay to %s: %s", to, fault)
		case time.Now().After(until):
			return fmt.Errorf("replay to %s: %s: is the API running?", to, fault.Text)
		}
		if err := Pause(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
}

// dialed reports whether somebody was reached for any exchange of a recording. If so, those for which nobody was say
// nothing of the API: they are a client's word to a host that is not there, before its first to the API. The first that
// is dialed ends the look.
func dialed(source Source) bool {
	for e, err := range source.Exchanges() {
		if err != nil || !undialed(e) {
			return true // an error is met again, and told
		}
	}
	return false
}

// undialed reports whether nobody could be reached for an exchange when it was recorded.
func undialed(e *exchange.Exchange) bool { return e.Fault != nil && e.Fault.Kind == exchange.FaultDial }

// watch ends the run where the API seems to be gone.
func (r *run) watch(e *exchange.Exchange, o *exchange.Observation, to endpoint) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case o.Fault == nil || o.Fault.Kind != exchange.FaultDial:
		r.refused = 0
		return nil
	case undialed(e):
		return nil
	}
	if r.refused++; r.refused < maxRefused {
		return nil
	}
	return fmt.Errorf("replay to %s: the API is gone; %d connection attempts in a row failed, the last for exchange %d: %s",
		to, maxRefused, e.Seq, o.Fault.Text)
}
