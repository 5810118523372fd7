package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/exchange/redact"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay"
	"github.com/flaketap/flaketap/replay/runs"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/volatility/analysis"
	"github.com/urfave/cli/v2"
)

func (t *tool) replayCommand() *cli.Command {
	return &cli.Command{
		Name:      "replay",
		Usage:     "send the recorded requests again and store what they answer",
		UsageText: "flaketap replay [--runs N] [--bound P] [--reset CMD|URL] [--target URL]",
		Description: "With --bound a further run sends each GET and HEAD request again and again, until what was the same in all\n" +
			"answers moves with a chance below P (95 % confidence): 0.01 takes 299 looks at each operation. What is not safe to send\n" +
			"again is looked at in whole runs, as many as --max-runs allows.\n\n" + perturbHelp(),
		Flags: common(slices.Concat(upstreamFlags(startFlags()...), authFlags(), []cli.Flag{
			&cli.IntFlag{Name: "runs", Value: 1, Usage: "`N`umber of runs"},
			&cli.Float64Flag{Name: "bound", Usage: "look until what is called stable moves with a chance below `P`, as 0.01"},
			&cli.IntFlag{Name: "max-runs", Usage: "with --bound, up to `N` runs for what cannot be sent again and again"},
			openapiFlag(),
			&cli.StringFlag{Name: "reset", Usage: "`CMD or URL` that puts the API back to its start, before every run"},
			resetEachFlag(),
			resetTimeoutFlag(),
			&cli.StringFlag{Name: "target", Usage: "base `URL` to replay to (default: the recorded one)"},
			resumeFlag(),
			&cli.IntFlag{Name: "workers", Value: 1, Usage: "`N`umber of sequences to play at once"},
			&cli.StringFlag{Name: "pace", Value: "asap", Usage: "send requests `asap`, at the times recorded, or x2 for twice as fast"},
			&cli.DurationFlag{Name: "settle", Value: time.Second, Usage: "ask a read that follows a write again for this `TIME`, until it answers as recorded; in the first run alone, unless given"},
			&cli.DurationFlag{Name: "timeout", Value: 30 * time.Second, Usage: "`TIME` to wait for an answer"},
		}, perturbFlags(), selectFlags())...),
		Action: t.replay,
	}
}

