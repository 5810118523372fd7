package probe

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/needs"
)

// muted is a suite that says what it comes to: "wrong" where it must not.
const muted = `"""Doc."""
from __future__ import annotations
import contextlib
import functools
import unittest
import helper


def retried(f):
    @functools.wraps(f)
    def again(*args):
        for _ in range(2):
            try:
                return f(*args)
            except AssertionError:
                print("<again>")
    return again


@retried
def eventually_one(n):
    assert n == 1
    print("<wrong>")


class TestAll(unittest.TestCase):
    def setUp(self):
        self.seen = {}

    def test_goes_on(self):
        """Doc."""
        assert 1 == 2, "first"
        print("<behind assert>")
        assert self.seen["x"] == 2
        print("<behind KeyError>")
        self.assertEqual(1, 2)
        print("<behind assertEqual>")
        helper.check_one(2)
        print("<behind helper>")

    def test_ends(self):
        assert "id" in self.seen
        url = "/" + self.seen["id"]
        print("<wrong>", url)

    def test_waits(self):
        with self.assertRaises(AssertionError):
            helper.check_one(2)
            print("<wrong>")
        self.assertRaises(AssertionError, helper.check_one, 2)
        for n in range(3):
            try:
                assert n == 2
                print("<third>")
            except AssertionError:
                pass
        with contextlib.suppress(AssertionError):
            assert False
            print("<wrong>")
        eventually_one(2)
        list(map(lambda n: n, [1]))
        print("<end>")

    @unittest.skip("not now")
    def test_skipped(self):
        print("<wrong>")


class TestPrepared(unittest.TestCase):
    def setUp(self):
        assert False, "not prepared"

    def test_prepared(self):
        print("<wrong>")
`

const helper = `def check_one(n):
    assert n == 1, "not one"
    print("<in helper>")
`

var said = regexp.MustCompile(`<[^>]*>`)

// Muted, tests go on behind what fails, and fail all the same; where something waits for a failure it is raised.
func TestPython(t *testing.T) {
	needs.Program(t, "python3")
	for _, runner := range []string{"unittest", "pytest", "pytest --assert=plain"} {
		t.Run(runner, func(t *testing.T) {
			command := append([]string{"-m"}, strings.Fields(runner)...)
			if command[1] == "pytest" {
				needs.That(t, "python3 with pytest", exec.Command("python3", "-m", "pytest", "--version").Run() == nil)
				command = append(command, "-s", "-q", "-p", "no:cacheprovider", "-W", "error")
			}
			dir := t.TempDir()
			r := Run{Dir: filepath.Join(dir, "probe"), Suite: filepath.Join(dir, "suite"), Log: filepath.Join(dir, "log")}
			p, ok := For([]string{"suite/test_all.py"})
			if err := p.Install(r.Dir); err != nil || !ok {
				t.Fatal(err, ok)
			}
			if err := os.Mkdir(r.Suite, 0o755); err != nil {
				t.Fatal(err)
			}
			for name, text := range map[string]string{"test_all.py": muted, "helper.py": helper} {
				if err := os.WriteFile(filepath.Join(r.Suite, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.Command("python3", append(command, "test_all.py")...)
			if runner == "unittest" {
				cmd = exec.Command("python3", append(command, "-v", "test_all")...)
			}
			cmd.Dir, cmd.Env = r.Suite, p.Env(append(os.Environ(), "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1"), r)
			out, err := cmd.CombinedOutput()
			if err == nil {
				t.Errorf("no test failed")
			}
			want := "<behind assert> <behind KeyError> <behind assertEqual> <in helper> <behind helper> <third> <again> <again> <end>"
			got := said.FindAllString(string(out), -1)
			// tracebacks quote the source
			got = slices.DeleteFunc(got, func(s string) bool { return !strings.Contains(want, s) && s != "<wrong>" })
			if text := strings.Join(got[:min(len(got), 9)], " "); text != want {
				t.Errorf("it said\n%s\nwant\n%s\n%s", text, want, out)
			}
			for _, first := range []string{"first", "all.py:42|line 42", "not prepared"} {
				if !regexp.MustCompile(first).Match(out) {
					t.Errorf("no failure says %q:\n%s", first, out)
				}
			}
			log, err := Read(r.Log)
			if want := []End{{"TestAll.test_ends", "test_all.py", 43}}; err != nil || log.Tests != 3 || !slices.Equal(log.Ended, want) {
				t.Errorf("the log says %+v, %v, want %v", log, err, want)
			}
		})
	}
}

// A log that was cut off says what it can, and none says that nothing was loaded.
func TestLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	if log, err := Read(path); err != nil || log.Tests != 0 {
		t.Errorf("%+v, %v", log, err)
	}
	if err := os.WriteFile(path, []byte("{\"test\":\"a\"}\n{\"ended\":\"a\",\"file\":\"b.py\",\"line\":3}\n{\"ended\":\"a\",\"file\":\"b.py\",\"line\":3}\n{\"te"), 0o644); err != nil {
		t.Fatal(err)
	}
	if log, err := Read(path); err != nil || log.Tests != 1 || len(log.Ended) != 1 {
		t.Errorf("%+v, %v", log, err)
	}
}

// What a variable held stays behind what is added to it.
func TestEnv(t *testing.T) {
	env := python().Env([]string{"PYTHONPATH=/a", "PYTEST_PLUGINS="}, Run{Dir: "/d"})
	for _, want := range []string{"PYTHONPATH=/d" + string(os.PathListSeparator) + "/a", "PYTEST_PLUGINS=flaketap_probe"} {
		if !slices.Contains(env, want) {
			t.Errorf("%s is not among %q", want, env)
		}
	}
}
