package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

// archived are the files of what a search found, but for those with times and ports in them, and what was asked for.
func archived(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) == ".db" || filepath.Ext(path) == ".jsonl" {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, path))
		out[path] = string(text)
		return err
	})
	if err != nil || len(out) < 4 {
		t.Fatalf("%s has %d files, %v", dir, len(out), err)
	}
	return out
}

// TestManySearch has two workers run the trials of a search, of which one is killed meanwhile; it finds what one API on this
// machine leads to, and several do. Workers that lead no API are refused.
func TestManySearch(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.write("token.key", bytes.Repeat([]byte("k"), 32))
	// Words are those of the files that a search starts here, and workers start it elsewhere.
	start, search := startQuotes(t, 5*time.Millisecond), append(searchQuotes(60), "--words", "none")
	b.run(nil, slices.Concat(search, start, []string{"--out", "here"})...).exit(0)
	want := archived(t, filepath.Join(b.dir, "here"))
	b.run(nil, slices.Concat(search, start, []string{"--out", "several", "--workers", "3"})...).exit(0)
	same := func(dir string) {
		t.Helper()
		got := archived(t, filepath.Join(b.dir, dir))
		for name, text := range want {
			if got[name] != text {
				t.Errorf("%s/%s is\n%s\nand alone\n%s", dir, name, got[name], text)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s has %d files, and alone %d", dir, len(got), len(want))
		}
	}
	same("several")

	hub := b.run(nil, "hub", "--listen", "127.0.0.1:0")
	at := hub.wait(`hub at (nats://\S+),`) + "/quotes"
	reach := []string{"--hub-credential", "flaketap-hub/credential", "--token-key", "token.key"}
	worker := slices.Concat([]string{"worker", at}, start, reach)
	search = slices.Concat(search, []string{"--out", "there", "--workers", at}, reach)
	player := b.run(nil, worker...)
	player.wait("the API is ready")
	refused := b.run(nil, search...)
	refused.exit(1)
	refused.wait("no worker at that hub answers for the external services of its API: start flaketap worker")
	player.signal(syscall.SIGTERM)
	player.exit(0)

	first, second := b.run(nil, append(worker, "--external")...), b.run(nil, append(worker, "--external")...)
	first.wait("waiting for trials of mock search")
	second.wait("waiting for trials of mock search")
	by := b.run(nil, search...)
	by.wait("2 workers with --external at that hub")
	first.signal(syscall.SIGKILL)
	<-first.over
	by.exit(0)
	second.signal(syscall.SIGTERM)
	second.exit(0)
	same("there")
}
