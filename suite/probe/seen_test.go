package probe

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/internal/testbed/needs"
)

// What a log holds is read as it is documented; what is damaged is passed over, and texts are cut.
func TestLogLines(t *testing.T) {
	long := strings.Repeat("é", MaxText)
	l, err := parse([]byte(`{"test":"a","time":1700000000.5}
{"failed":"a","time":1700000001,"at":[{"file":"h.py","line":3},{"file":"a.py","line":9},{"file":"a.py","line":9}],"saw":"1","expected":"2","message":"m"}
{"failed":"a","at":[],"message":"nowhere"}
{"failed":"a","at":[{"file":"a.py","line":-1}]}
{"failed":"a","at":[{"file":"a.py","line":1}],"message":"` + long + `"}
{"ended":"a","file":"a.py","line":9}
{"ended":"a","file":"a.py","line":9}
{"failed":"a","at":[{"fi`))
	if err != nil || l.Tests != 1 || len(l.Ended) != 1 || len(l.Failed) != 2 || l.Begun[0].Time.UnixMilli() != 1700000000500 {
		t.Fatalf("%+v, %v", l, err)
	}
	want := Failure{Test: "a", Time: l.Failed[0].Time, At: []Line{{"h.py", 3}, {"a.py", 9}}, Saw: "1", Expected: "2", Message: "m"}
	if diff := cmp.Diff(want, l.Failed[0]); diff != "" || l.Failed[0].Time.Unix() != 1700000001 {
		t.Error(diff)
	}
	if cut := l.Failed[1].Message; len(cut) > MaxText || !strings.HasPrefix(long, cut) {
		t.Errorf("%d bytes: %q", len(cut), cut)
	}
}

