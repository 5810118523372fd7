package truth

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// Seen is one exchange of a session with a labelled API: what was asked, by template, and what came back.
type Seen struct {
	Method, Template, Path string
	Status                 int
	Header                 http.Header
	Body                   []byte
	Sequence               string // the scenario that it belongs to
}

// Proof holds runs of a session against the session's recording, label by label: it is how a truth file is held against
// the API that it speaks of.
type Proof struct {
	truth    *Truth
	recorded []Seen
	before   [][]string   // what the recorded answer has, label by label
	labels   [][]Label    // of the operation of each step, those of everywhere included
	ops      []*Operation // of each step
	findings map[key]*Finding
}

// key is a label's place with the operation that it belongs to.
type key struct {
	operation *Operation
	place     exchange.Place
}

// Finding is what the runs showed of one label.
type Finding struct {
	Operation *Operation
	Label     Label
	Met       bool  // an answer has the place
	Moved     *Move // the first difference; nil where the place never moved
}

// String names the place.
func (f *Finding) String() string {
	return fmt.Sprintf("%s %s %d %s", f.Operation.Method, f.Operation.Template, f.Operation.Status, f.Label.Place)
}

// Move is one difference between a recorded answer and one of a run.
type Move struct{ Request, Before, After string }

// String returns the difference, cut short. A nil one is "not".
func (m *Move) String() string {
	if m == nil {
		return "not"
	}
	return fmt.Sprintf("%s: %.200q, then %.200q", m.Request, m.Before, m.After)
}

// NewProof returns a proof of a truth by what was recorded. Every recorded exchange must be of a labelled operation.
func NewProof(t *Truth, recorded []Seen) (*Proof, error) {
	p := &Proof{truth: t, recorded: recorded, findings: map[key]*Finding{}}
	for _, s := range recorded {
		o := t.Of(s.Method, s.Template, s.Status)
		if o == nil {
			return nil, fmt.Errorf("no truth about %s %s %d (%s)", s.Method, s.Template, s.Status, s.Path)
		}
		labels := t.Labels(o)
		p.ops, p.labels = append(p.ops, o), append(p.labels, labels)
		first, before := dissect(s), make([]string, len(labels))
		for i, l := range labels {
			before[i] = first.at(l.Place)
			if k := (key{o, l.Place}); p.findings[k] == nil {
				p.findings[k] = &Finding{Operation: o, Label: l}
			}
		}
		p.before = append(p.before, before)
	}
	return p, nil
}

// Run holds one run against the recording. It returns what makes the run unfit for that: other requests, or places that
// no label is about.
func (p *Proof) Run(steps []Seen) (faults []error) {
	if len(steps) != len(p.recorded) {
		return []error{fmt.Errorf("the run has %d steps, the recording %d", len(steps), len(p.recorded))}
	}
	for i, s := range steps {
		if r := p.recorded[i]; s.Method != r.Method || s.Template != r.Template {
			return append(faults, fmt.Errorf("step %d: %s %s, recorded %s %s", i, s.Method, s.Template, r.Method, r.Template))
		}
		now := dissect(s)
		for j, l := range p.labels[i] {
			if s.Status != p.recorded[i].Status && l.Place != exchange.PlaceStatus && l.Label != Either {
				continue // another kind of answer: nothing else of it can be held against the recorded one
			}
			f := p.findings[key{p.ops[i], l.Place}]
			before, after := p.before[i][j], now.at(l.Place)
			f.Met = f.Met || before != "" || after != ""
			if before != after && f.Moved == nil {
				f.Moved = &Move{s.Method + " " + s.Path, before, after}
			}
		}
		if stray := now.unlabelled(p.labels[i]); len(stray) > 0 && s.Status == p.recorded[i].Status {
			faults = append(faults, fmt.Errorf("%s %s %d has places without a label: %v", s.Method, s.Template, s.Status, stray))
		}
	}
	return faults
}

// Findings returns what was found of every label of the operations recorded, in order.
func (p *Proof) Findings() []*Finding {
	all := make([]*Finding, 0, len(p.findings))
	for _, f := range p.findings {
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b *Finding) int { return cmp.Compare(a.String(), b.String()) })
	return all
}

