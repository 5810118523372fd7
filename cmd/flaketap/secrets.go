package main

import (
	"github.com/flaketap/flaketap/volatility/analysis"
	"github.com/urfave/cli/v2"
)

// secretsFlag names what is secret beside what is always taken for one. In the configuration file it is a list.
func secretsFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "secrets",
		Usage: "`NAME` of a member or header, or a /place, to treat as secret too; repeatable"}
}

// analysisOptions reads what the flags of a command and the configuration file say about the analysis of its recording.
func (t *tool) analysisOptions(c *cli.Context) analysis.Options {
	return analysis.Options{Rules: t.rules, Secrets: c.StringSlice("secrets"), Reveal: c.Bool("reveal"),
		Context: c.Context, ReadTemplates: describedIn}
}
