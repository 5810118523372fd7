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
// latencies; and held and patched where the pages show a wrong answer, which each test has to tell. FLAKETAP_EVAL_RUNS
// says how often each; what takes many seconds runs a quarter as often. The session is recorded once, at 300 ms.
func TestEvalWaitsBrowser(t *testing.T) {
	runs := evalRuns(t, 20)
	latency := 300 * time.Millisecond
	jitter := false
	s := newBrowserSuite(t, "pages.test.js", func() time.Duration {
		if jitter {
			return rand.N(latency)
		}
		return latency
	}, needs.Program(t, "node"), "--test", "--test-reporter=tap")
	if out, ok := s.flaketap(append([]string{"record", "--out", "session.json", "--"}, s.command("pages.test.js")...)...); !ok {
		t.Fatalf("no run passed:\n%s", out)
	}
	original := read(t, s.dir+"/pages.test.js")
	s.write("patched.test.js", original)
	if out, ok := s.flaketap("patch", "--session", "session.json", "--out", "patched", "pages.test.js"); !ok {
		t.Fatalf("patch:\n%s", out)
	}
	s.write("patched.test.js", read(t, s.dir+"/patched/pages.test.js"))
	actions := regexp.MustCompile(`(?m)^( *)await .*\.(click|sendKeys|accept)\(.*;$`)
	for _, ms := range []int{200, 500, 1000, 2000} {
		s.write(fmt.Sprintf("sleep%d.test.js", ms), actions.ReplaceAll(original, fmt.Appendf(nil, "${0}\n${1}await driver.sleep(%d);", ms)))
	}
	hold := append([]string{program(t), "waits", "hold", "--quiet", "--session", "session.json", "--"}, s.command("pages.test.js")...)
	for _, l := range []struct {
		name    string
		latency time.Duration
		jitter  bool
	}{{"U(0,60) ms", 60 * time.Millisecond, true}, {"300 ms", 300 * time.Millisecond, false}, {"1200 ms", 1200 * time.Millisecond, false}} {
		latency, jitter = l.latency, l.jitter
		s.cell(l.name+" no wait", runs, s.command("pages.test.js"))
		s.cell(l.name+" held", runs, hold)
		s.cell(l.name+" patched", runs, s.command("patched.test.js"))
	}
	latency, jitter = 300*time.Millisecond, false
	for _, ms := range []int{200, 500, 1000, 2000} {
		s.cell(fmt.Sprintf("300 ms sleep %d ms", ms), max(1, runs/4), s.command(fmt.Sprintf("sleep%d.test.js", ms)))
	}
	if out, ok := s.flaketap(append([]string{"record", "--out", "sleeping.json", "--"}, s.command("sleep1000.test.js")...)...); !ok {
		t.Fatalf("no run with sleeps passed:\n%s", out)
	}
	if out, ok := s.flaketap("patch", "--session", "sleeping.json", "--replace-sleeps", "--out", "replaced", "sleep1000.test.js"); !ok {
		t.Fatalf("patch --replace-sleeps:\n%s", out)
	}
	replaced := read(t, s.dir+"/replaced/sleep1000.test.js")
	s.write("replaced.test.js", replaced)
	sleeps := func(text []byte) int {
		return len(regexp.MustCompile(`(?m)^ *await driver\.sleep\(`).FindAll(text, -1))
	}
	t.Logf("300 ms sleep 1000 ms replaced: %d sleeps of %d are left", sleeps(replaced), sleeps(read(t, s.dir+"/sleep1000.test.js")))
	s.cell("300 ms sleep 1000 ms replaced", max(1, runs/4), s.command("replaced.test.js"))
	// the second of two runs is the one that waits
	s.cell("300 ms paper's window", max(1, runs/4), append([]string{program(t), "waits", "record", "--quiet", "--force", "--runs", "2",
		"--window", "paper", "--out", "window.json", "--"}, s.command("pages.test.js")...))
	s.site.Wrong.Store(true)
	for name, args := range map[string][]string{"wrong held": hold, "wrong patched": s.command("patched.test.js")} {
		if passed := s.cell(name, max(1, runs/4), args); passed > 0 {
			t.Errorf("%s: %d tests passed, and each had to tell the wrong answer", name, passed)
		}
	}
}

// cell runs a command so often, and says how many tests passed, in which time.
func (s *browserSuite) cell(name string, runs int, args []string) (passed int) {
	s.t.Helper()
	failed, lasted := map[string]int{}, regexp.MustCompile(`(?m)^  duration_ms: ([\d.]+)$`)
	var took []time.Duration
	for range runs {
		out, _ := s.start(args...)
		out = out[max(0, strings.LastIndex(out, "TAP version")):]
		n, all := s.passing(out)
		passed += n
		for _, m := range lasted.FindAllStringSubmatch(out, -1) {
			ms, err := strconv.ParseFloat(m[1], 64)
			if err != nil {
				s.t.Fatal(err)
			}
			took = append(took, time.Duration(ms*float64(time.Millisecond)))
		}
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
