package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/internal/testbed/evomaster"
	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/mend"
)

// generatedSuite is a suite in EvoMaster's style, of a session with the shop: what it asserts flakes, and what it leans on
// is gone on a fresh start.
type generatedSuite struct {
	bench *bench
	url   string // of the shop, where the suite expects it
	tests []evomaster.Test
}

// newGeneratedSuite has a client drive a fresh shop, and picks tests from that session, which is kept as session.db.
func newGeneratedSuite(t *testing.T, seed uint64) *generatedSuite {
	b := newFuzzBench(t)
	url, stop := serveTruth(t, usual(""))
	t.Cleanup(stop)
	b.must("flaketap record --db session.db --listen 127.0.0.1:0 --target " + url + " --reset " + url + "/admin/reset -- flaketap demo client --rounds 12")
	session, err := sessionOf(filepath.Join(b.dir, "session.db"))
	if err != nil {
		t.Fatal(err)
	}
	tests := evomaster.Choose(session, flow.Operations(session, flow.Bindings(session)), seed)
	if tests = slices.DeleteFunc(tests, drawn); len(tests) < 20 {
		t.Fatalf("only %d tests were chosen from %d exchanges", len(tests), len(session))
	}
	return &generatedSuite{bench: b, url: url, tests: tests}
}

// drawn reports whether a test asks for what is drawn from a few things: of that all runs of a test may have drawn one, and
// the next draws another.
func drawn(test evomaster.Test) bool {
	return slices.ContainsFunc(test.Calls, func(e *exchange.Exchange) bool {
		return strings.HasPrefix(e.Request.Target, "/search?q=o") || e.Request.Target == "/odd/maybe" || e.Request.Target == "/odd/rows" ||
			e.Request.Target == "/registrations"
	})
}

func (s *generatedSuite) write(name string, data []byte) {
	s.bench.t.Helper()
	path := filepath.Join(s.bench.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.bench.t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		s.bench.t.Fatal(err)
	}
}

// in returns the same tests for a subtest that has a folder of its own, where session.db is that of all.
func (s *generatedSuite) in(t *testing.T, name string) *generatedSuite {
	t.Helper()
	own := *s
	own.bench = s.bench.below(name)
	own.bench.t = t
	if err := os.Symlink(filepath.Join(s.bench.dir, "session.db"), filepath.Join(own.bench.dir, "session.db")); err != nil {
		t.Fatal(err)
	}
	return &own
}

// liveForm is a language in which EvoMaster writes suites, and how those are run.
type liveForm struct {
	file  string
	write func(class, url string, tests []evomaster.Test) []byte
	// ready makes a folder of the suite ready to be run, and returns the command that runs it so many times: more than once
	// where several is set, with a reset before each.
	ready   func(b *bench, dir, reset string) func(runs int) string
	several bool
}

func liveForms() map[string]liveForm {
	return map[string]liveForm{
		"python": {file: "EvoMaster_Test.py", write: evomaster.Python, ready: readyPython},
		"java":   {file: "EvoMaster_Test.java", write: evomaster.Java, ready: readyJVM((*jvmTools).javac), several: true},
		"kotlin": {file: "EvoMaster_Test.kt", write: evomaster.Kotlin, ready: readyJVM((*jvmTools).kotlinc), several: true},
		"jest": {file: "EvoMaster_Test.js", ready: readyJest,
			write: func(_, url string, tests []evomaster.Test) []byte { return evomaster.Jest(url, tests) }},
	}
}

func readyPython(b *bench, dir, _ string) func(int) string {
	if err := os.WriteFile(filepath.Join(b.dir, dir, "em_test_utils.py"), evomaster.PythonHelper(), 0o644); err != nil {
		b.t.Fatal(err)
	}
	return func(int) string {
		return "python -m pytest -q --tb=line -p no:cacheprovider " + dir + "/EvoMaster_Test.py"
	}
}

