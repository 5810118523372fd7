package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/volatility/analysis"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/rules"
	"github.com/urfave/cli/v2"
)

func (t *tool) diffCommand() *cli.Command {
	return &cli.Command{
		Name:      "diff",
		Usage:     "say what began to move, what stopped, and what is judged otherwise from one map to another",
		UsageText: "flaketap diff OLD NEW [--format text|json|markdown] [--out FILE] [--fail-on new|any]",
		Description: "OLD and NEW are map files, or recordings, which are judged for it. Maps that were written without --all lack stable\n" +
			"places: what they do not list is taken for stable.",
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
		return console.Usage(errors.New("diff needs two maps: flaketap diff OLD NEW"))
	}
	var write func(report.Diff, io.Writer) error
	switch form := c.String("format"); form {
	case "text":
		write = report.Diff.Text
	case "json":
		write = report.Diff.JSON
	case "markdown":
		write = report.Diff.Markdown
	default:
		return console.Usage(fmt.Errorf("--format %q is not known; text, json and markdown are", form))
	}
	if err := checkGate(c); err != nil {
		return err
	}
	if err := checkOut(c); err != nil {
		return err
	}
	var maps [2]*mapfile.Map
	for i := range maps {
		var err error
		if maps[i], err = t.loadMap(c, c.Args().Get(i)); err != nil {
			return err
		}
	}
	d := report.Diff{Old: maps[0], New: maps[1], Changes: mapfile.Diff(maps[0], maps[1])}
	if err := t.emit(c, "difference", func(w io.Writer) error { return write(d, w) }); err != nil {
		return err
	}
	return gate(c, d.New, d.Began())
}

// boltMagic stands in each database of bbolt behind the head of its first page.
var boltMagic = [...]byte{0xed, 0xda, 0x0c, 0xed}

// loadMap reads a map file, or judges the recording that a file is. The user's rules have the last word on both.
func (t *tool) loadMap(c *cli.Context, path string) (*mapfile.Map, error) {
	head := make([]byte, 20)
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read map: %w", err)
	}
	n, _ := io.ReadFull(f, head)
	f.Close()
	if n == len(head) && bytes.Equal(head[16:], boltMagic[:]) {
		o := t.analysisOptions(c)
		o.Reveal = false // --reveal is about what is written
		j, err := analysis.Judge(path, o)
		if err != nil {
			return nil, noRecording(err)
		}
		t.sayHeld(c, j.Holder)
		return j.Map, nil
	}
	m, err := readMap(path)
	if err != nil {
		return nil, err
	}
	rules.Apply(m, t.rules.Places)
	return m, nil
}

// sayBegan tells what is volatile and was not in an earlier map.
func (t *tool) sayBegan(c *cli.Context, began []mapfile.Change) {
	const shown = 10
	for _, x := range began[:min(shown, len(began))] {
		t.say(c, "flaketap: began to move: %s", console.OneLine(fmt.Sprintf("%s %d %s (%s %s)", x.Operation, x.Status, x.Place, x.New.Judgement, x.New.Category)))
	}
	if more := len(began) - shown; more > 0 {
		t.say(c, "flaketap: and %s", console.Count(more, "more place"))
	}
	if len(began) == 0 {
		t.say(c, "flaketap: nothing is volatile that was not in the earlier map")
	}
}
