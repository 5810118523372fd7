// Package bound tells an API that waits for a service without a bound from one whose bound is longer than a search
// waits for an answer.
package bound

import (
	"fmt"
	"time"
)

// Bounds of what is waited to find out. The longest default of the clients that people use is 30 s.
const (
	times   = 6
	least   = 30 * time.Second
	inVain  = 2 // full waits, of all that a search proves
	mostAll = 8 // waits, in vain or not
)

// Long is how long an API is waited for that gave no answer within the patience of a search.
func Long(patience time.Duration) time.Duration { return max(times*patience, least) }

// Wait is what came of one request that had no answer within the patience.
type Wait struct {
	Waited time.Duration // until it ended, or until nobody waited any longer
	Status int           // of the answer that came; 0: none did
	Broke  bool          // the connection ended without one
}

// Ended reports whether the API came to an end by itself: then it bounds its waits.
func (w Wait) Ended() bool { return w.Status != 0 || w.Broke }

// String is the wait as people are told it: "answered 504 after 10.0 s", "no answer in 30 s".
func (w Wait) String() string {
	switch {
	case w.Status != 0:
		return fmt.Sprintf("answered %d after %.1f s", w.Status, w.Waited.Seconds())
	case w.Broke:
		return fmt.Sprintf("ended without an answer after %.1f s", w.Waited.Seconds())
	}
	return fmt.Sprintf("no answer in %.3g s", w.Waited.Seconds())
}

// Allowance is what is left of the time that a search may wait for proofs, in all.
type Allowance struct {
	left  time.Duration
	waits int
}

// Allow is the allowance of a search whose long waits take so long each.
func Allow(long time.Duration) *Allowance { return &Allowance{inVain * long, mostAll} }

// Left is how many waits of so long at most are allowed still.
func (a *Allowance) Left(long time.Duration) int {
	if a.left < long {
		return 0
	}
	return min(a.waits, int(a.left/long))
}

// Spend takes a wait off.
func (a *Allowance) Spend(w Wait) {
	a.left -= w.Waited
	a.waits--
}
