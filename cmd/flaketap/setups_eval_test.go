package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/testbed/evomaster"
	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/internal/testbed/wander"
	"github.com/flaketap/flaketap/internal/testbed/wardapi"
)

// promisedHelped is the share of the tests that an oracle can help that are promised a proven set-up.
const promisedHelped = 0.6

// wandered is an API that is walked through by a seed, and out of which tests are cut.
type wandered struct {
	name  string
	steps int // of the walk
	each  int // tests for each operation and status
	seeds []uint64
	start func(t *testing.T, b *bench) (url, reset string)
}

func wanderedAPIs() []wandered {
	return []wandered{
		{name: "office", steps: 260, each: 2, seeds: []uint64{1, 2}, start: func(t *testing.T, _ *bench) (string, string) {
			s := httptest.NewServer(wander.NewOffice())
			t.Cleanup(s.Close)
			return s.URL, s.URL + "/admin/reset"
		}},
		{name: "shop", steps: 220, each: 2, seeds: []uint64{1}, start: func(t *testing.T, _ *bench) (string, string) {
			url, stop := serveTruth(t, usual(""))
			t.Cleanup(stop)
			return url, url + "/admin/reset"
		}},
		{name: "ward", steps: 220, each: 2, seeds: []uint64{1}, start: func(t *testing.T, _ *bench) (string, string) {
			s := httptest.NewServer(wardapi.New(wardapi.Dials{LagChance: -1, RareChance: -1, Fresh: true}))
			t.Cleanup(s.Close)
			return s.URL, s.URL + "/admin/reset"
		}},
		{name: "json-server", steps: 220, each: 2, seeds: []uint64{1}, start: func(t *testing.T, b *bench) (string, string) {
			modules, there := toolsDir(t, "node")
			needs.That(t, "Node with json-server (make tools installs it)", there && found("node"))
			b.testdata("json-server.json", "json-server-reset.cjs")
			url := b.start("env NODE_ENV=production node json-server-reset.cjs "+modules+"/node_modules json-server.json PORT", "/profile")
			return url, url + "/admin/reset"
		}},
		{name: "lending", steps: 220, each: 2, seeds: []uint64{1}, start: func(t *testing.T, b *bench) (string, string) {
			needs.That(t, "a JDK", found("java"))
			b.testdata("Lending.java")
			url := b.start("java Lending.java PORT", "/health")
			return url, url + "/admin/reset"
		}},
		{name: "pocketbase", steps: 90, each: 1, seeds: []uint64{1}, start: func(t *testing.T, b *bench) (string, string) {
			a := b.pocketBase(t)
			return a.url, a.reset
		}},
	}
}

func walkedAPI(name string) *wander.API {
	return map[string]func() *wander.API{"office": wander.OfficeAPI, "shop": wander.ShopAPI, "ward": wander.WardAPI,
		"lending": wander.LendingAPI, "json-server": wander.JSONServerAPI, "pocketbase": wander.PocketBaseAPI}[name]()
}

// walkerMain walks through the API at $FLAKETAP_URL, and writes the walk into a file: the API's name, the seed, the steps.
func walkerMain(file string, args []string) {
	seed, err := strconv.ParseUint(args[1], 10, 64)
	if err != nil {
		end(err)
	}
	n, err := strconv.Atoi(args[2])
	if err != nil {
		end(err)
	}
	steps, err := wander.Walk(http.DefaultClient, os.Getenv("FLAKETAP_URL"), walkedAPI(args[0]), seed, n)
	if err != nil {
		end(err)
	}
	data, err := json.Marshal(steps)
	if err == nil {
		err = os.WriteFile(file, data, 0o644)
	}
	end(err)
}

// TestEvalSetUps has patch give tests back what they depend on, of sessions that walk through APIs by a seed, knowing
// nothing of how set-ups are found. A test is helpable if it fails alone on a fresh start and passes in a second and a
// third run of the whole walk. Scored is the share of these that get a set-up that is proven, and that pass alone then.
func TestEvalSetUps(t *testing.T) {
	only := os.Getenv("FLAKETAP_EVAL_API")
	helpable, helped := 0, 0
	for _, w := range wanderedAPIs() {
		for _, seed := range w.seeds {
			if only != "" && only != w.name {
				continue
			}
			t.Run(fmt.Sprintf("%s-%d", w.name, seed), func(t *testing.T) {
				b := newFuzzBench(t)
				b.patience = time.Hour
				e := &setUpEval{b: b, wandered: w}
				e.url, e.reset = w.start(t, b)
				e.walk(seed)
				e.judge()
				h, all := e.patch()
				if keep := os.Getenv("FLAKETAP_EVAL_KEEP"); keep != "" {
					b.must("mkdir -p " + keep + " && cp -r suite patched *.db *.json " + keep)
				}
				helped, helpable = helped+h, helpable+all
			})
		}
	}
	t.Logf("set-ups for %d of %d helpable tests: %.0f %%", helped, helpable, 100*float64(helped)/float64(max(1, helpable)))
	if float64(helped) < promisedHelped*float64(helpable) {
		t.Errorf("a share of %.2f is promised", promisedHelped)
	}
}

// setUpEval is one walk, and what becomes of its tests.
type setUpEval struct {
	b          *bench
	url, reset string
	wandered
	steps    []wander.Step
	session  []*exchange.Exchange
	tests    []wander.Test
	helpable map[string][]string // by test: what it misses alone
}

