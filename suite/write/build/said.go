package build

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/words"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/earlier"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/suite/write/play"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/notation"
)

// An answer often says again what an earlier one of the same test said: when the thing was made, its number, its
// version tag. Such a value is another in each execution, so no literal stands for it; that the two are one does. It is
// asserted where both have the same name, every execution bears it out, and it moved so that chance does not: in a
// constant it shows nothing, and two draws of few values may well agree.

// said is what answers said, and the names of what tests keep of it.
type said struct {
	answers map[uint64][]earlier.Answer // by exchange
	// the exchanges that were answered with other statuses too: what is kept of these may be another's
	unsteady map[uint64]bool
	bound    map[string]bool // the names of the values that requests use, which are the same in each plan of a recording
	names    map[exchange.Ref]string
	refs     []exchange.Ref // of names, in the order in which they were given
	namer    words.Namer
	began    map[string]time.Time // by execution
	told     map[uint64][]told    // by exchange
}

func newSaid(bindings []exchange.Binding) *said {
	s := &said{answers: map[uint64][]earlier.Answer{}, unsteady: map[uint64]bool{}, names: map[exchange.Ref]string{},
		namer: words.Namer{}, told: map[uint64][]told{}, bound: map[string]bool{}}
	for i := range bindings {
		s.namer.Unique(bindings[i].Name, "")
		s.bound[bindings[i].Name] = true
	}
	return s
}

// inRecording, inRun and inTrial name executions.
const inRecording = "recording"

func inRun(n int) string   { return fmt.Sprint("run ", n) }
func inTrial(n int) string { return fmt.Sprint("trial ", n) }

// begins returns when an execution began; false where it has no answer.
func (b *builder) begins(in string) (time.Time, bool) {
	if b.said.began == nil {
		b.said.began = map[string]time.Time{}
		note := func(in string, at time.Time) {
			if first, ok := b.said.began[in]; !ok || at.Before(first) {
				b.said.began[in] = at
			}
		}
		for _, s := range b.src.Steps {
			note(inRecording, s.Exchange.Start)
			for _, o := range s.Observations {
				note(inRun(o.Run), o.Start)
			}
		}
		b.answers.All(func(r play.Answer) { note(inTrial(r.Trial), r.Sent) })
	}
	at, ok := b.said.began[in]
	return at, ok
}

// executed reads the answers of an exchange with the recorded status: in the recording, in runs and in trials.
func (b *builder) executed(seq uint64) []earlier.Answer {
	if all, ok := b.said.answers[seq]; ok {
		return all
	}
	step := b.steps[seq]
	status := step.Exchange.Response.Status
	var all []earlier.Answer
	steady := true
	add := func(in string, at time.Time, r *exchange.Response) {
		if r == nil || r.Status != status {
			steady = steady && r == nil
			return
		}
		texts := map[exchange.Place]string{}
		compare.Walk(r, func(place exchange.Place, raw string) {
			if isValue(place, raw) {
				texts[place] = plan.TextOf(raw)
			}
		})
		all = append(all, earlier.Answer{In: in, At: at, Texts: texts})
	}
	add(inRecording, step.Exchange.Start, step.Exchange.Response)
	for _, o := range step.Observations {
		add(inRun(o.Run), o.Start, o.Response)
	}
	for _, r := range slices.Concat(b.answers.Tested(seq), b.answers.SetUps(seq)) {
		add(inTrial(r.Trial), r.At, r.Response)
	}
	b.said.answers[seq], b.said.unsteady[seq] = all, !steady
	return all
}

// isValue reports whether a place has a name of its own, and a number or a text that is not empty.
func isValue(place exchange.Place, raw string) bool {
	root := place.Root()
	if root != "body" && root != "header" || raw == `""` || strings.IndexByte(`[{tfn`, raw[0]) >= 0 {
		return false
	}
	segments := place.Segments()
	isIndex := func(s string) bool { return strings.Trim(s, "0123456789") == "" }
	return len(segments) > 1 && !slices.ContainsFunc(segments, isIndex)
}

// saidBefore has the values of an answer that an earlier one of the same test gave say the same as that.
func (b *builder) saidBefore(a *asserting, l *dependence) {
	if b.mode != suite.Relax || len(a.context.order) == 0 {
		return
	}
	now := b.executed(a.e.Seq)
	a.eachValue(func(place exchange.Place, raw string) bool {
		if !isValue(place, raw) || l.texts[place] != nil || !a.writable(place) || b.src.Redactor.Secret(place) ||
			b.holdsSecret(plan.TextOf(raw)) || a.bound(plan.TextOf(raw)) {
			return true
		}
		unit, ok := a.lasts(place, raw)
		if !ok {
			return true
		}
		for _, seq := range a.context.order { // the first answer has it from where it comes
			if at, ok := earlier.Same(now, place, b.executed(seq), unit); ok && !b.said.unsteady[seq] {
				l.texts[place] = plan.Text{{Bound: b.keep(a.context, exchange.Ref{Seq: seq, Place: at})}}
				l.put(place, shapeOf(plan.KindOf(raw), plan.TextOf(raw)))
				break
			}
		}
		return true
	})
}

// bound reports whether a value is one that a request of the session uses, which an earlier answer of the test gave.
func (a *asserting) bound(text string) bool {
	return slices.ContainsFunc(a.byValue[text], func(v *exchange.Binding) bool {
		return v.Producer.Seq != a.e.Seq && a.context.gives(v)
	})
}

// lasts is how long a value that follows the clock stays as it is, 0 for one that does not follow it; ok is false where
// that cannot be told. Two answers of a test that is played quickly may well say the same, and one day do not.
func (a *asserting) lasts(place exchange.Place, raw string) (unit time.Duration, ok bool) {
	if m, isMoment := notation.MomentOf(notation.ScalarOf(raw)); isMoment {
		return m.Unit, true
	}
	if a.op == nil {
		return 0, true
	}
	f := a.op.At(place)
	return 0, f == nil || f.Category != mapfile.Time
}

// keep has a value of an earlier answer of the test kept, and returns its name.
func (b *builder) keep(ctx *context, ref exchange.Ref) string {
	name, ok := b.said.names[ref]
	for _, v := range b.session.Gives(ref.Seq) {
		if v.Producer.Place == ref.Place && !strongList(v) {
			return v.Name
		}
	}
	if !ok {
		segments := ref.Place.Segments()
		name = b.said.namer.Variable(segments[len(segments)-1])
		b.said.names[ref] = name
		b.said.refs = append(b.said.refs, ref)
	}
	c := plan.Capture{Name: name, Place: ref.Place}
	if !slices.Contains(ctx.kept[ref.Seq], c) {
		ctx.kept[ref.Seq] = append(ctx.kept[ref.Seq], c)
	}
	return name
}

// saidValues lists what tests keep of answers beside what requests use.
func (b *builder) saidValues() []plan.Value {
	var out []plan.Value
	for _, ref := range b.said.refs {
		recorded := plan.Text{{Literal: b.executed(ref.Seq)[0].Texts[ref.Place]}}
		out = append(out, plan.Value{Name: b.said.names[ref], Recorded: recorded, From: b.from(ref)})
	}
	return out
}

// from says for a comment where a value stands.
func (b *builder) from(ref exchange.Ref) string {
	s := b.steps[ref.Seq]
	if s == nil {
		return ""
	}
	return b.operationName(s.Exchange) + " " + plan.OneLine(b.src.Redactor.Show("", string(ref.Place)))
}
