package flaky

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
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
	place  exchange.Place   // the first that the field speaks of
	runs   map[int]bool     // in which it differs
	tokens map[string]bool  // raw, that stood there, the recorded ones true
	seen   map[int]string   // by run that can be compared, how it differs from the recording; "" where it does not
	in     map[int][]string // by run in which it differs, the raw tokens that stood there then
	of     int              // runs that can be compared, the recording among them
	// what is shown as a token of these is no evidence: nobody could see it
	redactor exchange.Redactor
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
				m.redactor = in.Judged.Redactor
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
		seen: map[int]string{0: ""}, in: map[int][]string{}}
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
	before, after := d.Before, d.After
	if d.Kind == compare.Resized { // messages tell of lengths
		before, after = strconv.Itoa(d.Sizes[0]), strconv.Itoa(d.Sizes[1])
	}
	m.tokens[before] = true
	m.in[run] = append(m.in[run], after)
	if _, known := m.tokens[after]; !known {
		m.tokens[after] = false
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

// candidate is a movement with what ties it to a failure.
type candidate struct {
	*movement
	known string // as of [report.FlakeCause]
	named bool   // by the line that failed
	// the line that failed, or that has a name of the place; "" where none is known
	where, statement string
}

// candidateOf finds what ties a movement to a failure.
func candidateOf(m *movement, known, where string, line failedLine, body []sourceLine) candidate {
	c := candidate{movement: m, known: known, named: line.naming(m.place) != ""}
	switch {
	case known == report.KnownByValue || known == report.KnownByMessage || known == report.KnownByLine:
		c.where, c.statement = where, cmp.Or(line.naming(m.place), line.line)
	case where == "" && (known == report.KnownByPlace || known == report.KnownByStop || known == report.KnownByOutcome):
		if l, ok := naming(body, m.place); ok {
			c.where, c.statement, c.named = at(l.file, l.line), l.text, true
			if known == report.KnownByPlace {
				c.known = report.KnownBySource
			}
		}
	}
	return c
}

// moving adds the places that differ in the exchanges of a test to the causes that are known, or lists them where
// nothing ties them to a failure.
func (in *Input) moving(t *Test, f *report.Flake, steps []exchange.Step, line failedLine,
) ([]report.FlakeCause, []report.FlakePlace) {
	var all []candidate
	said, failed, body := places(f.Causes), in.outcomes(t), in.body(t)
	for i, s := range steps {
		for _, m := range in.movements(s) {
			at := placeOf{s.Exchange.Seq, m.place}
			if !said[at] && !said[placeOf{at.seq, m.field.Place}] {
				known := m.known(t, failed, line, f.Exchanges[i].StoppedIn)
				all = append(all, candidateOf(m, known, f.Where, line, body))
			}
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(a.rank(), b.rank()) })
	blamed := blamed(all, len(f.Causes) > 0)
	causes, others := f.Causes, []report.FlakePlace{}
	for _, c := range all[:blamed] {
		causes = append(causes, in.cause(c))
	}
	for _, c := range all[blamed:] {
		others = append(others, c.other(in))
	}
	return causes, others
}

// placeOf is a place of an exchange's answer.
type placeOf struct {
	seq   uint64
	place exchange.Place
}

// places lists the places that causes speak of.
func places(causes []report.FlakeCause) map[placeOf]bool {
	out := map[placeOf]bool{}
	for _, c := range causes {
		if c.Exchange != nil {
			out[placeOf{c.Exchange.Seq, c.Place}] = true
			if c.Judged != nil {
				out[placeOf{c.Exchange.Seq, c.Judged.Place}] = true
			}
		}
	}
	return out
}

// rank orders candidates by how sure they are: two signs are surer than one.
func (c candidate) rank() int {
	rank := 2 * sureness(c.known)
	if !c.named {
		rank++
	}
	return rank
}

// maxWeak is how many places are explained that nothing ties to a failure.
const maxWeak = 3

// blamed is how many candidates, of those in order, are causes. Beside assertions that were read these are what the
// failure shows alone; else those that two signs speak for, or one, or a few that none does.
func blamed(all []candidate, read bool) int {
	upTo := func(is func(candidate) bool) int {
		return len(slices.DeleteFunc(slices.Clone(all), func(c candidate) bool { return !is(c) }))
	}
	if read {
		return upTo(func(c candidate) bool { return c.known == report.KnownByMessage })
	}
	if len(all) > 0 && all[0].known == report.KnownByValue {
		return upTo(func(c candidate) bool { return c.rank() == all[0].rank() })
	}
	twice := func(c candidate) bool {
		return c.named && (c.known == report.KnownByMessage || c.known == report.KnownByOutcome)
	}
	if len(all) > 0 && twice(all[0]) {
		return upTo(func(c candidate) bool { return c.rank() == all[0].rank() })
	}
	if n := upTo(func(c candidate) bool { return c.known != report.KnownByPlace }); n > 0 {
		return n
	}
	return min(len(all), maxWeak)
}

// known says how a movement is known to be a cause.
func (m *movement) known(t *Test, failed map[int]bool, line failedLine, stopped []int) string {
	if m.seenBy(t.failures()) {
		return report.KnownByValue
	}
	if m.shownInEach(t.failures()) ||
		slices.ContainsFunc(t.failures(), func(r ran) bool { return m.shownBy(r.Trace) }) {
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

// cause explains a candidate.
func (in *Input) cause(c candidate) report.FlakeCause {
	e := in.exchange(c.step.Exchange)
	o := c.other(in)
	out := report.FlakeCause{Known: c.known, Where: c.where, Statement: in.text(c.statement), Exchange: &e, Place: o.Place,
		Category: o.Category, Differed: o.Differed, Of: o.Of,
		Judged: inspect.Explain(in.Judged, c.op, c.field, c.place, e.Seq)}
	out.Values = in.values(out.Judged, c.runs)
	out.Since = in.execution(slices.Min(slices.Collect(maps.Keys(c.runs))))
	return out
}
