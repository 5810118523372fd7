package build

import (
	"maps"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/suite/write/refute"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// tokens reads what the recorded answer, and each run's and trial's of the same status, have at a place; nil where one
// has no token there.
func (a *asserting) tokens(place exchange.Place) []refute.Token {
	var out []refute.Token
	for _, r := range a.answered() {
		text, _ := message.Value(r, place)
		t, ok := refute.ReadToken(text)
		if !ok {
			return nil
		}
		out = append(out, t)
	}
	return out
}

// token asserts what the tokens at a place hold alike: the algorithm and the type of their headers, the claims that all
// of them have, with their values where these do not move, and how long they live. A claim is as secret as its token
// is; its value is looked up where the test runs. The signature is not looked at.
func (a *asserting) token(place exchange.Place) {
	all := a.tokens(place)
	if len(all) == 0 {
		return
	}
	part := place.Part(exchange.PartJWT)
	for _, name := range []string{"alg", "typ"} {
		if v := refute.Alike(all, func(t refute.Token) *plan.Node { return t.Header[name] }); v != nil {
			a.add(plan.Check{Kind: plan.CheckEqual, Place: part + "/header" + exchange.Place("").Key(name),
				Text: plan.Text{{Literal: plan.TextOf(v.Raw)}}})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all[0].Claims)) {
		if at := part + "/claims" + exchange.Place("").Key(name); a.writable(at) {
			a.claim(all, name, at)
		}
	}
	if seconds := refute.Lifetime(all); seconds != "" {
		a.add(plan.Check{Kind: plan.CheckEqual, Place: part + "/lifetime", Text: plan.Text{{Literal: seconds}}})
	}
}

// claim asserts a claim that all tokens have: its value where that does not move, what holds of it where it does.
func (a *asserting) claim(all []refute.Token, name string, at exchange.Place) {
	var kinds []string
	for _, t := range all {
		if t.Claims[name] == nil {
			return
		}
		if kind := t.Claims[name].Kind(); !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	f := a.volatile(at)
	v := refute.Alike(all, func(t refute.Token) *plan.Node { return t.Claims[name] })
	made := a.madeClaim(all[0].Claims[name], at)
	switch {
	case f != nil && f.Ignored():
	case made != nil:
		a.add(plan.Check{Kind: plan.CheckEqual, Place: at, Text: plan.Text{{Bound: made.Name}}})
	case f != nil:
		a.add(plan.Check{Kind: plan.CheckHolds, Place: at, Why: a.why(f, ""), Holds: a.statable(f.Holds)})
	case v != nil && !refute.Passing(name) && a.src.Redactor.Secret(at):
		a.add(plan.Check{Kind: plan.CheckEqual, Place: at, Text: plan.Text{a.secret(plan.TextOf(v.Raw))}})
	case v != nil && !refute.Passing(name):
		a.add(plan.Check{Kind: plan.CheckEqual, Place: at, Text: a.text(plan.TextOf(v.Raw), asIs)})
	default:
		a.add(plan.Check{Kind: plan.CheckHolds, Place: at, Holds: mapfile.Holds{Type: refute.TypeOf(kinds)}})
	}
}

// madeClaim is the value of a claim that names what the test made, where each run and each trial bears that out; else
// nil.
func (a *asserting) madeClaim(claim *plan.Node, at exchange.Place) *exchange.Binding {
	v := a.context.made[plan.TextOf(claim.Raw)]
	if v == nil || !claim.Scalar() || !a.context.gives(v) {
		return nil
	}
	says := func(r *exchange.Response, value string, known bool) bool {
		found := refute.Values(r)(at)
		return known && len(found) == 1 && plan.TextOf(found[0]) == value
	}
	for _, o := range a.step.Observations {
		if o.Response == nil || o.Response.Status != a.e.Response.Status {
			continue
		}
		if value, known := a.valueIn(o.Run, v); !says(o.Response, value, known) {
			return nil
		}
	}
	for _, r := range a.answers.Tested(a.e.Seq) {
		if value, known := r.Values[v.Name]; r.Status == a.e.Response.Status && !says(r.Response, value, known) {
			return nil
		}
	}
	return v
}
