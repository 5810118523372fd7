package build

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/suite/write/refute"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/notation"
)

// A time that is made for an answer lies at the same distance from it each time: at none where it says when the answer
// was made, an hour later where it says when a token ends. That distance says more than that the time is near the
// clock. It is asserted where each execution bears it out: there is a whole number of seconds, the same for all, by
// which the time lies after the moment at which its answer was made, which was between the request and the answer.
//
// What is stored looks for a while like what is made for each answer, so executions must have reached the request at
// times that lie further apart than the time and its answer leave open.
//
// The clock of a machine that plays a suite may be off, so tests count from the Date of the answer, and from when it
// came where it has none. That is so of times too of which no more is known than that they are near the clock: these
// are asserted to be within what the map says of the answer's Date, if every answer was.

// The least that speaks for a distance: answers with a time, and different times among them; of days fewer, as only an
// API whose clock can be moved shows others.
const (
	minNear     = 5
	minNearTold = 3
	minNearDays = 2
)

// How far a time may be from where it is expected, in seconds: one that is known to be made for its answer, in
// fractions of a second or in seconds; one that may have been made by an earlier request of the test; a day, which
// begins at another hour in each zone, today or after a number of days.
const (
	withinFine   = 2
	withinCoarse = 10
	withinStored = 60
	withinToday  = 14 * 60 * 60
	withinDay    = 24 * 60 * 60
)

// fine is the unit, at most, of a time that tells apart what happens in one second.
const fine = 100 * time.Millisecond

// spread is how many times longer than an answer takes the time since the beginning of an execution has to differ, for
// what follows the answer to be told from what was made at the beginning.
const spread = 2

// nearSkew is how far two clocks that are in step may be apart: Date is a whole second, which some servers keep for
// one.
const nearSkew = 2 * time.Second

// dateUnit is what Date leaves open: it is a whole second.
const dateUnit = 1

// told is an answer of one execution: when it was made, and how long after the execution began.
type told struct {
	span  notation.Span
	since time.Duration
	at    func(exchange.Place) []string // the raw tokens at a place
	date  time.Time                     // zero where it has none
	moved bool                          // the clock of the API was another than that of the span
}

// made is when a test takes the answer to be made; zero where that is not known.
func (t *told) made() time.Time {
	if !t.date.IsZero() || t.moved {
		return t.date
	}
	return t.span.To
}

// inStep reports whether Date agrees with the clock by which the execution was watched.
func (t *told) inStep() bool {
	return !t.date.Before(t.span.From.Add(-nearSkew)) && !t.date.After(t.span.To.Add(nearSkew))
}

// near replaces what checks say of times near the clock by how far these lie from their answers, so that tests have
// one clock.
func (a *asserting) near() {
	if a.mode != suite.Relax {
		return
	}
	for i := range a.out {
		c := &a.out[i]
		if c.Kind != plan.CheckHolds || !timely(c.Holds) && !a.mayBeDay(c) {
			continue
		}
		stored, status := a.storedBefore(c.Place), a.e.Response.Status
		near, n := distance(a.toldAlike(a.e.Seq, status), c.Place, stored)
		if near == nil {
			near, n = distance(a.told(a.e.Seq, status), c.Place, stored)
		}
		known := fmt.Sprintf("this close to its answer in %d of %d", n, n)
		switch {
		case near == nil:
			c.Near = a.nearDate(c.Place, c.Holds.Clock)
		case !timely(c.Holds):
			c.Near, c.Why = near, known
		default:
			if c.Near = near; c.Why != "" {
				c.Why += "; " + known
			}
		}
		c.Holds.Clock = 0
	}
}

// nearDate has a time near the clock lie within so many seconds of its answer; nil where some answer has it otherwise.
func (a *asserting) nearDate(place exchange.Place, seconds int) *plan.Near {
	if seconds == 0 {
		return nil
	}
	within := mapfile.Holds{Clock: seconds + dateUnit}
	for _, t := range a.answersTo(a.e.Seq, a.e.Response.Status) {
		made := t.made()
		wrong := func(raw string) bool { return within.Satisfied(raw, made) != nil }
		if !made.IsZero() && slices.ContainsFunc(t.at(place), wrong) {
			return nil
		}
	}
	return &plan.Near{Within: within.Clock}
}

