//go:build linux

package webdriver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/environ"
	"github.com/flaketap/flaketap/internal/process"
	"github.com/flaketap/flaketap/replay/service"
	"github.com/flaketap/flaketap/waits/oracle"
)

// The test's own program is the driver, which starts a browser that never ends, and the suite.
func TestMain(m *testing.M) {
	switch os.Getenv("FLAKETAP_TEST_AS") {
	case "driver":
		playDriver()
	case "suite":
		os.Exit(playSuite())
	default:
		os.Exit(m.Run())
	}
}

// playDriver answers until it is asked for the page's URL, which ends it.
func playDriver() {
	port := ""
	for _, arg := range os.Args {
		if text, ok := strings.CutPrefix(arg, "--port="); ok {
			port = text
		}
	}
	browser := exec.Command("sleep", "600")
	if err := browser.Start(); err != nil {
		panic(err)
	}
	if err := os.WriteFile(os.Getenv("BROWSER_PID"), []byte(strconv.Itoa(browser.Process.Pid)), 0o600); err != nil {
		panic(err)
	}
	panic(http.ListenAndServe("127.0.0.1:"+port, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/session":
			if path := os.Getenv("ASKED"); path != "" {
				_ = os.WriteFile(path, nil, 0o600)
				<-r.Context().Done() // it hangs
				return
			}
			fmt.Fprint(w, `{"value":{"sessionId":"s1","capabilities":{"browserName":"chrome","browserVersion":"156.0.8"}}}`)
		case "/session/s1/url":
			fmt.Fprintln(os.Stderr, "a page was too much")
			os.Exit(3)
		default:
			fmt.Fprint(w, `{"value":null}`)
		}
	})))
}

// playSuite asks as SUITE says, and returns how many of it failed. Each is a test, of whose results it leaves a file if
// RESULTS names one.
func playSuite() (failed int) {
	var results strings.Builder
	for i, path := range strings.Fields(os.Getenv("SUITE")) {
		tell := func(action string) {
			fmt.Fprintf(&results, `{"Time":%q,"Action":%q,"Package":"e2e","Test":"Test%d"}`+"\n", time.Now().Format(time.RFC3339Nano), action, i)
		}
		tell("run")
		if playTest(path) {
			tell("pass")
		} else {
			tell("fail")
			failed++
		}
	}
	if path := os.Getenv("RESULTS"); path != "" {
		if err := os.WriteFile(path, []byte(results.String()), 0o600); err != nil {
			panic(err)
		}
	}
	return failed
}

// playTest asks for something, and reports whether it was answered.
func playTest(path string) bool {
	method := http.MethodGet
	if path == "/session" {
		method = http.MethodPost
	}
	r, _ := http.NewRequest(method, os.Getenv("SELENIUM_REMOTE_URL")+path, strings.NewReader("{}"))
	ctx, giveUp := context.WithCancel(context.Background())
	defer giveUp()
	if asked := os.Getenv("ASKED"); asked != "" { // it gives up once the driver that hangs was asked
		go func() {
			for {
				if _, err := os.Stat(asked); err == nil {
					giveUp()
				}
				time.Sleep(time.Millisecond)
			}
		}()
	}
	resp, err := http.DefaultClient.Do(r.WithContext(ctx))
	if err != nil {
		return false
	}
	_, _ = io.Copy(io.Discard, resp.Body) // nobody reads it
	resp.Body.Close()
	return true
}

