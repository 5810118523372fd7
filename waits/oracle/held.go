package oracle

import "time"

// Held is a command that did not go through at once.
type Held struct {
	Command *Command
	Took    time.Duration
	Ready   bool // in the end it was answered as in passing runs
}

// Where is the place in the suite, as far as it is known.
func (h Held) Where() string {
	if h.Command.Source == "" {
		return "somewhere"
	}
	return h.Command.Source
}

// Unknown counts the commands of a run about its pages of which nothing is known, and all of these.
func (m *Model) Unknown(r *Run) (unknown, all int) {
	for _, k := range r.keyed() {
		if k.Kind == Neither {
			continue
		}
		all++
		if m.waits[k.Key] == nil {
			unknown++
		}
	}
	return unknown, all
}

// leastHeld is what it takes by itself that a command passes.
const leastHeld = 5 // milliseconds

// Held lists the commands of a run that were held, in order.
func (m *Model) Held(r *Run) []Held {
	var out []Held
	for _, k := range r.keyed() {
		w := m.waits[k.Key]
		if w == nil {
			continue
		}
		before, after := 0.0, 0.0
		if k.Sent > 0 {
			before = k.Sent - k.Start
		}
		if !w.Ready(k.First) {
			after = k.Given.At - k.First.At
		}
		if took := before + after; took > leastHeld {
			took := time.Duration(took * float64(time.Millisecond))
			out = append(out, Held{Command: k.Command, Took: took, Ready: w.Ready(k.Given)})
		}
	}
	return out
}