func (t *tool) replay(c *cli.Context) (err error) {
	if err := t.checkReplay(c); err != nil {
		return err
	}
	player, err := t.player(c)
	if err != nil {
		return err
	}
	chosen, err := readSelection(c)
	if err != nil {
		return err
	}
	perturb, err := readPerturb(c, player.Service != nil)
	if err != nil {
		return err
	}
	db, err := t.openReplayed(c)
	if err != nil {
		return noRecording(err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	gc := analysis.TuneGC(analysis.Unbounded)
	defer gc.Restore()
	survey, err := newSurvey(db, t.rules.Bindings, gc)
	if err != nil {
		return err
	}
	recording, err := db.Recording()
	if err != nil {
		return err
	}
	if err := aim(c, player, survey, recording); err != nil {
		return err
	}
	if survey.total == 0 {
		return fmt.Errorf("replay %s: the recording holds no exchange", c.String("db"))
	}
	player.Recorders, player.Bindings, player.Total = recorders(recording), survey.Kept, survey.total
	player.Later, player.Restarts = db.After, restarts(recording)
	player.Sequence, player.Closes = survey.order.Sequence, survey.order.Closes
	if recording.Redacted() || len(player.Credentials) > 0 {
		t.sayLacking(c, player.Credentials.Lacking(survey.exchanges(), survey.Kept, time.Now()))
	}
	return t.carryOut(c, db, player, survey, chosen, perturb)
}

// openReplayed opens the recording: to be read where nothing is going to be sent, even while another process writes to it.
func (t *tool) openReplayed(c *cli.Context) (*store.Store, error) {
	if !c.Bool("dry-run") {
		return store.Open(c.String("db"), store.Options{Doing: "replaying"})
	}
	db, err := store.OpenReadOnly(c.String("db"))
	if err == nil {
		t.sayHeld(c, db.Holder())
	}
	return db, err
}

// carryOut does, or with --dry-run tells, what the flags ask for.
func (t *tool) carryOut(c *cli.Context, db *store.Store, player *replay.Player, survey *survey, chosen *selection, perturb []wanted) error {
	chosen.bind(survey.Kept)
	player.Skip = chosen.skip
	if hold := chosen.hold(); hold != nil {
		player.Around = append(player.Around, replay.Waiting(hold))
	}
	if c.Bool("dry-run") {
		return t.dryRun(c, player, survey, chosen)
	}
	if chosen.ask {
		if err := t.askUnsafe(c.Context, chosen, player, survey); err != nil {
			return err
		}
	}
	load, err := survey.load(player, chosen)
	if err != nil {
		return err
	}
	plan, err := planRuns(c, perturb, chosen, situation{
		load: load, service: player.Service, reset: player.Reset, fakeTime: c.String("libfaketime"), bindings: survey.Found, proofs: survey.proofs(),
	})
	if err != nil {
		return err
	}
	if c.Bool("resume") {
		runs, err := db.Runs()
		if err == nil {
			err = plan.resume(runs, player)
		}
		if err != nil {
			return fmt.Errorf("resume %s: %w", c.String("db"), err)
		}
	} else {
		plan.mark(time.Now())
	}
	t.sayUnreplayable(c, load)
	t.sayPlan(c, plan, player)
	if err := t.playRuns(c, db, player, survey, plan); err != nil {
		return err
	}
	if c.IsSet("bound") {
		if err := t.lookAgain(c, db, player); err != nil {
			return err
		}
	}
	if len(plan.runs) > 0 {
		t.sayLeavings(c, player, survey.writes)
	}
	return nil
}

// player returns a player as the flags want it.
func (t *tool) player(c *cli.Context) (*replay.Player, error) {
	pace, err := replay.ParsePace(c.String("pace"))
	if err != nil {
		return nil, console.Usage(fmt.Errorf("--pace: %w", err))
	}
	service, reset, err := t.knownStart(c)
	if err != nil {
		return nil, err
	}
	each, err := resetEach(c)
	if err != nil {
		return nil, err
	}
	p, err := t.playerOn(c, service, reset)
	if err != nil {
		return nil, err
	}
	p.ResetEach, p.Workers, p.Pace, p.Settle, p.Timeout = each, c.Int("workers"), pace, c.Duration("settle"), c.Duration("timeout")
	return p, nil
}

// playerOn returns a player that reaches an API, runs it and puts it back to its start as the flags want it.
func (t *tool) playerOn(c *cli.Context, service *service.Service, reset service.Reset) (*replay.Player, error) {
	log, err := t.logger(c)
	if err != nil {
		return nil, err
	}
	upstream, dial, err := upstreamOptions(c).Open()
	if err != nil {
		return nil, err
	}
	credentials, err := readCredentials(c)
	if err != nil {
		return nil, err
	}
	return &replay.Player{
		Service: service, Reset: reset, ResetTimeout: c.Duration("reset-timeout"),
		Credentials: credentials, TLS: upstream, Dial: dial, Log: log,
	}, nil
}

// checkReplay finds the mistakes in the flags that need no look at a file.
func (t *tool) checkReplay(c *cli.Context) error {
	if err := t.alone(c); err != nil {
		return err
	}
	if d := c.Duration("timeout"); d <= 0 {
		return console.Usage(fmt.Errorf("--timeout is a time to wait, such as 30s, not %s", d))
	}
	if d := c.Duration("settle"); d < 0 {
		return console.Usage(fmt.Errorf("--settle is a time such as 2s, or 0, not %s", d))
	}
	if c.Int("runs") < 1 {
		return console.Usage(fmt.Errorf("--runs is at least 1, not %d", c.Int("runs")))
	}
	if c.IsSet("max-runs") && (!c.IsSet("bound") || c.Int("max-runs") < c.Int("runs")) {
		return console.Usage(errors.New("--max-runs is the limit that --bound may go to, at least as many as --runs"))
	}
	if w := c.Int("workers"); w < 1 || w > maxWorkers {
		return console.Usage(fmt.Errorf("--workers is from 1 to %d, not %d", maxWorkers, w))
	}
	if n := c.Int("trials"); n < 0 {
		return console.Usage(fmt.Errorf("--trials is at least 0, not %d", n))
	}
	if b := c.Float64("bound"); c.IsSet("bound") && !(b >= minBound && b < 1) {
		return console.Usage(fmt.Errorf("--bound is a chance from %v to 1, as 0.01, not %v", minBound, b))
	}
	return nil
}

// maxWorkers is the most that --workers may ask for: each has a connection of its own.
const maxWorkers = 1000

// minBound is the smallest chance that --bound may ask for: it takes 2 995 looks.
const minBound = 0.001

// lookAgain does the repeat run that --bound asks for.
func (t *tool) lookAgain(c *cli.Context, db *store.Store, p *replay.Player) error {
	var exchanges []*exchange.Exchange
	bound, err := analysis.Bind(db, t.rules.Bindings, func(e *exchange.Exchange) { exchanges = append(exchanges, e) })
	if err != nil {
		return err
	}
	operations := t.rules.Bindings.Operations(exchanges, bound.Kept)
	n := 0
	for _, r := range bound.Runs {
		if r.Kind != exchange.RunRepeat && !r.Ended.IsZero() && len(r.Conditions.Perturb) == 0 {
			n++
		}
	}
	looks := replay.LooksFor(c.Float64("bound"), n+1, exchanges, operations)
	if more := min(looks.Runs, c.Int("max-runs")-c.Int("runs")); more > 0 {
		for i := range more {
			name := fmt.Sprintf("further run %d of %d for --bound %v", i+1, more, c.Float64("bound"))
			if _, _, err := t.replayOnce(c, db, p, sourceOf(db, p), exchange.Run{Kind: exchange.RunReplay}, name); err != nil {
				return err
			}
		}
		looks = replay.LooksFor(c.Float64("bound"), n+more+1, exchanges, operations)
	}
	if looks.Total() > 0 {
		p.Around, p.Settle = append(slices.Clone(p.Around), replay.Again(looks.Again)), 0
		name := fmt.Sprintf("further looks for --bound %v", c.Float64("bound"))
		if _, _, err := t.replayOnce(c, db, p, sourceOf(db, p), exchange.Run{Kind: exchange.RunRepeat}, name); err != nil {
			return err
		}
	}
	if looks.Short > 0 {
		t.say(c, "flaketap: %d operations have fewer looks still (only GET and HEAD are sent again); %d further runs look often enough at all: --max-runs allows them",
			looks.Short, looks.Runs)
	}
	return nil
}

// replayOnce does one run of what source gives, and stores it. The sink it returns may store more about the run.
func (t *tool) replayOnce(c *cli.Context, db *store.Store, p *replay.Player, source replay.Source, run exchange.Run, name string) (replay.Summary, *runs.Sink, error) {
	bar := t.console(c).Progress(name)
	p.Progress = func(at replay.Progress) { bar.Update(at.Done, at.Total) }
	begun := run
	if err := t.serve(c, db, p); err != nil {
		return replay.Summary{}, nil, err
	}
	if begun.Number == 0 { // else it goes on as it began
		run.Started = time.Now()
		state(&run, p)
	}
	recording, err := db.Recording()
	if err != nil {
		return replay.Summary{}, nil, err
	}
	rest := redact.ForRecording(recording)
	if rest != nil {
		rest.Learn(p.Credentials.Secret)
	}
	sink := runs.NewSink(db, run, rest)
	sum, err := p.Play(c.Context, source, sink)
	bar.Clear()
	if err == nil {
		sink.Run.Ended = time.Now()
	}
	sink.Run.Steps, sink.Run.Lost = sum.Sent, sum.Skipped
	if ferr := sink.Finish(); err != nil || ferr != nil {
		steps := begun.Steps + sink.Stored - sum.Repeated // of which each may have several observations
		what := fmt.Sprintf("%d of %s of %s are stored", steps, console.Count(p.Total, "step"), name)
		if c.Context.Err() != nil {
			err = fmt.Errorf("interrupted: %s", what)
		} else if steps > 0 && ferr == nil {
			err = fmt.Errorf("%w; %s", err, what)
		}
		return sum, nil, errors.Join(resumable(db, run, err), ferr)
	}
	t.say(c, "%s: %s", name, sum)
	t.saySequences(c, sum.Sequences)
	return sum, sink, nil
}

// saySequences says which sequences went otherwise than recorded, and how the first difference of each looks.
func (t *tool) saySequences(c *cli.Context, s replay.Sequences) {
	if s.Played < 2 || len(s.Differed) == 0 {
		return // the summary has said it
	}
	const shown = 10
	t.say(c, "  %d of %s went as recorded; those that did not:", s.Reproduced, console.Count(s.Played, "sequence"))
	for _, d := range s.Differed[:min(len(s.Differed), shown)] {
		more := ""
		if d.Steps > 1 {
			more = fmt.Sprintf(" (and %d more)", d.Steps-1)
		}
		t.say(c, "    %s%s", &d.First, more)
	}
	if n := s.Played - s.Reproduced - shown; n > 0 {
		t.say(c, "    and %s", console.Count(n, "further sequence"))
	}
}

// recorders are the addresses at which the recorder stood in the target's place.
func recorders(recording exchange.Recording) []string {
	var all []string
	for _, pass := range recording.Passes {
		if pass.Target != "" && pass.Listen != "" {
			all = append(all, pass.Listen)
		}
	}
	return all
}
