package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/volatility/analysis"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/urfave/cli/v2"
)

func (t *tool) mapCommand() *cli.Command {
	return &cli.Command{
		Name:      "map",
		Usage:     "judge what is volatile, why and how surely, and write the map",
		UsageText: "flaketap map [--out FILE] [--format FORM] [--all] [--baseline OLD] [--fail-on new|any]",
		Description: "Forms: " + strings.Join(report.MapForms(), ", ") + ".\n" +
			"Rules in the configuration file (places) win over judgements; docs/map-forms.md and docs/rules.md tell more.",
		Flags: common(
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "`FILE` to write (default: stdout)"},
			&cli.StringFlag{Name: "format", Value: "json", Usage: "the map's `FORM`: json, yaml, csv, markdown, or one of another tool"},
			&cli.BoolFlag{Name: "all", Usage: "list stable places too"},
			&cli.BoolFlag{Name: "reveal", Usage: "show secrets as they are"},
			secretsFlag(),
			&cli.StringFlag{Name: "baseline", Usage: "an earlier map, or its recording, in a `FILE`: what is volatile and was not then is told"},
			openapiFlag(),
			failOnFlag(),
			forceFlag(),
		),
		Action: t.writeMap,
	}
}

func failOnFlag() cli.Flag {
	return &cli.StringFlag{Name: "fail-on", Usage: "exit with 3 if there is `any` volatile place, or one that is new beside the earlier map"}
}

// gates are what --fail-on takes.
const (
	gateAny = "any"
	gateNew = "new"
)

// checkGate refuses what no gate is.
func checkGate(c *cli.Context) error {
	switch gate := c.String("fail-on"); gate {
	case "", gateAny, gateNew:
		return nil
	default:
		return console.Usage(fmt.Errorf("--fail-on %q is not known; new and any are", gate))
	}
}

func (t *tool) writeMap(c *cli.Context) error {
	if err := t.alone(c); err != nil {
		return err
	}
	form := c.String("format")
	if !slices.Contains(report.MapForms(), form) {
		return console.Usage(fmt.Errorf("--format %q is not known; %s are", form, strings.Join(report.MapForms(), ", ")))
	}
	if err := checkGate(c); err != nil {
		return err
	}
	if c.String("fail-on") == gateNew && c.String("baseline") == "" {
		return console.Usage(errors.New("--fail-on new needs --baseline: new is what was not volatile in an earlier map"))
	}
	if err := checkOut(c); err != nil {
		return err
	}
	var old *mapfile.Map
	if path := c.String("baseline"); path != "" {
		if err := outfile.NotInput(c.String("out"), []string{path}); err != nil {
			return err
		}
		var err error
		if old, err = t.loadMap(c, path); err != nil {
			return err
		}
	}
	j, err := analysis.Judge(c.String("db"), t.analysisOptions(c))
	if err != nil {
		return noRecording(err)
	}
	err = t.emit(c, "", func(w io.Writer) error {
		return report.WriteMap(w, form, j.Map, report.FormOptions{All: c.Bool("all")})
	})
	if err != nil {
		return err
	}
	t.sayHeld(c, j.Holder)
	n := j.Map.Summary.Volatile()
	t.say(c, "flaketap: %s, %s: %s", console.Count(j.Recording.Count, "exchange"), console.Count(len(j.Map.Runs), "run"), console.Count(n, "volatile place"))
	t.warn(c, j.Map)
	var began []mapfile.Change
	if old != nil {
		began = mapfile.Diff(old, j.Map).Began()
		t.sayBegan(c, began)
	}
	return gate(c, j.Map, began)
}

// gate fails a command that found what --fail-on names.
func gate(c *cli.Context, m *mapfile.Map, began []mapfile.Change) error {
	switch c.String("fail-on") {
	case gateAny:
		if m.Summary.Volatile() > 0 {
			return console.ExitStatus(exitGate)
		}
	case gateNew:
		if len(began) > 0 {
			return console.ExitStatus(exitGate)
		}
	}
	return nil
}

// warn says in one line what the judgement rests on too little for.
func (t *tool) warn(c *cli.Context, m *mapfile.Map) {
	if len(m.Warnings) > 0 {
		t.say(c, "flaketap: warning: %s", console.OneLine(strings.Join(m.Warnings, "; ")))
	}
}
