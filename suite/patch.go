package suite

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/history"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/suite/setup"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// Patched is a suite after [Patch].
type Patched struct {
	Data    []byte // the file; the bytes that were given where nothing had to change
	Changes []Change

	Tests      int
	Calls      int
	Matched    int                // calls whose recorded exchange was found
	Assertions int                // those that are not commented out
	Kept       int                // of them, those that no observation contradicts
	Unseen     int                // of those kept, those that no observation speaks to, as their call was never seen
	Unknown    []script.Assertion // those not understood; they are kept
	Unread     []script.Assertion // those of Unseen whose answers cannot be read, which Reason says
	Unwaited   []Unwaited         // reads that came too early, and at which no wait can be written
	Seldom     int                // calls that were answered too seldom for anything to be added to them

	Beside []script.BesideFile // files beside that change with it
}

// Change is one place where [Patch] changed a suite.
type Change struct {
	File     string
	Line     int // in the file as it was given, from 1
	Test     string
	Kind     ChangeKind
	Place    exchange.Place // what the assertion looks at; "" where the change is about none
	Category mapfile.Category
	Failed   int // observations that the assertion fails in, of
	Of       int // the observations of its call, the recording among them
	Reason   string
	Before   string
	After    string
	Leaves   []string // of a set-up: see [setup.Graft]
}

// ChangeKind says what was done.
type ChangeKind string

// The kinds of change.
const (
	Weakened  ChangeKind = "weakened" // the assertion states less, and holds
	Disabled  ChangeKind = "disabled" // the assertion is commented out: nothing true could be said in its stead
	Mended    ChangeKind = "mended"   // a bug of the generator was put right
	Skipped   ChangeKind = "skipped"  // the test cannot run, by a bug of the generator that has no one remedy
	Grafted   ChangeKind = "grafted"  // the test was given back what it leaned on
	Commented ChangeKind = "marked"   // a comment about the whole test: what pollutes it, why nothing is given back
	Renewed   ChangeKind = "renewed"  // the test draws a value anew in each run that it had written out
	Rebound   ChangeKind = "rebound"  // the assertion speaks of a value that the test itself brought about
	Awaited   ChangeKind = "awaited"  // the test sends a read again until the API is ready
	Added     ChangeKind = "added"    // an assertion that all observations bear, and the suite lacked
)

// PatchOptions are what a suite is patched by; the zero value weakens, and gives nothing back.
type PatchOptions struct {
	Mode   Mode                // Relax where it is ""
	Grafts map[string]Grafting // what tests are given back, by their names
	// assertions are added that the answers of at least [EnoughAnswers] executions bear
	Strengthen bool
	// Only the tests that are given something back are changed, and what moves on by itself in others: what is seen was
	// seen in another order of the tests than the suite has, and the others hold in that one.
	Restore bool
	// Flaking says which of these others fail in some of the executions and not in all, although those have one order:
	// that is no reason for it, so they are judged as well. nil: none do.
	Flaking func(test string) bool
	// Refused are requests, "POST /users", that are refused for what earlier runs of the suite have left: what tests
	// were answered then is not judged by.
	Refused []string
	// what tests were answered with other tests before them than in the suite, or none, by their names: what is added
	// holds there too
	Elsewhere map[string][]setup.Trial
}

// Patch reads a suite, holds it against a recording alone, and patches it: [Read], [Hold] and [Held.Patch] in one. The
// error is a [SyntaxError] where the file is no suite, or is damaged.
func Patch(name string, data []byte, src Source, o PatchOptions) (Patched, error) {
	script, err := Read(name, data)
	if err != nil {
		return Patched{}, err
	}
	return Bind(script, src, nil).Patch(o), nil
}

