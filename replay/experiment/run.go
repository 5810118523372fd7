package experiment

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/exchange/redact"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay"
	"github.com/flaketap/flaketap/replay/runs"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/store"
)

// playRuns does the runs of a plan.
func (s *session) playRuns(ctx context.Context, p *plan) error {
	var (
		order *units // of the sequences, where they are put into another one
		plain []replay.Summary
		err   error
	)
	if slices.ContainsFunc(p.runs, func(r planned) bool { return r.order != nil }) {
		if order, err = s.survey.units(); err != nil {
			return err
		}
	}
	for _, r := range p.runs {
		switch {
		case s.unmoved != nil && r.movesClock():
			continue
		case r.over != nil && r.over():
			s.Console.Say("%s: not needed", r.name)
			continue
		}
		if r.wait > 0 {
			s.Console.Say("%s: begins in %s", r.name, r.wait)
			if err := replay.Pause(ctx, r.wait); err != nil {
				return resumable(s.db, r.run, fmt.Errorf("interrupted before %s began", r.name))
			}
		}
		sum, err := s.playPlanned(ctx, r, order, plain)
		var unmoved service.ClockError
		switch {
		case errors.As(err, &unmoved):
			s.unmoved = err
			s.Console.Say("%s: not played: the API's clock cannot be moved; what follows the clock is judged by its looks alone",
				r.name)
			continue
		case err != nil:
			return err
		}
		if r.Name == "" {
			plain = append(plain, sum)
		}
	}
	return nil
}

// movesClock reports whether the API has another time in a run.
func (r *planned) movesClock() bool { return r.run.Conditions.ClockStep() != "" }

// playPlanned does one run under its condition, which is undone afterwards.
func (s *session) playPlanned(ctx context.Context, r planned, order *units,
	plain []replay.Summary) (replay.Summary, error) {
	settle := s.player.Settle
	defer func() { s.player.Settle = settle }()
	if r.run.Part > 1 && !s.SettleAll {
		s.player.Settle = 0 // what depends on how fast a client is has to show, too
	}
	defer r.Apply(&s.player)()
	if r.order != nil {
		return replay.Summary{}, s.playOrder(ctx, order, plain, r)
	}
	return s.goOnOrPlay(ctx, r)
}

// goOnOrPlay does a run in the recorded order, or what is left of it.
func (s *session) goOnOrPlay(ctx context.Context, r planned) (replay.Summary, error) {
	run := r.run
	if r.goOn(s.db, &s.player, s.recording.Redacted() && s.elsewhere == nil) {
		steps, err := observed(s.player.Earlier)
		if err != nil {
			return replay.Summary{}, err
		}
		s.Console.Say("%s: resuming after %s", r.name, console.Count(steps, "step"))
		run = *r.resumed
	}
	sum, sink, err := s.play(ctx, s.source(), run, r.name)
	if err != nil || !r.credentials || sum.Refused == 0 {
		return sum, err
	}
	s.Console.Say("  401 in %s that succeeded in the recording: a credential is not valid under %s, so this run is no evidence; "+
		"send another with --auth", console.Count(sum.Refused, "answer"), r.Name)
	sink.Run.Refused = sum.Refused
	return sum, sink.Finish()
}

// play does one run of what source gives, and stores it. The sink it returns may store more about the run.
func (s *session) play(ctx context.Context, source replay.Source, run exchange.Run,
	name string) (replay.Summary, *runs.Sink, error) {
	p := &s.player
	bar := s.Console.Progress(name)
	p.Progress = func(at replay.Progress) { bar.Update(at.Done, at.Total) }
	begun := run
	if err := s.serve(); err != nil {
		return replay.Summary{}, nil, err
	}
	if begun.Number == 0 { // else it goes on as it began
		run.Started = time.Now()
		state(&run, p)
	}
	rest := redact.ForRecording(s.recording)
	if rest != nil {
		rest.Learn(p.Credentials.Secret)
	}
	sink := runs.NewSink(s.db, run, rest)
	if p.Service != nil {
		p.Service.Asked = sink.External
	}
	var sum replay.Summary
	var err error
	if s.elsewhere != nil {
		sum, err = s.elsewhere.play(ctx, sink, p.Earlier, p.Progress)
	} else {
		sum, err = p.Play(ctx, source, sink)
	}
	bar.Clear()
	if err == nil {
		sink.Run.Ended = time.Now()
	}
	sink.Run.Steps, sink.Run.Lost = sum.Sent, sum.Skipped
	if ferr := sink.Finish(); err != nil || ferr != nil {
		steps := begun.Steps + sink.Stored - sum.Repeated // of which each may have several observations
		what := fmt.Sprintf("%d of %s of %s were stored", steps, console.Count(p.Total, "step"), name)
		if ctx.Err() != nil {
			err = fmt.Errorf("interrupted: %s", what)
		} else if steps > 0 && ferr == nil {
			err = fmt.Errorf("%w; %s", err, what)
		}
		return sum, nil, errors.Join(resumable(s.db, run, err), ferr)
	}
	s.Console.Say("%s: %s", name, sum)
	s.saySequences(sum.Sequences)
	return sum, sink, nil
}

