package oracle

import (
	"slices"
	"sort"
	"time"
)

// property is one property of one element.
type property struct{ element, name string }

func (m Mutation) property() property { return property{m.Element, m.Property} }

// Bounds of what is told from a background.
const (
	// often is how often a property changes in one run before it may be a clock or an animation.
	often = 8
	// lastProperties is how many of the last properties of a state say that it is reached.
	lastProperties = 3
)

// background are the properties that change again and again, whatever the suite does: nothing is to wait for them.
func (s *Session) background() map[property]bool {
	out := map[property]bool{}
	for i := range s.Runs {
		type in struct {
			browser int
			property
		}
		at := map[in][]float64{}
		for _, m := range s.Runs[i].Mutations {
			k := in{m.Browser, m.property()}
			at[k] = append(at[k], m.At)
		}
		for k, times := range at {
			if len(times) > often && periodic(times) {
				out[k.property] = true
			}
		}
	}
	return out
}

// periodic reports whether most times lie about equally far apart.
func periodic(times []float64) bool {
	gaps := make([]float64, 0, len(times))
	for i := 1; i < len(times); i++ {
		gaps = append(gaps, times[i]-times[i-1])
	}
	sorted := slices.Sorted(slices.Values(gaps))
	middle := sorted[len(sorted)/2]
	near := 0
	for _, g := range gaps {
		if g >= middle*0.5 && g <= middle*1.5+5 {
			near++
		}
	}
	return near*10 >= len(gaps)*7
}

// settled are the properties that an action has brought about by itself when all is over, in the order of their last
// changes, without those that are as they were before: a toast that came and went is nothing to wait for. What a page
// tells at once has one time, so their order is that in which they were told.
func settled(mutations []Mutation, background map[property]bool) []Mutation {
	first, last := map[property]Mutation{}, map[property]int{}
	for i, m := range mutations {
		if background[m.property()] || !m.Visible || !readable(m.Property) {
			continue
		}
		if _, ok := first[m.property()]; !ok {
			first[m.property()] = m
		}
		last[m.property()] = i
	}
	var out []Mutation
	for i, m := range mutations {
		if at, ok := last[m.property()]; ok && at == i && m.Later && m.New != first[m.property()].Old {
			out = append(out, m)
		}
	}
	return out[max(0, len(out)-lastProperties):]
}

// readable reports whether a property can be waited for by what a client of WebDriver may ask.
func readable(name string) bool {
	return name == "text" || name == "value" || name == "children" || len(name) > 1 && name[0] == '@' && name != "@style"
}

// machine is the state that an action has to find, as runs that passed had it.
type machine struct {
	state []Mutation
	early bool // in some run it came before that
	fine  bool // and that run passed
	other bool // runs that passed differ in the state
	took  []time.Duration
}

// machines finds, for actions that follow an action, what has to have changed in between: where some run had the
// second come before that, and none of those passed. It returns how long that took.
func (m *Model) machines(s *Session, runs [][]window) map[Key][]time.Duration {
	all := map[Key]*machine{}
	for i := range runs {
		for _, w := range runs[i] {
			state := settled(w.before(), m.background)
			if w.Kind != Acts || w.looked || len(state) == 0 || !s.Runs[i].Passed() {
				continue
			}
			k := all[w.Key]
			if k == nil {
				k = &machine{state: state}
				all[w.Key] = k
			}
			k.other = k.other || !sameState(k.state, state)
			k.took = append(k.took, w.took(state[len(state)-1].At))
		}
	}
	for i := range runs {
		for _, w := range runs[i] {
			if k := all[w.Key]; k != nil && w.late(k.state[len(k.state)-1]) {
				k.early = true
				k.fine = k.fine || s.Runs[i].Passed()
			}
		}
	}
	times := map[Key][]time.Duration{}
	for key, k := range all {
		if k.early && !k.fine && !k.other {
			m.waits[key].After = k.state
			times[key] = k.took
		}
	}
	return times
}

// before are the changes that an action found.
func (w *window) before() []Mutation {
	to := sort.Search(len(w.changes), func(i int) bool { return w.changes[i].At >= w.Sent })
	return w.changes[:to]
}

// late reports whether a change came once the action had gone to the driver.
func (w *window) late(want Mutation) bool {
	for _, m := range w.changes {
		if m.property() == want.property() && m.New == want.New {
			return m.At >= w.Sent
		}
	}
	return false
}

func sameState(a, b []Mutation) bool {
	return slices.EqualFunc(a, b, func(x, y Mutation) bool { return x.property() == y.property() && x.New == y.New })
}

// Transients are the reads of a run that were answered something on the way which was gone in the end: a toast, a
// spinner. They were not to be waited past.
func (r *Run) Transients() map[Key]bool {
	out := map[Key]bool{}
	for _, k := range r.keyed() {
		if k.passes() {
			out[k.Key] = true
		}
	}
	return out
}

// passes reports whether a read was answered something on the way which was gone in the end.
func (c *Command) passes() bool {
	answers := c.answers()
	return c.Kind == Reads && len(answers) > 2 && answers[len(answers)-1].Same(answers[0])
}