// playing are options with the two played by the test's own program.
func playing(t *testing.T, suite string) (o Options, said *bytes.Buffer, browser func() int) {
	t.Helper()
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	driver, pid := filepath.Join(dir, "driver"), filepath.Join(dir, "pid")
	if err := os.WriteFile(driver, []byte("#!/bin/sh\nFLAKETAP_TEST_AS=driver exec '"+own+"' \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("BROWSER_PID", pid)
	t.Setenv("SUITE", suite)
	said = &bytes.Buffer{}
	o = Options{Args: []string{"env", "FLAKETAP_TEST_AS=suite", own}, Driver: driver, Own: own, Console: &console.Console{Err: said}}
	return o, said, func() int {
		text, err := os.ReadFile(pid)
		if err != nil {
			t.Fatal(err)
		}
		n, _ := strconv.Atoi(string(text))
		return n
	}
}

// gone reports whether a process has ended, all but for being waited for.
func gone(pid int) bool {
	p, ok := process.Find(pid)
	return !ok || p.Ended
}

// A driver that ends is told of by its name, and no browser is left.
func TestDriverThatEnds(t *testing.T) {
	for file, name := range map[string]string{"driver": "chromedriver", "geckodriver-0.37": "geckodriver"} {
		o, said, browser := playing(t, "/session /session/s1/title /session/s1/url /session/s1/title")
		named := filepath.Join(filepath.Dir(o.Driver), file)
		if err := os.Rename(o.Driver, named); err != nil {
			t.Fatal(err)
		}
		o.Driver = named
		run, err := o.run(t.Context(), none{})
		if err != nil || run.Status != 2 || len(run.Commands) != 1 {
			t.Errorf("status %d, %v, %d commands", run.Status, err, len(run.Commands))
		}
		text := said.String()
		if !strings.Contains(text, "the driver ended while the suite ran") || !strings.Contains(text, "a page was too much") || !strings.Contains(text, name+" ") {
			t.Errorf("it says %s", text)
		}
		if !gone(browser()) {
			t.Error("the browser is still there")
		}
	}
}

// A driver that is ready and then answers no session is told, and not that no command came from the suite. The runs
// before it stay, and no browser is left.
func TestDriverThatHangs(t *testing.T) {
	o, said, browser := playing(t, "/session /session/s1/title")
	asked := filepath.Join(t.TempDir(), "asked")
	t.Setenv("ASKED", "")
	o.Console.Err = io.MultiWriter(said, hears(func(text string) {
		if strings.Contains(text, "run 1 of 3") {
			os.Setenv("ASKED", asked)
			os.Setenv("SUITE", "/session")
		}
	}))
	s, err := Record(t.Context(), RecordOptions{Options: o, Runs: 3})
	if err == nil || !strings.Contains(err.Error(), "chromedriver did not answer the session that the suite asked for") ||
		!strings.Contains(console.Advice(err), "--driver PATH") {
		t.Errorf("%v, %s", err, console.Advice(err))
	}
	if len(s.Runs) != 1 || len(s.Runs[0].Commands) != 1 || !gone(browser()) {
		t.Errorf("kept are %+v", s.Runs)
	}
}

// A run that takes longer than it may has failed, and leaves no browser.
func TestRunThatTakesTooLong(t *testing.T) {
	o, said, browser := playing(t, "")
	o.Args, o.Timeout = []string{"sh", "-c", "sleep 600"}, 50*time.Millisecond
	run, err := o.run(t.Context(), none{})
	if err != nil || run.Status == 0 || !gone(browser()) || !strings.Contains(said.String(), "ended after 50ms (--timeout)") {
		t.Errorf("status %d, %v, it says %s", run.Status, err, said)
	}
}

// A suite that leaves its browser open, and one that is interrupted, leave none.
func TestNoBrowserIsLeft(t *testing.T) {
	o, _, browser := playing(t, "/session /session/s1/title")
	run, err := o.run(t.Context(), none{})
	if err != nil || run.Status != 0 || !gone(browser()) {
		t.Errorf("status %d, %v, gone %v", run.Status, err, gone(browser()))
	}
	o, _, browser = playing(t, "")
	o.Args = []string{"sh", "-c", "echo begun; sleep 600"}
	ctx, cancel := context.WithCancel(t.Context())
	o.Stdout = begun{cancel}
	if _, err := o.run(ctx, none{}); err == nil || !gone(browser()) {
		t.Errorf("interrupted: %v, gone %v", err, gone(browser()))
	}
}

// begun ends a context when something is written.
type begun struct{ end func() }

func (b begun) Write(p []byte) (int, error) {
	b.end()
	return len(p), nil
}

// A suite finds flaketap before all that its environment names, which stays otherwise.
func TestEnvironment(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	b := &bench{ln: ln, besides: ln, driver: &driver{program: programs()[0]}, running: &service.Instance{}, dir: "/w"}
	got := b.environment([]string{"SE_CHROMEDRIVER=/old", "PATH=/usr/bin:/bin", "NODE_OPTIONS=--no-warnings", "LANG=C"})
	slices.Sort(got)
	want := []string{"LANG=C", "FLAKETAP_WAITS=" + ln.Addr().String(), "NODE_OPTIONS=--no-warnings --require " +
		environ.NodeQuoted("/w/preload.cjs") + " --require " + environ.NodeQuoted("/w/playwright.cjs"), "PATH=/w/bin:/usr/bin:/bin",
		"PYTHONPATH=/w", "SELENIUM_REMOTE_URL=http://" + ln.Addr().String(), "SE_CHROMEDRIVER=/w/bin/chromedriver", "SE_OFFLINE=true",
		"CHROMEDRIVER_PATH=/w/bin/chromedriver"}
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	b.driver = &driver{program: programs()[1]}
	if got := b.environment(nil); !slices.Contains(got, "SE_GECKODRIVER=/w/bin/geckodriver") || slices.Contains(got, "SE_CHROMEDRIVER=/w/bin/chromedriver") {
		t.Errorf("with geckodriver: %s", got)
	}
	b.driver, b.running = nil, nil // a suite of Playwright needs none
	want = []string{"FLAKETAP_WAITS=" + ln.Addr().String(), "NODE_OPTIONS=--require " + environ.NodeQuoted("/w/playwright.cjs"),
		"PATH=/w/bin:/bin", "SELENIUM_REMOTE_URL=http://grid", "SE_OFFLINE=true", "PYTHONPATH=/w"}
	if diff := cmp.Diff(want, b.environment([]string{"PATH=/bin", "SELENIUM_REMOTE_URL=http://grid"})); diff != "" {
		t.Errorf("without a driver: %s", diff)
	}
}

// A driver that is not there, or does not start, is said with what to do.
func TestNoDriver(t *testing.T) {
	o, _, _ := playing(t, "")
	o.Driver = "/no/such/driver"
	if _, err := o.run(t.Context(), none{}); err == nil || !strings.Contains(err.Error(), "find chromedriver") || !strings.Contains(console.Advice(err), "--driver") {
		t.Errorf("not there: %v, %s", err, console.Advice(err))
	}
	o.Driver = "false"
	if _, err := o.run(t.Context(), none{}); err == nil || !strings.HasPrefix(err.Error(), "start chromedriver") {
		t.Errorf("does not start: %v", err)
	}
}

// Where nothing comes through, that is said; what a recording is made of stands in its runs.
func TestRecord(t *testing.T) {
	o, _, _ := playing(t, "")
	if _, err := Record(t.Context(), RecordOptions{Options: o, Runs: 2}); err == nil || !strings.Contains(err.Error(), "no command for a browser came") {
		t.Errorf("an empty suite: %v", err)
	}
	o, said, _ := playing(t, "/session /session/s1/title")
	s, err := Record(t.Context(), RecordOptions{Options: o, Runs: 3})
	if err != nil {
		t.Fatal(err)
	}
	var ways []string
	for _, r := range s.Runs {
		ways = append(ways, r.Patience)
	}
	if got := strings.Join(ways, ", "); got != "none, rest, none" || !strings.Contains(said.String(), "run 3 of 3, as it is: 1 command, 0 changes, passed") {
		t.Errorf("runs %s\n%s", got, said)
	}
	if diff := cmp.Diff([]string{"chrome 156.0.8"}, s.Browsers()); diff != "" || !strings.Contains(said.String(), "recorded with chrome 156.0.8\n") {
		t.Errorf("%s\n%s", diff, said)
	}
	if status, err := Hold(t.Context(), o, oracle.Learn(s)); status != 0 || err != nil || !strings.Contains(said.String(), "no command had to be held") {
		t.Errorf("held: %d, %v, %s", status, err, said)
	}
}

// Of a run that failed the tests count that passed, where the results of the runner tell these; a session of them alone is
// one to learn from.
func TestRecordTestsThatPassed(t *testing.T) {
	for _, tt := range []struct {
		results, says string
		passed        bool
	}{
		{"left.json", "failed with status 1; the tests that passed count", true},
		{"", "no run passed", false},
		{"other.json", "no test counts as passed in this run: read results", false},
		{"other.json", "The results tell no test that passed from those that failed", false},
	} {
		o, said, _ := playing(t, "/session /session/s1/title /session/s1/url")
		dir := t.TempDir()
		t.Setenv("RESULTS", filepath.Join(dir, "left.json"))
		if tt.results != "" {
			o.Results = []string{filepath.Join(dir, tt.results)}
		}
		s, err := Record(t.Context(), RecordOptions{Options: o, Runs: 2})
		if err != nil || !strings.Contains(said.String(), tt.says) {
			t.Fatalf("%q: %v, it says %s", tt.results, err, said)
		}
		if s.Passed() != tt.passed || (Outcome(s) == nil) != tt.passed {
			t.Errorf("%q: something passed: %v, %v", tt.results, s.Passed(), Outcome(s))
		}
	}
}

// hears is what is told of all that is written.
type hears func(text string)

func (h hears) Write(p []byte) (int, error) {
	h(string(p))
	return len(p), nil
}

// A recording that is interrupted, or cannot go on, keeps the runs that it has.
func TestRecordKeepsWhatItHas(t *testing.T) {
	o, _, _ := playing(t, "/session /session/s1/title")
	ctx, interrupt := context.WithCancel(t.Context())
	o.Console.Err = hears(func(text string) {
		if strings.Contains(text, "run 1 of 3") {
			interrupt()
		}
	})
	s, err := Record(ctx, RecordOptions{Options: o, Runs: 3})
	if !errors.Is(err, context.Canceled) || len(s.Runs) != 1 || len(s.Runs[0].Commands) != 1 {
		t.Errorf("interrupted: %v, %+v", err, s)
	}
	o, _, _ = playing(t, "/session /session/s1/title")
	o.Console.Err = hears(func(text string) {
		if strings.Contains(text, "run 1 of 3") {
			os.Setenv("SUITE", "")
		}
	})
	if s, err := Record(t.Context(), RecordOptions{Options: o, Runs: 3}); err == nil || len(s.Runs) != 1 {
		t.Errorf("nothing comes: %v, %+v", err, s)
	}
	o, said, _ := playing(t, "/session /session/s1/title")
	full, kept := errors.New("the disk is full"), 0
	s, err = Record(t.Context(), RecordOptions{Options: o, Runs: 3, Keep: func(s *oracle.Session) error {
		if kept++; kept != len(s.Runs) {
			t.Errorf("kept %d times after %d runs", kept, len(s.Runs))
		}
		if kept == 2 {
			return full
		}
		return nil
	}})
	if !errors.Is(err, full) || kept != 2 || len(s.Runs) != 2 || strings.Contains(said.String(), "run 2 of 3") {
		t.Errorf("a run that cannot be kept: %v after %d, %d runs\n%s", err, kept, len(s.Runs), said)
	}
}

// What a suite starts in the place of chromedriver passes all on, and ends where it is asked to.
func TestStandIn(t *testing.T) {
	d := &fakeDriver{answers: map[string][]string{"GET /title": {`"a"`}, "GET /status": {"null"}}}
	s := newSuite(t, d, none{})
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(free.Addr().String())
	free.Close()
	ended := make(chan error, 1)
	go func() { ended <- StandIn(t.Context(), strings.TrimPrefix(s.at, "http://"), []string{"--port=" + port}) }()
	through := &fakeSuite{t, "http://127.0.0.1:" + port, s.tap}
	for {
		conn, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err == nil {
			conn.Close()
			break
		}
	}
	if got := through.ask("GET", session+"/title", ""); got != `"a"` {
		t.Errorf("the title is %s", got)
	}
	through.ask("GET", "/shutdown", "")
	if err := <-ended; err != nil {
		t.Error(err)
	}
	over, end := context.WithCancel(t.Context())
	end()
	for _, args := range [][]string{{"--port=x"}, {"--port", "x"}, {"-p", "x"}} {
		err := StandIn(over, strings.TrimPrefix(s.at, "http://"), args)
		if err == nil || !strings.Contains(err.Error(), "must be a number") {
			t.Errorf("%s, which is no number: %v", args, err)
		}
	}
}

// A stand-in ends with what it stands in for, also where that is killed.
func TestStandInEnds(t *testing.T) {
	flaketap, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- StandIn(t.Context(), flaketap.Addr().String(), []string{"--port=0"}) }()
	conn, err := flaketap.Accept()
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	flaketap.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := StandIn(t.Context(), "127.0.0.1:1", nil); err == nil || !strings.Contains(err.Error(), "reach flaketap") {
		t.Errorf("nothing listens there: %v", err)
	}
}

// Node finds what it loads first in a folder with blanks and quotes in its name.
func TestNodeInAnOddFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), `my "temporary" folder's`)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", dir)
	o, _, _ := playing(t, "")
	out := &bytes.Buffer{}
	o.Args, o.Stdout = []string{"sh", "-c", `printf %s "$NODE_OPTIONS"`}, out
	if _, err := o.run(t.Context(), none{}); err != nil {
		t.Fatal(err)
	}
	if want := `--require "` + strings.ReplaceAll(dir, `"`, `\"`); !strings.HasPrefix(out.String(), want) {
		t.Errorf("NODE_OPTIONS is %s, want %s…", out, want)
	}
}

