package stabilize

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/mend"
	"github.com/flaketap/flaketap/suite/probe"
	"github.com/flaketap/flaketap/suite/results"
	"github.com/flaketap/flaketap/suite/verify"
)

// Result is what came of stabilizing a suite.
type Result struct {
	Report
	files []mend.File // of the suite in its last form
	// the recording of that form's runs, and the folder of that form, by which a test that still fails is explained
	recording, folder string
	resetAdvice       string // what to do where runs do not begin from the same start
}

// Report is the JSON of a [Result]; docs/stabilize.md describes it.
type Report struct {
	Flaketap string `json:"flaketap"`
	Version  int    `json:"version"`
	Suite    string `json:"suite"`
	Holds    bool   `json:"holds"`
	Rounds   int    `json:"rounds"` // of patching
	Muted    int    `json:"muted"`  // runs with assertions muted that the first round was judged by
	// where tests ended in these, behind an assertion that failed
	NotReached []probe.End `json:"not_reached"`
	Before     Measured    `json:"before"`
	After      Measured    `json:"after"`
	Assertions Assertions  `json:"assertions"`
	SetUps     int         `json:"set_ups"`  // tests that were given one
	Renewed    int         `json:"renewed"`  // tests that draw a value anew in each run
	Waits      []Wait      `json:"waits"`    // reads that are sent again until the API is ready
	Unwaited   []Unwaited  `json:"unwaited"` // reads that came too early, and are not
	Unhelped   []Unhelped  `json:"unhelped"`
	// NotFollowed are the assertions of the suite as it was that failed, and that no patch can change.
	NotFollowed []NotFollowed `json:"not_followed"`
	// NotReset are requests that show that runs begin with what those before them have left.
	NotReset []NotReset `json:"not_reset"`
	// NotUnderstood and NotJudged are assertions of the suite as it was that are kept without a judgement: of no known
	// form, or with no answer that can be read.
	NotUnderstood []Unjudged `json:"not_understood"`
	NotJudged     []Unjudged `json:"not_judged"`
	Seconds       Seconds    `json:"seconds"`
	Told          *Told      `json:"told"` // null where no faults were planted
	// Orders are other orders of the tests in which the last form was run; none where it does not hold in its own, or
	// its runner keeps that.
	Orders []Order `json:"orders"`
}

// Order is what came of another order of the tests.
type Order struct {
	Order   string `json:"order"`   // "backwards", "in random order 1"
	Failing int    `json:"failing"` // tests that failed
}

// Measured is what the runs of one form of the suite say.
type Measured struct {
	Runs    int     `json:"runs"`
	Tests   int     `json:"tests"`
	Failing int     `json:"failing"`         // tests that failed in any run
	Rate    float64 `json:"failure_rate"`    // the share of failing tests in a run
	Silent  int     `json:"without_results"` // runs that left no results: their exit status counts as one test
}

// Assertions are those of the suite as it was, by what became of them.
type Assertions struct {
	All      int `json:"all"`
	Kept     int `json:"kept"`
	Weakened int `json:"weakened"`
	Bound    int `json:"bound"`    // to a value that the run itself made
	Disabled int `json:"disabled"` // commented out
	Unknown  int `json:"unknown"`  // kept, as they are not understood
}

// Unhelped is a test that still fails, or is not given back what it depends on, or a file that was left alone.
type Unhelped struct {
	Test   string `json:"test"`
	File   string `json:"file"`
	Failed int    `json:"failed"`
	Of     int    `json:"of"`
	Order  string `json:"order,omitempty"` // of the tests, in which it fails; "" for the one that is written
	Why    string `json:"why"`
	// SetUp says of a test that fails in another order of the tests why it is given no set-up; "" where it has one, or
	// none was looked for.
	SetUp string `json:"set_up,omitempty"`
	// Requests of the session are what a set-up for it would take, where it fails for what was there before it and none
	// is given: what it asserts of that is weakened then.
	Requests []string `json:"requests,omitempty"`
	id       results.ID
	kept     bool // and none of its assertions was changed
}

// Unjudged is an assertion that is kept without a judgement.
type Unjudged struct {
	File string `json:"file"`
	mend.UnknownReport
}

// unjudged are those of one file of a patch's report.
func unjudged(file string, all []mend.UnknownReport) (out []Unjudged) {
	for _, a := range all {
		out = append(out, Unjudged{file, a})
	}
	return out
}

// Seconds is the time that each phase took, over all processes.
type Seconds struct {
	Measure float64 `json:"measure"` // the runs of the suite as it was
	Learn   float64 `json:"learn"`   // the runs of patched forms that failed
	Patch   float64 `json:"patch"`
	Prove   float64 `json:"prove"` // the runs of the last form, where it was patched
}

