package suite

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/align"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// Finding says what the executions of a suite show of one of its statements.
type Finding string

// The findings.
const (
	Holding Finding = "holds"    // no execution contradicts it, and nothing says that one will
	Moving  Finding = "volatile" // it lies on a place that the map calls volatile
	// Stale is that every execution contradicts it, and all alike. What the suite asserts is an observation too, of the
	// execution that it was generated from: that began in another state.
	Stale        Finding = "state"
	GeneratorBug Finding = "slip"        // the generator's: no answer could ever have satisfied it
	Unseen       Finding = "unseen"      // no execution came to it
	Unexplained  Finding = "unexplained" // an execution contradicts it, and the map calls its place stable
)

// Verdict is what the executions of a suite show of one assertion, or of a statement that a test cannot get past.
type Verdict struct {
	exchange.Claim         // without a relation where the statement is no assertion that was read to a claim
	Seq            uint64  // the recorded exchange of its call; 0 where none was found
	Last           int     // the statement's last line; Claim.Line is its first
	Text           string  // the statement, as written; of a script within JSON, as it is there
	Finding        Finding // what they show
	Failed         int     // executions that contradict it, of
	Of             int     // those that came to it
	In             []int   // the runs that contradict it, by number, the recording being 0
	Proven         bool    // an answer of the session satisfied it
	Reason         string  // for people
	Category       mapfile.Category
	Field          *mapfile.Field // what the map says of the place, where that is volatile in the answer; else nil
}

// Verdicts says of each assertion what the executions show, the recording being one of them, and of each other
// statement that raises an exception in some execution. They are in the order of the tests. Without a session, what all
// executions contradict alike is taken to have been true: generators assert what they saw.
func (h *BoundScript) Verdicts() []Verdict { return h.verdicts(h.session) }

// verdicts are those by the answers of a session.
func (h *BoundScript) verdicts(session []*exchange.Exchange) []Verdict {
	held := *h
	held.session = session
	v := &verdicts{patcher: patcher{BoundScript: &held}}
	for _, t := range h.script.Tests {
		if !t.Skipped {
			v.test(t)
		}
	}
	return v.found
}

type verdicts struct {
	patcher
	found []Verdict
}

func (v *verdicts) test(t *script.Test) {
	for _, c := range t.Calls {
		if c.Unset != "" {
			v.add(t, c.At, Verdict{Finding: GeneratorBug, Category: mapfile.GenErr, Reason: c.Unset + " is never assigned"})
			break // the test ends here, in every execution
		}
	}
	trials := v.trials(t)
	lacking := make(map[string]Verdict)
	for _, k := range t.Extractions {
		if x, ok := v.extraction(t, k, trials); ok {
			lacking[k.Name] = x
			v.add(t, k.At, x)
		}
	}
	for _, a := range v.script.AssertionsOf(t) {
		x := v.assertion(t, a, trials)
		if name := argument(a.Meaning); lacking[name].Finding != "" && x.Failed > 0 {
			x.Finding, x.Category, x.Field = lacking[name].Finding, lacking[name].Category, lacking[name].Field
			x.Reason = name + " has no value: " + lacking[name].Reason
		}
		x.Text = a.Text
		v.add(t, a.At, x)
	}
}

// argument returns the variable that is said to be a URI, "" where the expression is something else.
func argument(x expr.Expr) string {
	uri, _ := x.(expr.IsURI)
	name, _ := uri.X.(expr.Name)
	return name.ID
}

// add notes a verdict on a statement.
func (v *verdicts) add(t *script.Test, at script.Span, x Verdict) {
	x.File, x.Test, x.Line, x.Last = v.script.File, t.Name, at.FirstLine, at.LastLine
	x.Text = cmp.Or(x.Text, v.script.Text[at.Start:at.End])
	v.found = append(v.found, x)
}

// extraction judges a variable that is taken from answers; it reports whether some do not have it.
func (v *verdicts) extraction(t *script.Test, k script.Extraction, trials []expr.Scope) (Verdict, bool) {
	a := &script.Assertion{Meaning: k.Value, At: k.At}
	a.Relation = exchange.Present
	if !(script.Claims{Test: t}).ExtractionPlace(a, k.Value) {
		return Verdict{}, false
	}
	x := Verdict{Claim: a.Claim, Seq: v.seq(t, a)}
	can := func(s expr.Scope) (bool, error) {
		_, err := s.Eval(k.Value)
		if expr.IsRaised(err) {
			return false, nil
		}
		return err == nil, err
	}
	x.count(v.runs, trials, can)
	if x.Failed == 0 {
		return Verdict{}, false
	}
	x.Field = v.field(t, a)
	v.decide(&x, t, nil, can)
	if x.Finding == Stale && !x.Proven {
		// generators assert what they saw, but take values from where they expect them
		x.generatorBug("no answer ever had it")
	}
	return x, true
}