// Patch holds each assertion against what its call answered in the recording and in every run, and weakens those that
// an observation contradicts, or that lie on a place which the map calls volatile, to the strongest statement that is
// true of all. Each change bears a comment; nothing else in the file changes, byte for byte, and patching what Patch
// returned changes nothing. It is called once.
func (h *BoundScript) Patch(o PatchOptions) Patched {
	p := &patcher{BoundScript: h, mode: cmp.Or(o.Mode, Relax), grafts: o.Grafts, adds: o.Strengthen, restores: o.Restore,
		flaking: o.flaking(), refused: o.Refused, elsewhere: o.Elsewhere,
		headers: map[headerOf]bool{}, said: map[*script.Assertion]expr.Expr{},
		follows: map[*script.Assertion]bool{}, drawn: map[string]string{}}
	p.out = Patched{Data: h.script.Data, Matched: len(p.matched), Unwaited: h.unwaited}
	for _, t := range h.script.Tests {
		p.out.Tests++
		p.out.Calls += len(t.Calls)
		p.out.Assertions += len(t.Assertions)
		switch {
		case t.Skipped:
		case t.HasSetUp() && !p.observed(t), !p.drew(t): // by executions of the suite as it was before
			p.out.Kept += len(t.Assertions)
		case p.followsAnother(t): // its answers are others once that is drawn
			p.out.Kept += len(t.Assertions)
		case o.Restore && !given(o.Grafts[t.Name]):
			p.inAnotherOrder(t)
		default:
			p.test(t)
		}
	}
	if elsewhere := h.script.Writer.Elsewhere; p.mode != Exact && elsewhere != nil && len(p.said) > 0 {
		edits, beside := elsewhere(h.script, p.said)
		p.edits, p.out.Beside = append(p.edits, edits...), beside
	}
	if imports := h.script.Writer.Imports; p.mode != Exact && imports != nil {
		p.edits = append(imports(h.script, p.edits), p.edits...)
	}
	if p.mode != Exact && len(p.edits) > 0 {
		p.out.Data = p.apply()
	}
	return p.out
}

func (o PatchOptions) flaking() func(test string) bool {
	if o.Flaking == nil {
		return func(string) bool { return false }
	}
	return o.Flaking
}

// patcher makes the changes of one patch.
type patcher struct {
	*BoundScript
	mode      Mode
	grafts    map[string]Grafting
	adds      bool                   // assertions are added
	restores  bool                   // and nothing else: see [PatchOptions.Restore]
	flaking   func(test string) bool // see [PatchOptions.Flaking]
	refused   []string
	elsewhere map[string][]setup.Trial
	counters  map[string]bool            // see counted; nil until it is asked for
	headers   map[headerOf]bool          // those that were added
	values    map[siteOf][]any           // see valuesAt
	histories map[siteOf]history.History // see historyOf
	edits     []script.Edit
	said      map[*script.Assertion]expr.Expr // what assertions say now, nil for those that are commented out
	drawn     map[string]string               // the names of values that are drawn outside of the tests
	follows   map[*script.Assertion]bool      // assertions that speak of a fresh value as they are written
	missed    map[string]bool                 // see lacking; nil until it is asked for
	known     map[placeOf]mapfile.Category    // of the test under work, as its new comments say
	remarks   []madeRemark                    // of the test under work
	out       Patched
}

// apply makes the edits. They do not overlap.
func (p *patcher) apply() []byte { return []byte(p.script.BOM + script.Apply(p.script.Text, p.edits)) }

// before inserts lines above a piece of the suite, with its indentation and line end.
func (p *patcher) before(at script.Span, lines ...string) {
	if above := p.script.Writer.Above; above != nil {
		p.edits = append(p.edits, above(p.script, at, lines)...)
		return
	}
	eol := script.LineEnd(p.script.Lines[at.FirstLine-1])
	if eol == "" {
		eol = script.LineEnd(p.script.Lines[0])
	}
	start := at.Start - len(at.Indent)
	text := ""
	for _, line := range lines {
		text += at.Indent + line + eol
	}
	p.edits = append(p.edits, script.Edit{Start: start, End: start, Text: text})
}

