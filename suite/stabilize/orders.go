package stabilize

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/suite/order"
	"github.com/flaketap/flaketap/suite/results"
	"github.com/flaketap/flaketap/suite/verify"
)

// turned are the runs of a suite with its tests in another order.
type turned struct {
	series
	runs []execution
}

func (t turned) failing() bool { return (&round{runs: t.runs}).failing() }

// failingTests are the tests that failed in each run, and flaking those that failed in some, by the names that their
// runner has for them.
func (t turned) failingTests() (failing, flaking []results.ID) {
	tests, _ := verify.Tally((&round{runs: t.runs}).outcomes())
	for _, test := range tests {
		switch {
		case test.Failed > 0 && test.Failed == test.Ran:
			failing = append(failing, test.ID)
		case test.Failed > 0:
			flaking = append(flaking, test.ID)
		}
	}
	return failing, flaking
}

// broken are the runs in another order in which a test failed; nil where there are none. They are the last ones.
func (r *round) broken() *turned {
	if n := len(r.turned); n > 0 && r.turned[n-1].failing() {
		return &r.turned[n-1]
	}
	return nil
}

// lacking says of tests that fail in another order of those of a round why the last patch of it gave them no set-up.
func (s *session) lacking(of *round, failing []Unhelped) error {
	for _, r := range slices.Backward(s.rounds) {
		if from, _ := r.base(); from != of || r.patch == nil {
			continue
		}
		report, err := r.patch.report()
		if err != nil {
			return fmt.Errorf("read patch of round %d: %w", r.number, err)
		}
		for i := range failing {
			for _, f := range report.Files {
				for _, u := range f.Unhelped {
					if failing[i].id.Is(u.Test) {
						failing[i].File, failing[i].SetUp, failing[i].Requests = f.File, u.Reason, u.Requests
					}
				}
			}
		}
		return nil
	}
	return nil
}

// lacks says behind what fails in another order why there is no set-up for it, and which requests that would take.
func (u *Unhelped) lacks() string {
	if u.SetUp == "" {
		return ""
	}
	return "; no set-up: " + u.SetUp + requests(u.Requests)
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
				return s.once(ctx, runner, job{series: one.series, begun: b, suite: r.suite, timeout: s.o.Timeout,
					env: func(env []string) []string { return by.Env(env, loaded, o) }})
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
