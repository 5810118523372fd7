package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay"
	"github.com/flaketap/flaketap/replay/runs"
	"github.com/flaketap/flaketap/replay/search"
	"github.com/flaketap/flaketap/store"
	"github.com/urfave/cli/v2"
)

// planned is one run of a plan.
type planned struct {
	condition
	run     exchange.Run  // its kind and conditions
	name    string        // for people: "run 2 of 5, delay=2s"
	resumed *exchange.Run // as it is stored, where it was begun before and cut off
}

// plan is what a replay is going to do.
type plan struct {
	runs   []planned
	load   *load
	every  time.Duration // between two requests that may change something
	trials int           // at most, in the search for what depends on order
	search bool
}

// planRuns makes the plan: the plain runs, then those under conditions of their own.
func planRuns(c *cli.Context, all []wanted, chosen *selection, s situation) (*plan, error) {
	made, err := conditions(all, s)
	if err != nil {
		return nil, err
	}
	p := &plan{load: s.load, every: chosen.every, trials: c.Int("trials")}
	for range c.Int("runs") {
		p.runs = append(p.runs, planned{run: exchange.Run{Kind: exchange.RunReplay}})
	}
	for _, one := range made {
		run := exchange.Run{Kind: cmp.Or(one.kind, exchange.RunReplay)}
		run.Conditions.Perturb, run.Conditions.Without = []string{one.name}, one.without
		p.runs = append(p.runs, planned{condition: one, run: run})
		p.search = p.search || one.order != nil && p.trials > 0
	}
	for i := range p.runs {
		r := &p.runs[i]
		r.name = fmt.Sprintf("run %d of %d", i+1, len(p.runs))
		if r.condition.name != "" {
			r.name += ", " + r.condition.name
		}
	}
	return p, nil
}

// requests is how many requests a run sends.
func (p *plan) requests(r planned) int { return p.load.requests + r.further*p.load.repeatable }

// estimate is how long a run takes, as far as can be told.
func (p *plan) estimate(r planned, player *replay.Player) time.Duration {
	arranged := *player
	if r.arrange != nil {
		r.arrange(&arranged)
	}
	return r.wait + p.load.estimate(&arranged, p.every) + time.Duration(r.further)*p.load.repeated
}

// sayPlan says what is going to be done, before it is.
func (t *tool) sayPlan(c *cli.Context, p *plan, player *replay.Player) {
	if len(p.runs) == 0 {
		t.say(c, "flaketap: nothing is left to resume: all runs of the last replay are done")
		return
	}
	requests, took := 0, time.Duration(0)
	for _, r := range p.runs {
		requests += p.requests(r)
		took += p.estimate(r, player)
	}
	to := recordedPlace
	if player.Target != nil {
		to = player.Target.Redacted()
	}
	unsafe := ""
	if p.load.unsafe > 0 {
		unsafe = fmt.Sprintf(" (%d of a run may change something)", p.load.unsafe)
	}
	t.say(c, "flaketap: %s of %s to %s: %s%s, %s", console.Count(len(p.runs), "run"), console.Count(p.load.requests, "request"), to,
		console.Count(requests, "request")+" in all", unsafe, about(took))
	if len(p.runs) > c.Int("runs") && !c.Bool("resume") {
		for i, r := range p.runs {
			if i < c.Int("runs") && i > 0 {
				continue
			}
			name := r.condition.name
			if i == 0 {
				name = fmt.Sprintf("%d × as recorded", c.Int("runs"))
			}
			t.say(c, "  %-24s %s, %s", name, console.Count(p.requests(r), "request"), about(p.estimate(r, player)))
		}
	}
	if p.search && fromKnownStart(player) {
		t.say(c, "  %-24s then the search for what depends on it, up to %s in all", "", console.Count(p.trials, "run"))
	}
}

// about is a time as an estimate tells it.
func about(d time.Duration) string {
	switch {
	case d < time.Second:
		return "less than a second"
	case d < 10*time.Minute:
		return "about " + d.Round(time.Second).String()
	}
	return "about " + d.Round(time.Minute).String()
}

// playRuns does the runs of a plan.
func (t *tool) playRuns(c *cli.Context, db *store.Store, player *replay.Player, survey *survey, p *plan) error {
	var (
		order *units // of the sequences, where they are put into another one
		plain []replay.Summary
		err   error
	)
	if slices.ContainsFunc(p.runs, func(r planned) bool { return r.order != nil }) {
		if order, err = survey.units(); err != nil {
			return err
		}
	}
	for _, r := range p.runs {
		if r.wait > 0 {
			t.say(c, "%s: it begins in %s", r.name, r.wait)
			if err := pause(c.Context, r.wait); err != nil {
				return resumable(db, r.run, fmt.Errorf("interrupted: %s had not begun", r.name))
			}
		}
		one := *player
		if r.run.Part > 1 && !c.IsSet("settle") {
			one.Settle = 0 // what depends on how fast a client is has to show, too
		}
		if r.arrange != nil {
			r.arrange(&one)
		}
		if r.order == nil {
			sum, _, err := t.goOnOrPlay(c, db, &one, r)
			if err != nil {
				return err
			}
			if len(r.run.Conditions.Perturb) == 0 {
				plain = append(plain, sum)
			}
			continue
		}
		if err := t.playOrder(c, db, &one, order, plain, r); err != nil {
			return err
		}
	}
	return nil
}