// timely reports whether what holds of a value lets it be a time.
func timely(h mapfile.Holds) bool {
	return h.Clock > 0 || notation.Temporal(h.Format)
}

// mayBeDay reports whether a text that moves, of which it is not known that it is a time, may be a day all the same: a
// session that ends on the day on which it began sees it change by what was sent before, if at all.
func (a *asserting) mayBeDay(c *plan.Check) bool {
	f := a.volatile(c.Place)
	return f != nil && c.Holds.Type == "string" && (f.Category == mapfile.Time || f.Category == mapfile.State)
}

// maxAlike bounds the exchanges of an operation whose answers are looked at together.
const maxAlike = 20

// toldAlike lists what told does, of the exchanges of an operation: they were sent at different times of each
// execution.
func (b *builder) toldAlike(seq uint64, status int) []told {
	var out []told
	n := 0
	for _, s := range b.src.Steps {
		if s.Exchange.Seq != seq && (s.Exchange.Response == nil || s.Exchange.Response.Status != status ||
			b.src.Operations[s.Exchange.Seq] != b.src.Operations[seq] || n == maxAlike) {
			continue
		}
		n++
		out = append(out, b.told(s.Exchange.Seq, status)...)
	}
	return out
}

// told lists the answers to an exchange with a status whose Date is in step with the clock that the execution was
// watched by; none where one is not. Runs at another time than their clock's show nothing.
func (b *builder) told(seq uint64, status int) (out []told) {
	for _, t := range b.answersTo(seq, status) {
		switch {
		case t.moved:
		case !t.inStep():
			return nil
		default:
			out = append(out, t)
		}
	}
	return out
}

// answersTo lists the answers to an exchange with a status, of which it is known when they were made.
func (b *builder) answersTo(seq uint64, status int) []told {
	if out, ok := b.said.told[seq]; ok {
		return out
	}
	var out []told
	add := func(in string, span notation.Span, r *exchange.Response) {
		if r == nil || r.Status != status || !span.Known() {
			return
		}
		date, _ := notation.TextMoment(r.Header.Get("Date"))
		begin, ok := b.begins(in)
		if !ok {
			begin = span.From
		}
		out = append(out, told{span: span, since: span.From.Sub(begin), at: refute.Values(r), date: date.At})
	}
	step := b.steps[seq]
	e := step.Exchange
	add(inRecording, notation.Span{From: e.Start, To: e.Start.Add(e.Latency)}, e.Response)
	for _, o := range step.Observations {
		n := len(out)
		add(inRun(o.Run), notation.Span{From: o.Start, To: o.Start.Add(o.Latency)}, o.Response)
		for i := range out[n:] {
			out[n+i].moved = b.turned(o.Run)
		}
	}
	for _, r := range b.answers.Tested(seq) {
		add(inTrial(r.Trial), notation.Span{From: r.Sent, To: r.At}, r.Response)
	}
	b.said.told[seq] = out
	return out
}

// turned reports whether the clock of a run was moved.
func (b *builder) turned(run int) bool {
	for i := range b.src.Map.Runs {
		if b.src.Map.Runs[i].Number == run {
			return b.src.Map.Runs[i].Conditions.ClockStep() != ""
		}
	}
	return false
}

// storedBefore reports whether an earlier answer of the same test said in some execution what this one says.
func (a *asserting) storedBefore(place exchange.Place) bool {
	if a.context == nil {
		return false
	}
	now := a.executed(a.e.Seq)
	for _, seq := range a.context.order {
		before := map[string]map[string]bool{}
		for _, x := range a.executed(seq) {
			before[x.In] = map[string]bool{}
			for _, text := range x.Texts {
				before[x.In][text] = true
			}
		}
		for _, x := range now {
			if text, ok := x.Texts[place]; ok && before[x.In][text] {
				return true
			}
		}
	}
	return false
}

