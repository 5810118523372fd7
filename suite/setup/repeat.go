package setup

import (
	"cmp"
	"maps"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/flow/words"
	"github.com/flaketap/flaketap/internal/jsontree"
)

// What repeats the values of an earlier write may depend on it, as a code depends on the address that it was sent to.
// That is no more than a guess: it is a reason to try the two together, and to propose nothing.

const (
	// maxOrigins bounds the writes, the latest first, that a value is looked for in.
	maxOrigins = 16
	// enoughRepeated is how much has to be repeated, as weight counts it.
	enoughRepeated = 2
)

// repeatedOf returns, by the position of what repeats values, the positions of the writes that had sent them, the
// nearest first. What repeats values is itself the origin of none.
func repeatedOf(s *Session) map[int][]int {
	out := map[int][]int{}
	sent := map[string][]int{} // by value: the writes that sent it
	for i, e := range s.history.session {
		own := ownSites(s, e)
		if found := origins(own, sent, s.history.paths, i); len(found) > 0 {
			out[i] = found
			continue
		}
		if e.Request.Method != "POST" && e.Request.Method != "PUT" || e.Response == nil || e.Response.Status/100 != 2 {
			continue
		}
		for _, x := range own {
			if all := sent[x.Value]; len(all) == 0 || all[len(all)-1] != i {
				sent[x.Value] = append(all[max(0, len(all)+1-maxOrigins):], i)
			}
		}
	}
	return out
}

// ownSites returns the values of a request, in its query and its body, that the client made up and that tell something.
func ownSites(s *Session, e *exchange.Exchange) []message.Site {
	return slices.DeleteFunc(message.SitesOutsideHeader(&e.Request), func(x message.Site) bool {
		return x.Form == message.InPath || x.Value == "" || jsontree.IsNumber(x.Value) && !exchange.Secret(x.Place) ||
			slices.ContainsFunc(s.takes[e.Seq], func(t Taken) bool { return t.Place == x.Place })
	})
}

// origins returns the writes that sent enough of what a request at a position repeats. One to the same path is none: it
// is the same request again.
func origins(own []message.Site, sent map[string][]int, paths []string, pos int) []int {
	weight := map[int]int{}
	for _, s := range own {
		for _, i := range sent[s.Value] {
			if paths[i] == paths[pos] {
				continue
			}
			if weight[i]++; words.Particular(s.Value) {
				weight[i] = enoughRepeated
			}
		}
	}
	maps.DeleteFunc(weight, func(_, n int) bool { return n < enoughRepeated })
	return slices.SortedFunc(maps.Keys(weight), func(a, b int) int { return cmp.Compare(b, a) })
}

// repeats is relation of a request that repeats the values of a write: 0 where it does not.
func (f *Finder) repeats(i, pos int) int {
	if !slices.Contains(f.repeated[pos], i) {
		return 0
	}
	return (together - 1) * relationUnit
}
