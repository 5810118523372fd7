package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/interrupt"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/mend"
	"github.com/flaketap/flaketap/suite/mutant"
	"github.com/flaketap/flaketap/suite/stabilize"
	"github.com/flaketap/flaketap/suite/verify"
	"github.com/flaketap/flaketap/suite/workers"
)

func (t *tool) stabilizeCommand() *cli.Command {
	return &cli.Command{
		Name:  "stabilize",
		Usage: "run and patch a suite, in rounds, until it holds on fresh starts of the API",
		UsageText: "flaketap stabilize [--session DB] --target URL --reset CMD|URL | --start CMD --ready URL\n" +
			"                   [--out DIR | --in-place | --diff] [options] SUITE -- CMD {}",
		Description: "CMD runs the suite in place of {}, and finds the API as with record (FLAKETAP_URL); a base URL that is written\n" +
			"into the suite is where flaketap listens, so the API must run elsewhere. Results are read as with verify. The FILE\n" +
			"of --db becomes the recording of the suite as it is; what was done is kept in the folder FILE.stabilize, and the same command goes on\n" +
			"from there after an interruption. Exits with 1 where the suite does not hold in the end; it is written all the same.",
		Flags: common(append(slices.Concat(setUpFlags(), externalFlags(), besideFlags("start `N` instances of the API, and run the suite and try "+
			"set-ups on them at once: safe if each has data of its own (--start 'api --port {port} --data /tmp/{port}'); "+
			"nats://HOST:PORT/NAME takes those of the workers of a hub")),
			&cli.IntFlag{Name: "learn", Value: 5, Usage: "judge a suite that fails by `N` runs"},
			&cli.IntFlag{Name: "runs", Value: 10, Usage: "`N`umber of runs in a row that must pass"},
			&cli.IntFlag{Name: "orders", Value: 2, Usage: "run a suite that holds in `N` other orders of its tests, too: backwards, and random ones"},
			&cli.IntFlag{Name: "rounds", Value: 8, Usage: "patch at most `N` times"},
			&cli.StringFlag{Name: "probe", Value: "auto",
				Usage: "mute assertions in further runs of the first round, `WHEN`: auto (where it is safe), always, never"},
			&cli.StringSliceFlag{Name: "mutate",
				Usage: "plant faults of these `KINDS` when the suite holds, such as change,drop, or all, and say how many it still tells"},
			&cli.IntFlag{Name: "mutants", Value: 100,
				Usage: "plant at most `N` faults, each in a separate run of the suite as it was and in its last form; 0 for all"},
			&cli.StringFlag{Name: "session", Usage: "recording `DB` of the fuzzing session that the suite came from"},
			&cli.StringFlag{Name: "out", Aliases: []string{"o"},
				Usage: "`DIR` to write the stable suite into (default: SUITE-stable, beside the suite)"},
			&cli.BoolFlag{Name: "in-place", Usage: "change the suite's files in place"},
			&cli.BoolFlag{Name: "diff", Usage: "print the difference and change nothing"},
			&cli.StringFlag{Name: "report",
				Usage: "write what came of it as JSON to `FILE` (default: report.json in the folder DB.stabilize)"},
			&cli.StringFlag{Name: "listen",
				Usage: "`ADDR`ess to listen on (default: the one written into the suite, or any free port)"},
			hostHeaderFlag(),
			caDirFlag(),
			&cli.StringSliceFlag{Name: "results", Usage: "`FILE` or folder where the runner leaves its results; {} names the suite"},
			&cli.DurationFlag{Name: "timeout", Usage: "`TIME` limit of a run (default: none)"},
			secretsFlag(),
			openapiFlag(),
			&cli.BoolFlag{Name: "force", Usage: "overwrite existing files, and begin anew"},
		)...),
		Action: t.stabilize,
	}
}

func (t *tool) stabilize(c *cli.Context) (err error) {
	o, err := t.stabilizeOptions(c)
	defer func() { err = errors.Join(err, t.lent.Close()) }()
	if err != nil {
		return err
	}
	interrupt.CatchBrokenPipe()
	o.Explain = o.explainer()
	done, err := stabilize.Run(c.Context, o.Options, o.runners, o.patcher(t), o.command.Console)
	if err != nil {
		return err
	}
	if err := o.output.Write(o.Options, done, t.out, o.command.Console); err != nil {
		return err
	}
	unread := func(u stabilize.Unhelped) bool { return u.Test == "" }
	if !done.Holds || slices.ContainsFunc(done.Unhelped, unread) {
		return console.ExitStatus(exitFailed)
	}
	return nil
}

