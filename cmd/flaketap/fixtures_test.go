package main

import (
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// fixtures is the folder of real fuzzing sessions, the suites that came out of them, and their re-executions. It is
// larger than a clone should be; what every clone can test stands in the packages' own testdata.
func fixtures(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../../../shared/fixtures")
	if err != nil {
		t.Fatal(err)
	}
	_, err = os.Stat(dir)
	needs.That(t, "the folder of recorded sessions (shared/fixtures)", err == nil)
	return dir
}

// result is the outcome of one test in one re-execution.
type result struct {
	failed    bool
	assertion string // the source line that failed, "" where the failure was no assertion
}

// readResults reads a JUnit file of pytest.
func readResults(t *testing.T, path string) map[string]result {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Cases []struct {
			Class    string   `xml:"classname,attr"`
			Name     string   `xml:"name,attr"`
			Failures []string `xml:"failure"`
		} `xml:"testsuite>testcase"`
	}
	if err := xml.Unmarshal(data, &doc); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	out := map[string]result{}
	for _, c := range doc.Cases {
		file, _, _ := strings.Cut(c.Class, ".")
		r := result{failed: len(c.Failures) > 0}
		for _, f := range c.Failures {
			for line := range strings.Lines(f) {
				if code, ok := strings.CutPrefix(line, ">"); ok && strings.HasPrefix(strings.TrimSpace(code), "assert ") {
					r.assertion = strings.TrimSpace(code)
				}
			}
		}
		out[file+"/"+c.Name] = r
	}
	return out
}

// TestFixtures takes in the real sessions and re-executions, and holds the map and the patched suites against what the
// re-executions' own test results say.
func TestFixtures(t *testing.T) {
	t.Parallel()
	dir := fixtures(t)
	for _, api := range []string{"news", "features"} {
		t.Run(api, func(t *testing.T) {
			b := newBench(t)
			home := filepath.Join(dir, api, "python")
			b.must(fmt.Sprintf("flaketap import --db session.db '%s/session.har.gz'", home))
			b.must(fmt.Sprintf("flaketap import --db suite.db --condition fresh '%s/runs/01.har.gz'", home))
			for i := 2; i <= 10; i++ {
				b.must(fmt.Sprintf("flaketap import --db suite.db --as run --condition fresh '%s/runs/%02d.har.gz'", home, i))
			}
			b.must(fmt.Sprintf("flaketap import --db suite.db --as run --condition continued '%s/runs/11.har.gz'", home))
			b.must("flaketap map --db suite.db --all --out volatile.json")
			checkFixtureMap(t, api, b.readMap("volatile.json"))

			b.must(fmt.Sprintf("flaketap patch --db suite.db --out patched '%s'/EvoMaster_*_Test.py", home))
			checkPatchedAgainstResults(t, home, filepath.Join(b.dir, "patched"))
		})
	}
}

// checkFixtureMap holds a map of the re-executions against what is known of them: what moves and why, and that no
// place that never moved is called volatile for its looks.
func checkFixtureMap(t *testing.T, api string, m *mapfile.Map) {
	t.Helper()
	type known struct {
		method, template string
		status           int
		place            exchange.Place
		category         mapfile.Category
	}
	all := map[string][]known{
		"news": {
			{"POST", "/news", 500, "/body/timestamp", mapfile.Time},
			{"POST", "/news", 201, "/body", mapfile.State},
			{"GET", "/news", 200, "/body", mapfile.State},
		},
		"features": {
			{"GET", "/products", 200, "/body", mapfile.State},
			{"DELETE", "/products/{id}", 204, "/status", mapfile.State},
			{"GET", "/products/{id}", 200, "/body/id", mapfile.State},
		},
	}
	for _, k := range all[api] {
		op := m.Operation(exchange.Operation{Method: k.method, Template: k.template}, k.status)
		if op == nil {
			t.Errorf("%s %s %d is not in the map", k.method, k.template, k.status)
			continue
		}
		f := op.At(k.place)
		if f == nil || !f.Volatile() || f.Category != k.category {
			t.Errorf("%s %s %d %s is judged %+v, want volatile, %s", k.method, k.template, k.status, k.place, f, k.category)
		}
	}
	for _, op := range m.Operations {
		for _, f := range op.Fields {
			if f.Changed == 0 && f.Volatile() && f.Judgement != mapfile.WouldMove {
				t.Errorf("%s %s %s never moved and is called %s", op.Method, op.Template, f.Place, f.Judgement)
			}
		}
	}
}

// checkPatchedAgainstResults checks that each assertion that failed in any re-execution is no longer made as it stood,
// and that a test that failed in none keeps its every assertion but those on places that move.
func checkPatchedAgainstResults(t *testing.T, home, patched string) {
	t.Helper()
	runs, err := filepath.Glob(filepath.Join(home, "runs", "*.xml"))
	if err != nil || len(runs) != 11 {
		t.Fatalf("%d result files, %v", len(runs), err)
	}
	failures := 0
	for _, run := range runs {
		for name, r := range readResults(t, run) {
			if !r.failed {
				continue
			}
			failures++
			file, test, _ := strings.Cut(name, "/")
			before, after := testLines(t, filepath.Join(home, file+".py"), test), testLines(t, filepath.Join(patched, file+".py"), test)
			if r.assertion == "" && slices.Equal(before, after) {
				t.Errorf("%s: %s failed by a slip of the generator, and is as it was", filepath.Base(run), name)
			}
			if r.assertion != "" && count(after, r.assertion) >= count(before, r.assertion) {
				t.Errorf("%s: %s failed at %q, and still says so", filepath.Base(run), name, r.assertion)
			}
		}
	}
	if failures == 0 {
		t.Error("no re-execution failed: the results were not read")
	}
}

// testLines returns the lines of one test of a suite, without their indentation.
func testLines(t *testing.T, path, test string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(data), "def "+test+"(")
	if !ok {
		t.Fatalf("%s has no test %s", path, test)
	}
	rest, _, _ = strings.Cut(rest, "    @timeout_decorator")
	var out []string
	for line := range strings.Lines(rest) {
		out = append(out, strings.TrimSpace(line))
	}
	return out
}

func count(lines []string, line string) int {
	n := 0
	for _, l := range lines {
		if l == line {
			n++
		}
	}
	return n
}
