package stabilize

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/suite/mend"
	"github.com/flaketap/flaketap/suite/probe"
	"github.com/flaketap/flaketap/suite/results"
	"github.com/flaketap/flaketap/suite/verify"
)

// helped is a suite of which one assertion is followed; the others stand in a helper, and under a condition.
const helped = `import requests
import helper
def shared(body):
    while body:
        assert body["next"] == 37
def test_0():
    res = requests.get("http://localhost/a")
    assert res.json()["next"] == 37
    shared(res.json())
    if len(res.text) > 3:
        assert res.json()["state"] == "new"
    helper.check(res.json())
`

// helperRunner runs it, and says in the log of muted runs what has failed.
type helperRunner struct {
	fakeRunner
	silent bool // no muted run
}

func (f *helperRunner) Run(_ context.Context, x verify.Execution) (o verify.Outcome, err error) {
	f.ran++
	e := answered("/a", f.ran)
	e.Response.Body = fmt.Appendf(nil, `{"next":%d,"token":"s3cr3tS3cr3t%d"}`, f.ran, f.ran)
	if err := x.Recorder.Record(e); err != nil {
		return o, err
	}
	message := "File \"" + filepath.Join(x.Suite.Arg, "test_a.py") + "\", line 5, in shared\nAssertionError"
	o.Results = []results.Result{{Suite: "test_a", Name: "test_0", Outcome: results.Fail, Message: message}}
	o.Status = 1
	if x.Env == nil || f.silent {
		return o, nil
	}
	for _, kv := range x.Env(nil) {
		if path, ok := strings.CutPrefix(kv, "FLAKETAP_PROBE_LOG="); ok {
			log := `{"test":"test_0","time":1}
{"failed":"test_0","at":[{"file":"test_a.py","line":8}],"saw":"5","expected":"37"}
{"failed":"test_0","at":[{"file":"test_a.py","line":5},{"file":"test_a.py","line":9}],"saw":"` + fmt.Sprint(f.ran) + `","expected":"37"}
`
			if f.ran%2 == 0 {
				log += `{"failed":"test_0","at":[{"file":"helper.py","line":2},{"file":"test_a.py","line":12}],"saw":"\"s3cr3tS3cr3t` + fmt.Sprint(f.ran) + `\""}` + "\n"
			}
			err = os.WriteFile(path, []byte(log), 0o600)
		}
	}
	return o, err
}