// stabilizeOptions is what the flags of stabilize ask for.
type stabilizeOptions struct {
	stabilize.Options
	command verify.Command
	runners []stabilize.Runner // the command, or several like it beside each other
	patch   patchOptions       // for each round, whose database it lacks
	output  stabilize.Output
}

// patcher returns what patches the suite of a round.
func (o *stabilizeOptions) patcher(t *tool) stabilize.Patcher {
	return func(ctx context.Context, by stabilize.Evidence, files []mend.File) (*mend.Round, error) {
		p := o.patch
		p.db, p.restraint, p.refused, p.ran = by.DB, by.Restraint, by.Refused, by.Ran
		if by.InOrder != "" {
			p.session, p.restore, p.failing, p.flaking = by.InOrder, true, by.Failing, by.Flaking
		}
		round, _, err := p.round(ctx, files, t.rules.Bindings)
		return round, err
	}
}

// explainer returns what finds out what assertions look at that are not followed.
func (o *stabilizeOptions) explainer() stabilize.Explainer {
	return func(_ context.Context, seen stabilize.Observed) ([][]stabilize.Blamed, error) {
		why := whyOptions{db: seen.DB, analysis: o.patch.analysis, suite: []string{seen.Suite}, session: o.patch.session,
			talk: &console.Console{Quiet: true}}
		in, err := why.input()
		if err != nil {
			return nil, err
		}
		out := make([][]stabilize.Blamed, len(seen.Assertions))
		for i, causes := range in.Asserted(seen.Assertions) {
			for _, c := range causes {
				out[i] = append(out[i], stabilize.Blamed{Exchange: c.Exchange.Method + " " + c.Exchange.Target,
					Operation: c.Judged.Operation, Place: string(c.Place), Category: string(c.Category), KnownBy: c.Known,
					Differed: c.Differed, Of: c.Of, Do: c.Next[0], Write: c.Instead})
			}
		}
		return out, nil
	}
}

var errNoAnswers = console.Usage(errors.New("--external has no answers for the services that the API calls, and what a suite is told while they all fail would weaken it: " +
	"give --stubs DIR, --session FILE that was recorded with --external, or --allow HOST"))

// stabilizeOptions reads the flags of stabilize.
func (t *tool) stabilizeOptions(c *cli.Context) (o stabilizeOptions, err error) {
	o.Options = stabilize.Options{Suite: c.Args().First(), DB: c.String("db"), Learn: c.Int("learn"),
		Prove: c.Int("runs"), Orders: c.Int("orders"), Rounds: c.Int("rounds"), Timeout: c.Duration("timeout"), Secrets: c.StringSlice("secrets"), Fresh: c.Bool("force")}
	n, err := t.besideOptions(c)
	if err != nil {
		return o, err
	}
	if err := t.checkStabilizeOptions(c, o.Options); err != nil {
		return o, err
	}
	if err := o.outputOptions(c); err != nil {
		return o, err
	}
	o.patch = patchOptions{analysis: t.analysisOptions(c), session: c.String("session"), mode: suite.Relax,
		talk: t.consoleOptions(c)}
	if o.patch.setUps, err = t.setUpOptions(c); err != nil {
		return o, err
	}
	o.command = verify.Command{Results: c.StringSlice("results"), Dir: stabilize.OutputFolder(o.DB),
		LogDir: stabilize.OutputFolder(o.DB)}
	if o.command.Options, err = t.proxyOptions(c); err != nil {
		return o, err
	}
	if t.outside != nil && !t.outside.Answers() {
		return o, errNoAnswers
	}
	if o.Probe, err = probingOption(c); err != nil {
		return o, err
	}
	if o.Faults, err = t.faultsOption(c); err != nil {
		return o, err
	}
	if err := o.at(c.String("target")); err != nil {
		return o, err
	}
	if err := o.suiteOptions(c); err != nil {
		return o, err
	}
	conditions := workers.Conditions{Service: o.command.Service, Target: c.String("target"), Reset: c.String("reset"),
		Results: c.StringSlice("results")}
	for _, f := range o.Files {
		conditions.Files = append(conditions.Files, f.Name)
	}
	if err := conditions.Check(n, o.command.Console); err != nil {
		return o, err
	}
	o.Started = o.command.Service != nil
	o.Identity = slices.Concat([]string{o.Suite, c.String("start"), c.String("ready"), c.String("reset"),
		c.String("target"), c.String("session")}, t.client)
	if o.Probe != stabilize.ProbeSafely {
		o.Identity = append(o.Identity, "--probe", c.String("probe"))
	}
	if err := checkAndOpenCA(&o.command.Options, c.String("ca-dir")); err != nil {
		return o, err
	}
	if _, err = o.command.NewProxy(); err != nil { // mistakes in the flags are told before anything runs
		return o, err
	}
	if o.patch.setUps.Workers, err = t.lent.AtOnce(c.Context, n); err == nil {
		o.runners, err = o.Runners(&o.command, o.patch.setUps.Workers)
	}
	return o, err
}

