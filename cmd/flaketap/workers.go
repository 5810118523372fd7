package main

import (
	"context"
	"errors"

	"github.com/urfave/cli/v2"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/suite/workers"
)

// besideFlags say on which instances of the API the runs of a suite go, and what usage says of one number of them.
func besideFlags(usage string) []cli.Flag {
	return append(workFlags(), &cli.StringFlag{Name: "workers", Value: "1", Usage: usage})
}

// besideOptions reads besideFlags: how many runs go at once; 0 for as many as the hub has workers, which lend their
// APIs then to whatever reads startFlags.
func (t *tool) besideOptions(c *cli.Context) (int, error) {
	n, hub, err := workers.Read(c.String("workers"))
	if err != nil || hub == "" {
		return n, err
	}
	if c.Bool("external") {
		return 0, console.Usage(errors.New("use either --external or the workers of a hub, not both: what their APIs ask is not seen here"))
	}
	link, key, err := t.workOptions(c, hub)
	if err == nil {
		t.lent = workers.At(link, key, t.consoleOptions(c))
	}
	return 0, err
}

// atOnce is how many runs go at once, by what besideOptions read.
func (t *tool) atOnce(ctx context.Context, n int) (int, error) {
	if n > 0 {
		return n, nil
	}
	return t.lent.Count(ctx)
}
