package setup

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/words"
	"github.com/flaketap/flaketap/internal/jsontree"
)

const (
	// maxCandidates bounds the exchanges of a session that one call of a test is held against, the latest first.
	maxCandidates = 1 << 11
	// maxGap is how many exchanges of a session may stand between two calls of one test.
	maxGap = 32
)

// route is how the requests of a session are found that a call of a test may stem from.
type routes struct {
	exact map[string][]int // by method, path and query
	alike map[string][]int // by method and path with a blank for each segment that is no word
}

func newRoutes(session []*exchange.Exchange) *routes {
	r := &routes{map[string][]int{}, map[string][]int{}}
	for i, e := range session {
		exact, alike := routeKeys(&e.Request)
		r.exact[exact] = append(r.exact[exact], i)
		r.alike[alike] = append(r.alike[alike], i)
	}
	return r
}

func routeKeys(r *exchange.Request) (exact, alike string) {
	path := pathKey(r)
	_, query := exchange.SplitTarget(r.Target)
	var b strings.Builder
	b.WriteString(r.Method)
	for s := range strings.SplitSeq(path, "/") {
		if !words.LooksLikeWord(s) {
			s = " "
		}
		b.WriteByte('/')
		b.WriteString(s)
	}
	return r.Method + " " + path + "?" + query, b.String()
}

// Locate sets the Seq of each call that has none to the exchange of the session that it stems from: in the order of the
// calls and near to each other, with the same request and an answer that satisfies what is wanted; the last such place
// of the session, since a generator writes its tests after it has tried them out. It reports whether every call was
// found but for those that clean up.
func (f *Finder) Locate(test []Wanted) bool {
	free := make([][]candidate, len(test))
	for i := range test {
		if test[i].Seq == 0 {
			free[i] = f.candidates(&test[i])
		} else if pos, ok := f.position[test[i].Seq]; ok {
			free[i] = []candidate{{pos: pos, worth: 100}}
		}
	}
	for i, c := range chain(free) {
		if c >= 0 {
			test[i].Seq = f.history.session[c].Seq
		}
	}
	return !slices.ContainsFunc(test, func(w Wanted) bool { return w.Seq == 0 && !w.CleanUp })
}

// candidate is an exchange that a call may stem from; worth says how much speaks for it.
type candidate struct{ pos, worth int }

// candidates returns the exchanges that a call may stem from, in order.
func (f *Finder) candidates(w *Wanted) []candidate {
	exact, alike := routeKeys(&w.Request)
	var out []candidate
	list, worth := f.routes.exact[exact], 8
	if len(list) == 0 {
		list, worth = f.routes.alike[alike], 2
	}
	for _, pos := range list[max(0, len(list)-maxCandidates):] {
		n, ok := satisfied(w.Claims, f.history.session[pos].Response)
		if !ok {
			continue
		}
		if sameBody(&w.Request, &f.history.session[pos].Request) {
			n += 4
		}
		out = append(out, candidate{pos, worth + n})
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

// sameBody reports whether two requests say the same in their bodies.
func sameBody(a, b *exchange.Request) bool {
	x, errX := a.Payload()
	y, errY := b.Payload()
	if errX != nil || errY != nil {
		return false
	}
	x, y = bytes.TrimSpace(x), bytes.TrimSpace(y)
	if bytes.Equal(x, y) {
		return true
	}
	if len(x) == 0 || len(y) == 0 || len(x) > jsontree.MaxText || x[0] != '{' && x[0] != '[' || x[0] != y[0] {
		return false
	}
	return bytes.Equal(compacted(json.RawMessage(x)), compacted(json.RawMessage(y)))
}

// link is the best chain that ends with a candidate.
type link struct {
	worth    int
	previous int // the candidate of the call before, by its index; -1 where the chain begins
}

// chain picks one candidate for each call, each after the one before and at most maxGap from it, so that most speaks
// for them and the last is as late as can be. Calls without candidates are passed over; -1 stands for them, and for all
// where there is no chain.
func chain(free [][]candidate) []int {
	out := make([]int, len(free))
	var calls []int
	for i := range free {
		out[i] = -1
		if len(free[i]) > 0 {
			calls = append(calls, i)
		}
	}
	links := make([][]link, len(calls))
	for n, i := range calls {
		links[n] = make([]link, len(free[i]))
		for k, c := range free[i] {
			links[n][k] = link{c.worth, -1}
			if n == 0 {
				continue
			}
			links[n][k].worth = -1 // nothing leads to it
			before := free[calls[n-1]]
			for j := len(before) - 1; j >= 0; j-- {
				if before[j].pos >= c.pos {
					continue
				}
				if c.pos-before[j].pos > maxGap*(i-calls[n-1]) {
					break
				}
				if from := links[n-1][j].worth; from >= 0 && from+c.worth > links[n][k].worth {
					links[n][k] = link{from + c.worth, j}
				}
			}
		}
	}
	if len(calls) == 0 {
		return out
	}
	last, best := -1, -1
	for k, l := range links[len(calls)-1] {
		if l.worth >= best && l.worth >= 0 {
			last, best = k, l.worth
		}
	}
	for n := len(calls) - 1; n >= 0 && last >= 0; n-- {
		out[calls[n]] = free[calls[n]][last].pos
		last = links[n][last].previous
	}
	return out
}