// distance finds how far the times at a place lie from their answers, and in how many values that was so; nil where
// they do not lie alike. stored says that an earlier answer said the same time. A time without a zone is not looked at,
// and midnight neither: it stands for a day, and is a second of it.
func distance(all []told, place exchange.Place, stored bool) (*plan.Near, int) {
	low, high := time.Duration(math.MinInt64), time.Duration(math.MaxInt64)
	var unit, wait, first, last time.Duration
	seen, n := map[time.Time]bool{}, 0
	for _, t := range all {
		for _, raw := range t.at(place) {
			if raw == "null" {
				continue
			}
			m, ok := momentOf(raw, t.span)
			if !ok || m.InText || m.TimeOfDay || m.Unusual || m.Weak || m.Cycle > 0 || m.Unit > notation.Day ||
				!m.Zoned && m.Unit < notation.Day || m.Unit == notation.Day && strings.Contains(raw, ":") {
				return nil, 0
			}
			if n == 0 {
				first, last = t.since, t.since
			}
			n++
			seen[m.At] = true
			unit, wait = max(unit, m.Unit), max(wait, t.span.To.Sub(t.span.From))
			first, last = min(first, t.since), max(last, t.since)
			low, high = max(low, m.At.Sub(t.span.To)), min(high, m.At.Add(m.Unit).Sub(t.span.From))
		}
	}
	days := unit == notation.Day
	if n < minNear || len(seen) < minNearTold && !(days && len(seen) >= minNearDays) {
		return nil, 0
	}
	after, ok := roundest(low, high, unit)
	if days && !ok && low <= high { // another zone's days: answers of both ends of the day say so
		after, ok = nearestDay(low, high), true
	}
	if !ok {
		return nil, 0
	}
	near := &plan.Near{After: int(after / time.Second)}
	switch {
	case days && after == 0:
		near.Within = min(withinToday, zoneLeft(low, high, after))
	case days:
		near.Within = min(withinDay, zoneLeft(low, high, after))
	case last-first < spread*(wait+unit):
		return nil, 0
	case stored || unit > time.Second:
		near.Within = withinStored
	case unit > fine:
		near.Within = withinCoarse
	default:
		near.Within = withinFine
	}
	return near, n
}

// momentOf reads a raw token as suites do; 22.11.2026 is a day of November, whatever is nearer.
func momentOf(raw string, at notation.Span) (notation.Moment, bool) {
	scalar := notation.ScalarOf(raw)
	if day, err := time.Parse("2.1.2006", scalar.Text); err == nil && day.Year()/100 == thisCentury {
		return notation.Moment{At: day, Unit: notation.Day}, true
	}
	return notation.MomentAt(scalar, at)
}

// thisCentury are the first digits of years that days with dots are read of: 1.2.1000 is rather a version.
const thisCentury = 20

// zoneLeft is how far, in seconds, a day may be from where it is expected, by what the hours of its executions leave
// open of the zone that it is counted in: it is one of low to high from its answer. In summer that may be an hour more
// or less.
func zoneLeft(low, high, after time.Duration) int {
	return int((max(high-after, after-low) + time.Hour) / time.Second)
}

// nearestDay is the number of days that is nearest to all distances between two.
func nearestDay(low, high time.Duration) time.Duration {
	return (low + (high-low)/2).Round(notation.Day)
}

// rounds are what a distance is a multiple of, the roundest first.
var rounds = [...]time.Duration{notation.Day, time.Hour, time.Minute, 5 * time.Second, time.Second}

// roundest returns the roundest distance between two; of times that are written in a unit no finer one is. ok is false
// where there is none.
func roundest(low, high, unit time.Duration) (d time.Duration, ok bool) {
	if unit > time.Minute {
		unit = notation.Day
	}
	for _, step := range rounds {
		if step < unit && unit > time.Second {
			break
		}
		k := low / step * step
		if k < low {
			k += step
		}
		if k <= high {
			return k, true
		}
	}
	return 0, false
}
