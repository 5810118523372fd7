package volatility

import (
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/across"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/notation"
)

// repeatedRequests compares answers to the same request within the recording. It is used where there are no runs, to
// find what is made anew for every answer; with runs, a difference within the recording is what the requests in between
// did.
type repeatedRequests struct {
	first  map[repeatKey]*compare.Answer
	across *across.State
}

type repeatKey struct {
	exchange.Fingerprint
	status int
}

// maxRepeatBytes bounds the bodies that are kept to be compared with later ones.
const maxRepeatBytes = 32 << 20

// hold returns the first answer to a request, nil where this is the first one, which is kept if there is room.
func (r *repeatedRequests) hold(key repeatKey, e *exchange.Exchange, answer *compare.Answer) *compare.Answer {
	if first := r.first[key]; first != nil {
		return first
	}
	size := 256
	if e.Response != nil {
		size += 8 * len(e.Response.Body)
	}
	if r.across.Held+size <= maxRepeatBytes {
		r.across.Held += size
		r.first[key] = answer
	}
	return nil
}

func (r *repeatedRequests) compare(w *stepAnalysis) {
	first := r.hold(repeatKey{w.fingerprint, w.operation.key.status}, w.exchange, w.rec.answer)
	if first == nil {
		return
	}
	w.rec.answer.Each(func(general []byte, _ string) { w.operation.at(general).repetitions.pairs++ })
	for _, d := range first.Differences(w.rec.answer) {
		t := w.operation.at([]byte(d.General))
		t.repetitions.differ++
		before, after := notation.ScalarOf(d.Before), notation.ScalarOf(d.After)
		if d.Kind == compare.Changed && before.Kind == notation.String && after.Kind == notation.String &&
			notation.ShapesOf(before.Text)&notation.ShapesOf(after.Text)&notation.ShapeRandom != 0 &&
			len(w.rec.values.Of(after)) == 0 {
			t.repetitions.random++
		}
	}
}
