package volatility

import (
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/inorder"
	"github.com/flaketap/flaketap/volatility/notation"
)

// stepAnalysis is one step while it is looked at.
type stepAnalysis struct {
	judge       *judge
	operation   *operation
	exchange    *exchange.Exchange
	fingerprint exchange.Fingerprint
	rec         *answerView
	// the observations are answers to the request sent in a row, and rec is one of them
	inRow     bool
	all, same []*answerView           // the observations; those with the recorded status
	counters  map[exchange.Place]bool // what moves because of the request itself, where it was sent in a row
	host      string                  // the authority asked for, "" where none can be told
	dialed    string                  // the authority dialed, where another was asked for
	port      string                  // that was dialed; "" where it is a short number, which may be anything
	values    []recordedValue
	underWay  []recordedValue // numbers beside a stage of life
	numbers   []orderedNumber
	changes   []*change
	digests   []*fieldStats // of the recorded values that may be digests of others
	byPlace   map[exchange.Place]*change
}

// recordedValue is a value of the recorded answer that is looked at again once it is known which observations differ.
type recordedValue struct {
	stats  *fieldStats
	value  notation.Scalar
	moment notation.Moment
	timed  bool
}

// change is what became of one concrete place in the observations of a step.
type change struct {
	stats  *fieldStats
	kind   compare.Kind
	before string
	after  []string // by observation; "" where it does not differ
	sizes  []int    // of an array that was resized, the recorded size first
}

// startCounting makes sure that the place counts the observations of this step, and only once.
func (w *stepAnalysis) startCounting(t *fieldStats, observations int) {
	if t.mark.step != w.judge.steps {
		t.endStep()
		t.mark = stepMark{step: w.judge.steps, of: observations, before: t.changed, inRow: w.inRow}
		t.of += observations
		if w.inRow {
			t.repeats.of += observations
		}
	}
}

// countDifference counts an observation as one that differs at a place, however many elements there are.
func (w *stepAnalysis) countDifference(t *fieldStats, i, observations, run int) {
	w.startCounting(t, observations)
	t.mark.changed |= uint64(1) << min(i, 63)
	if t.mark.last != i+1 { // the differences of one come together
		t.mark.last = i + 1
		t.changed++
		if w.inRow {
			t.repeats.changed++
		} else {
			t.countIn(run, 1)
		}
		if len(w.judge.runs.perturbed) > 0 {
			t.countUnder(w.judge.runs.perturbed[run])
		}
	}
	t.remember(w.fingerprint)
	t.values.learn()
}

// status judges the status over all observations; everything else only over those that have the recorded one.
func (w *stepAnalysis) status() {
	w.judgeWhole(exchange.PlaceStatus, w.rec.answer.Status(), w.all, func(s *answerView) (string, bool) {
		return s.answer.Status(), !s.answer.SameStatus(w.rec.answer)
	})
}

// judgeWhole judges what every answer has one of. recorded is the raw token of the recorded answer's; other returns
// that of an observation, and whether it counts as another one.
func (w *stepAnalysis) judgeWhole(place exchange.Place, recorded string, views []*answerView,
	other func(*answerView) (raw string, differs bool)) {
	t := w.operation.at([]byte(place))
	w.startCounting(t, len(views))
	if !w.inRow {
		t.recorded++
	}
	t.values.add(notation.ScalarOf(recorded))
	c := &change{stats: t, kind: compare.Changed, before: recorded, after: make([]string, len(views))}
	for i, s := range views {
		raw, differs := other(s)
		if !differs {
			continue
		}
		w.countDifference(t, i, len(views), s.run)
		t.eventual.see(s.settling)
		t.kinds.value++
		t.values.add(notation.ScalarOf(raw))
		c.after[i] = raw
	}
	if t.mark.changed != 0 {
		w.pattern(c, views)
	}
}

// takeRecorded takes in the recorded values.
func (w *stepAnalysis) takeRecorded() {
	w.rec.answer.Each(func(general []byte, raw string) {
		t := w.operation.at(general)
		if t.place == exchange.PlaceStatus {
			return
		}
		first := t.mark.step != w.judge.steps
		if first && !w.inRow {
			t.recorded++
		}
		w.startCounting(t, len(w.same))
		v := notation.ScalarOf(raw)
		t.values.add(v)
		if first && v.Kind == notation.String && t.values.mayBeDigest() {
			w.digests = append(w.digests, t)
		}
		if v.Kind == notation.Null || v.Kind >= notation.Array {
			return
		}
		t.values.filled += 1 + len(w.same)
		r := recordedValue{stats: t, value: v}
		r.moment, r.timed = t.momentAt(v, w.rec.at)
		t.clock.seen(r.moment, r.timed)
		t.elapsed.seen(v, w.rec)
		t.network.seen(w, v)
		t.trend.add(v)
		w.noteNumber(t, v)
		w.noteProgress(t, v)
		if r.timed || t.links.echo.alive() || t.links.bound.alive() || t.links.inText.alive() {
			t.links.echo.narrow(w.rec.values.Of(v))
			t.links.inText.follow(v, w.rec.values)
			t.links.bound.narrow(w.judge.across.Bound.Explain(w.exchange.Seq, v))
			w.values = append(w.values, r)
		}
	})
}

