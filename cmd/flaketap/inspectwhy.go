package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/exchange/redact"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/volatility"
	"github.com/flaketap/flaketap/volatility/analysis"
	"github.com/flaketap/flaketap/volatility/compare"
)

// whySteps is how many exchanges are shown to people where they ask for no number.
const whySteps = 5

// why explains the judgement about one place, or lists the places of an operation. It judges the recording as map does,
// and has it in memory meanwhile.
func (in *inspection) why(args []string) error {
	name, place, err := whyArgs(args)
	if err != nil {
		return err
	}
	statuses, err := parseStatuses(in.c.String("status"))
	if err != nil {
		return err
	}
	j, err := analysis.JudgeWithSteps(in.c.String("db"), in.analysisOptions(in.c))
	if err != nil {
		return noRecording(err)
	}
	in.redactor = j.Redactor
	operations, err := findOperations(j.Map, name, statuses)
	if err != nil {
		return err
	}
	if place == "" {
		return in.places(operations)
	}
	var found []*report.Why
	for _, op := range operations {
		if f := op.At(place); f != nil {
			found = append(found, in.explain(j, op, f, place))
		}
	}
	if len(found) == 0 {
		return console.Advise(fmt.Errorf("%s answers nothing at %s", name, place), fmt.Sprintf("flaketap inspect why %q lists its places", name))
	}
	if in.form != report.FormText {
		l := in.listing()
		for _, w := range found {
			if err := l.Add(w); err != nil {
				return err
			}
		}
		return l.Close()
	}
	for i, w := range found {
		if i > 0 {
			fmt.Fprintln(in.out)
		}
		if err := w.Text(in.out); err != nil {
			return err
		}
	}
	return nil
}

// whyArgs reads OPERATION, in one argument or two, and PLACE.
func whyArgs(args []string) (operation string, place exchange.Place, err error) {
	if len(args) > 0 && !strings.Contains(args[0], " ") && len(args) > 1 {
		args = append([]string{args[0] + " " + args[1]}, args[2:]...)
	}
	if len(args) == 0 || !strings.Contains(args[0], " ") {
		return "", "", console.Usage(errors.New(`inspect why needs an OPERATION such as "GET /orders/{id}"`))
	}
	if len(args) > 2 {
		return "", "", console.Usage(fmt.Errorf("inspect why takes no argument %q", args[2]))
	}
	if len(args) == 2 {
		place = exchange.Place("/" + strings.TrimPrefix(args[1], "/"))
	}
	return args[0], place, nil
}

