package volatility

import (
	"fmt"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/notation"
	"github.com/flaketap/flaketap/volatility/verdict"
)

// judgeField makes the judgement about one place, by what was counted of it alone.
func (j *judge) judgeField(o *operation, t *fieldStats) *draft {
	t.endStep()
	seen := t.frequency(len(j.runs.observed))
	f := &mapfile.Field{
		Place: t.place, Changed: seen.changed, Of: seen.of, Bound: seen.bound, Protocol: mapfile.MovesByProtocol(t.place),
		Warnings: []string{}, Fingerprints: []string{},
	}
	d := &draft{field: f, stats: t}
	j.noteFollowed(o, t)
	why, c := j.explainedBy(o, t)
	d.why = why
	switch {
	case t.kinds.moves() > 0:
		d.moved(c)
	case j.wouldMove(d):
		f.Judgement = mapfile.WouldMove
		if _, shown := t.effectOf(exchange.PerturbClock, o, j.runs.conditions()); f.Category == mapfile.Time {
			d.evidence = append(shown, d.evidence...)
		}
	case len(t.changedUnder) > 0 && j.movedUnderPerturbation(o, d):
	default:
		f.Judgement = mapfile.Stable
		if name := looks(t); name != "" && !f.Protocol {
			f.Judgement, d.evidence = mapfile.Hint, append(d.evidence, mapfile.SignLooks.Of(name))
		}
	}
	if t.kinds.notation > 0 {
		d.evidence = append(d.evidence, mapfile.SignNotation.Alone())
	}
	d.warn(o, seen.uneven)
	d.remember()
	j.hold(d)
	return d
}

// warn adds the doubts about a judgement. uneven says what the chance of a change differs between.
func (d *draft) warn(o *operation, uneven string) {
	f, t := d.field, d.stats
	switch t.of {
	case 1:
		f.Warnings = append(f.Warnings, "1 observation only")
	case 2:
		f.Warnings = append(f.Warnings, "2 observations only")
	}
	if (f.Judgement == mapfile.Hint || f.Judgement == mapfile.WouldMove) && t.of > 0 && t.clock.sooner(o.apart) {
		unit := unitOf(t.clock.unit)
		f.Warnings = append(f.Warnings,
			fmt.Sprintf("no run was a %s apart from the recording: what changes with the %s was not seen to", unit, unit))
	}
	if f.Judgement == mapfile.Hint && t.clock.all() && t.clock.chance > byCoincidence {
		f.Warnings = append(f.Warnings, t.clock.doubt())
	}
	if uneven != "" && f.Judgement == mapfile.Jitter {
		f.Warnings = append(f.Warnings, "moves "+uneven)
	}
}

// remember lists the requests whose answers moved: all of a drift, unless they are too many, and some of anything else.
func (d *draft) remember() {
	f := d.field
	for _, fp := range d.stats.fingerprints() {
		f.Fingerprints = append(f.Fingerprints, fp.String())
	}
	switch n := len(f.Fingerprints); {
	case f.Judgement == mapfile.Drift && n > mapfile.MaxFingerprints:
		f.Fingerprints = []string{}
		f.Warnings = append(f.Warnings, "drifted for too many requests to list")
	case f.Judgement != mapfile.Drift && n > mapfile.MaxExamples:
		f.Fingerprints = f.Fingerprints[:mapfile.MaxExamples]
	}
}

// moved judges a place that moved, in runs of the given conditions.
func (d *draft) moved(c conditions) {
	f, t := d.field, d.why
	f.Category = mapfile.Unk
	d.evidence = append(d.evidence, mapfile.SignMoved.Of(fmt.Sprintf("%d/%d", f.Changed, f.Of)))
	d.explanations, d.strength = explain(t, c)
	var strongest []mapfile.Evidence
	for i, e := range d.explanations {
		if i == 0 {
			f.Category, strongest = e.Category, e.Evidence
		}
		d.evidence = append(d.evidence, e.Evidence...)
	}
	d.evidence = append(d.evidence, t.links.client.evidence(t.kinds.moves())...)
	p := t.runs
	switch {
	case onlyPerturbed(strongest) && f.Category == mapfile.Env:
		f.Judgement = mapfile.Drift
	case f.Category == mapfile.Unord, f.Category == mapfile.Time, f.Category == mapfile.Crypt &&
		neverTheSame(strongest[0]):
		// These differ from answer to answer by their nature: runs that agree did so by chance, or within one second.
		f.Judgement = mapfile.Jitter
	case p.jitter > 0, d.stats.runs.inRow > 0:
		f.Judgement = mapfile.Jitter
	case p.drift+p.continued > 0, f.Category == mapfile.State, f.Category == mapfile.Env:
		f.Judgement = mapfile.Drift
	default:
		f.Judgement = mapfile.Jitter
	}
	if f.Judgement == mapfile.Drift && p.drift > 0 && c.runs < 4 {
		f.Warnings = append(f.Warnings, fmt.Sprintf("only %d runs agree: it may be chance", c.runs))
	}
}

