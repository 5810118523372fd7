package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/internal/testbed/pages"
)

// TestEvalWaitsBrowser runs a suite for ten kinds of pages as it is, with fixed sleeps, held, and patched, at three
// latencies; and held and patched where the pages show a wrong answer, which each test has to tell; and says how much
// longer it takes while it is recorded. FLAKETAP_EVAL_RUNS says how often each; what takes many seconds runs a quarter
// as often. The session is recorded once, at 300 ms.
func TestEvalWaitsBrowser(t *testing.T) {
	for _, v := range []browserVariant{
		{"selenium", newBrowserSuite, "pages.test.js", "await driver.sleep("},
		{"webdriverio", newBrowserSuite, "wdio.test.js", "await browser.pause("},
		{"playwright", newBrowserSuite, "playwright.test.js", "await page.waitForTimeout("},
		{"firefox", newFirefoxSuite, "pages.test.js", "await driver.sleep("},
	} {
		t.Run(v.name, v.run)
	}
}

// browserVariant is the suite as one library has it, for a browser, with how it sleeps.
type browserVariant struct {
	name string
	begin
	file, sleep string
}

func (v browserVariant) run(t *testing.T) {
	runs := evalRuns(t, 20)
	latency := 300 * time.Millisecond
	jitter := false
	s := v.begin(t, v.file, func() time.Duration {
		if jitter {
			return rand.N(latency)
		}
		return latency
	}, needs.Program(t, "node"), "--test", "--test-reporter=tap")
	if out, ok := s.through(v.file, "record", "--out", "session.json"); !ok {
		t.Fatalf("no run passed:\n%s", out)
	}
	s.patchTo("patched.test.js", "session.json", v.file)
	hold := s.waits(v.file, "hold", "--quiet", "--session", "session.json")
	for _, l := range []struct {
		name    string
		latency time.Duration
		jitter  bool
	}{{"U(0,60) ms", 60 * time.Millisecond, true}, {"300 ms", 300 * time.Millisecond, false}, {"1200 ms", 1200 * time.Millisecond, false}} {
		latency, jitter = l.latency, l.jitter
		s.cell(l.name+" no wait", runs, s.command(v.file))
		s.cell(l.name+" held", runs, hold)
		s.cell(l.name+" patched", runs, s.command("patched.test.js"))
	}
	latency, jitter = 300*time.Millisecond, false
	s.overhead("patched.test.js", max(3, runs/4))
	v.sleeps(s, max(1, runs/4))
	s.site.Wrong.Store(true)
	for name, args := range map[string][]string{"wrong held": hold, "wrong patched": s.command("patched.test.js")} {
		if passed := s.cell(name, max(1, runs/4), args); passed > 0 {
			t.Errorf("%s: %d tests passed, and each had to tell the wrong answer", name, passed)
		}
	}
}

// sleeps runs the suite with fixed sleeps, with those taken out that waits make needless, and with the paper's window.
func (v browserVariant) sleeps(s *browserSuite, runs int) {
	actions := regexp.MustCompile(`(?m)^( *)await .*\.(click|fill|sendKeys|setValue|accept)\(.*;$`)
	original := read(s.t, s.dir+"/"+v.file)
	for _, ms := range []int{200, 500, 1000, 2000} {
		file := fmt.Sprintf("sleep%d.test.js", ms)
		s.write(file, actions.ReplaceAll(original, fmt.Appendf(nil, "${0}\n${1}%s%d);", v.sleep, ms)))
		s.cell(fmt.Sprintf("300 ms sleep %d ms", ms), runs, s.command(file))
	}
	if out, ok := s.through("sleep1000.test.js", "record", "--out", "sleeping.json"); !ok {
		s.t.Fatalf("no run with sleeps passed:\n%s", out)
	}
	s.patchTo("replaced.test.js", "sleeping.json", "sleep1000.test.js", "--replace-sleeps")
	count := func(file string) int {
		return len(regexp.MustCompile(`(?m)^ *`+regexp.QuoteMeta(v.sleep)).FindAll(read(s.t, s.dir+"/"+file), -1))
	}
	s.t.Logf("300 ms sleep 1000 ms replaced: %d sleeps of %d are left", count("replaced.test.js"), count("sleep1000.test.js"))
	s.cell("300 ms sleep 1000 ms replaced", runs, s.command("replaced.test.js"))
	// the second of two runs is the one that waits
	s.cell("300 ms paper's window", runs, s.waits(v.file, "record", "--quiet", "--force", "--runs", "2",
		"--window", "paper", "--out", "window.json"))
}

// patchTo writes a file with the waits of a session as another one.
func (s *browserSuite) patchTo(to, session, file string, flags ...string) {
	s.t.Helper()
	out, ok := s.flaketap(append([]string{"patch", "--session", session, "--force", "--out", "patched", file}, flags...)...)
	if !ok {
		s.t.Fatalf("patch:\n%s", out)
	}
	s.write(to, read(s.t, s.dir+"/patched/"+file))
}

// overhead says how much longer a test of a suite that waits takes where it is recorded as it is, than without flaketap:
// in the first of two runs, in turn with one without.
func (s *browserSuite) overhead(file string, runs int) {
	s.t.Helper()
	record := s.waits(file, "record", "--quiet", "--force", "--runs", "2", "--out", "overhead.json")
	var bare, recorded []time.Duration
	for range runs {
		for all, args := range map[*[]time.Duration][]string{&bare: s.command(file), &recorded: record} {
			out, _ := s.start(args...)
			first, _, _ := strings.Cut(strings.TrimPrefix(out, "TAP version"), "TAP version")
			*all = append(*all, s.lasted(first)...)
		}
	}
	slices.Sort(bare)
	slices.Sort(recorded)
	a, b := bare[len(bare)/2], recorded[len(recorded)/2]
	s.t.Logf("300 ms recorded as it is: a test takes %.2f times as long as without (%s, %s), in the middle of %d runs", float64(b)/float64(a),
		b.Round(time.Millisecond), a.Round(time.Millisecond), runs)
}

// lasted is how long each test took, in what the runner wrote.
func (s *browserSuite) lasted(out string) (all []time.Duration) {
	s.t.Helper()
	for _, m := range regexp.MustCompile(`(?m)^  duration_ms: ([\d.]+)$`).FindAllStringSubmatch(out, -1) {
		ms, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			s.t.Fatal(err)
		}
		all = append(all, time.Duration(ms*float64(time.Millisecond)))
	}
	return all
}

// cell runs a command so often, and says how many tests passed, in which time.
func (s *browserSuite) cell(name string, runs int, args []string) (passed int) {
	s.t.Helper()
	failed := map[string]int{}
	var took []time.Duration
	for range runs {
		out, _ := s.start(args...)
		out = out[max(0, strings.LastIndex(out, "TAP version")):]
		n, all := s.passing(out)
		passed += n
		took = append(took, s.lasted(out)...)
		for _, r := range all {
			if r.Failed() {
				failed[r.Name]++
			}
		}
	}
	slices.Sort(took)
	var which []string
	for name, n := range failed {
		which = append(which, fmt.Sprintf("%s %d", name, n))
	}
	slices.SortFunc(which, cmp.Compare[string])
	s.t.Logf("%s: %d of %d, median of a test %s; failed: %s", name, passed, runs*len(pages.Kinds),
		took[len(took)/2].Round(time.Millisecond), strings.Join(which, ", "))
	return passed
}
