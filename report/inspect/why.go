package inspect

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/exchange/redact"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/volatility/analysis"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// whySteps is how many exchanges are shown to people where they ask for no number.
const whySteps = 5

// Why explains the judgement about one place of the answers of an operation, or lists all places of it where place is
// "". The operation is named by its template or by a path that it matches. Only answers with one of the statuses are
// meant, where there are any. The recording is judged already, and its steps are kept ([analysis.JudgeWithSteps]).
func Why(j *analysis.Result, operation string, place exchange.Place, statuses []StatusRange, o Output) error {
	found, err := findOperations(j.Map, operation, statuses)
	if err != nil {
		return err
	}
	if place == "" {
		return o.places(found)
	}
	e := explainer{Output: o, masker: masker{j.Redactor}, judged: j}
	var all []*report.Why
	for _, op := range found {
		if f := op.At(place); f != nil {
			all = append(all, e.explain(op, f, place))
		}
	}
	if len(all) == 0 {
		return console.Advise(fmt.Errorf("no answer of %s has a place %s", operation, place),
			fmt.Sprintf("flaketap inspect why %q lists its places", operation))
	}
	if o.Form != report.FormText {
		l := o.listing()
		for _, w := range all {
			if err := l.Add(w); err != nil {
				return err
			}
		}
		return l.Close()
	}
	for i, w := range all {
		if i > 0 {
			fmt.Fprintln(o.Out)
		}
		if err := w.Text(o.Out); err != nil {
			return err
		}
	}
	return nil
}

// Explain explains the judgement about a field of an operation as [Why] does, with what one exchange had there,
// recorded and in the runs.
func Explain(j *analysis.Result, op *mapfile.Operation, f *mapfile.Field, place exchange.Place,
	seq uint64) *report.Why {
	e := explainer{Output: Output{Form: report.FormJSON}, masker: masker{j.Redactor}, judged: j, seq: seq}
	return e.explain(op, f, place)
}

// findOperations returns the operations of a map that are named by their template, or else by a path that it matches.
func findOperations(m *mapfile.Map, name string, statuses []StatusRange) ([]*mapfile.Operation, error) {
	asked := func(op *mapfile.Operation) bool { return statuses == nil || inRanges(statuses, op.Status) }
	var exact, matched []*mapfile.Operation
	for _, op := range m.Operations {
		template, err := ParseOperation(op.Operation.String())
		switch {
		case !asked(op) || err != nil:
		case op.Operation.String() == name:
			exact = append(exact, op)
		case template.pattern.MatchString(name):
			matched = append(matched, op)
		}
	}
	if len(exact) > 0 {
		return exact, nil
	}
	if len(matched) > 0 {
		return matched, nil
	}
	var known []string
	for _, op := range m.Operations {
		if s := op.Operation.String(); asked(op) && !slices.Contains(known, s) {
			known = append(known, s)
		}
	}
	slices.SortStableFunc(known, func(a, b string) int { return commonPrefix(b, name) - commonPrefix(a, name) })
	return nil, console.Advise(fmt.Errorf("the recording has no operation %q", name),
		"did you mean one of "+strings.Join(known[:min(len(known), 5)], ", "))
}

// commonPrefix is the length of what two texts begin with alike.
func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// placeRecord is the JSON of a place in the list of an operation's places.
type placeRecord struct {
	Operation string            `json:"operation"`
	Status    int               `json:"status"`
	Place     exchange.Place    `json:"place"`
	Judgement mapfile.Judgement `json:"judgement"`
	Category  mapfile.Category  `json:"category"`
	Changed   int               `json:"changed"`
	Of        int               `json:"of"`
	Evidence  []string          `json:"evidence"`
}

// places lists the places of operations with their judgements.
func (o *Output) places(operations []*mapfile.Operation) error {
	l := o.listing(report.Column{Name: "STATUS", Right: true}, report.Column{Name: "PLACE", Max: 60},
		report.Column{Name: "JUDGEMENT"},
		report.Column{Name: "CATEGORY"}, report.Column{Name: "CHANGED", Right: true},
		report.Column{Name: "EVIDENCE", Max: 60})
	for _, op := range operations {
		for _, f := range op.Fields {
			r := placeRecord{op.Operation.String(), op.Status, f.Place, f.Judgement, f.Category, f.Changed, f.Of,
				filled(f.Evidence)}
			if err := l.Add(r, strconv.Itoa(op.Status), string(f.Place), string(f.Judgement), string(f.Category),
				report.Share(f.Changed, f.Of), strings.Join(f.Evidence, " ")); err != nil {
				return err
			}
			if o.enough(l) {
				return l.Close()
			}
		}
	}
	return l.Close()
}

