package volatility

import (
	"iter"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/ahead"
	"github.com/flaketap/flaketap/volatility/compare"
)

// readStep is a step whose answers are read and compared.
type readStep struct {
	step  exchange.Step
	rec   *answerView
	views []*answerView // by observation; nil for those that are held against something else than the recorded answer
	size  int           // bytes of the bodies
}

// ahead reads steps while those before them are judged, which takes as long again: two processors have their work. The
// judgement takes them in order. What both touch is begun alone, under a lock of its own.
func (j *judge) ahead(steps iter.Seq2[exchange.Step, error]) iter.Seq2[*readStep, error] {
	all := func(yield func(*readStep, error) bool) {
		for step, err := range steps {
			if err == nil && step.Exchange == nil {
				continue
			}
			r := &readStep{step: step}
			if err == nil {
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
	e := r.step.Exchange
	r.rec = j.recorded(e)
	r.rec.answer.Parse()
	if e.Response != nil {
		r.size = len(e.Response.Body)
	}
	r.step.Observations = j.runs.evidence(r.step.Observations)
	r.views = make([]*answerView, len(r.step.Observations))
	for i, ob := range r.step.Observations {
		if ob == nil || ob.Response == nil && ob.Fault == nil {
			continue
		}
		if ob.Response != nil {
			r.size += len(ob.Response.Body)
		}
		if perturbedConditions[j.runs.perturbed[ob.Run]].judgement != "" || j.runs.repeated[ob.Run] {
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