// faultsOption reads --mutate and --mutants.
func (t *tool) faultsOption(c *cli.Context) (o verify.Faults, err error) {
	o = verify.Faults{Most: c.Int("mutants"), Seed: 1, Rules: t.rules.Places}
	if o.Most < 0 {
		return o, console.Usage(fmt.Errorf("--mutants must be 0 (for all) or more, got %d", o.Most))
	}
	if o.Kinds, err = mutant.ParseKinds(c.StringSlice("mutate")); err != nil {
		return o, console.Usage(fmt.Errorf("--mutate: %w", err))
	}
	return o, nil
}

// probingOption reads --probe.
func probingOption(c *cli.Context) (stabilize.Probing, error) {
	switch when := c.String("probe"); when {
	case "auto":
		return stabilize.ProbeSafely, nil
	case "always":
		return stabilize.ProbeAlways, nil
	case "never":
		return stabilize.ProbeNever, nil
	default:
		return 0, console.Usage(fmt.Errorf("unknown --probe %q: want one of auto, always, never", when))
	}
}

// checkStabilizeOptions refuses a command line by which nothing could be stabilized.
func (t *tool) checkStabilizeOptions(c *cli.Context, o stabilize.Options) error {
	command := strings.Join(t.client, "\x00")
	var err error
	switch {
	case c.NArg() != 1:
		err = fmt.Errorf("stabilize needs one SUITE, a file or a folder, got %d: flaketap stabilize SUITE -- CMD {}", c.NArg())
	case len(t.client) == 0:
		err = errors.New("stabilize needs the command that runs the suite: flaketap stabilize SUITE -- CMD {}")
	case !strings.Contains(command, "{}") && !strings.Contains(command, "FLAKETAP_SUITE"):
		err = errors.New("the command must contain {} where the suite belongs, as in -- pytest {}: " +
			"patched forms run from another folder")
	case o.Learn < 2:
		err = fmt.Errorf("--learn must be at least 2, got %d: one run does not show what moves", o.Learn)
	case o.Prove < 1:
		err = fmt.Errorf("--runs must be at least 1, got %d", o.Prove)
	case o.Orders < 0:
		err = fmt.Errorf("--orders must be 0 or more, got %d", o.Orders)
	case o.Rounds < 0:
		err = fmt.Errorf("--rounds must be 0 or more, got %d", o.Rounds)
	case o.Timeout < 0:
		err = fmt.Errorf("--timeout must be a duration such as 5m, got %s", o.Timeout)
	case c.String("reset") == "" && c.String("start") == "" && t.lent == nil:
		err = errors.New("stabilize needs a known start of the API before each run: give --reset CMD|URL, " +
			"or --start CMD with --ready URL")
	}
	if err != nil {
		return console.Usage(err)
	}
	return nil
}

// outputOptions reads where the stable suite and the report go, and refuses what may not be written.
func (o *stabilizeOptions) outputOptions(c *cli.Context) error {
	if err := mend.CheckWays(c.IsSet("out"), c.Bool("in-place"), c.Bool("diff")); err != nil {
		return console.Usage(err)
	}
	o.output = stabilize.Output{InPlace: c.Bool("in-place"), Report: c.String("report")}
	if !c.Bool("in-place") && !c.Bool("diff") {
		o.output.Dir = cmp.Or(c.String("out"), stabilize.DefaultOutput(o.Suite))
	}
	return o.output.Check(o.Options, inputOptions(c))
}

// at sets where the API is.
func (o *stabilizeOptions) at(target string) (err error) {
	if o.command.Target, err = service.BaseURL(target); err != nil {
		return err
	}
	if o.command.Target == nil && (o.command.Service == nil || !o.command.Service.ChoosesPort()) {
		return console.Usage(errors.New("stabilize needs the API's address: give --target URL, or --start with {port}"))
	}
	return nil
}

// suiteOptions reads the suite's files, and finds where it expects the API.
func (o *stabilizeOptions) suiteOptions(c *cli.Context) error {
	files, err := mend.ReadFiles([]string{o.Suite}, mend.FileOptions{Beside: true, Linked: true,
		Exclude: []string{o.DB, c.String("session")}})
	if err != nil {
		return err
	}
	o.Files, o.Links = stabilize.OwnFiles(files.All), files.Links
	if o.command.Listen != "" {
		return nil
	}
	var target *url.URL
	if o.command.Service == nil || !o.command.Service.ChoosesPort() {
		target = o.command.Target
	}
	o.command.Listen, err = stabilize.Listen(o.Files, target)
	return err
}
