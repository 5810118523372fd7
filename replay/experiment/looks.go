package experiment

import (
	"cmp"
	"fmt"
	"iter"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// The bounds on what sending one request again and again may cost in one run, whatever the bound asks for.
const (
	maxAgain      = 1000
	maxAgainTime  = 10 * time.Second
	maxAgainBytes = 64 << 20
)

// Looks says how often each request of a recording is to be sent again, so that what is called stable has a small
// chance of moving.
type Looks struct {
	// Short is the number of operations that stay in doubt, because their requests are not safe to repeat or are too
	// slow or large.
	Short int
	// Runs is the number of further whole runs after which none would be.
	Runs int
	// Doubted are the operations in doubt, in the order of the map.
	Doubted []Doubted

	again map[uint64]int // by Seq
}

// Doubted is an operation with stable places that were not observed often enough.
type Doubted struct {
	*mapfile.Operation
	Places int            // so many
	Seldom exchange.Place // the first of those that were observed least often
	Of     int            // how often they were
	Again  int            // further requests that are to be sent
}

// asked is an exchange whose answer has places in doubt.
type asked struct {
	seq    uint64
	in     []int // the doubts; shared by the exchanges that have the same
	afford int   // how often its request may be sent again
}

// LooksFor plans a repeat run for the doubts about a recording: each request whose answer has a place in doubt is sent
// again, an equal number of times among those that have the place. Requests of other operations are not, nor those
// whose answers lack the place. Only the safe methods GET and HEAD (RFC 9110, section 9.2.1) are repeated. sent says
// which requests a run sends at all.
func LooksFor(doubts *volatility.Doubts, exchanges iter.Seq2[*exchange.Exchange, error],
	operations map[uint64]exchange.Operation, sent func(*exchange.Exchange) bool) (Looks, error) {
	all, err := whoIsAsked(doubts, exchanges, operations, sent)
	if err != nil {
		return Looks{}, err
	}
	const fewest = 3 // with fewer, a counter that the request itself raises looks like any value that moves
	holders := make([]int, len(doubts.Places))
	able := make([]int, len(doubts.Places))
	for _, a := range all {
		for _, i := range a.in {
			holders[i]++
			if a.afford >= fewest {
				able[i]++
			}
		}
	}
	l := Looks{again: map[uint64]int{}}
	got, again := make([]int, len(doubts.Places)), map[*mapfile.Operation]int{}
	for _, a := range all {
		if a.afford < fewest {
			continue
		}
		n := fewest
		for _, i := range a.in {
			n = max(n, (doubts.Places[i].Missing+able[i]-1)/able[i])
		}
		n = min(n, a.afford)
		l.again[a.seq] = n
		again[doubts.Places[a.in[0]].Operation] += n
		for _, i := range a.in {
			got[i] += n
		}
	}
	short := map[*mapfile.Operation]bool{}
	for i, d := range doubts.Places {
		if left := d.Missing - got[i]; left > 0 && holders[i] > 0 {
			short[d.Operation] = true
			l.Runs = max(l.Runs, (left+holders[i]-1)/holders[i])
		}
	}
	l.Short, l.Doubted = len(short), doubted(doubts, again)
	return l, nil
}

// whoIsAsked lists the exchanges whose answers have places in doubt.
func whoIsAsked(doubts *volatility.Doubts, exchanges iter.Seq2[*exchange.Exchange, error],
	operations map[uint64]exchange.Operation, sent func(*exchange.Exchange) bool) ([]asked, error) {
	var all []asked
	same := map[string][]int{}
	for e, err := range exchanges {
		if err != nil {
			return nil, err
		}
		in := doubts.In(e, operations[e.Seq])
		if len(in) == 0 || !sent(e) {
			continue
		}
		key := fmt.Sprint(in)
		if same[key] == nil {
			same[key] = in
		}
		all = append(all, asked{e.Seq, same[key], affordable(e)})
	}
	return all, nil
}

// doubted sums up the doubts by operation.
func doubted(doubts *volatility.Doubts, again map[*mapfile.Operation]int) []Doubted {
	var out []Doubted
	for _, d := range doubts.Places {
		if n := len(out); n == 0 || out[n-1].Operation != d.Operation {
			out = append(out, Doubted{Operation: d.Operation, Seldom: d.Field.Place, Of: d.Field.Of, Again: again[d.Operation]})
		}
		last := &out[len(out)-1]
		last.Places++
		if d.Field.Of < last.Of {
			last.Seldom, last.Of = d.Field.Place, d.Field.Of
		}
	}
	return out
}

// affordable is how often a request may be sent again.
func affordable(e *exchange.Exchange) int {
	if e.Request.Method != "GET" && e.Request.Method != "HEAD" {
		return 0
	}
	size := len(e.Response.Body) + int(min(e.Response.Cut, maxAgainBytes))
	return min(maxAgain, int(maxAgainTime/cmp.Or(e.Latency, 1)), maxAgainBytes/(size+1))
}

// Again is how many further times an exchange's request is to be sent; a run takes it as [Again].
func (l Looks) Again(e *exchange.Exchange) int { return l.again[e.Seq] }

// Total is the number of further requests.
func (l Looks) Total() int {
	n := 0
	for _, again := range l.again {
		n += again
	}
	return n
}
