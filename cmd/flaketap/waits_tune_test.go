package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/needs"
)

// tunedAnswer is what waits tune writes as JSON, as far as it is looked at here.
type tunedAnswer struct {
	Best, Patch string
	Runs        int
	Strategies  []struct {
		Strategy, Unusable string
		MS                 float64 `json:"ms"`
		Saves              float64 `json:"saves_ms"`
		Took               float64 `json:"run_ms"`
		Holds              bool
		Passed, Runs       int
	}
}

// tuneBench is a suite of one test for node:test, which sleeps 2 s for a job of lateAPI, recorded and replayed.
func tuneBench(b *bench, sigma float64, replays int) *lateAPI {
	b.t.Helper()
	a := &lateAPI{sigma: sigma, random: rand.New(rand.NewPCG(11, uint64(100*sigma)))}
	a.begin("")
	s := httptest.NewServer(a)
	b.t.Cleanup(s.Close)
	b.env = append(b.env, "API="+s.URL)
	suite := &generatedSuite{bench: b}
	suite.write("suite/job.test.js", read(b.t, "testdata/tune/job.test.js"))
	b.must("flaketap record --listen 127.0.0.1:0 --target $API -- node suite/job.test.js")
	b.must(fmt.Sprintf("flaketap replay --runs %d --settle 5s", replays))
	return a
}

// tuneWait tunes the sleep of that suite, which stands in it as one of so many milliseconds, and writes the file into a
// folder, where it names one.
func tuneWait(b *bench, stands, flags, out, play string) (a tunedAnswer) {
	b.t.Helper()
	text := strings.Replace(string(read(b.t, "testdata/tune/job.test.js")), "sleep(2000)", "sleep("+stands+")", 1)
	(&generatedSuite{bench: b}).write("suite/job.test.js", []byte(text))
	if out != "" {
		flags += " --out " + out
	}
	got := b.must("flaketap waits tune suite/job.test.js:15 --from 2000 --target $API --format json " + flags + " -- " + play + " {file} 2>tune.log")
	if err := json.Unmarshal([]byte(got), &a); err != nil {
		b.t.Fatalf("%v: %s", err, got)
	}
	return a
}

// A sleep becomes polling, or gets a time from what a recording knows, or from a search.
func TestRealNodeTuneWaits(t *testing.T) {
	t.Parallel()
	needs.That(t, "Node", found("node"))
	b := newFuzzBench(t)
	tuneBench(b, 0.1, 24)
	a := tuneWait(b, "150", "--runs 3 --screen 2 --workers 3", "stable", "node")
	if a.Best != "poll" || len(a.Strategies) != 2 || !a.Strategies[0].Holds || !a.Strategies[1].Holds || a.Strategies[1].Strategy != "settle" ||
		a.Strategies[1].MS < 200 || a.Strategies[1].MS > 1500 || a.Strategies[0].Saves < 1500 {
		t.Errorf("%+v", a)
	}
	polls := string(read(t, filepath.Join(b.dir, "stable", "job.test.js")))
	if strings.Contains(polls, "await sleep(150)") || !strings.Contains(polls, "  const job = await poll(() => fetch(`${BASE}/jobs/${id}`), {\n") ||
		!strings.Contains(polls, `  assert.strictEqual(body.total, 42);`) {
		t.Errorf("%s", polls)
	}
	b.must("FLAKETAP_URL=$API node stable/job.test.js")
	found := tuneWait(b, "150", "--runs 3 --screen 2 --workers 3 --strategy first-match", "", "node")
	if found.Best != "first-match" || !strings.Contains(found.Patch, "-  await sleep(150);\n+  await sleep(1075);\n") {
		t.Errorf("%+v", found)
	}
}

// TestEvalTune measures what each strategy finds for a sleep of 100 ms that a developer raised to 2 s, before an API whose
// jobs take a lognormal time, 200 ms in the middle: how many runs it takes, and how many of further runs fail with what
// it chose. FLAKETAP_EVAL_RUNS says how many those are. A program plays the test, as node takes longer to begin than the
// test to end where the machine has other work; polling is played by node. TestEvalSearches (waits/tune) has the same
// many times over, with no test to be run.
func TestEvalTune(t *testing.T) {
	needs.That(t, "Node", found("node"))
	source, err := filepath.Abs("testdata/tune/play.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, sigma := range []float64{0.1, 0.3, 0.6} {
		t.Run(fmt.Sprintf("sigma %v", sigma), func(t *testing.T) {
			b := newEvalBench(t)
			api := tuneBench(b, sigma, 100)
			b.must("go build -o play " + source)
			for i, flags := range []string{"to-the-end --screen 100", "to-the-end", "first-match", "settle", "poll"} {
				out, play := fmt.Sprintf("found-%d", i), "./play"
				if flags == "poll" {
					play = "node"
				}
				begun := time.Now()
				a := tuneWait(b, "100", "--workers 6 --strategy "+flags, out, play)
				spent := time.Since(begun).Round(time.Second)
				api.begin("")
				failed, runs := further(b, play+" "+out+"/job.test.js")
				for _, s := range a.Strategies {
					t.Logf("sigma %v, %s: %v ms after %d runs in %s, saves %v ms of 2 s; %d of %d further runs fail", sigma, flags, s.MS, a.Runs, spent,
						s.Saves, failed, runs)
				}
			}
		})
	}
}

// further runs a command many times more, six at once, and counts the runs that fail.
func further(b *bench, command string) (failed int64, runs int) {
	runs = evalRuns(b.t, 300)
	var count, left atomic.Int64
	left.Store(int64(runs))
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				if _, status := b.sh("FLAKETAP_URL=$API " + command); status != 0 {
					count.Add(1)
				}
			}
		})
	}
	wg.Wait()
	return count.Load(), runs
}
