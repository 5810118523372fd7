package volatility

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/notation"
)

// verdict makes the map of what was counted.
func (j *judge) verdict() *mapfile.Map {
	rec, runs := j.recording()
	m := &mapfile.Map{Recording: rec, Runs: runs, Warnings: j.warnings(), Operations: []*mapfile.Operation{}}
	for _, o := range j.operations {
		o.foldMaps()
		j.markSecretParts(o)
		op := &mapfile.Operation{Operation: o.key.Operation, Status: o.key.status, Exchanges: o.exchanges}
		for _, t := range o.places {
			if t.recorded > 0 || t.changed > 0 {
				op.Fields = append(op.Fields, j.field(o, t))
			}
		}
		slices.SortFunc(op.Fields, func(a, b *mapfile.Field) int { return cmp.Compare(a.Place, b.Place) })
		explainByLifecycle(op)
		explainBySibling(op)
		j.texts(op, o)
		withdrawOrders(op)
		stateRelations(op, o.miner.Relations(), j.options.Redactor.Known.Secret)
		op.Index()
		explainSize(op)
		j.concealPlaces(op.Fields)
		m.Operations = append(m.Operations, op)
	}
	slices.SortFunc(m.Operations, func(a, b *mapfile.Operation) int {
		return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.Template, b.Template), cmp.Compare(a.Method, b.Method), cmp.Compare(a.Status, b.Status))
	})
	m.Recount()
	return m
}

// conditions sums up the runs.
func (j *judge) conditions() conditions {
	c := conditions{runs: len(j.observed), perturbed: map[string]int{}}
	for number := range j.observed {
		if s := j.starts[number]; s == exchange.StartFresh || s == exchange.StartReset {
			c.reset = true
		}
		c.perturbed[j.perturbed[number]]++
	}
	for number, again := range j.repeated {
		if name := j.perturbed[number]; name != "" && (again || j.answered[number] > 0) {
			c.perturbed[name]++
		}
	}
	return c
}

// warnings are the doubts about the whole.
func (j *judge) warnings() []string {
	out := []string{}
	for _, p := range j.rec.Passes {
		if p.Dropped > 0 {
			out = append(out, fmt.Sprintf("pass %d lacks %d exchanges, which the recorder dropped when it was overloaded", p.Number, p.Dropped))
		}
	}
	c := j.conditions()
	switch {
	case c.runs == 0:
		return append(out, "no runs: only what the values themselves show is known")
	case c.runs == 1:
		out = append(out, "1 run only: jitter and drift cannot be told apart")
	case c.runs == 2:
		out = append(out, "2 runs only")
	}
	if apart := j.apart(); apart > 0 && apart < time.Second {
		out = append(out, "all runs were within a second of the recording: what changes with the second was not seen to")
	}
	if !c.reset {
		out = append(out, "no reset: what the runs left behind may have moved later ones")
	}
	for _, r := range j.runs {
		if r.Lost > 0 {
			out = append(out, fmt.Sprintf("run %d has no counterpart of %d recorded exchanges", r.Number, r.Lost))
		}
		if r.Ended.IsZero() {
			out = append(out, fmt.Sprintf("run %d was cut off: it has %d of %d exchanges", r.Number, j.observed[r.Number]+j.answered[r.Number], j.rec.Count))
		}
		if n := j.failed[r.Number]; n > 0 {
			out = append(out, fmt.Sprintf("run %d got no answer to %d requests that were answered in the recording", r.Number, n))
		}
	}
	return out
}

// apart is the longest time between a recorded answer and that of a run, 0 where none is known.
func (j *judge) apart() (longest time.Duration) {
	for _, o := range j.operations {
		longest = max(longest, o.apart)
	}
	return longest
}

