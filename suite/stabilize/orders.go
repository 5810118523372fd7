package stabilize

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/suite/order"
)

// turned are the runs of a suite with its tests in another order.
type turned struct {
	series
	runs []execution
}

func (t turned) failing() bool { return (&round{runs: t.runs}).failing() }

// broken are the runs in another order in which a test failed; nil where there are none. They are the last ones.
func (r *round) broken() *turned {
	if n := len(r.turned); n > 0 && r.turned[n-1].failing() {
		return &r.turned[n-1]
	}
	return nil
}

// enoughTurned is how many runs in another order count: one that passes, or as many as a failing suite is judged by.
func (o Options) enoughTurned(runs []execution) int {
	if (&round{runs: runs}).failing() {
		return o.Learn
	}
	return 1
}

// turn runs a suite that holds with its tests in other orders, up to the first in which one fails. A runner that keeps
// the order all the same has proven nothing.
func (s *session) turn(ctx context.Context, r *round) (err error) {
	by, ok := order.For(fileNames(r))
	if !ok || len(r.runs[0].Results) < 2 {
		return nil
	}
	loaded, err := filepath.Abs(filepath.Join(s.work.dir, "order"))
	if err == nil {
		err = by.Install(loaded)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(loaded)) }()
	for _, o := range by.Orders(s.o.Orders) {
		if err != nil {
			return err
		}
		one := turned{series: series{round: r.number, turned: true, order: o}}
		if one.runs, err = s.work.runs(one.series); err != nil {
			return err
		}
		one.runs, err = s.runAbreast(ctx, abreast{series: one.series, done: one.runs, enough: s.o.enoughTurned,
			do: func(ctx context.Context, runner Runner, b begun) (execution, error) {
				return s.once(ctx, runner, job{one.series, b, r.suite, s.o.Timeout,
					func(env []string) []string { return by.Env(env, loaded, o) }})
			}})
		if err != nil && ctx.Err() == nil && len(one.runs) == 0 {
			s.console.Say("round %d: no %s: %s", r.number, one.word(), console.OneLine(err.Error()))
			err = nil
			continue
		}
		if err != nil {
			return err
		}
		if !by.Drawn(loaded) && order.Same(r.runs[0].Results, one.runs[0].Results) {
			continue
		}
		if r.turned = append(r.turned, one); one.failing() {
			return nil
		}
	}
	if len(r.turned) == 0 && s.o.Orders > 0 {
		s.console.Say("round %d: the command's runner keeps the tests in their order, so no other was tried", r.number)
	}
	return nil
}

// turned is the recording of a round's runs in another order: its runs put together.
func (w work) turned(number int) string { return filepath.Join(w.round(number), "orders.db") }

// kept are the recordings of all runs of a round.
func (w work) kept(r *round) (out []string) {
	all := append([]turned{{series{round: r.number}, r.runs},
		{series{round: r.number, muted: true}, r.muted}}, r.turned...)
	for _, one := range all {
		for i := range one.runs {
			out = append(out, w.run(one.series, i+1)+".db")
		}
	}
	return out
}
