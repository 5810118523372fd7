package triage

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/report/flaky"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/volatility/breach"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// judging is one failed test under judgement.
type judging struct {
	*Input
	*flaky.Failed
	seen []sight
	out  Test
}

// tied is a finding with what ties it to the failure.
type tied struct {
	sight
	by string
}

// verdict decides. Each way of telling is asked in turn, the gravest first, and the first that tells has it.
func (t *judging) verdict() Test {
	f := t.Flake
	t.out = Test{Test: f.Test, Suite: f.Suite, Failed: f.Failed, Of: f.Of, Failure: f.Failure, Where: f.Where,
		TiedBy: f.TiedBy, Tie: f.Tie, Evidence: []Evidence{}, Missing: []string{}, Next: []string{}}
	all := t.tied()
	for _, told := range []func([]tied) bool{t.misspells, t.breaks, t.slips, t.moves, t.asserts, t.expects, t.foreign,
		t.remains} {
		if told(all) {
			return t.out
		}
	}
	t.unknown(all)
	return t.out
}

// tied says of each finding what ties it to the failure, the surest first.
func (t *judging) tied() []tied {
	var out []tied
	for _, s := range t.seen {
		out = append(out, tied{s, t.Ties(s.found.Place, s.found.Was, s.found.Is)})
	}
	slices.SortStableFunc(out, func(a, b tied) int { return cmp.Compare(ties(a.by), ties(b.by)) })
	return out
}

// is gives the test its verdict, with the findings that say so.
func (t *judging) is(v Verdict, reason string, by []tied) bool {
	t.out.Verdict, t.out.Reason = v, reason
	for _, x := range by[:min(len(by), MaxEvidence)] {
		t.out.Evidence = append(t.out.Evidence, t.evidence(x.sight, x.by))
	}
	return true
}

// do adds what to do.
func (t *judging) do(format string, args ...any) {
	t.out.Next = append(t.out.Next, fmt.Sprintf(format, args...))
}

// lacks adds what is missing to tell.
func (t *judging) lacks(format string, args ...any) {
	t.out.Missing = append(t.out.Missing, fmt.Sprintf(format, args...))
}

// breaks tells a regression by the answers of the run.
func (t *judging) breaks(all []tied) bool {
	var sure []tied
	for _, x := range all {
		loose := x.by == report.KnownByPlace && (t.Rough || newHeader(x.found))
		if x.found.Kind.Breach() && !x.found.Unsure && !loose {
			sure = append(sure, x)
		}
	}
	if len(sure) == 0 {
		return false
	}
	if t.Failed.Failed < t.Of {
		t.is(Unknown, "an answer was as it never had been, and the test passed in the same run as well: it flakes by what "+
			"was not seen before", sure)
		t.lacks("more runs of this version: flaketap rerun --db FILE --runs 10 -- CMD shows how often it answers so")
		return true
	}
	if why := t.otherStart(); why != "" && !slices.ContainsFunc(sure, func(x tied) bool { return !leftOver(x.found) }) {
		t.is(Unknown, "an answer was as it never had been, and left-over state may explain it: "+why, sure)
		t.lacks("a run that begins as the earlier ones did: record --reset CMD|URL -- CMD")
		return true
	}
	if !slices.ContainsFunc(sure, func(x tied) bool { return !t.flips(x.sight) }) && t.lively() {
		t.is(Unknown, "an answer was as it never had been, and the same request was answered as ever before and after it; of "+
			"this API, places move for the first time in nearly every run", sure)
		t.lacks("more runs of this version: flaketap rerun --db FILE --runs 10 -- CMD shows how often it answers so")
		return true
	}
	first := sure[0]
	t.is(Regression, "the API answered what it never did before: "+t.evidence(first.sight, first.by).Says, sure)
	t.do("look at what changed in %s %s since it last answered otherwise", t.out.Evidence[0].Method,
		t.out.Evidence[0].Target)
	t.do("if the new answer is right, change what the suite expects, and record anew: the map and the recordings that " +
		"triage reads are then of the new version")
	return true
}

// newHeader reports whether a finding is a header that answers did not have: servers and what stands before them add
// such ones, and few tests look at them.
func newHeader(f breach.Finding) bool { return f.Place.Root() == "header" && f.Was == "" }

// otherStart says in words that the run did not begin from a known state, as all earlier ones did; "" where it did, or
// where they did not.
func (t *judging) otherStart() string {
	if t.Beside == nil {
		return ""
	}
	known := func(s exchange.Start) bool { return s == exchange.StartReset || s == exchange.StartFresh }
	for _, r := range t.Flaky.Judged.Runs {
		if r.Number == t.Beside.Run && known(r.Conditions.Start) || r.Number != t.Beside.Run && !known(r.Conditions.Start) {
			return ""
		}
	}
	return "the API was not reset before this run, and it was before all earlier ones"
}

