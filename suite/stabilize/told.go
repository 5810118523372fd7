package stabilize

import (
	"context"
	"fmt"

	"github.com/flaketap/flaketap/suite/verify"
)

// Told is how many of the faults that were planted in the answers of the API the suite tells: a test fails that passes
// in every run without.
type Told struct {
	Planted int `json:"planted"` // those that changed an answer to the suite as it was
	Before  int `json:"before"`  // told by the suite as it was
	Still   int `json:"still"`   // of these, told by its last form
	After   int `json:"after"`   // told by its last form
}

// measureTold plants faults, where they are asked for and the suite holds, in the answers to the suite as it was and in
// those to its last form.
func (s *session) measureTold(ctx context.Context, out *Result) error {
	if len(s.o.Faults.Kinds) == 0 || !out.Holds {
		return nil
	}
	first, last := s.rounds[0].suite, s.rounds[len(s.rounds)-1].suite
	first.Name += " as it was"
	last.Name += " in its last form"
	suites := []verify.Suite{first, last}
	if len(s.rounds) == 1 {
		suites = suites[:1]
	}
	var runners []verify.Runner
	for _, r := range s.runners {
		runners = append(runners, r)
	}
	v, err := verify.Run(ctx, verify.Options{Suites: suites, Runs: s.o.Learn, Timeout: s.o.Timeout, Faults: s.o.Faults,
		Secrets: s.o.Secrets}, runners, s.console)
	if ctx.Err() != nil {
		return fmt.Errorf("interrupted while faults were planted; the same command begins with these again")
	}
	if err != nil {
		return fmt.Errorf("plant faults: %w", err)
	}
	n := v.Told()
	out.Told = &Told{Planted: n.Planted, Before: n.Killed[0], Still: n.Still[len(suites)-1],
		After: n.Killed[len(suites)-1]}
	return nil
}

// toldLine is the line of the table about planted faults.
func (r *Result) toldLine() (before, after string) {
	switch t := r.Told; {
	case t == nil && !r.Holds:
		return "", "not measured: the suite does not hold"
	case t == nil:
		return "", "not measured: --mutate all"
	case t.Planted == 0:
		return "", "none could be planted"
	case t.Before == 0:
		return fmt.Sprintf("none of %d", t.Planted), ""
	default:
		return fmt.Sprintf("%d of %d", t.Before, t.Planted), fmt.Sprintf("%d of these", t.Still)
	}
}
