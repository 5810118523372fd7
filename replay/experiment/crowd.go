package experiment

import (
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/replay"
)

// What asking at once may cost.
const (
	maxCrowd      = 64               // requests at once
	maxCrowded    = 50               // requests of a recording that are sent at once, one for each operation
	maxCrowdTime  = 30 * time.Second // after which a run sends no further request at once
	maxCrowdAsked = 1000             // requests at once that a user may ask for
)

// crowd sends one request of each operation that may be repeated 2, 4, 8 … 64 times at the same instant, in a run each,
// until it is answered otherwise than when it is sent alone.
func crowd() Experiment {
	return Experiment{Name: exchange.PerturbLoad, Value: "N", Local: true,
		Help: "a GET or HEAD request of each operation N times at once; else 2, 4 … 64 times, until that changes the answer",
		make: func(value string, s situation) (Condition, error) {
			n, err := strconv.Atoi(value)
			if err != nil || n < 2 || n > maxCrowdAsked {
				return Condition{}, fmt.Errorf("a number from 2 to %d", maxCrowdAsked)
			}
			asked, err := representatives(s)
			return asked.atOnce(n), err
		},
		several: withoutValue(func(s situation) ([]Condition, error) {
			asked, err := representatives(s)
			var out []Condition
			for n := 2; n <= maxCrowd; n *= 2 {
				out = append(out, asked.atOnce(n))
			}
			return out, err
		})}
}

// crowded are the requests that are sent at once, by Seq: true until one is answered otherwise than alone.
type crowded struct {
	mu     sync.Mutex
	steady map[uint64]bool
}

// representatives chooses the first request of each operation, for each status that it was answered with.
func representatives(s situation) (*crowded, error) {
	type group struct {
		exchange.Operation
		status int
	}
	operations, err := s.operations()
	if err != nil {
		return nil, err
	}
	c, known := &crowded{steady: map[uint64]bool{}}, map[group]bool{}
	for e := range s.exchanges {
		if !repeatable(e) || !s.sent(e) {
			continue
		}
		g := group{operations[e.Seq], e.Response.Status}
		if !known[g] && len(known) < maxCrowded {
			known[g] = true
			c.steady[e.Seq] = true
		}
	}
	return c, nil
}

// atOnce makes the condition of a run with so many requests at once.
func (c *crowded) atOnce(n int) Condition {
	var begun time.Time
	which := func(e *exchange.Exchange) bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		if begun.IsZero() {
			begun = time.Now()
		}
		return c.steady[e.Seq] && time.Since(begun) < maxCrowdTime
	}
	return Condition{
		Name: exchange.PerturbLoad + "=" + strconv.Itoa(n), kind: exchange.RunRepeat,
		besides: len(c.steady) * (n + exchange.SentAlone - 1), over: c.settled,
		arrange: func(p *replay.Player) {
			p.Settle = 0
			putAround(p, replay.Crowd(n, which, c.found))
		},
	}
}

// found takes note of a request that is answered otherwise when it is sent at once: with more of them it would be, too.
func (c *crowded) found(e *exchange.Exchange) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.steady[e.Seq] = false
}

// settled reports whether all are answered otherwise already.
func (c *crowded) settled() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, steady := range c.steady {
		if steady {
			return false
		}
	}
	return true
}
