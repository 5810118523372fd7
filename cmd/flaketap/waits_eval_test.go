package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/internal/testbed/pages"
	"github.com/flaketap/flaketap/suite/results"
)

// TestEvalWaitsBrowser runs the same suite for ten kinds of pages, in three languages and with three libraries, as it is,
// held, and patched, in turn, at three latencies; the patched one alone, five times as often; says how much longer a test
// takes while it is recorded, and than an oracle needs at least; runs the suite with fixed sleeps, and with those taken out that waits make needless, with the paper's window; and held
// and patched where the pages show a wrong answer, which each test has to tell. FLAKETAP_EVAL_RUNS says how often each; what
// only serves to compare runs a quarter as often. The session is recorded once, at 300 ms.
func TestEvalWaitsBrowser(t *testing.T) {
	for _, v := range browserVariants() {
		t.Run(v.name, v.run)
	}
}

// browserVariant is the suite as one library has it in one language, for a browser.
type browserVariant struct {
	name string
	begin
	file     string
	sleep    string                    // how it sleeps, for %d milliseconds
	acts     *regexp.Regexp            // its actions
	command  func(t *testing.T) string // runs a file, $1, and leaves JUnit XML in the folder $R
	sleeping func(text string) string  // what else a suite needs that sleeps
}

func browserVariants() []browserVariant {
	awaited := regexp.MustCompile(`(?m)^( *)await .*\.(?:click|fill|sendKeys|setValue|accept)\(.*;$`)
	called := regexp.MustCompile(`(?m)^( *)\w.*\.(?:click|sendKeys|send_keys|accept)\(.*\);?$`)
	as := func(text string) string { return text }
	node := func(t *testing.T) string {
		return needs.Program(t, "node") + " --test --test-reporter=junit --test-reporter-destination=$R/results.xml $1"
	}
	return []browserVariant{
		{"selenium", newBrowserSuite, "pages.test.js", "await driver.sleep(%d);", awaited, node, as},
		{"python", newBrowserSuite, "test_pages.py", "time.sleep(%d / 1000)", called, func(t *testing.T) string {
			return needs.Program(t, "python") + " -m pytest -q -p no:cacheprovider --junitxml=$R/results.xml $1"
		}, func(text string) string { return "import time\n" + text }},
		{"java", newBrowserSuite, "shop/PagesTest.java", "Thread.sleep(%d);", called, runJavaPages, func(text string) string {
			return strings.ReplaceAll(text, "() {", "() throws InterruptedException {")
		}},
		{"webdriverio", newBrowserSuite, "wdio.test.js", "await browser.pause(%d);", awaited, node, as},
		{"playwright", newBrowserSuite, "playwright.test.js", "await page.waitForTimeout(%d);", awaited, node, as},
		{"firefox", newFirefoxSuite, "pages.test.js", "await driver.sleep(%d);", awaited, node, as},
	}
}

// runJavaPages runs the suite in Java, which is compiled once.
func runJavaPages(t *testing.T) string {
	classPath, launch := javaPages(t)
	return "export SE_OFFLINE=true CLASSPATH='" + classPath + "'; test -d out || " + needs.Program(t, "javac") + " -d out $1; " +
		launch + " --reports-dir $R -c shop.PagesTest"
}

// evaluation is the evaluation of one variant.
type evaluation struct {
	*browserSuite
	variant  browserVariant
	latency  atomic.Int64
	jittered atomic.Bool
	runs     int
}

