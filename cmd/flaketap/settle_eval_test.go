package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/needs"
)

// medianSettle is how long a job of lateAPI takes in the middle.
const medianSettle = 200 * time.Millisecond

// lateAPI is an API whose jobs are accepted, not found for a while, pending, and then done, or failed where they are of
// mud. How long they take is lognormal.
type lateAPI struct {
	sigma float64
	// A job begins when it is read for the first time, not when it is made: so that a client which is slow comes too
	// early as well.
	idle bool
	slow time.Duration // more that each job takes
	mode string        // "": as said; "fails": all jobs fail; "never": none ends; "wrong": their totals are wrong

	mu     sync.Mutex
	random *rand.Rand
	jobs   map[string]*lateJob
}

// lateJob is a job, with when it was read last.
type lateJob struct {
	of         string
	made, read time.Time
	reads      int
	begun      bool // it was read
	settle     time.Duration
}

func (a *lateAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	if r.Method == http.MethodPost {
		var body struct{ Of string }
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			w.WriteHeader(http.StatusBadRequest)
		}
		id := fmt.Sprintf("%016x", a.random.Uint64())
		settle := time.Duration(float64(medianSettle)*math.Exp(a.sigma*a.random.NormFloat64())) + a.slow
		a.jobs[id] = &lateJob{of: body.Of, made: time.Now(), settle: settle}
		w.WriteHeader(http.StatusAccepted)
		fmt.Fprintf(w, `{"id":%q}`, id)
		return
	}
	id, onShelf := strings.CutPrefix(r.URL.Path, "/shelf/") // where it is not found until it is done
	id = strings.TrimPrefix(id, "/jobs/")
	j := a.jobs[id]
	now := time.Now()
	if j != nil && a.idle && !j.begun {
		j.made, j.begun = now, true
	}
	if j != nil {
		j.reads++
	}
	if j == nil || now.Sub(j.made) < j.settle/5 || onShelf && now.Sub(j.made) < j.settle {
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"error":"no such job"}`)
		return
	}
	state, total := "pending", "null"
	switch over := a.mode != "never" && now.Sub(j.made) >= j.settle; {
	case over && (a.mode == "fails" || j.of == "mud"):
		state = "failed"
	case over && a.mode == "wrong":
		state, total = "done", "41"
	case over:
		state, total = "done", "42"
	}
	j.read = now
	fmt.Fprintf(w, `{"id":%q,"of":%q,"state":%q,"total":%s}`, id, j.of, state, total)
}

// begin forgets all jobs.
func (a *lateAPI) begin(mode string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.mode, a.jobs = mode, map[string]*lateJob{}
}

// pace is how far apart the reads of a job came, in the middle of all that were read more than once.
func (a *lateAPI) pace() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	var all []time.Duration
	for _, j := range a.jobs {
		if j.reads > 1 {
			all = append(all, j.read.Sub(j.made)/time.Duration(j.reads-1))
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// waited returns how long the jobs of tea took in the middle, and how long they were waited for.
func (a *lateAPI) waited() (settle, waited time.Duration, n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var all, read []time.Duration
	for _, j := range a.jobs {
		if j.of == "tea" && !j.read.IsZero() {
			all, read = append(all, j.settle), append(read, j.read.Sub(j.made))
		}
	}
	if len(all) == 0 {
		return 0, 0, 0
	}
	slices.Sort(all)
	slices.Sort(read)
	return all[len(all)/2], read[len(read)/2], len(all)
}

// TestEvalSettle has an unmodified suite that reads too early, held, and written suites that poll, wait for jobs whose
// times are lognormal. FLAKETAP_EVAL_RUNS says how often each written suite runs, FLAKETAP_EVAL_FORMS which. What is
// wanted: all pass, at most 1.3 times the median time and one interval after the job was made; a job that never ends
// fails within the cap; a job that fails is told at once.
func TestEvalSettle(t *testing.T) {
	for _, sigma := range []float64{0.1, 0.3, 0.6} {
		t.Run(fmt.Sprintf("sigma %v", sigma), func(t *testing.T) {
			b := newEvalBench(t)
			a := &lateAPI{sigma: sigma, random: rand.New(rand.NewPCG(7, uint64(100*sigma)))}
			a.begin("")
			s := httptest.NewServer(a)
			t.Cleanup(s.Close)
			script, err := filepath.Abs("testdata/late/jobs.py")
			if err != nil {
				t.Fatal(err)
			}
			b.must("flaketap record --listen 127.0.0.1:0 --target "+s.URL+" -- python "+script, "PAUSE=1.5")
			a.held(b, script, slowest(b.must("flaketap replay --runs 5 --settle 5s")))
			for _, form := range lateForms() {
				t.Run(form, func(t *testing.T) { a.written(b, t, form, s.URL) })
			}
		})
	}
}

// lateForms are the forms that are evaluated.
func lateForms() []string {
	if names := strings.Fields(os.Getenv("FLAKETAP_EVAL_FORMS")); len(names) > 0 {
		return names
	}
	return []string{"pytest", "go", "jest", "postman", "junit5", "kotlin", "hurl"}
}

// interval is a tenth of the settle time.
const interval = medianSettle / 10

var unittests = regexp.MustCompile(`Ran (\d+) tests in ([\d.]+)s`)

// slowest is how long the slowest job took in replays, as these say; at least the one in the middle.
func slowest(replays string) time.Duration {
	most := medianSettle
	for _, m := range regexp.MustCompile(`the last after ([\d.]+m?s)`).FindAllStringSubmatch(replays, -1) {
		if took, err := time.ParseDuration(m[1]); err == nil {
			most = max(most, took)
		}
	}
	return most
}

// held runs the unmodified suite without waiting, by itself and held. A read is held for at most five times what the
// slowest took in the replays.
func (a *lateAPI) held(b *bench, script string, slowest time.Duration) {
	b.t.Helper()
	failed := func(out string) int {
		return strings.Count(out, "FAIL: ")
	}
	alone, held, tests := 0, 0, 0
	a.begin("")
	for range 5 {
		out, _ := b.sh("flaketap steady -- python " + script)
		alone += failed(out)
	}
	a.begin("")
	for range 5 {
		out, _ := b.sh("flaketap steady --hold -- python " + script)
		held += failed(out)
		if unittests.MatchString(out) {
			tests += 21
		}
		if held > 0 || tests == 21 {
			b.t.Log(tail(out))
		}
	}
	settle, waited, n := a.waited()
	b.t.Logf("unmodified: %d of %d tests fail without --hold, %d of %d with it; %d jobs took %s in the middle, and were read %s after they were made",
		alone, tests, held, tests, n, settle, waited)
	if held > 0 || tests != 105 || waited > 13*settle/10+interval {
		b.t.Errorf("%d of %d tests that are held fail, and wait %s for what takes %s", held, tests, waited, settle)
	}
	for mode, most := range map[string]time.Duration{"fails": 5 * medianSettle, "never": 5*slowest + time.Second} {
		a.begin(mode)
		out, _ := b.sh("flaketap steady --hold -- python " + script + " Jobs.test_tea_0 Jobs.test_tea_1")
		_, waited, _ := a.waited()
		b.t.Logf("%s, held: %d of 2 tests fail, told %s after the job was made\n%s", mode, failed(out), waited, tail(out))
		if failed(out) != 2 || waited > most {
			b.t.Errorf("%s: %d of 2 tests fail, told %s after the job was made", mode, failed(out), waited)
		}
	}
}

// written runs a written suite, on jobs that are done, that fail, and that never end.
func (a *lateAPI) written(b *bench, t *testing.T, form, url string) {
	if form == "hurl" {
		needs.That(t, "Hurl", found("hurl"))
	}
	own := *b
	own.t = t
	run := realRunners()[form](&own)
	own.must("flaketap suite --format " + form + " --out " + form)
	line := run(form)
	runs, failures := evalRuns(t, 20), 0
	a.begin("")
	for range runs {
		if out, status := own.sh(line, "FLAKETAP_URL="+url); status != 0 {
			if failures++; failures == 1 {
				t.Log(tail(out))
			}
		}
	}
	settle, waited, n := a.waited()
	t.Logf("%s: %d of %d runs fail; %d jobs took %s in the middle, and were read %s after they were made", form, failures, runs, n, settle, waited)
	if failures > 0 || n == 0 || waited > 13*settle/10+interval {
		t.Errorf("%d of %d runs fail, and wait %s for what takes %s", failures, runs, waited, settle)
	}
	for _, mode := range []string{"fails", "never"} {
		a.begin(mode)
		begun := time.Now()
		_, status := own.sh(line, "FLAKETAP_URL="+url)
		_, waited, _ := a.waited()
		t.Logf("%s: exit status %d, told %s after the job was made; the run took %s", mode, status, waited, time.Since(begun).Round(time.Millisecond))
		if status == 0 || mode == "fails" && form != "hurl" && waited > 4*medianSettle {
			t.Errorf("%s: exit status %d after %s", mode, status, waited)
		}
	}
}
