package volatility

import (
	"iter"

	"github.com/flaketap/flaketap/internal/ahead"
	"github.com/flaketap/flaketap/volatility/compare"
)

// readStep is a step whose answers are read and compared.
type readStep struct {
	Piece
	rec   *answerView
	views []*answerView // by observation; nil for those that are held against something else than the recorded answer
	size  int           // bytes of the bodies
}

// ahead reads steps while those before them are judged, which takes as long again: two processors have their work. The
// judgement takes them in order. What both touch is begun alone, under a lock of its own.
func (j *judge) ahead(pieces iter.Seq2[Piece, error]) iter.Seq2[*readStep, error] {
	all := func(yield func(*readStep, error) bool) {
		for p, err := range pieces {
			r := &readStep{Piece: p}
			j.takeNews(p.Events, readAhead)
			if err == nil && p.Step.Exchange != nil {
				j.readAnswers(r)
			}
			if !yield(r, err) {
				return
			}
		}
	}
	return ahead.Of(all, func(r *readStep) int { return r.size })
}

// readAnswers reads the answers of a step.
func (j *judge) readAnswers(r *readStep) {
	e := r.Step.Exchange
	r.rec = j.recorded(e)
	r.rec.answer = j.reader.Read(e.Response, e.Fault)
	r.rec.answer.Parse()
	if e.Response != nil {
		r.size = len(e.Response.Body)
	}
	r.Step.Observations = j.runs.evidence(r.Step.Observations)
	r.views = make([]*answerView, len(r.Step.Observations))
	for i, ob := range r.Step.Observations {
		if ob == nil || ob.Response == nil && ob.Fault == nil {
			continue
		}
		if ob.Response != nil {
			r.size += len(ob.Response.Body)
		}
		if j.runs.aside(ob.Run) {
			continue
		}
		s := j.observation(ob, r.rec)
		s.holdAgainst(r.rec)
		r.views[i] = s
	}
}

// holdAgainst notes what differs between an answer and another one, where both have the same status.
func (s *answerView) holdAgainst(rec *answerView) {
	if s.answer.SameStatus(rec.answer) {
		s.against, s.differences = rec, rec.answer.Differences(s.answer)
	}
}

// differencesFrom lists what differs between an answer and the one that it is held against.
func (s *answerView) differencesFrom(rec *answerView) []compare.Difference {
	if s.against == rec {
		return s.differences
	}
	return rec.answer.Differences(s.answer)
}
