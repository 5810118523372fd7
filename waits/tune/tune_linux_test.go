package tune_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/waits/trial"
	"github.com/flaketap/flaketap/waits/tune"
)

// python is a suite whose test is played by the shell: it sleeps for the time of the line with the sleep.
const python = "import time\n\nLONG = 0.06\n\n\ndef test_a():\n    start()\n    time.sleep(0.01)  # é\n    assert done()\n\n\ndef test_b():\n    wait(timeout=2)\n"

// plays sleeps for that time, and passes where it is as long as it has to be.
func plays(needs string) []string {
	return []string{"sh", "-c", `v=$(sed -n 's/.*sleep(\([0-9.]*\)).*/\1/p' "$0"); sleep $v; echo slept $v; awk "BEGIN { exit !($v >= ` + needs + `) }"`, "{file}"}
}

// tuned tunes the wait in a line of that suite, and returns what is written, and said.
func tuned(t *testing.T, line string, o tune.Options) (text string, talk string, err error) {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.MkdirAll("tests", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("tests/test_a.py", []byte(python), 0o640); err != nil {
		t.Fatal(err)
	}
	var out, said bytes.Buffer
	o.Args = []string{"tests/test_a.py:" + line}
	if o.Trial.Workers == 0 {
		o.Trial.Workers = 1
	}
	if o.Validations == 0 {
		o.Validations, o.Screen = 3, 2
	}
	o.Output.Stdout, o.Output.Talk = &out, &console.Console{Err: &said}
	if o.Output.Format == "" {
		o.Output.Format = "json"
	}
	if err := o.Check(); err != nil {
		t.Fatal(err)
	}
	err = tune.Run(context.Background(), o)
	if left, gerr := filepath.Glob("tests_*"); gerr != nil || len(left) > 0 {
		t.Errorf("%v are left, %v", left, gerr)
	}
	return out.String(), said.String(), err
}

// answer is the JSON of an answer, as docs/waits.md describes it.
type answer struct {
	Version, Line, Runs, Validations, Screen, Workers int
	Kind, Best, Patch, Test                           string
	MS                                                float64 `json:"ms"`
	Against                                           float64 `json:"against_ms"`
	Named, Interrupted                                bool
	Strategies                                        []struct {
		Strategy, Unusable, Written, Words string
		MS                                 float64 `json:"ms"`
		Saves                              float64 `json:"saves_ms"`
		Holds, Failed                      bool
		Passed, Runs                       int
		Bound                              float64
		Tried                              []struct {
			MS     float64 `json:"ms"`
			Passed int
			Failed bool
		}
	}
}

func read(t *testing.T, text string) (a answer) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return a
}

// A sleep is given a time between its own and one that is suggested; both searches share what they run; what cannot be
// used is said; nothing but the time changes.
func TestTune(t *testing.T) {
	text, _, err := tuned(t, "8", tune.Options{Trial: trial.Options{Command: plays("0.03"), Workers: 2}})
	if err != nil {
		t.Fatal(err)
	}
	a := read(t, text)
	if a.Version != 1 || a.Line != 8 || a.Kind != "sleep" || a.MS != 10 || a.Against != 60 || a.Named || a.Interrupted || a.Best != tune.FirstMatch || a.Test != "test_a" {
		t.Errorf("%+v", a)
	}
	want := map[string]float64{tune.FirstMatch: 35, tune.ToTheEnd: 32}
	for _, s := range a.Strategies {
		if s.Unusable != "" {
			if !strings.Contains(s.Unusable, "--db") {
				t.Errorf("%+v", s)
			}
			continue
		}
		if s.MS != want[s.Strategy] || !s.Holds || s.Failed || s.Passed != 3 || s.Saves != 60-s.MS || s.Bound < 0.6 || s.Runs < 3 {
			t.Errorf("%+v", s)
		}
		delete(want, s.Strategy)
	}
	if len(want) > 0 || a.Runs != 9 || len(a.Strategies) != 4 { // 1 with 60 ms, 3 each with 35 and 32, 1 each with 23 and 29
		t.Errorf("%d runs of %+v", a.Runs, a.Strategies)
	}
	if !strings.Contains(a.Patch, "\n-    time.sleep(0.01)  # é\n+    time.sleep(0.035)  # é\n") || strings.Count(a.Patch, "\n+") != 2 || !strings.Contains(a.Patch, "--- a/tests/test_a.py\n") {
		t.Errorf("%s", a.Patch)
	}
}

// The file is written where that is asked for, with its permissions; the words say what the runs prove.
func TestWritten(t *testing.T) {
	for _, o := range []tune.Output{{InPlace: true}, {Dir: "out"}, {Diff: true}} {
		o.Format = "text"
		text, talk, err := tuned(t, "8", tune.Options{From: "20", Strategies: []string{tune.ToTheEnd}, Output: o, Trial: trial.Options{Command: plays("0.018")}})
		if err != nil {
			t.Fatal(err)
		}
		file, said := map[bool]string{true: "tests/test_a.py", false: "out/test_a.py"}[o.InPlace], text
		if o.Diff {
			said = talk
			if !strings.Contains(text, "\n+    time.sleep(0.02)  # é\n") {
				t.Errorf("%s", text)
			}
		} else if written, err := os.ReadFile(file); err != nil || string(written) != strings.Replace(python, "sleep(0.01)", "sleep(0.02)", 1) {
			t.Errorf("%s: %q, %v", file, written, err)
		}
		for _, want := range []string{"tests/test_a.py:8  sleep of 10ms", "held against 20ms: named by --from", "to-the-end  20ms  3 of 3  4     0s",
			"3 runs that pass say that it fails in less than 63 % of its runs", "of 1000 runs, up to 632 may"} {
			if !strings.Contains(said, want) {
				t.Errorf("%q is not in\n%s", want, said)
			}
		}
	}
}

