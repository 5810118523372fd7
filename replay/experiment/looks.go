package experiment

import (
	"cmp"
	"math"
	"time"

	"github.com/flaketap/flaketap/exchange"
)

// The bounds on what sending one request again and again may cost in one run, whatever the bound asks for.
const (
	maxAgain      = 1000
	maxAgainTime  = 10 * time.Second
	maxAgainBytes = 64 << 20
)

// Looks says how often each operation of a recording has been looked at, and how often it has to be, so that what is
// called stable has a small chance of moving.
type Looks struct {
	// Short is the number of operations that stay below the wanted number of looks, because their requests are not
	// safe to repeat or are too slow or large.
	Short int
	// Runs is the number of further whole runs after which none would stay below it.
	Runs int

	again map[uint64]int // by Seq
}

// LooksFor plans a repeat run after so many runs of a recording. An answer that was the same in n looks moves with a
// chance below bound, in (0, 1), with 95 % confidence, where n is at least ln 0.05 / ln(1 - bound) (Clopper and Pearson
// 1934, no failures in n). Looks at one operation that had one status count together. Only the safe methods GET and
// HEAD (RFC 9110, section 9.2.1) are repeated.
func LooksFor(bound float64, runs int, exchanges []*exchange.Exchange, operations map[uint64]exchange.Operation) Looks {
	type group struct {
		exchange.Operation
		status int
	}
	members := map[group][]*exchange.Exchange{}
	for _, e := range exchanges {
		if e.Response == nil {
			continue
		}
		g := group{operations[e.Seq], e.Response.Status}
		members[g] = append(members[g], e)
	}
	const fewest = 3 // with fewer, a counter that the request itself raises looks like any value that moves
	wanted := int(math.Ceil(math.Log(0.05) / math.Log1p(-bound)))
	l := Looks{again: map[uint64]int{}}
	for _, all := range members {
		missing := wanted - runs*len(all)
		each := (missing + len(all) - 1) / len(all)
		got := 0
		for _, e := range all {
			if missing <= 0 {
				break
			}
			if n := min(max(each, fewest), affordable(e)); n >= fewest {
				l.again[e.Seq] = n
				got += n
			}
		}
		if got < missing {
			l.Short++
			l.Runs = max(l.Runs, (missing-got+len(all)-1)/len(all))
		}
	}
	return l
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
