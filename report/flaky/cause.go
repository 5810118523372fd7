package flaky

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/report/inspect"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// contradicted lists the assertions of a test that were read and that executions contradict, or will.
func (in *Input) contradicted(t *Test) []report.FlakeCause {
	out := []report.FlakeCause{}
	for _, r := range t.read {
		if r.file.verdicts == nil {
			r.file.verdicts = map[string][]suite.Verdict{}
			for _, v := range r.file.bound.Verdicts() {
				r.file.verdicts[v.Test] = append(r.file.verdicts[v.Test], v)
			}
		}
		for _, v := range r.file.verdicts[r.Name] {
			if v.Finding == suite.Holding || v.Finding == suite.Unseen {
				continue
			}
			out = append(out, in.contradiction(v))
		}
	}
	return out
}

// contradiction is what a verdict says of an assertion.
func (in *Input) contradiction(v suite.Verdict) report.FlakeCause {
	c := report.FlakeCause{Known: report.KnownByAssertion, Where: at(v.File, v.Line), Statement: in.text(v.Text),
		Finding: string(v.Finding), Reason: in.text(v.Reason), Place: in.Judged.Redactor.ShowPlace(v.Place),
		Category: v.Category, Differed: v.Failed, Of: v.Of, Values: []report.FlakeValue{}}
	if len(v.In) > 0 {
		c.Since = in.execution(v.In[0])
	}
	step, found := in.step(v.Seq)
	if !found {
		return c
	}
	e := in.exchange(step.Exchange)
	c.Exchange = &e
	if v.Place == "" {
		return c
	}
	differed := map[int]bool{}
	for _, run := range v.In {
		differed[run] = true
	}
	op, field := in.field(step.Exchange, v.Place)
	if v.Field != nil {
		field = v.Field
	}
	if field == nil {
		return c
	}
	why := inspect.Explain(in.Judged, op, field, v.Place, v.Seq)
	c.Values = in.values(why, differed)
	if v.Field != nil {
		c.Judged = why
	}
	return c
}

// step is the step of an exchange.
func (in *Input) step(seq uint64) (exchange.Step, bool) {
	i, found := slices.BinarySearchFunc(in.Judged.Steps, seq, func(s exchange.Step, seq uint64) int {
		return cmp.Compare(s.Exchange.Seq, seq)
	})
	if !found {
		return exchange.Step{}, false
	}
	return in.Judged.Steps[i], true
}

// field is what the map says of a place of an exchange's answer; nil where it says nothing.
func (in *Input) field(e *exchange.Exchange, place exchange.Place) (*mapfile.Operation, *mapfile.Field) {
	op := in.Judged.Map.Operation(in.Judged.Operations[e.Seq], status(e.Response))
	if op == nil {
		return nil, nil
	}
	return op, op.At(place)
}

// values are what the executions had, by an explanation of one exchange's place.
func (in *Input) values(w *report.Why, differed map[int]bool) []report.FlakeValue {
	out := []report.FlakeValue{}
	if len(w.Steps) == 0 {
		return out
	}
	s := w.Steps[0]
	labels := map[int]string{}
	for _, x := range in.executions() {
		labels[x.Run] = x.Label
	}
	out = append(out, report.FlakeValue{Label: labels[0], Shown: report.Tokens(s.Recorded), Differed: differed[0]})
	for _, seen := range s.Runs {
		v := report.FlakeValue{Run: seen.Run, Label: labels[seen.Run], Shown: report.Tokens(seen.Values),
			Differed: differed[seen.Run]}
		if !seen.Counts && w.Place != exchange.PlaceStatus {
			v.Shown = "(answered " + seen.Outcome + ")"
		}
		out = append(out, v)
	}
	return out
}

// movement is a place of an exchange that differs in some runs from the recording.
type movement struct {
	step   exchange.Step
	op     *mapfile.Operation
	field  *mapfile.Field
	place  exchange.Place  // the first that the field speaks of
	runs   map[int]bool    // in which it differs
	tokens map[string]bool // raw, that stood there, the recorded ones true
	seen   map[int]string  // by run that can be compared, how it differs from the recording; "" where it does not
	of     int             // runs that can be compared, the recording among them
}

// movements lists the places of an exchange that differ in some run, as far as the map calls them volatile.
func (in *Input) movements(step exchange.Step) []*movement {
	e := step.Exchange
	op := in.Judged.Map.Operation(in.Judged.Operations[e.Seq], status(e.Response))
	if op == nil {
		return nil
	}
	all := map[exchange.Place]*movement{}
	recorded := compare.Read(e.Response, e.Fault)
	same := 1
	for _, o := range step.Observations {
		observed := compare.Read(o.Response, o.Fault)
		comparable := recorded.SameStatus(observed)
		if comparable {
			same++
		}
		for _, d := range recorded.Differences(observed) {
			if d.Kind == compare.Notation || !comparable && d.Place != exchange.PlaceStatus {
				continue
			}
			f := op.At(d.Place)
			if f == nil || f.Apart() || !f.Volatile() {
				continue
			}
			m := all[f.Place]
			if m == nil {
				m = newMovement(step, op, f, d.Place)
				all[f.Place] = m
			}
			m.add(o.Run, d)
		}
	}
	out := slices.SortedFunc(maps.Values(all), func(a, b *movement) int {
		return cmp.Or(cmp.Compare(rootRank(a.place), rootRank(b.place)), strings.Compare(string(a.place), string(b.place)))
	})
	for _, m := range out {
		if m.of = same; m.place == exchange.PlaceStatus {
			m.of = 1 + len(step.Observations)
		}
	}
	return out
}

