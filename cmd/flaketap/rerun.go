package main

import (
	"errors"
	"fmt"

	"github.com/flaketap/flaketap/capture"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/urfave/cli/v2"
)

func (t *tool) rerunCommand() *cli.Command {
	return &cli.Command{
		Name:      "rerun",
		Usage:     "run the recorded client again, and store what the API answers it",
		UsageText: "flaketap rerun [--runs N] [--reset CMD|URL] [options] -- CMD ARG…",
		Description: "CMD runs behind the recorder, as it did when it was recorded: with the same target, and the recorder at the\n" +
			"same address. What it asks is aligned with the recording, values that it makes up anew aside. A CMD that fails\n" +
			"stops no run; the status of the last is returned.",
		Flags: common(append(proxyFlags(append(startFlags(), maxBodyFlag())...),
			&cli.IntFlag{Name: "runs", Value: 1, Usage: "`N`umber of runs"},
			&cli.StringFlag{Name: "reset", Usage: "`CMD or URL` that puts the API back to its start, before every run"},
			resetTimeoutFlag(),
			&cli.StringFlag{Name: "listen",
				Usage: "`ADDR`ess to listen on (default: that of the recording, or any port where it is taken)"},
			&cli.StringFlag{Name: "label", Usage: "the `NAME` of the recorded pass to align with (default: the first pass)"},
			changesFlag(),
			secretsFlag(),
		)...),
		Action: t.rerun,
	}
}

// changesFlag says how much is told of the differences between a run and the recording.
func changesFlag() cli.Flag {
	return &cli.IntFlag{Name: "show-changes", Value: 3,
		Usage: "list the first `N` requests that a run has lost, added or changed; 0 for none"}
}

func (t *tool) rerun(c *cli.Context) error {
	o, err := t.rerunOptions(c)
	if err != nil {
		return err
	}
	return capture.Rerun(c.Context, o)
}

// rerunOptions reads the flags of rerun.
func (t *tool) rerunOptions(c *cli.Context) (o capture.RerunOptions, err error) {
	o = capture.RerunOptions{
		DB: c.String("db"), Label: c.String("label"), Runs: c.Int("runs"), Changes: c.Int("show-changes"),
		Secrets: c.StringSlice("secrets"),
	}
	switch {
	case len(t.client) == 0:
		return o, console.Usage(errors.New("rerun needs the client's command line: flaketap rerun -- CMD ARG…"))
	case o.Runs < 1:
		return o, console.Usage(fmt.Errorf("--runs is at least 1, not %d", o.Runs))
	case o.Changes < 0:
		return o, console.Usage(fmt.Errorf("--show-changes is a number of requests, not %d", o.Changes))
	}
	o.Options, err = t.sessionOptions(c)
	return o, err
}
