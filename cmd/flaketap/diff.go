package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/volatility/analysis"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/urfave/cli/v2"
)

func (t *tool) diffCommand() *cli.Command {
	return &cli.Command{
		Name:      "diff",
		Usage:     "compare two maps: what began to move, what stopped, and what is judged differently",
		UsageText: "flaketap diff OLD NEW [--format text|json|markdown] [--out FILE] [--fail-on new|any]",
		Description: "OLD and NEW are map files, or recordings, which are judged first. Maps written without --all lack stable\n" +
			"places: what they do not list is assumed to be stable.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "`FILE` to write (default: stdout)"},
			&cli.StringFlag{Name: "format", Value: "text", Usage: "`FORM`: text, json or markdown (for a pull request)"},
			secretsFlag(), failOnFlag(), forceFlag(), configFlag(), quietFlag(), logFlag(),
		},
		Action: t.diff,
	}
}

func (t *tool) diff(c *cli.Context) error {
	if err := t.noClient(c); err != nil {
		return err
	}
	if c.NArg() != 2 {
		return console.Usage(errors.New("diff needs two maps or recordings: flaketap diff OLD NEW"))
	}
	write, err := diffForm(c.String("format"))
	if err != nil {
		return err
	}
	gate, err := readGate(c)
	if err != nil {
		return err
	}
	if err := checkOut(c); err != nil {
		return err
	}
	var d report.Diff
	if d.Old, err = t.loadMap(c, c.Args().Get(0)); err != nil {
		return err
	}
	if d.New, err = t.loadMap(c, c.Args().Get(1)); err != nil {
		return err
	}
	d.Changes = mapfile.Diff(d.Old, d.New)
	if err := t.emit(c, "difference", func(w io.Writer) error { return write(d, w) }); err != nil {
		return err
	}
	return gate.check(d.New, d.Began())
}

// diffForm returns what writes a difference in a form.
func diffForm(form string) (func(report.Diff, io.Writer) error, error) {
	switch form {
	case "text":
		return report.Diff.Text, nil
	case "json":
		return report.Diff.JSON, nil
	case "markdown":
		return report.Diff.Markdown, nil
	}
	return nil, console.Usage(fmt.Errorf("unknown --format %q: want one of text, json, markdown", form))
}

// loadMap reads the map, or judges the recording, that a file is. What it says of secrets is never written.
func (t *tool) loadMap(c *cli.Context, path string) (*mapfile.Map, error) {
	o := t.analysisOptions(c)
	o.Reveal = false
	m, holder, err := analysis.LoadMap(path, o)
	t.sayHeld(c, holder)
	return m, err
}

// sayBegan tells what is volatile and was not in an earlier map.
func sayBegan(talk *console.Console, began []mapfile.Change) {
	const shown = 10
	for _, x := range began[:min(shown, len(began))] {
		talk.Say("flaketap: began to move: %s",
			console.OneLine(fmt.Sprintf("%s %d %s (%s %s)", x.Operation, x.Status, x.Place, x.New.Judgement, x.New.Category)))
	}
	if more := len(began) - shown; more > 0 {
		talk.Say("flaketap: and %s", console.Count(more, "more place"))
	}
	if len(began) == 0 {
		talk.Say("flaketap: no newly volatile places since the earlier map")
	}
}