// result says what came of the rounds.
func (s *session) result() (*Result, error) {
	first, last := s.rounds[0], s.best()
	line := last.line()
	folder := s.o.Suite
	if last.number > 1 {
		folder = s.work.suite(last.number)
	}
	out := &Result{files: last.files, recording: s.work.db(last.number), folder: folder, resetAdvice: s.resetAdvice(), Report: Report{Flaketap: "stabilize-report", Version: 1, Suite: s.o.Suite,
		Holds: !last.failing(), Rounds: len(line) - 1, Unhelped: []Unhelped{}, Orders: []Order{},
		NotReached: []probe.End{}, NotReset: append([]NotReset{}, s.grown...),
		NotUnderstood: []Unjudged{}, NotJudged: []Unjudged{}, Waits: []Wait{}, Unwaited: []Unwaited{}}}
	if first.probed.used() {
		out.Muted, out.NotReached = len(first.muted), append(out.NotReached, first.probed.NotReached...)
	}
	out.Before, _ = first.measured()
	var tests []*results.Test
	out.After, tests = last.measured()
	if err := out.count(line); err != nil {
		return nil, err
	}
	show, err := s.show(last)
	if err != nil {
		return nil, err
	}
	out.fails(tests, "", show)
	for _, t := range last.turned {
		m, tests := (&round{runs: t.runs}).measured()
		out.Orders = append(out.Orders, Order{t.order.String(), m.Failing})
		failing := len(out.Unhelped)
		out.fails(tests, t.order.String(), show)
		if err := s.lacking(last, out.Unhelped[failing:]); err != nil {
			return nil, err
		}
	}
	for _, r := range s.rounds {
		spent := &out.Seconds.Learn
		switch r {
		case first:
			spent = &out.Seconds.Measure
		case last:
			spent = &out.Seconds.Prove
		}
		*spent += elapsed(r.runs).Seconds()
		for _, t := range r.turned {
			*spent += elapsed(t.runs).Seconds()
		}
		out.Seconds.Learn += elapsed(r.muted).Seconds()
		if r.patch != nil {
			out.Seconds.Patch += r.patch.Took.Seconds()
		}
	}
	return out, nil
}

// fails notes the tests that fail in an order of the tests. Runners name them by where the suite's last form lies.
func (r *Result) fails(tests []*results.Test, order string, show func(string) string) {
	within := strings.ReplaceAll(filepath.ToSlash(filepath.Dir(r.folder)), "/", ".") + "."
	for _, t := range tests {
		if t.Failed > 0 {
			why, _, _ := strings.Cut(strings.TrimSpace(t.Message), "\n")
			r.Unhelped = append(r.Unhelped, Unhelped{id: t.ID, Test: strings.TrimPrefix(t.String(), within), Failed: t.Failed,
				Of: t.Ran, Order: order, Why: console.OneLine(show(why))})
		}
	}
}

func (r *round) measured() (Measured, []*results.Test) {
	tests, rates := verify.Tally(r.outcomes())
	return Measured{Runs: rates.Executions, Tests: rates.Tests, Failing: rates.Consistent + rates.Unstable,
		Rate: rates.FR, Silent: silent(r.runs)}, tests
}

// show returns what takes the secrets of a round's runs out of a text.
func (s *session) show(r *round) (func(string) string, error) {
	secrets := exchange.Secrets{Named: s.o.Secrets}
	for _, path := range s.work.kept(r) {
		db, err := store.OpenReadOnly(path)
		if err != nil {
			return nil, err
		}
		for e, err := range db.Exchanges() {
			if err == nil { // what is damaged is told by whoever judges it
				secrets.Exchange(e)
			}
		}
		db.Close()
	}
	redactor := exchange.Redactor{Key: make([]byte, 32), Known: secrets.Known()}
	return func(text string) string { return redactor.Show("", text) }, nil
}

// changed is an assertion that is another than it was, in its last form.
type changed struct {
	file, test, text string
	kind             suite.ChangeKind
}

// tally is what became of assertions and tests, by the patches of a line of rounds. Tests are named by file and name.
type tally struct {
	changed []changed
	helped  map[suite.ChangeKind]map[[2]string]bool
	lacking map[[2]string]mend.UnhelpedReport
	waits   []Wait
	early   []Unwaited
}

// weakens reports whether an assertion of a test was changed.
func (t *tally) weakens(test [2]string) bool {
	return slices.ContainsFunc(t.changed, func(c changed) bool { return c.file == test[0] && c.test == test[1] })
}

