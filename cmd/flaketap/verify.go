package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/capture"
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/interrupt"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/suite/mutant"
	"github.com/flaketap/flaketap/suite/verify"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/urfave/cli/v2"
)

func (t *tool) verifyCommand() *cli.Command {
	return &cli.Command{
		Name:      "verify",
		Usage:     "run a suite and its patched form repeatedly, and report what fails and which planted faults each still detects",
		UsageText: "flaketap verify [--runs N] [--reset CMD|URL] [--mutate all] [options] [SUITE…] -- CMD ARG…",
		Description: "CMD runs the suites, one at a time, in place of {}: give the original first, then its patched form. It finds the\n" +
			"API as with record (FLAKETAP_URL), and leaves its results in {results}, in the file of --results, or on stdout, as\n" +
			"JUnit XML, go test -json, jest --json or TAP; without results, its exit status counts. Results of pytest, Maven and\n" +
			"Gradle are found automatically. --mutate plants faults in answers; see docs/verify.md.\n" +
			"Kinds of mutants: " + kindsText() + ".",
		Flags: common(append(upstreamFlags(startFlags()...),
			&cli.IntFlag{Name: "runs", Value: 10, Usage: "`N`umber of runs of each suite"},
			targetsFlag(),
			&cli.StringFlag{Name: "reset", Usage: "`CMD or URL` that resets the API, before every run"},
			resetTimeoutFlag(),
			&cli.StringFlag{Name: "listen",
				Usage: "`ADDR`ess to listen on (default: the recorded one, or any free port if it is in use)"},
			hostHeaderFlag(),
			caDirFlag(),
			&cli.StringSliceFlag{Name: "results",
				Usage: "`FILE` or folder where the runner leaves its results; {} names the suite"},
			&cli.DurationFlag{Name: "timeout",
				Usage: "`TIME` limit of a run (default: none; with a fault planted, 30s more than four times the slowest run without)"},
			&cli.StringSliceFlag{Name: "mutate", Usage: "plant faults of these `KINDS`, such as change,drop, or all"},
			&cli.IntFlag{Name: "mutants", Value: 100,
				Usage: "plant at most `N` faults, each in a separate run of each suite; 0 for all"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`SEED` that chooses the faults; the same seed chooses the same faults"},
			&cli.StringFlag{Name: "map",
				Usage: "`FILE` of a map or recording that says what is volatile (default: --db if it exists, and what moves in the runs)"},
			&cli.StringFlag{Name: "patch-report", Usage: "`FILE` that patch --report wrote, to report what became of the assertions"},
			&cli.StringFlag{Name: "keep", Usage: "`DIR` for the output and results of each run"},
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "`FILE` to write (default: stdout)"},
			&cli.StringFlag{Name: "format", Value: "text", Usage: "`FORM`: text, json or junit"},
			&cli.StringSliceFlag{Name: "fail-on",
				Usage: "exit with status 3 if a test of the last suite is `flaky` (fails in any run), or if it misses a fault that the first one detects (survived)"},
			secretsFlag(),
			forceFlag(),
		)...),
		Action: t.verify,
	}
}

func kindsText() string {
	var names []string
	for _, k := range mutant.Kinds() {
		names = append(names, string(k))
	}
	return strings.Join(names, ", ")
}

// The gates of verify's --fail-on.
const (
	gateFlaky    = "flaky"
	gateSurvived = "survived"
)

// verify verifies suites.
func (t *tool) verify(c *cli.Context) (err error) {
	write, err := verifyFormat(c.String("format"))
	if err != nil {
		return err
	}
	o, err := t.verifyOptions(c)
	if err != nil {
		return err
	}
	command, err := t.verifyCommandLine(c)
	if err != nil {
		return err
	}
	if command.Dir == "" {
		if command.Dir, err = os.MkdirTemp("", "flaketap-verify-*"); err != nil {
			return fmt.Errorf("make a folder for results: %w", err)
		}
		defer func() { err = errors.Join(err, os.RemoveAll(command.Dir)) }()
	}
	interrupt.CatchBrokenPipe()
	v, err := verify.Run(c.Context, o, command, t.console(c))
	if err != nil {
		return err
	}
	if err := t.emit(c, "", func(w io.Writer) error { return write(v, w) }); err != nil {
		return err
	}
	if command.Reset == "" && command.Service == nil {
		t.say(c, "flaketap: without --reset or --start, each run starts with what the run before left behind")
	}
	return verifyGates(c.StringSlice("fail-on"), v)
}

// verifyGates returns the exit status that a verification ends with.
func verifyGates(failOn []string, v *verify.Verification) error {
	if err := v.Interrupted(); err != nil {
		return err
	}
	if slices.Contains(failOn, gateFlaky) && v.Flaky() || slices.Contains(failOn, gateSurvived) && v.Survived() {
		return console.ExitStatus(exitGate)
	}
	return nil
}