// A cap is given the time that was named, and no shorter one; a sleep that was given one already is searched below it.
func TestCapsAndFixed(t *testing.T) {
	text, _, err := tuned(t, "13", tune.Options{From: "9s", Trial: trial.Options{Command: plays("0")}})
	if err != nil {
		t.Fatal(err)
	}
	if a := read(t, text); a.Kind != "cap" || a.Best != tune.Suggested || len(a.Strategies) != 1 || a.Strategies[0].MS != 9000 || a.Runs != 3 || a.Strategies[0].Saves != 0 {
		t.Errorf("%+v", a)
	}
	if _, _, err := tuned(t, "13", tune.Options{From: "1s", Trial: trial.Options{Command: plays("0")}}); err == nil || !strings.Contains(err.Error(), "costs nothing") {
		t.Errorf("a cap is lowered: %v", err)
	}
	text, _, err = tuned(t, "8", tune.Options{From: "10", Strategies: []string{tune.FirstMatch}, Trial: trial.Options{Command: plays("0.004")}})
	if a := read(t, text); err != nil || a.Strategies[0].MS != 5 {
		t.Errorf("%+v, %v", a, err)
	}
}

// What cannot be tuned is said, with what to do.
func TestUntunable(t *testing.T) {
	for want, o := range map[string]tune.Options{
		"the test fails with each time that was tried, up to 60ms: slept 0.06; run the command by itself": {Trial: trial.Options{Command: plays("9")}},
		"a run passed in":                   {Trial: trial.Options{Command: []string{"true", "{}"}}},
		"nothing holds that could be tried": {Strategies: []string{tune.Poll}, Trial: trial.Options{Command: plays("0")}},
		"start the client":                  {Trial: trial.Options{Command: []string{"/no/such/program", "{}"}}},
	} {
		if _, _, err := tuned(t, "8", o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	for _, line := range []string{"1", "99"} {
		if _, _, err := tuned(t, line, tune.Options{Trial: trial.Options{Command: plays("0")}}); err == nil {
			t.Errorf("line %s is tuned", line)
		}
	}
	empty := func() (suite.Source, error) { return suite.Source{}, nil }
	text, _, err := tuned(t, "8", tune.Options{Strategies: []string{tune.Settle}, Recording: empty, Trial: trial.Options{Command: plays("0")}})
	if a := read(t, text); err == nil || !strings.Contains(a.Strategies[0].Unusable, "flaketap replay --runs 100 --settle 5s") {
		t.Errorf("%+v, %v", a, err)
	}
}

// What a test prints is shown without its secrets, also where it says why nothing could be tuned.
func TestSecretsAreNotSaid(t *testing.T) {
	recording := func() (suite.Source, error) { return suite.Source{}, nil }
	prints := []string{"sh", "-c", `echo '{"password": "hush-hush"}'; exit 1`, "{file}"}
	_, talk, err := tuned(t, "8", tune.Options{Recording: recording, Trial: trial.Options{Command: prints}})
	if err == nil || !strings.Contains(err.Error(), "password") || strings.Contains(talk+err.Error(), "hush-hush") {
		t.Errorf("%v\n%s", err, talk)
	}
}

// A file that somebody changed while it was tuned is left alone, and what was found is told.
func TestChangedMeanwhile(t *testing.T) {
	grows := plays("0")
	grows[2] += "; echo '# mine' >>\"$OLDPWD/tests/test_a.py\""
	grows[2] = "cd /; " + grows[2]
	for _, format := range []string{"text", "json"} {
		found, said, err := tuned(t, "8", tune.Options{From: "20", Strategies: []string{tune.FirstMatch},
			Output: tune.Output{InPlace: true, Format: format}, Trial: trial.Options{Command: grows}})
		text, rerr := os.ReadFile("tests/test_a.py")
		if err == nil || !strings.Contains(err.Error(), "has changed since") || !strings.Contains(found, "+    time.sleep(0.015)") ||
			rerr != nil || !strings.HasPrefix(string(text), python+"# mine\n") {
			t.Errorf("%v, %v\n%s\nfound %s\nsaid %s", err, rerr, text, found, said)
		}
	}
}

// Interrupted, a tuning writes the best so far, or says that there is none.
func TestInterrupted(t *testing.T) {
	for words, some := range map[string]bool{"interrupted: this is the best so far": true, "interrupted before any time held": false} {
		ctx, cancel := context.WithCancel(context.Background())
		t.Chdir(t.TempDir())
		if err := os.WriteFile("test_a.py", []byte(python), 0o640); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		o := tune.Options{Args: []string{"test_a.py:8"}, Validations: 1000, Screen: 2, From: "20", Strategies: []string{tune.ToTheEnd},
			Trial:  trial.Options{Command: plays("0.01"), Workers: 1},
			Output: tune.Output{Format: "json", Stdout: &out, Talk: &console.Console{Err: after{"holds in 2 runs", cancel, some}}}}
		if err := tune.Run(ctx, o); err == nil || err.Error() != words {
			t.Errorf("%v, want %s", err, words)
		}
		if a := read(t, out.String()); !a.Interrupted || (a.Best != "") != some || (a.Patch != "") != some {
			t.Errorf("%+v", a)
		}
		cancel()
	}
}

// after ends a context when something is said, or at once.
type after struct {
	words  string
	cancel func()
	later  bool
}

func (w after) Write(p []byte) (int, error) {
	if !w.later || strings.Contains(string(p), w.words) {
		w.cancel()
	}
	return len(p), nil
}
