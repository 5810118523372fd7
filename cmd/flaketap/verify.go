package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/capture"
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/interrupt"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/suite/mutant"
	"github.com/flaketap/flaketap/suite/verify"
	"github.com/flaketap/flaketap/suite/workers"
	"github.com/flaketap/flaketap/volatility/analysis"
	"github.com/urfave/cli/v2"
)

func (t *tool) verifyCommand() *cli.Command {
	return &cli.Command{
		Name:      "verify",
		Usage:     "run a suite and its patched form repeatedly, and report what fails and which planted faults each still detects",
		UsageText: "flaketap verify [--runs N] [--reset CMD|URL] [--mutate all] [--variants DIR|CMD] [options] [SUITE…] -- CMD ARG…",
		Description: "CMD runs the suites, one at a time, in place of {}: give the original first, then its patched form. It finds the\n" +
			"API as with record (FLAKETAP_URL), and leaves its results in {results}, in the file of --results, or on stdout, as\n" +
			"JUnit XML, go test -json, jest --json or TAP; without results, its exit status counts. Results of pytest, Maven and\n" +
			"Gradle are found automatically. --mutate plants faults in answers; see docs/verify.md.\n" +
			"Kinds of mutants: " + mutant.Names() + ".",
		Flags: common(append(upstreamFlags(slices.Concat(startFlags(), externalFlags(), besideFlags("start `N` instances of the API, and run "+
			"the suites on them at once; nats://HOST:PORT/NAME takes those of the workers of a hub"))...),
			&cli.IntFlag{Name: "runs", Value: 10, Usage: "`N`umber of runs of each suite"},
			targetsFlag(),
			&cli.StringFlag{Name: "reset", Usage: "`CMD or URL` that resets the API, before every run"},
			resetTimeoutFlag(),
			&cli.StringFlag{Name: "listen",
				Usage: "`ADDR`ess to listen on (default: the recorded one, or any free port if it is in use)"},
			hostHeaderFlag(),
			caDirFlag(),
			&cli.StringSliceFlag{Name: "results", Usage: "`FILE` or folder where the runner leaves its results; {} names the suite"},
			&cli.DurationFlag{Name: "timeout",
				Usage: "`TIME` limit of a run (default: none; with a fault planted, 30s more than four times the slowest run without)"},
			&cli.StringSliceFlag{Name: "mutate", Usage: "plant faults of these `KINDS`, such as change,drop, or all"},
			&cli.IntFlag{Name: "mutants", Value: 100,
				Usage: "plant at most `N` faults, each in a separate run of each suite; 0 for all"},
			variantsFlag(),
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`SEED` that chooses the faults; the same seed chooses the same faults"},
			&cli.StringFlag{Name: "map",
				Usage: "`FILE` of a map or recording that says what is volatile (default: --db if it exists, and what moves in the runs)"},
			&cli.StringFlag{Name: "patch-report", Usage: "`FILE` that patch --report wrote, to report what became of the assertions"},
			&cli.StringFlag{Name: "keep", Usage: "`DIR` for the output and results of each run"},
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "`FILE` to write (default: stdout)"},
			&cli.StringFlag{Name: "format", Value: "text", Usage: "`FORM`: text, json or junit"},
			&cli.StringSliceFlag{Name: "fail-on",
				Usage: "exit with status 3 if a test of the last suite is `flaky` (fails in any run), or if it misses a fault that the first one detects, or a variant (survived)"},
			secretsFlag(),
			forceFlag(),
		)...),
		Action: t.verify,
	}
}

// The gates of verify's --fail-on.
const (
	gateFlaky    = "flaky"
	gateSurvived = "survived"
)

// verify verifies suites.
func (t *tool) verify(c *cli.Context) (err error) {
	o, err := t.verifyOptions(c)
	defer func() { err = errors.Join(err, t.lent.Close()) }()
	if err != nil {
		return err
	}
	if err := o.open(); err != nil {
		return err
	}
	command := &o.command
	if command.Dir == "" {
		if command.Dir, err = os.MkdirTemp("", "flaketap-verify-*"); err != nil {
			return fmt.Errorf("make a folder for results: %w", err)
		}
		defer func() { err = errors.Join(err, os.RemoveAll(command.Dir)) }()
	}
	interrupt.CatchBrokenPipe()
	if o.workers, err = t.lent.AtOnce(c.Context, o.workers); err != nil {
		return err
	}
	runners, err := command.Runners(o.workers)
	if err != nil {
		return err
	}
	v, err := verify.Run(c.Context, o.Options, runners, command.Console)
	if err != nil {
		return err
	}
	if err := o.output.emit("", func(w io.Writer) error { return o.write(v, w) }); err != nil {
		return err
	}
	if command.Reset == "" && command.Service == nil {
		command.Console.Say("flaketap: without --reset or --start, each run starts with what the run before left behind")
	}
	return verifyGates(o.failOn, v)
}

// verifyOptions is what the flags of verify ask for.
type verifyOptions struct {
	verify.Options                // without what files say: see open
	command        verify.Command // without what the recording says, and unchecked: see open
	workers        int            // runs at once; 0 for as many as a hub has workers
	caDir          string         // of the authority; "" for that in the user's configuration
	recording      string         // says where the API is; "" for none
	volatile       string         // the file of a map, or a recording, that says what is volatile; "" for none
	analysis       analysis.Options
	patchReport    string   // of patch --report; "" for none
	failOn         []string // gates
	write          func(*verify.Verification, io.Writer) error
	output         output
}

