package script

import (
	"time"

	"github.com/flaketap/flaketap/suite/expr"
)

// Wait is what a test is to wait for at one of its calls, a read: the read is sent again until its answer is ready, has
// come to a bad end, or the time is over; in both of these the test fails.
type Wait struct {
	Call    *Call
	Ready   expr.Expr     // of the answer
	Failed  expr.Expr     // of an answer from which none went on; nil where none is known
	Atmost  time.Duration // in tenths of a second
	Every   time.Duration // the pause between two reads, in milliseconds
	Comment string        // how long it took where it was seen
}

// SleepsBetween reports whether a call is the first behind a place in the text of its test, in bytes: what a sleep
// there lets pass is for this call alone.
func (t *Test) SleepsBetween(at int, c *Call) bool {
	for _, other := range t.Calls {
		if other.At.Start > at && other.At.Start < c.At.Start {
			return false
		}
	}
	return at < c.At.Start
}
