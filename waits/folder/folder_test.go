package folder_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/waits/folder"
)

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func names(t *testing.T, root, outer string, named ...string) ([]string, []string) {
	t.Helper()
	s, err := folder.Read(context.Background(), root, outer, named)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range s.Files {
		out = append(out, f.Name)
	}
	return out, s.Lacks
}

// Tests are read, and what they import; other files, folders of libraries and what links lead to are not.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	repo := filepath.Join(dir, "repo")
	for name, text := range map[string]string{
		"src/a.test.js":              "import { W } from './waits'; import x from '../../outside'; import y from './link'",
		"src/waits.ts":               "export const W = 1",
		"src/app.js":                 "setTimeout(f, 100)",
		"src/node_modules/b.test.js": "",
		"src/.cache/c.test.js":       "",
		"src/__tests__/d.js":         "",
		"src/e_test.go":              "",
		"src/main.go":                "",
		"src/notes.txt":              "",
		"src/large.test.js":          strings.Repeat("cy.wait(1)\n", 200_000),
	} {
		write(t, filepath.Join(repo, name), text)
	}
	write(t, filepath.Join(dir, "outside.js"), "export const W = 1")
	write(t, filepath.Join(dir, "other", "z.test.js"), "")
	for link, to := range map[string]string{"src/link.js": "../../outside.js", "src/f.test.js": "../../outside.js", "src/folder": "../../other", "src/loop": "."} {
		if err := os.Symlink(to, filepath.Join(repo, link)); err != nil {
			t.Skip(err)
		}
	}
	got, lacks := names(t, filepath.Join(repo, "src"), repo)
	if diff := cmp.Diff([]string{"__tests__/d.js", "a.test.js", "e_test.go", "waits.ts"}, got); diff != "" {
		t.Error(diff)
	}
	if len(lacks) != 1 || !strings.Contains(lacks[0], "not read: 1 file of more than 1048576 bytes") {
		t.Errorf("it lacks %q", lacks)
	}
	got, _ = names(t, filepath.Join(repo, "src"), repo, filepath.Join(repo, "src", "app.js"))
	if len(got) != 5 {
		t.Errorf("with a file that is named: %q", got)
	}
}

func TestReadRefuses(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "large.js"), strings.Repeat(" ", 2<<20))
	for _, named := range []string{"none.js", "large.js", "."} {
		if _, err := folder.Read(context.Background(), dir, dir, []string{filepath.Join(dir, named)}); err == nil {
			t.Errorf("%s is read", named)
		}
	}
	if _, err := folder.Read(context.Background(), filepath.Join(dir, "none"), dir, nil); err == nil {
		t.Error("a folder that is not there is read")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := folder.Read(ctx, dir, dir, nil); err == nil {
		t.Error("reading goes on after it was ended")
	}
}

func TestIsTest(t *testing.T) {
	for name, want := range map[string]bool{
		"a.test.js": true, "a.spec.ts": true, "login.cy.js": true, "x/e2e/a.js": true, "a.js": false, "latest.js": false,
		"test_a.py": true, "a_test.py": true, "conftest.py": true, "tests/helper.py": true, "attest.py": false,
		"ATest.java": true, "OrderIT.java": true, "src/test/java/Page.java": true, "Order.java": false, "SyncTest.kt": true,
		"a_test.go": true, "test/a.go": false, "a.test.rb": false,
	} {
		if got := folder.IsTest(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestAround(t *testing.T) {
	for file, want := range map[string]string{
		"/r/cypress/e2e/a/b.cy.js":      "/r/cypress",
		"/r/src/test/java/a/ATest.java": "/r/src/test",
		"/r/src/a/b.test.js":            "/r/src/a",
		"/tests/r/pkg/a_test.go":        "/tests/r/pkg",
	} {
		outer := "/r"
		if strings.HasPrefix(file, "/tests/r") {
			outer = "/tests/r"
		}
		if got := folder.Around(file, outer); got != want {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
}

func TestProject(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"go.mod", "web/package.json", "web/src/a.test.js"} {
		write(t, filepath.Join(root, name), name)
	}
	for file, want := range map[string]string{
		"web/src/a.test.js":   "web",
		"web/cypress/b.cy.js": "web/cypress",
		"pkg/a/a_test.go":     "",
	} {
		if got := folder.Project(filepath.Join(root, file), root); got != filepath.Join(root, want) {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
	if got := folder.Project("/r/tests/a/b.test.js", "/r/tests"); got != "/r/tests/a" {
		t.Errorf("of a file below what is called as tests are, yet the outermost: %s", got)
	}
	if got := folder.Project(filepath.Join(root, "pkg/a/a_test.go"), filepath.Join(root, "pkg")); got != filepath.Join(root, "pkg/a") {
		t.Errorf("the module lies outside, yet the project is %s", got)
	}
}

// What git is asked for has all that is a test.
func TestChanged(t *testing.T) {
	root := t.TempDir()
	if got := folder.Changed(root); len(got) != 1 || got[0] != "." {
		t.Errorf("%v of a folder that is no whole project", got)
	}
	git := func(args ...string) string {
		out, err := exec.Command("git", append([]string{"-C", root}, args...)...).CombinedOutput()
		if err != nil {
			t.Skip(string(out), err)
		}
		return string(out)
	}
	git("init", "-q")
	names := []string{"a.test.js", "x/b.spec.ts", "x/c.cy.js", "d_e2e.js", "f.it.ts", "it/g.js", "x/it/h.js", "test_i.py", "x/conftest.py", "JIT.java",
		"cypress/support/k.js", "x/acceptance/l.js", "m_test.go", "src/test/java/Page.java", "NTests.kt", "OTestCase.java", "e2e.js", "cy.js", "it.js"}
	for _, name := range append(names, "package.json", "main.go", "src/item.js") {
		write(t, filepath.Join(root, name), name)
	}
	git("add", "-A")
	listed := strings.Fields(git(append([]string{"ls-files", "--"}, folder.Changed(root)...)...))
	for _, name := range names {
		if folder.IsTest(name) != slices.Contains(listed, name) {
			t.Errorf("%s: a test %v, of the history %v", name, folder.IsTest(name), slices.Contains(listed, name))
		}
	}
	for _, name := range []string{"main.go", "src/item.js"} {
		if slices.Contains(listed, name) {
			t.Errorf("%s is read", name)
		}
	}
}
