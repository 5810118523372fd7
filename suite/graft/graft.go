package graft

import (
	"cmp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/suite/setup"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// Grafting is what a test is given back of the session that it came from, and what it was answered behind that.
type Grafting struct {
	setup.Graft
	Calls []setup.Wanted // the test's own
	// Trials are executions of the test with what it is given back. The first is that of the session itself: there all
	// of it had happened.
	Trials []setup.Trial
	// Comments are about the whole test, and stand above it: what pollutes it, why nothing is given back.
	Comments []string
}

// Suite is what is known of a suite that tests are given something back in.
type Suite struct {
	Script   *script.Script
	Session  []*exchange.Exchange // that it came from; nil where that is not known
	Redactor exchange.Redactor
	// Drawn are the variables of values that are drawn outside of the tests since another of them was written, by value
	Drawn map[string]string
}

// Written is a set-up in words, not yet in the file.
type Written struct {
	Lines []string // of the set-up and the clean-up
	Edits []script.Edit
	Says  map[*script.Assertion]expr.Expr // what assertions mean that speak of a bound value
	// Follows are assertions that come to speak of one as they are written: by a name that now stands for it
	Follows map[*script.Assertion]bool
	// Drawn are the variables that it adds to those of [Suite]
	Drawn map[string]string

	by *builder
}

// Why says for a comment what the test depends on.
func (w *Written) Why() string { return w.by.why() }

// Fresh are the values that are drawn, under the names that they have in the file.
func (w *Written) Fresh() []setup.Bind { return w.by.g.Fresh() }

// Leaves are the paths of what the set-up makes each time, and does not take away: none where it is only sent if what
// it makes is missing.
func (w *Written) Leaves() []string {
	if len(w.by.handed) > 0 {
		return nil
	}
	return w.by.g.Leaves
}

// WhyFresh says for a comment why a value is drawn.
func (w *Written) WhyFresh(b *setup.Bind) string { return w.by.whyFresh(b) }

// builder is a test's set-up, as it is written into it.
type builder struct {
	in    Suite
	t     *script.Test
	g     Grafting
	lines []string // that are written
	edits []script.Edit
	says  map[*script.Assertion]expr.Expr // the assertions that speak of a bound value
	used  map[string]bool                 // the variables that something speaks of
	// the assertions that come to speak of a fresh value as they are written
	follows map[*script.Assertion]bool
	drawn   map[string]string // outside of the test, by value
	handed  map[int]string    // variables that others hand the test, by bind
	there   []script.Edit     // edits that were made for another test
}

// cannotWrite is why a set-up is not given that the suite cannot be told.
const cannotWrite = "the suite has no place or no words for what it takes"

// freshElsewhere is why no value is drawn anew that has to be.
const freshElsewhere = "it has to send another value in each run, and does not write that out in its own statements alone"

// freshEscaped is why no value is drawn anew that a URL or a form cannot have as it is.
const freshEscaped = "it has to send another value in each run, which stands escaped in a URL or a form"

// Write puts a set-up into words; what keeps it from being written is "" where nothing does.
func (in Suite) Write(t *script.Test, g Grafting) (written *Written, why string) {
	lang := in.Script.Writer.Graft
	if lang == nil || t.HasSetUp() || !g.Gives() || t.BodyEnd == 0 || t.BodyEnd < t.BodyStart {
		return nil, cannotWrite
	}
	for i, c := range t.Calls {
		if i < len(g.Calls) {
			c.SentTarget = g.Calls[i].Request.Target
		}
	}
	if needsEscapes(lang, g) {
		return nil, freshEscaped
	}
	handed := in.handed(t, g)
	if len(handed) > 0 { // who is handed it next finds it there
		g.CleanUp = nil
	}
	if why := in.refuses(lang, t, g, handed); why != "" {
		return nil, why
	}
	w := &builder{in: in, t: t, g: g, says: map[*script.Assertion]expr.Expr{}, used: map[string]bool{},
		follows: map[*script.Assertion]bool{}, drawn: map[string]string{}, handed: handed}
	w.named(lang)
	before, okBefore := w.sendings(g.Steps, setup.InSetUp)
	clean, okClean := w.sendings(g.CleanUp, setup.InCleanUp)
	if !okBefore || !okClean {
		return nil, "what it takes holds a secret that the suite does not, or no text"
	}
	if !w.calls(lang) {
		if len(g.Steps) == 0 && len(g.Fresh()) > 0 {
			return nil, freshElsewhere
		}
		return nil, "what the set-up makes has another id each time, and the suite does not write that out in the test's own requests"
	}
	w.answers()
	fresh, ok := w.freshen(lang)
	if !ok || len(before) > 0 && slices.ContainsFunc(w.g.Fresh(), ofTheTest) && (w.apart(lang) || len(handed) > 0) {
		return nil, freshElsewhere
	}
	if len(handed) > 0 && len(w.spokenOf()) > 0 { // of what is known in the set-up alone
		return nil, cannotWrite
	}
	if !w.captured(before) || !w.able(append(slices.Clone(before), clean...)) {
		return nil, cannotWrite
	}
	if len(before) > 0 {
		before[0].Comment = w.why()
	} else if len(clean) > 0 {
		clean[0].Comment = w.why()
	}
	if !w.place(lang, fresh, before, clean) {
		return nil, cannotWrite
	}
	if lang.Bind != nil && !w.readsAgain() {
		if len(g.Fresh()) > 0 {
			return nil, freshElsewhere
		}
		return nil, cannotWrite
	}
	w.edits = slices.DeleteFunc(w.edits, func(e script.Edit) bool { return slices.Contains(w.there, e) })
	return &Written{Lines: w.lines, Edits: w.edits, Says: w.says, Follows: w.follows, Drawn: w.drawn, by: w}, ""
}

// refuses says why a test is given no such set-up; "" where it can be.
func (in Suite) refuses(lang *script.Grafter, t *script.Test, g Grafting, handed map[int]string) string {
	if why := in.shares(t, g, handed); why != "" {
		return why
	}
	if lang.Refused != nil {
		if why := lang.Refused(in.Script, t); why != "" {
			return why
		}
	}
	if lang.Sender != nil && len(g.Steps)+len(g.CleanUp) > 0 {
		return lang.Sender(in.Script, t)
	}
	return ""
}

// place puts what is drawn and sent where the dialect has it: at the head and the end of the test, unless it says
// otherwise, or before the hooks; false where it has no place.
func (w *builder) place(lang *script.Grafter, fresh []string, before, clean []script.SetUpRequest) bool {
	if w.g.Early {
		lines, edits, ok := lang.Early(w.in.Script, w.t, fresh, before, clean, w.spokenOf())
		w.lines, w.edits = lines, append(w.edits, edits...)
		return ok
	}
	var open, end []string
	if len(fresh)+len(before)+len(clean) > 0 {
		open, end = lang.SetUp(w.in.Script, w.t, before, clean)
		open = append(fresh, open...)
	}
	if lang.Place != nil && len(open)+len(end) > 0 {
		w.edits = append(w.edits, lang.Place(w.in.Script, w.t, open, end, w.spokenOf())...)
	} else {
		w.insert(w.t.BodyStart, open)
		w.insert(w.t.BodyEnd, end)
	}
	w.lines = append(open, end...)
	return true
}

// apart reports whether the set-up stands where hooks find what it makes, out of sight of the test's own statements.
func (w *builder) apart(lang *script.Grafter) bool {
	return w.g.Early || slices.ContainsFunc(w.t.Calls, func(c *script.Call) bool {
		return c.Hook && lang.Before(w.in.Script, w.t, c)
	})
}

// spokenOf are the variables of the set-up that the test's own requests and assertions speak of.
func (w *builder) spokenOf() (names []string) {
	for i := range w.g.Binds {
		name := Variable(&w.g.Binds[i])
		speaks := slices.ContainsFunc(w.edits, func(e script.Edit) bool { return strings.Contains(e.Text, name) })
		for _, x := range w.says {
			expr.Walk(x, func(y expr.Expr) { speaks = speaks || y == expr.Expr(expr.Name{ID: name}) })
		}
		if speaks {
			names = append(names, name)
		}
	}
	return names
}

// Shares says that a test is handed something by others; "" where it is not.
func (in Suite) Shares(t *script.Test) string { return in.shares(t, Grafting{}, nil) }

// shares says that a test is handed something by others, or hands on to them what may be gone once its set-up has
// been taken away; "" where neither is so.
func (in Suite) shares(t *script.Test, g Grafting, handed map[int]string) string {
	lang := in.Script.Writer.Graft
	if lang == nil || lang.Shares == nil {
		return ""
	}
	what, gives := lang.Shares(in.Script, t)
	if len(handed) > 0 {
		what = in.takes(t, handed)
	}
	if len(g.CleanUp) > 0 {
		what = cmp.Or(what, gives)
	}
	if what == "" {
		return ""
	}
	return "it shares " + what + " with other tests"
}

// why says for a comment what the test depends on.
func (w *builder) why() string {
	proven := "; proven by replay"
	if !w.g.Proven {
		proven = "; by the recording's data flow, not tried"
	}
	why := cmp.Or(w.g.Why, "a part of the session that the test depends on")
	return w.in.Redactor.Show("", why) + proven + "; " + string(mapfile.State)
}

// insert writes lines at the beginning of a line of the file.
func (w *builder) insert(at int, lines []string) {
	if len(lines) == 0 {
		return
	}
	eol := w.in.Script.EOL()
	text := ""
	if before := w.in.Script.Text[:at]; before != "" && script.LineEnd(before) == "" {
		text = eol // the file's last line has none
	}
	for _, l := range lines {
		if l != "" {
			l = w.t.Indent + l
		}
		text += l + eol
	}
	w.edits = append(w.edits, script.Edit{Start: at, End: at, Text: text})
}

// Variable is the name under which a test keeps a bound value.
func Variable(b *setup.Bind) string {
	if b.Fresh != nil {
		return script.FreshPrefix + b.Name
	}
	return script.SetUpPrefix + b.Name
}

// answers has the test's assertions speak of the bound values where they spoke of those of the session.
func (w *builder) answers() {
	for i := range w.g.Binds {
		b := &w.g.Binds[i]
		if b.Fresh != nil && w.in.Script.Writer.Graft.Bind != nil || w.handed[i] != "" {
			continue // the test's literals are, or its variable is
		}
		for _, u := range b.Uses {
			if u.In != setup.InAnswer {
				continue
			}
			for _, a := range w.t.Assertions {
				if a.Relation == "" || a.Call != u.At || !a.Place.Within(u.Place) && !u.Place.Within(a.Place) {
					continue
				}
				if x, ok := rebound(cmp.Or(w.says[a], a.Meaning), b.Value, Variable(b)); ok {
					w.says[a] = x
					w.used[Variable(b)] = true
				}
			}
		}
	}
}

// rebound puts a variable in the place of a value in a comparison with a literal; false where the literal does not hold
// the value.
func rebound(x expr.Expr, value, name string) (expr.Expr, bool) {
	c, ok := x.(expr.Compare)
	if !ok {
		return nil, false
	}
	switch c.Op {
	case expr.Eq:
		switch lit := c.Y.(type) {
		case expr.Str:
			y, ok := withName(lit.Value, value, name)
			return expr.Cmp(c.X, c.Op, y), ok
		case expr.Num:
			if sameNumber(lit.Text, value) {
				return expr.Cmp(expr.ToText{X: c.X}, c.Op, expr.Name{ID: name}), true
			}
		}
	case expr.In:
		if lit, ok := c.X.(expr.Str); ok {
			x, ok := withName(lit.Value, value, name)
			return expr.Cmp(x, c.Op, c.Y), ok
		}
	}
	return nil, false
}

// sameNumber reports whether a literal is the number that a value is the text of; the generator writes 4 as 4.0.
func sameNumber(literal, value string) bool {
	a, okA := expr.Number(literal)
	b, okB := expr.Number(value)
	return okA && okB && expr.Equal(a, b)
}

// withName returns a text with a variable in the place of a value that stands in it by itself.
func withName(text, value, name string) (expr.Expr, bool) {
	if text == value {
		return expr.Name{ID: name}, true
	}
	before, after, ok := strings.Cut(text, value)
	alone := func(s string) bool { return s == "" || strings.ContainsAny(s, "/?=&#:,;() ") }
	if !ok || value == "" || !alone(before[max(0, len(before)-1):]) || !alone(after[:min(1, len(after))]) {
		return nil, false
	}
	var pieces []expr.Expr
	if before != "" {
		pieces = append(pieces, expr.Str{Value: before})
	}
	if pieces = append(pieces, expr.Name{ID: name}); after != "" {
		pieces = append(pieces, expr.Str{Value: after})
	}
	return expr.Sum(pieces...), true
}

// Scope returns the names of the test in one trial of the graft.
func (w Grafting) Scope(t *script.Test, trial setup.Trial) expr.Scope {
	names := make(expr.Scope)
	for i, b := range w.Binds {
		if i < len(trial.Values) {
			names[Variable(&b)] = trial.Values[i]
		}
	}
	for i, c := range t.Calls {
		if i < len(trial.Answers) && trial.Answers[i] != nil {
			names[c.Var] = expr.NewResponse(trial.Answers[i], c.Client)
		}
	}
	for _, k := range t.Extractions {
		names.Take(k.Name, k.Value, k.At.FirstLine)
	}
	return names
}