// newMovement returns a movement without any difference so far.
func newMovement(step exchange.Step, op *mapfile.Operation, f *mapfile.Field, place exchange.Place) *movement {
	m := &movement{step: step, op: op, field: f, place: place, runs: map[int]bool{}, tokens: map[string]bool{},
		seen: map[int]string{0: ""}}
	for _, o := range step.Observations {
		if place == exchange.PlaceStatus || status(o.Response) == status(step.Exchange.Response) {
			m.seen[o.Run] = ""
		}
	}
	return m
}

// add takes in how a run differs.
func (m *movement) add(run int, d compare.Difference) {
	m.runs[run] = true
	m.seen[run] += string(d.Place) + "\x00" + d.After + "\x00"
	m.tokens[d.Before] = true
	if _, known := m.tokens[d.After]; !known {
		m.tokens[d.After] = false
	}
}

// enoughPassed is how many executions that passed must agree on a value, before that others have another tells
// something: a value that is drawn is another in each.
const enoughPassed = 2

// separates reports whether all executions that passed agree on what stood there, and none that failed does.
func (m *movement) separates(failed map[int]bool) bool {
	passed, other, value := 0, 0, ""
	for run, seen := range m.seen {
		if bad, known := failed[run]; known && !bad {
			if passed++; passed > 1 && seen != value {
				return false
			}
			value = seen
		}
	}
	for run, seen := range m.seen {
		if failed[run] {
			if other++; seen == value {
				return false
			}
		}
	}
	return passed >= enoughPassed && other > 0
}

// rootRank orders places by what tests look at: the status decides on all, headers are seldom asserted.
func rootRank(p exchange.Place) int {
	switch {
	case p == exchange.PlaceStatus:
		return 0
	case p.Root() == "body":
		return 1
	}
	return 2
}

// moving adds the places that differ in the exchanges of a test to the causes that are known, or lists them where
// nothing ties them to a failure. A test whose assertions were all read has no others.
func (in *Input) moving(t *Test, f *report.Flake, steps []exchange.Step, line failedLine,
) ([]report.FlakeCause, []report.FlakePlace) {
	causes, others := f.Causes, []report.FlakePlace{}
	said := map[uint64]map[exchange.Place]bool{}
	for _, c := range causes {
		if c.Exchange != nil {
			if said[c.Exchange.Seq] == nil {
				said[c.Exchange.Seq] = map[exchange.Place]bool{}
			}
			said[c.Exchange.Seq][c.Place] = true
			if c.Judged != nil {
				said[c.Exchange.Seq][c.Judged.Place] = true
			}
		}
	}
	sure, failed := len(causes) > 0, in.outcomes(t)
	var weak []report.FlakeCause
	for i, s := range steps {
		stopped := f.Exchanges[i].StoppedIn
		for _, m := range in.movements(s) {
			if said[s.Exchange.Seq][m.field.Place] || said[s.Exchange.Seq][m.place] {
				continue
			}
			known := m.known(t, failed, line, stopped)
			switch {
			case known == report.KnownByMessage || known != report.KnownByPlace && !sure:
				causes = append(causes, in.cause(f, m, known, line))
			case known != report.KnownByPlace || sure || len(weak) >= maxWeak:
				others = append(others, m.other(in))
			default:
				weak = append(weak, in.cause(f, m, report.KnownByPlace, failedLine{}))
			}
		}
	}
	if len(causes) == 0 {
		return append(causes, weak...), others
	}
	before := make([]report.FlakePlace, 0, len(weak)+len(others))
	for _, c := range weak {
		before = append(before, report.FlakePlace{Seq: c.Exchange.Seq, Place: c.Place, Category: c.Category,
			Differed: c.Differed, Of: c.Of})
	}
	return causes, append(before, others...)
}

// maxWeak is how many places are explained that nothing ties to a failure.
const maxWeak = 3

// known says how a movement is known to be a cause.
func (m *movement) known(t *Test, failed map[int]bool, line failedLine, stopped []int) string {
	if slices.ContainsFunc(t.failures(), func(r ran) bool { return m.shownBy(r.Trace) }) {
		return report.KnownByMessage
	}
	if m.separates(failed) {
		return report.KnownByOutcome
	}
	if line.naming(m.place) != "" {
		return report.KnownByLine
	}
	if slices.ContainsFunc(stopped, func(run int) bool { return m.runs[run] }) {
		return report.KnownByStop
	}
	return report.KnownByPlace
}

// other lists the movement without an explanation.
func (m *movement) other(in *Input) report.FlakePlace {
	return report.FlakePlace{Seq: m.step.Exchange.Seq, Place: in.Judged.Redactor.ShowPlace(m.place),
		Category: m.field.Category, Differed: len(m.runs), Of: m.of}
}

// cause explains the movement.
func (in *Input) cause(f *report.Flake, m *movement, known string, line failedLine) report.FlakeCause {
	e := in.exchange(m.step.Exchange)
	o := m.other(in)
	c := report.FlakeCause{Known: known, Exchange: &e, Place: o.Place, Category: o.Category, Differed: o.Differed,
		Of: o.Of, Judged: inspect.Explain(in.Judged, m.op, m.field, m.place, e.Seq)}
	c.Values = in.values(c.Judged, m.runs)
	c.Since = in.execution(slices.Min(slices.Collect(maps.Keys(m.runs))))
	if known == report.KnownByMessage || known == report.KnownByLine {
		c.Where, c.Statement = f.Where, in.text(cmp.Or(line.naming(m.place), line.line))
	}
	return c
}
