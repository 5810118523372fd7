package recorded

import (
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/match"
	"github.com/flaketap/flaketap/flow/message"
)

// places are what runs tell of the values of one recorded request. Of a place that is not there they tell nothing.
type places map[exchange.Place]behavior

// behavior is what the value at a place did from run to run.
type behavior string

const (
	moves behavior = "moves" // it was another one
	stays behavior = "stays" // it was the same each time
)

// Runs say how what the API asked in runs of a recording is compared with what it asked then, to see which values of
// each recorded request move. The zero value compares nothing.
//
// What the API asked for one exchange in the recording is paired with what it asked for the same one in a run: first
// what is equal, then, of each service and route, what is left, if that is one request on both sides.
type Runs struct {
	// Causes has the exchange that each external was asked for, by its Seq; those that it does not have are not compared.
	Causes map[uint64]uint64
	// Stay says which runs tell that a value stays: a replay sends what the client sent then, and so says nothing of what
	// a client makes up that runs again.
	Stay func(run int) bool
}

// comparison is what is compared.
type comparison struct {
	causes map[uint64]uint64
	runs   map[int]map[asking][]*call // the recording itself is 0
	size   int
}

func (c *comparison) add(x *exchange.External) {
	cause := c.causes[x.Seq]
	if cause == 0 || c.size > MaxSize {
		return
	}
	if c.runs[x.Run] == nil {
		c.runs[x.Run] = map[asking][]*call{}
	}
	route := strings.Clone(match.RouteKey(x.Request.Method, x.Request.Target))
	of, one := asking{cause, nameOf(x), route}, callOf(x)
	c.runs[x.Run][of], c.size = append(c.runs[x.Run][of], one), c.size+one.size
}

// compare takes in what runs tell of the recorded requests.
func (r *Recording) compare(c comparison, stay func(run int) bool) {
	was := c.runs[0]
	delete(c.runs, 0)
	if len(c.runs) == 0 {
		return
	}
	type position struct {
		of *service
		at int
	}
	positions := map[uint64]position{}
	for _, s := range r.services {
		for i, x := range s.asked {
			positions[x.Seq] = position{s, i}
		}
	}
	for of, calls := range was {
		for run, in := range c.runs {
			for w, n := range pairs(calls, in[of]) {
				if p := positions[w.seq]; p.of != nil {
					p.of.see(p.at, w, n, stay(run))
				}
			}
		}
	}
}

// asking tells apart what the API asks for an exchange.
type asking struct {
	cause          uint64
	service, route string
}

// call is a request to a service as it is compared with another one.
type call struct {
	seq    uint64
	of     exchange.Fingerprint
	start  time.Time
	values map[exchange.Place]string
	size   int // of the values, in bytes
}

func callOf(x *exchange.External) *call {
	c := &call{seq: x.Seq, of: exchange.Exact(&x.Exchange), start: x.Start, values: map[exchange.Place]string{}}
	for _, site := range message.SitesOutsideHeader(&x.Request) {
		c.values[site.Place] = strings.Clone(site.Value)
		c.size += len(site.Place) + len(site.Value)
	}
	return c
}

// pairs goes over recorded calls and their counterparts in a run, of which it is sure.
func pairs(was, is []*call) iter.Seq2[*call, *call] {
	return func(yield func(w, n *call) bool) {
		equal := map[exchange.Fingerprint][]*call{} // those of the run that have no counterpart yet
		for _, n := range is {
			equal[n.of] = append(equal[n.of], n)
		}
		var alone []*call
		for _, w := range was {
			same := equal[w.of]
			if len(same) == 0 {
				alone = append(alone, w)
				continue
			}
			if equal[w.of] = same[1:]; !yield(w, same[0]) {
				return
			}
		}
		left := slices.Concat(slices.Collect(maps.Values(equal))...)
		if len(alone) == 1 && len(left) == 1 {
			yield(alone[0], left[0])
		}
	}
}

// see takes in what became of the values of a recorded request in a run: nothing where others were sent.
func (s *service) see(i int, was, now *call, stay bool) {
	for place := range was.values {
		if _, ok := now.values[place]; !ok || len(was.values) != len(now.values) {
			return
		}
	}
	seen := s.seen[i]
	if seen == nil {
		seen = places{}
		s.seen[i] = seen
	}
	for place, value := range was.values {
		switch {
		case now.values[place] != value:
			seen[place] = moves
		case wasNow(value, was.start) && wasNow(value, now.start): // today's date is another one tomorrow
		case stay && seen[place] == "":
			seen[place] = stays
		}
	}
}