// A session in which no run passed is none to learn from; a suite with other commands than the session has is told.
func TestSessionsThatTeachNothing(t *testing.T) {
	read := func(s *oracle.Session) error {
		path := filepath.Join(t.TempDir(), "session.json")
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := s.Write(f); err != nil {
			t.Fatal(err)
		}
		_, err = ReadSession(path)
		return err
	}
	o, said, _ := playing(t, "/session /session/s1/title /session/s1/url")
	s, err := Record(t.Context(), RecordOptions{Options: o, Runs: 2})
	if err != nil || !strings.Contains(said.String(), "no run passed") {
		t.Fatalf("%v, it says %s", err, said)
	}
	if err := read(s); err == nil || !strings.Contains(err.Error(), "none of its runs passed") || console.Advice(err) == "" {
		t.Errorf("no run passed: %v", err)
	}
	o, _, _ = playing(t, "/session /session/s1/title")
	if s, err = Record(t.Context(), RecordOptions{Options: o, Runs: 2}); err != nil || read(s) != nil {
		t.Fatal(err, read(s))
	}
	for suite, want := range map[string]string{
		"":                                     "no command about a page came",
		"/session":                             "no command about a page came",
		"/session /session/s1/element/e1/text": "the session has none of the 1 command.",
		"/session /session/s1/title /session/s1/element/e1/text": "1 of 2 commands passed as they came",
	} {
		o, said, _ := playing(t, suite)
		if _, err := Hold(t.Context(), o, oracle.Learn(s)); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(said.String(), want) || strings.Contains(said.String(), "no command had") != strings.HasPrefix(want, "1 of") {
			t.Errorf("%q: it says %s", suite, said)
		}
	}
}
