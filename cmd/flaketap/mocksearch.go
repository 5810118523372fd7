package main

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/flaketap/flaketap/internal/cmdline"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/mock/archive"
	"github.com/flaketap/flaketap/mock/described"
	"github.com/flaketap/flaketap/mock/ownfiles"
	"github.com/flaketap/flaketap/mock/search"
	"github.com/flaketap/flaketap/mock/serve"
	"github.com/flaketap/flaketap/mock/trials"
)

func (t *tool) mockSearchCommand() *cli.Command {
	return &cli.Command{
		Name:      "search",
		Usage:     "find what an API does when its external services answer otherwise",
		UsageText: "flaketap mock search [--db FILE | --request 'GET /path' …] --start CMD --ready URL --out DIR [options] [-- CMD ARG…]",
		Description: "Starts the API as mock serve does, sends it requests, and tries answers of the services that it calls: failures,\n" +
			"late answers, resets, fields that are absent, of another type, or have other values. Each behavior that is new is\n" +
			"written to DIR with the smallest stubs that reach it; what looks wrong is named. Ctrl-C ends it with what was found.\n" +
			"CMD, as a fuzzer, runs meanwhile with FLAKETAP_URL: what it sends is answered between trials, and what is new of it\n" +
			"is searched, too. Then a recording is read where --db names one.",
		Flags: append(slices.Concat(startFlags(), besideFlags("`N` instances of the API at once, or the workers of a hub, by its URL")), dbFlag(),
			&cli.GenericFlag{Name: "request", Value: &cmdline.Texts{}, Usage: "`REQUEST` to send, as 'GET /path' or 'POST /path BODY', in the place of a recording's"},
			&cli.StringFlag{Name: "reset", Usage: "`CMD or URL` that resets the API, before each trial"},
			resetTimeoutFlag(),
			interceptFlag(),
			&cli.StringFlag{Name: "words", Usage: "`PATH` of the API's own files, whose words may be names of fields, and values: a folder, a jar, a program of Go; none for no words", DefaultText: "what --start runs"},
			&cli.StringSliceFlag{Name: "spec", Usage: "`HOST=FILE`, an OpenAPI, Swagger or gRPC description of a service, whose answers are tried first"},
			&cli.IntFlag{Name: "trials", Value: 1500, Usage: "`N`umber of requests that are sent at most"},
			&cli.DurationFlag{Name: "for", Usage: "`TIME`, as 10m, after which no trial begins but those that prove what was found, beside --trials"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`SEED` that chooses the order of trials that are as good as each other"},
			&cli.DurationFlag{Name: "patience", Value: 3 * time.Second, Usage: "`TIME` within which the API has to answer"},
			&cli.StringFlag{Name: "coverage", Usage: "`SOURCE` that tells after each trial what code has run: jacoco:HOST:PORT, unix:PATH, or a command that prints an item a line"},
			&cli.BoolFlag{Name: "hooks", Usage: "have an API in Node, Python or the JVM tell which fields it reads of answers, by files that its environment loads"},
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
	return serve.Search(c.Context, o)
}

// mockSearchOptions reads the flags of mock search.
func (t *tool) mockSearchOptions(c *cli.Context) (o serve.SearchOptions, err error) {
	level, err := logLevelOption(c)
	if err != nil {
		return o, err
	}
	o.Out, o.Within, o.Coverage, o.Hooks = c.String("out"), c.Duration("for"), c.String("coverage"), c.Bool("hooks")
	o.Search = search.Options{Trials: c.Int("trials"), Seed: c.Uint64("seed"), Patience: c.Duration("patience")}
	o.Serve = serve.Options{Externals: serve.Externals{Log: t.logger(level)}, Command: t.client, Stdout: t.out,
		Console: t.consoleOptions(c)}
	if c.String("start") == "" && !strings.Contains(c.String("workers"), "://") {
		return o, needsStart("mock search")
	}
	if err := o.Check(); err != nil {
		return o, err
	}
	if err := outfile.CheckFolder(o.Out); err != nil && !serve.HasNotebook(o.Out) && !c.Bool("force") {
		return o, err
	}
	if o.Serve.Service, o.Serve.Reset, err = t.startOptions(c); err != nil {
		return o, err
	}
	if err = interceptOption(c, &o.Serve.Externals); err != nil {
		return o, err
	}
	if o.Search.Requests, o.Search.Samples, err = t.requestsOptions(c); err != nil {
		return o, err
	}
	services, err := described.Read(c.Context, c.StringSlice("spec"))
	if err != nil {
		return o, err
	}
	o.Serve.GRPC = services.GRPC
	o.Search.Samples = append(services.Samples, o.Search.Samples...)
	o.Of = fmt.Sprint(c.String("start"), o.Search.Requests, o.Search.Seed, o.Search.Patience, c.String("words"), c.StringSlice("spec"))
	if o.Hooks {
		o.Of += " hooks"
	}
	if len(t.client) > 0 {
		o.Of += fmt.Sprintf(" -- %q", t.client)
	}
	var started []string
	if o.Search.Words, started, err = ownfiles.Choose(c.String("words"), c.String("start"), c.String("out")); err != nil {
		return o, err
	}
	if len(started) > 0 {
		t.consoleOptions(c).Say("flaketap: looks for names of fields and values in %s, which --start runs; --words PATH has it look elsewhere, --words none nowhere", strings.Join(started, ", "))
	}
	n, link, key, err := t.atOnceOptions(c)
	if err == nil {
		err = trials.Arrange(&o, n, link, key)
	}
	return o, err
}

// requestsOptions are the requests to send, and, of a recording that is named, what services answered. A command sends
// its own beside them.
func (t *tool) requestsOptions(c *cli.Context) (all []search.Request, samples []search.Sample, err error) {
	if !c.IsSet("request") && len(t.client) == 0 || c.IsSet("db") {
		if all, samples, err = archive.Recorded(c.String("db")); err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				err = console.Advise(err, "say with --request what is sent, as 'GET /path', or name a recording with --db FILE")
			}
			return nil, nil, err
		}
	}
	if c.IsSet("request") {
		all = nil
	}
	for _, text := range cmdline.TextsOf(c.Generic("request")) {
		r, ok := archive.ParseRequest(text)
		if !ok {
			return nil, nil, console.Usage(fmt.Errorf("--request must be such as 'GET /path' or 'POST /path BODY', got %q", text))
		}
		all = append(all, r)
	}
	if len(all) == 0 && len(t.client) == 0 {
		return nil, nil, fmt.Errorf("%s has no request that can be sent: say with --request what is, as 'GET /path'", c.String("db"))
	}
	return all, samples, nil
}
