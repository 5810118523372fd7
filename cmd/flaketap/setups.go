package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay"
	"github.com/flaketap/flaketap/replay/search"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/suite/mend"
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

// setUps reads how set-ups are found: by trials where there is an API to make them on, else by what the exchanges of
// the session say. db is the recording that the session is of.
func (t *tool) setUps(c *cli.Context, session []*exchange.Exchange, db string) (*mend.SetUps, error) {
	player, err := t.trialPlayer(c, db)
	if err != nil {
		return nil, err
	}
	if player == nil {
		return mend.InferSetUps(session, t.rules.Bindings), nil
	}
	return mend.TrySetUps(session, t.rules.Bindings, &search.PlayerTrier{Player: *player}, c.Int("trials"),
		t.console(c)), nil
}

// checkSetUps finds the mistakes in setUpFlags that need no look at a file.
func (t *tool) checkSetUps(c *cli.Context) error {
	service, reset, err := t.knownStart(c)
	switch {
	case err != nil:
		return err
	case c.Int("trials") < 1:
		return console.Usage(fmt.Errorf("--trials must be at least 1, got %d", c.Int("trials")))
	case service == nil && reset == "" && c.String("target") != "":
		return console.Usage(errors.New(
			"--target needs --reset or --start: each trial of a set-up must begin from a known start"))
	case service == nil && reset == "" && c.IsSet("trials"):
		return console.Usage(errors.New(
			"--trials needs --reset or --start: each trial of a set-up must begin from a known start"))
	}
	return nil
}

// trialPlayer returns what plays trials, nil where no flag asks for any.
func (t *tool) trialPlayer(c *cli.Context, db string) (*replay.Player, error) {
	api, reset, err := t.knownStart(c)
	if err != nil || api == nil && reset == "" {
		return nil, err
	}
	recording, err := recordingOf(db)
	if err != nil {
		return nil, err
	}
	asked := cmp.Or(c.String("target"), service.RecordedTarget(recording))
	if api != nil {
		if asked, err = api.Locate(c.String("target"), service.RecordedTarget(recording)); err != nil {
			return nil, err
		}
		asked = cmp.Or(asked, service.RecordedTarget(recording))
	}
	target, err := service.BaseURL(asked)
	if err != nil {
		return nil, err
	}
	if target == nil {
		return nil, console.Usage(errors.New("the session used several targets; choose one with --target"))
	}
	p, err := t.playerOn(c, api, reset)
	if err != nil {
		return nil, err
	}
	p.Target, p.Recorders = target, replay.Recorders(recording)
	return p, nil
}

func recordingOf(path string) (exchange.Recording, error) {
	db, err := store.OpenReadOnly(path)
	if err != nil {
		return exchange.Recording{}, noRecording(err)
	}
	defer db.Close()
	return db.Recording()
}
