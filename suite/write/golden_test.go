package write

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/suite"
)

var update = flag.Bool("update", false, "write the golden projects anew")

// goldenProject holds the files of a project against those in testdata, but for the library, which is there once.
func goldenProject(t *testing.T, name string, files []suite.File) {
	t.Helper()
	dir := filepath.Join("testdata", name)
	if *update {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]bool{}
	for _, f := range files {
		if strings.HasPrefix(f.Name, "flaketap/") || f.Name == "package.json" || f.Name == "package-lock.json" {
			continue
		}
		// As itself it would keep others of these files out of the repository.
		path := filepath.Join(dir, filepath.FromSlash(strings.NewReplacer(".gitignore", "gitignore", "go.mod", "gomod").Replace(f.Name)))
		want[path] = true
		if *update {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, f.Data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		golden, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(golden), string(f.Data)); diff != "" {
			t.Errorf("%s (-golden +got):\n%s", f.Name, diff)
		}
	}
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() && !want[path] {
			t.Errorf("%s is no longer written", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
