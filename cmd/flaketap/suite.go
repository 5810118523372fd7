package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/internal/cmdline"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/draft"
	"github.com/flaketap/flaketap/suite/trial"
	"github.com/flaketap/flaketap/suite/write"
	"github.com/flaketap/flaketap/suite/write/build"
	"github.com/flaketap/flaketap/suite/write/summary"
	"github.com/flaketap/flaketap/volatility/analysis"
)

func (t *tool) suiteCommand() *cli.Command {
	return &cli.Command{
		Name:  "suite",
		Usage: "write executable tests from the recording",
		UsageText: "flaketap suite --out DIR [--format FORM] [--mode relax|comment|exact] [--all] " +
			"[--target URL|--start CMD] [--reset CMD|URL] [--auth 'NAME: VALUE']",
		Flags: common(upstreamFlags(slices.Concat(startFlags(), authFlags(), []cli.Flag{
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "`DIR` to write into"},
			&cli.StringFlag{Name: "format", Value: "pytest", Usage: "the tests' `FORM`: " + strings.Join(write.Names(), ", ")},
			&cli.StringFlag{Name: "report", Usage: "write what is in the tests, what is not, and why, as JSON to `FILE`"},
			&cli.BoolFlag{Name: "all", Usage: "write a test for each exchange, not one per operation, status and answer shape"},
			modeFlag("relax", "relax, comment or exact"),
			&cli.StringFlag{Name: "mocks", Usage: "`DIR` that mock search wrote: one test for each behavior in it, with the answers of external services"},
			&cli.BoolFlag{Name: "strengthen", Usage: "plant faults in answers of the trials, add assertions that tell more of them, " +
				"and say which are missed and why"},
			&cli.StringFlag{Name: "target",
				Usage: "try the tests on the API at this `URL` first: each is judged by its own answers, after others and before them"},
			&cli.StringFlag{Name: "reset", Usage: "`CMD or URL` that resets that API, before every trial"},
			resetTimeoutFlag(),
			&cli.StringFlag{Name: "libfaketime", EnvVars: []string{"FLAKETAP_LIBFAKETIME"},
				Usage: "`FILE` of the library that moves the clock of --start, if it is not found automatically"},
			secretsFlag(),
			openapiFlag(),
			forceFlag(),
		})...)...),
		Action: t.writeSuite,
	}
}

func modeFlag(value, modes string) cli.Flag {
	return &cli.StringFlag{Name: "mode", Value: value, Usage: "`MODE` for volatile assertions: " + modes}
}

// modeOption reads --mode, which is one of those that are allowed.
func modeOption(c *cli.Context, allowed ...suite.Mode) (suite.Mode, error) {
	var names []string
	for _, m := range allowed {
		if names = append(names, string(m)); string(m) == c.String("mode") {
			return m, nil
		}
	}
	return "", console.Usage(fmt.Errorf("unknown --mode %q: want one of %s", c.String("mode"), strings.Join(names, ", ")))
}

func (t *tool) writeSuite(c *cli.Context) error {
	if c.IsSet("mocks") {
		o, err := t.mockSuiteOptions(c)
		if err != nil {
			return err
		}
		return o.run()
	}
	o, err := t.suiteOptions(c)
	if err != nil {
		return err
	}
	j, err := analysis.JudgeWithSteps(o.db, o.analysis)
	if err != nil {
		return cmdline.NoRecording(err)
	}
	if err := o.locate(j.Recording); err != nil {
		return err
	}
	src := sourceFrom(j)
	made, err := draft.Make(c.Context, src, j.Lapses, o.draft)
	if err != nil {
		return err
	}
	files, err := write.Write(o.form, made.Plan)
	if err != nil {
		return err
	}
	if err := outfile.WriteAll(o.dir, files, o.inputs); err != nil {
		return err
	}
	sum := summary.Of(src, made.Plan, made.Strengthened)
	if err := sum.Put(o.report); err != nil {
		return err
	}
	o.talk.Say("flaketap: %s written to %s; of the recorded values, %d are volatile and %d are asserted exactly",
		console.Count(len(files), "file"), o.dir, sum.Values.Volatile, sum.Values.Exact)
	sum.Say(o.talk)
	if n := j.Map.Unsure(unsure); n > 0 {
		o.talk.Say("flaketap: fewer than 59 observations in %d of %s, so a value that moves in 1 of 20 answers may be asserted;\n"+
			"flaketap: replay --bound 0.05 observes GET and HEAD more often; more --runs observe all requests", n,
			console.Count(len(j.Map.Operations), "operation"))
	}
	sayWarnings(o.talk, j.Map)
	made.SayExpired(o.talk, time.Now())
	return nil
}

