package volatility

import (
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// machineStats count what answers of one machine, and of several, have at a place in the same step.
type machineStats struct {
	within int // answers that differ from an earlier one of the same machine
	among  int // machines whose first answer differs from that of another
	agreed int // of these steps, the answers that an earlier one of the same machine foretold
}

// leastAgreed is how many answers have to be as an earlier one of their machine was, where machines differ. What is
// drawn from two values does so by chance in one of four cases.
const leastAgreed = 2

// byMachine: each machine has its own, and keeps it.
func byMachine(t *fieldStats, _ conditions) []mapfile.Evidence {
	if m := t.machines; m.within > 0 || m.among == 0 || m.agreed < leastAgreed {
		return nil
	}
	return says(mapfile.SignByMachine)
}

// playedOn says on which machines runs were played, by their numbers; nil where that is one, or not known.
func playedOn(runs []exchange.Run) map[int][]exchange.Played {
	out := map[int][]exchange.Played{}
	known := map[exchange.Machine]bool{}
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

// machine returns where an answer of a run was given; false where that is not known.
func (b *runBook) machine(run int, seq uint64) (exchange.Machine, bool) {
	for _, m := range b.playedOn[run] {
		if m.Steps.Has(seq) {
			return m.Machine, true
		}
	}
	return exchange.Machine{}, false
}

// takeMachines holds the answers of a step against each other, by the machine that gave them. Those of different builds
// of the API are not held against each other: what differs there, the builds may.
func (j *judge) takeMachines(seq uint64, o *operation, views []*answerView) {
	if j.runs.playedOn == nil {
		return
	}
	var machines []exchange.Machine
	var firsts []*answerView
	agreed := 0
	apart := map[*fieldStats]bool{}
	for _, v := range views {
		m, known := j.runs.machine(v.run, seq)
		if !known {
			continue
		}
		if i := slices.Index(machines, m); i >= 0 {
			agreed++
			o.differing(firsts[i], v, func(t *fieldStats, _ compare.Difference) { t.machines.within++ })
			continue
		}
		i := slices.IndexFunc(machines, func(other exchange.Machine) bool { return other.Version == m.Version })
		if i >= 0 {
			o.differing(firsts[i], v, func(t *fieldStats, _ compare.Difference) {
				t.machines.among++
				apart[t] = true
			})
		}
		machines, firsts = append(machines, m), append(firsts, v)
	}
	for t := range apart {
		t.machines.agreed += agreed
	}
}
