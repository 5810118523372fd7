package flaky

import (
	"fmt"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// next says what to do about a cause.
func (in *Input) next(t *Test, c *report.FlakeCause) []string {
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	eventual := eventual(c)
	switch {
	case faulted(c):
		say("no answer came in some executions: read the API's log, and list such exchanges by flaketap inspect exchanges "+
			"--db %s --fault any", in.DB)
	case c.Finding == string(suite.GeneratorBug) && c.Known == report.KnownByMessage:
		say("mend the line, no answer can satisfy it")
	case c.Finding == string(suite.GeneratorBug):
		say("mend the line, no answer can satisfy it%s", in.orPatch(t))
	case eventual != "":
		say("wait: ask again until the answer holds, for %s at least; it came right by itself", eventual)
	case c.Category == mapfile.State || c.Finding == string(suite.Stale):
		say("give the test the state that it depends on: %s", in.setUp(t))
		for _, after := range in.pollutedBy(c) {
			say("it goes otherwise after exchange %d: begin each test with its own data, or reset in between", after)
		}
	case c.Finding == string(suite.Unexplained):
		say("run it more often, so that what moves here is seen: flaketap rerun --db %s --runs 10 -- CMD", in.DB)
	case len(t.read) > 0 && !in.Stabilized:
		say("weaken the assertion to what holds: %s", in.patch(t))
	default:
		say("assert what holds of it instead of the value: %s", holds(c.Judged))
	}
	if c.Judged != nil {
		say("flaketap inspect why --db %s %q %s tells more", in.DB, c.Judged.Operation, c.Judged.Place)
	}
	return out
}

// eventual is how long it took until a place came right by itself, as the evidence has it; "" where it does not.
func eventual(c *report.FlakeCause) (detail string) {
	if c.Judged == nil {
		return ""
	}
	for _, r := range c.Judged.Evidence {
		if e := mapfile.ParseEvidence(r.Code); e.Sign == mapfile.SignEventual {
			detail = e.Detail
		}
	}
	return detail
}

// faulted reports whether executions had no answer at all where others had one.
func faulted(c *report.FlakeCause) bool {
	return c.Place == exchange.PlaceStatus && slices.ContainsFunc(c.Values, func(v report.FlakeValue) bool {
		return strings.Contains(v.Shown, "fault:")
	})
}

// holds says in words what is true of a place in all executions.
func holds(w *report.Why) string {
	if w == nil || len(w.Statements) == 0 {
		return "nothing more than that it is there"
	}
	return strings.Join(w.Statements, "; ")
}

// patch is the command that weakens and mends the assertions of a test that was read.
func (in *Input) patch(t *Test) string {
	file := "SUITE"
	if len(t.read) > 0 {
		file = t.read[0].file.path
	}
	session := ""
	if in.SessionDB != "" {
		session = " --session " + in.SessionDB
	}
	return fmt.Sprintf("flaketap patch --db %s%s %s", in.DB, session, file)
}

// orPatch is the same, behind what it does; "" where a patch has done what it can.
func (in *Input) orPatch(t *Test) string {
	if in.Stabilized {
		return ""
	}
	return ": " + in.patch(t)
}

// setUp is the command that gives a test the state that it depends on.
func (in *Input) setUp(t *Test) string {
	if in.Stabilized {
		return "create in the test what it reads, or draw a name of its own for what it makes: no set-up was proven, and the " +
			"report of stabilize (unhelped, not_reset) says why"
	}
	if len(t.read) > 0 {
		more := "--target URL --reset CMD|URL, so that it is tried"
		if in.SessionDB == "" {
			more = "--session DB of the session that the suite came from, and " + more
		}
		return in.patch(t) + ", with " + more
	}
	return "create in the test what it reads, or run it from a known start (flaketap rerun --reset CMD|URL -- CMD)"
}

// pollutedBy lists the sequences, by their first exchange, after which the one of a cause goes otherwise.
func (in *Input) pollutedBy(c *report.FlakeCause) []uint64 {
	if c.Exchange == nil {
		return nil
	}
	var out []uint64
	for _, r := range in.Judged.Runs {
		for _, d := range r.Dependences {
			if d.Polluted && in.inSequence(d.Victim, c.Exchange.Seq) {
				out = append(out, d.After...)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// inSequence reports whether an exchange is of the sequence that begins with another.
func (in *Input) inSequence(first, seq uint64) bool {
	return slices.ContainsFunc(in.Source.Sequences, func(s exchange.Sequence) bool {
		return len(s.Steps) > 0 && s.Steps[0] == first && slices.Contains(s.Steps, seq)
	})
}

// nextOf says what to do about a test as a whole.
func (in *Input) nextOf(t *Test, f *report.Flake) []string {
	out := []string{}
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if f.TiedBy == "" {
		say("%s", marking)
	}
	known := slices.ContainsFunc(f.Causes, func(c report.FlakeCause) bool { return c.Known != report.KnownByPlace })
	runs := len(in.executions()) - 1
	switch {
	case runs == 0:
		say("run the suite again, as one execution shows little of what moves: flaketap rerun --db %s --runs 5 -- CMD", in.DB)
	case f.Failed == f.Of && f.Of > 1 && !known:
		say("it failed in every execution, and nothing tells that an answer is to blame: what it asserts may be wrong, or " +
			"the API has changed")
	case len(f.Causes) == 0 && f.TiedBy != "":
		say("its answers are alike in all %s: look for what moves in the test itself (its clock, its random values, its "+
			"order), or run it more often: flaketap rerun --db %s --runs 10 -- CMD", console.Count(runs+1, "execution"), in.DB)
	}
	switch {
	case len(f.Causes) == 0 || known:
	case f.Of == 0:
		say("give what its runner says of a failure with --results: it tells which of these it was")
	case len(in.Sources) == 0:
		say("give the suite with --suite: the line that failed tells which of these it was")
	}
	if len(f.Causes) > 0 && len(t.read) > 0 && !in.Stabilized {
		say("or all of it at once, proven by fresh runs: flaketap stabilize SUITE -- CMD {}")
	}
	return out
}