// verifyFormat reads --format.
func verifyFormat(format string) (func(*verify.Verification, io.Writer) error, error) {
	switch format {
	case "text":
		return (*verify.Verification).Text, nil
	case "json":
		return (*verify.Verification).JSON, nil
	case "junit":
		return (*verify.Verification).JUnit, nil
	}
	return nil, console.Usage(fmt.Errorf("unknown --format %q: want one of text, json, junit", format))
}

// verifyOptions reads what is run and what is planted.
func (t *tool) verifyOptions(c *cli.Context) (o verify.Options, err error) {
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
	for _, gate := range c.StringSlice("fail-on") {
		if gate != gateFlaky && gate != gateSurvived {
			return o, console.Usage(fmt.Errorf("unknown --fail-on %q: want one of flaky, survived", gate))
		}
		if gate == gateSurvived && len(o.Faults.Kinds) == 0 {
			return o, console.Usage(errors.New("--fail-on survived needs --mutate"))
		}
	}
	if o.Suites, err = suitesOf(c.Args().Slice(), t.client); err != nil {
		return o, err
	}
	if err := checkOut(c); err != nil {
		return o, err
	}
	if o.Assertions, err = patchedAssertions(c.String("patch-report")); err != nil {
		return o, err
	}
	o.Faults.Known, err = t.volatileMap(c, o.Faults.Kinds)
	return o, err
}

// suitesOf finds what the suites are, and whether the command can tell them apart.
func suitesOf(names, command []string) ([]verify.Suite, error) {
	text := strings.Join(command, "\x00")
	switch {
	case len(names) == 0 && strings.Contains(text, "{}"):
		return nil, console.Usage(errors.New("{} in the command needs a SUITE: flaketap verify SUITE -- CMD {}"))
	case len(names) > 1 && !strings.Contains(text, "{}") && !strings.Contains(text, "FLAKETAP_SUITE"):
		return nil, console.Usage(errors.New(
			"the command must contain {} where the suite belongs, as in -- pytest {}"))
	case len(names) == 0:
		return []verify.Suite{{Name: filepath.Base(command[0])}}, nil
	}
	var out []verify.Suite
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, console.Usage(fmt.Errorf("suite %s is given twice", name))
		}
		out = append(out, verify.Suite{Name: name, Arg: name})
	}
	return out, nil
}

// patchedAssertions reads --patch-report; nil where there is none.
func patchedAssertions(path string) (*verify.Assertions, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read --patch-report: %w", err)
	}
	defer f.Close()
	a, err := verify.ReadAssertions(f)
	if err != nil {
		return nil, fmt.Errorf("read --patch-report %s: %w", path, err)
	}
	return a, nil
}

// volatileMap reads what is known to be volatile: --map, or the recording where there is one; nil where neither is, or
// nothing is planted.
func (t *tool) volatileMap(c *cli.Context, kinds []mutant.Kind) (*mapfile.Map, error) {
	if len(kinds) == 0 || !c.IsSet("map") && !exists(c.String("db")) {
		return nil, nil
	}
	return t.loadMap(c, cmp.Or(c.String("map"), c.String("db")))
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// verifyCommandLine reads how the suite's command is run: where the API and the proxy are, and where results are left.
// What flags do not say, the recording does; there need be none.
func (t *tool) verifyCommandLine(c *cli.Context) (*verify.Command, error) {
	keep := c.String("keep")
	if keep != "" {
		if err := checkOutDir(c, keep); err != nil {
			return nil, err
		}
	}
	o, err := t.proxyOptions(c)
	if err != nil {
		return nil, err
	}
	recording, err := t.verifiedRecording(c)
	if err != nil {
		return nil, err
	}
	if len(recording.Passes) > 0 && recording.Passes[0].Listen != "" {
		o.Preferred = capture.RecordedAddress(recording.Passes[0])
	}
	if err := verifiedTarget(&o, service.RecordedTarget(recording)); err != nil {
		return nil, err
	}
	if err := checkAndOpenCA(c, &o); err != nil {
		return nil, err
	}
	if _, err := o.NewProxy(); err != nil { // mistakes in the flags are told before anything runs
		return nil, err
	}
	return &verify.Command{Options: o, Results: c.StringSlice("results"), Dir: keep, LogDir: keep}, nil
}

// verifiedRecording reads which recording --db is; that of none where there is none.
func (t *tool) verifiedRecording(c *cli.Context) (exchange.Recording, error) {
	db := c.String("db")
	if !exists(db) && (!c.IsSet("db") || c.IsSet("map")) {
		return exchange.Recording{}, nil
	}
	return recordingOf(db)
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
