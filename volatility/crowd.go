package volatility

import "github.com/flaketap/flaketap/exchange"

// sentAtOnce says how many times the request of the i-th observation of a step was sent at once: 0 where its run is
// under no load, 1 where it was sent alone, before the others. What a run under load answers to other requests tells
// nothing: they come after those that were sent at once, and may find what these have left.
func (b *runBook) sentAtOnce(observations []*exchange.Observation, i int) (n int, tells bool) {
	run := observations[i].Run
	if n = b.atOnce[run]; n == 0 {
		return 0, true
	}
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

// crowd counts answers in runs under load: those to requests that were sent alone, and those to requests that were sent
// at once; of an operation all of them, of a place those that differ from the recorded value.
type crowd struct {
	alone, atOnce int
	fewest        int // requests at once under which one differed; 0 where none did
}

// count takes one answer in, to a request that was sent so many times at once; 0 says that its run is under no load.
func (c *crowd) count(n int) {
	switch {
	case n > 1:
		c.atOnce++
	case n == 1:
		c.alone++
	}
}

// moved takes in an answer that differs.
func (c *crowd) moved(n int) {
	if c.count(n); n > 1 && (c.fewest == 0 || n < c.fewest) {
		c.fewest = n
	}
}

// least is the fewest requests at once that moved a place which never moved where one was sent alone, of so many
// answers in all and so many in other runs, and not by chance; 0 where there are none.
func (c crowd) least(all crowd, others int) int {
	if c.atOnce == 0 || c.alone > 0 || chance(c.atOnce, all.atOnce, all.alone+others) > mostChance {
		return 0
	}
	return c.fewest
}
