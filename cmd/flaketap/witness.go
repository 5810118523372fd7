package main

import (
	"hash/maphash"
	"sync"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/compare"
)

// The bounds on what a witness remembers of one run, in bytes.
const (
	maxWitnessed = 4 << 20   // of one body
	maxWitness   = 256 << 20 // of all messages
)

// witness remembers what a suite was answered in one run, and which of it moves from run to run.
type witness struct {
	mu        sync.Mutex
	exchanges []*exchange.Exchange
	size      int
	missed    int // exchanges that there was no room for

	digests []map[exchange.Place]uint64 // by exchange: what its answer held; made once it is compared
	seed    maphash.Seed
	moved   map[movedAt]motion
}

// unanswered returns what came in the place of the answers, where there was not one; else "".
func (w *witness) unanswered() string {
	fault := ""
	for _, e := range w.exchanges {
		if e.Response != nil {
			return ""
		}
		if e.Fault != nil {
			fault = e.Fault.String()
		}
	}
	return fault
}

// movedAt is a place that moved in the answers to one request.
type movedAt struct {
	at    int // the exchange
	place exchange.Place
}

// motion says how: gone is true where an answer with the same status has nothing there.
type motion struct{ gone bool }

// Record implements [proxy.Recorder].
func (w *witness) Record(e *exchange.Exchange) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.size += e.Size(); w.size > maxWitness {
		w.missed++
		return nil
	}
	e.Seq = uint64(len(w.exchanges) + 1)
	w.exchanges = append(w.exchanges, e)
	return nil
}

// occurrence names the nth of the equal requests of a run.
type occurrence struct {
	of  exchange.Fingerprint
	nth int
}

// occurrences names the requests of a run.
func (w *witness) occurrences() []occurrence {
	count := map[exchange.Fingerprint]int{}
	out := make([]occurrence, len(w.exchanges))
	for i, e := range w.exchanges {
		of := exchange.Exact(e)
		out[i] = occurrence{of, count[of]}
		count[of]++
	}
	return out
}

// compare learns from a further run what moves: at which places the answers to equal requests differ.
func (w *witness) compare(further *witness) {
	if w.moved == nil {
		w.moved, w.seed = map[movedAt]motion{}, maphash.MakeSeed()
		w.digests = make([]map[exchange.Place]uint64, len(w.exchanges))
		for i, e := range w.exchanges {
			w.digests[i] = w.digest(e)
		}
	}
	other := map[occurrence]*exchange.Exchange{}
	for i, o := range further.occurrences() {
		other[o] = further.exchanges[i]
	}
	for i, o := range w.occurrences() {
		e := other[o]
		if e == nil {
			continue
		}
		was, now := w.digests[i], w.digest(e)
		alike := e.Response != nil && w.exchanges[i].Response != nil && e.Response.Status == w.exchanges[i].Response.Status
		note := func(place exchange.Place, gone bool) {
			at := movedAt{i, place}
			w.moved[at] = motion{w.moved[at].gone || gone && alike}
		}
		for place, d := range was {
			if other, there := now[place]; !there || other != d {
				note(place, !there)
			}
		}
		for place := range now {
			if _, there := was[place]; !there {
				note(place, true)
			}
		}
	}
}

// digest tells what an answer holds at each place, its array indexes as wildcards: of what holds others, only what it is
// and how many they are, for those have places of their own.
func (w *witness) digest(e *exchange.Exchange) map[exchange.Place]uint64 {
	out := map[exchange.Place]uint64{}
	compare.Read(e.Response, e.Fault).Each(func(general []byte, raw string) {
		if raw != "" && (raw[0] == '{' || raw[0] == '[') {
			raw = raw[:1]
		}
		place := exchange.Place(general)
		out[place] = out[place]*31 + maphash.String(w.seed, raw)
	})
	return out
}
