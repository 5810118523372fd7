package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/internal/testbed/pages"
	"github.com/flaketap/flaketap/suite/results"
)

// browserSuite is a suite for a browser, in a folder of its own, with the pages that it visits.
type browserSuite struct {
	t      *testing.T
	dir    string
	site   *pages.Server
	env    []string
	pages  string   // the variable that says where these are
	run    []string // its command, with the file in the place of {}
	driver string   // that flaketap is told of; "" lets it find one
	shared string   // the conftest.py that starts the browser of one in Python; "" elsewhere
}

// begin copies a suite from testdata/browser, for a browser. It skips the test where that is missing.
type begin func(t *testing.T, file string, latency func() time.Duration, run ...string) *browserSuite

// newBrowserSuite is for Chromium.
func newBrowserSuite(t *testing.T, file string, latency func() time.Duration, run ...string) *browserSuite {
	t.Helper()
	chromium, err := exec.LookPath("chromium")
	needs.Optional(t, "chromium (make browser installs it)", err == nil)
	driver, err := exec.LookPath("chromedriver")
	needs.Optional(t, "chromedriver (make browser installs it)", err == nil)
	return newSuiteOf(t, []string{"CHROMIUM=" + chromium, "CHROMEDRIVER_PATH=" + driver}, file, latency, run)
}

// newSuiteOf is for the browser that an environment names.
func newSuiteOf(t *testing.T, env []string, file string, latency func() time.Duration, run []string) *browserSuite {
	t.Helper()
	tools := absolute(t, filepath.Join("..", "..", ".tools", "browser"))
	needs.Optional(t, "selenium (make browser installs it)", exists(tools+"/node_modules") && exists(tools+"/python"))
	s := &browserSuite{t: t, dir: t.TempDir(), site: &pages.Server{Latency: latency}, run: run}
	server := httptest.NewServer(s.site)
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	s.pages = "PAGES=" + server.URL
	s.env = append(os.Environ(), s.pages, "NODE_PATH="+tools+"/node_modules", "PYTHONPATH="+tools+"/python")
	s.env = append(s.env, env...)
	if filepath.Ext(file) == ".py" {
		s.shared = string(read(t, filepath.Join("testdata", "browser", "conftest.py")))
	}
	s.writeSuite(file, read(t, filepath.Join("testdata", "browser", file)))
	return s
}

// writeSuite writes the file with the tests, and what these share.
func (s *browserSuite) writeSuite(file string, data []byte) {
	s.t.Helper()
	s.write(file, data)
	if s.shared != "" {
		s.write("conftest.py", []byte(s.shared))
	}
}

func (s *browserSuite) write(file string, data []byte) {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Dir(filepath.Join(s.dir, file)), 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.dir, file), data, 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// through has flaketap record, or hold, what runs a file. The flags come first.
func (s *browserSuite) through(file string, flags ...string) (out string, passed bool) {
	s.t.Helper()
	return s.start(s.waits(file, flags...)...)
}

// waits is the command that does so.
func (s *browserSuite) waits(file string, flags ...string) []string {
	s.t.Helper()
	if s.driver != "" {
		flags = append(flags, "--driver", s.driver)
	}
	return slices.Concat([]string{program(s.t), "waits"}, flags, []string{"--"}, s.command(file))
}

// command is the suite's command for a file.
func (s *browserSuite) command(file string) []string {
	return append(slices.Clone(s.run), file)
}

// start runs a command in the suite's folder, and returns what it writes and whether it passed.
func (s *browserSuite) start(args ...string) (out string, passed bool) {
	s.t.Helper()
	cmd := exec.CommandContext(s.t.Context(), args[0], args[1:]...)
	cmd.Dir, cmd.Env = s.dir, s.env
	text, err := cmd.CombinedOutput()
	return string(text), err == nil
}

// flaketap runs flaketap waits in the suite's folder.
func (s *browserSuite) flaketap(args ...string) (out string, passed bool) {
	s.t.Helper()
	return s.start(append([]string{program(s.t), "waits"}, args...)...)
}

// passing reads which tests passed, and how long each took, from what the runner wrote.
func (s *browserSuite) passing(out string) (passed int, all []results.Result) {
	s.t.Helper()
	_, tap, _ := strings.Cut(out, "TAP version")
	all, err := results.Read(strings.NewReader("TAP version"+tap), "results.tap")
	if err != nil {
		s.t.Fatalf("%v in %s", err, out)
	}
	for _, r := range all {
		if !r.Failed() {
			passed++
		}
	}
	return passed, all
}

// A suite that never waits passes with its commands held, and patched, and the patched one still tells a wrong answer by
// its own assertion.
func TestRealNodeWaits(t *testing.T) {
	t.Parallel()
	comesToPass(t, newBrowserSuite, "pages.test.js", "fetch|toast", "selenium-webdriver", "Saved 24")
}