// helpedOptions are those of that suite, which note what is asked to be explained.
func helpedOptions(t *testing.T, asked *[]Observed) Options {
	t.Helper()
	o := newOptions(t)
	for name, text := range map[string]string{"test_a.py": helped, "helper.py": "def check(body):\n    assert body[\"token\"] == 1\n"} {
		if err := os.WriteFile(filepath.Join(o.Suite, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(o.Suite, "a_test.py")); err != nil {
		t.Fatal(err)
	}
	files, err := mend.ReadFiles([]string{o.Suite}, mend.FileOptions{Beside: true})
	if err != nil {
		t.Fatal(err)
	}
	o.Files, o.Learn, o.Started = files.All, 4, true
	o.Explain = func(_ context.Context, seen Observed) ([][]Blamed, error) {
		*asked = append(*asked, seen)
		out := make([][]Blamed, len(seen.Assertions))
		out[0] = []Blamed{{Exchange: "GET /a", Place: "/body/next", Category: "Rand", Do: "assert its type", Write: "assert isinstance(\n    x, int\n)"}}
		return out, nil
	}
	return o
}

// An assertion that failed and is not followed is listed with how often it did, what it saw and what it looks at. Those
// that are followed are not, nor those that never failed.
func TestNotFollowed(t *testing.T) {
	var asked []Observed
	r, err := Run(t.Context(), helpedOptions(t, &asked), []Runner{&helperRunner{}}, patch, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range r.NotFollowed {
		got = append(got, fmt.Sprintf("%s:%d %s (%s) %d of %d", n.File, n.Line, n.Text, n.Reason, n.Failed, n.Of))
	}
	want := []string{`helper.py:2 assert body["token"] == 1 (no test is followed to it) 2 of 4`,
		`test_a.py:5 assert body["next"] == 37 (it is inside a condition) 4 of 4`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	shared := r.NotFollowed[1]
	if len(shared.Saw) != 4 || !slices.Equal(shared.Expected, []string{"37"}) || len(shared.Places) != 1 {
		t.Errorf("%+v", shared)
	}
	seen := asked[0].Assertions
	if len(seen) != 2 || seen[0].Where.Line != 5 || seen[0].From.Line != 9 || len(seen[0].Runs) != 4 || !slices.Contains(seen[0].Runs[0].Saw, "37") {
		t.Errorf("it was asked to explain %+v", seen)
	}
	if second := seen[1]; second.Failed() != 2 || len(second.Runs) != 4 || second.Runs[0].Run != 0 {
		t.Errorf("it was asked to explain %+v", second)
	}
	var out strings.Builder
	if err := errors.Join(r.Text(&out), r.JSON(&out)); err != nil {
		t.Fatal(err)
	}
	if saw := r.NotFollowed[0].Saw; len(saw) != 2 || strings.Contains(out.String(), "s3cr3t") {
		t.Errorf("it saw %q\n%s", saw, out.String())
	}
	for _, line := range []string{"not followed, and flaky", "not followed: test_a.py:5: assert body[\"next\"] == 37\n   it fails in 4 of 4 runs of test_0: it saw ",
		"\n   GET /a: /body/next, Rand\n   do: assert its type\n   write: assert isinstance(\n              x, int\n          )\n",
		"   no place of its test's answers that moves is known"} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("it does not say %q:\n%s", line, out.String())
		}
	}
}

// Where no muted run was made, the results say which line ended a test.
func TestNotFollowedByResults(t *testing.T) {
	var asked []Observed
	o := helpedOptions(t, &asked)
	o.Probe = ProbeNever
	r, err := Run(t.Context(), o, []Runner{&helperRunner{silent: true}}, patch, nil)
	if err != nil || len(r.NotFollowed) != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	if n := r.NotFollowed[0]; n.File != "test_a.py" || n.Line != 5 || n.Failed != 4 || n.Of != 4 || n.Test != "test_a › test_0" {
		t.Errorf("%+v", n)
	}
}

// What has held in every run since is not listed, where that is no luck: a set-up has helped it, say.
func TestMends(t *testing.T) {
	of := func(failed, runs int) group {
		one := &sighting{}
		one.Test = "T.test_0"
		for i := range runs {
			x := results.AssertedIn{Run: i}
			x.Outcome = map[bool]results.Outcome{true: results.Fail, false: results.Pass}[i < failed]
			one.Runs = append(one.Runs, x)
		}
		return group{in: []*sighting{one}}
	}
	passed := &Result{Report: Report{Rounds: 1, After: Measured{Runs: 10}}}
	fails := &Result{Report: Report{Rounds: 1, After: Measured{Runs: 10}, Unhelped: []Unhelped{{Test: "a.T › test_0", Failed: 1}}}}
	untouched := &Result{Report: Report{After: Measured{Runs: 10}}}
	for _, c := range []struct {
		r            *Result
		failed, runs int
		want         bool
	}{{passed, 5, 5, true}, {passed, 2, 5, true}, {passed, 1, 5, false}, {fails, 5, 5, false}, {untouched, 5, 5, false}} {
		if got := c.r.mends(of(c.failed, c.runs)); got != c.want {
			t.Errorf("%d of %d: %v", c.failed, c.runs, got)
		}
	}
}

// A line of a patched file is found where it was, unless it is there more often, or less, than then.
func TestLineIn(t *testing.T) {
	was := &form{lines: []string{"a\n", "check(1)\n", "b\n", "check(1)\n", "gone\n"}}
	now := &form{lines: []string{"# flaketap\n", "a\n", "check(1)\n", "check(1)\n", "a\n"}}
	for line, want := range map[int]int{3: 2, 4: 4, 1: 0, 2: 0, 5: 0, 9: 0} {
		if got := now.lineIn(was, line); got != want {
			t.Errorf("line %d was line %d, want %d", line, got, want)
		}
	}
}

// A call of a function that does nothing but assert is followed, so what stands in it is.
func TestFollows(t *testing.T) {
	all := readForms([]mend.File{{Name: "test_a.py", Path: "test_a.py", Data: []byte(helped)}})
	for _, c := range []struct {
		at   []probe.Line
		want bool
	}{
		{[]probe.Line{{File: "test_a.py", Line: 8}}, true},
		{[]probe.Line{{File: "suite/test_a.py", Line: 11}}, false},
		{[]probe.Line{{File: "test_a.py", Line: 5}, {File: "test_a.py", Line: 9}}, false},
		{[]probe.Line{{File: "other.py", Line: 4}, {File: "test_a.py", Line: 8}}, true},
	} {
		if got := all.follows(&sighting{at: c.at, Asserted: results.Asserted{From: results.Where{Line: 1}}}); got != c.want {
			t.Errorf("%v: %v", c.at, got)
		}
	}
}

// Places that read alike, as those of three answers to one request, are told once.
func TestPlacesAreToldOnce(t *testing.T) {
	place := Blamed{Exchange: "POST /permits", Place: "/body/id", Category: "Rand", Do: "assert its form"}
	other := place
	other.Exchange = "GET /permits"
	var out strings.Builder
	found := NotFollowed{File: "a.py", Line: 1, Places: []Blamed{place, place, other, place}}
	(&Result{Report: Report{NotFollowed: []NotFollowed{found}}}).notFollowedText(&out)
	if n := strings.Count(out.String(), "do: assert its form"); n != 2 {
		t.Errorf("told %d times:\n%s", n, out.String())
	}
}
