package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay"
	"github.com/flaketap/flaketap/replay/search"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/suite/mend"
	"github.com/flaketap/flaketap/suite/setup"
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

// setUpOptions is what setUpFlags say. The zero value has set-ups inferred from what the exchanges of the session say.
type setUpOptions struct {
	player *replay.Player // plays trials, still without a target; nil for none
	target string         // of --target; "" for the recorded one
	trials int            // for each test at most
	// so many instances of an API that is started at a free port are tried on at once; 0 is one
	workers int
}

// setUpOptions reads setUpFlags.
func (t *tool) setUpOptions(c *cli.Context) (o setUpOptions, err error) {
	api, reset, err := t.startOptions(c)
	o.target, o.trials = c.String("target"), c.Int("trials")
	switch inferred := api == nil && reset == ""; {
	case err != nil:
		return o, err
	case o.trials < 1:
		return o, console.Usage(fmt.Errorf("--trials must be at least 1, got %d", o.trials))
	case inferred && o.target != "":
		return o, console.Usage(errors.New(
			"--target needs --reset or --start: each trial of a set-up must begin from a known start"))
	case inferred && c.IsSet("trials"):
		return o, console.Usage(errors.New(
			"--trials needs --reset or --start: each trial of a set-up must begin from a known start"))
	case inferred:
		return o, nil
	}
	o.player, err = t.apiOptions(c, api, reset)
	return o, err
}

// setUps returns how set-ups are found: by trials where there is an API to make them on, else by what the exchanges of
// the session say. db is the recording that the session is of.
func (o setUpOptions) setUps(session []*exchange.Exchange, db string, rules flow.Rules,
	talk *console.Console) (*mend.SetUps, error) {
	if o.player == nil {
		return mend.InferSetUps(session, rules), nil
	}
	player, err := o.playerAt(db)
	if err != nil {
		return nil, err
	}
	triers, err := o.triers(player)
	if err != nil {
		return nil, err
	}
	return mend.TrySetUps(session, rules, triers, o.trials, talk), nil
}

// triers returns what makes trials beside each other, each on an API of its own.
func (o setUpOptions) triers(player replay.Player) ([]setup.Trier, error) {
	if o.workers < 2 {
		return []setup.Trier{&search.PlayerTrier{Player: player}}, nil
	}
	services, err := player.Service.Apart(o.workers)
	if err != nil {
		return nil, err
	}
	out := make([]setup.Trier, o.workers)
	for i, api := range services {
		one := player
		one.Service = api
		out[i] = &search.PlayerTrier{Player: one}
	}
	return out, nil
}

// playerAt returns what plays trials, with the target that is given, or that of a recording.
func (o setUpOptions) playerAt(db string) (replay.Player, error) {
	p := *o.player
	recording, err := recordingOf(db)
	if err != nil {
		return p, err
	}
	asked := cmp.Or(o.target, service.RecordedTarget(recording))
	if p.Service != nil {
		if asked, err = p.Service.Locate(o.target, service.RecordedTarget(recording)); err != nil {
			return p, err
		}
		asked = cmp.Or(asked, service.RecordedTarget(recording))
	}
	if p.Target, err = service.BaseURL(asked); err != nil {
		return p, err
	}
	if p.Target == nil {
		return p, console.Usage(errors.New("the session used several targets; choose one with --target"))
	}
	p.Recorders = replay.Recorders(recording)
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
