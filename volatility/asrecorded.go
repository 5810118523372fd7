package volatility

import (
	"github.com/flaketap/flaketap/exchange"
)

// Why a place moves is asked of the runs that were played as recorded, wherever it moved in one of them: what a
// perturbation broke on the way, and what requests sent in a row used up, is evidence for that experiment's own
// question. So these runs are counted by themselves, where there are others beside them.

// countAsRecorded counts once more what runs played as recorded answered, apart from all others.
func (j *judge) countAsRecorded(e *exchange.Exchange, o *operation, rec *answerView, views []*answerView) {
	if !j.runs.mixed {
		return
	}
	if o.asRecorded == nil {
		o.asRecorded = newOperation(o.key, &j.across.Hosts)
		o.asRecorded.refusals = o.refusals
	}
	var plain []*answerView
	for _, s := range views {
		if j.runs.perturbed[s.run] == "" {
			plain = append(plain, s)
		}
	}
	j.newAnalysis(e, o.asRecorded, rec, plain).count()
}

// explainedBy returns what tells why a place moves, and the conditions of the runs that it was counted in: what runs
// played as recorded say, where they saw it move, else what all of them say. What other runs were made to ask, and
// answered, speaks for either: whether a client has its own, whether it moves once what is cached expires, whether it
// follows an external service.
func (j *judge) explainedBy(o *operation, t *fieldStats) (*fieldStats, conditions) {
	if o.asRecorded != nil {
		if plain := o.asRecorded.places[string(t.place)]; plain != nil && plain.kinds.moves() > 0 {
			plain.clients, plain.expiry, plain.followed = t.clients, t.expiry, t.followed
			plain.machines = t.machines
			return plain, j.runs.asRecorded()
		}
	}
	return t, j.runs.conditions()
}
