package main

import (
	"errors"
	"fmt"

	"github.com/flaketap/flaketap/capture"
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/urfave/cli/v2"
)

func (t *tool) importCommand() *cli.Command {
	return &cli.Command{
		Name:      "import",
		Usage:     "take in what another tool recorded, as a recording or as a further run of one",
		UsageText: "flaketap import [--as recording|run] FILE…",
		Flags: common(
			&cli.StringFlag{Name: "as", Value: "recording",
				Usage: "`recording` or run; a run is aligned with the recording in --db"},
			&cli.StringFlag{Name: "label", Usage: "a `NAME` for what is imported"},
			&cli.StringFlag{Name: "condition", Value: "unknown",
				Usage: "what a run started from: `fresh`, continued or unknown"},
			&cli.BoolFlag{Name: "append", Usage: "add the recording as a further pass"},
			changesFlag(),
			redactAtRestFlag(),
			secretsFlag(),
		),
		Action: t.importFiles,
	}
}

func (t *tool) importFiles(c *cli.Context) error {
	files, err := t.arguments(c)
	if err != nil {
		return err
	}
	o := capture.ImportOptions{
		Destination: destinationOptions(c), Files: files, Label: c.String("label"), Changes: c.Int("show-changes"),
		Console: t.consoleOptions(c),
	}
	if len(o.Files) == 0 {
		return console.Usage(errors.New("import needs a FILE"))
	}
	if o.Start, err = startCondition(c.String("condition")); err != nil {
		return err
	}
	switch as := c.String("as"); as {
	case "recording":
		return capture.Import(o)
	case "run":
		return capture.ImportRuns(o)
	default:
		return console.Usage(fmt.Errorf("--as is recording or run, not %q", as))
	}
}

// startCondition reads --condition.
func startCondition(s string) (exchange.Start, error) {
	switch start := exchange.Start(s); start {
	case exchange.StartFresh, exchange.StartContinued, exchange.StartUnknown:
		return start, nil
	}
	return "", console.Usage(fmt.Errorf("--condition is fresh, continued or unknown, not %q", s))
}