func readyJest(b *bench, dir, _ string) func(int) string {
	tools, there := toolsDir(b.t, "node")
	_, err := os.Stat(filepath.Join(tools, "node_modules", "superagent"))
	needs.That(b.t, "Jest with superagent (make tools installs it)", there && err == nil)
	b.must("test -e node_modules || ln -s " + tools + "/node_modules node_modules")
	// Jest takes the folder of the next package.json above as the project's, and wants there to be one.
	if err := os.WriteFile(filepath.Join(b.dir, "package.json"), []byte("{}\n"), 0o644); err != nil {
		b.t.Fatal(err)
	}
	return func(int) string {
		return "node_modules/.bin/jest --ci --silent --rootDir . --testMatch '**/" + dir + "/*_Test.js'"
	}
}

// readyJVM compiles a suite.
func readyJVM(compile func(j *jvmTools, to string, sources ...string)) func(*bench, string, string) func(int) string {
	var tools *jvmTools
	return func(b *bench, dir, reset string) func(int) string {
		if tools == nil {
			tools = newJVMTools(b.t)
		}
		sources, err := filepath.Glob(filepath.Join(b.dir, dir, "EvoMaster_*"))
		if err != nil {
			b.t.Fatal(err)
		}
		classes := filepath.Join(b.dir, dir+"-classes")
		compile(tools, classes, sources...)
		return func(runs int) string {
			return fmt.Sprintf(quickJava+" -cp '%s' Repeat EvoMaster_Test %d %s", tools.path(classes), runs, reset)
		}
	}
}

func TestRealPythonPatchedSuite(t *testing.T) { patchedSuitesHold(t, allTests, "python") }
func TestRealNodePatchedSuite(t *testing.T)   { patchedSuitesHold(t, someTests, "jest") }
func TestRealJVMPatchedSuites(t *testing.T)   { patchedSuitesHold(t, someTests, "java", "kotlin") }

// How many tests of a session a suite has: all of them in the language that runs them fastest. Some are enough to have all
// kinds of assertions, and tests that lean on others.
const (
	allTests  = 1000
	someTests = 26
)

// patchedSuitesHold records EvoMaster-style suites that lean on what their session left behind, in each language, patches
// them until they hold, as their users would, and runs them on a fresh shop again and again.
func patchedSuitesHold(t *testing.T, most int, languages ...string) {
	t.Helper()
	t.Parallel()
	s := newGeneratedSuite(t, 1)
	s.tests = s.tests[:min(most, len(s.tests))]
	for _, name := range languages {
		t.Run(name, func(t *testing.T) {
			suite := s.in(t, name).patched(liveForms()[name], freeAddr(t))
			if suite.bites() == 0 {
				t.Error("no test was given a set-up")
			}
			suite.holds()
		})
	}
}

// maxRounds is how often a suite is run and patched anew: what stands behind a failing assertion is first sent once that
// holds.
const maxRounds = 5

// roundRuns is how often it is run in a round.
const roundRuns = 4

// liveSuite is a suite that holds after some rounds of patching.
type liveSuite struct {
	*generatedSuite
	form    liveForm
	dir     string // the patched one; the original is suite, and suite.db is its recording
	listen  string
	command func(runs int) string
	reports []mend.FileReport
}

