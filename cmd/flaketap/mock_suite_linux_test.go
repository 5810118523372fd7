package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/suite/results"
	"github.com/flaketap/flaketap/suite/write/plan"
)

// searchedAPI is an API whose behaviors were found, in the folder found of a bench, and how it is started.
type searchedAPI struct {
	*bench
	start, ready string
	reset        string // "" for none
}

// serveWarm is a line of shell that has flaketap serve the API to a client, a line of shell, too, with a file that warms
// the API up; "" for none.
func (a searchedAPI) serveWarm(file, client string) string {
	line := "flaketap mock serve -q --start '" + a.start + "' --ready " + a.ready
	if a.reset != "" {
		line += " --reset " + a.reset
	}
	if file != "" {
		line += " --warm-up " + file
	}
	return line + ` -- sh -c "` + client + `"`
}

// findTrips finds behaviors of testdata/external/trips.py.
func findTrips(b *bench, trials int) searchedAPI {
	b.t.Helper()
	start, ready := b.tripsAPI()
	b.must(fmt.Sprintf("flaketap mock search --request '%s' --request '%s' --start '%s' --ready %s --words source --trials %d --patience 3s --out found",
		quoteRequest, tripRequest, start, ready, trials))
	return searchedAPI{bench: b, start: start, ready: ready}
}

// mockSuite is a suite of what was found, in one form.
type mockSuite struct {
	searchedAPI
	form    string
	line    string // of shell, that runs it and leaves its results
	results string // the file of those
}

// suite writes what was found in a form, for a test.
func (a searchedAPI) suite(t *testing.T, form string) *mockSuite {
	t.Helper()
	own := *a.bench
	own.t, a.bench = t, &own
	own.must("flaketap suite --mocks found --format " + form + " --out " + form)
	s := &mockSuite{searchedAPI: a, form: form}
	s.prepare()
	return s
}

// mockSuites finds behaviors of the API with labels, and writes them as suites of some forms.
func mockSuites(b *bench, trials int, forms ...string) map[string]*mockSuite {
	b.t.Helper()
	found, out := findTrips(b, trials), map[string]*mockSuite{}
	for _, form := range forms {
		out[form] = found.suite(b.t, form)
	}
	return out
}

