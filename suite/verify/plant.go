package verify

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/suite/mutant"
)

// plantedMutant is a mutant with what became of it in a run of each suite.
type plantedMutant struct {
	mutant.Mutant
	verdicts []verdict // by suite
}

// planter plants a mutant in the answers that pass. It implements [proxy.Rewriter].
type planter struct {
	mutant.Mutant
	paths   *flow.Paths
	past    mutant.Past // what the operation answered so far
	changed atomic.Int64
}

// Request lets every request pass as it is.
func (p *planter) Request(*exchange.Exchange) []byte { return nil }

// Response returns the answer with the fault in it; nil where there is no place for it.
func (p *planter) Response(e *exchange.Exchange) []byte {
	if e.Request.Method != p.Operation.Method || e.Response == nil {
		return nil
	}
	if template, ok := p.paths.Template(&e.Request); !ok || template != p.Operation.Template {
		return nil
	}
	raw, changed := p.past.Plant(p.Mutant, e)
	if !changed {
		return nil
	}
	p.changed.Add(1)
	return raw
}

// minTimeout is the least time that a run with a fault may take where the user names none.
const minTimeout = 30 * time.Second

// plantAll plants mutants, one in each run of each suite: only so is it certain which one a test fails of.
func (s *session) plantAll(ctx context.Context, v *Verification) error {
	original := s.suites[0].seen
	ops := operationsOf(original.exchanges, s.Faults.Known)
	var survey mutant.Survey
	for _, e := range original.exchanges {
		if op := ops.of[e.Seq]; e.Response != nil && op.Host == "" {
			survey.AddExchange(op, e)
		}
	}
	judge := judging(original, ops, s.Faults.Known, s.Faults.Rules)
	all := survey.Mutants(s.Faults.Kinds, 0, s.Faults.Seed, judge)
	chosen := all
	if n := s.Faults.Most; n > 0 {
		chosen = survey.Mutants(s.Faults.Kinds, n, s.Faults.Seed, judge)
	}
	v.candidates, v.chosen = len(all), len(chosen)
	s.pace.planned += len(chosen) * len(s.suites)
	if original.missed > 0 {
		s.console.Say("flaketap: faults are planted in the first %d exchanges only; %s more did not fit into memory",
			len(original.exchanges), console.Count(original.missed, "exchange"))
	}
	if len(all) == 0 {
		s.console.Say("flaketap: no mutant can be planted: %s", v.noCandidates())
		return nil
	}
	s.console.Say("flaketap: planting %s of %d candidates, one in each run%s", console.Count(len(chosen), "mutant"), len(all),
		s.pace.left())
	for i, m := range chosen {
		if s.redactor.Secret(m.Place) {
			chosen[i].Held = ""
		}
	}
	return beside(s.runners, len(chosen), func(by Runner, i int) (*plantedMutant, error) {
		return s.plantInAll(ctx, by, chosen[i], ops.paths, fmt.Sprintf("mutant-%03d", i+1))
	}, func(i int, planted *plantedMutant) error {
		s.pace.faulted(planted.verdicts)
		v.mutants = append(v.mutants, planted)
		s.console.Say("mutant %d of %d%s: %s", i+1, len(chosen), s.pace.left(), console.OneLine(planted.summary(s.suites)))
		return nil
	})
}

// plantInAll runs each suite with a mutant planted.
func (s *session) plantInAll(ctx context.Context, by Runner, m mutant.Mutant, paths *flow.Paths,
	name string) (*plantedMutant, error) {
	out := &plantedMutant{Mutant: m}
	for _, one := range s.suites {
		verdict, err := s.plant(ctx, by, m, one, paths, name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m, err)
		}
		out.verdicts = append(out.verdicts, verdict)
	}
	return out, nil
}

// plant runs a suite with a mutant planted.
func (s *session) plant(ctx context.Context, by Runner, m mutant.Mutant, one *suiteRuns, paths *flow.Paths,
	name string) (verdict, error) {
	return one.tell(func(again string) (Outcome, int64, error) {
		var p *planter
		o, err := execute(ctx, by, func() Execution {
			p = &planter{Mutant: m, paths: paths}
			return Execution{Suite: one.Suite, Name: fmt.Sprintf("%d-%s%s", one.number, name, again),
				Title: "a run with " + m.String(), Timeout: s.faultTimeout(), Rewriter: p, Show: s.show}
		})
		return o, p.changed.Load(), err
	})
}