// So does one of WebdriverIO, which speaks WebDriver BiDi besides.
func TestRealNodeWebdriverIO(t *testing.T) {
	t.Parallel()
	comesToPass(t, newBrowserSuite, "wdio.test.js", "fetch|list", "webdriverio", "'eel' !== 'elk'")
}

// And one of Playwright, which tells of its commands by itself.
func TestRealNodePlaywright(t *testing.T) {
	t.Parallel()
	comesToPass(t, newBrowserSuite, "playwright.test.js", "fetch|value", "playwright-core", "'24' !== '23'")
}

// comesToPass records a suite of two tests, holds it, and patches it: its first test passes then, and its second, which
// is answered wrongly, says so.
func comesToPass(t *testing.T, begin begin, file, tests, library, wrong string) {
	t.Helper()
	needs.Optional(t, library+" (make browser installs it)", exists(filepath.Join("..", "..", ".tools", "browser", "node_modules", library)))
	var s *browserSuite
	var latency, right atomic.Int64 // right is how many answers are to be right yet
	latency.Store(int64(300 * time.Millisecond))
	right.Store(1000)
	s = begin(t, file, func() time.Duration {
		s.site.Wrong.Store(right.Add(-1) < 0)
		return time.Duration(latency.Load())
	}, needs.Program(t, "node"), "--test", "--test-reporter=tap", "--test-name-pattern="+tests)
	record := func(runs string) (string, bool) {
		return s.through(file, "record", "--force", "--runs", runs, "--out", "session.json")
	}
	out, ok := record("2")
	if !ok { // a busy machine may begin what a click does when the page seems to be at rest
		out, ok = record("6")
	}
	if !ok {
		t.Fatalf("no run passed:\n%s", out)
	}
	latency.Store(int64(700 * time.Millisecond)) // between what a busy machine takes for a look and what is held for at least
	out, ok = s.through(file, "hold", "--session", "session.json")
	if !ok || !strings.Contains(out, "answered as in passing runs only because flaketap held them") {
		t.Errorf("held:\n%s", out)
	}
	if out, ok := s.flaketap("patch", "--session", "session.json", "--in-place", file); !ok || !strings.Contains(out, "2 waits written") {
		t.Errorf("patched:\n%s", out)
	}
	patched := read(t, filepath.Join(s.dir, file))
	if _, ok := s.flaketap("patch", "--session", "session.json", "--in-place", file); !ok || !bytes.Equal(patched, read(t, filepath.Join(s.dir, file))) {
		t.Errorf("patched twice it is\n%s", read(t, filepath.Join(s.dir, file)))
	}
	latency.Store(int64(300 * time.Millisecond))
	right.Store(1)
	out, _ = s.start(s.command(file)...)
	if passed, all := s.passing(out); len(all)-passed != 1 || !strings.Contains(out, wrong) {
		t.Errorf("of two tests, the second of which is answered wrongly, %d failed; want %q\n%s\n%s", len(all)-passed, wrong, out, patched)
	}
}

// javaPages are the classes that the suite in Java is compiled and run with, and the beginning of the command that runs it.
func javaPages(t *testing.T) (classPath, launch string) {
	t.Helper()
	tools := absolute(t, filepath.Join("..", "..", ".tools"))
	needs.Optional(t, "Selenium for Java (make browser installs it)", exists(tools+"/browser/java"))
	return "out:" + tools + "/browser/java/*:" + tools + "/java/junit-platform-console-standalone-1.13.4.jar",
		needs.Program(t, "java") + " -XX:TieredStopAtLevel=1 org.junit.platform.console.ConsoleLauncher execute --disable-banner"
}

// A suite in Java names its lines with no agent, and its waits are those of Selenium for Java.
func TestRealJVMWaits(t *testing.T) {
	t.Parallel()
	javaComesToPass(t, newBrowserSuite)
}

// javaComesToPass has two tests of the suite in Java come to pass.
func javaComesToPass(t *testing.T, begin begin) {
	t.Helper()
	classPath, launch := javaPages(t)
	s := begin(t, "shop/PagesTest.java", func() time.Duration { return 300 * time.Millisecond }, "sh", "run.sh")
	s.env = append(s.env, "SE_OFFLINE=true", "CLASSPATH="+classPath)
	s.write("run.sh", []byte(needs.Program(t, "javac")+" -d out $1 && exec "+launch+
		" --details=tree --select-method shop.PagesTest#fetch --select-method shop.PagesTest#value\n"))
	s.patchedPass("shop/PagesTest.java", "2 waits written", "expected: <23> but was: <24>")
}