func (v browserVariant) run(t *testing.T) {
	e := &evaluation{variant: v, runs: evalRuns(t, 4)}
	e.browserSuite = v.begin(t, v.file, e.answersAfter, "sh", "-c",
		`R=$RESULTS/$(date +%s%N); mkdir -p $R; `+strings.ReplaceAll(v.command(t), "\n", " "), "suite")
	e.env = append(e.env, "RESULTS="+t.TempDir())
	e.latency.Store(int64(300 * time.Millisecond))
	session := e.recorded(t, "session.json", e.browserSuite)
	if session == "" {
		t.Fatal("no run passed")
	}
	patched := e.patchedBy(t, session, e.browserSuite)
	held := e.held(e.browserSuite, session)
	for _, l := range []struct {
		name    string
		latency time.Duration
		jitter  bool
	}{{"U(0,60) ms", 60 * time.Millisecond, true}, {"300 ms", 300 * time.Millisecond, false}, {"1200 ms", 1200 * time.Millisecond, false}} {
		t.Run(l.name, func(t *testing.T) {
			e.latency.Store(int64(l.latency))
			e.jittered.Store(l.jitter)
			settle := l.latency
			if l.jitter {
				settle /= 2
			}
			none, held, patched := e.plain("no wait", e.browserSuite), held, e.plain("patched", patched)
			none.every = 4
			e.measure(t, e.runs, &none, &held, &patched)
			e.holdsUp(t, settle, &none, &held, &patched)
		})
	}
	e.latency.Store(int64(300 * time.Millisecond))
	e.jittered.Store(false)
	t.Run("again and again", func(t *testing.T) {
		c := e.plain("patched, alone", patched)
		if e.measure(t, 5*e.runs, &c); c.passed < c.tests {
			t.Errorf("%d of %d tests passed", c.passed, c.tests)
		}
	})
	t.Run("recording", func(t *testing.T) { e.overhead(t, patched) })
	t.Run("lateness", func(t *testing.T) { e.lateness(t, patched) })
	t.Run("sleeps", e.sleeps)
	t.Run("window", e.window)
	t.Run("wrong", func(t *testing.T) {
		e.site.Wrong.Store(true)
		patched, held := e.plain("wrong patched", patched), held
		held.name = "wrong held"
		e.measure(t, max(1, e.runs/4), &held, &patched)
		for _, c := range []*cell{&held, &patched} {
			if c.passed > 0 || c.told < c.tests {
				t.Errorf("%s: of %d tests %d passed, and %d said what is wrong", c.name, c.tests, c.passed, c.told)
			}
		}
	})
}

// answersAfter is how long an answer takes.
func (e *evaluation) answersAfter() time.Duration {
	latency := time.Duration(e.latency.Load())
	if e.jittered.Load() {
		return rand.N(latency)
	}
	return latency
}

// with is the same suite with another text, in a folder of its own.
func (e *evaluation) with(t *testing.T, text []byte) *browserSuite {
	t.Helper()
	other := *e.browserSuite
	other.t, other.dir = t, t.TempDir()
	other.writeSuite(e.variant.file, text)
	return &other
}

// recorded records a suite, and returns the path of the session; "" where no run passed. A busy machine may miss what is
// there for a while only in all runs of a suite that sleeps too long for it: so it is tried three times.
func (e *evaluation) recorded(t *testing.T, name string, s *browserSuite) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	for range 3 {
		out, ok := s.through(e.variant.file, "record", "--force", "--out", path)
		if ok {
			return path
		}
		t.Logf("no run that was recorded passed:\n%s", out)
	}
	return ""
}

// patchedBy is a suite with the waits of a session.
func (e *evaluation) patchedBy(t *testing.T, session string, s *browserSuite, flags ...string) *browserSuite {
	t.Helper()
	out, ok := s.flaketap(append([]string{"patch", "--session", session, "--force", "--out", "patched", e.variant.file}, flags...)...)
	if !ok {
		t.Fatalf("patch:\n%s", out)
	}
	t.Log(out)
	return e.with(t, read(t, filepath.Join(s.dir, "patched", filepath.Base(e.variant.file))))
}

// cell is what is measured of a suite that is run in one way.
type cell struct {
	name  string
	suite *browserSuite
	args  []string
	every int // it runs in one of so many rounds; 0 is in all

	runs, passed, tests, told int
	took                      []time.Duration
	failed                    map[string]int
}

func (e *evaluation) plain(name string, s *browserSuite) cell {
	return cell{name: name, suite: s, args: s.command(e.variant.file)}
}

func (e *evaluation) held(s *browserSuite, session string) cell {
	return cell{name: "held", suite: s, args: s.waits(e.variant.file, "hold", "--quiet", "--session", session)}
}

// measure runs each of some cells so often, in turn, and says how many tests passed, and in which time.
func (e *evaluation) measure(t *testing.T, runs int, cells ...*cell) {
	t.Helper()
	for n := range runs {
		for _, c := range cells {
			if n%max(1, c.every) == 0 {
				c.add(t, c.ran(t)(-1))
			}
			if done := n + 1; done%5 == 0 || done == runs {
				c.says(t)
			}
		}
	}
}