// field makes the judgement about one place.
func (j *judge) field(o *operation, t *fieldStats) *mapfile.Field {
	f := &mapfile.Field{
		Place: t.place, Changed: t.changed, Of: t.of, Protocol: mapfile.MovesByProtocol(t.place),
		Evidence: []string{}, Explanations: []mapfile.Explanation{}, Warnings: []string{}, Fingerprints: []string{},
	}
	t.endStep()
	bound, pooled := t.dispersion.bound(t.changed, t.of)
	f.Bound = bound
	switch {
	case t.kinds.moves() > 0:
		j.moved(f, t)
	case j.wouldMove(f, t):
		f.Judgement = mapfile.WouldMove
	case len(t.changedUnder) > 0 && j.movedUnderPerturbation(f, t):
	default:
		f.Judgement = mapfile.Stable
		if code := looks(t); code != "" && !f.Protocol {
			f.Judgement, f.Evidence = mapfile.Hint, append(f.Evidence, "looks:"+code)
		}
	}
	if t.kinds.notation > 0 {
		f.Evidence = append(f.Evidence, "notation")
	}
	if t.of == 1 || t.of == 2 {
		f.Warnings = append(f.Warnings, fmt.Sprintf("%d observations only", t.of))
		if t.of == 1 {
			f.Warnings[0] = "1 observation only"
		}
	}
	if (f.Judgement == mapfile.Hint || f.Judgement == mapfile.WouldMove) && t.of > 0 && t.clock.sooner(o.apart) {
		unit := unitName(t.clock.unit)
		f.Warnings = append(f.Warnings, fmt.Sprintf("no run was a %s apart from the recording: what changes with the %s was not seen to", unit, unit))
	}
	if !pooled && f.Judgement == mapfile.Jitter {
		f.Warnings = append(f.Warnings, "moves in the answers to some requests more than to others: the bound is that of the worst")
	}
	for _, fp := range t.fingerprints() {
		f.Fingerprints = append(f.Fingerprints, fp.String())
	}
	switch n := len(f.Fingerprints); {
	case f.Judgement == mapfile.Drift && n > mapfile.MaxFingerprints:
		f.Fingerprints = []string{}
		f.Warnings = append(f.Warnings, "drifted for too many requests to list")
	case f.Judgement != mapfile.Drift && n > mapfile.MaxExamples:
		f.Fingerprints = f.Fingerprints[:mapfile.MaxExamples]
	}
	j.hold(f, t)
	return f
}

// moved judges a place that moved.
func (j *judge) moved(f *mapfile.Field, t *fieldStats) {
	f.Category = mapfile.Unk
	f.Evidence = append(f.Evidence, fmt.Sprintf("moved:%d/%d", t.changed, t.of))
	f.Explanations = explain(t, j.conditions())
	var codes []string // of the strongest explanation
	for i, e := range f.Explanations {
		if i == 0 {
			f.Category, codes = e.Category, e.Evidence
		}
		f.Evidence = append(f.Evidence, e.Evidence...)
	}
	f.Evidence = append(f.Evidence, t.client.evidence(t.kinds.moves())...)
	p := t.runs
	switch {
	case onlyPerturbed(codes) && f.Category == mapfile.Env:
		f.Judgement = mapfile.Drift
	case f.Category == mapfile.Unord, f.Category == mapfile.Time, f.Category == mapfile.Crypt && slices.ContainsFunc(codes[:1], salted):
		// These differ from answer to answer by their nature: runs that agree did so by chance, or within one second.
		f.Judgement = mapfile.Jitter
	case p.jitter > 0:
		f.Judgement = mapfile.Jitter
	case p.drift+p.continued > 0, f.Category == mapfile.State, f.Category == mapfile.Env:
		f.Judgement = mapfile.Drift
	default:
		f.Judgement = mapfile.Jitter
	}
	if f.Judgement == mapfile.Drift && p.drift > 0 && j.conditions().runs < 4 {
		f.Warnings = append(f.Warnings, fmt.Sprintf("only %d runs agree: it may be chance", j.conditions().runs))
	}
}

// salted reports whether a code of evidence speaks of what is never the same twice.
func salted(code string) bool { return code == "shape:jwt" || code == "shape:bcrypt" }

// wouldMove judges a place that never moved by what explains its value. Where several things do, the first counts.
func (j *judge) wouldMove(f *mapfile.Field, t *fieldStats) bool {
	t.values.learn()
	for _, explain := range []func(*fieldStats) mapfile.Explanation{j.ofTheClock, ofANonce, ofTheAddress, ofTheMachine} {
		if e := explain(t); len(e.Evidence) > 0 {
			f.Explanations = append(f.Explanations, e)
			f.Evidence = append(f.Evidence, e.Evidence...)
		}
	}
	if len(f.Explanations) == 0 {
		return false
	}
	f.Category = f.Explanations[0].Category
	f.Explanations = normalized(f.Explanations)
	return true
}

// ofTheClock: every value is what a clock showed, or will in a round time, while its answer was made.
func (j *judge) ofTheClock(t *fieldStats) mapfile.Explanation {
	e, c := mapfile.Explanation{Category: mapfile.Time, Weight: strong}, t.clock
	// Without runs it is enough that some elements of a list are of the clock's making.
	some := len(j.observed) == 0 && 5*c.near >= c.read && c.unit <= time.Second
	if c.near == 0 || c.unread > 0 || c.near < c.read && !some && c.repeatsCreated == 0 || c.daily > 0 && c.read < 3 {
		return e
	}
	e.Evidence = append(e.Evidence, "near-clock:"+unitName(c.unit))
	if c.repeatsCreated > 0 {
		e.Evidence = append(e.Evidence, "as-made")
	}
	if c.session == c.near {
		e.Evidence = append(e.Evidence, "made-in-session")
	}
	return e
}

