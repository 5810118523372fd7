package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/cmdline"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/report/inspect"
	"github.com/flaketap/flaketap/volatility/analysis"
	"github.com/flaketap/flaketap/volatility/analysis/parts"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/urfave/cli/v2"
)

func (t *tool) mapCommand() *cli.Command {
	return &cli.Command{
		Name:      "map",
		Usage:     "judge what is volatile, why, and how sure that is, and write the map",
		UsageText: "flaketap map [--db FILE]… [--last K] [--out FILE] [--format FORM] [--all] [--baseline OLD] [--fail-on new|any]",
		Description: "Forms: " + strings.Join(report.MapForms(), ", ") + ".\n" +
			"Rules in the configuration file (places) override judgements; see docs/map-forms.md and docs/rules.md.",
		Flags: append(workFlags(), dbsFlag(), lastFlag(), configFlag(), quietFlag(), logFlag(),
			&cli.StringFlag{Name: "workers", Usage: "nats://HOST:PORT/NAME, where flaketap worker judges (default: this process does)"},
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "`FILE` to write (default: stdout)"},
			&cli.StringFlag{Name: "format", Value: "json", Usage: "the map's `FORM`, one of those above"},
			&cli.BoolFlag{Name: "all", Usage: "list stable places too"},
			&cli.BoolFlag{Name: "reveal", Usage: "show secrets in the clear"},
			secretsFlag(),
			&cli.StringFlag{Name: "baseline",
				Usage: "`FILE` of an earlier map, lock or recording: report what is volatile now and was not then; a new lock " +
					"keeps what is still true of it"},
			openapiFlag(),
			failOnFlag(),
			forceFlag()),
		Action: t.writeMap,
	}
}

func failOnFlag() cli.Flag {
	return &cli.StringFlag{Name: "fail-on",
		Usage: "exit with status 3 if `any` place is volatile, or (new) one that began to move since the earlier map"}
}

// mapOptions is what the flags of map ask for. With a recording and a form alone, it writes a map without stable
// places, compares it with no other, and fails for nothing.
type mapOptions struct {
	dbs      []string // the files of recordings of one client
	last     int      // so many of them count, the newest; 0 for all
	analysis analysis.Options
	form     string // one of report.MapForms
	written  report.FormOptions
	baseline string // the file of an earlier map, or of its recording; "" for none
	gate     cmdline.Gate
	output   output
}

func (t *tool) mapOptions(c *cli.Context) (o mapOptions, err error) {
	o = mapOptions{last: c.Int("last"), analysis: t.analysisOptions(c), form: c.String("format"),
		written: report.FormOptions{All: c.Bool("all")}, baseline: c.String("baseline")}
	if !slices.Contains(report.MapForms(), o.form) {
		return o, console.Usage(fmt.Errorf("unknown --format %q: want one of %s", o.form,
			strings.Join(report.MapForms(), ", ")))
	}
	if c.IsSet("last") && o.last < 1 {
		return o, console.Usage(fmt.Errorf("--last must be a number of recordings from 1, got %d", o.last))
	}
	if o.dbs, err = cmdline.Recordings(c.StringSlice("db")); err != nil {
		return o, err
	}
	if o.gate, err = cmdline.ReadGate(c.String("fail-on")); err != nil {
		return o, err
	}
	if o.gate == cmdline.GateNew && o.baseline == "" {
		return o, console.Usage(errors.New("--fail-on new needs --baseline, an earlier map to compare with"))
	}
	if o.form == report.OverlayForm {
		if o.written.Description, err = description(c.String("openapi")); err != nil {
			return o, err
		}
	}
	if o.output, err = t.outputOptions(c); err == nil {
		err = outfile.NotInput(o.output.path, o.dbs)
	}
	// A lock is written over the earlier one, which is read to its end before.
	if err != nil || o.baseline == "" || o.form == report.LockForm {
		return o, err
	}
	return o, outfile.NotInput(o.output.path, []string{o.baseline})
}

func (t *tool) writeMap(c *cli.Context) error {
	if err := t.alone(c); err != nil {
		return err
	}
	o, err := t.mapOptions(c)
	if err != nil {
		return err
	}
	if at := c.String("workers"); at != "" {
		l, key, err := t.workOptions(c, at)
		if err != nil {
			return err
		}
		defer l.Close()
		o.analysis.Elsewhere = &parts.Lead{Board: l.Judging(), Key: key, Console: t.consoleOptions(c)}
	}
	var old *mapfile.Map
	talk := o.output.talk
	if o.baseline != "" {
		if old, err = loadMap(o.baseline, o.analysis, talk); err != nil {
			return err
		}
	}
	j, err := analysis.JudgeAll(o.dbs, o.last, o.analysis)
	if err != nil {
		return cmdline.NoRecording(err)
	}
	written := j.Map
	if o.form == report.LockForm && old != nil {
		written = j.Map.Settle(old)
	}
	if o.form == report.PactForm && len(o.dbs) == 1 {
		if o.written.Asked, err = inspect.Asked(o.dbs[0], j); err != nil {
			return err
		}
	}
	write := func(w io.Writer) error { return report.WriteMap(w, o.form, written, o.written) }
	if err := o.output.emit("", write); err != nil {
		return err
	}
	sayHeld(talk, j.Holder)
	if j.Recordings > 1 {
		talk.Say("flaketap: %d recordings as one: the older ones and their runs are runs of the newest", j.Recordings)
	}
	talk.Say("flaketap: %s, %s: %s", console.Count(j.Recording.Count, "exchange"), console.Count(len(j.Map.Runs), "run"),
		console.Count(j.Map.Summary.Volatile(), "volatile place"))
	sayWarnings(talk, j.Map)
	var began []mapfile.Change
	if old != nil {
		changes := mapfile.Diff(old, j.Map)
		began = changes.Began()
		cmdline.SayBegan(talk, changes)
		cmdline.SayStopped(talk, mapfile.Diff(old, written))
	}
	if o.gate.Trips(j.Map, began) {
		return console.ExitStatus(exitGate)
	}
	return nil
}
