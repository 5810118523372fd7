package suite

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
)

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// eachSuite calls test with every real Python suite and the source that its runs make.
func eachSuite(t *testing.T, test func(t *testing.T, f fixture, file string, data []byte, src Source)) {
	for _, f := range fixtures(t) {
		src := source(t, f.runs)
		withMap := judged(t, src)
		for _, file := range f.suites {
			name := f.name + "/" + filepath.Base(file)
			t.Run(name, func(t *testing.T) { test(t, f, file, read(t, file), src) })
			t.Run(name+"/map", func(t *testing.T) { test(t, f, file, read(t, file), withMap) })
		}
	}
}

func TestEveryAssertionOfTheRealSuitesIsUnderstood(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join("..", "..", "shared", "fixtures", "*", "python-flakycatch", "*.py"))
	for _, f := range fixtures(t) {
		files = append(files, f.suites...)
	}
	for _, file := range files {
		data := read(t, file)
		s, err := Read(file, data)
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, test := range s.Tests {
			for _, a := range test.Assertions {
				got = append(got, a.Line)
				if !a.Understood() {
					t.Errorf("%s:%d: %s: %s", file, a.Line, a.Text, a.Reason)
				}
				if a.Relation == "" || a.Place == "" {
					t.Errorf("%s:%d: %s: no claim: %+v", file, a.Line, a.Text, a.Claim)
				}
			}
		}
		var want []int
		for i, line := range strings.Split(string(data), "\n") {
			if strings.HasPrefix(strings.TrimSpace(line), "assert ") {
				want = append(want, i+1)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: assertions by line (-want +got):\n%s", file, diff)
		}
	}
}

// TestEvaluationAgreesWithPython holds our reading of the suites, and our evaluation of their assertions, against what
// Python itself said of them: the tests that fail in a run by our account are those that failed in it.
func TestEvaluationAgreesWithPython(t *testing.T) {
	for _, f := range fixtures(t) {
		src := source(t, f.runs)
		for run := range f.runs {
			got := map[string]bool{}
			for _, file := range f.suites {
				s, err := Read(file, read(t, file))
				if err != nil {
					t.Fatal(err)
				}
				matched, _ := matchCalls(s, src)
				for _, test := range s.Tests {
					if failsIn(test, scopeOf(test, matched, run)) {
						got[strings.TrimSuffix(filepath.Base(file), ".py")+"."+test.Name] = true
					}
				}
			}
			if diff := cmp.Diff(failures(t, f.runs[run]), got); diff != "" {
				t.Errorf("%s: tests that fail (-python +ours):\n%s", f.runs[run], diff)
			}
		}
	}
}

// failsIn reports whether a test fails with the answers of one run.
func failsIn(test *script.Test, names expr.Scope) bool {
	for _, c := range test.Calls {
		if c.Unset != "" {
			return true
		}
	}
	for _, k := range test.Extractions {
		if _, err := names.Eval(k.Value); expr.IsRaised(err) {
			return true
		}
	}
	for _, a := range test.Assertions {
		if ok, err := names.Holds(a.Meaning); err == nil && !ok {
			return true
		}
	}
	return false
}

