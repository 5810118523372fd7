package trial

import (
	"math/rand/v2"
	"time"
)

// Clock is a time that goes on only by being read and by Advance. It is not safe for several goroutines.
type Clock struct {
	now time.Time
	rng *rand.Rand
}

// NewClock returns a clock that begins at a time. The seed decides by how much each reading moves it.
func NewClock(at time.Time, seed uint64) *Clock {
	return &Clock{now: at, rng: rand.New(rand.NewPCG(seed, 0x636c6f636b))}
}

// Read moves the clock on by up to 200 µs, as work does, and returns the time: no two readings are alike.
func (c *Clock) Read() time.Time {
	c.Advance(time.Duration(1 + c.rng.Int64N(200_000)))
	return c.now
}

// Advance moves the clock on.
func (c *Clock) Advance(d time.Duration) { c.now = c.now.Add(d) }

// between returns a time from low to high.
func (c *Clock) between(low, high time.Duration) time.Duration {
	return low + time.Duration(c.rng.Int64N(int64(high-low)+1))
}
