package volatility

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/lazy"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/notation"
)

// What the order of the requests says of a place, by volatility/inorder: what requests used up, what is waited for.

// orderedNumber is a number of the recorded answer of a step that is followed through the runs.
type orderedNumber struct {
	stats    *fieldStats
	recorded notation.Scalar
	value    float64
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
		w.numbers = append(w.numbers, orderedNumber{t, v, n})
	}
}

// followOrder takes the numbers of the step to those that came before them.
func (w *stepAnalysis) followOrder() {
	for _, n := range w.numbers {
		o := &n.stats.order
		if n.stats.kinds.value > 0 {
			for i, s := range w.same {
				if value, ok := numberOf(w.scalarIn(n.stats, n.recorded, i)); ok {
					o.Run(s.run, n.value, value, s.at)
				}
			}
		}
		o.Recorded(n.value, w.rec.at)
	}
}

// scalarIn returns what the i-th observation of the recorded status has at a place of which the recorded value is
// known.
func (w *stepAnalysis) scalarIn(t *fieldStats, recorded notation.Scalar, i int) notation.Scalar {
	if c := w.byPlace[t.place]; c != nil && c.after[i] != "" {
		return notation.ScalarOf(c.after[i])
	}
	return recorded
}

// clockWithinRun: the number is what is left until something that a run waits for, or has passed since something that
// happened in it.
func clockWithinRun(t *fieldStats, _ conditions) []mapfile.Evidence {
	switch {
	case t.order.Counts(): // and requests came at an even pace
		return nil
	case t.order.CountsDown():
		return saysOf(mapfile.SignFollowsClock, clockCountdown)
	case t.order.CountsUp():
		return saysOf(mapfile.SignFollowsClock, clockAge)
	}
	return nil
}

// countsRequests: from each request of a run to the next the number went on as a counter does.
func countsRequests(t *fieldStats, _ conditions) []mapfile.Evidence {
	if t.clock.follows == 0 && t.order.Counts() {
		return says(mapfile.SignCountsRequests)
	}
	return nil
}

// reRemaining is what is called what is left of what may be asked for.
var reRemaining = lazy.Regexp(`^(x?ratelimit|requests|calls|attempts|tries|quota|credits|allowance)?(remaining|left)$`)

// namedRemaining: a whole number that is called what is left of something, and that the order of the requests does not
// show to be drawn.
func namedRemaining(t *fieldStats, _ conditions) []mapfile.Evidence {
	v := &t.values
	if !reRemaining().MatchString(leaf(t.place)) || t.kinds.value == 0 || t.order.RefutesCounting() ||
		!v.only(notation.Integer) && !v.all(notation.AllDigits) {
		return nil
	}
	return saysOf(mapfile.SignName, "remaining")
}

// statusTooMany is the status by which an API refuses a request because of those before it (RFC 6585).
const statusTooMany = `429`

// noteRefusals takes in whether the requests of one step were refused so.
func (j *judge) noteRefusals(o *operation, rec *answerView, views []*answerView) {
	o.refusals.Add(0, rec.answer.Status() == statusTooMany)
	for _, s := range views {
		if !j.runs.mixed || j.runs.perturbed[s.run] == "" {
			o.refusals.Add(s.run, s.answer.Status() == statusTooMany)
		}
	}
}

// tooManyRequests: the status that differs is the one by which an API refuses requests because of those before them, or
// the recorded one is, and the refusals do not fall on the requests as chance would have them.
func tooManyRequests(t *fieldStats, _ conditions) []mapfile.Evidence {
	if t.place != exchange.PlaceStatus || t.refusals == nil || t.refusals.Scattered() ||
		!slices.Contains(t.values.distinct, statusTooMany) {
		return nil
	}
	return saysOf(mapfile.SignLimited, statusTooMany)
}
