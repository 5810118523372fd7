package volatility

import (
	"regexp"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/notation"
)

// What a limiter of requests says, or a counter that something sets back now and then, is another in each run, and looks
// drawn to who holds one answer against another. It shows itself in the order in which a run sent its requests: from one
// to the next it goes on, by one, or by as much as it did in the recording; and what is waited for comes nearer by as
// much as time passes. Numbers that are drawn do neither.

// inOrder counts how the numbers of one place go on within the recording and within each run.
type inOrder struct {
	recorded numberSeen         // the last one of the recording
	last     map[int]numberSeen // and of each run; of those that are not there it was the recorded one

	// Pairs of answers that came one after the other in a run that had another number than the recording in one of
	// them at least, where the numbers changed from the one to the other in the recording or in the run.
	pairs     int
	kept      int // the run was ahead of the recording by as much in both
	downByOne int // the run had another number in both, the second by one smaller
	upByOne   int

	// Answers held against an earlier one of the same run: by how much a number shrank, or grew, while time passed.
	sinks, grows [len(durationUnits)]int
	strayed      int
}

// numberSeen is a number with the time of its answer.
type numberSeen struct {
	value   float64
	seen    bool
	at      notation.Span
	ahead   float64 // of the recorded one
	against anchor
}

// anchor is an earlier number of the same run, that later ones are held against.
type anchor struct {
	value float64
	at    notation.Span
}

// orderedNumber is a number of the recorded answer of a step that is followed through the runs.
type orderedNumber struct {
	stats *fieldStats
	value float64
}

// numberOf returns the whole number that a value is, or that a text is.
func numberOf(v notation.Scalar) (float64, bool) {
	switch {
	case v.Kind == notation.Integer:
		return notation.Float(v.Raw), true
	case v.Kind == notation.String && len(v.Text) <= 15 && notation.AllDigits(v.Text):
		return notation.Float(v.Text), true
	}
	return 0, false
}

// noteNumber keeps a recorded number, to be followed. Members of arrays have no order of their own.
func (w *stepAnalysis) noteNumber(t *fieldStats, v notation.Scalar) {
	if w.inRow || w.judge.repeats != nil || strings.Contains(string(t.place), "/"+exchange.Wildcard) {
		return
	}
	if n, ok := numberOf(v); ok {
		w.numbers = append(w.numbers, orderedNumber{t, n})
	}
}

// followOrder takes the numbers of the step to those that came before them.
func (w *stepAnalysis) followOrder() {
	for _, n := range w.numbers {
		o, before := &n.stats.order, n.stats.order.recorded
		if n.stats.kinds.value > 0 {
			c := w.byPlace[n.stats.place]
			for i, s := range w.same {
				value, ok := n.value, true
				if c != nil && c.after[i] != "" {
					value, ok = numberOf(notation.ScalarOf(c.after[i]))
				}
				if ok {
					o.add(s, n.value, value, before)
				}
			}
		}
		now := numberSeen{value: n.value, seen: true, at: w.rec.at, against: before.against}
		o.recorded = o.sinceBefore(now, before)
	}
}

// add takes in the number that a run had where the recording had another, or the same.
func (o *inOrder) add(s *answerView, recorded, value float64, recordedBefore numberSeen) {
	before, known := o.last[s.run]
	if !known {
		before = numberSeen{value: recordedBefore.value, seen: recordedBefore.seen}
	}
	now := numberSeen{value: value, seen: true, at: s.at, ahead: value - recorded, against: before.against}
	changed := value != before.value || recorded != recordedBefore.value
	if before.seen && changed && (now.ahead != 0 || before.ahead != 0) {
		o.pairs++
		switch {
		case now.ahead == before.ahead:
			o.kept++
		case now.ahead == 0 || before.ahead == 0: // the numbers may be those of the requests
		case value == before.value-1:
			o.downByOne++
		case value == before.value+1:
			o.upByOne++
		}
	}
	if o.last == nil {
		o.last = make(map[int]numberSeen)
	}
	o.last[s.run] = o.sinceBefore(now, before)
}

