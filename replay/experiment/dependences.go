package experiment

import (
	"context"
	"errors"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay"
	"github.com/flaketap/flaketap/replay/search"
)

// playOrder does a run in another order, and looks for what depends on it.
func (s *session) playOrder(ctx context.Context, order *units, plain []replay.Summary, r planned) error {
	switch {
	case len(order.steps) < 2:
		s.Console.Say("%s: skipped: the recording is a single sequence, which cannot be reordered", r.name)
		return nil
	case s.player.ResetEach:
		s.Console.Say("%s: skipped: with a reset before each sequence, nothing depends on their order", r.name)
		return nil
	}
	s.player.Workers, s.player.Pace = 0, 0
	other := r.order(order)
	sum, sink, err := s.play(ctx, played{order, other}, r.run, r.name)
	if err != nil || s.Trials == 0 {
		return err
	}
	differing, first := order.differing(sum)
	if len(differing) == 0 {
		s.Console.Say("  nothing depends on the order")
		return nil
	}
	if !fromKnownStart(&s.player) {
		s.Console.Say("  searching for the cause needs --reset or --start: each trial must begin from the same state")
		return nil
	}
	q := order.search()
	q.Trial = s.shownTrial(order.trial(&s.player), q)
	q.Limit = s.Trials + max(0, len(plain)-1) // which were asked for anyway
	for _, one := range plain {
		differing, _ := order.differing(one)
		q.Note(recordedOrder(len(order.steps)), differing)
	}
	q.Note(other, differing)
	found, err := q.Find(ctx)
	if err != nil && ctx.Err() != nil {
		err = console.Advise(errors.New("interrupted: the search for what depends on the order is not finished"),
			"restart it with replay --perturb order")
	}
	sink.Run.Trials = q.Trials - len(plain) - 1
	sink.Run.Dependences = order.dependences(found, first)
	s.sayDependences(order, found, first)
	if err == nil {
		s.sayUnsolved(order, q, len(found), first)
	}
	return errors.Join(err, sink.Finish())
}

func recordedOrder(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return order
}

// shownTrial shows trials as they are made.
func (s *session) shownTrial(trial search.Trial, q *search.Polluters) search.Trial {
	bar := s.Console.Progress("searching for what depends on the order: run")
	return func(ctx context.Context, order []int) ([]int, error) {
		bar.Update(q.Trials, q.Limit)
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
func (s *session) sayDependences(u *units, found []search.Dependence, first map[int]replay.Difference) {
	for _, d := range found {
		var after []string
		for _, i := range d.After {
			after = append(after, u.name(i))
		}
		how := "goes as recorded only after"
		if d.Polluted {
			how = "goes differently after"
		}
		step := first[d.Victim]
		s.Console.Say("  %s %s %s: %s", u.name(d.Victim), how, console.OneLine(strings.Join(after, " and ")), &step)
	}
}

// sayUnsolved says what a search that came to its end did not find, beside the dependences that it did.
func (s *session) sayUnsolved(u *units, q *search.Polluters, found int, first map[int]replay.Difference) {
	for _, i := range q.Unsolved {
		step := first[i]
		s.Console.Say("  %s depends on the order, but the cause was not found: %s", u.name(i), &step)
	}
	switch {
	case q.Undecided:
		s.Console.Say("  could not determine whether the order is the cause; raise --trials to allow more runs")
	case found == 0 && len(q.Unsolved) == 0:
		s.Console.Say("  not order-dependent: the recorded order differs as well")
	}
	s.Console.Say("  the search took %s, of %d sequences at most", console.Count(q.Trials, "run"), len(u.steps))
}
