package main

import (
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/suite/steady"
	"github.com/flaketap/flaketap/suite/steady/serve"
	"github.com/flaketap/flaketap/volatility/analysis"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/urfave/cli/v2"
)

func (t *tool) steadyCommand() *cli.Command {
	return &cli.Command{
		Name:      "steady",
		Usage:     "serve an API to the recorded client, with its volatile values held still",
		UsageText: "flaketap steady [--target URL] [--map FILE] [options] [-- CMD ARG…]",
		Description: "Each volatile value that still matches what was learned of it is replaced by the recorded one; ids are\n" +
			"translated both ways, and unordered arrays are sorted as recorded. All else passes unchanged, including\n" +
			"regressions; a summary at the end says what did, and why. The status of CMD is returned.",
		Flags: common(append(proxyFlags(startFlags()...),
			&cli.StringFlag{Name: "map", Usage: "judge by the map in this `FILE`, not by the runs in the recording"},
			&cli.StringFlag{Name: "listen",
				Usage: "`ADDR`ess to listen on (default: the recorded one, or any free port if it is in use)"},
			&cli.StringFlag{Name: "reset", Usage: "`CMD or URL` that resets the API, before the client runs"},
			resetTimeoutFlag(),
			&cli.StringFlag{Name: "label", Usage: "the `NAME` of the recorded pass (default: the first pass)"},
			&cli.BoolFlag{Name: "explain", Usage: "say in a header of every answer what passed unchanged (" + steady.Header + ")"},
			&cli.StringFlag{Name: "raw", Usage: "write what passed unchanged, and why, to `FILE` as NDJSON"},
			secretsFlag(),
		)...),
		Action: t.steady,
	}
}

func (t *tool) steady(c *cli.Context) error {
	session, err := t.sessionOptions(c)
	if err != nil {
		return err
	}
	judged, err := t.judgeSteady(c)
	if err != nil {
		return err
	}
	status, err := serve.Run(c.Context, serve.Options{
		Options: session, DB: c.String("db"), Label: c.String("label"), Judged: judged, Raw: c.String("raw"),
		Explain: c.Bool("explain"),
	})
	if err == nil && status != 0 {
		return console.ExitStatus(status)
	}
	return err
}

// judgeSteady judges the recording, by a map from a file where one is given.
func (t *tool) judgeSteady(c *cli.Context) (*analysis.Result, error) {
	var m *mapfile.Map
	if path := c.String("map"); path != "" {
		var err error
		if m, err = t.loadMap(c, path); err != nil {
			return nil, err
		}
	}
	o := t.analysisOptions(c)
	o.Reveal = true // what is held still is compared with what the API says
	j, err := analysis.Judge(c.String("db"), o)
	if err != nil {
		return nil, noRecording(err)
	}
	if m != nil {
		j.Map = m
	} else if len(j.Runs) == 0 {
		t.say(c, "flaketap: %s contains no runs, so nothing is known to move; make runs with flaketap rerun or replay",
			c.String("db"))
	}
	return j, nil
}