// verifyGates returns the exit status that a verification ends with.
func verifyGates(failOn []string, v *verify.Verification) error {
	if err := errors.Join(v.Interrupted(), v.Untried()); err != nil {
		return err
	}
	if slices.Contains(failOn, gateFlaky) && v.Flaky() || slices.Contains(failOn, gateSurvived) && v.Survived() {
		return console.ExitStatus(exitGate)
	}
	return nil
}

// verifyOptions reads the flags of verify.
func (t *tool) verifyOptions(c *cli.Context) (o verifyOptions, err error) {
	if o.write, err = verify.FormatNamed(c.String("format")); err != nil {
		return o, err
	}
	if o.workers, err = t.besideOptions(c); err != nil {
		return o, err
	}
	if o.Options, err = t.verifyRunOptions(c); err != nil {
		return o, err
	}
	if o.Suites, err = verify.Suites(c.Args().Slice(), t.client); err != nil {
		return o, err
	}
	if o.output, err = t.outputOptions(c); err != nil {
		return o, err
	}
	o.patchReport, o.caDir, o.analysis = c.String("patch-report"), c.String("ca-dir"), t.analysisOptions(c)
	db := c.String("db")
	if exists(db) || c.IsSet("db") && !c.IsSet("map") {
		o.recording = db
	}
	if len(o.Faults.Kinds) > 0 && (c.IsSet("map") || exists(db)) {
		o.volatile = cmp.Or(c.String("map"), db)
	}
	keep, err := folderOption(c, "keep")
	if err != nil {
		return o, err
	}
	o.command = verify.Command{Results: c.StringSlice("results"), Dir: keep, LogDir: keep}
	if o.command.Options, err = t.proxyOptions(c); err != nil {
		return o, err
	}
	err = workers.Conditions{Service: o.command.Service, Target: strings.Join(c.StringSlice("target"), " "), Reset: c.String("reset"),
		Listen: o.command.Listen, Results: o.command.Results, Suites: c.Args().Slice()}.Check(o.workers, o.command.Console)
	if err != nil {
		return o, err
	}
	if o.Variants, err = variantsOption(c, o.command.Service); err != nil {
		return o, err
	}
	o.failOn, err = verifyGateOptions(c, len(o.Faults.Kinds)+len(o.Variants))
	return o, err
}

// verifyRunOptions reads how often suites are run and what is planted.
func (t *tool) verifyRunOptions(c *cli.Context) (o verify.Options, err error) {
	o = verify.Options{Runs: c.Int("runs"), Timeout: c.Duration("timeout"), Secrets: c.StringSlice("secrets"),
		Faults: verify.Faults{Most: c.Int("mutants"), Seed: c.Uint64("seed"), Rules: t.rules.Places}}
	switch {
	case len(t.client) == 0:
		return o, console.Usage(errors.New(
			"verify needs the command that runs the suite: flaketap verify [SUITE…] -- CMD ARG…"))
	case o.Runs < 1:
		return o, console.Usage(fmt.Errorf("--runs must be at least 1, got %d", o.Runs))
	case o.Faults.Most < 0:
		return o, console.Usage(fmt.Errorf("--mutants must be 0 (for all) or more, got %d", o.Faults.Most))
	case o.Timeout < 0:
		return o, console.Usage(fmt.Errorf("--timeout must be a duration such as 5m, got %s", o.Timeout))
	}
	if o.Faults.Kinds, err = mutant.ParseKinds(c.StringSlice("mutate")); err != nil {
		return o, console.Usage(fmt.Errorf("--mutate: %w", err))
	}
	return o, nil
}

// verifyGateOptions reads --fail-on, where there are so many kinds of mutants and variants of the API.
func verifyGateOptions(c *cli.Context, faults int) ([]string, error) {
	gates := c.StringSlice("fail-on")
	for _, gate := range gates {
		if gate != gateFlaky && gate != gateSurvived {
			return nil, console.Usage(fmt.Errorf("unknown --fail-on %q: want one of flaky, survived", gate))
		}
		if gate == gateSurvived && faults == 0 {
			return nil, console.Usage(errors.New("--fail-on survived needs --mutate or --variants"))
		}
	}
	return gates, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// open reads what files say of the suites and of what is volatile, and where the API is where no flag says it. The
// options are complete then, and checked.
func (o *verifyOptions) open() (err error) {
	if o.Assertions, err = verify.ReadAssertionsOf(o.patchReport); err != nil {
		return err
	}
	if err := o.openRecording(); err != nil {
		return err
	}
	if o.volatile != "" {
		o.Faults.Known, err = loadFullMap(o.volatile, "--map", o.analysis, o.command.Console)
	}
	return err
}

// openRecording takes from the recording, where there is one, what no flag says: where the API is, and the proxy was.
func (o *verifyOptions) openRecording() (err error) {
	var recording exchange.Recording
	if o.recording != "" {
		if recording, err = recordingOf(o.recording); err != nil {
			return err
		}
	}
	session := &o.command.Options
	if len(recording.Passes) > 0 && recording.Passes[0].Listen != "" {
		session.Preferred = capture.RecordedAddress(recording.Passes[0])
	}
	if err := verifiedTarget(session, service.RecordedTarget(recording)); err != nil {
		return err
	}
	if err := checkAndOpenCA(session, o.caDir); err != nil {
		return err
	}
	_, err = session.NewProxy() // mistakes in the flags are told before anything runs
	return err
}

// verifiedTarget sets where the API is, where flags do not say it: at the recorded target.
func verifiedTarget(o *capture.Options, recorded string) (err error) {
	switch {
	case o.Target != nil || o.Routes != nil || o.Service != nil && o.Service.ChoosesPort():
	case recorded == "":
		err = console.Usage(errors.New(
			"verify needs the API's address: give --target URL, --start with {port}, or --db with a recording of it"))
	default:
		o.Target, err = service.BaseURL(recorded)
	}
	return err
}
