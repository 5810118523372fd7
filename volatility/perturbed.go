package volatility

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/condition"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/notation"
)

// Some conditions leave alone what a run asks and what it finds: it is sent later, twice, or on other connections. What
// moves then is weighed with what moves in runs played as recorded, and may be explained by it.
var (
	movesTime = []string{"delay"}
	movesEnv  = []string{"connection", "restart"}
	movesRand = []string{"double"}
)

// perturbedConditions are the conditions that make of a run something else than the recording: other requests, another
// order, another machine. What their answers differ in is held aside. It tells of a place that is still otherwise what
// it depends on, and says nothing against what is asked in the recorded order, in the recorded language.
var perturbedConditions = map[string]effect{
	exchange.FreshClients: {"", mapfile.Hint}, exchange.OtherAgent: {"", mapfile.Hint},
	exchange.OtherAddress: {mapfile.Env, mapfile.WouldMove},
	exchange.PerturbLoad:  {"", mapfile.Hint},
	"language":            {"", mapfile.Hint}, "order": {"", mapfile.Hint}, "workers": {"", mapfile.Hint},
	"tz": {mapfile.Env, mapfile.WouldMove}, "lang": {mapfile.Env, mapfile.WouldMove}, "hostname": {mapfile.Env,
		mapfile.WouldMove}, "tmp": {mapfile.Env, mapfile.WouldMove}, "user": {mapfile.Env, mapfile.WouldMove},
	exchange.PerturbClock:    {mapfile.Time, mapfile.WouldMove},
	exchange.ExternalsFrozen: {mapfile.Env, mapfile.Hint}, exchange.ExternalsChanged: {mapfile.Env, mapfile.WouldMove},
	exchange.ExternalsDown: {mapfile.Env, mapfile.Hint}, exchange.ExternalsSlow: {mapfile.Env, mapfile.Hint},
}

// effect is what moves under a condition alone.
type effect struct {
	category  mapfile.Category
	judgement mapfile.Judgement // Hint where a suite keeps the condition as it was recorded
}

// perturbed returns the name of the condition that a run was played under, "" where it was played as recorded. Of
// several it is one that makes something else of the run, if there is one; else "?", for none tells what it did.
func perturbed(r exchange.Run) string {
	names := make([]string, len(r.Conditions.Perturb))
	for i, p := range r.Conditions.Perturb {
		names[i], _, _ = strings.Cut(p, "=")
		if names[i] == exchange.PerturbClient || names[i] == exchange.PerturbExternals {
			names[i] = p // each is somebody else, or something else
		}
		if _, aside := perturbedConditions[names[i]]; aside {
			return names[i]
		}
	}
	switch len(names) {
	case 0:
		return ""
	case 1:
		return names[0]
	}
	return "?"
}

// takePerturbed takes in what a run answered that was made something else of: whether a place moved in it, and no more.
// atOnce is how many times the request was sent at once, where the run is under load; else 0.
func (j *judge) takePerturbed(o *operation, rec *answerView, ob *exchange.Observation, atOnce int) {
	s, name := j.observation(ob, rec), j.runs.perturbed[ob.Run]
	s.holdAgainst(rec)
	j.followOutside(ob.Seq, o, rec, s)
	o.crowd.Count(atOnce)
	seen := map[*fieldStats]bool{}
	step, turned := j.runs.turned[ob.Run]
	moved := func(t *fieldStats) {
		if !seen[t] {
			seen[t] = true
			t.countUnder(name)
			if turned {
				t.turned.Moved(step)
			}
			t.crowd.Moved(atOnce)
		}
	}
	if !s.answer.SameStatus(rec.answer) {
		moved(o.at([]byte(exchange.PlaceStatus)))
		return
	}
	if atOnce > 1 && rec.at.Known() && mapfile.AnotherTiming(rec.at.To.Sub(rec.at.From), s.at.To.Sub(s.at.From)) {
		moved(o.at([]byte(mapfile.PlaceTiming)))
	}
	for _, d := range s.differencesFrom(rec) {
		if d.Kind == compare.Notation {
			continue
		}
		t := o.at([]byte(d.General))
		moved(t)
		// what is stated of the place is to be true of it there, too
		if perturbedConditions[name].judgement == mapfile.WouldMove {
			after := notation.ScalarOf(d.After)
			t.values.replace(notation.ScalarOf(d.Before), after)
			t.values.learn()
			if d.After != "" {
				t.values.add(after)
			}
		}
	}
	if turned {
		rec.answer.Each(func(general []byte, _ string) {
			if t := o.at(general); !seen[t] {
				seen[t] = true
				t.turned.Stayed(step)
			}
		})
	}
}

