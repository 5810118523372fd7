package align

import (
	"cmp"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/match"
	"github.com/flaketap/flaketap/suite/script"
)

// Bounds on the search for a test in a recording: how many exchanges may stand between two calls, where the generator
// has tried the test out as it is, and where it has only taken calls out of a longer one; and for how many places the
// assertions are held against the answers.
const (
	// Between and Apart are the two bounds of how many exchanges may stand between two calls.
	Between    = 2
	Apart      = 32
	maxWindows = 64
)

// Search finds each test by itself in a recording of something else: its calls one shortly after the other, or
// where they are not all found so, no more than apart exchanges after it. A fuzzer sends what it later writes into a
// test many times; of all the places, the one is taken where most calls are found, then where most of the assertions
// hold, then the last.
//
// It is no [match.Chain]: that needs a place for each call, which a test that was made shorter does not have, and what
// speaks for each place beforehand, whereas assertions are held against the answers of a few places alone.
func Search(s *script.Script, steps []exchange.Step, apart int, marks Marks,
	holding Holding) map[*script.Call]*exchange.Step {
	var index match.Index
	for i := range steps {
		index.Add(&steps[i].Exchange.Request)
	}
	out := map[*script.Call]*exchange.Step{}
	for _, t := range s.Tests {
		calls := Sent([]Run{Whole(t)}, marks)
		if own := Own(calls); len(own) > 0 {
			calls = own // what is sent once for several tests does not stand near each of them
		}
		for c, step := range searchTest(calls, t, steps, &index, apart, holding) {
			out[c] = step
		}
	}
	return out
}

// Holding counts the assertions of a test that hold of what its calls are matched with.
type Holding func(t *script.Test, at map[*script.Call]*exchange.Step) int

// Window is one place in a recording where a test may stand: the exchanges of its calls.
type Window struct {
	At    map[*script.Call]*exchange.Step
	worth int
}

func searchTest(calls []SentCall, t *script.Test, steps []exchange.Step, index *match.Index,
	apart int, holding Holding) map[*script.Call]*exchange.Step {
	if len(calls) == 0 {
		return nil
	}
	windows := Windows(calls, steps, index, apart)
	slices.Reverse(windows) // the last comes first among equals
	slices.SortStableFunc(windows, func(a, b Window) int { return cmp.Compare(b.worth, a.worth) })
	best, most := Window{}, -1
	for _, w := range windows[:min(len(windows), maxWindows)] {
		if w.worth < windows[0].worth {
			break
		}
		if n := holding(t, w.At); n > most {
			best, most = w, n
		}
	}
	return best.At
}

// Windows lists the places in a recording where a test's calls may stand, in order: one shortly after the other, and
// where they are not all found so, no more than apart exchanges after it.
func Windows(calls []SentCall, steps []exchange.Step, index *match.Index, apart int) []Window {
	if len(calls) == 0 {
		return nil
	}
	first := calls[0]
	starts := index.SameTarget(first.Method, first.Target)
	if first.Location != "" || len(starts) == 0 {
		starts = index.SameMethod(first.Method)
	}
	var windows []Window
	for _, i := range starts {
		if w := windowAt(calls, steps, i, Between); w.worth > 0 {
			windows = append(windows, w)
		}
	}
	if apart > Between && !slices.ContainsFunc(windows, func(w Window) bool { return len(w.At) == len(calls) }) {
		for _, i := range starts {
			if w := windowAt(calls, steps, i, apart); len(w.At) == len(calls) {
				windows = append(windows, w)
			}
		}
	}
	return windows
}

// windowAt takes the exchange at i for the first call's, and looks for the others behind it: those with the status that
// the suite expects, as the suite was generated from what it says.
func windowAt(calls []SentCall, steps []exchange.Step, i, between int) Window {
	w := Window{At: map[*script.Call]*exchange.Step{}}
	for _, c := range calls {
		for j := i; j < min(len(steps), i+1+between); j++ {
			if worth, expected := Agreement(c, steps[j].Exchange); worth > 0 && expected {
				w.At[c.Call] = &steps[j]
				w.worth += worth
				i = j + 1
				break
			}
		}
		if len(w.At) == 0 {
			return Window{}
		}
	}
	return w
}
