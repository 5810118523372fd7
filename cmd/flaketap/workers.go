package main

import (
	"errors"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/flaketap/flaketap/capture/hub"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay/queue"
	"github.com/flaketap/flaketap/suite/workers"
)

// besideFlags say on which instances of the API the runs of a suite go, and what usage says of one number of them.
func besideFlags(usage string) []cli.Flag {
	return append(workFlags(), &cli.StringFlag{Name: "workers", Value: "1", Usage: usage})
}

// besideOptions reads besideFlags: how many runs go at once; 0 for as many as the hub has workers, which lend their
// APIs then to whatever reads startFlags.
func (t *tool) besideOptions(c *cli.Context) (int, error) {
	if c.Bool("external") && strings.Contains(c.String("workers"), "://") {
		return 0, console.Usage(errors.New("use either --external or the workers of a hub, not both: what their APIs ask is not seen here"))
	}
	n, link, key, err := t.atOnceOptions(c)
	if link != nil {
		t.lent = workers.At(link, key, t.consoleOptions(c))
	}
	return n, err
}

// atOnceOptions reads besideFlags: how many go at once, or 0 and the hub whose workers say so, with the key they share.
func (t *tool) atOnceOptions(c *cli.Context) (int, *hub.Link, *queue.Key, error) {
	n, address, err := workers.Read(c.String("workers"))
	if err != nil || address == "" {
		return n, nil, nil, err
	}
	link, key, err := t.workOptions(c, address)
	return 0, link, key, err
}
