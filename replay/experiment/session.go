package experiment

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/volatility/analysis"
)

// Options says what to replay, where to and how. The zero value but for DB plays a recording once, in its order and as
// fast as answers come, to where it was recorded.
type Options struct {
	DB     string        // the recording's file
	Rules  flow.Rules    // what the user says of bindings
	Player replay.Player // how the API is reached, started and reset, and how requests are paced; the rest is set here

	Target   string    // the base URL to replay to; "" for the recorded one
	Requests Selection // which requests are sent
	Answers  io.Reader // where the user answers, if the Selection asks; nil where nobody can

	Runs        int      // as recorded; 0 means 1
	Experiments []Wanted // further runs, see [Read]
	Trials      int      // how many runs the search for what depends on order may take; 0 for no search
	FakeTime    string   // the file of libfaketime; "" where it is found by itself
	SettleAll   bool     // ask unsettled reads again in every run, not in the first alone (Player.Settle)

	Bound   float64 // repeat requests until what is stable moves with a chance below this (95 % confidence); 0: do not
	MaxRuns int     // with Bound, up to so many runs as recorded for what cannot be repeated; 0: no more than Runs

	// Elsewhere has workers play the runs; nil plays them here. They have no further runs (Experiments, Bound), and the
	// Player's API is theirs.
	Elsewhere *Elsewhere

	Resume  bool // go on with the replay that was cut off last, which had the same options
	Console *console.Console
}

// session is a replay under way.
type session struct {
	Options
	db        *store.Store
	recording exchange.Recording
	survey    *survey
	player    replay.Player
	chosen    *selected
	load      *load
	elsewhere *elsewhere // nil where runs are played here
	unmoved   error      // why the API's clock could not be moved; nil where it could, or was not to be
}

// Run replays a recording as the options say, and stores the runs. A run that fails or is interrupted is stored as far
// as it came; the error says how to go on with it.
func Run(ctx context.Context, o Options) (err error) {
	if o.Elsewhere != nil {
		if o, err = o.forWorkers(); err != nil {
			return err
		}
	}
	db, err := store.Open(o.DB, store.Options{Doing: "replaying"})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	gc := analysis.TuneGC(analysis.Unbounded)
	defer gc.Restore()
	s, err := open(db, o, gc)
	if err != nil {
		return err
	}
	if o.Requests.ask {
		if err := s.askUnsafe(ctx); err != nil {
			return err
		}
	}
	plan, err := s.plan()
	if err != nil {
		return err
	}
	s.load.sayUnreplayable(s.Console)
	s.sayPlan(plan)
	if s.Elsewhere != nil {
		if s.elsewhere, err = s.beginElsewhere(ctx, plan); s.elsewhere != nil {
			defer func() { err = s.elsewhere.end(err) }()
		}
		if err != nil {
			return err
		}
	}
	if err := s.playRuns(ctx, plan); err != nil {
		return err
	}
	if o.Bound > 0 {
		if err := s.lookAgain(ctx); err != nil {
			return err
		}
	}
	if len(plan.runs) > 0 && s.survey.writes && s.Elsewhere == nil && !fromKnownStart(&s.player) {
		s.Console.Say("flaketap: without --reset or --start, what earlier runs left behind shows as State")
	}
	return s.unmoved
}

// open surveys the recording and readies the player.
func open(db *store.Store, o Options, gc *analysis.GC) (*session, error) {
	s := &session{Options: o, db: db, player: o.Player}
	var err error
	if s.survey, err = newSurvey(db, o.Rules, gc); err != nil {
		return nil, err
	}
	if s.recording, err = db.Recording(); err != nil {
		return nil, err
	}
	if err := s.aim(); err != nil {
		return nil, err
	}
	if s.survey.total == 0 {
		return nil, fmt.Errorf("replay %s: the recording contains no exchanges", o.DB)
	}
	p := &s.player
	p.Recorders, p.Bindings, p.Total = replay.Recorders(s.recording), s.survey.Kept, s.survey.total
	p.Lapsed = flow.LapsedValues(s.survey.Lapses)
	p.Later, p.Restarts = db.After, restarts(s.recording)
	p.Order = s.survey.order
	if s.recording.Redacted() || len(p.Credentials) > 0 {
		s.sayLacking(p.Renewal().Lacking(s.survey.exchanges(), s.survey.Kept, time.Now()))
	}
	s.chosen = o.Requests.selectWith(s.survey.Kept)
	p.Skip = s.chosen.skip
	if hold := o.Requests.hold(); hold != nil {
		putAround(p, replay.Waiting(hold))
	}
	return s, nil
}

// aim says where the player plays to.
func (s *session) aim() (err error) {
	asked := s.Target
	if s.Elsewhere != nil {
		asked = s.recordedAt()
	}
	if s.player.Service != nil {
		if asked, err = s.player.Service.Locate(asked, service.RecordedTarget(s.recording)); err != nil {
			return err
		}
	}
	s.player.Target, s.player.Recorded, err = s.survey.target(asked, s.recording)
	return err
}

// plan makes the plan of all runs, or of those that are left to resume.
func (s *session) plan() (*plan, error) {
	var err error
	if s.load, err = s.survey.load(&s.player, s.chosen); err != nil {
		return nil, err
	}
	p, err := s.planRuns()
	if err != nil {
		return nil, err
	}
	if !s.Resume {
		p.mark(time.Now())
		return p, nil
	}
	stored, err := s.db.Runs()
	if err == nil {
		err = p.resume(stored, &s.player)
	}
	if err != nil {
		return nil, fmt.Errorf("resume %s: %w", s.DB, err)
	}
	return p, nil
}

// sayLacking says, before anything is sent, what a replay cannot send as it was recorded, and which credentials it has
// no use for.
func (s *session) sayLacking(lack flow.Lack) {
	for _, name := range lack.Unused {
		s.Console.Say("flaketap: --auth %s: no recorded request has a redacted, expired or refused credential there", name)
	}
	if lack.Requests == 0 {
		return
	}
	where := fmt.Sprintf("exchange %d", lack.First.Seq)
	if lack.First.Place != "" {
		where += " at " + string(lack.First.Place)
	}
	s.Console.Say("flaketap: %s without credentials, the first of them in %s: the recording has tokens instead; give them with --auth",
		console.Count(uint64(lack.Requests), "request"), where)
}
