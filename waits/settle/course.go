package settle

import (
	"cmp"
	"slices"
	"time"

	"github.com/flaketap/flaketap/exchange"
)

// Course is what the reads of one operation that wait for the same were answered on their way.
type Course struct {
	Operation exchange.Operation
	Seqs      []uint64 // the recorded reads
	Oracle    *Oracle  // with the times of all of them
	Trails    []Trail
	Aside     []Aside
}

// Trail is what the reads of one thing were answered in one execution.
type Trail struct {
	Run   int // 0 is the recording
	Looks []Look
}

// Look is one answer.
type Look struct {
	After    time.Duration // the write was answered
	Response *exchange.Response
	Assumed  bool // a replay says that it was as this one in its words and types
}

// Aside is a place that changes on the way, and by which nobody is told that the API is ready.
type Aside struct {
	Place exchange.Place
	Why   Why
}

// Why says what speaks against waiting for a place.
type Why string

// The reasons.
const (
	Differs  Why = "differs"  // the ends do not agree on it, or it is the same on the way
	Needless Why = "needless" // what else is waited for tells the same
)

// Courses returns how the reads went that follow a write and were not ready at once: by operation, those of most
// executions first.
func (l *Learner) Courses() []Course {
	var out []Course
	for op, all := range l.learned() {
		for _, alike := range byWords(all) {
			o := *alike[0].oracle
			o.Times = timesOf(alike)
			c := Course{Operation: op, Oracle: &o}
			for _, g := range alike {
				c.Seqs = append(c.Seqs, g.seqs...)
				c.Trails = append(c.Trails, g.shown()...)
				c.aside(g)
			}
			slices.Sort(c.Seqs)
			slices.SortStableFunc(c.Trails, func(a, b Trail) int { return cmp.Compare(a.Run, b.Run) })
			slices.SortFunc(c.Aside, func(a, b Aside) int { return cmp.Compare(a.Place, b.Place) })
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b Course) int {
		return cmp.Or(cmp.Compare(a.Operation.String(), b.Operation.String()), cmp.Compare(len(b.Trails), len(a.Trails)),
			cmp.Compare(a.Seqs[0], b.Seqs[0]))
	})
	return out
}

// byWords sorts groups by what they wait for.
func byWords(all []*group) map[string][]*group {
	same := map[string][]*group{}
	for _, g := range all {
		same[g.oracle.words()] = append(same[g.oracle.words()], g)
	}
	return same
}

// shown are the trails of a group.
func (g *group) shown() []Trail {
	var out []Trail
	for _, t := range g.trails {
		s := Trail{Run: t.run}
		for _, k := range t.looks {
			s.Looks = append(s.Looks, Look{max(0, k.at.Sub(t.wrote)), k.response, k.assumed})
		}
		out = append(out, s)
	}
	return out
}

// aside adds the places that changed along the trails of a group, and that it does not need.
func (c *Course) aside(g *group) {
	at := func(p exchange.Place) func(Value) bool { return func(v Value) bool { return v.Place == p } }
	for _, p := range g.changed() {
		if slices.ContainsFunc(g.oracle.Needed, at(p)) ||
			slices.ContainsFunc(c.Aside, func(a Aside) bool { return a.Place == p }) {
			continue
		}
		why := Differs
		if slices.ContainsFunc(g.oracle.Values, at(p)) {
			why = Needless
		}
		c.Aside = append(c.Aside, Aside{p, why})
	}
}
