package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// Flake explains why a test flaked. Secrets are redacted. docs/why.md documents its JSON.
type Flake struct {
	Test   string `json:"test"`
	Suite  string `json:"suite"`  // the class, module or file that it stands in; "": not known
	File   string `json:"file"`   // of the suite, where that was given
	Line   int    `json:"line"`   // of the test's definition; 0: not known
	Failed int    `json:"failed"` // executions, by the results that were read, of
	Of     int    `json:"of"`     // those that ran it; 0: no results were read
	// FailedIn are the executions in which it failed, as far as they are known to be the recording or a run of it.
	FailedIn []FlakeExecution `json:"failed_in"`
	Failure  string           `json:"failure"` // what its runner said first; "" for nothing
	Where    string           `json:"where"`   // file:line, where the failure names it; else ""
	// TiedBy says how its exchanges were found: [TiedByMark], [TiedBySuite], [TiedByTime], or "" where they were not.
	TiedBy    string          `json:"tied_by"`
	Tie       string          `json:"tie"` // the same as a sentence, with what is doubtful about it
	Exchanges []FlakeExchange `json:"exchanges"`
	Causes    []FlakeCause    `json:"causes"` // the surest first
	Others    []FlakePlace    `json:"other_places"`
	Next      []string        `json:"next"` // what to do about the whole test
}

// The ways in which the exchanges of a test are found.
const (
	TiedByMark  = "mark"  // the client named the test with each of its requests
	TiedBySuite = "suite" // the suite was read, and its calls found in the recording in their order
	TiedByTime  = "time"  // they were sent while the runner says that the test ran
)

// FlakeExchange is an exchange of a test.
type FlakeExchange struct {
	Seq       uint64 `json:"seq"`
	Method    string `json:"method"`
	Target    string `json:"target"`
	Status    int    `json:"status"`      // as recorded; 0: a fault
	StoppedIn []int  `json:"stopped_in"`  // the runs in which the test sent nothing after it
	MissingIn []int  `json:"missing_in"`  // the runs in which the test did not send it
	OtherIn   []int  `json:"answered_in"` // the runs in which it was answered with another status, or not at all
}

// FlakeCause is something that a test says or sees, and that differs between executions.
type FlakeCause struct {
	// Known says how it is known: [KnownByAssertion], [KnownByValue], [KnownByMessage], [KnownByOutcome], [KnownByLine],
	// [KnownByStop], [KnownBySource], [KnownByPlace].
	Known     string           `json:"known_by"`
	Where     string           `json:"where"`     // file:line of the assertion; "": not known
	Statement string           `json:"statement"` // the assertion, as written; "": not known
	Finding   string           `json:"finding"`   // as of inspect claims; "" where no assertion was read
	Reason    string           `json:"reason"`    // for people; ""
	Exchange  *FlakeExchange   `json:"exchange"`  // null: none, as the test cannot get so far
	Place     exchange.Place   `json:"place"`     // "" where the statement is about none
	Category  mapfile.Category `json:"category"`  // "" where it is not known
	Differed  int              `json:"differed"`  // executions that differed, of
	Of        int              `json:"of"`        // those that came to it
	Since     *FlakeExecution  `json:"since"`     // the first execution that differed; null: none did
	Values    []FlakeValue     `json:"values"`    // one for each execution, the recording first
	Judged    *Why             `json:"judged"`    // as of inspect why; null where no place is judged to move
	Next      []string         `json:"next"`
}

// The ways in which a cause is known, the surest first.
const (
	KnownByAssertion = "assertion" // the assertion was read, and executions contradict it
	KnownByValue     = "value"     // what the assertion saw is what stood there, execution by execution
	KnownByMessage   = "message"   // the failure shows what stood there
	KnownByOutcome   = "outcome"   // it is another in those executions in which the test failed, and in no other
	KnownByLine      = "line"      // the line that failed names it
	KnownByStop      = "stop"      // the test sent nothing more once it was answered so
	KnownBySource    = "source"    // a line of the test names it; which line failed is not known
	KnownByPlace     = "place"     // it moved; whether the test looks there is not known
)

// FlakeExecution is one execution of the suite.
type FlakeExecution struct {
	Run     int       `json:"run"` // 0: the recording
	Label   string    `json:"label"`
	Started time.Time `json:"started,omitzero"`
}

// FlakeValue is what one execution had at a place.
type FlakeValue struct {
	Run      int    `json:"run"` // 0: the recording
	Label    string `json:"label"`
	Shown    string `json:"shown"` // raw tokens, or in words why there are none
	Differed bool   `json:"differed"`
}

