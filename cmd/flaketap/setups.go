package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/cmdline"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/suite/restore"
	"github.com/urfave/cli/v2"
)

// setUpFlags are the flags of commands that try set-ups on an API.
func setUpFlags() []cli.Flag {
	return slices.Concat(upstreamFlags(startFlags()...), authFlags(), []cli.Flag{
		&cli.StringFlag{Name: "target",
			Usage: "base `URL` of an API to prove set-ups on (default: the recorded one); needs --reset or --start"},
		&cli.StringFlag{Name: "reset", Usage: "`CMD or URL` that resets the API, before every trial"},
		resetTimeoutFlag(),
		&cli.IntFlag{Name: "trials", Value: 40, Usage: "at most `N` trials for each test"},
	})
}

// setUpOptions reads setUpFlags.
func (t *tool) setUpOptions(c *cli.Context) (o restore.Options, err error) {
	api, reset, err := t.startOptions(c)
	o.Target, o.Trials = c.String("target"), c.Int("trials")
	switch inferred := api == nil && reset == ""; {
	case err != nil:
		return o, err
	case o.Trials < 1:
		return o, console.Usage(fmt.Errorf("--trials must be at least 1, got %d", o.Trials))
	case inferred && o.Target != "":
		return o, console.Usage(errors.New(
			"--target needs --reset or --start: each trial of a set-up must begin from a known start"))
	case inferred && c.IsSet("trials"):
		return o, console.Usage(errors.New(
			"--trials needs --reset or --start: each trial of a set-up must begin from a known start"))
	case inferred:
		return o, nil
	}
	o.Player, err = t.apiOptions(c, api, reset)
	return o, err
}

// recordingOf reads what a recording says of itself.
func recordingOf(path string) (exchange.Recording, error) {
	r, err := store.ReadRecording(path)
	return r, cmdline.NoRecording(err)
}
