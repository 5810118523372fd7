package replay

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"iter"
	"log/slog"
	"net"
	"net/url"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
)

// Source gives the exchanges to play, in recorded order. An error ends the run.
type Source interface {
	Exchanges() iter.Seq2[*exchange.Exchange, error]
}

// Sink takes what each step answered, in the order in which the steps were played. Run is not set in what it gets. An
// error ends the run.
type Sink interface {
	Observe(*exchange.Observation) error
}

// Player plays recordings. The zero Player plays to where each exchange was recorded. One Player may play any number
// of runs, one after the other.
type Player struct {
	// Target is the API to play to: its scheme, host and port. nil means that each request goes to the address that it
	// went to when it was recorded. Without a target, or with the recorded one, the Host of every request stays as it
	// was; with another, Hosts that named the recorded target name the new one.
	Target *url.URL
	// Recorded is the address of the recorded target. With a Target, what went anywhere else is skipped: what a client
	// told other hosts is not for the target. "" means that everything goes to the Target.
	Recorded string
	// Recorders are the addresses at which a recorder stood in the API's place. A Host that names one was an accident
	// of the recording: it becomes the API's own, as a client without a recorder would send it.
	Recorders []string
	// Again says how many further times in a row an exchange's request is sent, for a run of kind exchange.RunRepeat;
	// nil means never. The sink gets each answer; the summary and the values to carry over are of the first alone.
	Again func(*exchange.Exchange) int
	// Reset is executed before the run; the empty Reset does nothing.
	Reset Reset
	// Bindings are the values to carry over, as flow.Bindings finds them.
	Bindings []exchange.Binding
	// Credentials are sent where the recording holds the tokens of secrets, and no binding gave a value.
	Credentials flow.Credentials
	// Timeout bounds one exchange from its first byte to its last; 0 means 30 s.
	Timeout time.Duration
	// Grace is how long the API may take after a reset until it accepts connections; 0 means 10 s.
	Grace time.Duration
	// TLS is the configuration for https targets; nil means that the certificate is verified against the system's roots.
	TLS *tls.Config
	// Dial makes connections to targets; nil is net.Dialer's. ctx ends with the time that a connection may take.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	// Total is the number of exchanges in the source, for Progress alone; 0 where it is not known.
	Total int
	// Progress, if not nil, is told how far the run is: a few times per second, and at the end.
	Progress func(Progress)
	// Log gets what people may want to know of single steps; nil discards it.
	Log *slog.Logger
}

const (
	defaultTimeout = 30 * time.Second
	defaultGrace   = 10 * time.Second
	// maxRefused is how many dials in a row may fail before a run stops: the API is gone then.
	maxRefused = 3
)

// Play executes one run: the reset, then every exchange of source in order, one at a time. It returns when all are
// played, when ctx ends, when source or sink fail, or when the target cannot be reached: at the beginning at once,
// later after a few dials in a row. Whatever was observed until then is with the sink, and in the summary.
func (p *Player) Play(ctx context.Context, source Source, sink Sink) (Summary, error) {
	if err := checkTarget(p.Target); err != nil {
		return Summary{}, err
	}
	if err := p.Reset.Run(ctx); err != nil {
		return Summary{}, err
	}
	r := newRun(p)
	defer r.close()
	err := r.all(ctx, source, sink)
	r.meter.finish()
	r.summary.Unresolved = r.carrier.Unresolved()
	r.summary.Elapsed = r.meter.elapsed()
	return r.summary, err
}

func checkTarget(u *url.URL) error {
	switch {
	case u == nil:
		return nil
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("replay to %s: the scheme must be http or https", u.Redacted())
	case u.Hostname() == "":
		return fmt.Errorf("replay to %s: there is no host in it", u.Redacted())
	}
	return nil
}

// run is the state of one run.
type run struct {
	player  *Player
	timeout time.Duration
	log     *slog.Logger
	carrier *flow.Carrier
	links   map[endpoint]*link
	meter   *meter
	summary Summary
	reached bool // the target has accepted a connection
	others  bool // the recording has exchanges for which somebody was reached
	refused int  // dials in a row that failed
}

func newRun(p *Player) *run {
	return &run{
		player:  p,
		timeout: cmp.Or(p.Timeout, defaultTimeout),
		log:     cmp.Or(p.Log, slog.New(slog.DiscardHandler)),
		carrier: flow.NewCarrier(p.Bindings),
		links:   map[endpoint]*link{},
		meter:   newMeter(p.Total, p.Progress),
	}
}

// all plays every exchange.
func (r *run) all(ctx context.Context, source Source, sink Sink) error {
	r.others = dialed(source)
	for e, err := range source.Exchanges() {
		if err != nil {
			return fmt.Errorf("replay: %w", err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.one(ctx, e, sink); err != nil {
			return err
		}
		r.meter.step()
	}
	return nil
}

// one plays one exchange: plans it, sends it, and passes on what it answered.
func (r *run) one(ctx context.Context, e *exchange.Exchange, sink Sink) error {
	st := r.plan(e)
	if st.skip != "" {
		r.summary.skip(st.skip)
		r.carrier.Learn(e.Seq, nil)
		return nil
	}
	if stray := undialed(e) && r.others; !stray {
		if err := r.reach(ctx, st.to); err != nil {
			return err
		}
	}
	o, err := r.send(ctx, st)
	if err != nil {
		return err
	}
	r.carrier.Learn(e.Seq, o.Response)
	r.summary.note(e, o)
	if err := r.deliver(st, o, sink); err != nil || r.player.Again == nil {
		return err
	}
	for range r.player.Again(e) {
		if o, err = r.send(ctx, st); err != nil {
			return err
		}
		r.summary.Repeated++
		if err := r.deliver(st, o, sink); err != nil {
			return err
		}
	}
	return nil
}

// deliver passes an observation on.
func (r *run) deliver(st *step, o *exchange.Observation, sink Sink) error {
	e := st.exchange
	if o.Fault != nil {
		r.log.Debug("step failed", "seq", e.Seq, "fault", o.Fault.String())
	}
	if err := sink.Observe(o); err != nil {
		return fmt.Errorf("store what exchange %d answered: %w", e.Seq, err)
	}
	return r.watch(e, o, st.to)
}

// reach makes sure, once per run, that there is an API to play to.
func (r *run) reach(ctx context.Context, to endpoint) error {
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
			r.links[to], r.reached = l, true
			return nil
		case fault.Kind != exchange.FaultDial:
			return fmt.Errorf("replay to %s: %s", to, fault)
		case time.Now().After(until):
			return fmt.Errorf("replay to %s: %s: is the API running?", to, fault.Text)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// dialed reports whether somebody was reached for any exchange of a recording. If so, those for which nobody was say
// nothing of the API: they are a client's word to a host that is not there, before its first to the API. The first that is
// dialed ends the look.
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
	return fmt.Errorf("replay to %s: the API has gone, the last of %d dials in a row was for exchange %d: %s",
		to, maxRefused, e.Seq, o.Fault.Text)
}

func (r *run) close() {
	for _, l := range r.links {
		l.close()
	}
}