// FlakePlace is a place that differed in the exchanges of a test, which nothing ties to its failure.
type FlakePlace struct {
	Seq      uint64           `json:"seq"`
	Place    exchange.Place   `json:"place"`
	Category mapfile.Category `json:"category"`
	Differed int              `json:"differed"`
	Of       int              `json:"of"`
}

// RunLabel names a run with its conditions, as explanations do.
func RunLabel(r exchange.Run) string {
	return show(fmt.Sprintf("run %d, %s, %s", r.Number, kind(r.Kind),
		conditions(r.Conditions.Start, r.Conditions.Perturb)), 90)
}

// Tokens writes raw tokens on one line.
func Tokens(all []Value) string { return values(all) }

// Text writes the explanation for people.
func (f *Flake) Text(out io.Writer) error {
	t := &text{}
	head := f.Test
	switch {
	case f.File != "":
		head += fmt.Sprintf(" (%s:%d)", f.File, f.Line)
	case f.Suite != "":
		head += " (" + f.Suite + ")"
	}
	t.whole("%s", head)
	if f.Of > 0 {
		t.whole("  failed in %d of %s%s", f.Failed, count(f.Of, "execution"), failedFirst(f.FailedIn))
	}
	if f.Failure != "" {
		t.whole("  its runner says: %s", show(strings.Join(strings.Fields(f.Failure), " "), 300))
	}
	if f.Where != "" {
		t.whole("  at %s", f.Where)
	}
	t.whole("  %s", f.Tie)
	for _, e := range f.Exchanges {
		t.whole("    %s%s", e.title(), e.notes())
	}
	for i := range f.Causes {
		if i > 0 && f.Causes[i].like(&f.Causes[i-1]) {
			t.causeAgain(i+1, &f.Causes[i])
			continue
		}
		t.cause(i+1, &f.Causes[i])
	}
	if len(f.Causes) == 0 {
		t.whole("")
		t.whole("nothing was found that differs between its executions")
	}
	t.others(f.Others)
	if len(f.Next) > 0 {
		t.whole("")
		t.whole("what to do")
		for _, s := range f.Next {
			t.whole("  %s", s)
		}
	}
	_, err := out.Write(t.out.Bytes())
	return err
}

// title names an exchange, what it asked for, and what it was answered.
func (e *FlakeExchange) title() string {
	answered := fmt.Sprintf("answered %d", e.Status)
	if e.Status == 0 {
		answered = "not answered"
	}
	return fmt.Sprintf("exchange %d, %s %s, %s", e.Seq, e.Method, showEnds(e.Target, 90), answered)
}

// notes says in which runs an exchange went otherwise.
func (e *FlakeExchange) notes() string {
	out := ""
	for _, n := range []struct {
		runs []int
		says string
	}{{e.OtherIn, "otherwise in"}, {e.StoppedIn, "the last that was sent in"}, {e.MissingIn, "not sent in"}} {
		if len(n.runs) > 0 {
			out += "; " + n.says + " " + numbered(n.runs)
		}
	}
	return out
}

// numbered names runs: "run 1", "runs 1, 2, 5".
func numbered(runs []int) string {
	var out []string
	for _, r := range first(runs, 12) {
		out = append(out, fmt.Sprint(r))
	}
	if more := len(runs) - len(out); more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	if len(runs) == 1 {
		return "run " + out[0]
	}
	return "runs " + strings.Join(out, ", ")
}

// failedFirst says which execution was the first of those in which a test failed.
func failedFirst(failed []FlakeExecution) string {
	if len(failed) == 0 {
		return ""
	}
	return ", first in " + failed[0].Label + startedAt(failed[0].Started)
}

// like reports whether there is no more to say of a cause than of the one before it: the same answer moves in the same
// way.
func (c *FlakeCause) like(before *FlakeCause) bool {
	same := c.Exchange != nil && before.Exchange != nil && c.Exchange.Seq == before.Exchange.Seq &&
		c.Known == before.Known && c.Finding == before.Finding && c.Category == before.Category
	if c.Judged == nil || before.Judged == nil {
		return same && c.Judged == before.Judged && c.Reason == before.Reason
	}
	return same && c.Judged.Place == before.Judged.Place
}

// causeAgain writes a cause that is like the one before it.
func (t *text) causeAgain(number int, c *FlakeCause) {
	t.whole("%d. %s (as above; %s)", number, c.title(), c.count())
}

