package replay

import (
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
	"github.com/flaketap/flaketap/replay/service"
)

// Source gives the exchanges to play, in recorded order. An error ends the run.
type Source interface {
	Exchanges() iter.Seq2[*exchange.Exchange, error]
}

// Sink takes what each step answered, in the order in which the answers came; it is called by one goroutine at a time.
// Run is not set in what it gets. An error ends the run.
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
	// Workers is how many sequences are played at once. With 0 or 1 the recorded order is kept strictly; with more,
	// only within each sequence, and between a response and the requests that carry a value of it over.
	Workers int
	// Order says which sequence an exchange belongs to, and which requests were the last on the connection that carried
	// them: requests that shared a connection share one again, and what had one of its own has. nil means that all are
	// one sequence, and that a connection is kept as long as the API keeps it, whatever the recording did.
	Order *flow.Order
	// Pace says when requests are sent; the zero Pace: as fast as answers come.
	Pace Pace
	// Skip, if not nil, says why an exchange is not to be sent; "" where it is.
	Skip func(*exchange.Exchange) string
	// Around is put around the sending of each request, the first outermost: how an experiment changes what is sent,
	// when and how often, see package experiment.
	Around []Around
	// Settle is how long a read that follows a write may take to answer as recorded: one that does not at once is asked
	// again for that long, and its observation says what became of it (exchange.Settling). What is carried over is of
	// the last answer. 0 means that nothing is asked again.
	Settle time.Duration
	// Later, if not nil, gives what was recorded behind an exchange, in order. With it, a read that answers what a
	// later one of its kind was answered is not asked again: the API is further than it was when it was recorded.
	Later func(seq uint64) iter.Seq2[*exchange.Exchange, error]
	// Earlier is what the run observed before it was cut off, where it goes on now; nil for a new run. Those steps are
	// not sent again, and what they answered is carried over as if it had come now.
	Earlier iter.Seq2[exchange.Step, error]
	// Service, if not nil, is the API: each run starts it anew, before the reset, and stops it at the end. Where its
	// port is chosen, that is the target, and {port} in Reset is the port.
	Service *service.Service
	// Reset is executed before the run; the empty Reset does nothing.
	Reset service.Reset
	// ResetEach has the Reset executed before each sequence. It wants a Source that gives sequences one after the
	// other, and no more than one worker.
	ResetEach bool
	// ResetTimeout bounds each reset; 0 means 60 s.
	ResetTimeout time.Duration
	// Restarts reports whether a pass began where the API was reset or new: it begins with the reset here too. nil
	// means that the reset before the run is the only one.
	Restarts func(pass int) bool
	// Bindings are the values to carry over, as flow.Bindings finds them.
	Bindings []exchange.Binding
	// Credentials are sent where the recording holds the tokens of secrets, and no binding gave a value.
	Credentials flow.Credentials
	// Lapsed are the values of credentials that earlier runs were refused with: Credentials are sent in their place, too.
	Lapsed map[string]bool
	// Timeout bounds one exchange from its first byte to its last; 0 means 30 s.
	Timeout time.Duration
	// Grace is how long the API may take after a reset until it accepts connections; 0 means 10 s.
	Grace time.Duration
	// TLS is the configuration for https targets; nil means that the certificate is verified against the system's
	// roots.
	TLS *tls.Config
	// Dial makes connections to targets; nil is net.Dialer's. ctx ends with the time that a connection may take.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	// Total is the number of exchanges in the source, for Progress alone; 0 where it is not known.
	Total int
	// Progress, if not nil, is told how far the run is: a few times per second, and at the end.
	Progress func(Progress)
	// Log gets what people may want to know of single steps; nil discards it.
	Log *slog.Logger

	// begin, if not nil, is called before the first step of each sequence, with its number, as ResetEach asks for; an
	// error ends the run.
	begin func(ctx context.Context, sequence int) error
}

const (
	defaultTimeout = 30 * time.Second
	defaultGrace   = 10 * time.Second
	// maxRefused is how many dials in a row may fail before a run stops: the API is gone then.
	maxRefused = 3
)

// Renewal is what takes the place of credentials.
func (p *Player) Renewal() flow.Renewal {
	return flow.Renewal{Credentials: p.Credentials, Lapsed: p.Lapsed}
}

// Play executes one run: the reset, then every exchange of source, in order. It returns when all are played, when ctx
// ends, when source or sink fail, or when the target cannot be reached: at the beginning at once, later after a few
// dials in a row. Whatever was observed until then is with the sink, and in the summary.
func (p *Player) Play(ctx context.Context, source Source, sink Sink) (Summary, error) {
	if err := checkTarget(p.Target); err != nil {
		return Summary{}, err
	}
	if p.Service != nil {
		return p.playServed(ctx, source, sink)
	}
	if p.ResetEach {
		return p.resettingEach().Play(ctx, source, sink)
	}
	if p.Earlier == nil { // else the API is to be as the first part of the run left it
		if err := p.Reset.Within(ctx, p.ResetTimeout); err != nil {
			return Summary{}, err
		}
	}
	r := newRun(p)
	defer r.pool.close()
	play := r.inOrder
	if p.Workers > 1 && p.begin == nil {
		play = r.atOnce
	}
	r.others = dialed(source)
	err := r.goOn()
	if err == nil {
		err = play(ctx, source, sink)
	}
	r.meter.finish()
	r.summary.Unresolved = r.carrier.Unresolved()
	r.summary.Elapsed = r.meter.elapsed()
	return r.summary, err
}

// Recorders are the addresses at which the recorder of a recording stood in its target's place, see [Player].
func Recorders(recording exchange.Recording) []string {
	var all []string
	for _, pass := range recording.Passes {
		if pass.Target != "" && pass.Listen != "" {
			all = append(all, pass.Listen)
		}
	}
	return all
}

func checkTarget(u *url.URL) error {
	switch {
	case u == nil:
		return nil
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("replay to %s: the scheme must be http or https", u.Redacted())
	case u.Hostname() == "":
		return fmt.Errorf("replay to %s: the host is missing", u.Redacted())
	}
	return nil
}
