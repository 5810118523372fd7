package verify

import (
	"hash/maphash"
	"sync"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/match"
	"github.com/flaketap/flaketap/volatility/compare"
)

// The bounds on what a transcript keeps of one run, in bytes.
const (
	maxBody       = 4 << 20   // of one body
	maxTranscript = 256 << 20 // of all messages
)

// transcript is what a suite asked and was answered in one run. It learns from the transcripts of further runs which of
// that moves from run to run.
type transcript struct {
	mu        sync.Mutex
	exchanges []*exchange.Exchange
	size      int
	missed    int // exchanges that there was no room for

	digests []map[exchange.Place]uint64 // by exchange: what its answer held; made once it is compared
	seed    maphash.Seed
	moved   map[movedAt]motion
}

// unanswered returns what came in the place of the answers, where there was not one; else "".
func (t *transcript) unanswered() string {
	fault := ""
	for _, e := range t.exchanges {
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
func (t *transcript) Record(e *exchange.Exchange) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.size += e.Size(); t.size > maxTranscript {
		t.missed++
		return nil
	}
	e.Seq = uint64(len(t.exchanges) + 1)
	t.exchanges = append(t.exchanges, e)
	return nil
}

// compare learns from a further run what moves: at which places the answers to equal requests differ. A request that
// differs in anything is another one here: what moves is read off the answers, and a wrong pair would make all move.
func (t *transcript) compare(further *transcript) {
	if t.moved == nil {
		t.moved, t.seed = map[movedAt]motion{}, maphash.MakeSeed()
		t.digests = make([]map[exchange.Place]uint64, len(t.exchanges))
		for i, e := range t.exchanges {
			t.digests[i] = t.digest(e)
		}
	}
	other := map[match.Occurrence]*exchange.Exchange{}
	for i, o := range match.Occurrences(further.exchanges) {
		other[o] = further.exchanges[i]
	}
	for i, o := range match.Occurrences(t.exchanges) {
		if e := other[o]; e != nil {
			t.compareAnswer(i, e)
		}
	}
}

// compareAnswer learns from another answer to the request of an exchange what moves in its answers.
func (t *transcript) compareAnswer(i int, other *exchange.Exchange) {
	before, after := t.digests[i], t.digest(other)
	first := t.exchanges[i].Response
	sameStatus := first != nil && other.Response != nil && first.Status == other.Response.Status
	note := func(place exchange.Place, m motion) {
		at := movedAt{i, place}
		t.moved[at] = motion{t.moved[at].gone || m.gone && sameStatus}
	}
	for place, d := range before {
		if now, there := after[place]; !there || now != d {
			note(place, motion{gone: !there})
		}
	}
	for place := range after {
		if _, there := before[place]; !there {
			note(place, motion{gone: true})
		}
	}
}

// digest tells what an answer holds at each place, its array indexes as wildcards: of what holds others, only what it
// is and how many they are, for those have places of their own.
func (t *transcript) digest(e *exchange.Exchange) map[exchange.Place]uint64 {
	out := map[exchange.Place]uint64{}
	compare.Read(e.Response, e.Fault).Each(func(general []byte, raw string) {
		if raw != "" && (raw[0] == '{' || raw[0] == '[') {
			raw = raw[:1]
		}
		place := exchange.Place(general)
		out[place] = out[place]*31 + maphash.String(t.seed, raw)
	})
	return out
}
