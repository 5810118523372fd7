package volatility

import (
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// refusals counts, in the order of the requests of one operation in the recording and in each run, which were refused
// because of how many there were.
type refusals struct {
	last           map[int]bool // by run
	n, refused     int
	pairs, changes int // answers that came one after the other; those of which one was refused, and the other not
}

// statusTooMany is the status of such a refusal (RFC 6585).
const statusTooMany = `429`

// noteRefusals takes in whether the requests of one step were refused.
func (j *judge) noteRefusals(o *operation, rec *answerView, views []*answerView) {
	f := o.refusals
	f.add(0, rec)
	for _, s := range views {
		if !j.runs.mixed || j.runs.perturbed[s.run] == "" {
			f.add(s.run, s)
		}
	}
}

func (f *refusals) add(run int, s *answerView) {
	is := s.answer.Status() == statusTooMany
	before, known := f.last[run]
	f.last[run] = is
	if f.n++; is {
		f.refused++
	}
	if known {
		f.pairs++
		if is != before {
			f.changes++
		}
	}
}

// scattered reports whether refusals come as chance would have them: refused and not refused take turns as often as if
// each were drawn. A limit that is reached refuses all until it is lifted.
func (f *refusals) scattered() bool {
	p := float64(f.refused) / float64(max(f.n, 1))
	expected := 2 * p * (1 - p) * float64(f.pairs)
	return expected >= minPairs && float64(f.changes) > 0.75*expected
}

// tooManyRequests: the status that differs is the one by which an API refuses requests because of those before them, or
// the recorded one is, and the refusals do not fall on the requests as chance would have them.
func tooManyRequests(t *fieldStats, _ conditions) []mapfile.Evidence {
	if t.place != exchange.PlaceStatus || t.refusals == nil || t.refusals.scattered() ||
		!slices.Contains(t.values.distinct, statusTooMany) {
		return nil
	}
	return saysOf(mapfile.SignLimited, statusTooMany)
}
