package serve

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock"
	"github.com/flaketap/flaketap/mock/coverage"
	"github.com/flaketap/flaketap/mock/hooks"
	"github.com/flaketap/flaketap/mock/search"
	"github.com/flaketap/flaketap/mock/search/kind"
	"github.com/flaketap/flaketap/replay/service"
)

// Trials runs an API under changing stubs, one trial at a time. It is used by one goroutine.
type Trials struct {
	o        Options
	led      *Led
	api      *service.Instance // nil where it has to be started
	hooks    *hooks.Hooks      // nil where there are none
	warm     warmer
	patience time.Duration
	// Coverage tells after each trial what code has run; nil: nothing does.
	Coverage coverage.Source
	covered  map[string]bool // what it has told
}

// OpenTrials prepares trials of the API that the options name; their Command is not used, and their Stubs are
// replaced by those of each trial. patience is the time within which the API has to answer. Close ends what the
// trials started.
func OpenTrials(ctx context.Context, o Options, patience time.Duration) (*Trials, error) {
	led, err := o.Lead(ctx, o.Service, nil)
	if err != nil {
		return nil, err
	}
	led.server.Journal = &mock.Journal{Hold: heldForTrials}
	led.server.Once = true // clients send again what fails on a connection that an earlier trial left, and only there
	return &Trials{o: o, led: led, patience: patience, covered: map[string]bool{}}, nil
}

// Hook has an API in Node, Python or the JVM tell which fields it reads of what services answer, from its next start
// on.
func (t *Trials) Hook() (err error) {
	agent := hooks.FindAgent(t.o.Self[0])
	if t.hooks, err = hooks.Install(filepath.Join(t.led.dir, "hooks"), agent); err != nil {
		return err
	}
	if agent == "" {
		t.o.Console.Say("flaketap: --hooks: an API in the JVM tells nothing, as flaketap-hooks.jar is not beside the program; releases have it, and `make agent` builds it")
	}
	t.o.Service.Env = t.hooks.Variables(t.o.Service.Env)
	t.led.server.Mark = t.hooks.Mark
	return nil
}

// Close ends the API.
func (t *Trials) Close() error { return errors.Join(t.stop(), t.led.Close()) }

func (t *Trials) stop() error {
	if t.api == nil {
		return nil
	}
	api := t.api
	t.api = nil
	defer t.led.server.Distrusts.Ended()
	return api.Stop()
}

// Ready starts the API where it is not there.
func (t *Trials) Ready(ctx context.Context) (err error) {
	if t.api != nil {
		return nil
	}
	if t.api, err = t.o.Service.Start(ctx); err == nil && t.api.Base() == nil {
		err = errors.New("the address of the API is not known: --start needs {port}, or --ready a URL")
	}
	return err
}

// startWarm starts the API, and warms it up.
func (t *Trials) startWarm(ctx context.Context) error {
	if err := t.Ready(ctx); err != nil {
		return err
	}
	return warm(ctx, t.api.Base(), t.led.server, t.api.Reset(t.o.Reset), t.warm.requests)
}

// Anew has the API be started anew for the next trial.
func (t *Trials) Anew() error { return t.stop() }

// Try runs a trial: the API is put back to its start, and started anew where the trial before it ended or hung it.
func (t *Trials) Try(ctx context.Context, trial search.Trial) (out search.Outcome, err error) {
	stubs, err := mock.ParseStubs(trial.Stubs, mock.NoFile)
	if err != nil {
		return out, err
	}
	if t.api == nil {
		if err := t.startWarm(ctx); err != nil {
			return out, err
		}
	}
	if err := t.api.Reset(t.o.Reset).Run(ctx); err != nil {
		return out, err
	}
	t.led.server.Book.Replace(stubs)
	t.led.server.Calls.Take() // those that nobody asked for
	t.led.server.Journal.Clear()
	if t.hooks != nil {
		if err := t.hooks.Begin(trial.Watched); err != nil {
			return out, err
		}
	}
	logged := t.api.LogSize()
	asked, err := ask(ctx, t.api.Base(), trial.Request, cmp.Or(trial.Wait, t.patience))
	if err != nil {
		return out, err
	}
	out = outcome(asked)
	out.Took = asked.Latency
	out.Log = t.api.LogSince(logged)
	noted := t.led.server.Journal.Noted()
	out.Record = []*exchange.Exchange{asked, journaled(asked, noted)}
	out.Calls = callsOf(t.led.server.Calls.Take(), noted.Calls)
	t.warm.note(trial, out, noted.Calls)
	if out.Reads, err = t.reads(); err != nil {
		return out, err
	}
	if out.Covered, err = t.newlyCovered(ctx); err != nil {
		return out, err
	}
	if out.End != search.Answered {
		return out, t.stop()
	}
	return out, nil
}

// callsOf are calls with what was sent.
func callsOf(counted []mock.Counted, noted []mock.Asked) (out []search.Call) {
	sent := sentBy(noted)
	for _, c := range counted {
		out = append(out, search.Call{Service: c.Service, Scheme: c.Scheme, Method: c.Method, Target: c.Target,
			Status: c.Status, Times: c.Times, Sent: sent[sender{c.Service, c.Method, c.Target}]})
	}
	return out
}

// sender is what a body was sent to.
type sender struct{ service, method, target string }

// sentBy tells the bodies apart that were sent to each: in all its calls.
func sentBy(calls []mock.Asked) map[sender]string {
	bodies := map[sender][]byte{}
	for _, c := range calls {
		if c.Body != nil {
			to, body := sender{c.Service, c.Method, c.Target}, c.Body
			if same, ok := exchange.CanonicalJSON(body); ok { // some programs order members anew each time that they start
				body = same
			}
			bodies[to] = append(append(bodies[to], body...), '\n')
		}
	}
	out := map[sender]string{}
	for to, all := range bodies {
		sum := sha256.Sum256(all)
		out[to] = hex.EncodeToString(sum[:4])
	}
	return out
}

// reads are what hooks told since the trial began.
func (t *Trials) reads() (out []search.Read, err error) {
	if t.hooks == nil {
		return nil, nil
	}
	all, err := t.hooks.Reads()
	for _, r := range all {
		out = append(out, search.Read{Method: r.Call.Method, Service: r.Call.Service, Target: r.Call.Target, Place: r.Place,
			Kind: kind.Named(r.Kind), Value: r.Value})
	}
	return out, err
}

// newlyCovered are the items of code that have run, and had not in any trial before: the others tell nothing, and a
// notebook with all of them would be large.
func (t *Trials) newlyCovered(ctx context.Context) (out []string, err error) {
	if t.Coverage == nil {
		return nil, nil
	}
	all, err := t.Coverage.Covered(ctx)
	if err != nil {
		return nil, fmt.Errorf("--coverage: %w", err)
	}
	for _, item := range all {
		if !t.covered[item] && len(t.covered) < maxCovered {
			t.covered[item] = true
			out = append(out, item)
		}
	}
	return out, nil
}

// maxCovered bounds the items of code that are known to have run.
const maxCovered = 2_000_000
