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
		Usage:     "import what another tool recorded, as a recording or as another run of one",
		UsageText: "flaketap import [--as recording|run] FILE…",
		Flags: common(
			&cli.StringFlag{Name: "as", Value: "recording",
				Usage: "import as a `recording`, or as a run, which is aligned with the recording in --db"},
			&cli.StringFlag{Name: "label", Usage: "`NAME` for what is imported"},
			&cli.StringFlag{Name: "condition", Value: "unknown",
				Usage: "state of the API when the run began: `fresh`, continued or unknown"},
			&cli.BoolFlag{Name: "append", Usage: "add the recording as another pass"},
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
		return console.Usage(errors.New("import needs a FILE: flaketap import FILE"))
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
		return console.Usage(fmt.Errorf("unknown --as %q: want one of recording, run", as))
	}
}

// startCondition reads --condition.
func startCondition(s string) (exchange.Start, error) {
	switch start := exchange.Start(s); start {
	case exchange.StartFresh, exchange.StartContinued, exchange.StartUnknown:
		return start, nil
	}
	return "", console.Usage(fmt.Errorf("unknown --condition %q: want one of fresh, continued, unknown", s))
}
