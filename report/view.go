package report

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// The most that is shown of anything that a hostile API could make as long as it likes. What is left out is counted,
// and is in the map.
const (
	maxOperations = 2000
	maxFields     = 500 // of one operation, and of each of the lists apart
	maxRuns       = 100
	maxNotes      = 100
	maxSamples    = 3
	maxText       = 300 // columns of a sentence
	maxName       = 160 // columns of a place, a template, a URL
	maxValue      = 80  // columns of a value
)

// view is what the forms for people show: everything in it is words, made fit to be looked at.
type view struct {
	Title    string
	Summary  string
	Figures  string // the judgements, counted
	Counts   []tally
	Why      []tally
	Warnings []string
	Notes    []string
	Score    *ScoreTable

	Common         []section // volatile places that most operations of an API share
	Operations     []section // those with volatile places of their own
	MoreOperations int
	Quiet          []section // those without
	Moving         int       // operations with a volatile place, common ones included
	MoreQuiet      int
	Hints          []row
	MoreHints      int
	Protocol       []*shared
	MoreProtocol   int

	Recorded, Exchanges string
	Passes              []pass
	MorePasses          int
	Runs                []run
	MoreRuns            int
}

// tally is a number with what it counts; Of is the whole that it is a part of, 0 where it is none.
type tally struct {
	N, Of int
	Name  string
	Words string
}

// section is one operation with one recorded status.
type section struct {
	Name      string // "GET /orders/{id}"
	Status    string
	Exchanges int
	Volatile  int
	Rows      []row // the volatile places
	More      int
	Steady    int    // places that did not move
	Worst     string // the largest bound among them; "" where there are none
}

// row is one place.
type row struct {
	Operation string // where rows of several operations stand together
	Place     string
	Class     string // of the judgement, for the page's colours
	Verdict   string
	Category  string
	Why       string
	Changed   int
	Of        int
	Bound     string
	Evidence  []string
	Samples   []string
	Holds     []string
	Warnings  []string
	Scope     string // in which requests, or operations; "" for all of the operation
}

// shared is a place that several operations have.
type shared struct {
	Place                   string
	Operations, Changed, Of int
}

// pass is one pass of the recorded client.
type pass struct {
	Number                            int
	Started, Took, Target, Conditions string
	Words                             []string // client, source and label, those that are known
}

// run is one further execution.
type run struct {
	Number                            int
	Started, Took, Target, Conditions string
	Words                             []string // kind and label, those that are known
	Steps, Lost, Added                int
}

// newView turns an input into words.
func newView(in Input) *view {
	m := in.Map
	v := &view{Title: show(in.Title, maxText), Warnings: texts(m.Warnings), Notes: texts(in.Notes), Score: score(in.Score)}
	if v.Title == "" {
		v.Title = "Volatile fields"
	}
	protocol := map[exchange.Place]*shared{}
	why := map[mapfile.Category]int{}
	common := v.common(m)
	for _, op := range m.Operations {
		s, hints := v.section(op, common, why)
		v.protocol(op, protocol)
		if s.Volatile > 0 {
			v.Moving++
		}
		if len(s.Rows) > 0 {
			v.Operations = append(v.Operations, s)
		} else {
			v.Quiet = append(v.Quiet, s)
		}
		v.Hints = append(v.Hints, hints...)
	}
	v.count(m, why)
	v.Operations, v.MoreOperations = head(v.Operations, maxOperations)
	v.Quiet, v.MoreQuiet = head(v.Quiet, maxOperations)
	v.Hints, v.MoreHints = head(v.Hints, maxFields)
	v.Protocol, v.MoreProtocol = head(v.Protocol, maxFields)
	v.facts(m)
	return v
}

// common turns the volatile places that most operations share into words, and returns the fields that they stand for.
func (v *view) common(m *mapfile.Map) map[*mapfile.Field]bool {
	all, _ := m.Fold(func(f *mapfile.Field) bool { return f.Counts() && f.Volatile() })
	operations := map[string]int{}
	for _, op := range m.Operations {
		operations[op.Host]++
	}
	said := map[*mapfile.Field]bool{}
	for _, c := range all {
		name := "most operations"
		if c.Host != "" {
			name += " of //" + c.Host
		}
		r := newRow(c.Field)
		r.Scope = fmt.Sprintf("in %d of %s", len(c.Folded), count(operations[c.Host], "operation"))
		if n := len(v.Common); n == 0 || v.Common[n-1].Name != name {
			v.Common = append(v.Common, section{Name: name})
		}
		s := &v.Common[len(v.Common)-1]
		s.Rows = append(s.Rows, r)
		for _, f := range c.Folded {
			said[f] = true
		}
	}
	for i := range v.Common {
		s := &v.Common[i]
		s.Rows, s.More = head(s.Rows, maxFields)
	}
	return said
}