// change notes a change; place, category and counts are filled in by those who know them.
func (p *patcher) change(c Change, t *script.Test, line int) {
	c.File, c.Test, c.Line = p.script.File, t.Name, line
	p.out.Changes = append(p.out.Changes, c)
}

// test patches one test: first the slips that keep it from running, then its assertions.
func (p *patcher) test(t *script.Test) {
	if !p.mendUnset(t) {
		return
	}
	for _, a := range t.Assertions {
		if bug, ok := p.script.GeneratorBugs[a.Line]; ok {
			p.before(a.At, p.script.Comment(bug.Reason+"; "+string(mapfile.GenErr)))
			p.change(Change{Kind: Mended, Place: a.Place, Category: mapfile.GenErr, Reason: bug.Reason, Before: bug.Before,
				After: bug.After}, t, a.Line)
		}
	}
	p.await(t)
	p.mendExtractions(t)
	p.known, p.remarks = map[placeOf]mapfile.Category{}, nil
	trials := p.trials(t)
	mends := !given(p.grafts[t.Name]) && len(p.waits[t]) == 0 && p.mendSlips(t)
	if g, ok := p.grafts[t.Name]; ok {
		for _, m := range g.Comments {
			if script := p.script; script.Commented(t.Head.FirstLine) {
				break
			}
			p.before(t.Head, p.script.Comment(p.src.Redactor.Show("", m)))
			p.change(Change{Kind: Commented, Category: mapfile.State, Reason: m}, t, t.Line)
		}
		restored := p.mode == Relax && p.graft(t, g)
		if p.restores && !restored {
			p.out.Kept += len(t.Assertions)
			return
		}
		if restored && given(g) {
			trials = nil // what was seen without the set-up says nothing any more
			for _, trial := range g.Trials {
				trials = append(trials, g.Scope(t, trial))
			}
		}
	}
	for _, a := range t.Assertions {
		if len(a.Uses) > 0 {
			p.shared(t, a)
			continue
		}
		if s := p.slipsOf(t); mends && s.explained[a] {
			p.assertion(t, a, s.answered) // what was seen of other requests says nothing any more
			continue
		}
		p.assertion(t, a, trials)
	}
	p.agree(t)
	if p.adds {
		p.strengthen(t, trials, p.elsewhere[t.Name])
	}
}

// given reports whether what a test is given has it answered otherwise.
func given(g Grafting) bool { return len(g.Steps)+len(g.Fresh()) > 0 }

// mendUnset puts right a variable that nothing assigns, where the language knows the one remedy, and reports whether
// the test can run then.
func (p *patcher) mendUnset(t *script.Test) bool {
	mended := map[string]bool{}
	for _, c := range t.Calls {
		if c.Unset == "" || mended[c.Unset] {
			continue
		}
		if lines, ok := p.defined(c); ok {
			mended[c.Unset] = true
			reason := c.Unset + " was never assigned; the generator omits that where there is no payload"
			p.before(c.At, append([]string{p.script.Comment(reason + "; " + string(mapfile.GenErr))}, lines...)...)
			p.change(Change{Kind: Mended, Category: mapfile.GenErr, Reason: reason, After: strings.Join(lines, "\n")}, t, c.Line)
			continue
		}
		reason := c.Unset + " is never assigned, so the test cannot run"
		skip := ""
		lines := []string{p.script.Comment(reason + "; " + string(mapfile.GenErr))}
		if p.script.Writer.SkipInPlace != nil {
			p.edits = append(p.edits, p.script.Writer.SkipInPlace(p.script, t)...)
		} else if p.script.Writer.Skip != nil {
			skip = p.script.Writer.Skip(reason)
			lines = append(lines, skip)
		}
		p.before(t.Head, lines...)
		p.change(Change{Kind: Skipped, Category: mapfile.GenErr, Reason: reason, After: skip}, t, c.Line)
		return false
	}
	return true
}