// says logs what there is of a cell.
func (c *cell) says(t *testing.T) {
	t.Helper()
	var which []string
	for name, n := range c.failed {
		which = append(which, fmt.Sprintf("%s %d", name, n))
	}
	slices.SortFunc(which, cmp.Compare[string])
	t.Logf("%s: %d of %d tests passed in %d runs, median of a test %s; failed: %s; load %s", c.name, c.passed, c.tests, c.runs,
		c.median().Round(time.Millisecond), strings.Join(which, ", "), load())
}

// ran runs a cell once, and returns the results of the runs of the suite in it: of the first, 0, or the last, -1.
func (c *cell) ran(t *testing.T) func(which int) []results.Result {
	t.Helper()
	folder := t.TempDir()
	s := *c.suite
	s.env = append(slices.Clone(s.env), "RESULTS="+folder)
	out, _ := s.start(c.args...)
	return func(which int) (all []results.Result) {
		runs, err := os.ReadDir(folder)
		if err != nil || len(runs) == 0 {
			t.Fatalf("nothing ran: %v\n%s", err, out)
		}
		files, err := filepath.Glob(filepath.Join(folder, runs[(which+len(runs))%len(runs)].Name(), "*.xml"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			of, err := results.Read(strings.NewReader(string(read(t, file))), file)
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			all = append(all, of...)
		}
		if len(all) != len(pages.Kinds) {
			t.Errorf("%d tests ran, want %d:\n%s", len(all), len(pages.Kinds), out)
		}
		return all
	}
}

// wrongly is what an assertion says of a wrong answer.
var wrongly = regexp.MustCompile(`\b24\b|\beel\b`)

// add counts a run.
func (c *cell) add(t *testing.T, run []results.Result) {
	t.Helper()
	if c.failed == nil {
		c.failed = map[string]int{}
	}
	c.runs++
	c.tests += len(pages.Kinds)
	for _, r := range run {
		c.took = append(c.took, r.Duration)
		switch {
		case !r.Failed():
			c.passed++
			continue
		case wrongly.MatchString(r.Message):
			c.told++
		case c.every == 0 && c.failed[r.Name] < 2: // that of a suite without waits is known
			t.Logf("%s: %s failed: %s", c.name, r.Name, r.Message)
		}
		c.failed[r.Name]++
	}
}

// median is how long a test took in the middle.
func (c *cell) median() time.Duration {
	slices.Sort(c.took)
	return c.took[len(c.took)/2]
}

// load is the load of the machine in the last minute; "unknown" where it does not say.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(text), " ")
	return first
}

// holdsUp wants all tests of cells to have passed, in no more than the time that they take without waits, and 1.25 times
// what an answer takes, and 50 ms.
func (e *evaluation) holdsUp(t *testing.T, settle time.Duration, none *cell, cells ...*cell) {
	t.Helper()
	most := none.median() + settle*5/4 + 50*time.Millisecond
	for _, c := range cells {
		t.Logf("%s: a test takes %s, %.2f times what the suite without waits and an answer take; wanted %s at most", c.name,
			c.median().Round(time.Millisecond), float64(c.median())/float64(none.median()+settle), most.Round(time.Millisecond))
		if c.passed < c.tests || c.median() > most {
			t.Errorf("%s: %d of %d tests passed, each in %s", c.name, c.passed, c.tests, c.median().Round(time.Millisecond))
		}
	}
}

// overhead says how much longer a test of a suite that waits takes where it is recorded as it is, than without flaketap:
// in the first of two runs, in turn with one without.
func (e *evaluation) overhead(t *testing.T, patched *browserSuite) {
	bare, recorded := e.plain("without", patched), e.plain("recorded as it is", patched)
	recorded.args = patched.waits(e.variant.file, "record", "--quiet", "--force", "--runs", "2", "--out", "overhead.json")
	compareCells(t, max(3, e.runs/2), &recorded, &bare)
}