// section turns an operation into words, its hints apart, and counts its categories into why. What common places say is
// not said again.
func (v *view) section(op *mapfile.Operation, common map[*mapfile.Field]bool,
	why map[mapfile.Category]int) (section, []row) {
	s := section{
		Name:      show(op.Method, 20) + " " + showEnds(hostAndTemplate(op), maxName),
		Status:    status(op.Status),
		Exchanges: op.Exchanges,
	}
	var rows, hints []row
	worst := 0.0
	for _, f := range op.Fields {
		switch {
		case !f.Counts():
		case f.Volatile():
			s.Volatile++
			why[f.Category]++
			if !common[f] {
				rows = append(rows, newRow(f))
			}
		default:
			s.Steady++
			worst = max(worst, f.Bound)
			if f.Judgement == mapfile.Hint {
				r := newRow(f)
				r.Operation = s.Name + " " + s.Status
				hints = append(hints, r)
			}
		}
	}
	if s.Steady > 0 {
		s.Worst = percent(worst)
	}
	s.Rows, s.More = head(rows, maxFields)
	return s, hints
}

// protocol gathers the places that the protocol itself moves: one line for each, however many operations have it.
func (v *view) protocol(op *mapfile.Operation, seen map[exchange.Place]*shared) {
	for _, f := range op.Fields {
		if !f.Protocol {
			continue
		}
		p := seen[f.Place]
		if p == nil {
			p = &shared{Place: showEnds(string(f.Place), maxName)}
			seen[f.Place] = p
			v.Protocol = append(v.Protocol, p)
		}
		p.Operations++
		p.Changed += f.Changed
		p.Of += f.Of
	}
}

func newRow(f *mapfile.Field) row {
	r := row{
		Place:    showEnds(string(f.Place), maxName),
		Class:    show(string(f.Judgement), 20),
		Verdict:  verdict(f.Judgement),
		Category: show(string(f.Category), 20),
		Why:      why(f.Category),
		Changed:  f.Changed,
		Of:       f.Of,
		Bound:    percent(f.Bound) + restsOn(f.Pooled),
		Holds:    statements(&f.Holds, maxValue),
		Warnings: texts(f.Warnings),
	}
	for _, code := range first(f.Evidence, 10) {
		switch e := mapfile.ParseEvidence(code); e.Sign {
		case mapfile.SignMoved: // that it moved, and how often, is shown as a figure already
		case mapfile.SignLooks:
			r.Evidence = append(r.Evidence, show(e.Detail, maxValue))
		default:
			r.Evidence = append(r.Evidence, show(code, maxValue))
		}
	}
	if f.Rule != nil {
		r.Evidence = append([]string{"rule:" + show(string(f.Rule.Kind), 20)}, r.Evidence...)
	}
	for _, s := range first(f.Samples, maxSamples) {
		r.Samples = append(r.Samples, token(s, maxValue))
	}
	if f.Judgement == mapfile.Drift && len(f.Fingerprints) > 0 {
		r.Scope = "in " + count(len(f.Fingerprints), "request") + " alone"
	}
	return r
}

// pooled counts the places of which the bound rests on several operations.
func pooled(m *mapfile.Map) int {
	n := 0
	for _, op := range m.Operations {
		for _, f := range op.Fields {
			if f.Counts() && f.Pooled > 0 {
				n++
			}
		}
	}
	return n
}

// restsOn says on how many operations a pooled bound rests; "" for the bound of one.
func restsOn(operations int) string {
	if operations == 0 {
		return ""
	}
	return fmt.Sprintf(", pooled over %s", count(operations, "operation"))
}

// nothing says that a map judges no place, why, and what to do.
func nothing(m *mapfile.Map) string {
	switch {
	case len(m.Operations) == 0 && m.Recording.Count == 0:
		return "nothing was recorded, so nothing was judged: have a client send requests through flaketap record"
	case len(m.Operations) == 0:
		return "nothing was judged: the map has none of the operations that were recorded"
	default:
		return fmt.Sprintf("no place was judged: the answers of %s have none beside those of HTTP itself",
			count(len(m.Operations), "operation"))
	}
}

