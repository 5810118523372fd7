package restore

import (
	"errors"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay"
	"github.com/flaketap/flaketap/replay/search"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/suite/mend"
	"github.com/flaketap/flaketap/suite/setup"
)

// Options say on which API trials are made. The zero value has set-ups inferred from what the exchanges of the session
// say.
type Options struct {
	Player  *replay.Player // plays trials, still without a target; nil for none
	Target  string         // a base URL; "" for the recorded one
	Trials  int            // for each test at most
	Workers int            // so many instances of an API that is started at a free port are tried on at once; 0 is one
}

// SetUps returns how set-ups are found: by trials where there is an API to make them on, else by what the exchanges of
// the session say. db is the recording that the session is of.
func (o Options) SetUps(session []*exchange.Exchange, db string, rules flow.Rules,
	talk *console.Console) (*mend.SetUps, error) {
	if o.Player == nil {
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
	return mend.TrySetUps(session, rules, triers, o.Trials, talk), nil
}

// triers returns what makes trials beside each other, each on an API of its own.
func (o Options) triers(player replay.Player) ([]setup.Trier, error) {
	if o.Workers < 2 {
		return []setup.Trier{&search.PlayerTrier{Player: player}}, nil
	}
	services, err := player.Service.Apart(o.Workers)
	if err != nil {
		return nil, err
	}
	out := make([]setup.Trier, o.Workers)
	for i, api := range services {
		one := player
		one.Service = api
		out[i] = &search.PlayerTrier{Player: one}
	}
	return out, nil
}

// playerAt returns what plays trials, with the target that is given, or that of a recording.
func (o Options) playerAt(db string) (replay.Player, error) {
	p := *o.Player
	recording, err := store.ReadRecording(db)
	if err != nil {
		return p, err
	}
	if p.Target, err = service.Located(p.Service, o.Target, service.RecordedTarget(recording)); err != nil {
		return p, err
	}
	if p.Target == nil {
		return p, console.Usage(errors.New("the session used several targets; choose one with --target"))
	}
	p.Recorders = replay.Recorders(recording)
	return p, nil
}
