package main

import (
	"github.com/flaketap/flaketap/replay/runs"
	"github.com/flaketap/flaketap/store"
	"github.com/urfave/cli/v2"
)

// changesFlag says how much is told of the differences between a run and the recording.
func changesFlag() cli.Flag {
	return &cli.IntFlag{Name: "show-changes", Value: 3, Usage: "list the first `N` requests that a run has lost, added or changed; 0 for none"}
}

// sayDifferences lists them.
func (t *tool) sayDifferences(c *cli.Context, db *store.Store, p *runs.Alignment, exchanges runs.Source) error {
	if c.Bool("quiet") {
		return nil
	}
	lines, err := p.Differences(db, exchanges, c.Int("show-changes"))
	for _, line := range lines {
		t.say(c, "  %s", line)
	}
	return err
}
