package order

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/suite/results"
)

// ran has a command run files of a suite in an order, and returns what its tests print: <NAME>.
func ran(t *testing.T, o Order, files map[string]string, command ...string) []string {
	t.Helper()
	dir := t.TempDir()
	var names []string
	for name, text := range files {
		names = append(names, name)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	turner, ok := For(names)
	loaded := filepath.Join(t.TempDir(), "order")
	if err := turner.Install(loaded); err != nil || !ok {
		t.Fatal(err, ok)
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir, cmd.Env = dir, turner.Env(append(os.Environ(), "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1"), loaded, o)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if turner.Name == "JavaScript" && !turner.Drawn(loaded) {
		t.Error("it has not said that it draws an order")
	}
	return regexp.MustCompile(`<\w+>`).FindAllString(string(out), -1)
}

func TestDrawn(t *testing.T) {
	needs.Program(t, "node")
	dir := t.TempDir()
	if err := javascript().Install(dir); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", "-e", "1")
	cmd.Env = javascript().Env(os.Environ(), dir, 1)
	if out, err := cmd.CombinedOutput(); err != nil || javascript().Drawn(dir) {
		t.Errorf("a program that runs no tests has drawn an order, or fails: %v\n%s", err, out)
	}
}

// together reports whether those that begin alike stand together.
func together(names []string) bool {
	var groups []string
	for _, name := range names {
		groups = append(groups, name[:3])
	}
	groups = slices.Compact(groups)
	slices.Sort(groups)
	return len(slices.Compact(slices.Clone(groups))) == len(groups)
}

func TestPython(t *testing.T) {
	needs.Program(t, "python3")
	files := map[string]string{
		"test_a.py": "import unittest\nclass TestA(unittest.TestCase):\n" +
			"    def test_1(self): print('<a_1>')\n    def test_2(self): print('<a_2>')\n    def test_3(self): print('<a_3>')\n",
		"test_b.py": "import unittest\nclass TestB(unittest.TestCase):\n" +
			"    def test_1(self): print('<b_1>')\n    def test_2(self): print('<b_2>')\n    def test_3(self): print('<b_3>')\n",
	}
	for runner, command := range map[string][]string{
		"unittest": {"python3", "-m", "unittest"},
		"pytest":   {"python3", "-m", "pytest", "-s", "-q", "-p", "no:cacheprovider", "-W", "error"},
	} {
		t.Run(runner, func(t *testing.T) {
			if runner == "pytest" {
				needs.That(t, "python3 with pytest", exec.Command("python3", "-m", "pytest", "--version").Run() == nil)
			}
			back := strings.Join(ran(t, Backwards, files, command...), " ")
			if want := "<b_3> <b_2> <b_1> <a_3> <a_2> <a_1>"; back != want {
				t.Errorf("backwards they ran %s, want %s", back, want)
			}
			seen := map[string]bool{}
			for o := Order(1); o <= 4; o++ {
				first, again := ran(t, o, files, command...), ran(t, o, files, command...)
				if !slices.Equal(first, again) || len(first) != 6 || !together(first) {
					t.Errorf("%s they ran %s, and then %s", o, first, again)
				}
				seen[strings.Join(first, " ")] = true
			}
			if len(seen) < 2 {
				t.Errorf("they ran %v", seen)
			}
		})
	}
}

// What a suite asks for by itself stays.
func TestPythonMarks(t *testing.T) {
	needs.Program(t, "python3")
	needs.That(t, "python3 with pytest", exec.Command("python3", "-m", "pytest", "--version").Run() == nil)
	got := strings.Join(ran(t, Backwards, map[string]string{
		"test_a.py":  "import pytest\n@pytest.mark.order(1)\ndef test_1(): print('<a_1>')\ndef test_2(): print('<a_2>')\n",
		"pytest.ini": "[pytest]\nmarkers = order: of tests\n"}, "python3", "-m", "pytest", "-s", "-q", "-p", "no:cacheprovider"), " ")
	if got != "<a_1> <a_2>" {
		t.Errorf("they ran %s", got)
	}
}

func TestJavaScript(t *testing.T) {
	needs.Program(t, "node")
	modules, err := filepath.Abs("../../.tools/node/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	script := func(name string) string {
		file := filepath.Join(modules, filepath.FromSlash(name))
		_, err := os.Stat(file)
		needs.That(t, name, err == nil)
		return file
	}
	write := `process.stdout.write("<%s>")`
	for runner, c := range map[string]struct {
		test    string
		command []string
		files   bool // their order is drawn, too
	}{
		"Jest": {`test("%s", () => { ` + write + ` });`,
			[]string{script("jest/bin/jest.js"), "--runInBand"}, true},
		"Mocha": {`it("%s", () => { ` + write + ` });`,
			[]string{script("mocha/bin/mocha.js"), "a.test.js", "b.test.js"}, true},
		"Vitest": {`test("%s", () => { ` + write + ` });`,
			[]string{script("vitest/vitest.mjs"), "run", "--globals", "--no-file-parallelism"}, false},
	} {
		t.Run(runner, func(t *testing.T) {
			files := map[string]string{"package.json": "{}"}
			for _, file := range []string{"a", "b"} {
				text := `describe("group", () => {` + "\n"
				for i := range 5 {
					name := fmt.Sprintf("%s_%d", file, i)
					text += strings.ReplaceAll(c.test, "%s", name) + "\n"
				}
				files[file+".test.js"] = text + "});\n"
			}
			command := append([]string{"node"}, c.command...)
			first, again := ran(t, 1, files, command...), ran(t, 1, files, command...)
			if !slices.Equal(first, again) || len(first) != 10 || slices.IsSorted(first) || !together(first) {
				t.Errorf("they ran %s, and then %s", first, again)
			}
			other := ran(t, 3, files, command...)
			if slices.Equal(first, other) {
				t.Errorf("two orders are one: %s", other)
			}
			if c.files && first[0][:3] == other[0][:3] {
				t.Errorf("both orders begin with the same file: %s and %s", first, other)
			}
		})
	}
}

func TestGo(t *testing.T) {
	text := "package a\nimport (\"fmt\"; \"testing\")\n"
	for _, n := range []string{"1", "2", "3", "4", "5"} {
		text += "func Test" + n + "(t *testing.T) { fmt.Println(\"<a_" + n + ">\") }\n"
	}
	files := map[string]string{"a_test.go": text, "go.mod": "module a\n\ngo 1.24\n"}
	first, again := ran(t, 1, files, "go", "test", "-v", "."), ran(t, 1, files, "go", "test", "-v", "-count=1", ".")
	if !slices.Equal(first, again) || len(first) != 5 || slices.IsSorted(first) {
		t.Errorf("they ran %s, and then %s", first, again)
	}
	if _, ok := For([]string{"a.postman_collection.json", "README.md"}); ok {
		t.Error("Postman is told an order")
	}
}

func TestOrders(t *testing.T) {
	if got := python().Orders(3); !slices.Equal(got, []Order{Backwards, 1, 2}) {
		t.Error(got)
	}
	if got := golang().Orders(2); !slices.Equal(got, []Order{1, 2}) {
		t.Error(got)
	}
	one, two := results.Result{Name: "one"}, results.Result{Name: "two"}
	if Same([]results.Result{one, two}, []results.Result{two, one}) || !Same([]results.Result{one}, []results.Result{one}) {
		t.Error("orders are not told apart")
	}
}
