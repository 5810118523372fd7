package suite

import (
	"fmt"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/align"
	"github.com/flaketap/flaketap/suite/graft"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/suite/setup"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// Dependency is a test whose outcome may depend on what was there before it: its calls, and what it wants of their
// answers.
type Dependency struct {
	File    string
	Test    string
	Calls   []setup.Wanted
	Failing bool // an execution contradicts it; else what it depends on is a matter of the session's data flow alone
	Drawn   bool // it draws values anew in each run already
	// Session are the answers that the session's own execution of the test got, by call; nil where it is not found.
	Session []*exchange.Response

	held *BoundScript
	test *script.Test
}

// Refuses says why a set-up that was found cannot be written into a test; "" where it can, and for tests that were
// generated, whose dialects have words for all but what is drawn, or may be there already.
func (l *Dependency) Refuses(g Grafting) string {
	if l.held != nil && g.Refused == setup.DependsOnNothing {
		return l.held.suite().Shares(l.test)
	}
	if l.held == nil || l.held.script.Writer.Graft == nil || !g.Gives() ||
		l.held.script.Writer.Graft.Bind == nil && len(g.Fresh()) == 0 &&
			!slices.ContainsFunc(g.Steps, func(s setup.Step) bool { return s.MayBeThere }) {
		return ""
	}
	_, why := l.held.suite().Write(l.test, g)
	return why
}

// IfMissing reports whether a set-up would only be sent where a variable that other tests hand on has no value.
func (l *Dependency) IfMissing(g Grafting) bool {
	return l.held != nil && l.held.script.Writer.Graft != nil && l.held.suite().IfMissing(l.test, g)
}

// Dependencies lists the tests that an execution contradicts in a way that is [volatility.State]; where the recording
// is that of the session itself, and so no execution of the suite, all of them: what they depend on is then for its
// data flow to say. Without a session the recording is taken for one.
func (h *BoundScript) Dependencies() []Dependency {
	return h.dependencies(func(_ *script.Test, verdicts []Verdict) bool { return !h.own || failsForState(verdicts) })
}

// DependenciesOf lists the tests of which it is known that they fail in the recording, by what their runner said, and
// that they do not in the session, which is a run of the suite in its own order. A test that fails before it asks for
// anything is contradicted by no answer.
func (h *BoundScript) DependenciesOf(fails func(test string) bool) []Dependency {
	out := h.dependencies(func(t *script.Test, _ []Verdict) bool { return fails(t.Name) })
	for i := range out {
		out[i].Failing = true
	}
	return out
}

// dependencies lists those of some tests.
func (h *BoundScript) dependencies(some func(*script.Test, []Verdict) bool) []Dependency {
	session := h.session
	if session == nil {
		for _, s := range h.src.Steps {
			session = append(session, s.Exchange)
		}
	}
	steps := make([]exchange.Step, len(session))
	for i, e := range session {
		steps[i].Exchange = e
	}
	found := align.Search(h.script, steps, align.Apart, nil, holding)
	byTest := map[string][]Verdict{}
	for _, v := range h.verdicts(session) {
		byTest[v.Test] = append(byTest[v.Test], v)
	}
	var out []Dependency
	for _, t := range h.script.Tests {
		if t.Skipped || t.HasSetUp() || !some(t, byTest[t.Name]) {
			continue
		}
		l := Dependency{File: h.script.File, Test: t.Name, Failing: h.own, Drawn: h.draws(t), held: h, test: t}
		cleanUp := false
		requests := make([]exchange.Request, len(t.Calls))
		for i, c := range t.Calls { // a place for the set-up is found by all of them
			requests[i] = requestOf(c, h.matched[c], found[c])
			c.SentTarget = requests[i].Target
		}
		for i, c := range t.Calls {
			cleanUp = cleanUp || cleansUp(h.script, t, i)
			w := setup.Wanted{Request: requests[i], Claims: wantedClaims(byTest[t.Name], i),
				CleanUp: cleanUp, Ahead: h.ahead(t, c), Reachable: h.reachable(t, c),
				Literal: !c.Dynamic && c.Location == "" && !strings.Contains(c.Target, "\x00")}
			var answered *exchange.Response
			if step := found[c]; step != nil {
				w.Seq, answered = step.Exchange.Seq, step.Exchange.Response
			}
			if step := h.matched[c]; h.own && step != nil {
				w.Seen = seen(step)
			}
			l.Calls, l.Session = append(l.Calls, w), append(l.Session, answered)
		}
		out = append(out, l)
	}
	return out
}

// ahead reports whether a call is sent before the set-up that its test would be given.
func (h *BoundScript) ahead(t *script.Test, c *script.Call) bool {
	return c.Hook && !h.script.Writer.Graft.Before(h.script, t, c)
}

// reachable reports whether a call that is sent ahead of a set-up of its test could be sent behind it.
func (h *BoundScript) reachable(t *script.Test, c *script.Call) bool {
	by := h.script.Writer.Graft
	return c.Hook && by != nil && by.Reaches != nil && by.Reaches(h.script, t, c)
}

// Follows reports whether another test of the file has a value by a constant, a fixture or a function of the file,
// which has another where this test is given one that is drawn.
func (l *Dependency) Follows(test, value string) bool {
	return l.held != nil && slices.ContainsFunc(l.held.script.Tests, func(t *script.Test) bool {
		return t.Name == test && l.held.hasFromFile(t, value)
	})
}

// hasFromFile reports whether a test that sends a value does not write it out itself, where what others have it from
// can draw it.
func (h *BoundScript) hasFromFile(t *script.Test, value string) bool {
	by, text := h.script.Writer.Graft, h.script.Text
	return by != nil && by.Outside != nil && t.BodyEnd > t.Head.Start &&
		!strings.Contains(text[t.Head.Start:t.BodyEnd], value)
}

// sent is the request of a call as it was recorded; nil where it was not.
func (h *BoundScript) sent(c *script.Call) *exchange.Request {
	return sentIn(h.matched[c], recordedRun)
}

// draws reports whether a test sends values that it draws anew in each run.
func (h *BoundScript) draws(t *script.Test) bool {
	drawn := graft.Drawn(t, h.sent)
	return slices.ContainsFunc(t.Fresh, func(f script.FreshName) bool { return !f.Outside || drawn[f.Variable] != nil })
}

// failsForState reports whether a test failed for what was there before it, or was not.
func failsForState(verdicts []Verdict) bool {
	for _, v := range verdicts {
		if v.Finding == Stale || v.Failed > 0 && v.Category == mapfile.State {
			return true
		}
	}
	return false
}

// wantedClaims are the claims about one call that a set-up may bring about: not those on what moves for other reasons,
// nor the generator's slips.
func wantedClaims(verdicts []Verdict, call int) []exchange.Claim {
	var out []exchange.Claim
	for _, v := range verdicts {
		moves := v.Finding == Moving && v.Category != mapfile.State
		if v.Relation != "" && v.Call == call && !moves && v.Finding != GeneratorBug {
			out = append(out, v.Claim)
		}
	}
	return out
}

// seen lists the answers that a call got, that of the recording first.
func seen(step *exchange.Step) []*exchange.Response {
	var out []*exchange.Response
	if step.Exchange.Response != nil {
		out = append(out, step.Exchange.Response)
	}
	for _, o := range step.Observations {
		if o.Response != nil {
			out = append(out, o.Response)
		}
	}
	return out
}

// cleansUp reports whether a test's clean-up begins with a call, as a comment of the generator's says above it.
func cleansUp(s *script.Script, t *script.Test, call int) bool {
	from := t.BodyStart
	if call > 0 {
		from = t.Calls[call-1].At.End
	}
	to := t.Calls[call].At.Start
	return from < to && strings.Contains(s.Text[from:to], "Cleanup actions")
}

// requestOf is what a call sends: as an execution or the session showed it, else as the suite writes it.
func requestOf(c *script.Call, steps ...*exchange.Step) exchange.Request {
	for _, s := range steps {
		if s != nil {
			return s.Exchange.Request
		}
	}
	head := c.Method + " " + strings.ReplaceAll(c.Target, "\x00", "") + " HTTP/1.1\r\nHost: localhost\r\n"
	if c.Accept != "" {
		head += "Accept: " + c.Accept + "\r\n"
	}
	if c.Body != "" {
		head += fmt.Sprintf("Content-Length: %d\r\n", len(c.Body))
	}
	return exchange.ParseRequest(exchange.Message{Head: []byte(head + "\r\n"), Body: []byte(c.Body)})
}
