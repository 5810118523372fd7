package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay"
	"github.com/flaketap/flaketap/replay/search"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/setup"
	"github.com/urfave/cli/v2"
)

// setUpFlags are the flags of commands that try set-ups on an API.
func setUpFlags() []cli.Flag {
	return slices.Concat(upstreamFlags(startFlags()...), authFlags(), []cli.Flag{
		&cli.StringFlag{Name: "target", Usage: "base `URL` of an API to prove set-ups on (default: the recorded one), which wants a --reset or --start"},
		&cli.StringFlag{Name: "reset", Usage: "`CMD or URL` that puts the API back to its start, before every trial"},
		resetTimeoutFlag(),
		&cli.IntFlag{Name: "trials", Value: 40, Usage: "up to `N` trials for each test"},
	})
}

// setUps finds what the tests of a suite lean on: by trials where there is an API to make them on, else by what the
// exchanges of the session say.
type setUps struct {
	finder *setup.Finder
	search *setup.Search // nil where nothing is to be tried
	ran    []setup.Ran   // what the recorded execution of the suite sent, in order
	bar    *console.Progress
	trials int
	tried  int // tests
	proven int
}

// setUps reads the flags. session is the recording that set-ups are taken from, in db.
func (t *tool) setUps(c *cli.Context, session []*exchange.Exchange, db string) (*setUps, error) {
	s := &setUps{finder: setup.NewFinder(session, t.rules.Bindings)}
	player, err := t.trialPlayer(c, db)
	if err != nil || player == nil {
		return s, err
	}
	s.bar = t.console(c).Progress("search for what tests lean on: trial")
	s.search = &setup.Search{Finder: s.finder, Trier: &search.PlayerTrier{Player: *player}, Limit: c.Int("trials"),
		Progress: func(int, int) {
			s.trials++
			s.bar.Update(s.trials, 0)
		}}
	return s, nil
}

// checkSetUps finds the mistakes in setUpFlags that need no look at a file.
func (t *tool) checkSetUps(c *cli.Context) error {
	service, reset, err := t.knownStart(c)
	switch {
	case err != nil:
		return err
	case c.Int("trials") < 1:
		return console.Usage(fmt.Errorf("--trials is at least 1, not %d", c.Int("trials")))
	case service == nil && reset == "" && c.String("target") != "":
		return console.Usage(errors.New("--target needs --reset or --start: a set-up is proven on an API that begins anew for each trial"))
	case service == nil && reset == "" && c.IsSet("trials"):
		return console.Usage(errors.New("--trials is about an API to try set-ups on, and there is no --reset or --start of one"))
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
		return nil, console.Usage(errors.New("the session has no one target: --target says where set-ups are to be tried"))
	}
	p, err := t.playerOn(c, api, reset)
	if err != nil {
		return nil, err
	}
	p.Target, p.Recorders = target, recorders(recording)
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

// ranBy takes in what the recorded execution of the suite sent.
func (s *setUps) ranBy(tests []heldTests) {
	for _, f := range tests {
		s.ran = append(s.ran, f.Ran()...)
	}
	slices.SortStableFunc(s.ran, func(a, b setup.Ran) int { return cmp.Compare(a.Exchange.Seq, b.Exchange.Seq) })
}

// of finds what one test leans on, and what it was answered behind that.
func (s *setUps) of(ctx context.Context, l suite.Leaning) (suite.Grafting, error) {
	first := slices.IndexFunc(s.ran, func(r setup.Ran) bool { return r.File == l.File && r.Test == l.Test })
	before := s.ran[:max(0, first)]
	g := suite.Grafting{Calls: l.Calls}
	if s.search == nil {
		g.Graft, _ = s.finder.For(l.Calls, before...)
	} else {
		found, err := s.search.Find(ctx, l.Calls, before...)
		if err != nil {
			return suite.Grafting{}, err
		}
		s.tried++
		if g.Graft = found.Graft; found.Proven {
			s.proven++
		}
		g.Trials = found.Trials
	}
	if g.Refused != "" && l.Failing && !g.Needless() {
		g.Marks = append(g.Marks, "what it leans on is not given back: "+g.Refused)
	}
	for _, path := range g.Left {
		g.Marks = append(g.Marks, fmt.Sprintf("what its set-up makes is not taken away: %s may be another's where the test runs", path))
	}
	for _, x := range g.Polluters {
		g.Marks = append(g.Marks, fmt.Sprintf("holds on a fresh start only: %s leaves something behind (%s)", x.Test, x.Request))
	}
	recorded := setup.Trial{Answers: l.Session}
	for _, b := range g.Binds {
		recorded.Values = append(recorded.Values, b.Value)
	}
	g.Trials = append([]setup.Trial{recorded}, g.Trials...)
	return g, nil
}

// say tells what trials there were.
func (s *setUps) say(t *tool, c *cli.Context) {
	if s.search == nil {
		return
	}
	s.bar.Clear()
	t.say(c, "flaketap: %s of %s that lean on what was before them were proven, in %s", console.Count(s.proven, "set-up"), console.Count(s.tried, "test"), console.Count(s.trials, "trial"))
}

// manyTimes is how many times the calls of a suite a recording holds before it is taken for one of the session that the
// suite came from: a fuzzer sends far more than it keeps, and a suite is recorded a few times in a row at most.
const manyTimes = 10

// ofSession reports whether a recording of so many exchanges is one of the session, and not of the suite.
func ofSession(exchanges int, scripts []*suite.Script) bool {
	calls := 0
	for _, s := range scripts {
		calls += s.Calls()
	}
	return exchanges > manyTimes*calls
}