func TestPatchedSuitesHold(t *testing.T) {
	eachSuite(t, func(t *testing.T, f fixture, file string, data []byte, src Source) {
		p, err := Patch(file, data, src, PatchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := Read(file, p.Data)
		if err != nil {
			t.Fatal(err)
		}
		matched, _ := matchCalls(s, src)
		for _, test := range s.Tests {
			for run := range f.runs {
				if failsIn(test, scopeOf(test, matched, run)) {
					t.Errorf("%s still fails in run %d", test.Name, run)
				}
			}
			if len(test.Calls) > 0 && len(test.Assertions) == 0 {
				t.Errorf("%s has no assertion left", test.Name)
			}
		}
		again, err := Patch(file, p.Data, src, PatchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(p.Data), string(again.Data)); diff != "" {
			t.Errorf("a second patch changes (-first +second):\n%s", diff)
		}
		onlyChanged(t, data, p)
		compiles(t, p.Data)
	})
}

// onlyChanged checks that a patched file is the original but for the lines that its changes are about, and new lines.
func onlyChanged(t *testing.T, data []byte, p Patched) {
	t.Helper()
	changed := map[int]bool{}
	for _, c := range p.Changes {
		if c.Before != "" {
			changed[c.Line] = true
		}
	}
	rest := script.SplitLines(string(p.Data))
	for i, line := range script.SplitLines(string(data)) {
		if changed[i+1] {
			continue
		}
		at := slices.Index(rest, line)
		if at < 0 {
			t.Errorf("line %d is gone: %q", i+1, line)
			return
		}
		for _, extra := range rest[:at] {
			text := strings.TrimSpace(extra)
			ours := strings.HasPrefix(text, "# ") || strings.HasPrefix(text, "assert ") || text == "body = {}" ||
				strings.Contains(text, "headers.get(") || strings.HasPrefix(text, "@unittest.skip(")
			if !ours {
				t.Errorf("before line %d: a line that was not there: %q", i+1, extra)
			}
		}
		rest = rest[at+1:]
	}
}

// compiles checks that Python can read files.
func compiles(t *testing.T, files ...[]byte) {
	t.Helper()
	needs.OnCI(t, "python3")
	python, err := exec.LookPath("python3")
	if err != nil {
		return
	}
	dir := t.TempDir()
	args := []string{"-m", "py_compile"}
	for i, data := range files {
		name := filepath.Join(dir, fmt.Sprintf("suite%d.py", i))
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
		args = append(args, name)
	}
	if out, err := exec.Command(python, args...).CombinedOutput(); err != nil {
		t.Errorf("py_compile: %v\n%s", err, out)
	}
}

func TestPatchKeepsLineEndsAndMarks(t *testing.T) {
	eachSuite(t, func(t *testing.T, f fixture, file string, data []byte, src Source) {
		plain, err := Patch(file, data, src, PatchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for name, variant := range map[string]func([]byte) []byte{
			"CRLF":          func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")) },
			"BOM":           func(b []byte) []byte { return append([]byte("\xef\xbb\xbf"), b...) },
			"no final line": func(b []byte) []byte { return bytes.TrimSuffix(b, []byte("\n")) },
		} {
			p, err := Patch(file, variant(data), src, PatchOptions{})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if diff := cmp.Diff(string(variant(plain.Data)), string(p.Data)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	})
}

func TestPatchModes(t *testing.T) {
	eachSuite(t, func(t *testing.T, f fixture, file string, data []byte, src Source) {
		exact, err := Patch(file, data, src, PatchOptions{Mode: Exact})
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(exact.Data, data) {
			t.Error("mode exact changes the file")
		}
		p, err := Patch(file, data, src, PatchOptions{Mode: Comment})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range p.Changes {
			if c.Kind == Disabled && !bytes.Contains(p.Data, []byte("        # "+c.Reason+"\n        # "+c.Before+"\n")) {
				t.Errorf("line %d is not commented out as %q", c.Line, c.Reason)
			}
			if c.Kind == Weakened {
				t.Errorf("line %d is weakened", c.Line)
			}
		}
		compiles(t, p.Data)
		onlyChanged(t, data, p)
		again, err := Patch(file, p.Data, src, PatchOptions{Mode: Comment})
		if err != nil || !bytes.Equal(again.Data, p.Data) {
			t.Errorf("a second patch changes the file (%v)", err)
		}
	})
}

// TestFlawsOfRealSuites pins what becomes of the failing tests of the real suites.
func TestFlawsOfRealSuites(t *testing.T) {
	want := map[string][]string{
		"news/EvoMaster_faults_Test.py":        {"weakened State /status"},
		"news/EvoMaster_others_Test.py":        {"mended GenErr "},
		"features/EvoMaster_faults_Test.py":    {"mended GenErr ", "mended GenErr ", "weakened State /header/content-type", "weakened State /status"},
		"features/EvoMaster_successes_Test.py": {"weakened State /body"},
	}
	eachSuite(t, func(t *testing.T, f fixture, file string, data []byte, src Source) {
		p, err := Patch(file, data, src, PatchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range p.Changes {
			got = append(got, string(c.Kind)+" "+string(c.Category)+" "+string(c.Place))
		}
		slices.Sort(got)
		if w, ok := want[f.name+"/"+filepath.Base(file)]; ok {
			if f.cut && src.Map == nil { // its few runs show that it moves, and not why
				w = slices.Clone(w)
				for i := range w {
					w[i] = strings.Replace(w[i], "State /body", "Unk /body", 1)
				}
			}
			if diff := cmp.Diff(w, got); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
		}
		if bytes.Contains(p.Data, []byte("nothing that is left of it")) {
			t.Error("an assertion was disabled")
		}
	})
}

func TestDamagedSuites(t *testing.T) {
	good := "import unittest\nimport requests\nclass T(unittest.TestCase):\n    def test_0(self):\n        headers = {}\n" +
		"        res_0 = requests.get(self.baseUrlOfSut + \"/x\", headers=headers)\n        assert res_0.status_code == 200\n"
	tests := []struct {
		name, text string
		line       int
		reason     string
	}{
		{"empty", "", 0, "no tests that send requests"},
		{"other Python", "import os\nprint(os.name)\n", 0, "no tests that send requests"},
		{"Java", "public class X { @Test public void a() {} }\n", 0, "no tests that send requests"},
		{"open bracket", good + "        x = (1,\n", 8, `"(" is never closed`},
		{"closed twice", strings.Replace(good, "headers=headers)", "headers=headers))", 1), 6, `")" closes nothing`},
		{"open string", strings.Replace(good, `"/x"`, `"/x`, 1), 6, "not closed on its line"},
		{"cut in a long string", good + "        x = '''abc\n", 8, "never closed"},
		{"bad escape", strings.Replace(good, `"/x"`, `"/\u12"`, 1), 6, "names no character"},
		{"invalid UTF-8", strings.Replace(good, "/x", "/\xff", 1), 6, "not valid UTF-8"},
		{"stray character", good + "        ?\n", 8, "unexpected character"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := Patch("s.py", []byte(tt.text), Source{}, PatchOptions{})
			var e *script.SyntaxError
			if !errors.As(err, &e) {
				t.Fatalf("err = %v", err)
			}
			if e.Line != tt.line || !strings.Contains(e.Reason, tt.reason) || e.File != "s.py" {
				t.Errorf("err = %v, want line %d and %q", err, tt.line, tt.reason)
			}
			if p.Data != nil {
				t.Error("data was returned")
			}
		})
	}
	if p, err := Patch("s.py", []byte(good), Source{}, PatchOptions{}); err != nil || string(p.Data) != good {
		t.Errorf("the good file: %v", err)
	}
}

// What is seen in another order of the tests changes none that is not given something back.
func TestPatchRestores(t *testing.T) {
	src := Source{Steps: []exchange.Step{stepOf(1, "/x0", replies(`{"a":1}`, `{"a":2}`))}}
	text := suiteOf([]string{`assert res_0.json()["a"] == 1`})
	for restore, weakened := range map[bool]int{false: 1, true: 0} {
		p, err := Patch("a_test.py", []byte(text), src, PatchOptions{Restore: restore})
		if err != nil || len(p.Changes) != weakened || p.Kept != 1-weakened {
			t.Errorf("%v: %v, %+v", restore, err, p)
		}
	}
}
