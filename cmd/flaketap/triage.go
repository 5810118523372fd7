package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/report/flaky"
	"github.com/flaketap/flaketap/report/triage"
	"github.com/flaketap/flaketap/volatility/analysis"
	"github.com/flaketap/flaketap/volatility/mapfile"
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
			&cli.StringFlag{Name: "format", Value: "text", Usage: "`FORM`: " + strings.Join(triageForms(), ", ")},
			&cli.StringFlag{Name: "summary", Usage: "`FILE` to append the report to in Markdown, such as $GITHUB_STEP_SUMMARY"},
			&cli.BoolFlag{Name: "reveal", Usage: "show secrets in the clear"},
			secretsFlag(), openapiFlag(), configFlag(), quietFlag(), logFlag(),
		},
		Action: t.triage,
	}
}

// triageForms are the words of triage's --format.
func triageForms() []string { return []string{"text", "json", "github", "markdown"} }

// writeTriage writes a report in one of these.
func writeTriage(out io.Writer, r *triage.Report, form string) error {
	switch form {
	case "json":
		return report.JSON(out, r)
	case "github":
		return r.Annotations(out)
	case "markdown":
		return r.Markdown(out)
	}
	return r.Text(out)
}

// triageOptions is what the flags of triage ask for.
type triageOptions struct {
	why     whyOptions
	run     string   // the recording of the run; ""
	dbs     []string // of earlier ones; none where there is a map alone
	last    int
	mapFile string
	form    string
	summary string // a file to append to; ""
}

func (t *tool) triageOptions(c *cli.Context) (o triageOptions, err error) {
	o = triageOptions{run: c.String("run"), last: c.Int("last"), mapFile: c.String("map"), form: c.String("format"),
		summary: c.String("summary")}
	o.why = whyOptions{analysis: t.analysisOptions(c), suite: c.StringSlice("suite"), session: c.String("session"),
		talk: t.consoleOptions(c)}
	if o.why.results, err = t.arguments(c); err != nil {
		return o, err
	}
	known := strings.Join(triageForms(), ", ")
	switch {
	case len(o.why.results) == 0:
		return o, console.Usage(errors.New("triage needs RESULTS, what a test runner left: flaketap triage results.xml"))
	case !strings.Contains(", "+known+",", ", "+o.form+","):
		return o, console.Usage(fmt.Errorf("unknown --format %q: want one of %s", o.form, known))
	case c.IsSet("last") && o.last < 1:
		return o, console.Usage(fmt.Errorf("--last must be a number of recordings from 1, got %d", o.last))
	}
	if _, err := os.Stat(defaultDB); !c.IsSet("db") && o.mapFile != "" && (err != nil || o.run == defaultDB) {
		return o, nil // the map alone
	}
	if o.dbs, err = recordings(c.StringSlice("db")); err == nil {
		o.why.db = o.dbs[len(o.dbs)-1]
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
	if err := writeTriage(t.out, found, o.form); err != nil {
		return err
	}
	if o.summary != "" {
		if err := appendTo(o.summary, found.Markdown); err != nil {
			return err
		}
	}
	if found.Counts[triage.Regression] > 0 {
		return console.ExitStatus(exitGate)
	}
	return nil
}

// appendTo writes behind what a file holds.
func appendTo(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("append summary: %w", err)
	}
	return errors.Join(write(f), f.Close())
}

// input reads all that is given.
func (o triageOptions) input() (*triage.Input, error) {
	in := &triage.Input{Flaky: &flaky.Input{DB: o.why.db, SessionDB: o.why.session}}
	if err := o.why.readResults(in.Flaky); err != nil {
		return nil, err
	}
	if err := o.why.readSuite(in.Flaky); err != nil {
		return nil, err
	}
	var err error
	if in.Flaky.Session, err = sessionOf(o.why.session); err != nil {
		return nil, err
	}
	if err := o.judge(in); err != nil {
		return nil, err
	}
	in.Flaky.Source = sourceFrom(in.Flaky.Judged)
	return in, nil
}

// judge opens the recordings and the map, and puts that of the run beside them.
func (o triageOptions) judge(in *triage.Input) (err error) {
	var earlier *mapfile.Map
	if o.mapFile != "" {
		if earlier, err = loadMap(o.mapFile, o.why.analysis, o.why.talk); err != nil {
			return err
		}
		in.Basis.Map = true
	}
	run := flaky.NotKnown
	switch {
	case len(o.dbs) > 0:
		if in.Flaky.Judged, err = analysis.JudgeAllWithSteps(o.dbs, o.last, o.why.analysis); err != nil {
			return noRecording(err)
		}
		in.Basis.Executions = 1 + len(in.Flaky.Judged.Runs)
		if earlier != nil {
			in.Flaky.Judged.Map.Remember(earlier)
		}
		if o.run == "" {
			break
		}
		if in.Beside, err = in.Flaky.Judged.PutBeside(o.run); err != nil {
			return noRecording(err)
		}
		run, in.Flaky.Added = in.Beside.Run, in.Beside.Added
	case o.run != "":
		if in.Flaky.Judged, err = analysis.JudgedBy(o.run, earlier, o.why.analysis); err != nil {
			return noRecording(err)
		}
		run, in.Alone = 0, true
	default:
		in.Flaky.Judged = &analysis.Result{Map: earlier}
	}
	sayHeld(o.why.talk, in.Flaky.Judged.Holder)
	in.Basis.Recorded = o.run != ""
	for i := range in.Flaky.Results {
		in.Flaky.Results[i].Run = run
	}
	return nil
}
