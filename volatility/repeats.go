package volatility

import (
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/notation"
)

// repeatedRequests compares answers to the same request within the recording. It is used where there are no runs, to
// find what is made anew for every answer; with runs, a difference within the recording is what the requests in between
// did.
type repeatedRequests struct {
	first map[repeatKey]*compare.Answer
	bytes int
}

type repeatKey struct {
	exchange.Fingerprint
	status int
}

// maxRepeatBytes bounds the bodies that are kept to be compared with later ones.
const maxRepeatBytes = 32 << 20

func (r *repeatedRequests) compare(w *stepAnalysis) {
	key := repeatKey{w.fingerprint, w.operation.key.status}
	first := r.first[key]
	if first == nil {
		size := 256
		if w.exchange.Response != nil {
			size += 8 * len(w.exchange.Response.Body)
		}
		if r.bytes+size <= maxRepeatBytes {
			r.bytes += size
			r.first[key] = w.rec.answer
		}
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
