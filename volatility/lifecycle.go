package volatility

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/lazy"
	"github.com/flaketap/flaketap/volatility/inorder"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/notation"
	"github.com/flaketap/flaketap/volatility/verdict"
)

// lifecycleNames are what the stations of a life are called.
var lifecycleNames = lazy.Regexp(`^(status|state|phase|stage)$|progress|percentcomplete`)

// thingsAsked counts, of changes, whether the request named another thing than the recorded one did: one that its own
// run had made.
type thingsAsked struct{ own, others int }

func (n *thingsAsked) add(own bool) {
	if own {
		n.own++
		return
	}
	n.others++
}

// lifecycleByClock: where every run began anew and sent the same, or asked for what it had made itself, it is the time
// in between that a station depends on. That runs agree says no more than that they were equally fast, which a suite is
// not.
func lifecycleByClock(t *fieldStats, c conditions) []mapfile.Evidence {
	if (c.reset || t.links.things.own > 0 && t.links.things.others == 0) && hasLifecycleValues(t) {
		return saysOf(mapfile.SignName, nameLifecycle)
	}
	return nil
}

// lifecycleByState: the same, where the requests of earlier runs may have moved it on.
func lifecycleByState(t *fieldStats, c conditions) []mapfile.Evidence {
	if hasLifecycleValues(t) && len(lifecycleByClock(t, c)) == 0 {
		return saysOf(mapfile.SignName, nameLifecycle)
	}
	return nil
}

// hasLifecycleValues reports whether a place is called what the stations of a life are called, and has words or
// numbers.
func hasLifecycleValues(t *fieldStats) bool {
	return t.kinds.value > 0 && t.place != exchange.PlaceStatus &&
		t.values.only(notation.String, notation.Integer, notation.Number) &&
		t.values.shapes&notation.ShapeRandom == 0 && lifecycleNames().MatchString(leaf(t.place))
}

// isStage reports whether a place is called what the stations of a life are called.
func isStage(place exchange.Place) bool {
	return place.Within(exchange.PlaceBody) && lifecycleNames().MatchString(leaf(place))
}

// noteProgress keeps a recorded number beside a stage of life, to be followed.
func (w *stepAnalysis) noteProgress(t *fieldStats, v notation.Scalar) {
	if !w.inRow && v.Numeric() && w.operation.stages[t.place.Parent()] &&
		!strings.Contains(string(t.place), "/"+exchange.Wildcard) {
		w.underWay = append(w.underWay, recordedValue{stats: t, value: v})
	}
}

// followProgress takes in how far what is under way has come in the answers of the step.
func (w *stepAnalysis) followProgress() {
	for _, r := range w.underWay {
		p := &r.stats.progress
		recorded := w.rec.progress(0, r.value)
		p.Add(w.fingerprint, recorded)
		for i, s := range w.same {
			if v := w.scalarIn(r.stats, r.value, i); v.Numeric() {
				run := s.progress(s.run, v)
				p.Add(w.fingerprint, run)
				p.Compare(recorded, run)
			}
		}
	}
}

// progress is a number of an answer with how long after what its run had made it came.
func (s *answerView) progress(run int, v notation.Scalar) inorder.Answer {
	return inorder.Answer{Run: run, Value: notation.Float(v.Raw), Age: s.age, Unsure: s.at.To.Sub(s.at.From)}
}

// tellAges gives the answers of a step the time since the last request of their run that made something.
func (j *judge) tellAges(e *exchange.Exchange, rec *answerView, views []*answerView) {
	tell := func(run int, s *answerView) {
		if !s.at.Known() {
			return
		}
		s.age = j.across.SinceWrite(run, s.at.From)
		if makes(e) {
			j.across.Wrote(run, s.at.To)
		}
	}
	tell(0, rec)
	for _, s := range views {
		tell(s.run, s)
	}
}

// progresses: beside a stage of life, a number that goes on whenever the same is asked again, of what each run made.
func progresses(t *fieldStats, c conditions) []mapfile.Evidence {
	if !c.reset && (t.links.things.own == 0 || t.links.things.others > 0) || !t.progress.GoesOn() {
		return nil
	}
	return saysOf(mapfile.SignFollowsClock, clockProgress)
}

// explainByLifecycle finds what came and went along with a stage of life that the clock decides on, as the time of its
// begin does, and the numbers beside it that grow or shrink while it lasts, as far as that was seen: they are of the
// clock too, and so volatile in the whole operation.
func explainByLifecycle(_ *judge, o *operationDraft) {
	for _, x := range o.drafts {
		if x.field.Category != mapfile.Time || !x.has(mapfile.SignName.Of(nameLifecycle)) {
			continue
		}
		for _, y := range o.drafts {
			if y.field.Place.Parent() == x.field.Place.Parent() && (y.comesWith(x.field) || y.leans()) {
				y.livesWith(x.field)
			}
		}
	}
}

// leans reports whether a number beside a stage goes one way while that lasts. One that goes on from run to run, in the
// order in which these began, does not: that a later run has more and read sooner is no progress of what it made.
func (d *draft) leans() bool {
	return d.why.progress.Leans() && !d.has(mapfile.SignCounter.Of(""))
}

// comesWith reports whether a place drifted for requests for which a stage moved, and no oftener than that.
func (d *draft) comesWith(stage *mapfile.Field) bool {
	f := d.field
	together := func(fp string) bool { return slices.Contains(stage.Fingerprints, fp) }
	return f.Category == mapfile.State && f.Judgement == mapfile.Drift && f.Changed <= stage.Changed &&
		slices.ContainsFunc(f.Fingerprints, together)
}

// livesWith makes the clock the reason why a place moved, beside a stage of life, where nothing measured says another.
func (d *draft) livesWith(stage *mapfile.Field) {
	f := d.field
	if f.Category != mapfile.State && f.Category != mapfile.Rand && f.Category != mapfile.Unk || !f.Volatile() {
		return
	}
	f.Judgement, f.Category, d.strength = mapfile.Jitter, mapfile.Time, strong
	with := mapfile.SignMovesWith.Of(string(stage.Place))
	d.evidence = append(d.evidence, with)
	d.explanations = verdict.First(d.explanations, explanation{Category: mapfile.Time, Weight: strong,
		Evidence: []mapfile.Evidence{with}})
}

// withdrawOrders takes back that an array is the recorded multiset where something within it moves as well.
func withdrawOrders(_ *judge, o *operationDraft) {
	for i, x := range o.drafts {
		if x.field.Holds.Order == "" {
			continue
		}
		for _, y := range o.drafts[i+1:] {
			if strings.HasPrefix(string(y.field.Place), string(x.field.Place)+"/") && y.field.Volatile() {
				x.field.Holds.Order = ""
				break
			}
		}
	}
}
