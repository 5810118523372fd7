package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/demoapi"
	"github.com/flaketap/flaketap/internal/testbed/needs"
)

// These tests hold the truth API still for suites that assert literally what they saw when they were recorded: one in
// each of four languages, in testdata/steady, and the one that flaketap suite --mode exact writes.

// steadyRounds is how often each of them must pass, each time on a fresh instance.
func steadyRounds() int {
	if os.Getenv("FLAKETAP_LONG") != "" {
		return 100
	}
	return 2
}

// steadyFaults are those that each of them must find.
func steadyFaults() []demoapi.Fault {
	if os.Getenv("FLAKETAP_LONG") != "" {
		return demoapi.Faults()
	}
	return demoapi.Faults()[:1]
}

// suiteSource returns one of the suites.
func suiteSource(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", "steady", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// usual is the truth API without what moves once in thirty times: no number of runs that a test can make has seen all of that
// for sure. What moves now and then is one thing as often as the other there, so that some twenty answers have seen both.
func usual(fault demoapi.Fault) demoapi.Dials {
	return demoapi.Dials{RareChance: -1, NullChance: 0.5, FieldChance: 0.5, TextChance: 0.5, Fault: fault, Latency: visible}
}

// shopStarts are the flags with which flaketap starts the usual truth API, anew for each run.
func shopStarts(t *testing.T) string {
	return "--start \"FLAKETAP_TEST_AS_SHOP=127.0.0.1:{port} exec '" + testBinary(t) + "'\" --ready http://127.0.0.1:{port}/health "
}

// visible is how long an API takes at most, so that the times between its requests differ from run to run: a count of
// milliseconds that is 0 in all runs of a fast API, and 1 once in a hundred, is asserted as 0.
const visible = 4 * time.Millisecond

// holdsStill records a suite, learns from replays, and has the suite run through steady on fresh instances. It must pass there, and
// fail on a fresh instance by itself and on one that has a fault.
func (b *bench) holdsStill(suite string, faults []demoapi.Fault) {
	b.t.Helper()
	url, stop := serveTruth(b.t, usual(demoapi.FaultNone))
	b.must("flaketap record --listen 127.0.0.1:0 --target " + url + " -- " + suite)
	b.must("flaketap replay --runs 8 --target " + url + " --reset " + url + "/admin/reset")
	stop()
	b.staysStill(suite, faults)
}

// staysStill is holdsStill for a suite that is recorded already.
func (b *bench) staysStill(suite string, faults []demoapi.Fault) {
	b.t.Helper()
	url, stop := serveTruth(b.t, usual(demoapi.FaultNone))
	if out, status := b.sh(suite, "FLAKETAP_URL="+url); status == 0 {
		b.t.Errorf("the suite passes by itself: there is nothing to hold still\n%s", tail(out))
	}
	stop()
	for i := range steadyRounds() {
		url, stop := serveTruth(b.t, usual(demoapi.FaultNone))
		out, status := b.sh("flaketap steady --target " + url + " -- " + suite)
		stop()
		if status != 0 || !strings.Contains(out, "held still (") {
			b.t.Fatalf("round %d: exit status %d\n%s", i+1, status, tail(out))
		}
		if i == 0 {
			b.t.Logf("%s", tail(out))
		}
	}
	for _, fault := range faults {
		url, stop := serveTruth(b.t, usual(fault))
		out, status := b.sh("flaketap steady --raw raw.jsonl --target " + url + " -- " + suite)
		stop()
		if status == 0 || !strings.Contains(out, "passed through unchanged:") {
			b.t.Errorf("with the fault %s the suite has status %d\n%s", fault, status, tail(out))
		}
		if raw, err := os.ReadFile(filepath.Join(b.dir, "raw.jsonl")); err != nil || !strings.Contains(string(raw), `"operation":"GET /products`) {
			b.t.Errorf("with the fault %s raw.jsonl says %s, %v", fault, raw, err)
		}
	}
}

func TestSteadyPython(t *testing.T) {
	t.Parallel()
	needs.That(t, "python3", found("python3"))
	newBench(t).holdsStill("python3 "+suiteSource(t, "suite.py"), demoapi.Faults()) // it is the quickest
}

func TestSteadyNode(t *testing.T) {
	t.Parallel()
	needs.That(t, "node", found("node"))
	newBench(t).holdsStill("node --test "+suiteSource(t, "suite.test.mjs"), steadyFaults())
}

func TestRealJVMSteady(t *testing.T) {
	t.Parallel()
	jars, there := toolsDir(t, "java")
	needs.That(t, "the Java libraries (make tools installs them)", there && found("javac"))
	b := newBench(t)
	b.must(fmt.Sprintf(quickJavac+" -nowarn -cp '%s/*' -d classes %s", jars, suiteSource(t, "Suite.java")))
	b.holdsStill(fmt.Sprintf(quickJava+" -cp 'classes:%s/*' Suite", jars), steadyFaults())
}

func TestSteadyGo(t *testing.T) {
	t.Parallel()
	needs.That(t, "go", found("go"))
	b := newBench(t)
	source, err := os.ReadFile(suiteSource(t, "suite_go.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(b.dir, "suite"), 0o755); err != nil {
		t.Fatal(err)
	}
	b.write("suite/suite_test.go", source)
	b.write("suite/go.mod", []byte("module suite\n\ngo 1.24\n"))
	build := exec.Command("go", "test", "-c", "-o", filepath.Join(b.dir, "suite.test"), ".")
	build.Dir = filepath.Join(b.dir, "suite")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	b.holdsStill("./suite.test", steadyFaults())
}

// The suite that flaketap writes with every value as recorded flakes, and does not through steady, also by the judgement of a map
// that was exported.
func TestSteadyExactSuite(t *testing.T) {
	t.Parallel()
	b := newFuzzBench(t)
	url, stop := serveTruth(t, usual(demoapi.FaultNone))
	b.must("flaketap record --listen 127.0.0.1:0 --target " + url + " -- flaketap demo client --rounds 1")
	b.must("flaketap replay --runs 30 --target " + url + " --reset " + url + "/admin/reset")
	stop()
	b.must("flaketap suite --format pytest --mode exact --out exact")
	b.must("flaketap map --out map.json")
	// The tests of the suite come in another order than the recorded requests did; what the journal lists follows from that.
	const suite = "python -m pytest -q --tb=short --assert=plain -p no:cacheprovider -k 'not guestbook' exact"
	b.staysStill(suite, steadyFaults())
	url, stop = serveTruth(t, usual(demoapi.FaultNone))
	defer stop()
	// A map says nothing of keys that are made up anew each time.
	b.must("flaketap steady --map map.json --target " + url + " -- " + strings.Replace(suite, "not guestbook", "not guestbook and not odd", 1))
}
