package search

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/mock/search/pace"
)

// patient asks rates, waits a second for them, and tries again as it is told, after a second at most.
func patient(w *world, _ Request) (int, string) {
	r := w.get("rates.example:443", "/latest")
	if r.status == 429 && !r.gone {
		if r.header["Retry-After"] != "0" {
			w.took += time.Second
		}
		r = w.get("rates.example:443", "/latest")
	}
	if r.late {
		w.took += time.Second
	}
	if r.gone || r.status != 200 {
		return 502, `{"error": "no rates"}`
	}
	if at(r.json, "usd") == nil {
		return 500, `KeyError: 'usd'`
	}
	return 200, `{"price": 1}`
}

// pacedOf are the paces of behaviors that have one, each with whether its stubs hold an answer back.
func pacedOf(found Result) (out []string) {
	for _, b := range found.Behaviors {
		if b.Pace != pace.Usual {
			out = append(out, fmt.Sprint(b.Status, " ", b.Pace, " ", strings.Contains(string(b.Stubs), "fixedDelay"), " ", len(b.Proofs)))
		}
	}
	slices.Sort(out)
	return out
}

func patientOptions() Options {
	return Options{Requests: []Request{{Method: "GET", Target: "/quote"}}, Trials: 250, Patience: 3 * time.Second}
}

// What differs from a known behavior in how long the answer takes alone is one of its own: the API waits for a service
// no longer, or waits before it asks again.
func TestPaces(t *testing.T) {
	found := searchWorld(t, patientOptions(), patient)
	if got, want := pacedOf(found), []string{"200 paused false 3", "502 cut short true 3", "502 paused false 3"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := pacedOf(searchWorld(t, patientOptions(), hurried)); len(got) > 0 {
		t.Errorf("an API that does not wait has %q", got)
	}
}

// hurried is patient, and takes no time for it.
func hurried(w *world, r Request) (int, string) {
	defer func(was time.Duration) { w.took = was }(w.took)
	return patient(w, r)
}

// A machine that is busy now and then, for a while, or all the time, makes no behavior, and nothing else of a search
// depends on it.
func TestPacesOfABusyMachine(t *testing.T) {
	calm := searchWorld(t, patientOptions(), hurried)
	for name, busy := range map[string]func(trial int) bool{
		"now and then": func(trial int) bool { return trial%7 == 3 },
		"for a while":  func(trial int) bool { return trial > 40 && trial < 80 },
		"at the end":   func(trial int) bool { return trial > 235 },
		"always":       func(int) bool { return true },
	} {
		t.Run(name, func(t *testing.T) {
			found := searchWorld(t, patientOptions(), func(w *world, r Request) (int, string) {
				if busy(w.trials) {
					w.took += 2 * time.Second
				}
				return hurried(w, r)
			})
			if got := pacedOf(found); len(got) > 0 || !slices.Equal(outline(found.Behaviors), outline(calm.Behaviors)) {
				t.Errorf("%q\n%q, want\n%q", got, outline(found.Behaviors), outline(calm.Behaviors))
			}
		})
	}
}
