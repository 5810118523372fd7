package probe

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/needs"
)

var goSaid = regexp.MustCompile(`<([^>\n]*)>`)

// Muted, tests in Go go on behind what fails, and fail all the same, and no line of theirs has moved.
func TestGo(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs tests")
	}
	for _, run := range []struct {
		name, said string
		fails      []string
		ended      []End
		tests      int
	}{
		{".", "sent /a,behind Fatalf,behind helper,sent /orders/7,behind return,behind package,row,row,behind none,behind still none," +
			"behind no items,sent /row,in row,in row still,sent ,in row,in row still,sent /passes,sent /empty,outside",
			[]string{"all_test.go:58: first", "all_test.go:61: \"7\", not \"9\"", "all_test.go:73: 1, not 2", "all_test.go:114: refused", "all_test.go:122: waited",
				"--- PASS: TestOwn ", "--- FAIL: TestRows/a=b", "--- FAIL: TestRows/named", "--- SKIP: TestSkipped", "outside_test.go:7: outside"},
			[]End{{"TestEnds", "all_test.go", 93}, {"TestPanics", "all_test.go", 104}}, 13},
		{"./testify", "behind Equal,behind NotNilf,in helper,behind True,behind Len,behind return,behind Eventually,in suite",
			[]string{"all_test.go:23", "--- FAIL: TestNoError", "--- FAIL: TestSuites/TestIt", "--- FAIL: TestSuites/TestLate"},
			[]End{{"TestRequire", "testify/all_test.go", 44}, {"TestSuites/TestIt", "testify/all_test.go", 64}}, 4},
	} {
		t.Run(run.name, func(t *testing.T) {
			t.Parallel()
			c := newGoRun(t)
			if run.name != "." {
				load := exec.Command("go", "list", "-deps", "-test", run.name)
				load.Dir, load.Env = c.Dir, c.Env
				_, err := load.Output()
				needs.That(t, "testify in the module cache", err == nil)
			}
			c.Args = append(c.Args, run.name)
			out, err := c.CombinedOutput()
			if err == nil {
				t.Error("no test failed")
			}
			var said []string
			for _, m := range goSaid.FindAllSubmatch(out, -1) {
				said = append(said, string(m[1]))
			}
			if got := strings.Join(said, ","); got != run.said {
				t.Errorf("it said\n%s\nwant\n%s\n%s", got, run.said, out)
			}
			for _, failure := range run.fails {
				if !bytes.Contains(out, []byte(failure)) {
					t.Errorf("nothing says %q:\n%s", failure, out)
				}
			}
			log, err := Read(c.run.Log)
			if err != nil || log.Tests != run.tests || !slices.Equal(log.Ended, run.ended) {
				t.Errorf("the log says %+v, %v, want %d tests, %v", log, err, run.tests, run.ended)
			}
		})
	}
}

type goRun struct {
	*exec.Cmd
	run Run
}

// newGoRun is a muted copy of the suite, about to be run.
func newGoRun(t *testing.T) goRun {
	t.Helper()
	dir := t.TempDir()
	r := Run{Suite: filepath.Join(dir, "suite"), Log: filepath.Join(dir, "log")}
	program := needs.Program(t, "go")
	p, ok := For([]string{"all_test.go"})
	if err := os.CopyFS(r.Suite, os.DirFS("testdata/golang")); err != nil || !ok || p.Name != "Go" {
		t.Fatal(err, ok, p.Name)
	}
	muteCopy(t, p, r.Suite)
	c := exec.Command(program, "test", "-v")
	c.Dir = r.Suite
	c.Env = p.Env(append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "GOPROXY=off", "GOSUMDB=off"), r)
	return goRun{c, r}
}

// muteCopy puts into a copy of a suite what its probe has of it.
func muteCopy(t *testing.T, p Probe, dir string) {
	t.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err == nil {
			files[filepath.ToSlash(name)], err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range p.Mute(files) {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