// goOnOrPlay does a run in the recorded order, or what is left of it.
func (t *tool) goOnOrPlay(c *cli.Context, db *store.Store, player *replay.Player, r planned) (replay.Summary, *runs.Sink, error) {
	recording, err := db.Recording()
	if err != nil {
		return replay.Summary{}, nil, err
	}
	if r.goOn(db, player, recording.Redacted()) {
		steps, err := observed(player.Earlier)
		if err != nil {
			return replay.Summary{}, nil, err
		}
		t.say(c, "%s: it goes on behind %s", r.name, console.Count(steps, "step"))
		return t.replayOnce(c, db, player, sourceOf(db, player), *r.resumed, r.name)
	}
	return t.replayOnce(c, db, player, sourceOf(db, player), r.run, r.name)
}

// playOrder does a run in another order, and looks for what depends on it.
func (t *tool) playOrder(c *cli.Context, db *store.Store, player *replay.Player, order *units, plain []replay.Summary, r planned) error {
	switch {
	case len(order.steps) < 2:
		t.say(c, "%s: the recording is one sequence, nothing can be put into another order", r.name)
		return nil
	case player.ResetEach:
		t.say(c, "%s: with a reset before each sequence nothing depends on their order", r.name)
		return nil
	}
	player.Workers, player.Pace = 0, 0
	other := r.order(order)
	sum, sink, err := t.replayOnce(c, db, player, played{order, other}, r.run, r.name)
	if err != nil || c.Int("trials") == 0 {
		return err
	}
	differing, first := order.differing(sum)
	if len(differing) == 0 {
		t.say(c, "  nothing depends on the order")
		return nil
	}
	if !fromKnownStart(player) {
		t.say(c, "  what decides on that cannot be searched for without a known start: --reset or --start says how to get there")
		return nil
	}
	s := order.search()
	s.Trial = t.tellingTrial(c, order.trial(player), s)
	s.Limit = c.Int("trials") + max(0, len(plain)-1) // which --runs asked for anyway
	for _, one := range plain {
		differing, _ := order.differing(one)
		s.Note(recordedOrder(len(order.steps)), differing)
	}
	s.Note(other, differing)
	found, err := s.Find(c.Context)
	if err != nil && c.Context.Err() != nil {
		err = console.Advise(errors.New("interrupted: the search for what depends on the order is not at its end"), "replay --perturb order begins it anew")
	}
	sink.Run.Trials = s.Trials - len(plain) - 1
	sink.Run.Dependences = order.dependences(found, first)
	t.sayDependences(c, order, found, first)
	if err == nil {
		t.sayUnsolved(c, order, s, len(found), first)
	}
	return errors.Join(err, sink.Finish())
}

// fromKnownStart reports whether each run begins where the others do.
func fromKnownStart(p *replay.Player) bool { return p.Reset != "" || p.Service != nil }

func recordedOrder(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return order
}

// tellingTrial has trials shown as they are made.
func (t *tool) tellingTrial(c *cli.Context, trial search.Trial, s *search.Polluters) search.Trial {
	bar := t.console(c).Progress("search for what depends on the order: run")
	return func(ctx context.Context, order []int) ([]int, error) {
		bar.Update(s.Trials, s.Limit)
		defer bar.Clear()
		return trial(ctx, order)
	}
}

// dependences are the findings of a search as they are stored.
func (u *units) dependences(found []search.Dependence, first map[int]replay.Difference) []exchange.Dependence {
	var out []exchange.Dependence
	for _, d := range found {
		one := exchange.Dependence{Victim: u.steps[d.Victim][0], Step: first[d.Victim].Seq, Polluted: d.Polluted}
		for _, i := range d.After {
			one.After = append(one.After, u.steps[i][0])
		}
		out = append(out, one)
	}
	return out
}

// sayDependences says what a search found.
func (t *tool) sayDependences(c *cli.Context, u *units, found []search.Dependence, first map[int]replay.Difference) {
	for _, d := range found {
		var after []string
		for _, i := range d.After {
			after = append(after, u.name(i))
		}
		how := "goes as recorded only after"
		if d.Polluted {
			how = "goes otherwise after"
		}
		step := first[d.Victim]
		t.say(c, "  %s %s %s: %s", u.name(d.Victim), how, console.OneLine(strings.Join(after, " and ")), &step)
	}
}

// sayUnsolved says what a search that came to its end did not find, beside the dependences that it did.
func (t *tool) sayUnsolved(c *cli.Context, u *units, s *search.Polluters, found int, first map[int]replay.Difference) {
	for _, i := range s.Unsolved {
		step := first[i]
		t.say(c, "  %s depends on the order, on what was not found: %s", u.name(i), &step)
	}
	switch {
	case s.Undecided:
		t.say(c, "  whether that is due to the order was not found out: --trials allows more runs")
	case found == 0 && len(s.Unsolved) == 0:
		t.say(c, "  nothing of that is due to the order: it differs in the recorded one too")
	}
	t.say(c, "  the search took %s, of %d sequences at most", console.Count(s.Trials, "run"), len(u.steps))
}
