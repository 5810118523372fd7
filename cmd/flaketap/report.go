package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/cmdline"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/report/findings"
	"github.com/flaketap/flaketap/report/form"
	"github.com/flaketap/flaketap/report/inspect"
	"github.com/flaketap/flaketap/volatility/analysis"
	"github.com/urfave/cli/v2"
)

func (t *tool) reportCommand() *cli.Command {
	return &cli.Command{
		Name:      "report",
		Usage:     "report which tests are at risk, why, and what to do: a page, or what CI systems show",
		UsageText: "flaketap report [--format FORM] [--since OLD] [--suite FILE|DIR]… [--stabilized DIR|FILE] [--waits FILE]… [--out FILE]",
		Description: "Forms: " + strings.Join(formNames(), ", ") + ".\n" +
			"The report of stabilize is found beside the recording. docs/report.md says what each form holds.",
		Flags: common(
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "`FILE` to write (default: stdout)"},
			&cli.StringFlag{Name: "format", Value: form.Forms()[0].Name, Usage: "`FORM` of the report, one of those above"},
			&cli.StringFlag{Name: "title", Usage: "`TEXT` for the title"},
			&cli.StringFlag{Name: "since", Usage: "`FILE` of an earlier map, lock or recording: tell what changed since"},
			&cli.StringFlag{Name: "stabilized",
				Usage: "`FILE` of a report of stabilize or verify as JSON, or its folder: tell the failure rates before and after"},
			&cli.StringSliceFlag{Name: "suite",
				Usage: "`FILE` or folder of the suite that was recorded: tell which of its assertions are at risk; repeatable"},
			&cli.StringFlag{Name: "mocks", Usage: "`DIR` that mock search wrote: tell what the API does when its external services fail"},
			&cli.StringSliceFlag{Name: "waits",
				Usage: "`FILE` of waits record, or of waits tune as JSON: tell what a suite waits for; repeatable"},
			secretsFlag(),
			openapiFlag(),
			forceFlag(),
		),
		Action: t.writeReport,
	}
}

func formNames() []string {
	var out []string
	for _, f := range form.Forms() {
		out = append(out, f.Name)
	}
	return out
}

// reportOptions is what the flags of report ask for.
type reportOptions struct {
	db         string
	analysis   analysis.Options
	title      string
	since      string   // the file of an earlier map, or of its recording; "" for none
	stabilized string   // a report of stabilize or verify; "" for that beside the recording, if there is one
	suite      []string // files and folders
	mocks      string   // the folder of a search; "" for none
	waits      []string // files
	unrecorded bool     // there may be no recording, as the files say enough
	form       form.Form
	output     output
}

func (t *tool) reportOptions(c *cli.Context) (o reportOptions, err error) {
	o = reportOptions{db: c.String("db"), analysis: t.analysisOptions(c), title: c.String("title"), since: c.String("since"),
		stabilized: c.String("stabilized"), suite: c.StringSlice("suite"), mocks: c.String("mocks"),
		waits: c.StringSlice("waits")}
	o.unrecorded = len(o.waits) > 0 && !c.IsSet("db") && o.since == "" && o.stabilized == "" && len(o.suite) == 0
	i := slices.IndexFunc(form.Forms(), func(f form.Form) bool { return f.Name == c.String("format") })
	if i < 0 {
		return o, console.Usage(fmt.Errorf("unknown --format %q: want one of %s", c.String("format"),
			strings.Join(formNames(), ", ")))
	}
	o.form = form.Forms()[i]
	if o.output, err = t.outputOptions(c); err != nil {
		return o, err
	}
	return o, outfile.NotInput(o.output.path, append(slices.Clone(o.waits), o.since, o.stabilized))
}

func (t *tool) writeReport(c *cli.Context) error {
	if err := t.alone(c); err != nil {
		return err
	}
	o, err := t.reportOptions(c)
	if err != nil {
		return err
	}
	f, err := o.gather()
	if err != nil {
		return err
	}
	err = o.output.emit("report", func(w io.Writer) error { return o.form.Write(w, f) })
	if err == nil && c.IsSet("out") { // on stdout the report itself says it
		sayWarnings(o.output.talk, f.Map)
	}
	return err
}

// gather puts together what the report shows.
func (o reportOptions) gather() (*findings.Findings, error) {
	f, err := o.judge()
	if o.unrecorded && errors.Is(err, fs.ErrNotExist) {
		if f, err = findings.Without(); err == nil {
			f.Title = o.title
			err = f.AddWaits(o.waits)
		}
		return f, err
	}
	if err != nil {
		return nil, err
	}
	f.Title = o.title
	if o.since != "" {
		old, err := loadMap(o.since, o.analysis, o.output.talk)
		if err != nil {
			return nil, err
		}
		f.Compare(old)
	}
	rates, err := findings.RatesOf(o.stabilized, o.db)
	if err != nil {
		return nil, err
	}
	if rates != nil {
		f.Measure(rates)
	}
	if o.mocks != "" {
		if f.Behaviors, err = findings.ReadBehaviors(o.mocks); err != nil {
			return nil, notOfSearch(err)
		}
	}
	if f.Services, err = inspect.Services(o.db, o.analysis); err == nil {
		err = f.AddWaits(o.waits)
	}
	return f, err
}

// judge gathers what the recording has to say, and its suite, where that is given.
func (o reportOptions) judge() (*findings.Findings, error) {
	if len(o.suite) == 0 {
		f, err := findings.Gather(o.db, o.analysis)
		return f, cmdline.NoRecording(err)
	}
	j, err := analysis.JudgeWithSteps(o.db, o.analysis)
	if err != nil {
		return nil, cmdline.NoRecording(err)
	}
	f, err := findings.OfSteps(j)
	if err != nil {
		return nil, err
	}
	unread, err := f.Read(o.suite, sourceFrom(j))
	for _, err := range unread {
		o.output.talk.Warn("flaketap: %s", console.OneLine(err.Error()))
	}
	return f, err
}