// prepare has the suite's runner ready.
func (s *mockSuite) prepare() {
	s.t.Helper()
	dir := filepath.Join(s.dir, s.form)
	switch s.form {
	case "pytest":
		s.results = "pytest.xml"
		s.line = "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 " + python(s.t) + "/python -m pytest -q -p no:cacheprovider --junitxml=" + s.dir + "/pytest.xml " + dir
	case "jest":
		modules, there := toolsDir(s.t, "node")
		needs.That(s.t, "Jest (make tools installs it)", there && found("node"))
		if err := os.Symlink(filepath.Join(modules, "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
			s.t.Fatal(err)
		}
		s.results = "jest.json"
		s.line = "cd " + dir + " && node node_modules/jest/bin/jest.js --runInBand --json --outputFile=" + s.dir + "/jest.json"
	case "go":
		s.useGo()
		s.results = "go.json"
		s.line = "cd " + dir + " && go test -count=1 -json ./... >" + s.dir + "/go.json"
	default:
		j := jvms(s.t)[s.form]
		j.bench = s.bench
		j.formatted(s.form)
		j.compile(s.form, "")
		s.results = s.form + "/reports/TEST-junit-jupiter.xml"
		s.line = j.line(s.dir+"/"+s.form, "") + " --reports-dir=reports"
	}
}

// serve is that of the API, with what the suite has to warm it up.
func (s *mockSuite) serve(client string) string {
	file := filepath.Join(s.form, plan.WarmUpFile)
	if !exists(filepath.Join(s.dir, file)) {
		file = ""
	}
	return s.serveWarm(file, client)
}

// served runs the suite where flaketap serves the API, and returns the names of the tests that passed, and that failed.
func (s *mockSuite) served() (passed, failed []string, out string) {
	s.t.Helper()
	return s.run(s.serve(s.line))
}

// run runs a line, and reads what the suite then says.
func (s *mockSuite) run(line string) (passed, failed []string, out string) {
	s.t.Helper()
	name := filepath.Join(s.dir, s.results)
	if err := os.RemoveAll(name); err != nil {
		s.t.Fatal(err)
	}
	out, _ = s.sh(line)
	all, err := results.Read(bytes.NewReader(read(s.t, name)), s.results)
	if err != nil {
		s.t.Fatalf("%v\n%s", err, out)
	}
	for _, r := range all {
		switch r.Outcome {
		case results.Pass:
			passed = append(passed, r.Name)
		case results.Skip:
		default:
			failed = append(failed, r.Name)
		}
	}
	return passed, failed, out
}

// passes wants all tests of a run to pass, some of which are skipped.
func (s *mockSuite) passes(passed, failed []string, out string, skipped int) {
	s.t.Helper()
	if all := len(s.found("found")); len(failed) > 0 || len(passed)+skipped != all {
		s.t.Fatalf("%s: of %d tests %d pass, %q fail:\n%s", s.form, all, len(passed), failed, tail(out))
	}
}

// mend changes the API, and returns how it is put back.
func (s *mockSuite) mend(old, mended string) (back func()) {
	s.t.Helper()
	name := filepath.Join("source", "trips.py")
	source := string(read(s.t, filepath.Join(s.dir, name)))
	if strings.Count(source, old) != 1 {
		s.t.Fatalf("the API has %q %d times", old, strings.Count(source, old))
	}
	s.write(name, []byte(strings.Replace(source, old, mended, 1)))
	return func() { s.write(name, []byte(source)) }
}

// holds runs the suite on the API with and without flaketap, and on one of whose bugs is mended, which its tests tell.
func (s *mockSuite) holds() {
	s.t.Helper()
	passed, failed, out := s.served()
	s.passes(passed, failed, out, 0)
	s.told()
	s.tellsMended()
}

// tellsMended wants one test to tell that a bug of the API is mended.
func (s *mockSuite) tellsMended() {
	s.t.Helper()
	hangs := s.having("hang")
	back := s.mend("if attempts == 20:", "if attempts == 5:\n                return status, data\n            if attempts == 20:")
	_, failed, out := s.served()
	back()
	if len(failed) != 1 || !slices.Contains(hangs, behaviorOf(failed[0])) {
		s.t.Errorf("%s: with a bug mended %q fail, want one of %q:\n%s", s.form, failed, hangs, tail(out))
	}
}

var lastNumber = regexp.MustCompile(`([0-9]{3})[^0-9]*$`)

// behaviorOf is the number of the behavior that a test is of.
func behaviorOf(test string) string {
	if m := lastNumber.FindStringSubmatch(test); m != nil {
		return m[1]
	}
	return ""
}

// having are the numbers of behaviors with a finding.
func (s *mockSuite) having(finding string) (out []string) {
	for _, f := range s.found("found") {
		if slices.Contains(f.Findings, finding) {
			out = append(out, f.Stubs)
		}
	}
	return out
}

// told runs the suite without flaketap: the API is told where its services are, and started anew by a command.
func (s *mockSuite) told() {
	s.t.Helper()
	env, stop := s.tellAPI()
	defer stop()
	passed, failed, out := s.run(env + s.line)
	s.passes(passed, failed, out, len(s.having("hang")))
	passed, failed, out = s.run(env + s.anew() + s.line)
	s.passes(passed, failed, out, 0)
}

// anew is what the environment says of how the API is started anew.
func (s *mockSuite) anew() string { return "export FLAKETAP_RESTART='sh " + s.dir + "/anew.sh'; " }

// tellAPI starts the API, told.py, which is told where its services are, and returns the environment of its suite.
func (s *mockSuite) tellAPI() (env string, stop func()) {
	s.t.Helper()
	api, mocks := freePort(s.t), freePort(s.t)
	source := string(read(s.t, filepath.Join(s.dir, "source", "trips.py")))
	for _, service := range [][2]string{{"https://rates.example.com", "rates.example.com:443"}, {"http://weather.example.com:8080", "weather.example.com:8080"},
		{"http://203.0.113.7", "203.0.113.7:80"}} {
		source = strings.Replace(source, `"`+service[0]+`"`, fmt.Sprintf(`"http://127.0.0.1:%s/%s"`, mocks, service[1]), 1)
	}
	s.write("told.py", []byte(source))
	s.write("anew.sh", fmt.Appendf(nil, `cd %s
test -e pid && kill -9 $(cat pid)
PORT=%s %s/python told.py >told.log 2>&1 </dev/null &
echo $! >pid
until curl -sf http://127.0.0.1:%[2]s/health >told.ready; do sleep 0.05; done
`, s.dir, api, python(s.t)))
	s.must("sh anew.sh")
	return fmt.Sprintf("export FLAKETAP_URL=http://127.0.0.1:%s FLAKETAP_MOCKS_PORT=%s; ", api, mocks),
		func() { s.sh("kill -9 $(cat pid)") }
}

// alone runs each test of a suite for pytest by itself, the last one first.
func (s *mockSuite) alone() {
	s.t.Helper()
	pytest := "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 " + python(s.t) + "/python -m pytest -p no:cacheprovider -q "
	ids := strings.Fields(s.must(pytest + "--collect-only pytest | grep ::"))
	slices.Reverse(ids)
	line := "cd " + s.dir + "/pytest && for id in " + strings.Join(ids, " ") + "; do " + pytest + `\$id || exit 1; done`
	out := s.must(s.serve(line))
	if n := strings.Count(out, "1 passed"); n != len(ids) || n == 0 {
		s.t.Errorf("alone %d of %d pass:\n%s", n, len(ids), tail(out))
	}
}

// freePort is a port that nobody listens at.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// shortSearch is how many trials find enough for a suite to be tried on.
const shortSearch = 150

func TestRealPythonMockSuite(t *testing.T) {
	t.Parallel()
	needs.That(t, "curl", found("curl"))
	b := newBench(t)
	s := mockSuites(b, shortSearch, "pytest", "go")
	s["pytest"].holds()
	s["go"].holds()
	s["pytest"].alone()
}

func TestRealNodeMockSuite(t *testing.T) {
	t.Parallel()
	needs.That(t, "curl", found("curl"))
	mockSuites(newBench(t), shortSearch, "jest")["jest"].holds()
}

// What talks to flaketap and WireMock is the same Java in both forms.
func TestRealJVMMockSuite(t *testing.T) {
	t.Parallel()
	needs.That(t, "curl", found("curl"))
	suites := mockSuites(newBench(t), shortSearch, "junit5", "kotlin")
	java, kotlin := suites["junit5"], suites["kotlin"]
	java.holds()
	passed, failed, out := kotlin.served()
	kotlin.passes(passed, failed, out, 0)
	kotlin.tellsMended()

	needs.That(t, "Maven", found("mvn"))
	env, stop := java.tellAPI()
	defer stop()
	java.maven("found", "junit5", env, 0)
	java.beyondWireMock()
	java.maven("beyond", "kotlin", env, 1)
	java.tellsCalls(env)
}

// maven writes what is in a folder in a form, and runs that by the one command that its users have, which skips as many
// tests.
func (s *mockSuite) maven(from, form, env string, skipped int) {
	s.t.Helper()
	home, err := os.UserHomeDir()
	if err != nil {
		s.t.Fatal(err)
	}
	out := s.must("flaketap suite --mocks " + from + " --format " + form + " --out maven-" + form)
	if n := strings.Count(out, "is skipped where flaketap does not serve it: WireMock has no"); n != skipped {
		s.t.Errorf("%d tests are told to be skipped, want %d:\n%s", n, skipped, out)
	}
	s.must(env+s.anew()+"mvn -q -B -f maven-"+form+"/pom.xml test", "HOME="+home)
	run, left := 0, 0
	for _, m := range ranByMaven.FindAllStringSubmatch(s.must("cat maven-"+form+"/target/surefire-reports/*.txt"), -1) {
		tests, _ := strconv.Atoi(m[1]) // both are digits
		skips, _ := strconv.Atoi(m[2])
		run, left = run+tests, left+skips
	}
	if all := len(s.found("found")); run != all || left != skipped {
		s.t.Errorf("%s: of %d tests %d were run, of these %d skipped, want %d", form, all, run, left, skipped)
	}
}

var ranByMaven = regexp.MustCompile(`Tests run: (\d+), Failures: 0, Errors: 0, Skipped: (\d+)`)

// beyondWireMock leaves in the folder beyond what was found, with an answer that WireMock does not know.
func (s *mockSuite) beyondWireMock() {
	s.t.Helper()
	const answer = `"response": {`
	s.must("cp -r found beyond")
	all, err := filepath.Glob(filepath.Join(s.dir, "beyond/003/whole/stubs.json")) // where there is one, suites have it
	if err != nil {
		s.t.Fatal(err)
	}
	for _, name := range append(all, filepath.Join(s.dir, "beyond/003/stubs.json")) {
		stubs := string(read(s.t, name))
		if !strings.Contains(stubs, answer) {
			s.t.Fatalf("no answer in %s", stubs)
		}
		changed := strings.Replace(stubs, answer, answer+`"interimStatus": 103, `, 1)
		if err := os.WriteFile(name, []byte(changed), 0o600); err != nil {
			s.t.Fatal(err)
		}
	}
}

// tellsCalls wants the tests, where WireMock serves them, to tell what an API asks otherwise, and what it answers so.
func (s *mockSuite) tellsCalls(env string) {
	s.t.Helper()
	const weather, seats = `status, data = weather(query["city"])`, `status, data = ask(f"{SEATS}/seats", timeout=0.5)`
	told := string(read(s.t, filepath.Join(s.dir, "told.py")))
	for _, c := range []struct {
		about, want string
		change      []string
	}{
		{"a call too many", `"times": 2 } ] }>`, []string{weather, `weather(query["city"]); ` + weather}},
		{"a call that is missing", `but was: <{ "calls": [ { "method": "GET", "service": "weather.example.com:8080", "target": "/cities/Oslo", "times": 1 } ] }>`,
			[]string{seats, `status, data = 200, {"free": "x"}`}},
		{"another order", `but was: <{ "calls": [ { "method": "GET", "service": "203.0.113.7:80"`,
			[]string{weather, `asked = ask(f"{SEATS}/seats", timeout=0.5); ` + weather, seats, "status, data = asked"}},
		{"another answer", `"left": 1`, []string{`"left": free - 1`, `"left": free`}},
	} {
		for i := 0; i < len(c.change); i += 2 {
			if !strings.Contains(told, c.change[i]) {
				s.t.Fatalf("the API has no %q", c.change[i])
			}
		}
		s.write("told.py", []byte(strings.NewReplacer(c.change...).Replace(told)))
		s.must("sh anew.sh")
		_, failed, out := s.run(env + s.line)
		if len(failed) == 0 || !strings.Contains(strings.Join(strings.Fields(out), " "), c.want) {
			s.t.Errorf("with %s %q fail, want some, and %s in:\n%s", c.about, failed, c.want, out)
		}
	}
}

// What is wrong is said, with what to do.
func TestMockSuiteUsage(t *testing.T) {
	b := newBench(t)
	b.must("mkdir found && echo '{}' >found/index.json")
	for line, want := range map[string]string{
		"--mocks found --format hurl --out a":                   `unknown --format "hurl": with --mocks, want one of go, jest, pytest, junit5, kotlin`,
		"--mocks found --format pytest --out a --strengthen":    "use either --mocks or --strengthen, not both",
		"--mocks found --format pytest --db a.db --out a":       "use either --mocks or --db, not both",
		"--mocks found --format pytest":                         "--out DIR is required",
		"--mocks found --format pytest --out a":                 "found/index.json is not the index of a search",
		"--mocks nowhere --format pytest --out a":               "read behaviors: nowhere/index.json: no such file or directory; --mocks wants the folder that flaketap mock search --out DIR writes",
		"--mocks found --format pytest --out a --mode sometime": "unknown --mode",
	} {
		if out, status := b.sh("flaketap suite " + line); status == 0 || !strings.Contains(out, want) {
			t.Errorf("%s: %d\n%s\nwant %s", line, status, out, want)
		}
	}
}
