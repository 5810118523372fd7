package setup

import (
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/match"
)

const (
	// maxCandidates bounds the exchanges of a session that one call of a test is held against, the latest first.
	maxCandidates = 1 << 11
	// maxGap is how many exchanges of a session may stand between two calls of one test.
	maxGap = 32
)

// Locate sets the Seq of each call that has none to the exchange of the session that it stems from: in the order of the
// calls and near to each other, with the same request and an answer that satisfies what is wanted; the last such place
// of the session, since a generator writes its tests after it has tried them out. It reports whether every call was
// found but for those that clean up.
func (f *Finder) Locate(test []Wanted) bool {
	free := make([][]match.Candidate, len(test))
	for i := range test {
		if test[i].Seq == 0 {
			free[i] = f.candidates(&test[i])
		} else if pos, ok := f.position[test[i].Seq]; ok {
			free[i] = []match.Candidate{{Position: pos, Worth: 100}}
		}
	}
	for i, c := range match.Chain(free, maxGap) {
		if c >= 0 {
			test[i].Seq = f.history.session[c].Seq
		}
	}
	return !slices.ContainsFunc(test, func(w Wanted) bool { return w.Seq == 0 && !w.CleanUp })
}

// candidates returns the exchanges that a call may stem from, in order.
func (f *Finder) candidates(w *Wanted) []match.Candidate {
	var out []match.Candidate
	list, worth := f.index.SameTarget(w.Request.Method, w.Request.Target), 8
	if len(list) == 0 {
		list, worth = f.index.SameRoute(w.Request.Method, w.Request.Target), 2
	}
	for _, pos := range list[max(0, len(list)-maxCandidates):] {
		n, ok := satisfied(w.Claims, f.history.session[pos].Response)
		if !ok {
			continue
		}
		if match.SameBody(&w.Request, &f.history.session[pos].Request) {
			n += 4
		}
		out = append(out, match.Candidate{Position: pos, Worth: worth + n})
	}
	return out
}

// satisfied says how well an answer satisfies claims, from 0 to 8; ok is false where it has another status than is
// wanted.
func satisfied(claims []exchange.Claim, r *exchange.Response) (worth int, ok bool) {
	if r == nil {
		return 0, false
	}
	for _, c := range claims {
		if good, known := Satisfies(c, r); c.Place == exchange.PlaceStatus && known && !good {
			return 0, false
		}
	}
	good, all := 0, 0
	for _, c := range claims {
		held, known := Satisfies(c, r)
		if known {
			all++
		}
		if known && held {
			good++
		}
	}
	if all == 0 {
		return 4, true
	}
	return 8 * good / all, true
}
