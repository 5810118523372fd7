package main

import (
	"errors"
	"slices"

	"github.com/flaketap/flaketap/internal/cmdline"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/suite/steady"
	"github.com/flaketap/flaketap/suite/steady/serve"
	"github.com/flaketap/flaketap/volatility/analysis"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/urfave/cli/v2"
)

func (t *tool) steadyCommand() *cli.Command {
	return &cli.Command{
		Name:      "steady",
		Usage:     "serve an API to the recorded client, with its volatile values held still",
		UsageText: "flaketap steady [--target URL] [--map FILE] [options] [-- CMD ARG…]",
		Description: "Each volatile value that still matches what was learned of it is replaced by the recorded one; ids are\n" +
			"translated both ways, and unordered arrays are sorted as recorded. All else passes unchanged, including\n" +
			"regressions; a summary at the end says what did, and why. The status of CMD is returned.",
		Flags: common(append(proxyFlags(slices.Concat(startFlags(), externalFlags())...),
			&cli.StringFlag{Name: "map", Usage: "judge by the map in this `FILE`, not by the runs in the recording"},
			&cli.StringFlag{Name: "listen",
				Usage: "`ADDR`ess to listen on (default: the recorded one, or any free port if it is in use)"},
			&cli.StringFlag{Name: "reset", Usage: "`CMD or URL` that resets the API, before the client runs"},
			resetTimeoutFlag(),
			&cli.StringFlag{Name: "label", Usage: "the `NAME` of the recorded pass (default: the first pass)"},
			&cli.BoolFlag{Name: "hold",
				Usage: "send a read that follows a write again until the API answers as in passing runs, and answer it then"},
			&cli.StringSliceFlag{Name: "results",
				Usage: "`FILE` or folder where the test runner leaves its results, to name the tests of held reads; repeatable"},
			&cli.BoolFlag{Name: "explain", Usage: "say in a header of every answer what passed unchanged (" + steady.Header + ")"},
			&cli.StringFlag{Name: "raw", Usage: "write what passed unchanged, and why, to `FILE` as NDJSON"},
			secretsFlag(),
		)...),
		Action: t.steady,
	}
}

func (t *tool) steady(c *cli.Context) error {
	o, err := t.steadyOptions(c)
	if err != nil {
		return err
	}
	if o.Judged, err = o.judge(); err != nil {
		return err
	}
	status, err := serve.Run(c.Context, o.Options)
	if err == nil && status != 0 {
		return console.ExitStatus(status)
	}
	return err
}

// steadyOptions is what the flags of steady ask for. With a session alone, it judges by the recording's own runs.
type steadyOptions struct {
	serve.Options                  // not judged yet
	analysis      analysis.Options // how the recording is judged
	volatile      string           // the file of a map to judge by; "" for none
}

// steadyOptions reads the flags of steady.
func (t *tool) steadyOptions(c *cli.Context) (steadyOptions, error) {
	session, err := t.sessionOptions(c)
	if err == nil && c.IsSet("results") && !c.Bool("hold") {
		err = console.Usage(errors.New("--results names the tests of reads that are held: it needs --hold"))
	}
	return steadyOptions{
		Options: serve.Options{Options: session, DB: c.String("db"), Label: c.String("label"), Raw: c.String("raw"),
			Explain: c.Bool("explain"), Hold: c.Bool("hold"), Results: c.StringSlice("results")},
		analysis: t.analysisOptions(c), volatile: c.String("map"),
	}, err
}

// judge judges the recording, by a map from a file where one is given.
func (o *steadyOptions) judge() (*analysis.Result, error) {
	var m *mapfile.Map
	if o.volatile != "" {
		var err error
		if m, err = loadFullMap(o.volatile, "--map", o.analysis, o.Console); err != nil {
			return nil, err
		}
	}
	revealed := o.analysis
	revealed.Reveal = true // what is held still is compared with what the API says
	j, err := analysis.Judge(o.DB, revealed)
	if err != nil {
		return nil, cmdline.NoRecording(err)
	}
	if m != nil {
		j.Map = m
	} else if len(j.Runs) == 0 {
		o.Console.Say("flaketap: %s contains no runs, so nothing is known to move; make runs with flaketap rerun or replay", o.DB)
	}
	return j, nil
}
