package suite

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/suite/script"
)

// prettierSettings are files of prettier's settings, in as many ways as projects have them.
func prettierSettings() map[string]string {
	return map[string]string{
		"plain":    `{}`,
		"standard": `{"semi": false, "singleQuote": true, "arrowParens": "avoid"}`,
		"tabs":     `{"useTabs": true, "singleQuote": true, "trailingComma": "none"}`,
		"wide":     `{"tabWidth": 4, "printWidth": 110, "bracketSpacing": false, "trailingComma": "es5"}`,
	}
}

// Files that prettier formatted stay as it formats them by their own settings, whatever is written anew.
func TestProjectsStayPretty(t *testing.T) {
	program, err := filepath.Abs("../.tools/node/node_modules/.bin/prettier")
	_, none := os.Stat(program)
	needs.That(t, "prettier", err == nil && none == nil)
	dir := t.TempDir()
	prettier := func(args ...string) {
		t.Helper()
		cmd := exec.Command(program, append(args, ".")...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("prettier: %v: %s", err, out)
		}
	}
	for name, settings := range prettierSettings() {
		of := filepath.Join(dir, name)
		if err := os.CopyFS(of, os.DirFS(filepath.Join("testdata", "projects", "javascript"))); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(of, ".prettierrc"), []byte(settings), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	prettier("--write", "--log-level", "warn")
	files := 0
	err = filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && !strings.HasPrefix(entry.Name(), ".") {
			files++
			writtenApart(t, file)
		}
		return err
	})
	if err != nil || files < 10*len(prettierSettings()) {
		t.Fatalf("%d files: %v", files, err)
	}
	prettier("--check", "--log-level", "warn")
}

// writtenApart writes two files beside one of tests: all assertions commented out, and all written anew.
func writtenApart(t *testing.T, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s, err := ReadAmong(filepath.ToSlash(file), data, projectFile)
	if err != nil {
		return // it helps tests, and has none
	}
	for way, edits := range map[string][]script.Edit{"disabled_": disabledStatements(s), "weaker_": weakenedAll(s)} {
		out := filepath.Join(filepath.Dir(file), way+filepath.Base(file))
		if err := os.WriteFile(out, applied(s, edits), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// disabledStatements comments out all assertions that have a statement of their own. A link of a chain that is commented
// out leaves a chain that prettier may lay out anew.
func disabledStatements(s *script.Script) (edits []script.Edit) {
	for a := range understoodOnce(s) {
		if !strings.HasPrefix(a.Text, ".") {
			edits = append(edits, s.Writer.Disable(s, a)...)
		}
	}
	return edits
}

// weakenedAll writes all assertions as something weaker.
func weakenedAll(s *script.Script) (edits []script.Edit) {
	for a, test := range understoodOnce(s) {
		edits = append(edits, saidAgain(s, test, a)...)
	}
	return edits
}