// changes counts what a patch changed.
func (t *tally) changes(report mend.Report) {
	for _, f := range report.Files {
		for _, c := range f.Changes {
			switch kind := suite.ChangeKind(c.Kind); kind {
			case suite.Weakened, suite.Rebound, suite.Disabled:
				t.changed = follow(t.changed, c.Before, changed{f.File, c.Test, c.After, kind})
			case suite.Grafted, suite.Renewed:
				t.helped[kind][[2]string{f.File, c.Test}] = true
				delete(t.lacking, [2]string{f.File, c.Test})
			case suite.Awaited:
				t.waits = append(t.waits, Wait{Test: c.Test, File: f.File, Line: c.Line, Early: c.Failed, Of: c.Of, Took: c.Reason})
			}
		}
	}
}

// unhelped notes the tests that a patch could not give what they depend on.
func (t *tally) unhelped(report mend.Report) {
	for _, f := range report.Files {
		for _, u := range f.Unhelped {
			t.lacking[[2]string{f.File, u.Test}] = u
		}
	}
}

// count counts what became of the assertions of the suite as it was. One that is changed in several rounds counts once,
// by its last form. line are the rounds by which the last form came to be.
func (r *Result) count(line []*round) error {
	t := tally{helped: map[suite.ChangeKind]map[[2]string]bool{suite.Grafted: {}, suite.Renewed: {}},
		lacking: map[[2]string]mend.UnhelpedReport{}}
	for i, one := range line {
		// what led to the next round of the line; behind the last of it, what was found to be of no help
		p := one.patch
		if i < len(line)-1 {
			p = line[i+1].by
		}
		if p == nil {
			continue
		}
		report, err := p.report()
		if err != nil {
			return fmt.Errorf("read patch of round %d: %w", one.number, err)
		}
		if i == 0 {
			for _, f := range report.Files {
				r.Assertions.All += f.Assertions
				r.Assertions.Unknown += len(f.Unknown)
				r.NotUnderstood = append(r.NotUnderstood, unjudged(f.File, f.Unknown)...)
				r.NotJudged = append(r.NotJudged, unjudged(f.File, f.NotJudged)...)
			}
		}
		if one.broken() == nil { // else it holds as it is written
			t.unhelped(report)
			t.unwaited(report)
		}
		if i < len(line)-1 {
			t.changes(report)
		}
	}
	if r.Assertions.All == 0 {
		r.Assertions.All = assertionsOf(line[0].files)
	}
	r.leftAlone(line)
	r.take(t)
	return nil
}

// take takes over what was counted.
func (r *Result) take(t tally) {
	r.SetUps, r.Renewed = len(t.helped[suite.Grafted]), len(t.helped[suite.Renewed])
	r.Waits, r.Unwaited = append(r.Waits, t.waits...), append([]Unwaited{}, t.early...)
	byName := func(a, b [2]string) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) }
	for _, key := range slices.SortedFunc(maps.Keys(t.lacking), byName) {
		u := t.lacking[key]
		r.Unhelped = append(r.Unhelped, Unhelped{Test: key[1], File: key[0], Why: "no set-up: " + u.Reason,
			Requests: u.Requests, kept: !t.weakens(key)})
	}
	for _, c := range t.changed {
		switch c.kind {
		case suite.Weakened:
			r.Assertions.Weakened++
		case suite.Rebound:
			r.Assertions.Bound++
		case suite.Disabled:
			r.Assertions.Disabled++
		}
	}
	r.Assertions.Kept = max(0, r.Assertions.All-r.Assertions.Unknown-len(t.changed))
}

// leftAlone lists the files that no patch could read.
func (r *Result) leftAlone(rounds []*round) {
	for _, one := range rounds {
		if one.patch != nil {
			for _, why := range one.patch.Refused {
				r.Unhelped = append(r.Unhelped, Unhelped{File: r.Suite, Why: why})
			}
			return
		}
	}
}

// follow adds a change of the text before to those that are known, in the place of the change that led to that text.
func follow(all []changed, before string, c changed) []changed {
	for i, old := range all {
		if old.file == c.file && old.test == c.test && strings.TrimSpace(old.text) == strings.TrimSpace(before) {
			all[i] = c
			return all
		}
	}
	return append(all, c)
}

// assertionsOf counts the assertions of files that can be read.
func assertionsOf(files []mend.File) int {
	n := 0
	for _, f := range files {
		if !suite.Readable(f.Name) {
			continue
		}
		if script, err := suite.ReadAmong(f.Path, f.Data, mend.OnDisk); err == nil {
			for _, t := range script.Tests {
				n += len(t.Assertions)
			}
		}
	}
	return n
}

