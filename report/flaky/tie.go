package flaky

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/suite/results"
)

// tie is how a test was tied to its exchanges.
type tie struct {
	by    string // as of [report.Flake]
	says  string
	steps []exchange.Step // in the order of the recording
	rough bool            // exchanges of neighboring tests may be among them
}

// marking is what helps where tests cannot be tied to their exchanges.
const marking = "have the suite name the test to the recorder (docs/why.md has the lines for each runner), " +
	"or give a suite that patch reads with --suite, or results that say when tests ran with --results"

// tie finds the exchanges of a test.
func (in *Input) tie(t *Test) tie {
	if len(t.marks) > 0 {
		return tie{report.TiedByMark, fmt.Sprintf("its exchanges bear its mark: %q", in.text(t.marks[0])),
			in.stepsOf(func(e *exchange.Exchange) bool { return slices.Contains(t.marks, e.Sequence) }), false}
	}
	if steps, own := in.sentBy(t); len(steps) > 0 {
		return tie{report.TiedBySuite, "its exchanges were found by its calls, in the order of the suite", steps, false}
	} else if own {
		return tie{report.TiedBySuite, "it sent nothing: its suite was recorded, and none of its calls", nil, false}
	}
	return in.atTheTime(t)
}

// stepsOf are the steps whose exchanges satisfy a condition.
func (in *Input) stepsOf(wanted func(*exchange.Exchange) bool) []exchange.Step {
	var out []exchange.Step
	for _, s := range in.Judged.Steps {
		if wanted(s.Exchange) {
			out = append(out, s)
		}
	}
	return out
}

// sentBy finds the exchanges that the calls of a test sent, where the recording is one of its suite; own says whether
// it is.
func (in *Input) sentBy(t *Test) (steps []exchange.Step, own bool) {
	sent := map[uint64]bool{}
	for _, r := range t.read {
		for _, x := range r.file.bound.Ran() {
			own = true
			if x.Test == r.Name {
				sent[x.Exchange.Seq] = true
			}
		}
	}
	if len(sent) == 0 {
		return nil, own
	}
	return in.stepsOf(func(e *exchange.Exchange) bool { return sent[e.Seq] }), own
}

// slack is how far what a runner and the recorder call the beginning and the end may be apart, where nothing was sent
// between the two: go test -json says when a line was read.
const slack = 20 * time.Millisecond

// atTheTime finds the exchanges that were sent while a test ran, in the recording or in a run of it.
func (in *Input) atTheTime(t *Test) tie {
	timed := false
	executions := slices.Clone(t.ran)
	slices.SortStableFunc(executions, func(a, b ran) int { return cmp.Compare(roughness(a), roughness(b)) })
	for _, r := range executions {
		if r.Start.IsZero() || r.End.IsZero() {
			continue
		}
		timed = true
		for _, x := range in.executions() {
			if r.run != NotKnown && r.run != x.Run {
				continue
			}
			steps := in.sentBetween(x.Run, r.Start, r.End)
			if len(steps) == 0 {
				steps = in.sentBetween(x.Run, r.Start.Add(-slack), r.End.Add(slack))
			}
			if len(steps) == 0 {
				continue
			}
			says := fmt.Sprintf("its exchanges were sent while it ran in %s", x.Label)
			if r.Rough {
				says += "; when that was is only roughly known, so those of its neighbors may be among them"
			}
			return tie{report.TiedByTime, says, steps, r.Rough}
		}
	}
	why := "nothing ties it to its exchanges: they bear no mark of it"
	switch {
	case len(t.read) > 0:
		why += ", and the recording is no execution of its suite"
	case timed:
		why += ", and none was sent while the results say that it ran"
	case len(t.ran) > 0:
		why += ", and its results do not say when it ran"
	}
	return tie{says: why}
}

// roughness is how little is known of when an execution of a test was.
func roughness(r ran) int {
	if r.Rough {
		return 1
	}
	return 0
}

// sentBetween finds the exchanges that one execution sent between two times. The recording is execution 0.
func (in *Input) sentBetween(run int, from, to time.Time) []exchange.Step {
	within := func(at time.Time) bool { return !at.Before(from) && !at.After(to) }
	var out []exchange.Step
	for _, s := range in.Judged.Steps {
		if run == 0 && within(s.Exchange.Start) || slices.ContainsFunc(s.Observations,
			func(o *exchange.Observation) bool { return o.Run == run && within(o.Start) }) {
			out = append(out, s)
		}
	}
	return out
}

