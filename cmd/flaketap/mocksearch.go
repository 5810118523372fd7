package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/interrupt"
	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/mock/search"
	"github.com/flaketap/flaketap/mock/serve"
	"github.com/flaketap/flaketap/store"
)

func (t *tool) mockSearchCommand() *cli.Command {
	return &cli.Command{
		Name:      "search",
		Usage:     "find what an API does when its external services answer otherwise",
		UsageText: "flaketap mock search [--db FILE | --request 'GET /path' …] --start CMD --ready URL --out DIR [options]",
		Description: "Starts the API as mock serve does, sends it requests, and tries answers of the services that it calls: failures,\n" +
			"late answers, resets, fields that are absent, of another type, or have other values. Each behavior that is new is\n" +
			"written to DIR with the smallest stubs that reach it; what looks wrong is named. Ctrl-C ends it with what was found.",
		Flags: append(startFlags(), dbFlag(),
			&cli.GenericFlag{Name: "request", Value: &texts{}, Usage: "`REQUEST` to send, as 'GET /path' or 'POST /path BODY', in the place of a recording's"},
			&cli.StringFlag{Name: "reset", Usage: "`CMD or URL` that resets the API, before each trial"},
			resetTimeoutFlag(),
			&cli.StringFlag{Name: "words", Usage: "`DIR` of the API's own files, whose words may be names of fields, and values"},
			&cli.StringSliceFlag{Name: "spec", Usage: "`HOST=FILE`, an OpenAPI or Swagger description of a service, whose answers are tried first"},
			&cli.IntFlag{Name: "trials", Value: 1500, Usage: "`N`umber of requests that are sent at most"},
			&cli.DurationFlag{Name: "for", Usage: "`TIME` that the search takes at most, as 10m, beside --trials"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`SEED` that chooses the order of trials that are as good as each other"},
			&cli.DurationFlag{Name: "patience", Value: 3 * time.Second, Usage: "`TIME` within which the API has to answer"},
			&cli.StringFlag{Name: "coverage", Usage: "`CMD` that runs after each trial and prints what code has run, one item a line"},
			&cli.StringFlag{Name: "out", Usage: "`DIR` for the stubs of each behavior, and index.json"},
			forceFlag(), quietFlag(), logFlag()),
		Action: t.mockSearch,
	}
}

func (t *tool) mockSearch(c *cli.Context) error {
	o, err := t.mockSearchOptions(c)
	if err != nil {
		return err
	}
	return o.run(c.Context)
}

// mockSearchOptions is what the flags of mock search ask for.
type mockSearchOptions struct {
	search   search.Options
	serve    serve.Options
	within   time.Duration // 0: as long as there are trials
	coverage string
	of       string // what is searched, as it was asked for
	out      string
}

// run searches, and writes what is found. A folder of another search stays as it is.
func (o mockSearchOptions) run(ctx context.Context) (err error) {
	trials, err := serve.OpenTrials(o.serve, o.search.Patience)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, trials.Close()) }()
	trials.Coverage = o.coverage
	notebook, err := serve.OpenNotebook(o.out, o.of, trials)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, notebook.Close()) }()
	if notebook.Resume > 0 {
		o.serve.Console.Say("flaketap: going on behind %s that ran before", console.Count(notebook.Resume, "trial"))
	}
	if began := time.Now(); o.within > 0 {
		o.search.Used = func() float64 { return float64(time.Since(began)) / float64(o.within) }
	}
	progress := o.serve.Console.Progress("trials")
	o.search.Progress = progress.Update
	found, err := search.Run(ctx, notebook, o.search)
	progress.Clear()
	if interrupt.Of(ctx) != nil {
		o.serve.Console.Say("flaketap: the search was ended early")
		err = nil
	}
	return errors.Join(err, serve.WriteFound(o.out, found, o.search.Seed, o.serve.Console))
}