// title names the assertion.
func (c *FlakeCause) title() string {
	what := strings.Join(strings.Fields(c.Statement), " ")
	if what == "" {
		what = "an assertion on " + string(c.Place)
	}
	if c.Where != "" {
		what = c.Where + ": " + what
	}
	return show(what, 200)
}

// count says in how many executions it differed.
func (c *FlakeCause) count() string {
	if c.Of == 0 {
		return "no execution came to it"
	}
	return fmt.Sprintf("%d of %s differ", c.Differed, count(c.Of, "execution"))
}

// cause writes one cause.
func (t *text) cause(number int, c *FlakeCause) {
	t.whole("")
	t.whole("%d. %s", number, c.title())
	if c.Exchange != nil {
		at := c.Exchange.title()
		if c.Place != "" {
			at += ": " + string(c.Place)
		}
		t.whole("   %s", at)
	}
	if c.Category != "" {
		t.whole("   %s: the value %s", c.Category, why(c.Category))
	}
	if c.Differed == 0 {
		t.whole("   %s", c.count())
	} else {
		t.whole("   %s: %s", c.count(), knownBy(c.Known))
	}
	if c.Reason != "" {
		t.whole("   %s", c.Reason)
	}
	if c.Judged != nil {
		for _, e := range c.Judged.Evidence {
			if mapfile.ParseEvidence(e.Code).Sign != mapfile.SignMoved { // the count above says it
				t.whole("   %s", e.Says)
			}
		}
	}
	t.seen(c.Values)
	if c.Since != nil {
		t.whole("   since %s%s", c.Since.Label, startedAt(c.Since.Started))
	}
	for _, s := range c.Next {
		t.whole("   do: %s", s)
	}
}

func startedAt(started time.Time) string {
	if started.IsZero() {
		return ""
	}
	return ", " + clock(started)
}

// seen writes what executions had at a place, those together that had the same.
func (t *text) seen(all []FlakeValue) {
	const shown = 8
	var groups []FlakeValue
	sizes := map[int]int{}
	for _, v := range all {
		i := slices.IndexFunc(groups, func(g FlakeValue) bool { return g.Shown == v.Shown && g.Differed == v.Differed })
		if i < 0 {
			i, groups = len(groups), append(groups, v)
		}
		sizes[i]++
	}
	wide := 0
	for i := range first(groups, shown) {
		if n := sizes[i] - 1; n > 0 {
			groups[i].Label += fmt.Sprintf(" (and %d more)", n)
		}
		wide = max(wide, columns(groups[i].Label))
	}
	for _, v := range first(groups, shown) {
		differs := ""
		if v.Differed {
			differs = "  (differs)"
		}
		t.whole("     %s%s  %s%s", v.Label, strings.Repeat(" ", wide-columns(v.Label)), v.Shown, differs)
	}
	if more := len(groups) - shown; more > 0 {
		t.whole("     and %s", count(more, "more value"))
	}
}

// knownBy says how a cause is known.
func knownBy(known string) string {
	switch known {
	case KnownByAssertion:
		return "they contradict the assertion"
	case KnownByValue:
		return "the assertion saw what stood there"
	case KnownByMessage:
		return "the failure shows what stood there"
	case KnownByOutcome:
		return "those in which the test failed have another than all others"
	case KnownByLine:
		return "the line that failed names it"
	case KnownBySource:
		return "a line of the test names it"
	case KnownByStop:
		return "the test sent nothing more where it differed"
	}
	return "no assertion was read, so whether the test looks there is for you to say"
}

// others lists places that nothing ties to the failure.
func (t *text) others(all []FlakePlace) {
	const shown = 20
	if len(all) == 0 {
		return
	}
	t.whole("")
	t.whole("what else differs in its exchanges")
	for _, p := range first(all, shown) {
		t.whole("  exchange %d %s, %s, %d of %d", p.Seq, p.Place, p.Category, p.Differed, p.Of)
	}
	if more := len(all) - shown; more > 0 {
		t.whole("  and %s", count(more, "more place"))
	}
}

// WriteFlakes prints explanations: for people one behind the other, for programs as a list in a form.
func WriteFlakes(w io.Writer, form Form, all []*Flake) error {
	if form != FormText {
		l := NewListing(w, form)
		for _, f := range all {
			if err := l.Add(f); err != nil {
				return err
			}
		}
		return l.Close()
	}
	for i, f := range all {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := f.Text(w); err != nil {
			return err
		}
	}
	return nil
}
