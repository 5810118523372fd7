package condition

import "github.com/flaketap/flaketap/exchange"

// AtOnce says how many times the request of the i-th observation of a step was sent at once, in a run that sends n at
// once: 1 where it was sent alone, before the others. What such a run answers to other requests tells nothing: they
// come after those that were sent at once, and may find what these have left.
func AtOnce(observations []*exchange.Observation, i, n int) (times int, tells bool) {
	run := observations[i].Run
	same := func(i int) bool { return observations[i] != nil && observations[i].Run == run }
	first, end := i, i+1
	for first > 0 && same(first-1) {
		first--
	}
	for end < len(observations) && same(end) {
		end++
	}
	if i-first < exchange.SentAlone {
		n = 1
	}
	return n, end-first > exchange.SentAlone
}

// Crowd counts answers in runs under load: those to requests that were sent alone, and those to requests that were sent
// at once; of an operation all of them, of a place those that differ from the recorded value.
type Crowd struct {
	alone, atOnce int
	fewest        int // requests at once under which one differed; 0 where none did
}

// Count takes one answer in, to a request that was sent so many times at once; 0 says that its run is under no load.
func (c *Crowd) Count(n int) {
	switch {
	case n > 1:
		c.atOnce++
	case n == 1:
		c.alone++
	}
}

// Moved takes in an answer that differs.
func (c *Crowd) Moved(n int) {
	if c.Count(n); n > 1 && (c.fewest == 0 || n < c.fewest) {
		c.fewest = n
	}
}

// Least is the fewest requests at once that moved a place which never moved where one was sent alone, of so many
// answers in all and so many in other runs, and not by chance; 0 where there are none.
func (c Crowd) Least(all Crowd, others int) int {
	if c.atOnce == 0 || c.alone > 0 || ByChance(c.atOnce, all.atOnce, all.alone+others) {
		return 0
	}
	return c.fewest
}
