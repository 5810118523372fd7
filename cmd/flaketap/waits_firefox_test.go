package main

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/internal/testbed/needs"
)

// newFirefoxSuite is a suite for Firefox. It skips the test where that, or its driver, is missing.
func newFirefoxSuite(t *testing.T, file string, latency func() time.Duration, run ...string) *browserSuite {
	t.Helper()
	firefox, err := exec.LookPath("firefox-esr")
	if err != nil {
		firefox, err = exec.LookPath("firefox")
	}
	needs.Optional(t, "firefox (make firefox installs it)", err == nil)
	driver := absolute(t, filepath.Join("..", "..", ".tools", "firefox", "bin", "geckodriver"))
	if !exists(driver) {
		driver, err = exec.LookPath("geckodriver")
	}
	needs.Optional(t, "geckodriver (make firefox installs it)", err == nil)
	s := newSuiteOf(t, []string{"BROWSER=firefox", "FIREFOX=" + firefox, "SE_GECKODRIVER=" + driver, "GECKODRIVER_PATH=" + driver, "SE_OFFLINE=true"}, file, latency, run)
	s.driver = driver
	for i, kv := range s.env {
		if path, ok := strings.CutPrefix(kv, "PATH="); ok { // where Selenium for Node looks
			s.env[i] = "PATH=" + filepath.Dir(driver) + string(filepath.ListSeparator) + path
		}
	}
	return s
}

// newInFirefox is a suite that is written for Chromium, with another browser in its words.
func newInFirefox(t *testing.T, file string, latency func() time.Duration, run ...string) *browserSuite {
	t.Helper()
	s := newFirefoxSuite(t, file, latency, run...)
	words := strings.NewReplacer("chrome.Chrome", "firefox.Firefox", "ChromeOptions", "FirefoxOptions", "ChromeDriver", "FirefoxDriver",
		"webdriver.Chrome(", "webdriver.Firefox(", "'chrome'", "'firefox'", "'goog:chromeOptions'", "'moz:firefoxOptions'", "CHROMIUM", "FIREFOX",
		`"--headless=new", "--no-sandbox", "--disable-dev-shm-usage"`, `"-headless", "-no-remote"`,
		`'--headless=new', '--no-sandbox', '--disable-dev-shm-usage'`, `'-headless'`)
	s.shared = words.Replace(s.shared)
	s.writeSuite(file, []byte(words.Replace(string(read(t, filepath.Join("testdata", "browser", file))))))
	return s
}

// So does one in Python.
func TestRealPythonFirefox(t *testing.T) {
	t.Parallel()
	s := newInFirefox(t, "test_pages.py", func() time.Duration { return 300 * time.Millisecond },
		needs.Program(t, "python"), "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "fetch or value")
	s.patchedPass("test_pages.py", "2 waits written", "AssertionError: assert '24' == '23'")
}

// So does one in Java.
func TestRealJVMFirefox(t *testing.T) {
	t.Parallel()
	jars, err := filepath.Glob(filepath.Join("..", "..", ".tools", "browser", "java", "selenium-firefox-driver-*.jar"))
	needs.Optional(t, "Selenium for Firefox in Java (make browser installs it)", err == nil && len(jars) > 0)
	javaComesToPass(t, newInFirefox)
}

// So does one of WebdriverIO, which speaks WebDriver BiDi besides.
func TestRealNodeFirefoxWebdriverIO(t *testing.T) {
	t.Parallel()
	comesToPass(t, newInFirefox, "wdio.test.js", "fetch|list", "webdriverio", "'eel' !== 'elk'")
}

// A suite of Selenium comes to pass in Firefox as it does in Chromium, one with a dialog too.
func TestRealNodeFirefox(t *testing.T) {
	t.Parallel()
	comesToPass(t, newFirefoxSuite, "pages.test.js", "fetch|confirm", "selenium-webdriver", "deleted 24")
}

// What a suite can observe of Firefox is the same with flaketap as without, but for a capability that Selenium adds to a
// session with an address: dialogs, prompts, cookies, storage, names in pages.
func TestRealNodeFirefoxObserved(t *testing.T) {
	t.Parallel()
	s := newFirefoxSuite(t, "observed.js", nil, needs.Program(t, "node"))
	observed := func(out string) (all []string) {
		for line := range strings.Lines(out) {
			if strings.HasPrefix(line, "observed ") {
				all = append(all, strings.Replace(line, `"se:remoteUrl",`, "", 1))
			}
		}
		return all
	}
	out, ok := s.start(s.command("observed.js")...)
	bare := observed(out)
	if !ok || len(bare) < 20 {
		t.Fatalf("without flaketap:\n%s", out)
	}
	out, ok = s.through("observed.js", "record", "--runs", "2", "--out", "session.json")
	all := observed(out)
	if !ok || len(all) != 2*len(bare) {
		t.Fatalf("recorded:\n%s", out)
	}
	for i, run := range slices.Collect(slices.Chunk(all, len(bare))) {
		if diff := cmp.Diff(bare, run); diff != "" {
			t.Errorf("run %d: %s", i+1, diff)
		}
	}
}
