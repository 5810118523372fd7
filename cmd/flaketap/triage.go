package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/flaketap/flaketap/internal/cmdline"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/report/flaky"
	"github.com/flaketap/flaketap/report/flaky/reading"
	"github.com/flaketap/flaketap/report/triage"
	"github.com/flaketap/flaketap/volatility/analysis"
)

func (t *tool) triageCommand() *cli.Command {
	return &cli.Command{
		Name:  "triage",
		Usage: "say of each failed test of a CI run whether it is a regression, a flake, left-over state or the suite's own slip",
		UsageText: "flaketap triage RESULTS… [--run FILE] [--db FILE]… [--last K] [--map FILE] [--suite FILE|DIR]… [options]\n" +
			"flaketap triage results.xml --run run.db --db nightly --map volatile.lock   in CI",
		Description: "RESULTS are files or folders of what the run's test runner left: JUnit XML, or another form that why reads. --run is the\n" +
			"recording of that run, --db those of earlier runs, --map a map or lock that was written of them. One of --db and --map is\n" +
			"needed; the more is given, the more is known. The exit status is 3 if a test failed by a regression. docs/triage.md tells\n" +
			"how verdicts are made, and describes the JSON; docs/ci.md has recipes for GitHub Actions, GitLab and a plain shell.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "run", Usage: "recording `FILE` of the CI run that the results are of"},
			dbsFlag(), lastFlag(),
			&cli.StringFlag{Name: "map", Usage: "`FILE` of a map or lock that was written earlier"},
			&cli.StringSliceFlag{Name: "suite", Usage: "`FILE` or folder of the suite's tests; repeatable"},
			&cli.StringFlag{Name: "session", Usage: "recording `DB` of the fuzzing session that the suite came from"},
			&cli.StringFlag{Name: "format", Value: "text", Usage: "`FORM`: " + strings.Join(triage.Forms(), ", ")},
			&cli.StringFlag{Name: "fail-on", Value: failOnRegression,
				Usage: "exit with 3 for a `KIND` of failure: " + failOnRegression + ", or " + failOnUnexplained +
					" (for an unknown one, and for results without a failed test, too)"},
			&cli.StringFlag{Name: "summary", Usage: "`FILE` to append the report to in Markdown, such as $GITHUB_STEP_SUMMARY"},
			&cli.BoolFlag{Name: "reveal", Usage: "show secrets in the clear"},
			secretsFlag(), openapiFlag(), configFlag(), quietFlag(), logFlag(),
		},
		Action: t.triage,
	}
}

// What --fail-on takes.
const (
	failOnRegression  = "regression"
	failOnUnexplained = "unexplained"
)

// triageOptions is what the flags of triage ask for.
type triageOptions struct {
	in       flaky.Input
	results  []string
	suite    []string
	from     triage.Sources
	mapFile  string
	analysis analysis.Options
	form     string // one of triage.Forms
	failOn   string // one of the two
	damaged  error  // what of the results cannot be read
	summary  string // a file to append to; ""
	talk     *console.Console
}

func (t *tool) triageOptions(c *cli.Context) (o triageOptions, err error) {
	o = triageOptions{suite: c.StringSlice("suite"), from: triage.Sources{Run: c.String("run"), Last: c.Int("last")},
		mapFile: c.String("map"), analysis: t.analysisOptions(c), form: c.String("format"), summary: c.String("summary"),
		failOn: c.String("fail-on"), talk: t.consoleOptions(c)}
	o.in.SessionDB = c.String("session")
	if o.results, err = t.arguments(c); err != nil {
		return o, err
	}
	switch {
	case len(o.results) == 0:
		return o, console.Usage(errors.New("triage needs RESULTS, what a test runner left: flaketap triage results.xml"))
	case !slices.Contains(triage.Forms(), o.form):
		return o, console.Usage(fmt.Errorf("unknown --format %q: want one of %s", o.form, strings.Join(triage.Forms(), ", ")))
	case o.failOn != failOnRegression && o.failOn != failOnUnexplained:
		return o, console.Usage(fmt.Errorf("unknown --fail-on %q: want one of %s, %s", o.failOn, failOnRegression, failOnUnexplained))
	case c.IsSet("last") && o.from.Last < 1:
		return o, console.Usage(fmt.Errorf("--last must be a number of recordings from 1, got %d", o.from.Last))
	}
	if _, err := os.Stat(defaultDB); !c.IsSet("db") && (err != nil || o.from.Run == defaultDB) { // no earlier runs
		if o.mapFile == "" {
			return o, console.Usage(errors.New("triage needs one of --db and --map, which tell what earlier runs answered: " +
				"flaketap triage results.xml --db nightly"))
		}
		return o, nil
	}
	o.from.Earlier, err = cmdline.Recordings(c.StringSlice("db"))
	if none := cmdline.NoMatch(""); o.mapFile != "" && errors.As(err, &none) { // before the first night
		o.talk.Say("flaketap: %s: the map says what earlier runs answered", none)
		err = nil
	}
	if err == nil && len(o.from.Earlier) > 0 {
		o.in.DB = o.from.Earlier[len(o.from.Earlier)-1]
	}
	return o, err
}

func (t *tool) triage(c *cli.Context) error {
	o, err := t.triageOptions(c)
	if err != nil {
		return err
	}
	in, err := o.input()
	if err != nil {
		return err
	}
	found := in.Judge()
	if err := found.Write(t.out, o.form); err != nil {
		return err
	}
	if o.summary != "" {
		if err := outfile.Append(o.summary, found.Markdown); err != nil {
			return err
		}
	}
	if found.Counts[triage.Regression] > 0 ||
		o.failOn == failOnUnexplained && (found.Counts[triage.Unknown] > 0 || len(found.Tests) == 0) {
		return console.ExitStatus(exitGate)
	}
	return o.damaged // what failed in the rest may be a regression
}

// input reads all that is given.
func (o *triageOptions) input() (in *triage.Input, err error) {
	if o.damaged, err = reading.Results(&o.in, o.results); err != nil {
		return nil, err
	}
	if err := reading.Suite(&o.in, o.suite, nil, o.talk); err != nil {
		return nil, err
	}
	if o.in.Session, err = sessionOf(o.in.SessionDB); err != nil {
		return nil, err
	}
	if o.mapFile != "" {
		if o.from.Map, err = loadMap(o.mapFile, o.analysis, o.talk); err != nil {
			return nil, err
		}
	}
	if in, err = triage.Open(&o.in, o.from, o.analysis); err != nil {
		return nil, o.noRecording(err)
	}
	sayHeld(o.talk, o.in.Judged.Holder)
	o.in.Source = sourceFrom(o.in.Judged)
	return in, nil
}

// noRecording adds, to the error of opening a recording that is not there, how to come by it.
func (o *triageOptions) noRecording(err error) error {
	if missing := (*fs.PathError)(nil); errors.As(err, &missing) && missing.Path == o.from.Run {
		return console.Advise(err, "--run is the recording of this run: make it with flaketap record --db FILE -- CMD")
	}
	return cmdline.NoRecording(err)
}
