package volatility

import "github.com/flaketap/flaketap/volatility/confidence"

// frequency is what the observations say of how often a place moves.
type frequency struct {
	changed, of int
	bound       float64 // of the chance, see doc.go
	uneven      string  // what the chance differs between by more than one accounts for, for people; "" for nothing
}

// endStep takes what was counted of the present step to the others.
func (t *fieldStats) endStep() {
	spread := &t.dispersion
	if t.mark.inRow {
		spread = &t.repeats.dispersion
	}
	spread.Add(t.changed-t.mark.before, t.mark.of)
	t.mark.of = 0
}

// countIn counts so many observations of a run that differ.
func (t *fieldStats) countIn(run, n int) {
	if t.byRun == nil {
		t.byRun = make(map[int]int)
	}
	t.byRun[run] += n
}

// absorb adds the repeats of another place.
func (c *repeatCounts) absorb(u repeatCounts) {
	c.of, c.changed = c.of+u.of, c.changed+u.changed
	c.dispersion.Absorb(u.dispersion)
}

// frequency sums up the observations of a place, in so many runs.
//
// Where repeats never differ and runs do, the repeats say that a value is kept for a while, and nothing of how often it
// moves from run to run: they do not count. What runs saw move has no lower a bound for what repeats say: whether there
// are any may depend on what the runs saw, see doc.go.
func (t *fieldStats) frequency(runs int) frequency {
	inRuns := frequency{changed: max(t.changed-t.repeats.changed, 0)}
	inRuns.of = max(t.of-t.repeats.of, inRuns.changed)
	all, spread := frequency{changed: t.changed, of: t.of}, t.dispersion
	if t.changed > 0 && t.repeats.changed == 0 {
		all = inRuns
	} else {
		spread.Absorb(t.repeats.dispersion)
	}
	var pooled bool
	if all.bound, pooled = spread.Bound(all.changed, all.of); !pooled {
		all.uneven = "in the answers to some requests more than to others: the bound is that of the worst"
	}
	if inRuns.changed > 0 {
		own, _ := t.dispersion.Bound(inRuns.changed, inRuns.of)
		all.bound = max(all.bound, own)
	}
	if b := t.boundByRun(inRuns, runs); b > all.bound {
		all.bound, all.uneven = b, "in some runs more than in others: the bound is that of the share of runs in which it moves"
	}
	if t.clients.drawn() && inRuns.changed == 0 && runs > 0 { // the answers of a run are to one client: one draw
		all.bound = max(all.bound, confidence.Bound(0, runs))
	}
	return all
}

// boundByRun is the bound on the chance of a run in which the place moves, where one chance of an answer does not
// account for how its changes are spread over the runs: these are then what may be counted, as the answers of one run
// are not independent of each other. The average chance of an answer is no larger. It is 0 where one chance accounts
// for them.
func (t *fieldStats) boundByRun(all frequency, runs int) float64 {
	if runs < 2 || all.changed == 0 || all.changed >= all.of {
		return 0
	}
	mean, squares := float64(all.changed)/float64(all.of), 0.0
	for _, k := range t.byRun {
		squares += float64(k) * float64(k)
	}
	chi2 := (squares*float64(runs)/float64(all.of) - float64(all.changed)*mean) / (mean * (1 - mean))
	if chi2 <= confidence.ChiSquared(float64(runs-1)) {
		return 0
	}
	return confidence.Bound(min(len(t.byRun), runs), runs)
}
