package inspect

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

// Bindings lists the values that a later request took from an earlier answer, and what the runs say of that.
func (in *Inspector) Bindings() error {
	found, err := in.bind()
	if err != nil {
		return err
	}
	l := in.listing(report.Column{Name: "NAME", Max: 24}, report.Column{Name: "VALUE", Max: 40},
		report.Column{Name: "GIVEN BY", Max: 60},
		report.Column{Name: "AT", Max: 40}, report.Column{Name: "USES", Right: true}, report.Column{Name: "USED BY", Max: 60},
		report.Column{Name: "PROOF"}, report.Column{Name: "EVIDENCE", Max: 80})
	for i, b := range found.Found {
		if in.enough(l) {
			break
		}
		producer, err := in.bindingRef(b.Producer)
		if err != nil {
			return err
		}
		r := bindingRecord{Name: b.Name, Value: in.mask.boundValue(b), Uses: in.mask.refs(b.Uses), Producer: producer,
			Proof: proofRecord{found.Proof(i), found.Proof(i).Evidence()}}
		given := fmt.Sprintf("%d %s %s", b.Producer.Seq, r.Producer.Method, r.Producer.RequestTarget)
		if err := l.Add(r, r.Name, r.Value, given, string(r.Producer.Place), fmt.Sprint(len(b.Uses)), uses(r.Uses),
			string(r.Proof.State), r.Proof.Evidence); err != nil {
			return err
		}
	}
	if err := l.Close(); err != nil {
		return err
	}
	if _, n := found.Binder.Refusals(); n > 0 && in.Form == report.FormText {
		in.Console.Say("flaketap: %s could be bindings but were refused; --refused lists them with the reasons",
			console.Count(n, "more use"))
	}
	return nil
}

// bind finds the bindings, and what the runs say of them.
func (in *Inspector) bind() (*analysis.Bound, error) {
	if err := in.learnSecrets(); err != nil {
		return nil, err
	}
	found, err := analysis.Bind(in.db, in.analysis.Rules.Bindings, func(*exchange.Exchange) {})
	if err == nil {
		in.sayIdle(found.Binder)
	}
	return found, err
}

// sayIdle says which of the user's rules are about nothing in the recording: most likely they are mistaken.
func (in *Inspector) sayIdle(binder *flow.Binder) {
	add, forbid := binder.Idle()
	for _, kind := range []struct {
		name  string
		rules []int
	}{{"add", add}, {"forbid", forbid}} {
		for _, i := range kind.rules {
			in.Console.Say("flaketap: rule %d of bindings.%s matches nothing to %s in this recording", i+1, kind.name, kind.name)
		}
	}
}

// bindingRef adds the request to a place.
func (in *Inspector) bindingRef(ref exchange.Ref) (bindingRef, error) {
	e, err := in.db.Exchange(ref.Seq)
	if err != nil {
		return bindingRef{}, err
	}
	return bindingRef{in.mask.refs([]exchange.Ref{ref})[0], e.Request.Method,
		redact.Target(in.mask.redactor, e.Request.Target)}, nil
}

// Refusals lists what might have been a binding and is not: first what runs refused, then what was never bound.
func (in *Inspector) Refusals() error {
	found, err := in.bind()
	if err != nil {
		return err
	}
	l := in.listing(report.Column{Name: "VALUE", Max: 40}, report.Column{Name: "REASON"},
		report.Column{Name: "USED BY", Max: 60},
		report.Column{Name: "AT", Max: 40}, report.Column{Name: "GIVEN BY", Max: 40},
		report.Column{Name: "EVIDENCE", Max: 80})
	add := func(value, evidence string, x flow.Refusal) error {
		use, err := in.bindingRef(x.Use)
		if err != nil {
			return err
		}
		r := refusalRecord{Value: value, Reason: x.Reason, Evidence: evidence, Use: use}
		given := ""
		if x.Producer.Seq > 0 {
			x.Producer.Place = in.mask.redactor.ShowPlace(x.Producer.Place)
			r.Producer = &x.Producer
			given = strings.TrimSpace(fmt.Sprintf("%d %s", x.Producer.Seq, x.Producer.Place))
		}
		return l.Add(r, value, string(x.Reason), fmt.Sprintf("%d %s %s", use.Seq, use.Method, use.RequestTarget),
			string(use.Place), given, evidence)
	}
	for i, b := range found.Found {
		for _, use := range disproved(b, found.Proof(i)) {
			if in.enough(l) {
				break
			}
			x := flow.Refusal{Use: use, Value: b.Value, Producer: b.Producer, Reason: flow.Disproved}
			if err := add(in.mask.boundValue(b), found.Proof(i).Evidence(), x); err != nil {
				return err
			}
		}
	}
	first, all := found.Binder.Refusals()
	for _, x := range first {
		if in.enough(l) {
			break
		}
		if err := add(in.mask.text(x.Use.Place, x.Value), "", x); err != nil {
			return err
		}
	}
	if len(first) < all {
		in.Console.Say("flaketap: only the first %d of %d refused uses are kept", len(first), all)
	}
	return l.Close()
}

// disproved are the uses of a binding that runs speak against: of one that is refused the first stands for all.
func disproved(b exchange.Binding, p flow.Proof) []exchange.Ref {
	if p.State == flow.Refused {
		return b.Uses[:1]
	}
	return slices.DeleteFunc(slices.Clone(b.Uses),
		func(u exchange.Ref) bool { return !slices.Contains(p.Literals, u.Seq) })
}

// BoundValue is the value of a binding as it may be shown.
func BoundValue(b exchange.Binding, r exchange.Redactor) string { return masker{r}.boundValue(b) }

// boundValue is the value of a binding as it may be shown: it is a secret wherever it stood in the place of one.
func (m masker) boundValue(b exchange.Binding) string {
	for _, ref := range append([]exchange.Ref{b.Producer}, b.Uses...) {
		if shown := m.text(ref.Place, b.Value); shown != b.Value {
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
