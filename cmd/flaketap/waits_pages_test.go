package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/waits/oracle"
	"github.com/flaketap/flaketap/waits/webdriver"
)

// late is a suite that needs waits in a browser, with answers that take a while.
func late(t *testing.T, file string, run ...string) *browserSuite {
	t.Helper()
	return newBrowserSuite(t, file, func() time.Duration { return 300 * time.Millisecond }, run...)
}

// pytest runs tests in Python.
func pytest(t *testing.T) []string {
	return []string{needs.Program(t, "python"), "-m", "pytest", "-q", "-p", "no:cacheprovider"}
}

// A suite that finds elements by absolute XPaths is patched with selectors that last, also where texts have quotes in
// them, and passes with these.
func TestRealPythonNamedElements(t *testing.T) {
	t.Parallel()
	s := late(t, "test_named.py", pytest(t)...)
	s.patchedPass("test_named.py", "5 waits written", "24")
	s.waitsFor("test_named.py", `(By.ID, "age")`, `(By.CSS_SELECTOR, '[data-testid="again"]')`, `(By.CSS_SELECTOR, '[role="status"]')`,
		`(By.XPATH, '//p[normalize-space()=concat("It\'s ", \'"\', "here", \'"\')]')`,
		`(By.CSS_SELECTOR, '[data-testid="card"]').shadow_root.find_element(By.CSS_SELECTOR, '[data-testid="inner"]')`)
}

// A row of a table is not named by what its cells say, of which each may change; one of these is by what it says itself.
func TestRealPythonRow(t *testing.T) {
	t.Parallel()
	s := late(t, "test_row.py", pytest(t)...)
	s.patchedPass("test_row.py", "2 waits written", "assert False")
	text := string(read(t, filepath.Join(s.dir, "test_row.py")))
	if strings.Contains(text, "Ada10") || !strings.Contains(text, `(By.XPATH, '//td[normalize-space()="Ada"]')`) {
		t.Errorf("waits for other elements:\n%s", text)
	}
}

// So is one of Playwright.
func TestRealNodeNamedElements(t *testing.T) {
	t.Parallel()
	s := late(t, "named.test.js", needs.Program(t, "node"), "--test", "--test-reporter=tap")
	s.patchedPass("named.test.js", "4 waits written", "'24' !== '23'")
	s.waitsFor("named.test.js", `page.locator('[data-testid="again"]')`, `page.getByRole("status")`,
		`page.getByText('It\'s "here"', { exact: true })`, `page.getByRole("button", { name: "Close", exact: true })`)
}

// waitsFor wants waits for some elements in a file, and none that stands on an absolute XPath.
func (s *browserSuite) waitsFor(file string, elements ...string) {
	s.t.Helper()
	var waits []string
	for line := range strings.Lines(string(read(s.t, filepath.Join(s.dir, file)))) {
		if strings.Contains(line, "until(") || strings.Contains(line, "waitFor(") {
			waits = append(waits, line)
		}
	}
	text := strings.Join(waits, "")
	for _, element := range elements {
		if !strings.Contains(text, element) {
			s.t.Errorf("nothing waits for %s:\n%s", element, text)
		}
	}
	if strings.Contains(text, "/html/body") {
		s.t.Errorf("a wait stands on an absolute XPath:\n%s", text)
	}
}

// A window that a page opens comes late and fills late, and a frame loads itself anew while commands run in it: both
// come to pass, and no browser is left.
func TestRealPythonWindows(t *testing.T) {
	t.Parallel()
	s := late(t, "test_windows.py", pytest(t)...)
	s.patchedPass("test_windows.py", "3 waits written", "assert '24' == '23'")
	s.nothingIsLeft()
}

// So do they in Playwright.
func TestRealNodeWindows(t *testing.T) {
	t.Parallel()
	s := late(t, "windows.test.js", needs.Program(t, "node"), "--test", "--test-reporter=tap")
	s.patchedPass("windows.test.js", "2 waits written", "'24' !== '23'")
	s.nothingIsLeft()
}

// nothingIsLeft wants no process of the suite to run any more, where the system tells of these.
func (s *browserSuite) nothingIsLeft() {
	s.t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		s.t.Fatal(err)
	}
	for _, path := range all {
		text, err := os.ReadFile(path)
		if err != nil { // it has ended, or is another user's
			continue
		}
		for kv := range bytes.SplitSeq(text, []byte{0}) {
			if string(kv) == s.pages {
				command, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline")) // it may end meanwhile
				s.t.Errorf("%s still runs: %q", filepath.Dir(path), command)
			}
		}
	}
}

// What a page is told in a WebSocket, after it has said something there itself, is waited for as the answer of a request
// is.
func TestRealPythonSocket(t *testing.T) {
	t.Parallel()
	s := late(t, "test_socket.py", pytest(t)...)
	s.patchedPass("test_socket.py", "2 waits written", "24")
}

// What tickers, a WebSocket and an EventSource change from before a user did anything is told by its cause, and what an
// action has begun is not; of attributes those that a rule of style speaks of may show. A form with an input in the place
// of a method, and a timer that clearInterval ends, hinder none of that.
func TestRealPythonBackground(t *testing.T) {
	t.Parallel()
	s := late(t, "test_background.py", pytest(t)...)
	if out, ok := s.through("test_background.py", "record", "--runs", "2", "--out", "session.json"); !ok {
		t.Fatal(out)
	}
	session, err := webdriver.ReadSession(filepath.Join(s.dir, "session.json"))
	if err != nil {
		t.Fatal(err)
	}
	run := session.Runs[0]
	var clicked float64
	for _, c := range run.Commands {
		if c.Kind == oracle.Acts {
			clicked = c.Sent
		}
	}
	got, plain := map[string]oracle.Cause{}, map[string]bool{}
	for _, m := range run.Mutations {
		if m.At > clicked && m.Since < clicked {
			got[m.Element+" "+m.Property] = m.Cause
			plain[m.Property] = m.Plain
		}
	}
	want := map[string]oracle.Cause{"#clock text": oracle.Timer, "#rearmed text": oracle.Timer, "#awaited text": "", "#own text": "",
		"#fed text": oracle.Socket, "#streamed text": oracle.Socket, "#marked @data-rev": oracle.Timer, "#marked @data-state": oracle.Timer,
		"#marked @x-on:rev": oracle.Timer}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]bool{"text": false, "@data-rev": true, "@data-state": false, "@x-on:rev": false}, plain); diff != "" {
		t.Error(diff)
	}
	if last := run.Commands[len(run.Commands)-1]; last.Timers != 0 {
		t.Errorf("%d timers are under way in the end", last.Timers)
	}
	fates := map[string]oracle.Fate{}
	for i, fate := range oracle.Learn(session).Fates(session, 0) {
		fates[run.Mutations[i].Element] = fate
	}
	for _, element := range []string{"#fed", "#streamed"} {
		if fates[element] != oracle.Driven && fates[element] != oracle.Background {
			t.Errorf("%s is %s", element, fates[element])
		}
	}
}