// saySequences says which sequences went otherwise than recorded, and how the first difference of each looks.
func (s *session) saySequences(q replay.Sequences) {
	if q.Played < 2 || len(q.Differed) == 0 {
		return // the summary has said it
	}
	const shown = 10
	s.Console.Say("  %d of %s went as recorded; those that did not:", q.Reproduced, console.Count(q.Played, "sequence"))
	for _, d := range q.Differed[:min(len(q.Differed), shown)] {
		more := ""
		if d.Steps > 1 {
			more = fmt.Sprintf(" (and %d more)", d.Steps-1)
		}
		s.Console.Say("    %s%s", &d.First, more)
	}
	if n := q.Played - q.Reproduced - shown; n > 0 {
		s.Console.Say("    and %s", console.Count(n, "further sequence"))
	}
}

// serve readies the API that a run is to have, if it is started here.
func (s *session) serve() error {
	p := &s.player
	if p.Service == nil {
		return nil
	}
	stored, err := s.db.Runs()
	if err != nil {
		return err
	}
	p.Service.LogBeside(s.DB, "run", len(stored)+1, s.recording.Key, redact.ForRecording(s.recording))
	if p.Service.ChoosesPort() {
		if p.Target, err = p.Service.Target(); err != nil {
			return err
		}
	}
	return nil
}

// state says in a run what a player's settings make of its conditions, and where it goes.
func state(run *exchange.Run, p *replay.Player) {
	switch {
	case run.Conditions.Start != "": // the plan says it
	case p.Service != nil && p.Service.Environment.Restart():
		run.Conditions.Start = exchange.StartContinued
	case p.Service != nil:
		run.Conditions.Start = exchange.StartFresh
	case p.Reset != "":
		run.Conditions.Start = exchange.StartReset
	default:
		run.Conditions.Start = exchange.StartContinued
	}
	if p.Workers > 1 {
		run.Conditions.Workers = p.Workers
	}
	if p.Pace != 0 {
		run.Conditions.Pace = p.Pace.String()
	}
	if p.Target != nil {
		run.Target = p.Target.String()
	}
}

// fromKnownStart reports whether each run begins where the others do.
func fromKnownStart(p *replay.Player) bool { return p.Reset != "" || p.Service != nil }

// source gives the exchanges in the order that the player wants them in.
func (s *session) source() replay.Source {
	if !s.player.ResetEach || s.player.Order == nil {
		return s.db
	}
	return inSequences{s.db, s.player.Order.Sequence}
}

// inSequences gives the exchanges of a recording one sequence after the other.
type inSequences struct {
	db       *store.Store
	sequence func(*exchange.Exchange) int
}

// Exchanges goes over the recording once to see what belongs together: all that it keeps are numbers.
func (s inSequences) Exchanges() iter.Seq2[*exchange.Exchange, error] {
	return func(yield func(*exchange.Exchange, error) bool) {
		var order []int
		members := map[int][]uint64{}
		for e, err := range s.db.Exchanges() {
			if err != nil {
				yield(nil, err)
				return
			}
			n := s.sequence(e)
			if members[n] == nil {
				order = append(order, n)
			}
			members[n] = append(members[n], e.Seq)
		}
		for _, n := range order {
			for _, seq := range members[n] {
				if e, err := s.db.Exchange(seq); !yield(e, err) || err != nil {
					return
				}
			}
		}
	}
}