// patchedPass records at least two tests, holds them, and patches their file: they pass then, and say so where they are
// answered wrongly, in words of their own.
func (s *browserSuite) patchedPass(file, written, wrong string) {
	s.t.Helper()
	out, ok := s.patchedBy("2", file)
	if !ok || !strings.Contains(out, written) { // on a busy machine an answer may come before it is asked for
		out, ok = s.patchedBy("6", file)
	}
	if !ok || !strings.Contains(out, written) {
		s.t.Errorf("patched:\n%s", out)
	}
	if out, ok := s.through(file, "hold", "--session", "session.json"); !ok {
		s.t.Errorf("held:\n%s", out)
	}
	if out, ok := s.flaketap("patch", "--session", "session.json", "--in-place", file); !ok {
		s.t.Errorf("patched in place:\n%s", out)
	}
	if out, ok := s.start(s.command(file)...); !ok {
		s.t.Errorf("patched:\n%s\n%s", out, read(s.t, filepath.Join(s.dir, file)))
	}
	s.site.Wrong.Store(true)
	if out, ok := s.start(s.command(file)...); ok || strings.Count(out, wrong) < 2 {
		s.t.Errorf("a wrong answer is not told:\n%s", out)
	}
}

// patchedBy records a file anew, in so many runs, and returns what patching it says; not ok where no run passed.
func (s *browserSuite) patchedBy(runs, file string) (out string, ok bool) {
	s.t.Helper()
	if out, ok := s.through(file, "record", "--force", "--runs", runs, "--out", "session.json"); !ok {
		return out, false
	}
	return s.flaketap("patch", "--session", "session.json", file)
}

// A command names its place in the suite whatever the name of its folder, and of the function that sent it.
func TestRealNodePlace(t *testing.T) {
	node := needs.Program(t, "node")
	places := make(chan string, 2)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		places <- r.Header.Get("flaketap-source")
	}))
	defer server.Close()
	dir := filepath.Join(t.TempDir(), "shop (copy) of /x:1")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	preload, err := os.ReadFile(filepath.Join("..", "..", "waits", "webdriver", "preload.cjs"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"preload.cjs": string(preload),
		"suite.js": "\nconst tests = { 'GET /x': () => {\n  require('http').request(process.env.SELENIUM_REMOTE_URL).end(); } };\n" +
			"process.argv[2] ? tests['GET /x']() : require('http').request(process.env.SELENIUM_REMOTE_URL).end();\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for arg, want := range map[string]string{"": "suite.js:4:", "inside": "suite.js:3:"} {
		c := exec.Command(node, "--require", filepath.Join(dir, "preload.cjs"), filepath.Join(dir, "suite.js"), arg)
		c.Dir, c.Env = dir, append(os.Environ(), "SELENIUM_REMOTE_URL="+server.URL)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if at := <-places; !strings.HasPrefix(at, want) {
			t.Errorf("%q, want %s", at, want)
		}
	}
}

// Suites that do odd things run with what Node loads first as they do without.
func TestRealNodeOddSuites(t *testing.T) {
	node, dir := needs.Program(t, "node"), t.TempDir()
	for name, text := range map[string]string{
		"webdriver.cjs":  string(read(t, filepath.Join("..", "..", "waits", "webdriver", "preload.cjs"))),
		"playwright.cjs": string(read(t, filepath.Join("..", "..", "waits", "playwright", "preload.cjs"))),
		// names of its own that are those of libraries: a file that is loaded again before its end, one that gives only
		// getters, and a class whose address is no text
		"my-playwright.js": "Object.defineProperty(exports, 'chromium', { get: () => of.chromium });\nrequire('./again');\n" +
			"const of = { chromium: 'chromium' };\n",
		"again.js":     "require('./my-playwright');\n",
		"undici.js":    "'use strict';\nObject.defineProperty(exports, 'fetch', { enumerable: true, get: () => () => 'fetched' });\n",
		"websocket.js": "module.exports = class { url = new URL('ws://x'); send(text) { return `sent ${text}`; } };\n",
		"suite.js": "const said = [require('./my-playwright').chromium, require('./undici').fetch(), new (require('./websocket'))().send(1)];\n" +
			"try { require('./no-playwright'); } catch (e) { said.push(e.code); }\n" +
			"Error.prepareStackTrace = (_, sites) => sites;\nsaid.push(typeof require('http').request(process.env.SELENIUM_REMOTE_URL).on('error', () => {}).end);\n" +
			"process.env.SELENIUM_REMOTE_URL = 'grid';\n" +
			"console.log([...said, require('child_process').execFileSync(process.execPath, ['-p', '\"a child\"'])].join(', ').trim());\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.Command(node, filepath.Join(dir, "suite.js"))
	c.Env = append(os.Environ(), "SELENIUM_REMOTE_URL=http://127.0.0.1:9", "FLAKETAP_WAITS=127.0.0.1:9",
		"NODE_OPTIONS=--require "+filepath.Join(dir, "webdriver.cjs")+" --require "+filepath.Join(dir, "playwright.cjs"))
	out, err := c.CombinedOutput()
	want := "chromium, fetched, sent 1, MODULE_NOT_FOUND, function, a child\n"
	if err != nil || string(out) != want {
		t.Errorf("%v\n%s, want %s", err, out, want)
	}
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}