func (e *setUpEval) walk(seed uint64) {
	t := e.b.t
	e.b.must(fmt.Sprintf("flaketap record --db session.db --listen 127.0.0.1:0 --target %s --reset %s -- env FLAKETAP_TEST_AS_WALKER=walk.json %s %s %d %d",
		e.url, e.reset, testBinary(t), e.name, seed, e.wandered.steps))
	if err := json.Unmarshal(read(t, filepath.Join(e.b.dir, "walk.json")), &e.steps); err != nil {
		t.Fatal(err)
	}
	session, err := sessionOf(filepath.Join(e.b.dir, "session.db"))
	if err != nil || len(session) != len(e.steps) {
		t.Fatalf("%d exchanges of %d steps: %v", len(session), len(e.steps), err)
	}
	e.session, e.tests = session, wander.Tests(e.steps, seed, e.each)
}

// fresh brings the API back to its start.
func (e *setUpEval) fresh() {
	resp, err := http.Post(e.reset, "", nil)
	if err != nil || resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusNoContent {
		e.b.t.Fatal(resp, err)
	}
	resp.Body.Close()
}

// judge finds the tests that the session before them helps.
func (e *setUpEval) judge() {
	t := e.b.t
	walker := &wander.Walker{Client: http.DefaultClient, Base: e.url}
	again := func(some []int) wander.Run {
		e.fresh()
		run, err := walker.Again(e.steps, some)
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	all := make([]int, len(e.steps))
	for i := range all {
		all[i] = i
	}
	first, second := again(all), again(all)
	e.helpable = map[string][]string{}
	for _, test := range e.tests {
		moving := append(e.missed(test, first), e.missed(test, second)...)
		if slices.ContainsFunc(moving, func(m string) bool { return strings.HasSuffix(m, " status") }) {
			continue
		}
		alone := slices.DeleteFunc(e.missed(test, again(test.Steps)), func(m string) bool { return slices.Contains(moving, m) })
		if len(alone) > 0 {
			e.helpable[test.Name] = alone
		}
	}
}

// missed lists what a run of a test contradicts.
func (e *setUpEval) missed(test wander.Test, run wander.Run) []string {
	var out []string
	now := func(text string) string {
		if value, ok := run.Now[text]; ok {
			return value
		}
		return text
	}
	for _, i := range test.Steps {
		if e.steps[i].Login {
			if run.Answers[i] == nil || run.Answers[i].Status != e.steps[i].Status {
				out = append(out, fmt.Sprintf("%d status", i))
			}
			continue
		}
		for _, m := range evomaster.Missed(e.session[i].Response, run.Answers[i], now) {
			out = append(out, fmt.Sprintf("%d %s", i, m))
		}
	}
	return out
}

// everyTestAlone has pytest bring the API back to its start before each test.
const everyTestAlone = `import urllib.request

import pytest


@pytest.fixture(autouse=True)
def fresh():
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    opener.open(urllib.request.Request("RESET", data=b"", method="POST")).read()
`

var passedTest = regexp.MustCompile(`(?m)^PASSED \S+::(\w+)`)

// patch writes the tests as a suite, patches it, and returns how many of the helpable tests have a proven set-up and
// pass.
func (e *setUpEval) patch() (helped, helpable int) {
	b, t := e.b, e.b.t
	listen := freeAddr(t)
	var tests []evomaster.Test
	for _, test := range e.tests {
		x := evomaster.Test{Name: test.Name}
		for n, i := range test.Steps {
			x.Calls = append(x.Calls, e.session[i])
			if e.steps[i].Login {
				x.Logins = append(x.Logins, n)
			}
		}
		tests = append(tests, x)
	}
	(&generatedSuite{bench: b}).write("suite/EvoMaster_Test.py", evomaster.Python("EvoMaster_Test", "http://"+listen, tests))
	b.write("suite/em_test_utils.py", evomaster.PythonHelper())
	b.write("suite/conftest.py", []byte(strings.ReplaceAll(everyTestAlone, "RESET", e.reset)))
	run := func(dir string) string {
		return " --listen " + listen + " --target " + e.url + " --reset " + e.reset +
			" -- python -m pytest -q --tb=no -rA -p no:cacheprovider " + dir + "/EvoMaster_Test.py"
	}
	b.sh("flaketap record --db suite.db" + run("suite"))
	b.sh("flaketap rerun --db suite.db --runs 2" + run("suite"))
	begun := time.Now()
	said := b.must("flaketap patch --db suite.db --session session.db --target " + e.url + " --reset " + e.reset + " --report patch.json --out patched suite")
	took := time.Since(begun).Round(time.Second)
	out, _ := b.sh("flaketap record --db after.db" + run("patched"))
	passed := map[string]bool{}
	for _, m := range passedTest.FindAllStringSubmatch(out, -1) {
		passed[m[1]] = true
	}
	proven, why := map[string]bool{}, map[string]string{}
	report := b.patchReport("patch.json", "EvoMaster_Test.py")
	for _, u := range report.Unreached {
		why[u.Test] = u.Reason
	}
	for _, c := range report.Changes {
		switch c.Kind {
		case "grafted":
			proven[c.Test] = strings.Contains(c.Reason, "proven by replay")
			why[c.Test] = c.Reason
		case "marked":
			why[c.Test] = c.Reason
		}
	}
	for _, name := range slices.Sorted(maps.Keys(e.helpable)) {
		if proven[name] && passed[name] {
			helped++
		} else {
			t.Logf("%s: proven %v, passes %v, misses %v: %s", name, proven[name], passed[name], e.helpable[name], why[name])
		}
	}
	t.Logf("%s: %d of %d helpable tests of %d, in %v; %s", e.name, helped, len(e.helpable), len(e.tests), took, lastLine(said))
	return helped, len(e.helpable)
}

func lastLine(text string) string {
	for line := range strings.Lines(text) {
		if strings.Contains(line, "verified") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}
