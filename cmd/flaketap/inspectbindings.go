package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/exchange/redact"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/volatility/analysis"
)

// bindingRecord is the JSON of a binding.
type bindingRecord struct {
	Name     string         `json:"name"`
	Value    string         `json:"value"` // as recorded; a token where it is a secret
	Producer bindingRef     `json:"producer"`
	Uses     []exchange.Ref `json:"uses"`
	Proof    proofRecord    `json:"proof"`
}

type bindingRef struct {
	exchange.Ref
	Method        string `json:"method"`
	RequestTarget string `json:"request_target"`
}

// proofRecord is the JSON of what runs say of a binding.
type proofRecord struct {
	flow.Proof
	Evidence string `json:"evidence"` // in words
}

// refusalRecord is the JSON of a use that is not bound.
type refusalRecord struct {
	Value    string        `json:"value"`
	Reason   flow.Reason   `json:"reason"`
	Evidence string        `json:"evidence"` // where runs are the reason
	Use      bindingRef    `json:"use"`
	Producer *exchange.Ref `json:"producer"` // null where several may be; without a place where that is not known
}

// bindings lists the values that a later request took from an earlier answer, and what the runs say of that.
func (in *inspection) bindings([]string) error {
	found, err := analysis.Bind(in.db, in.rules.Bindings, func(*exchange.Exchange) {})
	if err != nil {
		return err
	}
	binder, bindings, proofs := found.Binder, found.Found, found.Proofs
	in.sayIdle(binder)
	if in.c.Bool("refused") {
		return in.refusals(binder, bindings, proofs)
	}
	l := in.listing(report.Column{Name: "NAME", Max: 24}, report.Column{Name: "VALUE", Max: 40}, report.Column{Name: "GIVEN BY", Max: 60},
		report.Column{Name: "AT", Max: 40}, report.Column{Name: "USES", Right: true}, report.Column{Name: "USED BY", Max: 60},
		report.Column{Name: "PROOF"}, report.Column{Name: "EVIDENCE", Max: 80})
	for i, b := range bindings {
		if in.enough(l) {
			break
		}
		producer, err := in.bindingRef(b.Producer)
		if err != nil {
			return err
		}
		r := bindingRecord{Name: b.Name, Value: in.boundValue(b), Uses: in.shownRefs(b.Uses), Producer: producer, Proof: proofRecord{proofs[i], proofs[i].Evidence()}}
		given := fmt.Sprintf("%d %s %s", b.Producer.Seq, r.Producer.Method, r.Producer.RequestTarget)
		if err := l.Add(r, r.Name, r.Value, given, string(r.Producer.Place), fmt.Sprint(len(b.Uses)), uses(r.Uses),
			string(r.Proof.State), r.Proof.Evidence); err != nil {
			return err
		}
	}
	if err := l.Close(); err != nil {
		return err
	}
	if _, n := binder.Refusals(); n > 0 && in.form == report.FormText {
		in.say(in.c, "flaketap: %s might have been bound and are not; --refused tells which, and why", console.Count(n, "more use"))
	}
	return nil
}

// sayIdle says which of the user's rules are about nothing in the recording: most likely they are mistaken.
func (in *inspection) sayIdle(binder *flow.Binder) {
	add, forbid := binder.Idle()
	for _, kind := range []struct {
		name  string
		rules []int
	}{{"add", add}, {"forbid", forbid}} {
		for _, i := range kind.rules {
			in.say(in.c, "flaketap: rule %d of bindings.%s finds nothing to %s in this recording", i+1, kind.name, kind.name)
		}
	}
}

// bindingRef adds the request to a place.
func (in *inspection) bindingRef(ref exchange.Ref) (bindingRef, error) {
	e, err := in.db.Exchange(ref.Seq)
	if err != nil {
		return bindingRef{}, err
	}
	return bindingRef{in.shownRefs([]exchange.Ref{ref})[0], e.Request.Method, redact.Target(in.redactor, e.Request.Target)}, nil
}

// shownRefs returns references with the secrets in the keys of their places as tokens.
func (in *inspection) shownRefs(refs []exchange.Ref) []exchange.Ref {
	out := slices.Clone(refs)
	for i := range out {
		out[i].Place = in.redactor.ShowPlace(out[i].Place)
	}
	return out
}

// refusals lists what might have been a binding and is none: first what runs refused, then what was never bound.
func (in *inspection) refusals(binder *flow.Binder, bindings []exchange.Binding, proofs []flow.Proof) error {
	l := in.listing(report.Column{Name: "VALUE", Max: 40}, report.Column{Name: "REASON"}, report.Column{Name: "USED BY", Max: 60},
		report.Column{Name: "AT", Max: 40}, report.Column{Name: "GIVEN BY", Max: 40}, report.Column{Name: "EVIDENCE", Max: 80})
	add := func(value, evidence string, x flow.Refusal) error {
		use, err := in.bindingRef(x.Use)
		if err != nil {
			return err
		}
		r := refusalRecord{Value: value, Reason: x.Reason, Evidence: evidence, Use: use}
		given := ""
		if x.Producer.Seq > 0 {
			x.Producer.Place = in.redactor.ShowPlace(x.Producer.Place)
			r.Producer = &x.Producer
			given = strings.TrimSpace(fmt.Sprintf("%d %s", x.Producer.Seq, x.Producer.Place))
		}
		return l.Add(r, value, string(x.Reason), fmt.Sprintf("%d %s %s", use.Seq, use.Method, use.RequestTarget), string(use.Place), given, evidence)
	}
	for i, b := range bindings {
		for _, use := range disproved(b, proofs[i]) {
			if in.enough(l) {
				break
			}
			x := flow.Refusal{Use: use, Value: b.Value, Producer: b.Producer, Reason: flow.Disproved}
			if err := add(in.boundValue(b), proofs[i].Evidence(), x); err != nil {
				return err
			}
		}
	}
	first, all := binder.Refusals()
	for _, x := range first {
		if in.enough(l) {
			break
		}
		if err := add(in.text(x.Use.Place, x.Value), "", x); err != nil {
			return err
		}
	}
	if len(first) < all {
		in.say(in.c, "flaketap: of %d uses that were not bound the first %d are kept", all, len(first))
	}
	return l.Close()
}

// disproved are the uses of a binding that runs speak against: of one that is refused the first stands for all.
func disproved(b exchange.Binding, p flow.Proof) []exchange.Ref {
	if p.State == flow.Refused {
		return b.Uses[:1]
	}
	return slices.DeleteFunc(slices.Clone(b.Uses), func(u exchange.Ref) bool { return !slices.Contains(p.Literals, u.Seq) })
}

// boundValue is the value of a binding as it may be shown: it is a secret wherever it stood in the place of one.
func (in *inspection) boundValue(b exchange.Binding) string {
	for _, ref := range append([]exchange.Ref{b.Producer}, b.Uses...) {
		if shown := in.text(ref.Place, b.Value); shown != b.Value {
			return shown
		}
	}
	return b.Value
}

// uses names the first uses of a binding.
func uses(refs []exchange.Ref) string {
	const shown = 3
	var out []string
	for _, r := range refs[:min(len(refs), shown)] {
		out = append(out, fmt.Sprintf("%d %s", r.Seq, r.Place))
	}
	if len(refs) > shown {
		out = append(out, "…")
	}
	return strings.Join(out, ", ")
}
