package serve

import (
	"context"
	"errors"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock"
	"github.com/flaketap/flaketap/mock/search"
	"github.com/flaketap/flaketap/replay/service"
)

// Trials runs an API under changing stubs, one trial at a time. It is used by one goroutine.
type Trials struct {
	o        Options
	led      *Led
	api      *service.Instance // nil where it has to be started
	patience time.Duration
	// Coverage is a command that runs after each trial, and prints what code has run, one item a line; "" for none.
	Coverage string
}

// OpenTrials prepares trials of the API that the options name; their Command is not used, and their Stubs are
// replaced by those of each trial. patience is the time within which the API has to answer. Close ends what the
// trials started.
func OpenTrials(o Options, patience time.Duration) (*Trials, error) {
	led, err := o.Lead(o.Service, nil)
	if err != nil {
		return nil, err
	}
	led.server.Journal = &mock.Journal{Hold: heldForTrials}
	return &Trials{o: o, led: led, patience: patience}, nil
}

// Close ends the API.
func (t *Trials) Close() error { return errors.Join(t.stop(), t.led.Close()) }

func (t *Trials) stop() error {
	if t.api == nil {
		return nil
	}
	api := t.api
	t.api = nil
	return api.Stop()
}

// Try runs a trial: the API is put back to its start, and started anew where the trial before it ended or hung it.
func (t *Trials) Try(ctx context.Context, trial search.Trial) (out search.Outcome, err error) {
	stubs, err := mock.ParseStubs(trial.Stubs, mock.NoFile)
	if err != nil {
		return out, err
	}
	if t.api == nil {
		if t.api, err = t.o.Service.Start(ctx); err != nil {
			return out, err
		}
		if t.api.Target() == nil {
			return out, errors.New("the address of the API is not known: --start needs {port}, or --ready a URL")
		}
	}
	if err := t.api.Reset(t.o.Reset).Run(ctx); err != nil {
		return out, err
	}
	t.led.server.Book.Replace(stubs)
	t.led.server.Calls.Take() // those that nobody asked for
	t.led.server.Journal.Clear()
	logged := t.api.LogSize()
	asked, err := ask(ctx, t.api.Target(), trial.Request, t.patience)
	if err != nil {
		return out, err
	}
	out = outcome(asked)
	out.Log = t.api.LogSince(logged)
	out.Record = []*exchange.Exchange{asked, journaled(asked, t.led.server.Journal.JSON())}
	for _, c := range t.led.server.Calls.Take() {
		out.Calls = append(out.Calls, search.Call{Service: c.Service, Method: c.Method, Target: c.Target,
			Status: c.Status, Times: c.Times})
	}
	if t.Coverage != "" {
		if out.Covered, err = covered(ctx, t.Coverage); err != nil {
			return out, err
		}
	}
	if out.End != search.Answered {
		return out, t.stop()
	}
	return out, nil
}
