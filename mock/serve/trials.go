package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/flaketap/flaketap/mock"
	"github.com/flaketap/flaketap/mock/search"
	"github.com/flaketap/flaketap/replay/service"
)

// Trials runs an API under changing stubs, one trial at a time. It is used by one goroutine.
type Trials struct {
	run      *run
	api      *service.Instance // nil where it has to be started
	client   *http.Client
	patience time.Duration
}

// OpenTrials prepares trials of the API that the options name; their Stubs and their Command are not used.
// patience is the time within which the API has to answer. Close ends what the trials started.
func OpenTrials(o Options, patience time.Duration) (*Trials, error) {
	r, err := open(o, nil)
	if err != nil {
		return nil, err
	}
	return &Trials{run: r, patience: patience, client: &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// Close ends the API.
func (t *Trials) Close() error { return errors.Join(t.stop(), t.run.close()) }

func (t *Trials) stop() error {
	if t.api == nil {
		return nil
	}
	api := t.api
	t.api = nil
	return api.Stop()
}

// maxAnswer bounds what of an answer is looked at.
const maxAnswer = 1 << 20

// Try runs a trial: the API is put back to its start, and started anew where the trial before it ended or hung it.
func (t *Trials) Try(ctx context.Context, trial search.Trial) (out search.Outcome, err error) {
	noFile := func(name string) ([]byte, error) { return nil, fmt.Errorf("no file %s", name) }
	stubs, err := mock.ParseStubs(trial.Stubs, noFile)
	if err != nil {
		return out, err
	}
	if t.api == nil {
		if t.api, err = t.run.o.Service.Start(ctx); err != nil {
			return out, err
		}
		if t.api.Target() == nil {
			return out, errors.New("the address of the API is not known: --start needs {port}, or --ready a URL")
		}
	}
	if err := t.api.Reset(t.run.o.Reset).Run(ctx); err != nil {
		return out, err
	}
	t.run.server.Book.Replace(stubs)
	t.run.server.Calls.Take() // those that nobody asked for
	out, err = t.ask(ctx, trial.Request)
	if err != nil {
		return out, err
	}
	for _, c := range t.run.server.Calls.Take() {
		out.Calls = append(out.Calls, search.Call{Service: c.Service, Method: c.Method, Target: c.Target, Status: c.Status,
			Times: c.Times})
	}
	if out.End != search.Answered {
		return out, t.stop()
	}
	return out, nil
}

// ask sends a request; that the API does not answer it is an outcome.
func (t *Trials) ask(ctx context.Context, r search.Request) (out search.Outcome, err error) {
	within, cancel := context.WithTimeout(ctx, t.patience)
	defer cancel()
	base := *t.api.Target()
	req, err := http.NewRequestWithContext(within, r.Method, base.Scheme+"://"+base.Host+r.Target, bytes.NewReader(r.Body))
	if err != nil {
		return out, fmt.Errorf("make request: %w", err)
	}
	for name, value := range r.Header {
		req.Header.Set(name, value)
	}
	resp, err := t.client.Do(req)
	if err == nil {
		defer resp.Body.Close()
		out.Status = resp.StatusCode
		out.Body, err = io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	}
	switch {
	case ctx.Err() != nil:
		return out, ctx.Err()
	case within.Err() != nil:
		return search.Outcome{End: search.Hung}, nil
	case err != nil:
		return search.Outcome{End: search.Broke}, nil
	}
	return out, nil
}