func FuzzLog(f *testing.F) {
	f.Add([]byte(`{"test":"a","time":1e300}`))
	f.Add([]byte(`{"failed":"a","at":[{"file":"a","line":1}],"message":"\ud800"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := parse(data)
		for _, one := range l.Failed {
			if len(one.At) == 0 || len(one.Saw) > MaxText || one.Test == "" {
				t.Errorf("%+v, %v", one, err)
			}
		}
	})
}

// An assertion that compares tells what it saw and what it expected; which is which, its text says, where it can.
func TestWhich(t *testing.T) {
	f := Failure{Saw: `"new"`, Expected: `"old"`}
	for text, want := range map[string][2]string{
		`assert body["state"] == "old"`:            {`"new"`, `"old"`},
		`self.assertEqual("new", body["state"])`:   {`"old"`, `"new"`},
		`assert body[key] == want`:                 {`"new"`, `"old"`},
		`assert.equal(state, old === "new" ? 1:2)`: {`"new"`, `"old"`},
	} {
		if saw, expected := f.Which(text); saw != want[0] || expected != want[1] {
			t.Errorf("%s: saw %s, expected %s", text, saw, expected)
		}
	}
}

// seenIn is the failures of a log, a line each: the test, the lines, the values and the beginning of what is said.
func seenIn(l Log) []string {
	var out []string
	for _, f := range l.Failed {
		var at []string
		for _, line := range f.At {
			at = append(at, fmt.Sprintf("%s:%d", line.File, line.Line))
		}
		said, _, _ := strings.Cut(f.Message, "\n")
		out = append(out, fmt.Sprintf("%s at %s: %s, %s: %s", f.Test, strings.Join(at, " < "), f.Saw, f.Expected, said))
		if f.Time.IsZero() {
			out = append(out, "at no time")
		}
	}
	return out
}

// allSeen holds that a log has these failures and no others, each with its time.
func allSeen(t *testing.T, log string, out []byte, want []string) {
	t.Helper()
	l, err := Read(log)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(seenIn(l), "\n")
	for _, want := range want {
		if !strings.Contains(got, want) {
			t.Errorf("no %s\n%s\n%s", want, got, out)
		}
	}
	if len(l.Failed) != len(want) || strings.Contains(got, "at no time") {
		t.Errorf("%d failures:\n%s", len(l.Failed), got)
	}
}

// Each assertion that fails says where it stands, what it saw and what it expected; what something waits for does not.
func TestPythonSeen(t *testing.T) {
	for runner, args := range map[string][]string{
		"unittest": {"-m", "unittest", "test_seen"},
		"pytest":   {"-m", "pytest", "-q", "-p", "no:cacheprovider", "test_seen.py"},
	} {
		t.Run(runner, func(t *testing.T) {
			python := needs.Program(t, "python3")
			if runner == "pytest" {
				needs.That(t, "python3 with pytest", exec.Command(python, "-m", "pytest", "--version").Run() == nil)
			}
			dir := t.TempDir()
			r := Run{Dir: filepath.Join(dir, "probe"), Suite: filepath.Join(dir, "suite"), Log: filepath.Join(dir, "log")}
			p, _ := For([]string{"test_seen.py"})
			if err := p.Install(r.Dir); err != nil {
				t.Fatal(err)
			}
			if err := os.CopyFS(r.Suite, os.DirFS("testdata/python")); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(python, args...)
			cmd.Dir, cmd.Env = r.Suite, p.Env(append(os.Environ(), "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1"), r)
			out, _ := cmd.CombinedOutput()
			l, err := Read(r.Log)
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Join(seenIn(l), "\n")
			for _, want := range []string{
				`TestSeen.test_loop at test_seen.py:15: 2, 1: `, `TestSeen.test_loop at test_seen.py:15: "two", 2: `,
				`TestSeen.test_helper at helper.py:5 < test_seen.py:18: {"id": 7}, {"id": 8}: `,
				`TestSeen.test_methods at test_seen.py:21: 3.5, 4: 3.5 != 4`,
				`TestSeen.test_methods at test_seen.py:22: "x", ["y"]: 'x' not found in ['y']`,
				`TestSeen.test_methods at test_seen.py:23: , : KeyError: 'gone'`,
				`TestSeen.test_live at helper.py:9 < test_seen.py:31: "live", "dead": `,
			} {
				if !strings.Contains(got, want) {
					t.Errorf("no %s\n%s\n%s", want, got, out)
				}
			}
			if len(l.Failed) != 7 || strings.Contains(got, "at no time") || slices.ContainsFunc(l.Begun, func(b Begin) bool { return b.Time.IsZero() }) {
				t.Errorf("%d failures:\n%s", len(l.Failed), got)
			}
		})
	}
}

// So it is in JavaScript.
func TestJavaScriptSeen(t *testing.T) {
	for _, c := range []struct {
		command []string
		want    []string
	}{
		{[]string{"jest", "--ci", "jest"}, []string{
			`loops at jest.test.js:14: 2, 1: expect(received).toBe(expected)`, `loops at jest.test.js:14: "two", 2: `,
			`loops at jest.test.js:16: 4, 5: `, `others at helper.js:2 < jest.test.js:20: {"id":7}, {"id":8}: `,
			`others at jest.test.js:21: 3, : 3 is odd`, `others at jest.test.js:22: [1], 2: expect(received).toHaveLength(expected)`,
			`others at jest.test.js:23: "a", "b": Expected values to be strictly equal:`, `others at jest.test.js:29: 1, null: `,
		}},
		{[]string{"mocha", "mocha.test.js"}, []string{
			`chai compares at mocha.test.js:5: {"a":1}, {"a":2}: expected { a: 1 } to deeply equal { a: 2 }`,
			`chai compares at mocha.test.js:6: "x", "y": `, `chai compares at mocha.test.js:7: 5, 6: expected 5 to be above 6`,
		}},
	} {
		run := newJavaScriptRun(t, "seen", c.command)
		out, _ := run.CombinedOutput()
		allSeen(t, run.run.Log, out, c.want)
	}
}

// So it is in Go, with package testing and with testify.
func TestGoSeen(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs tests")
	}
	for _, c := range []struct {
		folder string
		want   []string
	}{
		{"./seen", []string{`TestSeen at seen/seen_test.go:15: , : 2, not 1`,
			`TestSeen at seen/seen_test.go:8 < seen/seen_test.go:18: , : got "new", want "old"`, `TestSeen/sub at seen/seen_test.go:20: , : in sub`}},
		{"./seentestify", []string{`TestSeen at seentestify/seen_test.go:11: "new", "old": `, `TestSeen at seentestify/seen_test.go:13: 2, 1: `,
			`TestSeen at seentestify/seen_test.go:14: 3.5, 4: `, `TestSeen at seentestify/seen_test.go:15: , : `}},
	} {
		t.Run(c.folder, func(t *testing.T) {
			run := newGoRun(t)
			load := exec.Command("go", "list", "-deps", "-test", c.folder)
			load.Dir, load.Env = run.Dir, run.Env
			_, err := load.Output()
			needs.That(t, "testify in the module cache", err == nil)
			run.Args = append(run.Args, c.folder)
			out, _ := run.CombinedOutput()
			allSeen(t, run.run.Log, out, c.want)
		})
	}
}