// JSON writes the [Report].
func (r *Result) JSON(w io.Writer) error {
	return outfile.JSON(w, r.Report)
}

// Text writes the table.
func (r *Result) Text(w io.Writer) error {
	out := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
	line := func(name, before, after string) { fmt.Fprintf(out, "%s\t%s\t%s\t\n", name, before, after) }
	count := func(name string, before, after int) { line(name, fmt.Sprint(before), fmt.Sprint(after)) }
	line("", "before", "after")
	count("fresh runs", r.Before.Runs, r.After.Runs)
	count("tests", r.Before.Tests, r.After.Tests)
	count("tests that fail", r.Before.Failing, r.After.Failing)
	line("failure rate", percent(r.Before.Rate), percent(r.After.Rate))
	a := r.Assertions
	line("assertions", fmt.Sprint(a.All), "")
	for _, one := range []struct {
		name string
		n    int
	}{{"kept", a.Kept}, {"weakened", a.Weakened}, {"bound", a.Bound}, {"commented out", a.Disabled},
		{"not understood", a.Unknown}, {"set-ups given", r.SetUps}, {"values drawn anew", r.Renewed}, {"waits written", len(r.Waits)}, {"rounds of patching", r.Rounds},
		{"muted runs", r.Muted}, {"not followed, and flaky", len(r.NotFollowed)}} {
		line(one.name, "", fmt.Sprint(one.n))
	}
	line("state that a run leaves", r.notResetLine(), "")
	line("fail in other orders", "", r.ordersLine())
	before, after := r.toldLine()
	line("faults told", before, after)
	if err := out.Flush(); err != nil {
		return err
	}
	t := r.Seconds
	fmt.Fprintf(w, "time: %s to measure, %s to learn, %s to patch, %s to prove\n", seconds(t.Measure), seconds(t.Learn),
		seconds(t.Patch), seconds(t.Prove))
	return r.end(w)
}

// ordersLine is what the table says of other orders of the tests.
func (r *Result) ordersLine() string {
	if len(r.Orders) == 0 {
		return "not tried"
	}
	most := 0
	for _, o := range r.Orders {
		most = max(most, o.Failing)
	}
	return fmt.Sprintf("%d in %s", most, console.Count(len(r.Orders), "order"))
}

// end writes what could not be helped, and whether the suite holds.
func (r *Result) end(w io.Writer) error {
	for _, u := range r.Unhelped {
		if u.Test == "" {
			fmt.Fprintf(w, "left unchanged: %s\n", u.Why)
			continue
		}
		if u.Failed == 0 {
			what := "weakened"
			if u.kept {
				what = "kept as it is"
			}
			fmt.Fprintf(w, "%s: %s has %s%s\n", what, console.OneLine(u.Test), u.Why, requests(u.Requests))
			continue
		}
		if u.Order != "" {
			what := "holds in its order alone"
			if u.Failed < u.Of {
				what = fmt.Sprintf("flakes in another order, for more than the order, as it holds in %d of %d runs there", u.Of-u.Failed, u.Of)
			}
			fmt.Fprintf(w, "%s: %s fails in %d of %d runs %s: %s%s\n", what, console.OneLine(u.Test), u.Failed, u.Of, u.Order,
				u.Why, u.lacks())
			continue
		}
		fmt.Fprintf(w, "not helped: %s fails in %d of %d runs: %s\n", console.OneLine(u.Test), u.Failed, u.Of, u.Why)
	}
	r.waitsText(w)
	for _, a := range r.NotJudged {
		fmt.Fprintf(w, "not judged: %s:%d: %s\n   kept as it is: %s\n", a.File, a.Line, console.OneLine(a.Text), a.Reason)
	}
	r.notFollowedText(w)
	r.notResetText(w)
	r.silentText(w)
	if !r.Holds {
		fmt.Fprintf(w, "why one of them fails: flaketap why TEST --db %s --suite %s\n", r.recording, r.folder)
	}
	verdict := fmt.Sprintf("the suite does not hold: no further patch was found (%d of %d tests fail)",
		r.After.Failing, r.After.Tests)
	if r.Holds {
		verdict = fmt.Sprintf("the suite holds in %d fresh runs in a row", r.After.Runs)
	}
	_, err := fmt.Fprintln(w, verdict)
	return err
}

// requests lists the requests of a session that a set-up would take, behind what is said of it.
func requests(some []string) string {
	if len(some) == 0 {
		return ""
	}
	return " (" + strings.Join(some, ", ") + ")"
}

func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

func seconds(s float64) string {
	return time.Duration(s * float64(time.Second)).Round(100 * time.Millisecond).String()
}
