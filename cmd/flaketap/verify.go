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
	"time"

	"github.com/flaketap/flaketap/certs"
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/interrupt"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/suite/mutant"
	"github.com/flaketap/flaketap/suite/results"
	"github.com/flaketap/flaketap/volatility"
	"github.com/urfave/cli/v2"
)

func (t *tool) verifyCommand() *cli.Command {
	return &cli.Command{
		Name:      "verify",
		Usage:     "run a suite and its patched form again and again, and say what fails and which planted faults each still tells",
		UsageText: "flaketap verify [--runs N] [--reset CMD|URL] [--mutate all] [options] [SUITE…] -- CMD ARG…",
		Description: "CMD runs the suite that {} in it names, each SUITE in turn: the original first, then what was made of it. It finds the\n" +
			"API as with record (FLAKETAP_URL), leaves its results in {results}, in what --results names, or on stdout, as\n" +
			"JUnit XML, go test -json, jest --json or TAP; of one that leaves none the exit status counts. pytest, Maven and\n" +
			"Gradle are read without being told. --mutate plants faults in answers; docs/verify.md tells all of it.\n" +
			"Kinds of mutants: " + kindsText() + ".",
		Flags: common(append(upstreamFlags(startFlags()...),
			&cli.IntFlag{Name: "runs", Value: 10, Usage: "`N`umber of runs of each suite"},
			targetsFlag(),
			&cli.StringFlag{Name: "reset", Usage: "`CMD or URL` that puts the API back to its start, before every run"},
			resetTimeoutFlag(),
			&cli.StringFlag{Name: "listen", Usage: "`ADDR`ess to listen on (default: that of the recording, or any port where it is taken)"},
			&cli.StringFlag{Name: "host-header", Value: "client", Usage: "whose Host goes to the API: `client` or target"},
			&cli.StringFlag{Name: "ca-dir", EnvVars: []string{"FLAKETAP_CA_DIR"}, Usage: "`DIR` of the certificate authority (default: in the user's configuration)"},
			&cli.StringSliceFlag{Name: "results", Usage: "`FILE` or folder where the runner leaves its results; {} names the suite"},
			&cli.DurationFlag{Name: "timeout", Usage: "`TIME` that a run may take (default: none; with a mutant, four times the slowest without, and 30s)"},
			&cli.StringSliceFlag{Name: "mutate", Usage: "plant faults of these `KINDS`, as change,drop; all for all of them"},
			&cli.IntFlag{Name: "mutants", Value: 100, Usage: "`N`umber of faults at most, each in a run of its own of each suite; 0 for all there are"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "chooses the faults: the same `SEED`, the same faults"},
			&cli.StringFlag{Name: "map", Usage: "what is volatile: a map's `FILE`, or a recording's (default: --db where it is there, and what moves in the runs)"},
			&cli.StringFlag{Name: "patch-report", Usage: "`FILE` that patch --report wrote: what became of the assertions"},
			&cli.StringFlag{Name: "keep", Usage: "`DIR` for what each run printed and its results"},
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "`FILE` to write (default: stdout)"},
			&cli.StringFlag{Name: "format", Value: "text", Usage: "`FORM`: text, json or junit"},
			&cli.StringSliceFlag{Name: "fail-on", Usage: "exit with 3 if a test of the last suite is `flaky` (fails in any run), or a fault survived it that the first one tells"},
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

// verifier runs suites.
type verifier struct {
	*tool
	c        *cli.Context
	ca       *certs.Authority
	service  *service.Service // the API, nil where others run it
	reset    service.Reset
	known    *volatility.Map // nil where there is none
	kinds    []mutant.Kind
	dir      string // for what the runs leave
	settled  bool   // the address to listen on is the one that it has to be
	done     int    // runs
	planned  int
	begun    time.Time
	slowest  time.Duration // of the runs without mutants
	suites   []*verified
	secrets  exchange.Secrets // that the suites sent and were given
	redactor exchange.Redactor
}

// verified is one of the suites.
type verified struct {
	name       string // for people, and what {} stands for
	executions []execution
	tests      []*results.Test
	rates      results.Rates
	reliable   []*results.Test // what the whole executions say of the tests: by these a fault is told
	whole      int             // executions that did not break off; all, where all did
	cutOff     int             // executions that were cut off by --timeout
	seen       *witness
}

// verification is what comes of it.
type verification struct {
	suites      []*verified
	mutants     []*tried
	chosen      int // mutants that were to be planted
	candidates  int // those that could have been
	assertions  *assertionCounts
	interrupted bool
	kinds       []mutant.Kind
	seed        uint64
	show        func(text string) string // takes secrets out
}

func (t *tool) verify(c *cli.Context) (err error) {
	v := &verifier{tool: t, c: c, secrets: exchange.Secrets{Named: c.StringSlice("secrets")}}
	if v.service, v.reset, err = t.knownStart(c); err != nil {
		return err
	}
	write, err := v.check()
	if err != nil {
		return err
	}
	report, err := readPatchReport(c.String("patch-report"))
	if err != nil {
		return err
	}
	if err := v.findRecording(); err != nil {
		return err
	}
	if _, err := v.proxyOf(c, v.service); err != nil {
		return err
	}
	if v.ca, err = openAuthority(c.String("ca-dir")); err != nil {
		return err
	}
	if v.dir, err = os.MkdirTemp("", "flaketap-verify-*"); err != nil {
		return fmt.Errorf("make a folder for results: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(v.dir)) }()
	interrupt.CatchBrokenPipe()
	out, err := v.run()
	if err != nil {
		return err
	}
	out.assertions = report
	if err := t.emit(c, "", func(w io.Writer) error { return write(out, w) }); err != nil {
		return err
	}
	return v.conclude(out)
}

// conclude says what a report cannot, and trips the gates.
func (v *verifier) conclude(out *verification) error {
	if v.reset == "" && v.service == nil {
		v.say(v.c, "flaketap: no --reset and no --start: what one run leaves behind, the next one finds")
	}
	if out.interrupted {
		return fmt.Errorf("interrupted: %d of %d mutants were planted", len(out.mutants), out.chosen)
	}
	for _, g := range v.c.StringSlice("fail-on") {
		if g == gateFlaky && out.flaky() || g == gateSurvived && len(out.survivors()) > 0 {
			return console.ExitStatus(exitGate)
		}
	}
	return nil
}

// check finds the mistakes in the flags, and returns what writes the report.
func (v *verifier) check() (write func(*verification, io.Writer) error, err error) {
	c := v.c
	switch c.String("format") {
	case "text":
		write = (*verification).text
	case "json":
		write = (*verification).json
	case "junit":
		write = (*verification).junit
	default:
		return nil, console.Usage(fmt.Errorf("--format %q is not known; text, json and junit are", c.String("format")))
	}
	for _, g := range c.StringSlice("fail-on") {
		if g != gateFlaky && g != gateSurvived {
			return nil, console.Usage(fmt.Errorf("--fail-on %q is not known; flaky and survived are", g))
		}
		if g == gateSurvived && len(c.StringSlice("mutate")) == 0 {
			return nil, console.Usage(errors.New("--fail-on survived needs --mutate, which plants what can survive"))
		}
	}
	switch {
	case len(v.client) == 0:
		return nil, console.Usage(errors.New("verify needs the command that runs the suite: flaketap verify [SUITE…] -- CMD ARG…"))
	case c.Int("runs") < 1:
		return nil, console.Usage(fmt.Errorf("--runs is at least 1, not %d", c.Int("runs")))
	case c.Int("mutants") < 0:
		return nil, console.Usage(fmt.Errorf("--mutants is a number, or 0 for all, not %d", c.Int("mutants")))
	case c.Duration("timeout") < 0:
		return nil, console.Usage(fmt.Errorf("--timeout is a time to wait, such as 5m, not %s", c.Duration("timeout")))
	}
	if v.kinds, err = mutant.ParseKinds(c.StringSlice("mutate")); err != nil {
		return nil, console.Usage(fmt.Errorf("--mutate: %w", err))
	}
	if err := v.checkSuites(); err != nil {
		return nil, err
	}
	if c.IsSet("listen") {
		if err := checkListen(c.String("listen")); err != nil {
			return nil, err
		}
	}
	if dir := c.String("keep"); dir != "" {
		if err := checkOutDir(c, dir); err != nil {
			return nil, err
		}
	}
	return write, checkOut(c)
}

// checkSuites finds what the suites are, and whether the command can tell them apart.
func (v *verifier) checkSuites() error {
	names := v.c.Args().Slice()
	text := strings.Join(v.client, "\x00")
	told := strings.Contains(text, "{}") || strings.Contains(text, "FLAKETAP_SUITE")
	switch {
	case len(names) == 0 && strings.Contains(text, "{}"):
		return console.Usage(errors.New("{} stands for a suite, and none is given: flaketap verify SUITE -- CMD {}"))
	case len(names) > 1 && !told:
		return console.Usage(errors.New("of several suites the command has to know which one to run: {} in it stands for the suite, as in: -- pytest {}"))
	case len(names) == 0:
		names = []string{filepath.Base(v.client[0])}
	}
	for _, name := range names {
		if slices.ContainsFunc(v.suites, func(s *verified) bool { return s.name == name }) {
			return console.Usage(fmt.Errorf("the suite %s is given twice", name))
		}
		v.suites = append(v.suites, &verified{name: name})
	}
	return nil
}

// findRecording takes from the recording what flags do not say: where the API is, where the client finds the recorder, and
// what is volatile. There need be none.
func (v *verifier) findRecording() error {
	c, db := v.c, v.c.String("db")
	_, err := os.Stat(db)
	there := err == nil
	if !there && c.IsSet("db") && !c.IsSet("map") {
		return noRecording(fmt.Errorf("read recording: %w", err))
	}
	if from := cmp.Or(c.String("map"), db); len(v.kinds) > 0 && (there || c.IsSet("map")) {
		if v.known, err = v.loadMap(c, from); err != nil {
			return err
		}
	}
	if !there {
		return v.needTarget("")
	}
	s, err := store.OpenReadOnly(db)
	if err != nil {
		return err
	}
	rec, err := s.Recording()
	if err = errors.Join(err, s.Close()); err != nil {
		return err
	}
	if v.settled = c.IsSet("listen"); !v.settled && len(rec.Passes) > 0 && rec.Passes[0].Listen != "" {
		if err := c.Set("listen", recordedAddress(rec.Passes[0])); err != nil {
			return err
		}
	}
	return v.needTarget(service.RecordedTarget(rec))
}

// needTarget settles where the API is.
func (v *verifier) needTarget(recorded string) error {
	switch {
	case v.c.IsSet("target") || v.service != nil && v.service.ChoosesPort():
		return nil
	case recorded == "":
		return console.Usage(errors.New("verify needs to know where the API is: --target URL, --start with {port}, or --db with a recording of it"))
	}
	return v.c.Set("target", recorded)
}