// suiteOptions is what the flags of suite ask for.
type suiteOptions struct {
	db       string
	analysis analysis.Options
	form     string        // one of write.Names
	draft    draft.Options // the target of its API is found by locate
	target   string        // of --target
	dir      string        // to write into
	report   string        // a file for what is in the tests and what is not; "" for none
	inputs   []string      // the files that are read, none of which is overwritten
	talk     *console.Console
}

// suiteOptions reads the flags of suite.
func (t *tool) suiteOptions(c *cli.Context) (o suiteOptions, err error) {
	o = suiteOptions{db: c.String("db"), analysis: t.analysisOptions(c), form: c.String("format"),
		inputs: inputOptions(c), talk: t.consoleOptions(c)}
	o.draft = draft.Options{Build: build.Options{All: c.Bool("all")}, Strengthen: c.Bool("strengthen"), Console: o.talk}
	if err := t.alone(c); err != nil {
		return o, err
	}
	if !slices.Contains(write.Names(), o.form) {
		return o, console.Usage(fmt.Errorf("unknown --format %q: want one of %s", o.form,
			strings.Join(write.Names(), ", ")))
	}
	if o.draft.Build.Mode, err = modeOption(c, suite.Relax, suite.Comment, suite.Exact); err != nil {
		return o, err
	}
	switch o.dir, err = folderOption(c, "out"); {
	case err != nil:
		return o, err
	case o.dir == "":
		return o, console.Usage(errors.New("--out DIR is required"))
	}
	if o.report, err = reportOption(c, o.inputs); err != nil {
		return o, err
	}
	o.target = c.String("target")
	if o.analysis.Credentials, err = credentialOptions(c); err != nil {
		return o, err
	}
	o.draft.Credentials = o.analysis.Credentials
	if o.draft.API, err = t.trialOptions(c); err != nil {
		return o, err
	}
	switch {
	case o.draft.Strengthen && o.draft.API == nil:
		return o, console.Usage(errors.New("--strengthen needs --target or --start, which say on which API the tests are tried"))
	case o.draft.Strengthen && o.draft.Build.Mode != suite.Relax:
		return o, console.Usage(errors.New("--strengthen needs --mode relax: the other modes are not tried"))
	}
	return o, nil
}

// trialOptions reads on which API the tests are tried, --target aside; nil where none is named.
func (t *tool) trialOptions(c *cli.Context) (*trial.API, error) {
	api, reset, err := t.startOptions(c)
	if err != nil {
		return nil, err
	}
	if api == nil && c.String("target") == "" {
		if c.IsSet("reset") {
			return nil, console.Usage(errors.New("--reset needs --target or --start, which say on which API the tests are tried"))
		}
		return nil, nil
	}
	config, dial, err := upstreamOptions(c).Open()
	if err != nil {
		return nil, err
	}
	return &trial.API{Service: api, FakeTime: c.String("libfaketime"), TLS: config, Dial: dial, Reset: reset,
		ResetTimeout: c.Duration("reset-timeout")}, nil
}

// locate finds where the API is that the tests are tried on, if there is one.
func (o *suiteOptions) locate(recording exchange.Recording) error {
	api := o.draft.API
	if api == nil {
		return nil
	}
	target, err := service.Located(api.Service, o.target, service.RecordedTarget(recording))
	if err != nil {
		return err
	}
	if target == nil {
		return console.Usage(errors.New("the recording has several targets; choose one with --target"))
	}
	api.Target = target
	return nil
}

// unsure is the bound above which a suite says that it may assert what moves: 59 looks bring it below 0.05.
const unsure = 0.05

// sourceFrom is what suites are written from.
func sourceFrom(j *analysis.Result) suite.Source {
	return suite.Source{
		Steps: j.Steps, Operations: j.Operations, Bindings: j.Bindings, Sequences: flow.Sequences(j.Exchanges, j.Bindings,
			j.Operations),
		Map: j.Map, Redactor: j.Redactor,
	}
}

// sessionOf reads --session: the exchanges of the fuzzing session that a suite came from; nil where it is not named.
func sessionOf(path string) ([]*exchange.Exchange, error) {
	if path == "" {
		return nil, nil
	}
	all, err := analysis.Session(path)
	return all, cmdline.NoRecording(err)
}
