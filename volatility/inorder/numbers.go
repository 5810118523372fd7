package inorder

import (
	"time"

	"github.com/flaketap/flaketap/volatility/notation"
)

// units are those in which a number may count the time that passes.
var units = [...]time.Duration{time.Nanosecond, time.Microsecond, time.Millisecond, time.Second, time.Minute}

// Numbers counts how the numbers of one place go on within the recording and within each run.
type Numbers struct {
	recorded numberSeen         // the last one of the recording
	last     map[int]numberSeen // and of each run; of those that are not there it was the recorded one

	// Pairs of answers that came one after the other in a run that had another number than the recording in one of
	// them at least, where the numbers changed from the one to the other in the recording or in the run.
	pairs     int
	kept      int // the run was ahead of the recording by as much in both
	downByOne int // the run had another number in both, the second by one smaller
	upByOne   int

	// Answers held against an earlier one of the same run: by how much a number shrank, or grew, while time passed.
	sinks, grows [len(units)]int
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

// Run takes in the number that a run had in a step, where the recording has the given one: for each step before
// [Numbers.Recorded].
func (o *Numbers) Run(run int, recorded, value float64, at notation.Span) {
	before, known := o.last[run]
	if !known {
		before = numberSeen{value: o.recorded.value, seen: o.recorded.seen}
	}
	now := numberSeen{value: value, seen: true, at: at, ahead: value - recorded, against: before.against}
	changed := value != before.value || recorded != o.recorded.value
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
	o.last[run] = o.hold(now)
}

// Recorded takes in the recorded number of a step.
func (o *Numbers) Recorded(value float64, at notation.Span) {
	o.recorded = o.hold(numberSeen{value: value, seen: true, at: at, against: o.recorded.against})
}

// hold holds a number against an earlier one of the same run, once enough time has passed between them to tell
// the clock from chance.
func (o *Numbers) hold(now numberSeen) numberSeen {
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
	for i, unit := range units {
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

// Counts reports whether a run counts the numbers on: they keep their distance from the recorded ones while those
// change, or go on by one in one direction, two of three times. Of numbers drawn from as few as three, one in three
// pairs that differ does the latter; of two, up and down take turns.
func (o *Numbers) Counts() bool {
	return o.pairs >= minPairs && 3*o.kept >= 2*o.pairs ||
		o.pairs >= minByOne && 3*(o.kept+max(o.downByOne, o.upByOne)) >= 2*o.pairs
}

// CountsDown reports whether, within a run, the numbers shrink by as much as time passes, for as long as what is waited
// for is the same.
func (o *Numbers) CountsDown() bool { return o.followed(o.sinks) }

// CountsUp reports whether they grow so, for as long as what began is the same.
func (o *Numbers) CountsUp() bool { return o.followed(o.grows) }

func (o *Numbers) followed(by [len(units)]int) bool {
	for _, n := range by {
		if n >= minFollowed && n >= 2*o.strayed {
			return true
		}
	}
	return false
}

// Absorb adds what was seen of another place.
func (o *Numbers) Absorb(u Numbers) {
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

// RefutesCounting reports whether enough numbers followed each other for a counter to have shown itself, and none did.
func (o *Numbers) RefutesCounting() bool {
	return o.pairs >= minPairs && 2*(o.kept+max(o.downByOne, o.upByOne)) < o.pairs
}
