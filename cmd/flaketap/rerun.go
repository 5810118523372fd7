package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/flaketap/flaketap/capture"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/urfave/cli/v2"
)

func (t *tool) rerunCommand() *cli.Command {
	return &cli.Command{
		Name:      "rerun",
		Usage:     "run the recorded client again, and store the API's answers",
		UsageText: "flaketap rerun [--runs N] [--reset CMD|URL] [options] -- CMD ARG…",
		Description: "CMD runs as it did when it was recorded: with the same target, and the recorder at the\n" +
			"same address. Its requests are aligned with the recording; newly generated values are ignored. A CMD that fails\n" +
			"does not stop the other runs; the status of the last one is returned.",
		Flags: common(append(proxyFlags(append(slices.Concat(startFlags(), externalFlags()), maxBodyFlag())...),
			&cli.IntFlag{Name: "runs", Value: 1, Usage: "`N`umber of runs"},
			&cli.StringFlag{Name: "reset", Usage: "`CMD or URL` that resets the API, before every run"},
			resetTimeoutFlag(),
			&cli.StringFlag{Name: "listen",
				Usage: "`ADDR`ess to listen on (default: the recorded one, or any free port if it is in use)"},
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
		Usage: "list the first `N` requests that a run lost, added or changed; 0 for none"}
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
		return o, console.Usage(fmt.Errorf("--runs must be at least 1, got %d", o.Runs))
	case o.Changes < 0:
		return o, console.Usage(fmt.Errorf("--show-changes must be 0 or more, got %d", o.Changes))
	}
	o.Options, err = t.sessionOptions(c)
	return o, err
}
