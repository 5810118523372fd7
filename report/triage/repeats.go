package triage

import (
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/breach"
)

// repeats finds answers of the run, to the requests of one test, that no longer have a value of an answer before them.
func (in *Input) repeats(steps []exchange.Step) []sight {
	if in.Alone || in.Beside == nil {
		return nil
	}
	var answers []breach.Answer
	for _, s := range steps {
		if a, ok := in.answer(s); ok {
			answers = append(answers, a)
		}
	}
	var out []sight
	for _, r := range breach.Repeats(answers) {
		a := answers[r.At]
		out = append(out, sight{r.Finding, a.Now, a.Step.Exchange.Seq})
	}
	return out
}

// answer is the answer of the run at a step, with what was seen before; false where there is none to judge.
func (in *Input) answer(s exchange.Step) (breach.Answer, bool) {
	op := in.Flaky.Judged.Operations[s.Exchange.Seq]
	a := breach.Answer{Now: in.now(s), Operations: in.known(op)}
	if a.Now == nil || in.apart[op] {
		return a, false
	}
	if !in.Alone {
		a.Step = exchange.Step{Exchange: s.Exchange, Observations: slices.DeleteFunc(slices.Clone(s.Observations), in.ofRun)}
	}
	return a, true
}
