package volatility

import (
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/outside"
)

// outsideSeen is what external services answered for the exchanges of an operation: beside all observations, and beside
// those of the recorded status, as other places than that are judged by these.
type outsideSeen struct{ all, same outside.Seen }

// followOutside sees what of an observation moved beside what external services answered the API for it.
func (j *judge) followOutside(seq uint64, o *operation, rec, s *answerView) {
	pair := j.options.Outside.Pair(seq, s.run)
	if pair == nil {
		return
	}
	arranged := outside.Arranged(j.runs.perturbed[s.run] == exchange.ExternalsChanged)
	o.outside.all.Count(pair)
	if !s.answer.SameStatus(rec.answer) {
		o.at([]byte(exchange.PlaceStatus)).outside.Count(pair, rec.answer.Status(), s.answer.Status(), arranged)
		return
	}
	o.outside.same.Count(pair)
	counted := map[exchange.Place]bool{}
	for _, d := range s.differencesFrom(rec) {
		if d.Kind != compare.Notation && !counted[d.General] {
			counted[d.General] = true
			o.at([]byte(d.General)).outside.Count(pair, d.Before, d.After, arranged)
		}
	}
}

// noteFollowed notes which values of external services a place follows, all told.
func (j *judge) noteFollowed(o *operation, t *fieldStats) {
	seen := &o.outside.same
	if t.place == exchange.PlaceStatus {
		seen = &o.outside.all
	}
	for _, name := range j.options.Outside.Followed(seen, &t.outside) {
		t.followed = append(t.followed, mapfile.SignFollowsExternal.Of(j.options.Redactor.Show("", name)))
	}
}

// followsExternal: the place moved with what an external service answered, and never without.
func followsExternal(t *fieldStats, _ conditions) []mapfile.Evidence { return t.followed }
