package outcome

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/waits/oracle"
)

// began is when the runs of these tests began; all of them lasted for ten seconds.
var began = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

const (
	none  = ""
	fails = `<failure message="23 is not 24"/>`
)

// junit is results of a runner of three tests, a second each, from a moment of the run on; what is not accounted for of
// the whole was before, between, or behind them.
func junit(from string, whole float64, of ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<testsuite name="e2e" timestamp="2026-01-02T03:04:%s" time="%.1f">`, from, whole)
	for i, what := range of {
		fmt.Fprintf(&b, `<testcase classname="e2e" name="%c" time="1.0">%s</testcase>`, 'a'+i, what)
	}
	return b.String() + "</testsuite>"
}

func TestFailed(t *testing.T) {
	for _, tt := range []struct {
		name, left string
		want       []oracle.Span
	}{
		{"the first", junit("06.5", 3, fails, none, none), []oracle.Span{{From: 0, To: 2500}, {From: 4500, To: 10000}}},
		{"one in the middle", junit("06.5", 3, none, fails, none), []oracle.Span{{From: 0, To: 1500}, {From: 2500, To: 3500}, {From: 4500, To: 10000}}},
		{"the last", junit("06.5", 3, none, none, fails), []oracle.Span{{From: 0, To: 1500}, {From: 3500, To: 10000}}},
		{"with time that is not accounted for", junit("06.5", 3.4, none, fails, none), []oracle.Span{{From: 0, To: 1500}, {From: 2500, To: 3900}, {From: 4900, To: 10000}}},
		{"two", junit("06.5", 3, fails, none, fails), []oracle.Span{{From: 0, To: 2500}, {From: 3500, To: 10000}}},
		{"at once", junit("06.5", 1.2, none, fails, none), []oracle.Span{{From: 0, To: 10000}}},
		{"one that is skipped, without saying when", `<testsuite name="e2e"><testcase classname="e2e" name="a" time="4.0"/>` +
			`<testcase classname="e2e" name="b" time="0"><skipped/></testcase><testcase classname="e2e" name="c" time="4.0"/>` +
			`<testcase classname="e2e" name="d" time="0.5">` + fails + `</testcase></testsuite>`, []oracle.Span{{From: 7000, To: 10000}}},
		{"one that is expected to fail, and does", junit("06.5", 3, none, "<skipped/>", fails), []oracle.Span{{From: 0, To: 1500}, {From: 2500, To: 10000}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := left(t, tt.left, began.Add(9*time.Second))
			for _, path := range []string{path, filepath.Dir(path)} {
				got, err := Failed([]string{path}, began, began.Add(10*time.Second))
				if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
					t.Errorf("%v\n%s", err, diff)
				}
			}
		})
	}
}

// What lies between two tests may be the set-up or the tear-down of either, or be of one that left no results.
func TestFailedWithWhatLiesBetween(t *testing.T) {
	path := left(t, `{"Time":"2026-01-02T03:04:06Z","Action":"run","Package":"p","Test":"TestA"}
{"Time":"2026-01-02T03:04:07Z","Action":"pass","Package":"p","Test":"TestA","Elapsed":1}
{"Time":"2026-01-02T03:04:08Z","Action":"run","Package":"p","Test":"TestB"}
{"Time":"2026-01-02T03:04:09Z","Action":"fail","Package":"p","Test":"TestB","Elapsed":1}
{"Time":"2026-01-02T03:04:10Z","Action":"run","Package":"p","Test":"TestC"}
{"Time":"2026-01-02T03:04:11Z","Action":"pass","Package":"p","Test":"TestC","Elapsed":1}
`, began.Add(9*time.Second))
	got, err := Failed([]string{path}, began, began.Add(10*time.Second))
	if diff := cmp.Diff([]oracle.Span{{From: 0, To: 1000}, {From: 2000, To: 5000}, {From: 6000, To: 10000}}, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

func TestNotKnown(t *testing.T) {
	written := began.Add(9 * time.Second)
	bare := `<testsuite name="e2e"><testcase classname="e2e" name="a" time="20.0">` + fails + `</testcase></testsuite>`
	for name, tt := range map[string]struct{ path, want string }{
		"missing":            {filepath.Join(t.TempDir(), "left.xml"), "read results: "},
		"damaged":            {left(t, "<testsuite><testcase", written), "left.xml"},
		"of an earlier run":  {left(t, junit("06.5", 3, fails, none), began.Add(-time.Second)), "left no results of the run"},
		"nothing failed":     {left(t, junit("06.5", 3, none, none), written), "no test failed by the results"},
		"of another day":     {left(t, strings.ReplaceAll(junit("06.5", 3, fails), "2026", "2025"), written), `do not say when in the run the test "e2e › a" ran`},
		"longer than it ran": {left(t, bare, written), `do not say when in the run the test "e2e › a" ran`},
	} {
		if got, err := Failed([]string{tt.path}, began, began.Add(10*time.Second)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, %v, want an error that says %s", name, got, err, tt.want)
		}
	}
}

// left is the path of results that were written at a time.
func left(t *testing.T, text string, written time.Time) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "left.xml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, written, written); err != nil {
		t.Fatal(err)
	}
	return path
}
