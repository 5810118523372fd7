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

// javascriptRuns are suites that say what they come to, "wrong" where they must not, and what is to be heard.
var javascriptRuns = []struct {
	name, folder string
	command      []string
	said         string
	fails        []string // what is said of failures
	ended        []End
	tests        int
}{
	{"Jest", "jest", []string{"jest", "--ci", "--runInBand", "all"},
		"toBe others helper soon client helpers promises then forEach all try finally end " +
			"caught caught third handled again again again again again again waited row row",
		[]string{"> 6 |     expect(1).toBe(2)", "not prepared", "6 failed, 1 skipped, 2 passed"},
		[]End{{"all ends", "all.test.js", 53}}, 6},
	{"Jest, at once", "jest", []string{"jest", "--ci", "--runInBand", "concurrent"}, "one behind one two",
		[]string{"expect(1).toBe(2)", "expect(2).toBe(3)", "2 failed, 1 skipped, 2 passed"}, nil, 4},
	{"Jest with workers", "jest", []string{"jest", "--ci", "--maxWorkers", "2"}, "", []string{"8 failed, 2 skipped, 5 passed"},
		[]End{{"all ends", "all.test.js", 53}}, 11},
	{"Vitest", "vitest", []string{"vitest", "run", "--root", "."},
		"toBe others helper soon client helpers promises then forEach all try finally end " +
			"caught caught third handled again again again again again again waited row row concurrent given",
		[]string{"❯ all.test.ts:11:15", "not prepared", "7 failed | 3 passed | 1 skipped"},
		[]End{{"all ends", "all.test.ts", 60}}, 9},
	{"Mocha", "mocha", []string{"mocha", "all.test.js"},
		"equal others assert end waited", []string{"1 passing", "4 failing", "all.test.js:13", "not prepared"},
		[]End{{"all ends", "all.test.js", 39}}, 3},
	{"Mocha, odd sources", "mocha", []string{"mocha", "odd.test.js"},
		"outer function pattern after catch case called for await static exports odd", []string{"11 passing", "1 failing"}, nil, 12},
	{"node:test", "node", []string{"node", "--test", "."},
		"equal others part end waited alone", []string{"# pass 1\n", "'1 == 2'", "not yet"},
		[]End{{"ends", "all.test.mjs", 25}}, 5},
}

// colors are what Vitest puts into what it says, whatever FORCE_COLOR is.
var colors = regexp.MustCompile(`\x1b\[[\d;]*m`)

// Muted, tests go on behind what fails, and fail all the same; where something waits for a failure it is raised.
func TestJavaScript(t *testing.T) {
	for _, run := range javascriptRuns {
		t.Run(run.name, func(t *testing.T) {
			t.Parallel()
			c := newJavaScriptRun(t, run.folder, run.command)
			colored, err := c.CombinedOutput()
			if err == nil {
				t.Error("no test failed")
			}
			out := colors.ReplaceAll(colored, nil)
			said := c.said()
			if run.said != "" && said != run.said || strings.Contains(said, "wrong") {
				t.Errorf("it said\n%s\nwant\n%s\n%s", said, run.said, out)
			}
			for _, failure := range run.fails {
				if !strings.Contains(string(out), failure) {
					t.Errorf("nothing says %q:\n%s", failure, out)
				}
			}
			if strings.Contains(string(out), "flaketap_probe") {
				t.Errorf("what mutes is named:\n%s", out)
			}
			log, err := Read(c.run.Log)
			if err != nil || log.Tests != run.tests || !slices.Equal(log.Ended, run.ended) {
				t.Errorf("the log says %+v, %v, want %d tests, %v", log, err, run.tests, run.ended)
			}
		})
	}
}

// javascriptRun is a muted run of a suite.
type javascriptRun struct {
	*exec.Cmd
	run  Run
	dir  string
	test *testing.T
}

// newJavaScriptRun copies a suite, and what it uses beside it, into a folder in whose name Node has to read a blank.
func newJavaScriptRun(t *testing.T, folder string, command []string) *javascriptRun {
	t.Helper()
	modules, err := filepath.Abs("../../.tools/node/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	program := needs.Program(t, "node")
	if command[0] != "node" {
		program = filepath.Join(modules, ".bin", command[0])
		_, err = os.Stat(program)
		needs.That(t, command[0]+" (make tools installs it)", err == nil)
	}
	dir := filepath.Join(t.TempDir(), "a folder")
	c := &javascriptRun{
		exec.Command(program, command[1:]...),
		Run{Dir: filepath.Join(dir, "probe"), Suite: filepath.Join(dir, folder), Log: filepath.Join(dir, "log")}, dir, t,
	}
	p, ok := For([]string{"README.md", "all.test.js"})
	if err := p.Install(c.run.Dir); err != nil || !ok || p.Name != "JavaScript" {
		t.Fatal(err, ok, p.Name)
	}
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "javascript"))); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(c.run.Suite, "package.json"), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	c.Dir = c.run.Suite
	c.Env = p.Env(append(os.Environ(), "SAID="+filepath.Join(dir, "said"), "NODE_OPTIONS=--no-warnings", "FORCE_COLOR=0"), c.run)
	return c
}

// said is what the suite came to.
func (c *javascriptRun) said() string {
	data, err := os.ReadFile(filepath.Join(c.dir, "said"))
	if err != nil {
		c.test.Error(err)
	}
	return strings.Join(strings.Fields(string(data)), " ")
}

// The options that Node has stay behind those that are added, and a path is quoted.
func TestJavaScriptEnv(t *testing.T) {
	env := javascript().Env([]string{"NODE_OPTIONS=--no-warnings"}, Run{Dir: `/a "b"\c`})
	want := `NODE_OPTIONS=--require "/a \"b\"\\c/node_modules/flaketap/flaketap_probe.cjs" --no-warnings`
	if !slices.Contains(env, want) {
		t.Errorf("%s is not among %q", want, env)
	}
}

// What Node loads is formatted as Prettier does it.
func TestJavaScriptIsFormatted(t *testing.T) {
	prettier := "../../.tools/node/node_modules/.bin/prettier"
	_, err := os.Stat(prettier)
	needs.That(t, "Prettier (make tools installs it)", err == nil)
	if out, err := exec.Command(prettier, "--check", "javascript").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
