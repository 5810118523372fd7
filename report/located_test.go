package report

import (
	"os"
	"path/filepath"
	"testing"
)

// A file is told from where code hosts look for it.
func TestLocated(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"repo/.git", "repo/app/tests", "repo/tests", "apart"} {
		if err := os.MkdirAll(filepath.Join(root, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(filepath.Join(root, "repo/app"))
	for path, want := range map[string]string{
		"tests/a.py": "tests/a.py", "../tests/a.py": "../tests/a.py",
		root + "/repo/app/tests/a.py": "tests/a.py", root + "/repo/app/..a.py": "..a.py",
		root + "/repo/tests/a.py": "tests/a.py", root + "/apart/a.py": root + "/apart/a.py",
	} {
		if got := Located(path); got != filepath.FromSlash(want) {
			t.Errorf("%s is at %s, want %s", path, got, want)
		}
	}
}