// countUnder counts an observation that differs under a condition.
func (t *fieldStats) countUnder(name string) {
	if t.changedUnder == nil {
		t.changedUnder = make(map[string]int)
	}
	t.changedUnder[name]++
}

// movedUnderPerturbation judges a place that is still in runs played as recorded, and moved under a condition that made
// something else of them.
func (j *judge) movedUnderPerturbation(o *operation, d *draft) bool {
	f, c := d.field, j.runs.conditions()
	f.Judgement = ""
	for _, name := range slices.Sorted(maps.Keys(d.stats.changedUnder)) { // the clock before the zone that shows it
		e, shown := d.stats.effectOf(name, o, c)
		if len(shown) == 0 {
			continue
		}
		d.evidence = append(d.evidence, shown...)
		if name == exchange.ExternalsChanged {
			d.evidence = append(d.evidence, d.stats.followed...)
		}
		if f.Judgement != mapfile.WouldMove {
			f.Judgement, f.Category = e.judgement, e.category
		}
	}
	return f.Judgement != ""
}

// effectOf says what a condition does to a place, and what shows it; nothing where that may be chance.
func (t *fieldStats) effectOf(name string, o *operation, c conditions) (effect, []mapfile.Evidence) {
	e, aside := perturbedConditions[name]
	codes := []mapfile.Evidence{mapfile.SignMovedOnlyBy.Of(name)}
	shown := aside && !condition.ByChance(t.changedUnder[name], c.perturbed[name], c.perturbed[""])
	switch name {
	case exchange.PerturbClock:
		if step := t.turned.Least(c.turned, c.perturbed[""]); step != "" {
			return e, append(codes, mapfile.SignClockStep.Of(string(step)))
		}
	case exchange.PerturbLoad:
		if n := t.crowd.Least(o.crowd, t.of); n > 0 {
			return e, append(codes, mapfile.SignAtOnce.Of(strconv.Itoa(n)))
		}
		return e, nil
	case exchange.FreshClients:
		if t.clients.drawn() {
			return effect{mapfile.Rand, mapfile.WouldMove}, append(codes, mapfile.SignPerClient.Alone())
		}
		shown = shown && t.clients.within == 0
	case exchange.ExternalsChanged:
		shown = shown || len(t.followed) > 0 // runs in which others were changed say nothing against it
	case exchange.OtherAgent, exchange.OtherAddress:
		shown = shown && !t.clients.drawn() // who asks there is a new client, too
	}
	if !shown {
		return e, nil
	}
	return e, codes
}

// movedOnlyBy is the rule for a place that is still in runs played as recorded, and moves under conditions of one kind.
func movedOnlyBy(names []string) func(*fieldStats, conditions) []mapfile.Evidence {
	return func(t *fieldStats, c conditions) []mapfile.Evidence {
		var codes []mapfile.Evidence
		moved, runs := 0, 0
		for _, name := range names {
			if n := t.changedUnder[name]; n > 0 {
				moved, runs = moved+n, runs+c.perturbed[name]
				codes = append(codes, mapfile.SignMovedOnlyBy.Of(name))
			}
		}
		if moved == 0 || moved < t.changed || condition.ByChance(moved, runs, c.perturbed[""]) {
			return nil
		}
		return codes
	}
}

// onlyPerturbed reports whether the first code says that a place was still in all runs but those under one condition,
// or on one machine.
func onlyPerturbed(codes []mapfile.Evidence) bool {
	return len(codes) > 0 && (codes[0].Sign == mapfile.SignMovedOnlyBy || codes[0].Sign == mapfile.SignByMachine)
}

// takeMachines holds the answers of a step against each other, by the machines that gave them.
func (j *judge) takeMachines(seq uint64, o *operation, views []*answerView) {
	runs := make([]int, len(views))
	for i, v := range views {
		runs[i] = v.run
	}
	for _, p := range j.runs.playedOn.Pairs(seq, runs) {
		o.differing(views[p.First], views[p.Other], func(t *fieldStats, _ compare.Difference) { t.machines.Differ(p) })
	}
}

// byMachine: each machine has its own, and keeps it.
func byMachine(t *fieldStats, _ conditions) []mapfile.Evidence {
	if !t.machines.Decide() {
		return nil
	}
	return says(mapfile.SignByMachine)
}
