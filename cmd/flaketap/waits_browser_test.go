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
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/internal/testbed/pages"
	"github.com/flaketap/flaketap/suite/results"
)

// browserSuite is a suite for a browser, in a folder of its own, with the pages that it visits.
type browserSuite struct {
	t    *testing.T
	dir  string
	site *pages.Server
	env  []string
	run  []string // its command, with the file in the place of {}
}

// newBrowserSuite copies a suite from testdata/browser. It skips the test where there is no browser.
func newBrowserSuite(t *testing.T, file string, latency func() time.Duration, run ...string) *browserSuite {
	t.Helper()
	tools, err := filepath.Abs(filepath.Join("..", "..", ".tools", "browser"))
	if err != nil {
		t.Fatal(err)
	}
	chromium, err := exec.LookPath("chromium")
	needs.Optional(t, "chromium (make browser installs it)", err == nil)
	driver, err := exec.LookPath("chromedriver")
	needs.Optional(t, "chromedriver (make browser installs it)", err == nil)
	needs.Optional(t, "selenium (make browser installs it)", exists(tools+"/node_modules") && exists(tools+"/python"))
	s := &browserSuite{t: t, dir: t.TempDir(), site: &pages.Server{Latency: latency}, run: run}
	server := httptest.NewServer(s.site)
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	s.env = append(os.Environ(), "PAGES="+server.URL, "CHROMIUM="+chromium, "CHROMEDRIVER_PATH="+driver,
		"NODE_PATH="+tools+"/node_modules", "PYTHONPATH="+tools+"/python")
	s.write(file, read(t, filepath.Join("testdata", "browser", file)))
	return s
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
	s := newBrowserSuite(t, "pages.test.js", func() time.Duration { return 300 * time.Millisecond },
		needs.Program(t, "node"), "--test", "--test-reporter=tap", "--test-name-pattern=fetch|toast")
	s.comesToPass("pages.test.js", "Saved 24")
}

// So does one of WebdriverIO, which speaks WebDriver BiDi besides.
func TestRealNodeWebdriverIO(t *testing.T) {
	t.Parallel()
	s := newBrowserSuite(t, "wdio.test.js", func() time.Duration { return 300 * time.Millisecond },
		needs.Program(t, "node"), "--test", "--test-reporter=tap", "--test-name-pattern=fetch|list")
	needs.Optional(t, "webdriverio (make browser installs it)", exists(filepath.Join("..", "..", ".tools", "browser", "node_modules", "webdriverio")))
	s.comesToPass("wdio.test.js", "'24' !== '23'")
}

// And one of Playwright, which tells of its commands by itself.
func TestRealNodePlaywright(t *testing.T) {
	t.Parallel()
	s := newBrowserSuite(t, "playwright.test.js", func() time.Duration { return 300 * time.Millisecond },
		needs.Program(t, "node"), "--test", "--test-reporter=tap", "--test-name-pattern=fetch|value")
	needs.Optional(t, "playwright-core (make browser installs it)", exists(filepath.Join("..", "..", ".tools", "browser", "node_modules", "playwright-core")))
	s.comesToPass("playwright.test.js", "'24' !== '23'")
}

// comesToPass records a suite of two tests, holds it, patches it, and has it tell a wrong answer.
func (s *browserSuite) comesToPass(file, wrong string) {
	s.t.Helper()
	if out, ok := s.flaketap(append([]string{"record", "--runs", "2", "--out", "session.json", "--"}, s.command(file)...)...); !ok {
		s.t.Fatalf("no run passed:\n%s", out)
	}
	out, ok := s.flaketap(append([]string{"hold", "--session", "session.json", "--"}, s.command(file)...)...)
	if !ok || !strings.Contains(out, "2 commands answered as in passing runs only because flaketap held them") {
		s.t.Errorf("held:\n%s", out)
	}
	if out, ok := s.flaketap("patch", "--session", "session.json", "--in-place", file); !ok || !strings.Contains(out, "2 waits written") {
		s.t.Errorf("patched:\n%s", out)
	}
	patched := read(s.t, filepath.Join(s.dir, file))
	if out, ok := s.start(s.command(file)...); !ok {
		s.t.Errorf("patched:\n%s\n%s", out, patched)
	}
	if _, ok := s.flaketap("patch", "--session", "session.json", "--in-place", file); !ok || !bytes.Equal(patched, read(s.t, filepath.Join(s.dir, file))) {
		s.t.Errorf("patched twice it is\n%s", read(s.t, filepath.Join(s.dir, file)))
	}
	s.site.Wrong.Store(true)
	if out, ok := s.start(s.command(file)...); ok || !strings.Contains(out, wrong) {
		s.t.Errorf("a wrong answer is not told:\n%s", out)
	}
}

// A suite in Java names its lines with no agent, and its waits are those of Selenium for Java.
func TestRealJVMWaits(t *testing.T) {
	t.Parallel()
	javac, java := needs.Program(t, "javac"), needs.Program(t, "java")
	jars, err := filepath.Abs(filepath.Join("..", "..", ".tools"))
	if err != nil {
		t.Fatal(err)
	}
	needs.Optional(t, "Selenium for Java (make browser installs it)", exists(jars+"/browser/java"))
	s := newBrowserSuite(t, "shop/PagesTest.java", func() time.Duration { return 300 * time.Millisecond }, "sh", "run.sh")
	s.env = append(s.env, "SE_OFFLINE=true", "CLASSPATH=out:"+jars+"/browser/java/*:"+jars+"/java/junit-platform-console-standalone-1.13.4.jar")
	s.write("run.sh", []byte(javac+" -d out $1 && exec "+java+" -XX:TieredStopAtLevel=1 org.junit.platform.console.ConsoleLauncher execute "+
		"--disable-banner --details=tree -c shop.PagesTest\n"))
	if out, ok := s.flaketap(append([]string{"record", "--runs", "2", "--out", "session.json", "--"}, s.command("shop/PagesTest.java")...)...); !ok {
		t.Fatalf("no run passed:\n%s", out)
	}
	if out, ok := s.flaketap("patch", "--session", "session.json", "--in-place", "shop/PagesTest.java"); !ok || !strings.Contains(out, "2 waits written") {
		t.Errorf("patched:\n%s", out)
	}
	if out, ok := s.start(s.command("shop/PagesTest.java")...); !ok {
		t.Errorf("patched:\n%s\n%s", out, read(t, filepath.Join(s.dir, "shop", "PagesTest.java")))
	}
	s.site.Wrong.Store(true)
	if out, ok := s.start(s.command("shop/PagesTest.java")...); ok || strings.Count(out, "expected: <23> but was: <24>") != 4 {
		t.Errorf("a wrong answer is not told:\n%s", out)
	}
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