// patched writes a suite in a language, and patches it until it holds.
func (s *generatedSuite) patched(form liveForm, listen string) *liveSuite {
	t, b := s.bench.t, s.bench
	t.Helper()
	reset := s.url + "/admin/reset"
	s.write("suite/"+form.file, form.write("EvoMaster_Test", "http://"+listen, s.tests))
	out := &liveSuite{generatedSuite: s, form: form, dir: "suite", listen: listen, command: form.ready(b, "suite", reset)}
	db := "suite.db"
	for round := range maxRounds {
		again, failed := b.sh("flaketap record --db " + db + out.on() + out.command(1))
		for range roundRuns - 1 {
			said, status := b.sh("flaketap rerun --db " + db + " --runs 1" + out.on() + out.command(1))
			again, failed = said, failed+status
		}
		if failed == 0 {
			if round == 0 {
				t.Errorf("the suite does not flake")
			}
			break
		}
		t.Logf("round %d:\n%s", round, tail(again))
		next := fmt.Sprintf("patched%d", round+1)
		b.must(fmt.Sprintf("flaketap patch --db %s --session session.db --report %s.json --out %s %s", db, next, next, out.dir))
		out.reports = append(out.reports, b.patchReport(next+".json", form.file))
		out.dir, db = next, next+".db"
		out.command = form.ready(b, next, reset)
	}
	return out
}

// on are the flags of a recording of the suite on a shop that is reset.
func (s *liveSuite) on() string {
	return fmt.Sprintf(" --listen %s --target %s --reset %s/admin/reset -- ", s.listen, s.url, s.url)
}

// holds runs a patched suite again and again: without one failure.
func (s *liveSuite) holds() {
	t, b := s.bench.t, s.bench
	t.Helper()
	times, each := 5, 1
	if os.Getenv("FLAKETAP_LONG") != "" {
		times = 100
	}
	if s.form.several {
		each = min(times, 20)
		times /= each
	}
	for i := range times {
		if out, status := b.sh(fmt.Sprintf("flaketap record --db run%d.db%s%s", i, s.on(), s.command(each))); status != 0 {
			t.Errorf("run %d: exit status %d\n%s", i*each, status, tail(out))
		}
	}
}

// patchReport reads what a patch says of a file.
func (b *bench) patchReport(name, file string) mend.FileReport {
	b.t.Helper()
	data, err := os.ReadFile(filepath.Join(b.dir, name))
	if err != nil {
		b.t.Fatal(err)
	}
	var all mend.Report
	if err := json.Unmarshal(data, &all); err != nil {
		b.t.Fatal(err)
	}
	for _, f := range all.Files {
		if strings.HasSuffix(f.File, file) {
			return f
		}
	}
	b.t.Fatalf("%s does not speak of %s", name, file)
	return mend.FileReport{}
}

// bites wants nearly all of what the suite asserted to be asserted still after some rounds of patching, and something in each
// of its tests. It returns how many tests were given a set-up.
func (s *liveSuite) bites() (grafted int) {
	t := s.bench.t
	t.Helper()
	if len(s.reports) == 0 {
		return 0
	}
	disabled := 0
	for _, r := range s.reports {
		disabled += r.Disabled
		grafted += r.Grafted
		for _, c := range r.Changes {
			if c.Kind == string(suite.Disabled) || c.Kind == string(suite.Skipped) {
				t.Logf("%s, line %d: %s: %s", c.Kind, c.Line, c.Test, c.Before)
			}
		}
		for _, u := range r.Unknown {
			t.Errorf("line %d: %s: not understood: %s: %s", u.Line, u.Test, u.Text, u.Reason)
		}
		if r.Skipped > 0 {
			t.Errorf("%d tests are skipped", r.Skipped)
		}
	}
	all := s.reports[0].Assertions
	t.Logf("%d rounds: of %d assertions %d commented out; %d tests given a set-up", len(s.reports), all, disabled, grafted)
	if disabled*20 > all {
		t.Errorf("of %d assertions %d were commented out", all, disabled)
	}
	patched := filepath.Join(s.bench.dir, s.dir, s.form.file)
	data, err := os.ReadFile(patched)
	if err != nil {
		t.Fatal(err)
	}
	script, err := suite.Read(patched, data)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range script.Tests {
		if len(test.Assertions) == 0 {
			t.Errorf("%s asserts nothing any more", test.Name)
		}
	}
	return grafted
}

// freeAddr returns an address of this machine where nobody listens.
func freeAddr(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}