// hidesSecret reports whether a sample of a map is the token of a secret, and no text that only begins like one.
func hidesSecret(sample json.RawMessage) bool {
	var text string
	return json.Unmarshal(sample, &text) == nil && exchange.IsToken(text)
}

// explainer gathers what explains judgements.
type explainer struct {
	Output
	masker
	judged *analysis.Result
	seq    uint64 // the one exchange that is shown; 0 for all
}

// explain gathers what was seen at a place: at the one that was asked for, which may be one element of an array whose
// elements are judged together.
func (x *explainer) explain(op *mapfile.Operation, f *mapfile.Field, place exchange.Place) *report.Why {
	w := report.NewWhy(op, f, x.judged.Map.Runs)
	show := x.token
	if x.redactor.Secret(f.Place) ||
		slices.ContainsFunc(f.Samples, hidesSecret) {
		show = x.secretToken
	}
	at := func(r *exchange.Response, fault *exchange.Fault) []report.Value {
		out := []report.Value{}
		compare.Read(r, fault).Parts(func(p exchange.Place, raw string) {
			if p == place || place == f.Place && f.Place.Matches(p) {
				out = append(out, report.Value{Place: p, Token: raw})
			}
		})
		return out
	}
	limit := x.Limit
	if limit == 0 && x.Form == report.FormText {
		limit = whySteps
	}
	byRun := map[int]*report.WhyRun{}
	var still []report.WhyStep // shown where those that moved, which tell most, leave room
	for _, step := range x.judged.Steps {
		e := step.Exchange
		if x.judged.Operations[e.Seq] != op.Operation || exchange.StatusOf(e.Response) != op.Status ||
			x.seq != 0 && x.seq != e.Seq {
			continue
		}
		s := whyStep(step, f.Place, place, at)
		countRuns(byRun, s)
		list := &still
		if s.Moved {
			list = &w.Steps
		}
		if limit > 0 && len(*list) == limit {
			continue
		}
		s.RequestTarget = e.Request.Method + " " + redact.Target(x.redactor, e.Request.Target)
		x.maskStep(&s, show)
		*list = append(*list, s)
	}
	if limit > 0 {
		still = still[:min(len(still), limit-len(w.Steps))]
	}
	w.Steps = append(w.Steps, still...)
	for _, run := range slices.Sorted(maps.Keys(byRun)) {
		w.ByRun = append(w.ByRun, *byRun[run])
	}
	if x.Form != report.FormText {
		slices.SortFunc(w.Steps, func(a, b report.WhyStep) int { return int(a.Seq) - int(b.Seq) })
	}
	return w
}

// countRuns counts what the runs had at a step.
func countRuns(byRun map[int]*report.WhyRun, s report.WhyStep) {
	for _, seen := range s.Runs {
		r := byRun[seen.Run]
		if r == nil {
			r = &report.WhyRun{Run: seen.Run}
			byRun[seen.Run] = r
		}
		if seen.Counts {
			r.Of++
		}
		if seen.Moved {
			r.Moved++
		}
	}
}

// whyStep is what one exchange had at a place, recorded and in the runs.
func whyStep(step exchange.Step, general, place exchange.Place,
	at func(*exchange.Response, *exchange.Fault) []report.Value) report.WhyStep {
	e := step.Exchange
	s := report.WhyStep{Seq: e.Seq, Recorded: at(e.Response, e.Fault), Runs: []report.WhySeen{}}
	recorded := compare.Read(e.Response, e.Fault)
	for _, o := range step.Observations {
		seen := report.WhySeen{Run: o.Run, Outcome: strconv.Itoa(exchange.StatusOf(o.Response)),
			Values: at(o.Response, o.Fault)}
		if o.Fault != nil {
			seen.Outcome = string(o.Fault.Kind)
		}
		seen.Counts = general == exchange.PlaceStatus || exchange.StatusOf(o.Response) == exchange.StatusOf(e.Response)
		if seen.Counts {
			seen.Moved = slices.ContainsFunc(recorded.Differences(compare.Read(o.Response, o.Fault)),
				func(d compare.Difference) bool {
					return d.Kind != compare.Notation && (d.Place == place || d.General == place)
				})
			s.Moved = s.Moved || seen.Moved
		}
		s.Runs = append(s.Runs, seen)
	}
	return s
}