// defined returns the lines that assign a variable which nothing assigns, where the dialect knows the one remedy.
func (p *patcher) defined(c *script.Call) ([]string, bool) {
	if p.script.Writer.Define == nil {
		return nil, false
	}
	return p.script.Writer.Define(c)
}

// optional returns an extraction that goes on where the answer lacks what it takes; false where it does so already.
func (p *patcher) optional(k *script.Extraction) (string, expr.Expr, bool) {
	if p.script.Writer.Optional == nil {
		return "", nil, false
	}
	return p.script.Writer.Optional(p.script, k)
}

// mendExtractions puts right a variable that is taken from a header which the answer does not have: the generator's own
// helpers take an empty location for none.
func (p *patcher) mendExtractions(t *script.Test) {
	for i := range t.Extractions {
		k := &t.Extractions[i]
		after, x, ok := p.optional(k)
		if !ok {
			p.guardExtraction(t, k)
			continue
		}
		failed, of := 0, 0
		for _, run := range p.runs {
			switch _, err := scopeOf(t, p.matched, run).Eval(k.Value); {
			case err == nil:
				of++
			case expr.IsRaised(err):
				of++
				failed++
			}
		}
		if failed == 0 {
			continue
		}
		c := Change{Kind: Mended, Place: script.ExtractedHeader(k.Value), Category: mapfile.GenErr, Failed: failed, Of: of,
			Before: p.script.Text[k.At.Start:k.At.End], After: after}
		k.Value = x
		c.Reason = fmt.Sprintf("the answer never has the header, in %d of %d", failed, of)
		if failed < of {
			c.Category = mapfile.State
			c.Reason = fmt.Sprintf("the answer lacks the header in %d of %d", failed, of)
		}
		p.before(k.At, p.script.Comment(string(c.Place)+": "+c.Reason+"; "+string(c.Category)))
		p.edits = append(p.edits, script.Edit{Start: k.At.Start, End: k.At.End, Text: c.After})
		p.change(c, t, k.At.FirstLine)
	}
}

// guardExtraction keeps a test going that takes a value from the body of an answer which sometimes has another status
// than the suite expects: with that status weakened, the extraction would end it. What a set-up brings about needs no
// guard.
func (p *patcher) guardExtraction(t *script.Test, k *script.Extraction) {
	guard := p.script.Writer.Guard
	c := extractedCall(t, k.Value)
	if guard == nil || c == nil || c.ExpectedStatus == "" || p.mode == Relax && given(p.grafts[t.Name]) {
		return
	}
	failed, of := 0, 0
	for _, run := range p.runs {
		s := scopeOf(t, p.matched, run)
		status, err := s.Eval(expr.Answer{Var: c.Var, Part: expr.Status})
		if err != nil {
			continue
		}
		of++
		if _, err := s.Eval(k.Value); expr.IsRaised(err) {
			if expr.Show(status) == c.ExpectedStatus {
				return // another status is not what it lacks
			}
			failed++
		}
	}
	if failed == 0 {
		return
	}
	change := Change{Kind: Mended, Place: exchange.PlaceBody, Category: mapfile.State, Failed: failed, Of: of,
		Before: p.script.Text[k.At.Start:k.At.End],
		Reason: fmt.Sprintf("with a status other than %s, in %d of %d, there is nothing to extract", c.ExpectedStatus, failed, of)}
	change.After, k.Value = guard(p.script, k, c)
	p.before(k.At, p.script.Comment(string(change.Place)+": "+change.Reason+"; "+string(change.Category)))
	p.edits = append(p.edits, script.Edit{Start: k.At.Start, End: k.At.End, Text: change.After})
	p.change(change, t, k.At.FirstLine)
}

// extractedCall returns the call from whose body a variable is taken; nil where there is none.
func extractedCall(t *script.Test, x expr.Expr) *script.Call {
	for _, c := range t.Calls {
		if expr.About(x, expr.Answer{Var: c.Var, Part: expr.JSON}) {
			return c
		}
	}
	return nil
}

