package volatility

import (
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/notation"
)

// clientStats count, of clients that the API had not seen before, whose answers differ at a place.
type clientStats struct {
	within int  // those whose own answers differ from each other
	among  int  // those whose first answer differs from that to the first of them
	kept   bool // the recorded request brought a cookie that no answer gave: a suite that sends it is no new client
}

// drawn reports whether a place is the same for each client and differs among them: once for each it was drawn.
func (c clientStats) drawn() bool { return c.within == 0 && c.among > 1 && !c.kept }

// statusUnauthorized is the status by which an API refuses a client that it does not know.
const statusUnauthorized = `401`

// takeClients takes in what clients were answered that the API had not seen before, run by run.
func (j *judge) takeClients(o *operation, rec *answerView, all []*exchange.Observation) {
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].Run == all[0].Run {
			n++
		}
		j.takeClientsOf(o, rec, all[:n])
		all = all[n:]
	}
}

// takeClientsOf takes in those of one run. The first answer is to the recorded request. Those who are sent away
// tell nothing: as nobody knows them, or because of how many asked before them.
func (j *judge) takeClientsOf(o *operation, rec *answerView, row []*exchange.Observation) {
	cookie := rec.request.Header.Get("Cookie")
	kept := cookie != "" && row[0].Sent.Header.Get("Cookie") == cookie
	var first *answerView
	for answers := row[1:]; len(answers) >= exchange.AsksOfClient; answers = answers[exchange.AsksOfClient:] {
		own := j.views(answers[:exchange.AsksOfClient], rec)
		one := own[0]
		if status := one.answer.Status(); status == statusUnauthorized || status == statusTooMany {
			continue
		}
		for _, again := range own[1:] {
			o.differing(one, again, func(t *fieldStats, _ compare.Difference) { t.clients.within++ })
		}
		if first == nil {
			first = one
		}
		o.differing(first, one, func(t *fieldStats, _ compare.Difference) { t.clients.among++ })
		o.differing(rec, one, func(t *fieldStats, d compare.Difference) {
			t.countUnder(exchange.FreshClients)
			t.clients.kept = kept
			t.values.replace(notation.ScalarOf(d.Before), notation.ScalarOf(d.After))
			t.values.learn()
			if d.After != "" {
				t.values.add(notation.ScalarOf(d.After))
			}
		})
	}
}

// differing goes over the places at which an answer differs from another, each once: the status alone where that does.
func (o *operation) differing(was, is *answerView, take func(*fieldStats, compare.Difference)) {
	if !is.answer.SameStatus(was.answer) {
		take(o.at([]byte(exchange.PlaceStatus)), compare.Difference{Before: was.answer.Status(), After: is.answer.Status()})
		return
	}
	seen := map[*fieldStats]bool{}
	for _, d := range was.answer.Differences(is.answer) {
		if t := o.at([]byte(d.General)); d.Kind != compare.Notation && !seen[t] {
			seen[t] = true
			take(t, d)
		}
	}
}

// drawnPerClient: each client has its own, and keeps it.
func drawnPerClient(t *fieldStats, _ conditions) []mapfile.Evidence {
	if !t.clients.drawn() {
		return nil
	}
	return says(mapfile.SignPerClient)
}
