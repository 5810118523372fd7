package experiment

import (
	"context"
	"fmt"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/replay"
	"github.com/flaketap/flaketap/volatility/analysis"
)

// lookAgain does the repeat run that a bound asks for, and further whole runs before it where those are allowed.
func (s *session) lookAgain(ctx context.Context) error {
	var exchanges []*exchange.Exchange
	bound, err := analysis.Bind(s.db, s.Rules, func(e *exchange.Exchange) { exchanges = append(exchanges, e) })
	if err != nil {
		return err
	}
	operations := s.Rules.Operations(exchanges, bound.Kept)
	n := 0
	for _, r := range bound.Runs {
		if r.Kind != exchange.RunRepeat && !r.Ended.IsZero() && len(r.Conditions.Perturb) == 0 {
			n++
		}
	}
	looks := LooksFor(s.Bound, n+1, exchanges, operations)
	if more := min(looks.Runs, s.MaxRuns-max(s.Runs, 1)); more > 0 {
		for i := range more {
			name := fmt.Sprintf("more runs for --bound %[3]v: run %[1]d of %[2]d", i+1, more, s.Bound)
			if _, _, err := s.play(ctx, s.source(), exchange.Run{Kind: exchange.RunReplay}, name); err != nil {
				return err
			}
		}
		looks = LooksFor(s.Bound, n+more+1, exchanges, operations)
	}
	if looks.Total() > 0 {
		s.player.Settle = 0
		putAround(&s.player, replay.Again(looks.Again))
		name := fmt.Sprintf("more observations for --bound %v", s.Bound)
		if _, _, err := s.play(ctx, s.source(), exchange.Run{Kind: exchange.RunRepeat}, name); err != nil {
			return err
		}
	}
	if looks.Short > 0 {
		s.Console.Say("flaketap: %d operations still have fewer observations (only GET and HEAD are repeated); %d more runs would observe all of them often enough: raise --max-runs",
			looks.Short, looks.Runs)
	}
	return nil
}