// assertion holds one assertion against the trials, and changes it where it has to be.
func (p *patcher) assertion(t *script.Test, a *script.Assertion, trials []expr.Scope) {
	if !a.Understood() {
		p.out.Unknown = append(p.out.Unknown, *a)
	}
	// One that sends a request itself may have been changed with that, by what its test is given back.
	changed := p.edited(a.At) || p.follows[a]
	if a.Meaning == nil || a.Reason == script.UnderCondition || changed || p.ofSetUp(a) {
		p.out.Kept++
		return
	}
	if a.Runs {
		trials = knowAll(a.Meaning, trials)
	}
	a = settled(t, a, trials)
	seen, failed := hold(a.Meaning, trials)
	if len(seen) == 0 {
		p.out.Kept++
		p.out.Unseen++
		p.unread(a, trials)
		return
	}
	if failed > 0 && a.Relation == "" {
		p.reclaim(t, a)
	}
	w := &weakening{p: p, t: t, a: a, trials: seen, failed: failed}
	w.field = p.field(t, a)
	switch p.rule(t, a) {
	case mapfile.Pin: // whatever moved
		p.out.Kept++
		return
	case mapfile.Ignore:
		w.ignore()
		return
	}
	if failed == 0 && a.Rebound {
		w.rebind()
		return
	}
	if failed == 0 && (!w.wouldMove() || w.isAwaited()) {
		p.out.Kept++
		return
	}
	w.run()
}

// unread notes that an assertion is not judged since what its call was answered cannot be read.
func (p *patcher) unread(a *script.Assertion, trials []expr.Scope) {
	for _, s := range trials {
		if _, err := s.Eval(a.Meaning); errors.Is(err, expr.ErrUnread) {
			one := *a
			one.Reason = strings.TrimPrefix(err.Error(), expr.ErrUnknown.Error()+": ")
			p.out.Unread = append(p.out.Unread, one)
			return
		}
	}
}

// ofSetUp reports whether an assertion is what a set-up of an earlier round must come to. Where that fails the set-up
// is wrong, and what it makes is not there: a weaker assertion would let the test go on with nothing.
func (p *patcher) ofSetUp(a *script.Assertion) bool {
	_, says, ok := p.script.CommentAbove(a.At)
	return ok && says == script.SetUpMustSucceed
}

// knowAll are the trials that have each answer of which an expression speaks.
func knowAll(x expr.Expr, trials []expr.Scope) []expr.Scope {
	return slices.DeleteFunc(slices.Clone(trials), func(s expr.Scope) bool {
		missing := false
		expr.Walk(x, func(y expr.Expr) {
			if answer, ok := y.(expr.Answer); ok && s[answer.Var] == nil {
				missing = true
			}
		})
		return missing
	})
}

// hold evaluates an expression in each trial that knows all its names, and returns these trials and how many it is
// false in.
func hold(x expr.Expr, trials []expr.Scope) (seen []expr.Scope, failed int) {
	for _, s := range trials {
		ok, err := s.Holds(x)
		if err != nil {
			continue
		}
		seen = append(seen, s)
		if !ok {
			failed++
		}
	}
	return seen, failed
}

// rule returns what the user's rules make of the place that an assertion looks at; "" where they are not about it.
func (h *BoundScript) rule(t *script.Test, a *script.Assertion) mapfile.RuleKind {
	if step := h.step(t, a); step != nil {
		if op := h.src.operation(step.Exchange); op != nil {
			return op.Ruled(a.Place)
		}
	}
	return ""
}

// field returns what the map says of the place that an assertion looks at; nil where it says nothing.
func (h *BoundScript) field(t *script.Test, a *script.Assertion) *mapfile.Field {
	step := h.step(t, a)
	if step == nil {
		return nil
	}
	if op := h.src.operation(step.Exchange); op != nil {
		return op.Volatile(a.Place, exchange.Exact(step.Exchange))
	}
	return nil
}