// findOperations returns the operations of a map that are named by their template, or else by a path that it matches.
func findOperations(m *volatility.Map, name string, statuses []statusRange) ([]*volatility.Operation, error) {
	asked := func(op *volatility.Operation) bool { return statuses == nil || inRanges(statuses, op.Status) }
	var exact, matched []*volatility.Operation
	for _, op := range m.Operations {
		pattern, err := operationPattern(op.Operation.String())
		switch {
		case !asked(op) || err != nil:
		case op.Operation.String() == name:
			exact = append(exact, op)
		case pattern.MatchString(name):
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
	slices.SortStableFunc(known, func(a, b string) int { return shared(b, name) - shared(a, name) })
	return nil, console.Advise(fmt.Errorf("the recording has no operation %q", name), "those most like it: "+strings.Join(known[:min(len(known), 5)], ", "))
}

// shared is the length of what two texts begin with alike.
func shared(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// placeRecord is the JSON of a place in the list of an operation's places.
type placeRecord struct {
	Operation string               `json:"operation"`
	Status    int                  `json:"status"`
	Place     exchange.Place       `json:"place"`
	Judgement volatility.Judgement `json:"judgement"`
	Category  volatility.Category  `json:"category"`
	Changed   int                  `json:"changed"`
	Of        int                  `json:"of"`
	Evidence  []string             `json:"evidence"`
}

// places lists the places of operations with their judgements.
func (in *inspection) places(operations []*volatility.Operation) error {
	l := in.listing(report.Column{Name: "STATUS", Right: true}, report.Column{Name: "PLACE", Max: 60}, report.Column{Name: "JUDGEMENT"},
		report.Column{Name: "CATEGORY"}, report.Column{Name: "CHANGED", Right: true}, report.Column{Name: "EVIDENCE", Max: 60})
	for _, op := range operations {
		for _, f := range op.Fields {
			r := placeRecord{op.Operation.String(), op.Status, f.Place, f.Judgement, f.Category, f.Changed, f.Of, filled(f.Evidence)}
			if err := l.Add(r, strconv.Itoa(op.Status), string(f.Place), string(f.Judgement), string(f.Category),
				fmt.Sprintf("%d/%d", f.Changed, f.Of), strings.Join(f.Evidence, " ")); err != nil {
				return err
			}
			if in.enough(l) {
				return l.Close()
			}
		}
	}
	return l.Close()
}

// explain gathers what was seen at a place: at the one that was asked for, which may be one element of an array whose
// elements are judged together.
func (in *inspection) explain(j *analysis.Result, op *volatility.Operation, f *volatility.Field, place exchange.Place) *report.Why {
	w := report.NewWhy(op, f, j.Map.Runs)
	hidden := in.redactor.Secret(f.Place) || slices.ContainsFunc(f.Samples, func(raw json.RawMessage) bool { return strings.HasPrefix(string(raw), `"secret:`) })
	at := func(r *exchange.Response, fault *exchange.Fault) []report.Value {
		out := []report.Value{}
		compare.Read(r, fault).Parts(func(p exchange.Place, raw string) {
			if p == place || place == f.Place && f.Place.Matches(p) {
				out = append(out, report.Value{Place: p, Token: raw})
			}
		})
		return out
	}
	limit := in.c.Int("limit")
	if limit == 0 && in.form == report.FormText {
		limit = whySteps
	}
	byRun := map[int]*report.WhyRun{}
	var still []report.WhyStep // shown where those that moved, which tell most, leave room
	for _, step := range j.Steps {
		e := step.Exchange
		if j.Operations[e.Seq] != op.Operation || statusOf(e.Response) != op.Status {
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
		s.RequestTarget = e.Request.Method + " " + redact.Target(in.redactor, e.Request.Target)
		in.hide(&s, hidden)
		*list = append(*list, s)
	}
	if limit > 0 {
		still = still[:min(len(still), limit-len(w.Steps))]
	}
	w.Steps = append(w.Steps, still...)
	for _, run := range slices.Sorted(maps.Keys(byRun)) {
		w.ByRun = append(w.ByRun, *byRun[run])
	}
	if in.form != report.FormText {
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

func statusOf(r *exchange.Response) int {
	if r == nil {
		return 0
	}
	return r.Status
}

// whyStep is what one exchange had at a place, recorded and in the runs.
func whyStep(step exchange.Step, general, place exchange.Place, at func(*exchange.Response, *exchange.Fault) []report.Value) report.WhyStep {
	e := step.Exchange
	s := report.WhyStep{Seq: e.Seq, Recorded: at(e.Response, e.Fault), Runs: []report.WhySeen{}}
	recorded := compare.Read(e.Response, e.Fault)
	for _, o := range step.Observations {
		seen := report.WhySeen{Run: o.Run, Outcome: strconv.Itoa(statusOf(o.Response)), Values: at(o.Response, o.Fault)}
		if o.Fault != nil {
			seen.Outcome = string(o.Fault.Kind)
		}
		seen.Counts = general == exchange.PlaceStatus || statusOf(o.Response) == statusOf(e.Response)
		if seen.Counts {
			seen.Moved = slices.ContainsFunc(recorded.Differences(compare.Read(o.Response, o.Fault)), func(d compare.Difference) bool {
				return d.Kind != compare.Notation && (d.Place == place || d.General == place)
			})
			s.Moved = s.Moved || seen.Moved
		}
		s.Runs = append(s.Runs, seen)
	}
	return s
}

// hide redacts the values of a step: all of them where the place is that of secrets.
func (in *inspection) hide(s *report.WhyStep, all bool) {
	one := func(values []report.Value) {
		for i, v := range values {
			switch {
			case all && !in.redactor.Reveal && v.Token != "null" && v.Token != "true" && v.Token != "false":
				values[i].Token = strconv.Quote(in.redactor.Token(plainText(v.Token)))
			default:
				values[i].Token = in.token(v.Place, v.Token)
			}
			values[i].Place = in.redactor.ShowPlace(v.Place)
		}
	}
	one(s.Recorded)
	for i := range s.Runs {
		one(s.Runs[i].Values)
	}
}