// sinceBefore holds a number against an earlier one of the same run, once enough time has passed between them to tell
// the clock from chance.
func (o *inOrder) sinceBefore(now, before numberSeen) numberSeen {
	switch {
	case !now.at.Known():
		return now
	case !now.against.at.Known():
		now.against = anchor{now.value, now.at}
		return now
	}
	from := now.against
	passed, grown := now.at.From.Sub(from.at.From), now.value-from.value
	// Somewhere within the time that its answer took each number was read.
	unsure := max(now.at.To.Sub(now.at.From), from.at.To.Sub(from.at.From)) + passed/50
	told, followed := passed >= 3*unsure, false
	for i, unit := range durationUnits {
		off := max(unsure, unit)
		sinks := (time.Duration(grown*float64(unit)) + passed).Abs() <= off
		rises := (time.Duration(grown*float64(unit)) - passed).Abs() <= off
		if passed < 3*off || unit > time.Millisecond && -20 < grown && grown < 20 {
			continue // a few steps of the last digit may be anything
		}
		if sinks {
			o.sinks[i]++
		}
		if rises {
			o.grows[i]++
		}
		followed = followed || sinks || rises
	}
	if told && !followed {
		o.strayed++
		now.against = anchor{now.value, now.at}
	}
	return now
}

// How often numbers have to go on as those of a counter do, or as a clock does, before it is no chance.
const (
	minPairs    = 8
	minByOne    = 20
	minFollowed = 6
)

// counts reports whether a run counts the numbers on: they keep their distance from the recorded ones while those
// change, or go on by one in one direction, two of three times. Of numbers drawn from as few as three, one in three
// pairs that differ does the latter; of two, up and down take turns.
func (o *inOrder) counts() bool {
	return o.pairs >= minPairs && 3*o.kept >= 2*o.pairs ||
		o.pairs >= minByOne && 3*(o.kept+max(o.downByOne, o.upByOne)) >= 2*o.pairs
}

// countsDown and countsUp report whether, within a run, the numbers shrink, or grow, by as much as time passes, for as
// long as what is waited for, or began, is the same.
func (o *inOrder) countsDown() bool { return o.followed(o.sinks) }

func (o *inOrder) countsUp() bool { return o.followed(o.grows) }

func (o *inOrder) followed(by [len(durationUnits)]int) bool {
	for _, n := range by {
		if n >= minFollowed && n >= 2*o.strayed {
			return true
		}
	}
	return false
}

func (o *inOrder) absorb(u inOrder) {
	o.pairs += u.pairs
	o.kept += u.kept
	o.downByOne += u.downByOne
	o.upByOne += u.upByOne
	for i := range o.sinks {
		o.sinks[i] += u.sinks[i]
		o.grows[i] += u.grows[i]
	}
	o.strayed += u.strayed
}

// clockWithinRun: the number is what is left until something that a run waits for, or has passed since something that
// happened in it.
func clockWithinRun(t *fieldStats, _ conditions) []mapfile.Evidence {
	switch {
	case t.order.counts(): // and requests came at an even pace
		return nil
	case t.order.countsDown():
		return saysOf(mapfile.SignFollowsClock, clockCountdown)
	case t.order.countsUp():
		return saysOf(mapfile.SignFollowsClock, clockAge)
	}
	return nil
}

// countsRequests: from each request of a run to the next the number went on as a counter does.
func countsRequests(t *fieldStats, _ conditions) []mapfile.Evidence {
	if t.clock.follows == 0 && t.order.counts() {
		return says(mapfile.SignCountsRequests)
	}
	return nil
}

// refutesCounting reports whether enough numbers followed each other for a counter to have shown itself, and none did.
func (o *inOrder) refutesCounting() bool {
	return o.pairs >= minPairs && 2*(o.kept+max(o.downByOne, o.upByOne)) < o.pairs
}

// reRemaining is what is called what is left of what may be asked for.
var reRemaining = regexp.MustCompile(`^(x?ratelimit|requests|calls|attempts|tries|quota|credits|allowance)?(remaining|left)$`)

// namedRemaining: a whole number that is called what is left of something, and that the order of the requests does not
// show to be drawn.
func namedRemaining(t *fieldStats, _ conditions) []mapfile.Evidence {
	v := &t.values
	if !reRemaining.MatchString(leaf(t.place)) || t.kinds.value == 0 || t.order.refutesCounting() ||
		!v.only(notation.Integer) && !v.all(notation.AllDigits) {
		return nil
	}
	return saysOf(mapfile.SignName, "remaining")
}
