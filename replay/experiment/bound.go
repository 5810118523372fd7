package experiment

import (
	"context"
	"fmt"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay"
	"github.com/flaketap/flaketap/volatility"
	"github.com/flaketap/flaketap/volatility/analysis"
)

// maxRounds is how often requests are repeated for one bound: what a round has no answers of (the status was another
// one) is asked for in the next.
const maxRounds = 3

// lookAgain does the repeat runs that a bound asks for, and further whole runs before them where those are allowed.
func (s *session) lookAgain(ctx context.Context) error {
	looks, err := s.looks()
	if err != nil {
		return err
	}
	if more := min(looks.Runs, s.MaxRuns-max(s.Runs, 1)); more > 0 {
		for i := range more {
			name := fmt.Sprintf("more runs for --bound %[3]v: run %[1]d of %[2]d", i+1, more, s.Bound)
			if _, _, err := s.play(ctx, s.source(), exchange.Run{Kind: exchange.RunReplay}, name); err != nil {
				return err
			}
		}
		if looks, err = s.looks(); err != nil {
			return err
		}
	}
	s.player.Settle = 0
	around := s.player.Around
	defer func() { s.player.Around = around }()
	for round, before := 1, 0; round <= maxRounds && looks.Total() > 0; round++ {
		if round > 1 && looks.Total() >= before {
			break // nothing was gained
		}
		before = looks.Total()
		s.sayLooks(looks)
		s.player.Around = around
		putAround(&s.player, replay.Again(looks.Again))
		name := fmt.Sprintf("more observations for --bound %v", s.Bound)
		if _, _, err := s.play(ctx, s.source(), exchange.Run{Kind: exchange.RunRepeat}, name); err != nil {
			return err
		}
		if looks, err = s.looks(); err != nil {
			return err
		}
	}
	s.sayShort(looks)
	return nil
}

// looks judges what was observed until now, and plans what is to be asked again.
func (s *session) looks() (Looks, error) {
	r, err := analysis.JudgeStored(s.db, analysis.Options{Rules: analysis.Rules{Bindings: s.Rules}})
	if err != nil {
		return Looks{}, err
	}
	return LooksFor(volatility.DoubtsAbout(r.Map, s.Bound), s.db.Exchanges(), r.Operations,
		func(e *exchange.Exchange) bool {
			_, skip := s.player.Destination(e)
			return skip == ""
		})
}

// sayLooks says what is asked again, and why.
func (s *session) sayLooks(l Looks) {
	asked := 0
	for _, d := range l.Doubted {
		if d.Again > 0 {
			asked++
		}
	}
	s.Console.Say("flaketap: --bound %v takes %d observations of what never moved; %s with fewer: %s again",
		s.Bound, volatility.Observations(s.Bound), console.Count(asked, "operation"), console.Count(l.Total(), "request"))
	const shown = 10
	n := 0
	for _, d := range l.Doubted {
		if d.Again == 0 {
			continue
		}
		if n++; n > shown {
			s.Console.Say("    and %s", console.Count(asked-shown, "further operation"))
			return
		}
		s.Console.Say("    %s %s %d: %s observed too seldom, %s %d times: %s again", d.Method,
			console.OneLine(d.Template), d.Status, console.Count(d.Places, "place"), console.OneLine(string(d.Seldom)), d.Of,
			console.Count(d.Again, "request"))
	}
}

// sayShort says what stays in doubt.
func (s *session) sayShort(l Looks) {
	if l.Short > 0 {
		s.Console.Say("flaketap: still fewer observations in %s (only GET and HEAD are repeated); %s would observe all often enough: raise --max-runs",
			console.Count(l.Short, "operation"), console.Count(l.Runs, "more run"))
	}
}
