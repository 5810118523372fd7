package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/trial"
	"github.com/flaketap/flaketap/suite/write"
	"github.com/flaketap/flaketap/suite/write/build"
	suiteplan "github.com/flaketap/flaketap/suite/write/plan"
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
		return noRecording(err)
	}
	src := sourceFrom(j)
	plan, err := planRenewed(c.Context, src, o, j.Lapses)
	if err != nil {
		return err
	}
	files, err := write.Write(o.form, plan.Plan)
	if err != nil {
		return err
	}
	if err := outfile.WriteAll(o.dir, outputFiles(files), o.inputs); err != nil {
		return err
	}
	sum := summary.Of(src, plan.Plan, plan.strengthened)
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
	sayExpired(o.talk, plan.Plan, time.Now())
	return nil
}

// planRenewed plans the tests with the user's credentials in the place of recorded ones that are no longer valid: of
// those that lapsed in the runs, and, where that shows only in trials, of those that the API refuses there.
func planRenewed(ctx context.Context, src suite.Source, o suiteOptions, lapses []flow.Lapse) (planned, error) {
	exchanges := func(yield func(*exchange.Exchange) bool) {
		for _, s := range src.Steps {
			if !yield(s.Exchange) {
				return
			}
		}
	}
	now := time.Now()
	renewal := flow.Renewal{Credentials: o.analysis.Credentials, Lapsed: flow.LapsedValues(lapses)}
	o.build.Given = renewal.Renewed(exchanges, now)
	plan, err := o.plan(ctx, src)
	var refused *trial.RefusedError
	if errors.As(err, &refused) {
		for _, value := range refused.Values {
			renewal.Lapsed[value] = true
		}
		if given := renewal.Renewed(exchanges, now); len(given) > len(o.build.Given) {
			o.build.Given = given
			plan, err = o.plan(ctx, src)
		}
	}
	if errors.As(err, &refused) {
		return plan, console.Advise(err, "give others with --auth or --auth-file")
	}
	if len(renewal.Credentials) > 0 {
		for _, name := range renewal.Lacking(exchanges, nil, now).Unused {
			o.talk.Say("flaketap: --auth %s: no recorded request has a redacted, expired or refused credential there", name)
		}
	}
	return plan, err
}

// sayExpired tells which credentials that a suite sends have expired by their own word.
func sayExpired(talk *console.Console, p suiteplan.Plan, now time.Time) {
	for _, c := range p.Credentials {
		if end, ok := flow.Expiry(p.Secrets[c.Name]); ok && !end.After(now) {
			talk.Say("flaketap: warning: the credential that the suite sends in %s expired at %s: "+
				"give another in %s when you run it, or in secrets.json", c.Where(), end.UTC().Format(time.RFC3339), suiteplan.Variable(c.Name))
		}
	}
}

// suiteOptions is what the flags of suite ask for.
type suiteOptions struct {
	db         string
	analysis   analysis.Options
	form       string // one of write.Names
	build      build.Options
	api        *trial.API // tries the tests before they are written; nil for none
	target     string     // of --target: where that API is
	dir        string     // to write into
	report     string     // a file for what is in the tests and what is not; "" for none
	strengthen bool       // assertions are added that tell more faults
	inputs     []string   // the files that are read, none of which is overwritten
	talk       *console.Console
}

// suiteOptions reads the flags of suite.
func (t *tool) suiteOptions(c *cli.Context) (o suiteOptions, err error) {
	o = suiteOptions{db: c.String("db"), analysis: t.analysisOptions(c), form: c.String("format"),
		build: build.Options{All: c.Bool("all")}, inputs: inputOptions(c), talk: t.consoleOptions(c)}
	if err := t.alone(c); err != nil {
		return o, err
	}
	if !slices.Contains(write.Names(), o.form) {
		return o, console.Usage(fmt.Errorf("unknown --format %q: want one of %s", o.form,
			strings.Join(write.Names(), ", ")))
	}
	if o.build.Mode, err = modeOption(c, suite.Relax, suite.Comment, suite.Exact); err != nil {
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
	if o.api, err = t.trialOptions(c); err != nil {
		return o, err
	}
	o.strengthen = c.Bool("strengthen")
	switch {
	case o.strengthen && o.api == nil:
		return o, console.Usage(errors.New("--strengthen needs --target or --start, which say on which API the tests are tried"))
	case o.strengthen && o.build.Mode != suite.Relax:
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

// planned is a plan with what was done to strengthen it; nil where nobody asked for that.
type planned struct {
	suiteplan.Plan
	strengthened *trial.Strengthened
}

// plan plans the tests, and tries them where there is an API for that.
func (o *suiteOptions) plan(ctx context.Context, src suite.Source) (out planned, err error) {
	if o.api == nil {
		out.Plan, err = build.Plan(src, o.build)
		return out, err
	}
	if err := o.locate(); err != nil {
		return out, err
	}
	progress := o.talk.Progress("trying tests: playing")
	o.api.Progress = progress.Update
	r, err := trial.Plan(ctx, src, o.build, *o.api)
	progress.Clear()
	if err != nil {
		return planned{Plan: r.Plan}, fmt.Errorf("try tests: %w", err)
	}
	times := ""
	if o.api.Service != nil && r.Clock == nil {
		times = ", and at other times"
	}
	o.talk.Say("flaketap: tried %s against %s, in several orders and side by side%s",
		console.Count(len(r.Plan.Tests), "test"), r.Target, times)
	if r.Clock != nil {
		o.talk.Say("flaketap: not tried at other times, so what follows the date may be asserted: %v", r.Clock)
	}
	if o.strengthen {
		done, err := r.Strengthen(ctx, src)
		if err != nil {
			return planned{Plan: r.Plan}, fmt.Errorf("strengthen tests: %w", err)
		}
		out.strengthened = &done
	}
	out.Plan = r.Plan
	return out, nil
}

// locate finds where the API is that the tests are tried on.
func (o *suiteOptions) locate() error {
	at := o.target
	if o.api.Service != nil {
		recording, err := recordingOf(o.db)
		if err != nil {
			return err
		}
		recorded := service.RecordedTarget(recording)
		if at, err = o.api.Service.Locate(o.target, recorded); err != nil {
			return err
		}
		at = cmp.Or(at, recorded)
	}
	target, err := service.BaseURL(at)
	if err != nil {
		return err
	}
	if target == nil {
		return console.Usage(errors.New("the recording has several targets; choose one with --target"))
	}
	o.api.Target = target
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
	return all, noRecording(err)
}