// mockSearchOptions reads the flags of mock search.
func (t *tool) mockSearchOptions(c *cli.Context) (o mockSearchOptions, err error) {
	level, err := logLevelOption(c)
	if err != nil {
		return o, err
	}
	o.out, o.within, o.coverage = c.String("out"), c.Duration("for"), c.String("coverage")
	o.search = search.Options{Trials: c.Int("trials"), Seed: c.Uint64("seed"), Patience: c.Duration("patience")}
	o.serve = serve.Options{Externals: serve.Externals{Log: t.logger(level)}, Console: t.consoleOptions(c)}
	switch {
	case c.String("start") == "":
		return o, needsStart("mock search")
	case o.out == "":
		return o, console.Usage(errors.New("mock search needs --out, the folder for what it finds"))
	case o.search.Trials < 1:
		return o, console.Usage(fmt.Errorf("--trials must be at least 1, got %d", o.search.Trials))
	case o.search.Patience <= 0:
		return o, console.Usage(fmt.Errorf("--patience must be a duration such as 3s, got %s", o.search.Patience))
	case o.within < 0:
		return o, console.Usage(fmt.Errorf("--for must be a duration such as 10m, got %s", o.within))
	}
	if err := outfile.CheckFolder(o.out); err != nil && !serve.HasNotebook(o.out) && !c.Bool("force") {
		return o, err
	}
	if o.serve.Service, o.serve.Reset, err = t.startOptions(c); err != nil {
		return o, err
	}
	if o.serve.Launch, err = mockLauncher(); err != nil {
		return o, err
	}
	if o.search.Requests, o.search.Samples, err = requestsOptions(c); err != nil {
		return o, err
	}
	described, err := describedServices(c.StringSlice("spec"))
	if err != nil {
		return o, err
	}
	o.search.Samples = append(described, o.search.Samples...)
	o.of = fmt.Sprint(c.String("start"), o.search.Requests, o.search.Seed, o.search.Patience, c.String("words"), c.StringSlice("spec"))
	if c.String("words") != "" {
		if o.search.Words, err = search.ReadWords(os.DirFS(c.String("words"))); err != nil {
			return o, err
		}
	}
	return o, nil
}

// requestsOptions are the requests to send, and, of a recording that is named, what services answered.
func requestsOptions(c *cli.Context) (all []search.Request, samples []search.Sample, err error) {
	if !c.IsSet("request") || c.IsSet("db") {
		if all, samples, err = readRecording(c.String("db")); err != nil {
			return nil, nil, err
		}
	}
	if c.IsSet("request") {
		all = nil
	}
	for _, text := range textsOf(c.Generic("request")) {
		r, ok := search.ParseRequest(text)
		if !ok {
			return nil, nil, console.Usage(fmt.Errorf("--request must be such as 'GET /path' or 'POST /path BODY', got %q", text))
		}
		all = append(all, r)
	}
	if len(all) == 0 {
		return nil, nil, fmt.Errorf("%s has no request that can be sent", c.String("db"))
	}
	return all, samples, nil
}

// readRecording reads the requests of a recording, one of each operation, and the good answers of services.
func readRecording(path string) ([]search.Request, []search.Sample, error) {
	db, err := store.OpenReadOnly(path)
	if err != nil {
		return nil, nil, noRecording(err)
	}
	defer db.Close()
	var all []*exchange.Exchange
	for e, err := range store.Readable(db.Exchanges(), func(*store.DamageError) {}) {
		if err != nil {
			return nil, nil, fmt.Errorf("read recording: %w", err)
		}
		all = append(all, e)
	}
	var externals []*exchange.External
	for x, err := range store.Readable(db.Externals(), func(*store.DamageError) {}) {
		if err != nil {
			return nil, nil, fmt.Errorf("read recording: %w", err)
		}
		externals = append(externals, x)
	}
	return search.Recorded(all), search.RecordedSamples(externals), nil
}
