package suite

import (
	"fmt"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility"
)

// commentMark begins every comment line that flaketap writes into a suite.
const commentMark = "# flaketap: "

// Patched is a suite after [Patch].
type Patched struct {
	Data    []byte // the file; the bytes that were given where nothing had to change
	Changes []Change

	Tests      int
	Calls      int
	Matched    int         // calls whose recorded exchange was found
	Assertions int         // those that are not commented out
	Kept       int         // of them, those that no observation contradicts
	Unseen     int         // of those kept, those that no observation speaks to, as their call was never seen
	Unknown    []Assertion // those not understood; they are kept
}

// Change is one place where [Patch] changed a suite.
type Change struct {
	File     string
	Line     int // in the file as it was given, from 1
	Test     string
	Kind     ChangeKind
	Place    exchange.Place // what the assertion looks at; "" where the change is about none
	Category volatility.Category
	Failed   int // observations that the assertion fails in, of
	Of       int // the observations of its call, the recording among them
	Reason   string
	Before   string
	After    string
}

// ChangeKind says what was done.
type ChangeKind string

// The kinds of change.
const (
	Weakened ChangeKind = "weakened" // the assertion states less, and holds
	Disabled ChangeKind = "disabled" // the assertion is commented out: nothing true could be said in its stead
	Mended   ChangeKind = "mended"   // a slip of the generator was put right
	Skipped  ChangeKind = "skipped"  // the test cannot run, by a slip of the generator that has no one remedy
)

// Patch reads a Python suite of EvoMaster, holds each assertion against what its call answered in the recording and in
// every run of src, and weakens those that an observation contradicts, or that lie on a place which the map calls
// volatile, to the strongest statement that is true of all. Each change bears a comment; nothing else in the file
// changes, byte for byte, and patching what Patch returned changes nothing.
//
// The error is a [SyntaxError] where the file is no such suite, or is damaged.
func Patch(name string, data []byte, src Source, mode Mode) (Patched, error) {
	script, err := ReadEvoMasterPython(name, data)
	if err != nil {
		return Patched{}, err
	}
	src.known()
	p := &patcher{script: script, src: src, mode: mode, matched: matchCalls(script, src.Steps), runs: runsOf(src.Steps)}
	p.out.Data = data
	p.out.Matched = len(p.matched)
	for _, t := range script.Tests {
		p.out.Tests++
		p.out.Calls += len(t.Calls)
		p.out.Assertions += len(t.Assertions)
		if !t.skipped {
			p.test(t)
		}
	}
	if mode != Exact && len(p.edits) > 0 {
		p.out.Data = p.apply()
	}
	return p.out, nil
}

// patcher holds one script against one source.
type patcher struct {
	script  *Script
	src     Source
	mode    Mode
	matched map[*Call]*exchange.Step
	runs    []int
	edits   []edit
	out     Patched
}

// edit replaces the bytes from start to end of the script's text.
type edit struct {
	start, end int
	text       string
}

// apply makes the edits. They do not overlap.
func (p *patcher) apply() []byte {
	slices.SortStableFunc(p.edits, func(a, b edit) int { return a.start - b.start })
	var b strings.Builder
	b.WriteString(p.script.bom)
	at := 0
	for _, e := range p.edits {
		b.WriteString(p.script.text[at:e.start])
		b.WriteString(e.text)
		at = e.end
	}
	b.WriteString(p.script.text[at:])
	return []byte(b.String())
}

// before inserts lines above a statement, with its indentation and line end.
func (p *patcher) before(st statement, lines ...string) {
	eol := lineEnd(p.script.lines[st.first-1])
	if eol == "" {
		eol = lineEnd(p.script.lines[0])
	}
	start := st.start - len(st.indent)
	text := ""
	for _, line := range lines {
		text += st.indent + line + eol
	}
	p.edits = append(p.edits, edit{start, start, text})
}

func lineEnd(line string) string { return line[len(strings.TrimRight(line, "\r\n")):] }

// change notes a change; place, category and counts are filled in by those who know them.
func (p *patcher) change(c Change, t *Test, line int) {
	c.File, c.Test, c.Line = p.script.File, t.Name, line
	p.out.Changes = append(p.out.Changes, c)
}

// test patches one test: first the slips that keep it from running, then its assertions.
func (p *patcher) test(t *Test) {
	if !p.mendUnset(t) {
		return
	}
	p.mendSetters(t)
	trials := make([]scope, 0, len(p.runs))
	for _, run := range p.runs {
		trials = append(trials, scopeOf(t, p.matched, run))
	}
	for _, a := range t.Assertions {
		p.assertion(t, a, trials)
	}
}

