package serve

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// What a command that was killed has left goes with the next one; what is in use, or of others, stays.
func TestFolders(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	t.Setenv("TMP", tmp) // of Windows
	used, err := makeFolder()
	if err != nil {
		t.Fatal(err)
	}
	killed, err := makeFolder()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(killed.path, "ca", "more"), 0o700); err != nil {
		t.Fatal(err)
	}
	killed.alive.Close() // as the system does when a process ends
	other := filepath.Join(tmp, folderPrefix+"of-somebody")
	if err := os.Mkdir(other, 0o700); err != nil {
		t.Fatal(err)
	}
	next, err := makeFolder()
	if err != nil {
		t.Fatal(err)
	}
	left := func() []string {
		all, err := filepath.Glob(filepath.Join(tmp, "*"))
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	want := []string{used.path, next.path, other}
	slices.Sort(want)
	if got := left(); !slices.Equal(got, want) {
		t.Errorf("there are %q, want %q", got, want)
	}
	for _, f := range []*folder{used, next} {
		if err := f.remove(); err != nil {
			t.Error(err)
		}
	}
	if got := left(); !slices.Equal(got, []string{other}) {
		t.Errorf("there are %q", got)
	}
}

// A file in the place of a folder with stubs is told as such.
func TestStubsOfFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "stubs.json")
	if err := os.WriteFile(name, []byte(`{"mappings": []}`), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Folders{name}.Stubs()
	if want := "read stubs: " + name + " is a file: name the folder that it lies in"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
