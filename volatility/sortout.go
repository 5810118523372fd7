package volatility

import (
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/condition"
)

// seen are the observations of a step, by what they tell of.
type seen struct {
	views     []*answerView // of runs as recorded
	rows      []*exchange.Observation
	clients   []*exchange.Observation
	perturbed []underCondition // of runs under conditions
}

// underCondition is an answer under a condition, and how many times its request was sent at once, where the run is
// under load; else 0.
type underCondition struct {
	*exchange.Observation
	atOnce int
}

// sortOut sorts out the observations of a step, and takes in what they tell of their runs, and of later steps.
func (j *judge) sortOut(s *readStep) (all seen) {
	e, row := s.Step.Exchange, 0
	for i, ob := range s.Step.Observations {
		if ob == nil || ob.Response == nil && ob.Fault == nil {
			continue
		}
		if j.runs.aside(ob.Run) && !ob.Start.IsZero() {
			j.across.StartOf(ob.Run, ob.Start)
		}
		switch {
		case j.runs.clients[ob.Run]:
			all.clients = append(all.clients, ob)
			j.runs.answered[ob.Run]++
		case perturbedConditions[j.runs.perturbed[ob.Run]].judgement != "":
			atOnce, tells := j.runs.atOnce[ob.Run], true
			if atOnce > 0 {
				atOnce, tells = condition.AtOnce(s.Step.Observations, i, atOnce)
			}
			if tells {
				all.perturbed = append(all.perturbed, underCondition{ob, atOnce})
			}
			j.runs.answered[ob.Run]++
		case j.runs.repeated[ob.Run]:
			if ob.Run != row { // the first of its row
				row = ob.Run
				j.across.Learn(e.Seq, ob)
			}
			all.rows = append(all.rows, ob)
		default:
			all.views = append(all.views, s.views[i])
			j.runs.observed[ob.Run]++
			if ob.Fault != nil && e.Fault == nil {
				j.runs.failed[ob.Run]++
			}
			j.across.Learn(e.Seq, ob)
		}
	}
	return all
}

// noteHosts notes the authorities that were asked for: by the request, and where a run asked for another.
func (j *judge) noteHosts(rec *answerView, all []*answerView) {
	j.across.AskedFor(hostOf(rec.request))
	for _, v := range all {
		if v.adapted {
			j.across.AskedFor(hostOf(v.request))
		}
	}
}
