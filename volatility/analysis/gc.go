package analysis

import "runtime/debug"

// Garbage bounds the memory that is taken beyond what is in use, in percent of it, as GOGC does.
type Garbage int

// What is known of the memory in use decides how much more of it may be garbage.
const (
	// Bounded is for work that keeps little of each exchange: what it keeps is small beside what passes, which would
	// otherwise be collected all the time.
	Bounded Garbage = 150
	// Unbounded is for work that keeps whole messages or waits for an API: it is as large as the recording makes it.
	Unbounded Garbage = 100

	leastGarbage Garbage = 40

	perExchange = 5_000_000 // percent times exchanges: what is kept of each exchange adds up
)

func (r retention) garbage() Garbage {
	if r == retainSteps {
		return Unbounded
	}
	return Bounded
}

// GC has garbage collected the sooner the more exchanges there are, for as long as a piece of work takes. The setting
// is one of the whole process ([debug.SetGCPercent]); nothing else in the program changes it.
type GC struct {
	most   Garbage
	before int // the setting of the process, to be restored
	next   int // the number of exchanges from which on the setting is due for a change
}

// TuneGC begins a piece of work. Whoever calls it calls [GC.Restore] when the work is done.
func TuneGC(most Garbage) *GC {
	return &GC{most: most, before: debug.SetGCPercent(int(most)), next: 1}
}

// Exchanges says how many exchanges have been read so far. It is called for each.
func (g *GC) Exchanges(n int) {
	if n < g.next {
		return
	}
	g.next = n + max(n/4, 1)
	debug.SetGCPercent(int(g.garbage(n)))
}

// garbage is what the setting is to be for a number of exchanges.
func (g *GC) garbage(n int) Garbage {
	return min(max(Garbage(perExchange/n), leastGarbage), g.most)
}

// Restore puts the setting back to what it was before the work began.
func (g *GC) Restore() { debug.SetGCPercent(g.before) }
