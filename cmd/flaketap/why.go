package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/flaketap/flaketap/internal/cmdline"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/report/flaky"
	"github.com/flaketap/flaketap/report/flaky/reading"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/stabilize"
	"github.com/flaketap/flaketap/volatility/analysis"
)

func (t *tool) whyCommand() *cli.Command {
	return &cli.Command{
		Name:  "why",
		Usage: "explain why a test flaked: which assertion, which answer, since when, and what to do",
		UsageText: "flaketap why TEST [--suite FILE|DIR]… [--results FILE|DIR]… [options]\n" +
			"flaketap why --results FILE|DIR [options]   every test that failed",
		Description: "TEST is the name of a test, or a part of it that no other has. DB is a recording of the suite, in any language, with\n" +
			"the runs of rerun, or one of stabilize, whose results are there. --suite reads the assertions of " + suite.Forms() + ".\n" +
			"docs/why.md tells how tests are tied to their exchanges, and describes the JSON.",
		Flags: common(
			&cli.StringSliceFlag{Name: "results",
				Usage: "`FILE` or folder of what the runner left: JUnit XML, go test -json, jest --json, TAP; repeatable"},
			&cli.StringSliceFlag{Name: "suite", Usage: "`FILE` or folder of the suite's tests; repeatable"},
			&cli.StringFlag{Name: "session", Usage: "recording `DB` of the fuzzing session that the suite came from"},
			&cli.StringFlag{Name: "format", Value: "text", Usage: "`FORM`: text, json or ndjson"},
			&cli.BoolFlag{Name: "reveal", Usage: "show secrets in the clear"},
			secretsFlag(),
			openapiFlag(),
		),
		Action: t.why,
	}
}

func (t *tool) why(c *cli.Context) error {
	o, err := t.whyOptions(c)
	if err != nil {
		return err
	}
	in, err := o.input()
	if err != nil {
		return err
	}
	found := in.Failing()
	if o.test != "" {
		one, err := in.Find(o.test)
		if err != nil {
			return err
		}
		found = []*report.Flake{one}
	}
	if len(found) == 0 {
		o.talk.Say("flaketap: no test failed in %s of results", console.Count(len(in.Results), "file"))
	}
	return report.WriteFlakes(t.out, o.form, found)
}

// whyOptions is what the flags of why ask for.
type whyOptions struct {
	db       string
	analysis analysis.Options
	test     string   // "": every test that failed
	results  []string // files and folders
	suite    []string
	session  string
	form     report.Form
	talk     *console.Console
}

// whyOptions reads the flags of why.
func (t *tool) whyOptions(c *cli.Context) (o whyOptions, err error) {
	o = whyOptions{db: c.String("db"), analysis: t.analysisOptions(c), results: c.StringSlice("results"),
		suite: c.StringSlice("suite"), session: c.String("session"), form: report.Form(c.String("format")),
		talk: t.consoleOptions(c)}
	args, err := t.arguments(c)
	switch {
	case err != nil:
		return o, err
	case len(args) > 1:
		return o, console.Usage(fmt.Errorf("why takes one TEST, got also %q", args[1]))
	case len(args) == 1 && args[0] == "":
		return o, console.Usage(errors.New("the name of the TEST is empty"))
	case len(args) == 1 && ofResults(args[0]):
		o.results = append(o.results, args[0])
	case len(args) == 1:
		o.test = args[0]
	}
	if o.test == "" && len(o.results) == 0 {
		return o, console.Usage(errors.New("why needs a TEST, or --results FILE|DIR for every test that failed"))
	}
	switch o.form {
	case report.FormText, report.FormJSON, report.FormNDJSON:
	default:
		return o, console.Usage(fmt.Errorf("unknown --format %q: want one of text, json, ndjson", o.form))
	}
	return o, nil
}

// ofResults reports whether an argument names a file of results that is there, rather than a test.
func ofResults(arg string) bool {
	info, err := os.Stat(arg)
	return err == nil && info.Mode().IsRegular() && slices.Contains([]string{".xml", ".json", ".tap"}, filepath.Ext(arg))
}

// input reads the results, the suite and the recording.
func (o whyOptions) input() (*flaky.Input, error) {
	in := &flaky.Input{DB: o.db, SessionDB: o.session, Stabilized: stabilize.Patched(o.db)}
	if err := o.readResults(in); err != nil {
		return nil, err
	}
	if err := reading.Suite(in, o.suite, []string{o.db, o.session}, o.talk); err != nil {
		return nil, err
	}
	var err error
	if in.Session, err = sessionOf(o.session); err != nil {
		return nil, err
	}
	if in.Judged, err = analysis.JudgeWithSteps(o.db, o.analysis); err != nil {
		return nil, cmdline.NoRecording(err)
	}
	sayHeld(o.talk, in.Judged.Holder)
	in.Source = sourceFrom(in.Judged)
	return in, nil
}

// readResults reads the files that were given, or what stabilize has kept.
func (o whyOptions) readResults(in *flaky.Input) error {
	if len(o.results) > 0 {
		damaged, err := reading.Results(in, o.results)
		if damaged != nil {
			o.talk.Warn("flaketap: %s", console.OneLine(damaged.Error()))
		}
		return err
	}
	kept, err := stabilize.KeptResults(o.db)
	for run, all := range kept {
		in.Results = append(in.Results, flaky.Execution{Run: run, Results: all})
	}
	return err
}