// Check returns wherever the labels and what the runs showed disagree, for runs under the conditions that the labels
// hold under: each after a reset, the clock going on. What needs more than that must not have moved.
func (p *Proof) Check() (wrong []error) {
	fault := func(f *Finding, format string, args ...any) {
		wrong = append(wrong, fmt.Errorf("%v: %s", f, fmt.Sprintf(format, args...)))
	}
	for _, f := range p.Findings() {
		l := f.Label
		switch {
		case !f.Met && !Has(p.truth.Everywhere, l.Place):
			fault(f, "labelled %s, and no answer has it", l.Label)
		case l.Protocol:
		case l.Needs != "" && f.Moved != nil:
			fault(f, "needs %s, and moved without: %v", l.Needs, f.Moved)
		case l.Needs == "" && l.Label == Stable && f.Moved != nil:
			fault(f, "labelled stable, and moved: %v", f.Moved)
		case l.Needs == "" && l.Label != Stable && f.Moved == nil && !p.Within(f, func(l Label) bool { return l.List }):
			fault(f, "labelled %s, and never moved", l.Label)
		case l.Label == "Unord" && f.Moved != nil && !p.Holds(f, Label.Moves) &&
			sortedBytes(f.Moved.Before) != sortedBytes(f.Moved.After):
			fault(f, "more than the order moved: %v", f.Moved)
		}
	}
	for i := range p.truth.Operations {
		if o := &p.truth.Operations[i]; !slices.Contains(p.ops, o) {
			wrong = append(wrong, fmt.Errorf("%s %s %d is labelled, and the session has no such answer", o.Method,
				o.Template, o.Status))
		}
	}
	return wrong
}

// Holds reports whether the operation has a label about a part of the place for which is is true.
func (p *Proof) Holds(f *Finding, is func(Label) bool) bool {
	return slices.ContainsFunc(p.truth.Labels(f.Operation), func(l Label) bool {
		return l.Place != f.Label.Place && l.Place.Within(f.Label.Place) && is(l)
	})
}

// Within reports whether the operation has a label about what the place is a part of for which is is true.
func (p *Proof) Within(f *Finding, is func(Label) bool) bool {
	return slices.ContainsFunc(p.truth.Labels(f.Operation), func(l Label) bool {
		return l.Place != f.Label.Place && f.Label.Place.Within(l.Place) && is(l)
	})
}

func sortedBytes(s string) string {
	b := []byte(s)
	slices.Sort(b)
	return string(b)
}

// Count counts the labels of a truth that enter figures, beside those of every operation, by label.
func (t *Truth) Count() map[string]int {
	n := map[string]int{}
	for _, o := range t.Operations {
		for _, l := range o.Places {
			if l.Label != Either && !l.Protocol {
				n[l.Label]++
			}
		}
	}
	return n
}

// Validate returns what is wrong with the form of a truth: an operation or a place that is there twice, a label or a
// need that is none.
func (t *Truth) Validate() (wrong []error) {
	labels := []string{Stable, Either, "Time", "Rand", "Crypt", "Unord", "RunMsg", "State", "Env"}
	needs := Needs()
	operations := map[string]bool{}
	for _, o := range t.Operations {
		name := fmt.Sprint(o.Method, " ", o.Template, " ", o.Status)
		if operations[name] {
			wrong = append(wrong, fmt.Errorf("%s is there twice", name))
		}
		operations[name] = true
		places := map[exchange.Place]bool{}
		for _, l := range o.Places {
			switch {
			case places[l.Place]:
				wrong = append(wrong, fmt.Errorf("%s: %s is there twice", name, l.Place))
			case !strings.HasPrefix(string(l.Place), "/"):
				wrong = append(wrong, fmt.Errorf("%s: %q is no place", name, l.Place))
			case !slices.Contains(labels, l.Label):
				wrong = append(wrong, fmt.Errorf("%s: %s has the label %q", name, l.Place, l.Label))
			case !slices.Contains(needs, l.Needs):
				wrong = append(wrong, fmt.Errorf("%s: %s needs %q", name, l.Place, l.Needs))
			}
			places[l.Place] = true
		}
	}
	return wrong
}