// neverTheSame reports whether evidence speaks of what is never the same twice: signatures and salted digests.
func neverTheSame(e mapfile.Evidence) bool {
	return e == mapfile.SignShape.Of(shapeJWT) || e == mapfile.SignShape.Of(shapeBcrypt)
}

// wouldMove judges a place that never moved by what explains its value. Where several things do, the first counts.
func (j *judge) wouldMove(d *draft) bool {
	d.stats.values.learn()
	for _, explain := range []func(*fieldStats) explanation{j.ofTheClock, ofElapsedTime, ofANonce, ofTheAddress,
		ofTheMachine} {
		if e := explain(d.stats); len(e.Evidence) > 0 {
			d.explanations = append(d.explanations, e)
			d.evidence = append(d.evidence, e.Evidence...)
		}
	}
	if len(d.explanations) == 0 {
		return false
	}
	d.field.Category = d.explanations[0].Category
	d.explanations = verdict.Normalized(d.explanations)
	return true
}

// ofTheClock: every value is what a clock showed, or will in a round time, while its answer was made.
func (j *judge) ofTheClock(t *fieldStats) explanation {
	e, c := explanation{Category: mapfile.Time, Weight: strong}, t.clock
	// Without runs it is enough that some elements of a list are of the clock's making.
	some := len(j.runs.observed) == 0 && 5*c.near >= c.read && c.unit <= time.Second
	if !c.all() && (c.near == 0 || c.unread > 0 || !some && c.repeatsCreated == 0) || c.daily > 0 && c.read < 3 ||
		c.chance > byCoincidence || t.turned.Refute(c.unit) {
		return e
	}
	e.Evidence = append(e.Evidence, mapfile.NearClock(unitOf(c.unit)))
	if c.repeatsCreated > 0 {
		e.Evidence = append(e.Evidence, mapfile.SignAsMade.Alone())
	}
	if c.session == c.near {
		e.Evidence = append(e.Evidence, mapfile.SignMadeInSession.Alone())
	}
	return e
}

// ofANonce: the same request, sent again within the recording, had another random value each time.
func ofANonce(t *fieldStats) explanation {
	e := explanation{Category: mapfile.Rand, Weight: suggested}
	n := t.repetitions
	if n.random == 0 || n.random != n.differ || n.differ != n.pairs {
		return e
	}
	e.Evidence = append(e.Evidence, mapfile.SignNonce.Of(fmt.Sprintf("%d/%d", n.random, n.pairs)))
	for _, r := range []rule{{mapfile.Crypt, signedOrSalted, strong}, {mapfile.RunMsg, madeAtRunTime, strong},
		{mapfile.Crypt, digest, weak}} {
		if more := r.evidence(t, conditions{}); len(more) > 0 {
			e.Category, e.Evidence = r.category, append(e.Evidence, more...)
			break
		}
	}
	return e
}

// ofTheAddress: every value holds the host and port that was asked for, or some hold those that were dialed.
func ofTheAddress(t *fieldStats) explanation {
	e, n := explanation{Category: mapfile.Env, Weight: strong}, t.network
	switch {
	case n.host > 0 && n.noHost == 0 && t.values.only(notation.String):
		e.Evidence = says(mapfile.SignHoldsHost)
	case n.dialed > 0, n.port > 0 && n.noPort == 0:
		e.Evidence = says(mapfile.SignAddressDialed)
	}
	return e
}

// ofTheMachine: a value holds a name of the machine.
func ofTheMachine(t *fieldStats) explanation {
	e := explanation{Category: mapfile.Env, Weight: suggested}
	if t.network.environment != "" {
		e.Evidence = says(mapfile.SignEnvironment)
	}
	return e
}

// unitOf names the unit of a clock that shows no less than that.
func unitOf(least time.Duration) mapfile.ClockUnit {
	switch {
	case least >= notation.Year:
		return mapfile.UnitYear
	case least >= notation.Month:
		return mapfile.UnitMonth
	case least >= notation.Week:
		return mapfile.UnitWeek
	case least >= notation.Day:
		return mapfile.UnitDay
	case least >= time.Hour:
		return mapfile.UnitHour
	case least >= time.Minute:
		return mapfile.UnitMinute
	case least >= time.Second:
		return mapfile.UnitSecond
	}
	return mapfile.UnitFraction
}

// looks names what the values look like, "" where they look like nothing that moves elsewhere.
func looks(t *fieldStats) string {
	v := &t.values
	if v.only(notation.String) {
		if name := notation.HintOf(v.shapes); name != "" && !(name.IsTime() && t.turned.Refute(t.clock.unit)) {
			return string(name)
		}
	}
	if named := namedEnvironment(t, conditions{}); len(named) > 0 && t.values.filled > 0 {
		return named[0].Detail
	}
	if t.clock.counts > 0 && t.clock.unread == 0 && t.clock.counts == t.clock.read && t.clock.unit < notation.Day &&
		!t.turned.Refute(t.clock.unit) {
		return string(notation.HintEpoch)
	}
	if t.clock.all() && t.clock.chance > byCoincidence && !t.turned.Refute(t.clock.unit) {
		return string(notation.HintCalendar)
	}
	return ""
}
