package search

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock/search/shape"
	"github.com/flaketap/flaketap/mock/search/tree"
	"github.com/flaketap/flaketap/mock/search/wordings"
)

// sight is by what a behavior is told from others, and what the outcome tells beside.
type sight struct {
	end       End
	status    int
	rest      string          // the end, the status and the outgoing calls
	sign      string          // the end, the status, the shape of the answer, and the outgoing calls
	log       string          // what the API logged, without values
	told      []wordings.Told // by errors
	toldKey   string
	reads     map[Endpoint][]Read
	last      spot // what was read last
	endpoints []Endpoint
	times     map[Endpoint]int
	first     bool // the behavior was not known before
	took      time.Duration
	late      bool // a service was that was asked
}

// spot is a place of an answer.
type spot struct {
	endpoint Endpoint
	place    exchange.Place
}

// score is how far a request got: by the endpoints that were asked, by an answer that is good, and without errors that
// name something.
func (v sight) score() int {
	if v.end != Answered {
		return -1
	}
	score := 4 * min(len(v.endpoints), 100)
	switch {
	case v.status/100 == 2:
		score += 6
	case v.status/100 == 4:
		score-- // it was refused, which may be for what was answered
	}
	return score - min(len(v.told), 1)
}

// alike reports whether two sights are of one behavior as far as its client sees.
func (v sight) alike(o sight) bool { return v.sign == o.sign }

// equal reports whether two sights are of one behavior, with what was logged.
func (v sight) equal(o sight) bool { return v.alike(o) && v.log == o.log && v.toldKey == o.toldKey }

// same reports whether two sights of a request are of one behavior.
func (h *hunt) same(v, o sight) bool { return v.equal(o) || h.quiet && v.alike(o) }

// full is the sight as a text, with what was logged.
func (v sight) full() string { return v.sign + "\x00" + v.log }

// key is by what the behavior of a sight is told from others of the request.
func (h *hunt) key(v sight) string {
	if h.quiet {
		return v.sign
	}
	return v.full()
}

// isKnown reports whether the behavior was seen before.
func (h *hunt) isKnown(v sight) bool { return h.seen[h.key(v)] }

func (h *hunt) know(v sight) { h.seen[v.sign], h.seen[v.full()] = true, true }

// sightOf is what an outcome of a setting shows. given are the values that come from elsewhere.
func sightOf(o Outcome, set setting, given map[string]bool) sight {
	parts := []string{string(o.End), fmt.Sprint(o.Status)}
	v := sight{end: o.End, status: o.Status, times: map[Endpoint]int{}, endpoints: asked(o.Calls, given),
		log: shape.Broken(o.Log, given)}
	for _, c := range o.Calls {
		v.times[c.endpoint(given)] += c.Times
	}
	for _, e := range slices.SortedFunc(slices.Values(v.endpoints), Endpoint.compare) {
		parts = append(parts, fmt.Sprint(e, o.often(v.times[e])))
	}
	if _, unverified := set.untrusted(o.Calls); unverified { // which may be all that is told of it
		parts = append(parts, string(Unverified))
	}
	v.reads = map[Endpoint][]Read{}
	for _, r := range o.Reads {
		e := Call{Service: r.Service, Method: r.Method, Target: r.Target}.endpoint(given)
		v.reads[e] = append(v.reads[e], r)
		v.last = spot{e, r.Place}
	}
	v.rest = strings.Join(parts, "\n")
	v.sign = shape.Of(o.Body, given) + "\n" + v.rest
	v.told = wordings.Merged(wordings.ReadErrors(o.Body), wordings.ReadErrors([]byte(o.Log)))
	v.toldKey = fmt.Sprint(v.told)
	return v
}

// often is how often calls of an endpoint were made, as far as it tells behaviors apart: several are as good as many,
// unless they are so many that something should have ended them. While the API hangs that depends on the machine.
func (o Outcome) often(times int) int {
	if times >= manyTimes && o.End != Hung {
		return manyTimes
	}
	return min(times, 3)
}

func (c Call) endpoint(given map[string]bool) Endpoint {
	return Endpoint{c.Service, c.Method, shape.Path(c.Target, given)}
}

// asked are the endpoints of calls.
func asked(calls []Call, given map[string]bool) (out []Endpoint) {
	for _, c := range calls {
		if e := c.endpoint(given); !slices.Contains(out, e) {
			out = append(out, e)
		}
	}
	return out
}

// tells reports whether an error names one of some places: then that is learnt from it.
func tells(seen sight, places []exchange.Place) bool {
	return slices.ContainsFunc(seen.told, func(t wordings.Told) bool {
		return slices.ContainsFunc(places, func(p exchange.Place) bool {
			return strings.HasSuffix(string(p), string(t.Place[len(exchange.PlaceBody):]))
		})
	})
}

// note takes the texts of an answer, and the segments of the paths that the API asked for, that it was not given: it
// says them by itself, also where it is given them.
func (h *hunt) note(o Outcome, given map[string]bool) {
	said := map[string]bool{}
	for _, c := range o.Calls {
		target, _, _ := strings.Cut(c.Target, "?")
		for s := range strings.SplitSeq(target, "/") {
			said[s] = true
		}
	}
	var v any
	if json.Unmarshal(o.Body, &v) == nil {
		tree.Texts(v, said)
	}
	for _, text := range slices.Sorted(maps.Keys(said)) { // so that the same ones are kept where there are too many
		if !given[text] && len(h.own) < maxOwn {
			h.own[text] = true
		}
	}
}

// maxOwn bounds the texts of an API's own that are known.
const maxOwn = 2000

// echoed are the values that the API may give back: those of its request, and of the answers that it is given, but for
// those that it says anyway.
func (h *hunt) echoed(set setting) map[string]bool {
	out := maps.Clone(h.given.Echoes)
	for _, a := range set {
		tree.Texts(a.JSON, out)
		if a.Then != nil {
			tree.Texts(a.Then.JSON, out)
		}
	}
	for text := range h.own {
		delete(out, text)
	}
	return out
}
