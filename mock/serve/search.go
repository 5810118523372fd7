package serve

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/interrupt"
	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/mock/coverage"
	"github.com/flaketap/flaketap/mock/search"
	"github.com/flaketap/flaketap/mock/search/whole"
)

// SearchOptions say what is searched, and where what is found goes.
type SearchOptions struct {
	Search   search.Options
	Serve    Options       // its Command sends requests meanwhile, which are searched, too
	Within   time.Duration // after which no trial begins but those that prove what was found; 0: there is no such time
	Coverage string        // what tells which code has run, as coverage.Open reads it; "" for nothing
	Hooks    bool          // an API in Node, Python or the JVM tells which fields it reads
	Of       string        // what is searched, as it was asked for: another search is not gone on with
	Out      string        // a folder; that of another search stays as it is
	// Open opens what runs the trials; nil opens one API here.
	Open func(context.Context) (Runs, error)
}

// Check finds mistakes in what is asked for, and refuses a folder that nothing can be written into.
func (o *SearchOptions) Check() error {
	switch {
	case o.Out == "":
		return console.Usage(errors.New("mock search needs --out, the folder for what it finds"))
	case o.Search.Trials < 1:
		return console.Usage(fmt.Errorf("--trials must be at least 1, got %d", o.Search.Trials))
	case o.Search.Patience <= 0:
		return console.Usage(fmt.Errorf("--patience must be a duration such as 3s, got %s", o.Search.Patience))
	case o.Within < 0:
		return console.Usage(fmt.Errorf("--for must be a duration such as 10m, got %s", o.Within))
	}
	return outfile.CheckWritable(o.Out) // also where an earlier search left files that this one goes on with
}

// Runs is what runs the trials of a search until it is closed.
type Runs interface {
	search.API
	Close() error
}

// Search starts the API, searches, and writes what is found. One that is interrupted writes what it has found, and the
// next one with the same folder goes on from there.
func Search(ctx context.Context, o SearchOptions) (err error) {
	if o.Open == nil {
		o.Open = o.openHere
	}
	trials, err := o.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, trials.Close()) }()
	notebook, err := OpenNotebook(o.Out, o.Of, trials)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, notebook.Close()) }()
	if o.Search.Trials < notebook.Resume {
		return console.Usage(fmt.Errorf("--trials %d would find less than the %d trials that %s has had: give more, or another --out",
			o.Search.Trials, notebook.Resume, o.Out))
	}
	if notebook.Resume > 0 {
		o.Serve.Console.Say("flaketap: going on behind %s of an earlier search, whose outcomes are kept in %s",
			console.Count(notebook.Resume, "trial"), o.Out)
	}
	began := time.Now()
	if o.Within > 0 {
		searching := o.Within - o.Within/(forWhole+1)
		o.Search.Used = func() float64 { return float64(time.Since(began)) / float64(searching) }
	}
	found, err := o.run(ctx, trials, notebook, began)
	if interrupt.Of(ctx) != nil {
		o.Serve.Console.Say("flaketap: the search was ended early; the same command goes on with it")
		err = nil
	}
	if err != nil && len(found.Behaviors) == 0 {
		return err
	}
	if here, ok := trials.(*Trials); ok {
		o.tellUnheard(here.led.Report(), found)
	}
	written := WriteFound(o.Out, found, o.Search.Seed, o.Serve.Console)
	if errors.Is(written, errNone) && interrupt.Of(ctx) != nil { // who ended it knows
		o.Serve.Console.Say("flaketap: %s", written)
		written = nil
	}
	return errors.Join(err, written)
}

// tellUnheard says which connections no stub could answer: of a database, say, which would have to be at localhost.
func (o *SearchOptions) tellUnheard(r Report, found search.Result) {
	asked := map[string]bool{}
	for _, b := range found.Behaviors {
		for _, c := range b.Calls {
			asked[c.Service] = true
		}
	}
	var lines strings.Builder
	if err := r.unheard(&lines, func(service string) bool { return asked[service] }); err != nil || lines.Len() == 0 {
		return
	}
	o.Serve.Console.Say("%s", strings.TrimSuffix(lines.String(), "\n"))
}

// run searches, beside a command where there is one, and waits for its end.
func (o *SearchOptions) run(
	ctx context.Context, trials search.API, notebook *Notebook, began time.Time,
) (found search.Result, err error) {
	var f *fuzzer
	if len(o.Serve.Command) > 0 {
		if f, err = startFuzzer(ctx, o, trials, notebook.Resume); err != nil {
			return found, err
		}
		o.Search.More = f
	}
	progress := o.Serve.Console.Progress("trials")
	o.Search.Progress = progress.Update
	found, err = search.Run(ctx, notebook, o.Search)
	progress.Clear()
	if err == nil {
		progress = o.Serve.Console.Progress("trials for whole answers") // which has a pace of its own
		err = o.fill(ctx, notebook, found, began, progress.Update)
		progress.Clear()
	}
	if f != nil {
		err = errors.Join(err, f.Close())
		f.tell(o.Serve.Console)
	}
	return found, err
}

// fill finds stubs whose answers are whole, in the time that is left: a trial that is under way then is ended.
func (o *SearchOptions) fill(
	ctx context.Context, notebook *Notebook, found search.Result, began time.Time, progress func(done, total int),
) error {
	limited := ctx
	if o.Within > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithDeadline(ctx, began.Add(o.Within))
		defer cancel()
	}
	err := whole.Fill(limited, notebook, found, o.Search.Trials/forWhole, progress)
	if ctx.Err() == nil && limited.Err() != nil { // whatever a trial says that was ended, as of a program that was killed
		return nil
	}
	return err
}

// forWhole is the part of a search's trials that is added to them for stubs whose answers are whole: a fifth. A time
// has both within it.
const forWhole = 5

// openHere opens one API here.
func (o *SearchOptions) openHere(ctx context.Context) (Runs, error) {
	var covers coverage.Source
	if o.Coverage != "" {
		var err error
		if covers, err = coverage.Open(o.Coverage); err != nil {
			return nil, console.Usage(fmt.Errorf("--coverage: %w", err))
		}
	}
	trials, err := OpenTrials(ctx, o.Serve, o.Search.Patience)
	if err != nil {
		return nil, err
	}
	trials.Coverage = covers
	if o.Hooks {
		if err := trials.Hook(); err != nil {
			return nil, errors.Join(err, trials.Close())
		}
	}
	return trials, nil
}
