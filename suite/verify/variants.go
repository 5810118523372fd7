package verify

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/replay/service"
)

// Variant is another build of the API: one with a bug in its source that a suite ought to tell.
type Variant struct {
	Name string           // for people
	API  *service.Service // starts it
}

// triedVariant is a variant with what became of it in a run of each suite.
type triedVariant struct {
	Variant
	failed   string    // why it could not be tried; "" where it was
	verdicts []verdict // by suite; none where it could not be tried
}

// asked counts the exchanges of a run. It implements [proxy.Recorder].
type asked struct{ exchanges atomic.Int64 }

// Record counts an exchange.
func (a *asked) Record(*exchange.Exchange) error {
	a.exchanges.Add(1)
	return nil
}

// tryAll runs each suite against each variant. A variant that cannot be tried, as it does not start, says nothing
// of any suite: it is told as such, and the others are tried.
func (s *session) tryAll(ctx context.Context, v *Verification) error {
	s.pace.planned += len(s.Variants) * len(s.suites)
	return beside(s.runners, len(s.Variants), func(by Runner, i int) (*triedVariant, error) {
		return s.tryVariant(ctx, by, s.Variants[i], fmt.Sprintf("variant-%03d", i+1))
	}, func(i int, tried *triedVariant) error {
		s.pace.done += len(s.suites) - len(tried.verdicts) // those that could not be run
		s.pace.faulted(tried.verdicts)
		v.variants = append(v.variants, tried)
		s.console.Say("variant %d of %d%s: %s", i+1, len(s.Variants), s.pace.left(),
			console.OneLine(s.show(tried.summary(s.suites))))
		return nil
	})
}

// tryVariant runs each suite against a variant.
func (s *session) tryVariant(ctx context.Context, by Runner, one Variant, name string) (*triedVariant, error) {
	tried := &triedVariant{Variant: one}
	for _, suite := range s.suites {
		verdict, err := s.trySuite(ctx, by, one, suite, fmt.Sprintf("%d-%s", suite.number, name))
		if ctx.Err() != nil {
			return nil, fmt.Errorf("variant %s: %w", one.Name, ctx.Err())
		}
		if err != nil {
			tried.failed, tried.verdicts = err.Error(), nil
			break
		}
		tried.verdicts = append(tried.verdicts, verdict)
	}
	return tried, nil
}

// trySuite runs a suite against a variant.
func (s *session) trySuite(ctx context.Context, by Runner, one Variant, suite *suiteRuns,
	name string) (verdict, error) {
	return suite.tell(func(again string) (Outcome, int64, error) {
		var count *asked
		o, err := execute(ctx, by, func() Execution {
			count = &asked{}
			return Execution{Suite: suite.Suite, Name: name + again, Title: "a run against " + one.Name,
				Timeout: s.faultTimeout(), API: one.API, Recorder: count, Show: s.show}
		})
		return o, count.exchanges.Load(), err
	})
}

// faultTimeout is the time that a run with a fault may take.
func (s *session) faultTimeout() time.Duration {
	if s.Timeout > 0 {
		return s.Timeout
	}
	return 4*s.slowest + minTimeout
}

// summary says in a line what became of a variant.
func (t *triedVariant) summary(suites []*suiteRuns) string {
	if t.failed != "" {
		return t.Name + ": not tried: " + t.failed
	}
	return t.Name + ": " + verdictsText(t.verdicts, suites)
}

// survivingVariants are the variants that the last suite does not tell.
func (v *Verification) survivingVariants() []*triedVariant {
	var out []*triedVariant
	for _, t := range v.variants {
		if t.failed == "" && !t.verdicts[len(t.verdicts)-1].killed() {
			out = append(out, t)
		}
	}
	return out
}

// variantCount counts the variants that were tried, and by suite those that it killed.
func (v *Verification) variantCount() KillCount {
	n := KillCount{Killed: make([]int, len(v.suites)), Still: make([]int, len(v.suites))}
	for _, t := range v.variants {
		if t.failed == "" {
			n.add(t.verdicts)
		}
	}
	return n
}

// Untried returns an error where variants could not be tried.
func (v *Verification) Untried() error {
	n := 0
	for _, t := range v.variants {
		if t.failed != "" {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d variants could not be tried; the report says why", n, len(v.variants))
}