// leftOver reports whether state that an earlier client left behind could bring a finding about: a refusal, or elements
// that come and go. A value that changed in its place is none of these.
func leftOver(f breach.Finding) bool {
	if f.Kind == breach.Server {
		return false
	}
	if f.Place == exchange.PlaceStatus {
		return len(f.Is) == 3 && f.Is[0] == '4'
	}
	return f.Is == "" || f.Was == "" || len(f.Place.Segments()) > 0 && f.Field != nil && f.Field.Category == mapfile.State
}

// misspells tells a slip by the failure itself: what the test asks for is in no answer, so that it could not have
// passed, whatever the API answers besides.
func (t *judging) misspells([]tied) bool { return t.slipped(report.KnownByMessage) }

// slips tells a slip of the suite: a statement that no answer can satisfy.
func (t *judging) slips([]tied) bool { return t.slipped(report.KnownByAssertion) }

func (t *judging) slipped(known string) bool {
	for _, c := range t.Causes {
		if c.Finding == string(suite.GeneratorBug) && c.Known == known &&
			(t.Where == "" || c.Where == t.Where || c.Of == 0) {
			t.out.Evidence = append(t.out.Evidence, ofCause(&c))
			t.is(Slip, fmt.Sprintf("the suite's own slip: %s", c.Reason), nil)
			t.out.Next = c.Next
			return true
		}
	}
	return false
}

// moves tells what is known by the answers of the run: a place that moves is what the failure shows, or its line names.
func (t *judging) moves(all []tied) bool {
	var by []tied
	for _, x := range all {
		if !x.found.Kind.Breach() && x.by != report.KnownByPlace {
			by = append(by, x)
		}
	}
	if len(by) == 0 {
		return false
	}
	return t.explained(by, "the failure shows what stood there")
}

// explained gives the verdict by places that move, the surest of which decides.
func (t *judging) explained(by []tied, how string) bool {
	first := by[0]
	if first.by == report.KnownByLine {
		how = "the line that failed names it"
	}
	category, place := mapfile.Category(""), first.found.Place
	if f := first.found.Field; f != nil {
		category = f.Category
	}
	shown := t.Flaky.Judged.Redactor.ShowPlace(place)
	if category == mapfile.State || first.found.Kind == breach.State {
		t.is(State, fmt.Sprintf("%s follows what was sent before; %s", shown, how), by)
		t.do("give the test its own state, or reset the API before it: flaketap why %q says what it depends on", t.Test)
		return true
	}
	t.is(Volatile, fmt.Sprintf("%s is known to move, and is within what holds of it; %s", shown, how), by)
	t.do("weaken the assertion, and no longer fail by it: flaketap patch, or flaketap stabilize; flaketap why %q says how",
		t.Test)
	return true
}

// asserts tells by what is known of the test from earlier runs: an assertion that was read and that they contradict, or
// a place that moves and that the failure shows.
func (t *judging) asserts([]tied) bool {
	if t.Basis.Recorded && !t.Alone && len(t.Steps)+len(t.Failed.Added) > 0 {
		return t.asserted(report.KnownByAssertion)
	}
	return t.asserted(report.KnownByAssertion, report.KnownByValue, report.KnownByMessage, report.KnownByLine)
}

// asserted tells by the causes that are known in one of some ways.
func (t *judging) asserted(ways ...string) bool {
	for _, c := range t.Causes {
		if !slices.Contains(ways, c.Known) || c.Known == report.KnownByAssertion && t.Where != "" && c.Where != t.Where {
			continue
		}
		v := Volatile
		switch {
		case c.Finding == string(suite.Stale) || c.Category == mapfile.State:
			v = State
		case c.Finding != "" && c.Finding != string(suite.Moving), c.Category == "":
			continue
		}
		t.out.Evidence = append(t.out.Evidence, ofCause(&c))
		what := string(c.Place)
		if what == "" {
			what = "what it asserts"
		}
		reason := fmt.Sprintf("%s moved in %d of %s", what, c.Differed, console.Count(c.Of, "execution"))
		if c.Finding == string(suite.Stale) {
			reason = c.Reason
		}
		t.is(v, reason, nil)
		t.out.Next = c.Next
		return true
	}
	return false
}

// ofCause shows a cause of a flake as evidence.
func ofCause(c *report.FlakeCause) Evidence {
	e := Evidence{Kind: cmp.Or(c.Finding, string(breach.Moves)), KnownBy: c.Known, Place: c.Place, Category: c.Category,
		Of: c.Of, Says: fmt.Sprintf("%d of %s differ", c.Differed, console.Count(c.Of, "execution"))}
	if c.Reason != "" {
		e.Says = c.Reason
	}
	if c.Exchange != nil {
		e.Method, e.Target, e.Status, e.Exchange = c.Exchange.Method, c.Exchange.Target, c.Exchange.Status, c.Exchange.Seq
	}
	return e
}
