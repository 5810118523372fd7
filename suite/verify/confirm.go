package verify

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/suite/results"
)

// A test that fails at times fails beside a fault at times, too, and would be taken for one that tells it. That is seen
// in two ways. Whatever tells a fault has to tell it twice. And a test that did so once only has shown how often it
// fails by chance: the suite runs without a fault then, as often as it takes to see such a test fail there, and one
// that does tells nothing.

// verdict is what one suite made of a fault.
type verdict struct {
	runs     int          // with the fault: two, where the first told it
	answers  int64        // that were changed; 0 where the suite asks for none of them
	by       []results.ID // the tests that failed of it
	chance   []results.ID // those that failed in one of two runs with it alone, or, as was seen later, without it
	timedOut bool         // both runs were cut off: the suite waited for what did not come, which is a failure too
}

// killed reports whether the suite noticed the fault.
func (v verdict) killed() bool { return v.answers > 0 && (len(v.by) > 0 || v.timedOut) }

// tell is what a suite makes of a fault. run runs it with that, and says how many answers were changed; its files bear
// the ending that it is given.
func (s *suiteRuns) tell(run func(again string) (Outcome, int64, error)) (verdict, error) {
	out, err := s.toldIn(run, "")
	if err != nil || !out.killed() {
		return out, err
	}
	again, err := s.toldIn(run, "-again")
	if err != nil {
		return out, err
	}
	both := func(id results.ID) bool { return slices.Contains(out.by, id) && slices.Contains(again.by, id) }
	for _, id := range slices.Concat(out.by, again.by) {
		if !both(id) {
			out.chance = append(out.chance, id)
		}
	}
	out.by = slices.DeleteFunc(out.by, func(id results.ID) bool { return !both(id) })
	out.runs, out.timedOut = 2, out.timedOut && again.timedOut
	return out, nil
}

// toldIn is what one run with a fault says.
func (s *suiteRuns) toldIn(run func(again string) (Outcome, int64, error), again string) (verdict, error) {
	o, answers, err := run(again)
	if err != nil {
		return verdict{}, err
	}
	out := verdict{runs: 1, answers: answers, timedOut: o.TimedOut}
	if answers > 0 {
		out.by = results.Kills(s.reliable, s.whole, o.Results, o.Status != 0 || o.TimedOut)
	}
	return out, nil
}

// unseen is how likely it may be that a test which fails by chance, as often as it was seen to, passes in all runs
// without a fault.
const unseen = 0.05

// enough is how many further runs without a fault a suite needs for its kills to be believed, by what it made of all
// faults: so many that, of the tests that kill and failed by chance, the one that did so least often fails in one of
// them. The runs before the faults do not count, as it passed in all of these, or it would kill nothing. There are no
// more than runs with a fault: what fails more seldom than that hardly fails twice of one fault.
func enough(all []*verdict) int {
	runs, most := 0, 0
	chance, kills := map[results.ID]int{}, map[results.ID]bool{}
	for _, v := range all {
		runs += v.runs
		for _, id := range v.chance {
			chance[id]++
		}
		for _, id := range v.by {
			kills[id] = true
		}
	}
	for id, n := range chance {
		if kills[id] {
			most = max(most, int(math.Ceil(math.Log(unseen)/math.Log1p(-float64(n)/float64(runs)))))
		}
	}
	return min(most, runs)
}

// confirm runs suites further without a fault, where tests that kill failed by chance, and takes back what those told
// that fail in these runs.
func (s *session) confirm(ctx context.Context, v *Verification) error {
	var jobs []*suiteRuns
	for i, one := range s.suites {
		for range enough(v.verdicts(i)) {
			jobs = append(jobs, one)
		}
	}
	if len(jobs) == 0 {
		return nil
	}
	v.further = len(jobs)
	s.pace.planned += len(jobs)
	s.console.Say("flaketap: tests failed once of two times with the same fault: %s without one, to see whether they fail there%s",
		console.Count(len(jobs), "further run"), s.pace.left())
	title := func(i int) string { return fmt.Sprintf("further run %d of %d", i+1, len(jobs)) }
	err := beside(s.runners, len(jobs), func(by Runner, i int) (ran, error) {
		return s.runOnce(ctx, by, jobs[i], fmt.Sprintf("further-%03d", i+1), title(i))
	}, func(i int, r ran) error {
		jobs[i].further = append(jobs[i].further, r.Outcome)
		s.pace.done++
		s.sayRun(title(i), jobs[i], r.Outcome)
		return nil
	})
	for i, one := range s.suites {
		one.count()
		for _, of := range v.verdicts(i) {
			of.takeBack(one)
		}
	}
	return err
}

// takeBack takes from what told a fault the tests that fail without it, too.
func (v *verdict) takeBack(s *suiteRuns) {
	failsAnyway := func(id results.ID) bool { return !s.steady(id) }
	for _, id := range v.by {
		if failsAnyway(id) {
			v.chance = append(v.chance, id)
		}
	}
	v.by = slices.DeleteFunc(v.by, failsAnyway)
}

// verdicts are what the ith suite made of each fault.
func (v *Verification) verdicts(i int) (out []*verdict) {
	for _, p := range v.mutants {
		out = append(out, &p.verdicts[i])
	}
	for _, t := range v.variants {
		if t.failed == "" {
			out = append(out, &t.verdicts[i])
		}
	}
	return out
}