// mendUnset puts right a variable that nothing assigns. For the body there is one reading: the generator writes the
// assignment only where there is a payload to write, so none was sent. It reports whether the test can run then.
func (p *patcher) mendUnset(t *Test) bool {
	mended := false
	for _, c := range t.Calls {
		switch {
		case c.Unset == "" || c.Unset == "body" && mended:
		case c.Unset == "body":
			mended = true
			reason := "body was never assigned; the generator leaves that out where there is no payload"
			p.before(c.stmt, commentMark+reason+"; "+string(volatility.GenErr), "body = {}")
			p.change(Change{Kind: Mended, Category: volatility.GenErr, Reason: reason, After: "body = {}"}, t, c.Line)
		default:
			reason := c.Unset + " is never assigned, so the test cannot run"
			skip := "@unittest.skip(" + pyString("flaketap: "+reason) + ")"
			p.before(t.def, commentMark+reason+"; "+string(volatility.GenErr), skip)
			p.change(Change{Kind: Skipped, Category: volatility.GenErr, Reason: reason, After: skip}, t, c.Line)
			return false
		}
	}
	return true
}

// mendSetters puts right a variable that is taken from a header which the answer does not have: the generator's own
// helpers take an empty location for none.
func (p *patcher) mendSetters(t *Test) {
	for i, set := range t.setters {
		index, ok := set.x.(pyIndex)
		if !ok {
			continue
		}
		headers, ok := index.x.(pyAttr)
		key, isText := index.i.(pyStr)
		if !ok || !isText || headers.name != "headers" {
			continue
		}
		failed, of := 0, 0
		for _, run := range p.runs {
			switch _, err := scopeOf(t, p.matched, run).eval(set.x); {
			case err == nil:
				of++
			case isRaised(err):
				of++
				failed++
			}
		}
		if failed == 0 {
			continue
		}
		t.setters[i].x = pyCall{fn: pyAttr{headers, "get"}, args: []expr{key, pyStr{""}}}
		place := exchange.HeaderPlace(key.s)
		c := Change{Kind: Mended, Place: place, Category: volatility.GenErr, Failed: failed, Of: of,
			Before: p.script.text[set.stmt.start:set.stmt.end]}
		c.Reason = fmt.Sprintf("the answer never has the header, in %d of %d", failed, of)
		if failed < of {
			c.Category = volatility.State
			c.Reason = fmt.Sprintf("the answer lacks the header in %d of %d", failed, of)
		}
		c.After = strings.Replace(strings.TrimSuffix(c.Before, "]"), "headers[", "headers.get(", 1) + ", '')"
		p.before(set.stmt, commentMark+string(place)+": "+c.Reason+"; "+string(c.Category))
		p.edits = append(p.edits, edit{set.stmt.start, set.stmt.end, c.After})
		p.change(c, t, set.stmt.first)
	}
}

// assertion holds one assertion against the trials, and changes it where it has to be.
func (p *patcher) assertion(t *Test, a *Assertion, trials []scope) {
	if !a.Understood() {
		p.out.Unknown = append(p.out.Unknown, *a)
	}
	if a.x == nil || a.Reason == underCondition {
		p.out.Kept++
		return
	}
	seen, failed := hold(a.x, trials)
	if len(seen) == 0 {
		p.out.Kept++
		p.out.Unseen++
		return
	}
	w := &weakening{p: p, t: t, a: a, trials: seen, failed: failed}
	w.field = p.field(t, a)
	switch p.rule(t, a) {
	case volatility.Pin: // whatever moved
		p.out.Kept++
		return
	case volatility.Ignore:
		w.ignore()
		return
	}
	if failed == 0 && !w.wouldMove() {
		p.out.Kept++
		return
	}
	w.run()
}

// hold evaluates an expression in each trial that knows all its names, and returns these trials and how many it is
// false in.
func hold(x expr, trials []scope) (seen []scope, failed int) {
	for _, s := range trials {
		ok, err := s.holds(x)
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
func (p *patcher) rule(t *Test, a *Assertion) volatility.RuleKind {
	if step := p.matched[t.Calls[a.Call]]; step != nil && a.Relation != "" {
		if op := p.src.operation(step.Exchange); op != nil {
			return op.Ruled(a.Place)
		}
	}
	return ""
}

// field returns what the map says of the place that an assertion looks at; nil where it says nothing.
func (p *patcher) field(t *Test, a *Assertion) *volatility.Field {
	if a.Relation == "" {
		return nil
	}
	step := p.matched[t.Calls[a.Call]]
	if step == nil {
		return nil
	}
	if op := p.src.operation(step.Exchange); op != nil {
		return op.Volatile(a.Place, exchange.Exact(step.Exchange))
	}
	return nil
}