// differences takes in what differs in the i-th observation of the recorded status.
func (w *stepAnalysis) differences(i int) {
	s := w.same[i]
	structural := false
	differences := s.differencesFrom(w.rec)
	s.moved = s.moved || len(differences) > 0
	w.countWithinTexts(differences)
	for _, d := range differences {
		if w.counters[d.Place] {
			continue
		}
		t := w.operation.at([]byte(d.General))
		if d.Kind == compare.Notation {
			t.kinds.notation++
			t.values.add(notation.ScalarOf(d.After))
			continue
		}
		before, after := notation.ScalarOf(d.Before), notation.ScalarOf(d.After)
		w.countDifference(t, i, len(w.same), s.run)
		t.eventual.see(s.settling)
		t.values.replace(before, after)
		t.count(d, before, after)
		t.asSet(d)
		structural = structural || d.Kind != compare.Changed && d.Kind != compare.Reordered
		if d.After != "" {
			t.values.add(after)
			w.follow(t, before, after, s)
		}
		w.noteChange(d, t, i)
	}
	if structural {
		w.takeAddedValues(s)
	}
}

// takeAddedValues takes in all values of an answer in which something is there that the recorded one has not, as it
// came with values of its own. They explain nothing, as it is not known what they would be compared with, but what is
// stated of the place is to be true of them.
func (w *stepAnalysis) takeAddedValues(s *answerView) {
	host := hostOf(s.request)
	s.answer.Each(func(general []byte, raw string) {
		t, v := w.operation.at(general), notation.ScalarOf(raw)
		t.values.add(v)
		if v.Kind == notation.Null || v.Kind >= notation.Array {
			return
		}
		m, timed := t.momentAt(v, s.at)
		switch {
		case !timed:
			t.clock.unread++
		case m.InText || m.Unusual || m.TimeOfDay:
			t.clock.inText++
		default:
			t.clock.reach(m, s.at)
		}
		if v.Plain() != w.port {
			t.network.noPort++
		}
		if v.Kind == notation.String && (host == "" || !strings.Contains(v.Text, host)) {
			t.network.noHost++
		}
	})
}

// follow holds a changed value against what could have changed it: clock, authority, request, an earlier answer.
func (w *stepAnalysis) follow(t *fieldStats, before, after notation.Scalar, s *answerView) {
	if after.Kind >= notation.Array || after.Kind == notation.Null {
		return
	}
	if x, y, ok := counted(before, after); ok {
		t.shifts.Add(s.run, x, y)
	}
	t.follow(before, after, w.rec, s)
	t.network.follow(before, after, w, s)
	t.links.things.add(s.request.Target != w.rec.request.Target)
	t.links.echo.narrow(s.values.Of(after))
	t.links.inText.follow(after, s.values)
	fits := w.judge.across.Bound.Fits(before, after, s.run)
	t.links.bound.narrow(fits)
	t.links.made.narrow(fits)
	t.links.client.follow(w.judge.client, before, after, s.run)
}

// noteChange keeps what became of a concrete place, to see afterwards whether the runs agree on it.
func (w *stepAnalysis) noteChange(d compare.Difference, t *fieldStats, i int) {
	c := w.byPlace[d.Place]
	if c == nil {
		c = &change{stats: t, kind: d.Kind, before: d.Before, after: make([]string, len(w.same))}
		if w.byPlace == nil {
			w.byPlace = make(map[exchange.Place]*change)
		}
		w.byPlace[d.Place] = c
		w.changes = append(w.changes, c)
	}
	switch d.Kind {
	case compare.Resized:
		// Runs agree on a size whatever the elements hold: what changes within them is noted there.
		if c.sizes == nil {
			c.sizes = make([]int, len(w.same)+1)
			for n := range c.sizes {
				c.sizes[n] = d.Sizes[0]
			}
		}
		c.sizes[i+1] = d.Sizes[1]
		t.values.addSizes(d.Sizes)
		t.sizes.Add(w.same[i].run, float64(d.Sizes[0]), float64(d.Sizes[1]))
		c.after[i] = "size"
	case compare.Removed:
		c.after[i] += "absent"
	default:
		c.after[i] += d.After
	}
}

// makes reports whether the request is one that makes things.
func (w *stepAnalysis) makes() bool { return makes(w.exchange) }

func makes(e *exchange.Exchange) bool {
	switch e.Request.Method {
	case "POST", "PUT", "PATCH":
		return true
	}
	return false
}

// seeRunPatterns sees how each place that moved in the step did so from run to run.
func (w *stepAnalysis) seeRunPatterns() {
	for _, c := range w.changes {
		w.pattern(c, w.same)
	}
	w.compareDigests()
	w.followOrder()
	w.followProgress()
}