// Intervals of waits that are written: between two looks, in milliseconds, and in Python in seconds.
var (
	milliseconds = regexp.MustCompile(`(undefined, |interval: |ofMillis\()[2-5]0\b`)
	seconds      = regexp.MustCompile(`(WebDriverWait\([\w.]+, [\d.]+, 0\.)0[2-5]\b`)
)

// lateness says how much longer a test of a patched suite takes than an oracle needs at least: than the same test with
// waits that look all the time.
func (e *evaluation) lateness(t *testing.T, patched *browserSuite) {
	text := string(read(t, filepath.Join(patched.dir, e.variant.file)))
	always := seconds.ReplaceAllString(milliseconds.ReplaceAllString(text, "${1}1"), "${1}001")
	if always == text {
		t.Skip("its library says when waits look")
	}
	late, least := e.plain("patched", patched), e.plain("patched to look all the time", e.with(t, []byte(always)))
	compareCells(t, max(3, e.runs), &late, &least)
}

// compareCells runs two cells so often in turn, and says how much longer one takes than the other.
func compareCells(t *testing.T, rounds int, c, with *cell) {
	t.Helper()
	var ratios []float64
	for n := range rounds {
		var took [2]time.Duration
		for i := range 2 {
			at := (n + i) % 2 // the one that comes first is not always the same
			one := []*cell{c, with}[at]
			run := one.ran(t)(0)
			one.add(t, run)
			took[at] = total(run)
		}
		ratios = append(ratios, float64(took[0])/float64(took[1]))
	}
	slices.Sort(ratios)
	t.Logf("%s: a test takes %.2f times as long as %s (%s, %s), all tests of a run %.2f times, in the middle of %d runs (%.2f to %.2f); %d of %d passed, and %d of %d; load %s",
		c.name, float64(c.median())/float64(with.median()), with.name, c.median().Round(time.Millisecond), with.median().Round(time.Millisecond),
		ratios[len(ratios)/2], len(ratios), ratios[0], ratios[len(ratios)-1], c.passed, c.tests, with.passed, with.tests, load())
}

// total is how long the tests of a run took together.
func total(run []results.Result) (all time.Duration) {
	for _, r := range run {
		all += r.Duration
	}
	return all
}

// window runs the suite with the paper's window: in the second of two runs that are recorded.
func (e *evaluation) window(t *testing.T) {
	c := e.plain("paper's window", e.browserSuite)
	c.args = e.waits(e.variant.file, "record", "--quiet", "--force", "--runs", "2", "--window", "paper", "--out", "window.json")
	e.measure(t, e.runs, &c)
}

// sleeps runs the suite with fixed sleeps, and with those taken out that waits make needless.
func (e *evaluation) sleeps(t *testing.T) {
	original := e.variant.sleeping(string(read(t, filepath.Join(e.dir, e.variant.file))))
	cells := []*cell{}
	for _, ms := range []int{200, 500, 1000, 2000} {
		text := e.variant.acts.ReplaceAllString(original, "${0}\n${1}"+fmt.Sprintf(e.variant.sleep, ms))
		c := e.plain(fmt.Sprintf("sleep %d ms", ms), e.with(t, []byte(text)))
		cells = append(cells, &c)
	}
	runs := max(1, e.runs/4)
	e.measure(t, runs, cells...)
	second := cells[2].suite
	e.latency.Store(int64(600 * time.Millisecond)) // so that the toast is there when a sleep of a second ends, and a while longer
	session := e.recorded(t, "sleeping.json", second)
	e.latency.Store(int64(300 * time.Millisecond))
	if session == "" {
		t.Fatal("no run with sleeps passed")
	}
	replaced := e.plain("sleep 1000 ms replaced", e.patchedBy(t, session, second, "--replace-sleeps"))
	name, _, _ := strings.Cut(e.variant.sleep, "%d")
	statement := regexp.MustCompile(`(?m)^ *` + regexp.QuoteMeta(name)) // not the comment in which one that is gone stands
	count := func(s *browserSuite) int {
		return len(statement.FindAll(read(t, filepath.Join(s.dir, e.variant.file)), -1))
	}
	t.Logf("sleep 1000 ms replaced: %d sleeps of %d are left", count(replaced.suite), count(second))
	e.measure(t, runs, &replaced)
}
