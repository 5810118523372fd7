package mend

import (
	"context"
	"fmt"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/suite/setup"
)

// playing is what one test of a suite sends.
type playing struct {
	file, test string
	sent       []setup.Ran
}

// playElsewhere sends what each test sends on a fresh start, once with nothing before it, and once behind all tests
// that the suite has after it, so that what is added to it holds whatever runs before. It does nothing where nothing is
// to be added, or there is no API to try on.
func (r *Round) playElsewhere(ctx context.Context, s *SetUps) error {
	if !r.o.Strengthen || s.search == nil {
		return nil
	}
	defer s.playing.Clear()
	r.elsewhere = map[string]map[string][]setup.Trial{}
	tests := r.playings()
	err := s.turns.each(ctx, len(tests), func(ctx context.Context, i int) error {
		s.playing.Update(i+1, len(tests)+1)
		if err := r.play(ctx, s, tests[i]); err != nil {
			return fmt.Errorf("play %s by itself: %w", tests[i].test, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.playing.Update(len(tests)+1, len(tests)+1)
	slices.Reverse(tests)
	err = s.turns.each(ctx, 1, func(ctx context.Context, _ int) error { return r.play(ctx, s, tests...) })
	if err != nil {
		return fmt.Errorf("play the tests backwards: %w", err)
	}
	r.played = len(tests)
	return nil
}

// playings lists the tests in the order in which the recorded execution came to them.
func (r *Round) playings() []playing {
	var out []playing
	for _, f := range r.tests {
		r.elsewhere[f.path] = map[string][]setup.Trial{}
		at := map[string]int{}
		for _, ran := range f.Ran() {
			i, there := at[ran.Test]
			if !there {
				i = len(out)
				at[ran.Test] = i
				out = append(out, playing{file: f.path, test: ran.Test})
			}
			out[i].sent = append(out[i].sent, ran)
		}
	}
	return out
}

// play makes a trial of tests, one after the other on a fresh start.
func (r *Round) play(ctx context.Context, s *SetUps, tests ...playing) error {
	var sent []setup.Ran
	for _, p := range tests {
		sent = append(sent, p.sent...)
	}
	exchanges, bindings := trialOf(sent)
	answers, err := s.turns.Try(ctx, exchanges, bindings)
	if err != nil {
		return err
	}
	for _, p := range tests {
		var trial setup.Trial
		for _, ran := range p.sent {
			for len(trial.Answers) <= ran.Call {
				trial.Answers = append(trial.Answers, nil)
			}
			trial.Answers[ran.Call], answers = answers[0], answers[1:]
		}
		r.elsewhere[p.file][p.test] = append(r.elsewhere[p.file][p.test], trial)
	}
	return nil
}

// trialOf is what a trial of recorded requests sends, in their order, numbered from 1.
func trialOf(sent []setup.Ran) ([]*exchange.Exchange, []exchange.Binding) {
	var exchanges []*exchange.Exchange
	b := flow.NewBinder()
	for i, ran := range sent {
		e := *ran.Exchange
		e.Seq, e.Pass, e.Conn, e.Sequence = uint64(i+1), 1, 0, ""
		exchanges = append(exchanges, &e)
		b.Add(&e)
	}
	return exchanges, b.Bindings()
}

// playedElsewhere says how many tests were played; "" for none.
func (r *Round) playedElsewhere() string {
	if r.played == 0 {
		return ""
	}
	return console.Count(r.played, "test") + " played alone, and backwards"
}
