package condition

import (
	"slices"

	"github.com/flaketap/flaketap/exchange"
)

// Machines counts, of one place, how answers of one machine and of several differ in the same step.
type Machines struct {
	within int // answers that differ from the first of the same machine
	among  int // machines whose first answer differs from that of another
	agreed int // of these, the answers that the first one of their machine foretold
}

// leastAgreed is how many answers have to be as the first one of their machine was, where machines differ. What is
// drawn from two values does so by chance in one of four cases.
const leastAgreed = 2

// Decide reports whether each machine has its own at a place, and keeps it.
func (m Machines) Decide() bool { return m.within == 0 && m.among > 0 && m.agreed >= leastAgreed }

// Differ takes in that the answers of a pair differ.
func (m *Machines) Differ(p Pair) {
	if p.same {
		m.within++
		return
	}
	m.among++
	m.agreed += p.repeats
}

// PlayedOn says on which machines runs were played, by their numbers.
type PlayedOn map[int][]exchange.Played

// NewPlayedOn returns what runs say of that; nil where all were played on one machine, or it is not known.
func NewPlayedOn(runs []exchange.Run) PlayedOn {
	out, known := PlayedOn{}, map[exchange.Machine]bool{}
	for _, r := range runs {
		if len(r.Machines) > 0 {
			out[r.Number] = r.Machines
		}
		for _, m := range r.Machines {
			known[m.Machine] = true
		}
	}
	if len(known) < 2 {
		return nil
	}
	return out
}

// Pair is two answers of a step that tell of machines, by their places among all.
type Pair struct {
	First, Other int
	same         bool // one machine gave both
	repeats      int  // further answers of these machines, each counted in one pair
}

// played is what one machine answered.
type played struct {
	on      exchange.Machine
	first   int
	repeats int
}

// Pairs returns which answers of a step are to be held against each other: those of one machine, and the first ones of
// several that have the same version of the API, for what differs between versions they may. runs are those of the
// answers.
func (p PlayedOn) Pairs(seq uint64, runs []int) (pairs []Pair) {
	var machines []played
	for i, run := range runs {
		at := slices.IndexFunc(p[run], func(m exchange.Played) bool { return m.Steps.Has(seq) })
		if at < 0 {
			continue
		}
		on := p[run][at].Machine
		if at := slices.IndexFunc(machines, func(m played) bool { return m.on == on }); at >= 0 {
			machines[at].repeats++
			pairs = append(pairs, Pair{First: machines[at].first, Other: i, same: true})
			continue
		}
		machines = append(machines, played{on: on, first: i})
	}
	for i, m := range machines {
		at := slices.IndexFunc(machines[:i], func(other played) bool { return other.on.Version == m.on.Version })
		if at < 0 {
			continue
		}
		pairs = append(pairs, Pair{First: machines[at].first, Other: m.first, repeats: m.repeats + machines[at].repeats})
		machines[at].repeats = 0
	}
	return pairs
}
