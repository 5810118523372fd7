package oracle

import (
	"slices"
	"sort"
	"time"
)

// property is one property of one element.
type property struct{ element, name string }

func (m Mutation) property() property { return property{m.Element, m.Property} }

// lastProperties is how many of the last properties of a state say that it is reached.
const lastProperties = 3

// settled are the properties that an action has brought about by itself when all is over, in the order of their last
// changes, without those that are as they were before, or of elements that are gone: a toast that came and went is
// nothing to wait for. What a page tells at once has one time, so their order is that in which they were told.
func settled(mutations []Mutation, aside map[property]Fate) []Mutation {
	first, last, gone := map[property]Mutation{}, map[property]int{}, map[string]int{}
	for i, m := range mutations {
		if m.Property == "gone" {
			gone[m.Element] = i
		}
		if aside[m.property()] != "" || !m.Visible || !readable(m.Property) {
			continue
		}
		if _, ok := first[m.property()]; !ok {
			first[m.property()] = m
		}
		last[m.property()] = i
	}
	var out []Mutation
	for i, m := range mutations {
		at, ok := last[m.property()]
		if ok && at == i && gone[m.Element] <= i && m.Later && m.New != first[m.property()].Old {
			out = append(out, m)
		}
	}
	return out
}

// readable reports whether a property can be waited for by what a client of WebDriver may ask.
func readable(name string) bool {
	return name == "text" || name == "value" || name == "checked" || name == "children" || len(name) > 1 && name[0] == '@' && name != "@style"
}

// machine is the state that an action has to find, as runs that passed had it.
type machine struct {
	passed []found
	state  []Mutation // the last properties that all of these ended in
	early  bool       // in some run it came before that
	fine   bool       // and that run passed
}

// found is what an action found in a run that passed.
type found struct {
	window
	state []Mutation
}

// machines finds, for actions that follow an action, what has to have changed in between: where some run had the
// second come before that, and none of those passed. It returns how long that took.
func (m *Model) machines(s *Session, runs [][]window) map[Key][]time.Duration {
	all := map[Key]*machine{}
	for i := range runs {
		for _, w := range runs[i] {
			if w.Kind != Acts || w.looked || !w.passed {
				continue
			}
			k := all[w.Key]
			if k == nil {
				k = &machine{}
				all[w.Key] = k
			}
			k.passed = append(k.passed, found{w, settled(w.before(), m.aside)})
		}
	}
	for _, k := range all {
		k.agree()
	}
	for i := range runs {
		for _, w := range runs[i] {
			if k := all[w.Key]; k != nil && w.lacks(k.state) {
				k.early = true
				k.fine = k.fine || w.passed
			}
		}
	}
	times := map[Key][]time.Duration{}
	for key, k := range all {
		if k.early && !k.fine {
			m.waits[key].After = k.state
			times[key] = k.took()
		}
	}
	return times
}

// agree finds the state: of the properties that the first run ended in, in their order, the last that every other one
// ended in, too. What differs between runs, such as a time of day, is nothing to wait for.
func (k *machine) agree() {
	for _, want := range k.passed[0].state {
		if !slices.ContainsFunc(k.passed, func(f found) bool { return !slices.ContainsFunc(f.state, want.same) }) {
			k.state = append(k.state, want)
		}
	}
	k.state = k.state[max(0, len(k.state)-lastProperties):]
}

// took is how long it took in each run until all of the state had changed.
func (k *machine) took() (times []time.Duration) {
	for _, f := range k.passed {
		at := 0.0
		for _, m := range f.state {
			if slices.ContainsFunc(k.state, m.same) {
				at = max(at, m.At)
			}
		}
		times = append(times, f.window.took(at))
	}
	return times
}

// same reports whether two changes lead to the same.
func (m Mutation) same(as Mutation) bool { return m.property() == as.property() && m.New == as.New }

// before are the changes that an action found.
func (w *window) before() []Mutation {
	to := sort.Search(len(w.changes), func(i int) bool { return w.changes[i].At >= w.Sent })
	return w.changes[:to]
}

// lacks reports whether an action came before all of a state was there: it came later, or not at all, as where a suite
// that fails ends its browser at once.
func (w *window) lacks(state []Mutation) bool {
	before := w.before()
	return slices.ContainsFunc(state, func(want Mutation) bool { return !slices.ContainsFunc(before, want.same) })
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

// Given is what the reads of a run were given.
func (r *Run) Given() map[Key]Answer {
	out := map[Key]Answer{}
	for _, k := range r.keyed() {
		if k.Kind == Reads {
			out[k.Key] = k.Command.Given
		}
	}
	return out
}

// passes reports whether a read was answered something on the way which was gone in the end.
func (c *Command) passes() bool {
	answers := c.answers()
	return c.Kind == Reads && len(answers) > 2 && answers[len(answers)-1].Same(answers[0])
}
