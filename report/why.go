package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// Why explains the judgement about one place: what was seen, what is made of it, and what would change that. Secrets
// are redacted. docs/inspect.md documents its JSON.
type Why struct {
	Operation  string            `json:"operation"` // "GET /orders/{id}"
	Status     int               `json:"status"`    // as recorded; 0: a fault
	Place      exchange.Place    `json:"place"`
	Judgement  mapfile.Judgement `json:"judgement"`
	Category   mapfile.Category  `json:"category"`
	Changed    int               `json:"changed"`
	Of         int               `json:"of"`
	Bound      float64           `json:"bound"`
	Pooled     int               `json:"pooled,omitempty"` // as of [mapfile.Field]
	Protocol   bool              `json:"protocol"`
	Evidence   []Reason          `json:"evidence"`
	Explained  []Explanation     `json:"explanations"` // what competes, the one that counts first
	Reasoning  []string          `json:"reasoning"`    // sentences
	Rule       *mapfile.Ruling   `json:"rule,omitempty"`
	Holds      mapfile.Holds     `json:"holds"`
	Statements []string          `json:"statements"` // Holds in words
	Warnings   []string          `json:"warnings"`
	Runs       []exchange.Run    `json:"runs"`
	Exchanges  int               `json:"exchanges"` // of the operation with that status
	ByRun      []WhyRun          `json:"by_run"`    // over all of them
	Steps      []WhyStep         `json:"steps"`     // some or all of them
	Change     []string          `json:"would_change"`
	Settle     []Experiment      `json:"experiments"` // what would settle what is in doubt
}

// Reason is one piece of evidence.
type Reason struct {
	Code string `json:"code"`
	Says string `json:"says"`
}

// WhyRun is how often the place differed from the recorded value in one run.
type WhyRun struct {
	Run   int `json:"run"`
	Moved int `json:"moved"`
	Of    int `json:"of"` // answers with the recorded status
}

// WhyStep is what one exchange had at the place, recorded and in each run.
type WhyStep struct {
	Seq           uint64    `json:"seq"`
	RequestTarget string    `json:"request_target"`
	Moved         bool      `json:"moved"`
	Recorded      []Value   `json:"recorded"`
	Runs          []WhySeen `json:"runs"`
}

// WhySeen is what one run had at the place.
type WhySeen struct {
	Run     int     `json:"run"`
	Outcome string  `json:"outcome"` // the status, or the kind of fault
	Moved   bool    `json:"moved"`
	Counts  bool    `json:"counts"` // false where another status than the recorded one makes the rest incomparable
	Values  []Value `json:"values"`
}

// Value is a raw JSON token at a place without wildcards.
type Value struct {
	Place exchange.Place `json:"place"`
	Token string         `json:"token"`
}

// NewWhy returns the explanation of a field, without the steps.
func NewWhy(op *mapfile.Operation, f *mapfile.Field, runs []exchange.Run) *Why {
	w := &Why{
		Operation: op.Operation.String(), Status: op.Status, Place: f.Place, Judgement: f.Judgement, Category: f.Category,
		Changed: f.Changed,
		Of:      f.Of, Bound: f.Bound, Pooled: f.Pooled, Protocol: f.Protocol, Evidence: []Reason{}, Holds: f.Holds,
		Statements: statements(&f.Holds, maxValue),
		Explained:  explanations(f), Reasoning: reasoning(f, runs), Rule: f.Rule, ByRun: []WhyRun{},
		Settle:   experiments(f, runs),
		Warnings: append([]string{}, f.Warnings...), Runs: append([]exchange.Run{}, runs...), Exchanges: op.Exchanges,
		Steps: []WhyStep{},
	}
	for _, code := range f.Evidence {
		w.Evidence = append(w.Evidence, Reason{code, Evidence(code)})
	}
	w.Change = wouldChange(f, runs)
	return w
}

// wouldChange says what further runs could do to a judgement.
func wouldChange(f *mapfile.Field, runs []exchange.Run) []string {
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	reset := false
	for _, r := range runs {
		reset = reset || r.Conditions.Start == exchange.StartReset || r.Conditions.Start == exchange.StartFresh
	}
	switch {
	case len(runs) == 0:
		say("any run: there is none yet, and all evidence comes from within the recording (flaketap replay --runs 10)")
	case f.Judgement == mapfile.Jitter && len(runs) == 1:
		say("a second run: if it agrees with the first, this is drift, not jitter")
	case f.Judgement == mapfile.Drift && len(runs) == 1:
		say("a second run: if it differs from the first, this is jitter, not drift")
	case f.Judgement == mapfile.Drift:
		say("a run that differs from the others: then this is jitter")
	}
	switch f.Judgement {
	case mapfile.Jitter, mapfile.Drift:
		unexplained := f.Category == mapfile.State || f.Category == mapfile.Unk || f.Judgement == mapfile.Drift
		if !reset && unexplained && len(runs) > 0 {
			say("runs from the state that the recording began in (--reset): if they agree with the recording, leftovers of earlier runs move this")
		}
		say("more runs cannot make it stable, since it has moved, but they show more clearly why")
	case mapfile.WouldMove:
		say("a run in which it moves: then this is jitter or drift")
		say("runs at another time or place in which it stays the same although what explains it has moved")
	case mapfile.Hint:
		say("a run in which it moves. What a value looks like disables no assertion")
	case mapfile.Stable:
		say("a single run in which it differs")
	}
	return out
}