// executions lists the recording and its runs, as far as their observations are kept.
func (in *Input) executions() []report.FlakeExecution {
	out := []report.FlakeExecution{{Label: "the recording", Started: in.Judged.Recording.Started}}
	for _, r := range in.Judged.Runs {
		if r.Kind != exchange.RunRepeat && !r.Misled() {
			out = append(out, report.FlakeExecution{Run: r.Number, Label: report.RunLabel(r), Started: r.Started})
		}
	}
	return out
}

// execution is the one of a number.
func (in *Input) execution(run int) *report.FlakeExecution {
	for _, x := range in.executions() {
		if x.Run == run {
			return &x
		}
	}
	return nil
}

// exchanges shows steps, with the runs in which they went otherwise.
func (in *Input) exchanges(steps []exchange.Step) []report.FlakeExchange {
	out := []report.FlakeExchange{}
	last := map[int]int{} // by run, the last step that it sent
	for i, s := range steps {
		for _, o := range s.Observations {
			last[o.Run] = i
		}
	}
	for i, s := range steps {
		e := in.exchange(s.Exchange)
		seen := map[int]bool{}
		for _, o := range s.Observations {
			seen[o.Run] = true
			if status(o.Response) != e.Status {
				e.OtherIn = append(e.OtherIn, o.Run)
			}
		}
		for _, x := range in.executions()[1:] {
			at, sent := last[x.Run]
			switch {
			case sent && at == i && i < len(steps)-1:
				e.StoppedIn = append(e.StoppedIn, x.Run)
			case sent && !seen[x.Run]:
				e.MissingIn = append(e.MissingIn, x.Run)
			}
		}
		out = append(out, e)
	}
	return out
}

// exchange shows an exchange.
func (in *Input) exchange(e *exchange.Exchange) report.FlakeExchange {
	return report.FlakeExchange{Seq: e.Seq, Method: e.Request.Method, Target: in.target(e.Request.Target),
		Status: status(e.Response), StoppedIn: []int{}, MissingIn: []int{}, OtherIn: []int{}}
}

func status(r *exchange.Response) int {
	if r == nil {
		return 0
	}
	return r.Status
}

// runOf is the run of the recording that an execution of a test was: the one that is known, or in whose time the test
// began.
func (in *Input) runOf(r ran) int {
	if r.run != NotKnown || r.Start.IsZero() {
		return r.run
	}
	for _, p := range in.Judged.Recording.Passes {
		if !r.Start.Before(p.Started) && !p.Ended.IsZero() && !r.Start.After(p.Ended) {
			return 0
		}
	}
	for _, one := range in.Judged.Runs {
		if !r.Start.Before(one.Started) && !one.Ended.IsZero() && !r.Start.After(one.Ended) {
			return one.Number
		}
	}
	return NotKnown
}

// outcomes says of the executions that are known to be the recording or a run of it whether the test failed. One of
// which there are several results is left out where they do not agree.
func (in *Input) outcomes(t *Test) map[int]bool {
	failed, mixed := map[int]bool{}, map[int]bool{}
	for _, r := range t.ran {
		run := in.runOf(r)
		if run == NotKnown || r.Outcome == results.Skip {
			continue
		}
		if was, known := failed[run]; known && was != r.Failed() {
			mixed[run] = true
		}
		failed[run] = r.Failed()
	}
	maps.DeleteFunc(failed, func(run int, _ bool) bool { return mixed[run] })
	return failed
}

// failedIn lists the executions in which the test is known to have failed.
func (in *Input) failedIn(t *Test) []report.FlakeExecution {
	out := []report.FlakeExecution{}
	failed := in.outcomes(t)
	for _, x := range in.executions() {
		if failed[x.Run] {
			out = append(out, x)
		}
	}
	return out
}

// failures are the executions in which the test failed, the first of which the runner says more.
func (t *Test) failures() []ran {
	var out []ran
	for _, r := range t.ran {
		if r.Failed() {
			out = append(out, r)
		}
	}
	return out
}

// failure is what the runner says of the test's first failure that names a line, else of its first.
func (t *Test) failure() (message string, where results.Where) {
	for _, r := range t.failures() {
		if message == "" {
			message = said(r.Message)
		}
		if r.Where.Line > 0 {
			return said(r.Message), r.Where
		}
	}
	return message, where
}

// said is a message without the lines in which go test says that a test begins and ends.
func said(message string) string {
	var out []string
	for line := range strings.Lines(message) {
		if !strings.HasPrefix(line, "=== ") && !strings.HasPrefix(strings.TrimSpace(line), "--- ") {
			out = append(out, line)
		}
	}
	return strings.TrimSpace(strings.Join(out, ""))
}
