package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/flaketap/flaketap/internal/cmdline"
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
		Description: "OLD and NEW are map files, locks, or recordings, which are judged first. Maps written without --all lack stable\n" +
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
	files, err := t.arguments(c)
	if err != nil {
		return err
	}
	if len(files) != 2 {
		return console.Usage(errors.New("diff needs two maps or recordings: flaketap diff OLD NEW"))
	}
	write, err := diffForm(c.String("format"))
	if err != nil {
		return err
	}
	gate, err := cmdline.ReadGate(c.String("fail-on"))
	if err != nil {
		return err
	}
	out, err := t.outputOptions(c)
	if err != nil {
		return err
	}
	var d report.Diff
	if d.Old, err = loadMap(files[0], t.analysisOptions(c), out.talk); err != nil {
		return err
	}
	if d.New, err = loadMap(files[1], t.analysisOptions(c), out.talk); err != nil {
		return err
	}
	d.Changes = mapfile.Diff(d.Old, d.New)
	if err := out.emit("difference", func(w io.Writer) error { return write(d, w) }); err != nil {
		return err
	}
	if gate.Trips(d.New, d.Began()) {
		return console.ExitStatus(exitGate)
	}
	return nil
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
func loadMap(path string, o analysis.Options, talk *console.Console) (*mapfile.Map, error) {
	o.Reveal = false
	m, holder, err := analysis.LoadMap(path, o)
	sayHeld(talk, holder)
	garbled := (*json.SyntaxError)(nil)
	if errors.Is(err, fs.ErrNotExist) || errors.As(err, &garbled) || errors.Is(err, mapfile.ErrNotMap) {
		err = console.Advise(err, "flaketap map --out FILE writes a map; a recording may be given too")
	}
	return m, err
}

// loadFullMap is loadMap for who needs more of a map than a lock has of it. flag names the file in the message.
func loadFullMap(path, flag string, o analysis.Options, talk *console.Console) (*mapfile.Map, error) {
	m, err := loadMap(path, o, talk)
	if err == nil && m.Locked {
		return nil, fmt.Errorf("%s is a lock, which says what is volatile but has no figures and no exact statements; "+
			"give %s a map (flaketap map --out FILE) or a recording", path, flag)
	}
	return m, err
}
