package verify

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/mutant"
	"github.com/flaketap/flaketap/suite/results"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/rules"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden reports")

// said makes an exchange of a GET request and its answer in JSON.
func said(target, body string) *exchange.Exchange {
	e := &exchange.Exchange{Scheme: "http", Addr: "api:80",
		Request: exchange.ParseRequest(exchange.Message{Head: []byte("GET " + target + " HTTP/1.1\r\nHost: api\r\n\r\n")})}
	head := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", len(body))
	e.Response = exchange.ParseResponse(exchange.Message{Head: []byte(head), Body: []byte(body)})
	return e
}

// runOf records what a suite was answered in a run.
func runOf(t *testing.T, all ...*exchange.Exchange) *transcript {
	t.Helper()
	w := &transcript{}
	for _, e := range all {
		if err := w.Record(e); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// What moves from run to run is volatile, what it is a part of is not; an array in which something moves may be in any order.
// A map knows better.
func TestJudging(t *testing.T) {
	first := runOf(t, said("/a/1", `{"same":1,"at":1,"list":[{"n":1},{"n":2}],"words":["x","y"],"new":1}`), said("/a/1", `{"same":2}`))
	first.compare(runOf(t, said("/b", `{}`), said("/a/1", `{"same":1,"at":2,"list":[{"n":2},{"n":1}],"words":["x","y"]}`), said("/a/1", `{"same":2}`)))
	op := exchange.Operation{Method: "GET", Template: "/a/{id}"}
	known := &mapfile.Map{Operations: []*mapfile.Operation{{Operation: op, Status: 200, Fields: []*mapfile.Field{
		{Place: "/body/words", Judgement: mapfile.Jitter, Category: mapfile.Unord, Holds: mapfile.Holds{Order: "any"}},
		{Place: "/body/same", Judgement: mapfile.Stable, Holds: mapfile.Holds{Optional: true}},
		{Place: "/body/new", Judgement: mapfile.Stable, Rule: &mapfile.Ruling{Kind: mapfile.Ignore}},
	}}}}
	for _, tt := range []struct {
		known *mapfile.Map
		place exchange.Place
		want  mutant.Judgement
	}{
		{nil, "/status", mutant.Judgement{}},
		{nil, "/body/same", mutant.Judgement{}},
		{nil, "/body/at", mutant.Judgement{Volatile: true}},
		{nil, "/body/new", mutant.Judgement{Volatile: true, Optional: true}},
		{nil, "/body/mine", mutant.Judgement{Ignored: true}},
		{nil, "/body/mine/x", mutant.Judgement{Ignored: true}},
		{nil, "/body/list/*/n", mutant.Judgement{Volatile: true}},
		{nil, "/body/list", mutant.Judgement{Unordered: true}},
		{nil, "/body/words", mutant.Judgement{}},
		{known, "/body/words", mutant.Judgement{Volatile: true, Unordered: true}},
		{known, "/body/words/*", mutant.Judgement{Volatile: true}},
		{known, "/body/list", mutant.Judgement{Unordered: true}},
		{known, "/body/same", mutant.Judgement{Optional: true}},
		{known, "/body/at", mutant.Judgement{}},
		{known, "/body/new", mutant.Judgement{Ignored: true}},
	} {
		ops := operationsOf(first.exchanges, tt.known)
		at := ops.of[1]
		if tt.known != nil && at != op {
			t.Fatalf("the operation is %s, and the map calls it %s", at, op)
		}
		if d := cmp.Diff(tt.want, judging(first, ops, tt.known, []rules.Rule{{Place: "/body/mine", Kind: mapfile.Ignore}})(at, 200, tt.place)); d != "" {
			t.Errorf("%s, map %v: %s", tt.place, tt.known != nil, d)
		}
	}
}

// A run that ended otherwise than its tests say failed, and its tests say as much as they do; faults are told by the others.
func TestCount(t *testing.T) {
	pass := []results.Result{{Name: "a", Outcome: results.Pass}, {Name: "b", Outcome: results.Pass}}
	exit := func(status int) []results.Result { return []results.Result{results.FromStatus("sh", status, 0)} }
	for name, tt := range map[string]struct {
		runs  []Outcome
		tests string // name ran/failed
		rates results.Rates
		whole int
	}{
		"well":          {[]Outcome{{Results: pass}, {Results: pass}}, "a 2/0 b 2/0", results.Rates{Executions: 2, Tests: 2, Runs: 4}, 2},
		"crashed once":  {[]Outcome{{Results: pass}, {Results: pass[:1], Status: 139}}, "a 2/0 b 1/0 (run) 2/1", results.Rates{Executions: 2, Tests: 3, Runs: 5, Failures: 1, Unstable: 1, FR: 0.2, FRu: 1. / 3}, 1},
		"silent once":   {[]Outcome{{Results: pass}, {Results: exit(1), Silent: true, Status: 1}}, "a 1/0 b 1/0 (run) 2/1", results.Rates{Executions: 2, Tests: 3, Runs: 4, Failures: 1, Unstable: 1, FR: 0.25, FRu: 1. / 3}, 1},
		"cut off once":  {[]Outcome{{Results: pass, TimedOut: true}, {Results: pass}}, "a 2/0 b 2/0 (run) 2/1", results.Rates{Executions: 2, Tests: 3, Runs: 6, Failures: 1, Unstable: 1, FR: 1. / 6, FRu: 1. / 3}, 1},
		"always silent": {[]Outcome{{Results: exit(0), Silent: true}, {Results: exit(1), Silent: true, Status: 1}}, "sh 2/1", results.Rates{Executions: 2, Tests: 1, Runs: 2, Failures: 1, Unstable: 1, FR: 0.5, FRu: 1}, 2},
		"always fails":  {[]Outcome{{Results: pass, Status: 1}, {Results: pass, Status: 1}}, "a 2/0 b 2/0 (run) 2/2", results.Rates{Executions: 2, Tests: 3, Runs: 6, Failures: 2, Consistent: 1, FR: 1. / 3, FRc: 1. / 3}, 2},
	} {
		s := &suiteRuns{outcomes: tt.runs}
		s.count()
		var told []string
		for _, one := range s.tests {
			told = append(told, fmt.Sprintf("%s %d/%d", one.Name, one.Ran, one.Failed))
		}
		if got := strings.Join(told, " "); got != tt.tests {
			t.Errorf("%s: the tests are %s, want %s", name, got, tt.tests)
		}
		if d := cmp.Diff(tt.rates, s.rates); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		steady := 0
		for _, one := range s.reliable {
			if one.Steady(s.whole) && one.Name != runTest {
				steady++
			}
		}
		if s.whole != tt.whole || name != "always silent" && steady != 2 {
			t.Errorf("%s: %d whole runs, %d tests tell faults by them", name, s.whole, steady)
		}
	}
}

// A mutant is planted in the answers of its operation, whatever the id, and in no other.
func TestPlanter(t *testing.T) {
	ops := operationsOf(runOf(t, said("/a/11111111-1111-4111-8111-111111111111", `{"x":1}`), said("/a/new", `{"x":1}`)).exchanges, nil)
	f := &planter{Mutant: mutant.Mutant{Operation: exchange.Operation{Method: "GET", Template: "/a/{id}"}, Status: 200, Place: "/body/x", Kind: mutant.Change}, paths: ops.paths}
	for target, want := range map[string]bool{"/a/22222222-2222-4222-8222-222222222222?q=1": true, "/a/new": false, "/a": false} {
		if got := f.Response(said(target, `{"x":1}`)); (got != nil) != want {
			t.Errorf("%s: changed is %v", target, got != nil)
		}
	}
	if f.changed.Load() != 1 {
		t.Errorf("%d answers counted", f.changed.Load())
	}
}

// verificationOf is what came of two suites and three mutants.
func verificationOf() *Verification {
	suite := func(name string, runs ...[]results.Result) *suiteRuns {
		s := &suiteRuns{Suite: Suite{Name: name}}
		for _, found := range runs {
			s.outcomes = append(s.outcomes, Outcome{Results: found})
		}
		s.count()
		return s
	}
	r := func(name string, o results.Outcome, message string) results.Result {
		return results.Result{Suite: "shop", Name: name, Outcome: o, Message: message}
	}
	get := exchange.Operation{Method: "GET", Template: "/orders/{id}"}
	return &Verification{
		suites: []*suiteRuns{
			suite("a/", []results.Result{r("get", results.Pass, ""), r("put", results.Fail, "want <1>\nsecond line")}, []results.Result{r("get", results.Fail, "token hush"), r("put", results.Fail, "x")}),
			suite("b/", []results.Result{r("get", results.Pass, ""), r("put", results.Pass, "")}, []results.Result{r("get", results.Pass, ""), r("put", results.Pass, "")}),
		},
		mutants: []*plantedMutant{
			{mutant.Mutant{Operation: get, Status: 200, Place: "/body/price", Kind: mutant.Change},
				[]verdict{{answers: 2, by: []results.ID{{Suite: "shop", Name: "get"}}}, {answers: 2, by: []results.ID{{Suite: "shop", Name: "get"}}}}},
			{mutant.Mutant{Operation: get, Status: 200, Place: "/status", Kind: mutant.Status, To: 201}, []verdict{{answers: 2, timedOut: true}, {answers: 2}}},
			{mutant.Mutant{Operation: get, Status: 200, Place: "/body/at", Kind: mutant.Change, Volatile: true}, []verdict{{answers: 1}, {answers: 0}}},
		},
		variants: []*triedVariant{
			{Variant: Variant{Name: "price-is-off"}, verdicts: []verdict{{answers: 9, by: []results.ID{{Suite: "shop", Name: "get"}}}, {answers: 9}}},
			{Variant: Variant{Name: "broken"}, failed: "start the API: it ended with status 7: token hush"},
		},
		asked:  2,
		chosen: 3, candidates: 40, faults: Faults{Kinds: []mutant.Kind{mutant.Change, mutant.Status}, Seed: 7},
		assertions: &Assertions{Tests: 2, Assertions: 8, Kept: 6, Weakened: 2},
		show:       func(text string) string { return strings.ReplaceAll(text, "hush", "[secret]") },
	}
}

func TestVerificationReports(t *testing.T) {
	for name, write := range map[string]func(*Verification, *bytes.Buffer) error{
		"text":  func(v *Verification, b *bytes.Buffer) error { return v.Text(b) },
		"json":  func(v *Verification, b *bytes.Buffer) error { return v.JSON(b) },
		"junit": func(v *Verification, b *bytes.Buffer) error { return v.JUnit(b) },
	} {
		var b bytes.Buffer
		if err := write(verificationOf(), &b); err != nil {
			t.Fatal(err)
		}
		golden := filepath.Join("testdata", "report."+name)
		if *update {
			if err := os.WriteFile(golden, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), b.String()); d != "" {
			t.Errorf("%s: %s", golden, d)
		}
		if strings.Contains(b.String(), "hush") {
			t.Errorf("%s holds a secret", name)
		}
		if name == "junit" { // what others write is read; so is what is written here
			got, err := results.Read(&b, "own")
			if err != nil || len(got) != 8 {
				t.Errorf("%d results, %v", len(got), err)
			}
		}
	}
}

func TestSurvivors(t *testing.T) {
	v := verificationOf()
	if got := v.survivors(); len(got) != 1 || got[0].Kind != mutant.Status {
		t.Errorf("%d survived, beside the original", len(got))
	}
	if v.Flaky() {
		t.Error("the last suite fails nowhere and is called flaky")
	}
	v.suites = v.suites[:1]
	for _, p := range v.mutants {
		p.verdicts = p.verdicts[:1]
	}
	if got := v.survivors(); len(got) != 1 || !got[0].Volatile {
		t.Errorf("%d survived the original", len(got))
	}
	if !v.Flaky() {
		t.Error("the first suite is called steady")
	}
}

// What a runner has left before is no result of this run.
func TestArtifacts(t *testing.T) {
	dir := t.TempDir()
	reports := filepath.Join(dir, "target", "surefire-reports")
	if err := os.MkdirAll(reports, 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(name, test string) {
		if err := os.WriteFile(filepath.Join(reports, name), []byte(`<testsuite><testcase name="`+test+`"/></testsuite>`), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("TEST-old.xml", "old")
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(reports, "TEST-old.xml"), old, old); err != nil {
		t.Fatal(err)
	}
	l := &artifacts{suite: dir, file: filepath.Join(dir, "left", "results"), stdout: filepath.Join(dir, "out"), stderr: filepath.Join(dir, "err"),
		places: []string{reports}, before: map[string]time.Time{}}
	for _, file := range l.found() {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		l.before[file] = info.ModTime()
	}
	names := func() string {
		all, err := l.read()
		if err != nil && !os.IsNotExist(err) {
			t.Log(err)
		}
		var out []string
		for _, r := range all {
			out = append(out, r.Name)
		}
		return strings.Join(out, " ")
	}
	if err := os.WriteFile(l.stdout, []byte("ok 1 - printed\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := names(); got != "printed" {
		t.Errorf("nothing is left beside stdout: %q", got)
	}
	write("TEST-new.xml", "new")
	if got := names(); got != "new" {
		t.Errorf("a report is new: %q", got)
	}
	if err := os.MkdirAll(filepath.Dir(l.file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(l.file, []byte("TAP version 13\nok 1 - asked for\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := names(); got != "asked for" {
		t.Errorf("the file that was asked for is there: %q", got)
	}
}

// A command is told which suite it is to run, and where to leave what came of it.
func TestSuiteCommand(t *testing.T) {
	l := &artifacts{suite: "a/b", file: "/tmp/left/results"}
	if got := strings.Join(l.command([]string{"run", "{}/x", "--out={results}"}), " "); got != "run a/b/x --out="+l.file {
		t.Errorf("the command is %s", got)
	}
	env := strings.Join(l.env([]string{"PYTEST_ADDOPTS=-x", "A=b"}), "\n")
	if !strings.Contains(env, "PYTEST_ADDOPTS=-x '--junitxml="+l.file+"'") || strings.Count(env, "PYTEST_ADDOPTS") != 1 {
		t.Errorf("the environment is %s", env)
	}
}
