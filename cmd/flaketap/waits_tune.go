package main

import (
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/flaketap/flaketap/internal/cmdline"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/volatility/analysis"
	"github.com/flaketap/flaketap/waits/search"
	"github.com/flaketap/flaketap/waits/trial"
	"github.com/flaketap/flaketap/waits/tune"
)

func (t *tool) waitsTuneCommand() *cli.Command {
	return &cli.Command{
		Name:      "tune",
		Usage:     "find the time that a sleep needs by running its test, or have the test ask again in its place",
		UsageText: "flaketap waits tune FILE:LINE [--from MS] [--in-place | --out DIR | --diff] [options] -- CMD {}",
		Description: "CMD runs the test, best by itself, in a copy of the suite in place of {}, or of its file in place of {file}. It finds\n" +
			"the API as with record (FLAKETAP_URL), if --start or --target says where that is. With a recording of the suite in --db,\n" +
			"and replays of it with --settle, sleeps become polling, or get a time from what the API was seen to take.\n" +
			"docs/waits.md says what each strategy does, what its runs prove, and describes the JSON.",
		Flags: common(append(startFlags(),
			&cli.StringSliceFlag{Name: "strategy", Usage: "`NAME`: " + strings.Join(tune.Strategies(), ", ") + " (default: the best two that can be used)"},
			&cli.StringFlag{Name: "from", Usage: "search below this time, in `MS`, and not below those that waits suggest finds"},
			&cli.IntFlag{Name: "runs", Value: search.Validations, Usage: "`N`umber of runs that a time has to pass"},
			&cli.IntFlag{Name: "screen", Value: search.Screening().Enough(),
				Usage: "`N`umber of runs after which a search goes on from a time that it does not choose yet"},
			&cli.IntFlag{Name: "workers", Value: 1, Usage: "make `N` runs at once, each in a copy of its own, with an API of its own if --start has {port}"},
			&cli.StringFlag{Name: "suite", Usage: "`DIR` that is copied, and whose waits are looked at (default: the folder of tests around the FILE)"},
			&cli.StringFlag{Name: "target", Usage: "the API's base `URL`, for FLAKETAP_URL"},
			&cli.StringFlag{Name: "reset", Usage: "`CMD or URL` that resets the API, before every run"},
			resetTimeoutFlag(),
			&cli.DurationFlag{Name: "timeout", Usage: "`TIME` limit of a run (default: none)"},
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "`DIR` to write the tuned file into"},
			&cli.BoolFlag{Name: "in-place", Usage: "change the file in place"},
			&cli.BoolFlag{Name: "diff", Usage: "print the difference and change nothing (the default)"},
			&cli.StringFlag{Name: "format", Value: "text", Usage: "`FORM`: text or json"},
			forceFlag())...),
		Action: func(c *cli.Context) error {
			o, err := t.waitsTuneOptions(c)
			if err != nil {
				return err
			}
			return tune.Run(c.Context, o)
		},
	}
}

// waitsTuneOptions reads the flags of waits tune.
func (t *tool) waitsTuneOptions(c *cli.Context) (o tune.Options, err error) {
	o = tune.Options{Args: c.Args().Slice(), Suite: c.String("suite"), Cache: waitsCache(), From: c.String("from"),
		Strategies: c.StringSlice("strategy"), Validations: c.Int("runs"), Screen: c.Int("screen"),
		Trial:  trial.Options{Command: t.client, Workers: c.Int("workers"), Timeout: c.Duration("timeout"), ResetTimeout: c.Duration("reset-timeout")},
		Output: tune.Output{InPlace: c.Bool("in-place"), Diff: c.Bool("diff"), Format: c.String("format"), Stdout: t.out, Talk: t.consoleOptions(c)}}
	if o.Trial.Target, err = service.BaseURL(c.String("target")); err == nil {
		o.Trial.Service, o.Trial.Reset, err = t.startOptions(c)
	}
	if err == nil {
		o.Output.Dir, err = folderOption(c, "out")
	}
	if err != nil {
		return o, err
	}
	if db := c.String("db"); exists(db) || c.IsSet("db") {
		o.Recording = func() (suite.Source, error) {
			j, err := analysis.JudgeWithSteps(db, t.analysisOptions(c))
			if err != nil {
				return suite.Source{}, cmdline.NoRecording(err)
			}
			return sourceFrom(j), nil
		}
	}
	return o, o.Check()
}
