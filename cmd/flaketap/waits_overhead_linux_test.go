package main

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/needs"
)

// TestEvalWaitsOverhead says how much longer commands of Selenium take while they are recorded, where nothing is waited
// for: the same eight commands go to two browsers in turn, to one by way of flaketap, to the other straight. So what
// else the machine does slows both. The processors' time is that of all that has a part in it. FLAKETAP_EVAL_RUNS says
// how often the commands go.
func TestEvalWaitsOverhead(t *testing.T) {
	const file = "overhead.js"
	s := newBrowserSuite(t, file, func() time.Duration { return 300 * time.Millisecond }, needs.Program(t, "node"))
	results := filepath.Join(t.TempDir(), "results.json")
	driver := needs.Program(t, "chromedriver")
	s.env = append(s.env, "DRIVER="+driver, "RESULTS="+results, "ROUNDS="+strconv.Itoa(evalRuns(t, 50)))
	if out, ok := s.through(file, "record", "--runs", "2", "--out", "session.json"); !ok {
		t.Fatal(out)
	}
	var of struct {
		Wall      struct{ Recorded, Bare []float64 }
		Processor struct{ Recorded, Bare float64 }
	}
	if err := json.Unmarshal(read(t, results), &of); err != nil {
		t.Fatal(err)
	}
	slices.Sort(of.Wall.Recorded)
	slices.Sort(of.Wall.Bare)
	rounds := float64(len(of.Wall.Bare))
	for _, share := range []float64{0.1, 0.25, 0.5, 0.75} {
		at := int(share * rounds)
		recorded, bare := of.Wall.Recorded[at], of.Wall.Bare[at]
		t.Logf("of %.0f rounds the one at %.0f %%: %.1f ms recorded, %.1f ms without, %.3f times", rounds, 100*share, recorded, bare, recorded/bare)
		if share == 0.5 && recorded > 1.1*bare {
			t.Error("more than 1.1 times")
		}
	}
	recorded, bare := of.Processor.Recorded/rounds, of.Processor.Bare/rounds
	t.Logf("processor time of a round: %.1f ms recorded, %.1f ms without, %.3f times; load %s", recorded, bare, recorded/bare, load())
	if recorded > 1.1*bare {
		t.Error("more than 1.1 times")
	}
}
