package trials

import (
	"context"
	"errors"

	"github.com/flaketap/flaketap/capture/hub"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/mock/search"
	"github.com/flaketap/flaketap/mock/serve"
	"github.com/flaketap/flaketap/replay/queue"
	"github.com/flaketap/flaketap/suite/workers"
)

// Options say how the trials of a search are run.
type Options struct {
	Serve serve.Options // see [serve.OpenTrials]
	Hooks bool          // see [serve.Trials.Hook]
	// Search has the bound of an answer.
	Search search.Options
}

// Arrange has the trials of a search be run by n instances of the API at once, or by the workers that are found by a
// link, where there is one, and share a key. It refuses what cannot go at once.
func Arrange(o *serve.SearchOptions, n int, l *hub.Link, key *queue.Key) error {
	if n == 1 {
		return nil
	}
	if o.Coverage != "" {
		return console.Usage(errors.New("use either --coverage or --workers, not both: what code has run is told of one API, " +
			"in the order of its trials"))
	}
	beside := workers.Conditions{Service: o.Serve.Service, Reset: string(o.Serve.Reset)}
	if err := beside.Check(n, o.Serve.Console); err != nil {
		return err
	}
	own := Options{Serve: o.Serve, Hooks: o.Hooks, Search: o.Search}
	o.Open = func(ctx context.Context) (serve.Runs, error) {
		if l != nil {
			return OpenHub(ctx, own, l, key)
		}
		return OpenHere(ctx, own, n)
	}
	return nil
}

// open opens one instance of the API.
func (o *Options) open(ctx context.Context) (*serve.Trials, error) {
	own := o.Serve
	api := *own.Service // which what leads it, and hooks, change
	own.Service = &api
	t, err := serve.OpenTrials(ctx, own, o.Search.Patience)
	if err != nil || !o.Hooks {
		return t, err
	}
	if err := t.Hook(); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// Here are several instances of an API on this machine. Close ends them.
type Here struct {
	*Ahead
	console *console.Console
	all     []*serve.Trials
	free    chan *serve.Trials
}

// OpenHere prepares so many instances.
func OpenHere(ctx context.Context, o Options, n int) (*Here, error) {
	h := &Here{console: o.Serve.Console, free: make(chan *serve.Trials, n)}
	o.Serve.Together()
	h.Ahead = NewAhead(h.run, n)
	for range n {
		one, err := o.open(ctx)
		if err != nil {
			return nil, errors.Join(err, h.Close())
		}
		h.all = append(h.all, one)
		h.free <- one
	}
	return h, nil
}

// run runs a trial on an instance that has nothing to do.
func (h *Here) run(ctx context.Context, t search.Trial) (out search.Outcome, err error) {
	select {
	case <-ctx.Done():
		return out, ctx.Err()
	case one := <-h.free:
		defer func() { h.free <- one }()
		return one.Try(ctx, t)
	}
}

// Close ends the instances.
func (h *Here) Close() (err error) {
	tellVain(h.console, h.Ahead.Close())
	for _, one := range h.all {
		err = errors.Join(err, one.Close())
	}
	return err
}

// tellVain says how many trials were run that the search did not get to.
func tellVain(c *console.Console, n int) {
	if n > 0 {
		c.Say("flaketap: %s more ran ahead, and the search did not get there", console.Count(n, "trial"))
	}
}
