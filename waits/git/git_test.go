package git_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/waits/git"
)

// run runs git in a folder.
func run(t *testing.T, dir string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not there")
	}
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=Ann", "-c", "user.email=ann@example.com", "-c", "commit.gpgsign=false"}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// commit puts a wait in a file.
func commit(t *testing.T, dir, wait, message string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "a.cy.js"), []byte("cy.wait("+wait+");\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	run(t, dir, "add", "-A")
	run(t, dir, "commit", "-q", "-m", message)
}

func subjects(t *testing.T, dir string, o git.Options) ([]string, []string) {
	t.Helper()
	h, err := git.Read(context.Background(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, c := range h.Commits {
		out = append(out, c.Subject)
	}
	return out, h.Lacks
}

// What an index says is what the history says: after further commits, after the history was rewritten, and where the
// index is damaged.
func TestIndex(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	run(t, dir, "init", "-q")
	o := git.Options{Cache: cache}
	same := func(when string, want ...string) {
		t.Helper()
		for range 2 { // made, and then read
			got, _ := subjects(t, dir, o)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s:\n%s", when, diff)
			}
		}
	}
	commit(t, dir, "1", "one")
	commit(t, dir, "2", "two")
	same("at first", "two", "one")
	commit(t, dir, "3", "three")
	same("after a commit", "three", "two", "one")
	run(t, dir, "commit", "-q", "--amend", "-m", "drei")
	same("after a commit was changed", "drei", "two", "one")
	run(t, dir, "reset", "-q", "--hard", "HEAD~1")
	same("after going back", "two", "one")
	indexes, err := filepath.Glob(filepath.Join(cache, "*"))
	if err != nil || len(indexes) != 1 {
		t.Fatalf("indexes are %q", indexes)
	}
	whole, err := os.ReadFile(indexes[0])
	if err != nil {
		t.Fatal(err)
	}
	other := bytes.Replace(whole, []byte("two"), []byte("tvo"), 1) // it can be read, and says something else
	for i, damaged := range [][]byte{nil, whole[:len(whole)-1], []byte("flaketap"), other, append(append([]byte{}, whole[:60]...), append([]byte{whole[60] ^ 1}, whole[61:]...)...)} {
		if err := os.WriteFile(indexes[0], damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		same("damaged in way "+string(rune('0'+i)), "two", "one")
	}
	run(t, dir, "gc", "-q", "--prune=now")
	same("after unreachable commits were taken away", "two", "one")
	removeObjects(t, filepath.Join(dir, ".git"))
	same("without the commits, which the index has", "two", "one")
}

// removeObjects leaves a repository its references alone.
func removeObjects(t *testing.T, repository string) {
	t.Helper()
	objects, err := filepath.Glob(filepath.Join(repository, "objects", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range objects {
		if err := os.RemoveAll(o); err != nil {
			t.Fatal(err)
		}
	}
}

// Of a history that is asked for some paths alone, no other commits are read, and its index is none of the whole.
func TestPaths(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	run(t, dir, "init", "-q")
	commit(t, dir, "1", "a test")
	if err := os.WriteFile(filepath.Join(dir, "main.js"), []byte("main()\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	run(t, dir, "add", "-A")
	run(t, dir, "commit", "-q", "-m", "no test")
	for _, tt := range []struct{ paths, want []string }{
		{nil, []string{"no test", "a test"}},
		{[]string{"*.cy.js"}, []string{"a test"}},
		{nil, []string{"no test", "a test"}},
	} {
		got, _ := subjects(t, dir, git.Options{Cache: cache, Paths: tt.paths})
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s:\n%s", tt.paths, diff)
		}
	}
}

// Where there is no history, that is said.
func TestLacks(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(dir))
	if _, lacks := subjects(t, dir, git.Options{}); len(lacks) != 1 || !strings.Contains(lacks[0], "in no git repository") {
		t.Errorf("without a repository: %q", lacks)
	}
	run(t, dir, "init", "-q")
	if _, lacks := subjects(t, dir, git.Options{}); len(lacks) != 1 || !strings.Contains(lacks[0], "has no commit") {
		t.Errorf("without a commit: %q", lacks)
	}
	commit(t, dir, "1", "one")
	commit(t, dir, "2", "two")
	if got, lacks := subjects(t, dir, git.Options{Commits: 1}); len(got) != 1 || len(lacks) != 0 {
		t.Errorf("one commit: %q, %q", got, lacks)
	}
	shallow := filepath.Join(t.TempDir(), "shallow")
	run(t, dir, "clone", "-q", "--depth=1", "file://"+dir, shallow)
	if _, lacks := subjects(t, shallow, git.Options{}); len(lacks) != 1 || !strings.Contains(lacks[0], "shallow") {
		t.Errorf("a shallow clone: %q", lacks)
	}
	removeObjects(t, filepath.Join(shallow, ".git"))
	if got, lacks := subjects(t, shallow, git.Options{}); len(got) != 0 || len(lacks) != 2 ||
		!strings.Contains(lacks[1], "git does not give it: read history: git log: ") || strings.Contains(lacks[1], "\n") {
		t.Errorf("a clone without its objects: %q, %q", got, lacks)
	}
	t.Setenv("PATH", t.TempDir())
	if _, lacks := subjects(t, dir, git.Options{}); len(lacks) != 1 || !strings.Contains(lacks[0], "git is not found") {
		t.Errorf("without git: %q", lacks)
	}
}

// A repository's own configuration starts nothing.
func TestNothingIsStarted(t *testing.T) {
	dir := t.TempDir()
	run(t, dir, "init", "-q")
	commit(t, dir, "1", "one")
	commit(t, dir, "2", "two")
	trap := filepath.Join(dir, "trap.sh")
	mark := filepath.Join(dir, "started")
	if err := os.WriteFile(trap, []byte("#!/bin/sh\ntouch "+mark+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".gitattributes"), []byte("*.js diff=trap\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, setting := range []string{"diff.external", "core.fsmonitor", "core.pager", "diff.trap.textconv", "diff.trap.command", "gpg.program"} {
		run(t, dir, "config", setting, trap)
	}
	run(t, dir, "config", "log.showSignature", "true")
	if got, _ := subjects(t, dir, git.Options{}); len(got) != 2 {
		t.Errorf("commits are %q", got)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("a program was started")
	}
}
