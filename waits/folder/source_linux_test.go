//go:build linux

package folder_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/flaketap/flaketap/waits/folder"
)

// What a command says that it came from is read only where it may be a text of a suite: no pipe, which would never end.
func TestSource(t *testing.T) {
	dir := t.TempDir()
	pipe, text := filepath.Join(dir, "pipe"), filepath.Join(dir, "a.js")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(text, []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{pipe: "", dir: "", filepath.Join(dir, "none"): "", text: "a"} {
		if got, err := folder.Source(name); string(got) != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