// count fills in the figures at the top.
func (v *view) count(m *mapfile.Map, reasons map[mapfile.Category]int) {
	s := m.Summary
	if !slices.ContainsFunc(m.Operations, func(op *mapfile.Operation) bool {
		return slices.ContainsFunc(op.Fields, (*mapfile.Field).Counts)
	}) {
		v.Summary = nothing(m)
		return
	}
	v.Summary = fmt.Sprintf("%s of %d, in %d of %s, after %s", count(s.Volatile(), "volatile place"), s.Places,
		v.Moving, count(len(m.Operations), "operation"), count(len(m.Runs), "run"))
	v.Figures = fmt.Sprintf("%d jitter, %d drift, %d would move; %s, %d stable", s.Jitter, s.Drift, s.WouldMove,
		count(s.Hint, "hint"), s.Stable)
	v.Counts = []tally{
		{N: s.Volatile(), Of: s.Places, Name: "volatile", Words: fmt.Sprintf("of %s", count(s.Places, "place"))},
		{N: s.Jitter, Name: "jitter", Words: "the runs differ from each other"},
		{N: s.Drift, Name: "drift", Words: "the runs agree, but not with the recording"},
		{N: s.WouldMove, Name: "would move", Words: "did not move yet, but what explains them does"},
		{N: s.Hint, Name: "hints", Words: "only look volatile; disable no assertion"},
		{N: v.Moving, Of: len(m.Operations), Name: "operations",
			Words: fmt.Sprintf("of %d with a volatile place", len(m.Operations))},
	}
	if n := pooled(m); n > 0 {
		v.Notes = append(v.Notes, fmt.Sprintf("The bounds of %s that never moved are pooled: each rests on several operations "+
			"that answer the same thing.", count(n, "place")))
	}
	for _, c := range categories() {
		if n := reasons[c]; n > 0 {
			v.Why = append(v.Why, tally{N: n, Of: s.Volatile(), Name: string(c), Words: why(c)})
		}
	}
}

// facts tells what the judgement rests on.
func (v *view) facts(m *mapfile.Map) {
	rec := m.Recording
	v.Recorded, v.Exchanges = clock(rec.Started), count(rec.Count, "exchange")
	passes, more := head(rec.Passes, maxRuns)
	v.MorePasses = more
	for _, p := range passes {
		v.Passes = append(v.Passes, pass{
			Number: p.Number, Started: clock(p.Started), Took: took(p.Started, p.Ended),
			Target: address(p.Target, maxName), Conditions: conditions(p.Start, nil),
			Words: known(client(p.Command), show(p.Source, 20), show(p.Label, maxValue)),
		})
	}
	runs, more := head(m.Runs, maxRuns)
	v.MoreRuns = more
	for _, r := range runs {
		shown := run{
			Number: r.Number,
			Target: address(r.Target, maxName), Conditions: conditions(r.Conditions.Start, r.Conditions.Perturb),
			Words: known(kind(r.Kind), show(r.Label, maxValue)), Steps: r.Steps, Lost: r.Lost, Added: r.Added,
		}
		if !r.Started.IsZero() { // a map that was read from its file has no times of runs
			shown.Started, shown.Took = clock(r.Started), took(r.Started, r.Ended)
		}
		v.Runs = append(v.Runs, shown)
	}
}

// known returns the parts that say something.
func known(parts ...string) []string {
	return slices.DeleteFunc(parts, func(s string) bool { return s == "" })
}

// client names the program of a command line. Its arguments are left out: they may hold credentials.
func client(command []string) string {
	if len(command) == 0 {
		return ""
	}
	name := show(path.Base(command[0]), maxValue)
	if len(command) > 1 {
		name += " " + ellipsis
	}
	return name
}

func status(code int) string {
	if code == 0 {
		return "fault"
	}
	return fmt.Sprint(code)
}

// hostAndTemplate is what an operation is called behind its method.
func hostAndTemplate(op *mapfile.Operation) string {
	return strings.TrimPrefix(op.Operation.String(), op.Method+" ")
}

func texts(in []string) []string {
	var out []string
	for _, s := range first(in, maxNotes) {
		out = append(out, show(s, maxText))
	}
	return out
}

func score(t *ScoreTable) *ScoreTable {
	if t == nil {
		return nil
	}
	out := &ScoreTable{Title: show(t.Title, maxText)}
	if out.Title == "" {
		out.Title = "Score"
	}
	for _, r := range first(t.Rows, maxNotes) {
		out.Rows = append(out.Rows, ScoreRow{show(r.Name, maxValue), show(r.Value, maxValue)})
	}
	return out
}