// ofANonce: the same request, sent again within the recording, had another random value each time.
func ofANonce(t *fieldStats) mapfile.Explanation {
	e := mapfile.Explanation{Category: mapfile.Rand, Weight: suggested}
	if t.repetitions.random == 0 || t.repetitions.random != t.repetitions.differ || t.repetitions.differ != t.repetitions.pairs {
		return e
	}
	e.Evidence = append(e.Evidence, fmt.Sprintf("nonce:%d/%d", t.repetitions.random, t.repetitions.pairs))
	for _, r := range []rule{{mapfile.Crypt, signedOrSalted, strong}, {mapfile.RunMsg, madeAtRunTime, strong}, {mapfile.Crypt, digest, weak}} {
		if codes := r.evidence(t, conditions{}); len(codes) > 0 {
			e.Category, e.Evidence = r.category, append(e.Evidence, codes...)
			break
		}
	}
	return e
}

// ofTheAddress: every value holds the host and port that was asked for, or some hold those that were dialed.
func ofTheAddress(t *fieldStats) mapfile.Explanation {
	e, n := mapfile.Explanation{Category: mapfile.Env, Weight: strong}, t.network
	switch {
	case n.host > 0 && n.noHost == 0 && t.values.only(notation.String):
		e.Evidence = []string{"holds-host"}
	case n.dialed > 0, n.port > 0 && n.noPort == 0:
		e.Evidence = []string{"address-dialed"}
	}
	return e
}

// ofTheMachine: a value holds a name of the machine.
func ofTheMachine(t *fieldStats) mapfile.Explanation {
	e := mapfile.Explanation{Category: mapfile.Env, Weight: suggested}
	if t.network.environment != "" {
		e.Evidence = []string{"environment"}
	}
	return e
}

func unitName(unit time.Duration) string {
	switch {
	case unit >= notation.Week:
		return "week"
	case unit >= notation.Day:
		return "day"
	case unit >= time.Minute:
		return "minute"
	case unit >= time.Second:
		return "second"
	}
	return "fraction"
}

// looks names what the values look like, "" where they look like nothing that moves elsewhere.
func looks(t *fieldStats) string {
	v := &t.values
	if v.only(notation.String) {
		if name := notation.HintOf(v.shapes); name != "" {
			return name
		}
	}
	if codes := namedEnvironment(t, conditions{}); len(codes) > 0 && t.values.filled > 0 {
		_, name, _ := strings.Cut(codes[0], ":")
		return name
	}
	if t.clock.counts > 0 && t.clock.unread == 0 && t.clock.counts == t.clock.read && t.clock.unit < notation.Day {
		return "epoch"
	}
	return ""
}

// withdrawOrders takes back that an array is the recorded multiset where something within it moves as well.
func withdrawOrders(o *mapfile.Operation) {
	for i, f := range o.Fields {
		if f.Holds.Order == "" {
			continue
		}
		for _, g := range o.Fields[i+1:] {
			if strings.HasPrefix(string(g.Place), string(f.Place)+"/") && g.Volatile() {
				f.Holds.Order = ""
				break
			}
		}
	}
}

// explainByLifecycle finds what came and went along with a station of life that the clock decides on, as the time of its begin
// does: that is of the clock too, and so volatile in the whole operation.
func explainByLifecycle(o *mapfile.Operation) {
	for _, f := range o.Fields {
		if f.Category != mapfile.Time || !slices.Contains(f.Evidence, "name:state") {
			continue
		}
		for _, g := range o.Fields {
			together := func(fp string) bool { return slices.Contains(f.Fingerprints, fp) }
			if g.Category == mapfile.State && g.Judgement == mapfile.Drift && g.Place.Parent() == f.Place.Parent() && g.Changed <= f.Changed &&
				slices.ContainsFunc(g.Fingerprints, together) {
				g.Judgement, g.Category = mapfile.Jitter, mapfile.Time
				code := "moves-with:" + string(f.Place)
				g.Evidence = append(g.Evidence, code)
				g.Explanations = withFirst(g.Explanations, mapfile.Explanation{Category: mapfile.Time, Weight: strong, Evidence: []string{code}})
			}
		}
	}
}