// assertion judges one assertion.
func (v *verdicts) assertion(t *script.Test, a *script.Assertion, trials []expr.Scope) Verdict {
	slipped := v.slipsOf(t).explained[a]
	a = settled(t, a, trials)
	x := Verdict{Claim: a.Claim, Seq: v.seq(t, a)}
	if a.Meaning == nil || a.Reason == script.UnderCondition {
		x.Finding, x.Reason = Unseen, a.Reason
		return x
	}
	holds := func(s expr.Scope) (bool, error) { return s.Holds(a.Meaning) }
	seen := x.count(v.runs, trials, holds)
	w := &weakening{p: &v.patcher, t: t, a: a, field: v.field(t, a)}
	x.Field = w.field
	switch {
	case x.Of == 0:
		x.Finding, x.Reason = Unseen, "no execution came to it"
	case x.Failed == 0 && w.wouldMove():
		x.Finding, x.Category, x.Reason = Moving, w.field.Category, "no execution contradicts it, but one will"
	case x.Failed == 0:
		x.Finding = Holding
	case slipped:
		x.Proven = true
		x.generatorBug("the session sent what the suite writes otherwise, and its answer satisfied it")
	case x.Failed == x.Of && noNumber(a.Meaning) != "":
		x.generatorBug(noNumber(a.Meaning) + " is no value of JSON")
	default:
		if a.Relation != "" {
			w.subject = w.a.Subject()
		}
		var values []string
		w.trials = seen
		if looks := cmp.Or(w.subject, w.watched()); looks != nil {
			values = expr.Distinct(looks, seen)
		}
		if x.Field == nil && a.Place == exchange.PlaceBody {
			x.Field = v.within(t, a)
		}
		v.decide(&x, t, values, holds)
	}
	return x
}

// seq returns the recorded exchange of the call that an assertion looks at, 0 where there is none.
func (v *verdicts) seq(t *script.Test, a *script.Assertion) uint64 {
	if step := v.step(t, a); step != nil {
		return step.Exchange.Seq
	}
	return 0
}

// within returns the first volatile place of the body of an assertion's answer: an assertion about the text as a whole
// is one about all of them.
func (v *verdicts) within(t *script.Test, a *script.Assertion) *mapfile.Field {
	if a.Relation != exchange.Equal && a.Relation != exchange.Contains && a.Relation != exchange.Empty {
		return nil
	}
	step := v.matched[t.Calls[a.Call]]
	if step == nil {
		return nil
	}
	op := v.src.operation(step.Exchange)
	if op == nil {
		return nil
	}
	for _, f := range op.Fields {
		if f.Place.Root() == "body" && f.AppliesTo(exchange.Exact(step.Exchange)) {
			return f
		}
	}
	return nil
}

// count holds a statement against the trials that know its names, one for each of the runs, and returns them.
func (x *Verdict) count(runs []int, trials []expr.Scope, holds func(expr.Scope) (bool, error)) []expr.Scope {
	var seen []expr.Scope
	for i, s := range trials {
		ok, err := holds(s)
		if err != nil {
			continue
		}
		seen = append(seen, s)
		if x.Of++; !ok {
			x.Failed++
			x.In = append(x.In, runs[i])
		}
	}
	return seen
}

// decide says why executions contradict a statement; values are those that it looks at, the different ones.
func (v *verdicts) decide(x *Verdict, t *script.Test, values []string, holds func(expr.Scope) (bool, error)) {
	answers, satisfied := 0, 0
	if x.Relation != "" {
		answers, satisfied = v.asGenerated(t.Calls[x.Call], holds)
	}
	x.Proven = satisfied > 0
	always := x.Failed == x.Of
	switch {
	case x.Field != nil:
		x.Finding, x.Category = Moving, x.Field.Category
		x.Reason = fmt.Sprintf("%s moves", x.Field.Place)
	case !always || len(values) > 1:
		x.Finding = Unexplained
		x.Reason = fmt.Sprintf("%d of %d executions contradict it, with %s", x.Failed, x.Of, strings.Join(values, ", "))
	case answers > 0 && satisfied == 0:
		x.generatorBug(fmt.Sprintf("none of the %d answers to such requests ever satisfied it", answers+x.Of))
	default:
		x.Finding, x.Category = Stale, mapfile.State
		x.Reason = fmt.Sprintf("all %d executions agree, and not with the suite", x.Of)
	}
}

func (x *Verdict) generatorBug(reason string) {
	x.Finding, x.Category, x.Reason = GeneratorBug, mapfile.GenErr, reason
}

// noNumber returns the number that a statement speaks of and no answer in JSON has: some languages have a literal for
// it, in others it is an unknown name; "" where there is none.
func noNumber(x expr.Expr) (name string) {
	expr.Walk(x, func(x expr.Expr) {
		switch x := x.(type) {
		case expr.Undefined:
			name = x.ID
		case expr.Inf:
			name = "Infinity"
		}
	})
	return name
}

// asGenerated counts the answers of the session to such a request as the call is, and those of them that satisfy a
// statement about it alone.
func (h *BoundScript) asGenerated(c *script.Call, holds func(expr.Scope) (bool, error)) (answers, satisfied int) {
	for _, e := range h.session {
		if worth, _ := align.Agreement(align.SentCall{Call: c}, e); worth == 0 || e.Response == nil {
			continue
		}
		ok, err := holds(expr.Scope{c.Var: expr.NewResponse(e.Response, c.Client)})
		if err != nil {
			continue
		}
		if answers++; ok {
			satisfied++
		}
	}
	return answers, satisfied
}