// reexamineRecorded looks at the recorded values again, now that it is known in which observations they stayed.
func (w *stepAnalysis) reexamineRecorded() {
	w.judge.across.Sends(w.rec.values)
	for _, r := range w.values {
		t := r.stats
		repeats := r.timed && r.moment.Unit == notation.Day && !w.makes() &&
			w.judge.across.Made.Has(leaf(t.place), r.value.Raw)
		made := r.timed && w.makes() && len(w.rec.values.Of(r.value)) == 0 && // by the API, for this request
			!w.judge.across.Sent.Has(r.value)
		near := repeats || r.timed && (r.moment.Near(w.rec.at) || r.moment.RoundTimeAhead(w.rec.at) ||
			made && r.moment.RoundDateAhead(w.rec.at))
		if r.timed {
			t.clock.reach(r.moment, w.rec.at)
		}
		for i, s := range w.same {
			if t.mark.step == w.judge.steps && (i > 63 || t.mark.changed>>i&1 == 1) {
				continue
			}
			if r.timed {
				t.clock.reach(r.moment, s.at)
				// A value that stood still for longer than its last digit's worth does not follow the clock.
				near = near && apart(w.rec, s) <= r.moment.Unit
			}
			if s.adapted {
				t.links.echo.narrow(s.values.Of(r.value))
				t.links.inText.follow(r.value, s.values)
			}
			t.links.bound.narrow(w.judge.across.Bound.Fits(r.value, r.value, s.run))
		}
		switch {
		case near:
			t.clock.near++
			t.clock.coincide(r)
		case r.timed && len(w.same) == 0 && r.moment.During(w.rec.window):
			t.clock.near++
			t.clock.session++
		}
		if r.timed && near && r.moment.Unit == notation.Day {
			t.clock.date++
			if repeats {
				t.clock.repeatsCreated++
			}
		}
	}
}

// pattern sees how a concrete place moved from run to run.
func (w *stepAnalysis) pattern(c *change, views []*answerView) {
	p := &c.stats.runs
	fresh, continued := inorder.Agreement{}, inorder.Agreement{}
	all := inorder.Agreement{}
	for i, s := range views {
		value := c.after[i]
		if c.sizes != nil {
			value = string(rune(c.sizes[i+1])) + value
		}
		all.Add(value)
		if w.judge.runs.starts[s.run] == exchange.StartContinued {
			continued.Add(value)
		} else {
			fresh.Add(value)
		}
	}
	switch {
	case w.inRow: // nothing lies between the answers but a moment
		p.jitter++
		p.inRow++
	case all.N == 1:
		p.single++
	case all.Agree():
		p.drift++
	case fresh.Agree() && continued.N > 0 && (fresh.N > 1 || fresh.N == 1 && fresh.First == ""):
		p.continued++
	default:
		p.jitter++
	}
	if all.Returned() {
		p.returns++
	}
	w.trend(c, p, views)
	w.seeExpiry(c, views)
}

// trend sees whether a number, or the size of an array, grew from each run to the next as a counter does: by no more
// than what was sent in between may account for, in runs of any kind.
func (w *stepAnalysis) trend(c *change, p *runPattern, views []*answerView) {
	series := make([]float64, 0, len(c.after)+1)
	if c.sizes != nil {
		for _, n := range c.sizes {
			series = append(series, float64(n))
		}
	} else {
		before := notation.ScalarOf(c.before)
		for i, raw := range c.after {
			x, y, ok := counted(before, notation.ScalarOf(raw))
			if !ok || i > 0 && x != series[0] {
				p.wavering += len(c.after)
				return
			}
			if i == 0 {
				series = append(series, x)
			}
			series = append(series, y)
		}
	}
	steps := len(series) - 1
	limits, before := make([]float64, steps), -1.0 // the recording's own requests come first
	for i := range limits {
		at := w.judge.runs.sentBefore[views[i].run]
		limits[i], before = w.judge.counterLimit*max(1, at-before), at
	}
	switch up, down := inorder.Monotone(series, limits); {
	case up:
		p.rising += steps
	case down:
		p.sinking += steps
	default:
		p.wavering += steps
	}
}

// counted returns the whole numbers that two values are, or that they differ in as texts.
func counted(before, after notation.Scalar) (x, y float64, ok bool) {
	switch {
	case before.Kind == notation.Integer && after.Kind == notation.Integer && before.Raw != "":
		return notation.Float(before.Raw), notation.Float(after.Raw), true
	case before.Kind == notation.String && after.Kind == notation.String:
		a, b, ok := notation.NumbersIn(before.Text, after.Text)
		if !ok {
			a, b, ok = notation.FirstOf(before.Text, after.Text)
		}
		if ok && notation.AllDigits(a) && notation.AllDigits(b) {
			return notation.Float(a), notation.Float(b), true
		}
	}
	return 0, 0, false
}