// Text writes the explanation for people.
func (w *Why) Text(out io.Writer) error {
	t := &text{}
	t.whole("%s %s: %s", w.Operation, outcome(w.Status, faultName(w.Status)), w.Place)
	words := verdict(w.Judgement)
	if w.Category != "" {
		words += fmt.Sprintf(", %s: the value %s", w.Category, why(w.Category))
	}
	if w.Protocol {
		words += " (HTTP itself moves this: excluded from totals)"
	}
	t.whole("  %s", words)
	if w.Of == 0 {
		t.whole("  no run has observed it yet: how likely it moves is not known")
	} else {
		t.whole("  %d of %s differ from the recorded value; the chance that it moves is below %s (95 %% confidence%s)",
			w.Changed, count(w.Of, "observation"), percent(w.Bound), restsOn(w.Pooled))
	}
	for _, s := range w.Warnings {
		t.whole("  warning: %s", s)
	}
	t.whole("")
	t.whole("how it was judged")
	for _, r := range w.Reasoning {
		t.whole("  %s", r)
	}
	t.whole("")
	t.whole("why")
	for _, e := range w.Evidence {
		t.whole("  %-24s  %s", e.Code, e.Says)
	}
	if len(w.Evidence) == 0 {
		t.whole("  there is no evidence that it moves")
	}
	t.whole("")
	t.whole("what still holds")
	for _, s := range w.Statements {
		t.whole("  %s", s)
	}
	t.byRun(w)
	t.steps(w)
	t.whole("")
	t.whole("what would change this")
	for _, s := range w.Change {
		t.whole("  %s", s)
	}
	for _, e := range w.Settle {
		t.whole("  %s", e.Try)
		t.whole("      %s", e.Tells)
	}
	_, err := out.Write(t.out.Bytes())
	return err
}

func faultName(status int) string {
	if status == 0 {
		return "fault"
	}
	return ""
}

// labels names the runs with their conditions, and tells how wide the widest name is.
func (w *Why) labels() (labels map[int]string, wide int) {
	labels, wide = map[int]string{}, columns("recorded")
	for _, r := range w.Runs {
		labels[r.Number] = show(fmt.Sprintf("run %d, %s, %s", r.Number, kind(r.Kind),
			conditions(r.Conditions.Start, r.Conditions.Perturb)), 90)
		wide = max(wide, columns(labels[r.Number]))
	}
	return labels, wide
}

// byRun tells how often each run differed: under which conditions the place moves, and under which not.
func (t *text) byRun(w *Why) {
	if len(w.ByRun) == 0 {
		return
	}
	labels, wide := w.labels()
	t.whole("")
	t.whole("run by run")
	for _, r := range w.ByRun {
		said := fmt.Sprintf("moved in %d of %s", r.Moved, count(r.Of, "answer"))
		if r.Of == 0 {
			said = "no answer with the recorded status"
		}
		t.whole("  %s%s  %s", labels[r.Run], strings.Repeat(" ", wide-columns(labels[r.Run])), said)
	}
}

func (t *text) steps(w *Why) {
	labels, wide := w.labels()
	line := func(label, said string) {
		t.whole("  %s%s  %s", label, strings.Repeat(" ", wide-columns(label)), said)
	}
	for _, s := range w.Steps {
		t.whole("")
		t.whole("exchange %d, %s", s.Seq, showEnds(s.RequestTarget, 90))
		line("recorded", values(s.Recorded))
		for _, seen := range s.Runs {
			said := values(seen.Values)
			if !seen.Counts {
				said = fmt.Sprintf("(answered %s: not compared)", seen.Outcome)
			}
			line(labels[seen.Run], said)
		}
	}
	if more := w.Exchanges - len(w.Steps); more > 0 && len(w.Steps) > 0 {
		t.whole("")
		t.whole("and %s (--limit N shows more)", count(more, "more exchange"))
	}
}

// values writes the tokens at a place on one line.
func values(all []Value) string {
	const shown = 8
	if len(all) == 0 {
		return "(not there)"
	}
	var out []string
	for _, v := range all[:min(len(all), shown)] {
		out = append(out, showEnds(v.Token, 100))
	}
	if len(all) > shown {
		out = append(out, fmt.Sprintf("… %d in total", len(all)))
	}
	return strings.Join(out, ", ")
}
