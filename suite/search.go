package suite

import (
	"cmp"
	"slices"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow/match"
	"github.com/flaketap/flaketap/suite/align"
	"github.com/flaketap/flaketap/suite/script"
)

// Bounds on the search for a test in a recording: how many exchanges may stand between two calls, where the generator
// has tried the test out as it is, and where it has only taken calls out of a longer one; and for how many places the
// assertions are held against the answers.
const (
	maxBetween = 2
	maxApart   = 32
	maxWindows = 64
)

// searchCalls finds each test by itself in a recording of something else: its calls one shortly after the other, or
// where they are not all found so, no more than apart exchanges after it. A fuzzer sends what it later writes into a
// test many times; of all the places, the one is taken where most calls are found, then where most of the assertions
// hold, then the last.
//
// It is no [match.Chain]: that needs a place for each call, which a test that was made shorter does not have, and what
// speaks for each place beforehand, whereas assertions are held against the answers of a few places alone.
func searchCalls(s *script.Script, steps []exchange.Step, apart int,
	marks align.Marks) map[*script.Call]*exchange.Step {
	var index match.Index
	for i := range steps {
		index.Add(&steps[i].Exchange.Request)
	}
	out := map[*script.Call]*exchange.Step{}
	for _, t := range s.Tests {
		calls := align.Sent([]align.Run{align.Whole(t)}, marks)
		if own := align.Own(calls); len(own) > 0 {
			calls = own // what is sent once for several tests does not stand near each of them
		}
		for c, step := range searchTest(calls, t, steps, &index, apart) {
			out[c] = step
		}
	}
	return out
}

// window is one place in a recording where a test may stand.
type window struct {
	worth   int
	holding int
	at      map[*script.Call]*exchange.Step
}

func searchTest(calls []align.SentCall, t *script.Test, steps []exchange.Step, index *match.Index,
	apart int) map[*script.Call]*exchange.Step {
	if len(calls) == 0 {
		return nil
	}
	windows := windowsOf(calls, steps, index, apart)
	slices.Reverse(windows) // the last comes first among equals
	slices.SortStableFunc(windows, func(a, b window) int { return cmp.Compare(b.worth, a.worth) })
	best := window{holding: -1}
	for _, w := range windows[:min(len(windows), maxWindows)] {
		if w.worth < windows[0].worth {
			break
		}
		if w.hold(t); w.holding > best.holding {
			best = w
		}
	}
	return best.at
}

// windowsOf lists the places in a recording where a test's calls may stand, in order: one shortly after the other, and
// where they are not all found so, no more than apart exchanges after it.
func windowsOf(calls []align.SentCall, steps []exchange.Step, index *match.Index, apart int) []window {
	if len(calls) == 0 {
		return nil
	}
	first := calls[0]
	starts := index.SameTarget(first.Method, first.Target)
	if first.Location != "" || len(starts) == 0 {
		starts = index.SameMethod(first.Method)
	}
	var windows []window
	for _, i := range starts {
		if w := windowAt(calls, steps, i, maxBetween); w.worth > 0 {
			windows = append(windows, w)
		}
	}
	if apart > maxBetween && !slices.ContainsFunc(windows, func(w window) bool { return len(w.at) == len(calls) }) {
		for _, i := range starts {
			if w := windowAt(calls, steps, i, apart); len(w.at) == len(calls) {
				windows = append(windows, w)
			}
		}
	}
	return windows
}

// hold counts the assertions that the answers of a place satisfy.
func (w *window) hold(t *script.Test) {
	names := scopeOf(t, w.at, recordedRun)
	for _, a := range t.Assertions {
		if a.Meaning == nil {
			continue
		}
		if ok, err := names.Holds(a.Meaning); err == nil && ok {
			w.holding++
		}
	}
}

// windowAt takes the exchange at i for the first call's, and looks for the others behind it: those with the status that
// the suite expects, as the suite was generated from what it says.
func windowAt(calls []align.SentCall, steps []exchange.Step, i, between int) window {
	w := window{at: map[*script.Call]*exchange.Step{}}
	for _, c := range calls {
		for j := i; j < min(len(steps), i+1+between); j++ {
			if worth, expected := align.Agreement(c, steps[j].Exchange); worth > 0 && expected {
				w.at[c.Call] = &steps[j]
				w.worth += worth
				i = j + 1
				break
			}
		}
		if len(w.at) == 0 {
			return window{}
		}
	}
	return w
}
