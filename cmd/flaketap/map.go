package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/flaketap/flaketap/volatility"
	"github.com/urfave/cli/v2"
)

func (t *tool) mapCommand() *cli.Command {
	return &cli.Command{
		Name:      "map",
		Usage:     "judge what is volatile, why and how surely, and write the map",
		UsageText: "flaketap map [--out FILE] [--all]",
		Flags: common(
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "`FILE` to write (default: stdout)"},
			&cli.StringFlag{Name: "format", Value: "json", Usage: "the map's `FORM`: json"},
			&cli.BoolFlag{Name: "all", Usage: "list stable places too"},
			&cli.BoolFlag{Name: "reveal", Usage: "show secrets as they are"},
			secretsFlag(),
			&cli.StringFlag{Name: "fail-on", Usage: "exit with 3 if there is `any` volatile place"},
			forceFlag(),
		),
		Action: t.writeMap,
	}
}

func (t *tool) writeMap(c *cli.Context) error {
	if err := t.alone(c); err != nil {
		return err
	}
	if c.String("format") != "json" {
		return usageError{fmt.Errorf("--format %q is not known; json is", c.String("format"))}
	}
	if gate := c.String("fail-on"); gate != "" && gate != "any" {
		return usageError{fmt.Errorf("--fail-on %q is not known; any is", gate)}
	}
	if err := checkOut(c); err != nil {
		return err
	}
	j, err := judge(c.String("db"), c.Bool("reveal"), t.rules, c.StringSlice("secrets")...)
	if err != nil {
		return err
	}
	err = t.emit(c, "", func(w io.Writer) error { return j.Map.Encode(w, volatility.EncodeOptions{All: c.Bool("all")}) })
	if err != nil {
		return err
	}
	t.sayHeld(c, j.holder)
	n := j.Map.Summary.Volatile()
	t.say(c, "flaketap: %s, %s: %s", counted(j.recording.Count, "exchange"), counted(len(j.Map.Runs), "run"), counted(n, "volatile place"))
	t.warn(c, j.Map)
	if c.String("fail-on") == "any" && n > 0 {
		return statusError(exitGate)
	}
	return nil
}

// warn says in one line what the judgement rests on too little for.
func (t *tool) warn(c *cli.Context, m *volatility.Map) {
	if len(m.Warnings) > 0 {
		t.say(c, "flaketap: take it with care: %s", oneLine(strings.Join(m.Warnings, "; ")))
	}
}
