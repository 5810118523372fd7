package suite

import (
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/suite/script"
)

// projectFamily is a language whose files of tests in testdata/projects have the shape of those of real projects.
type projectFamily struct {
	name  string // of its folder
	files string // the pattern of the names of its files of tests
	// an assertion as it is written, counted without the reader; and those of the lines that it finds that are none
	asserts, none *regexp.Regexp
	least         int                    // how many of a hundred are understood at least; 90 is what is wanted
	program       string                 // that parses a file; "" for none
	parses        func(dir string) error // the error of the first file of a folder that has one of syntax
}

func projectFamilies() []projectFamily {
	return []projectFamily{
		{"python", "test_*.py", regexp.MustCompile(`^\s*(assert\s|self\.assert\w+\(|assert_\w+\()`), nil, 95, "python3", compiledPython},
		{"go", "[^h]*_test.go", regexp.MustCompile(`^\s*(if )?(t\.(Error|Fatal)f?\(|(assert|require|s|s\.(Require|Assert)\(\))\.[A-Z]\w+\(|` +
			`(equal|assertInt|assertString|wantStatus)(\[\w+\])?\()`),
			regexp.MustCompile(`NoError\(|suite\.|Fatal\(err\)|Fatalf?\(.*\berr\)`), 94, "", parsedGo},
	}
}

func compiledPython(dir string) error {
	const program = "import ast, pathlib, sys\nfor f in pathlib.Path(sys.argv[1]).iterdir(): ast.parse(f.read_text(), f.name)"
	out, err := exec.Command("python3", "-c", program, dir).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

func parsedGo(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	for _, file := range files {
		if _, bad := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution); bad != nil {
			err = errors.Join(err, bad)
		}
	}
	return err
}

// read reads the files of a family; the script of one that is not read is nil.
func (f projectFamily) read(t *testing.T, each func(file string, data []byte, s *script.Script)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "projects", f.name, "*", f.files))
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files of %s: %v", len(files), f.name, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, err := ReadAmong(filepath.ToSlash(file), data, projectFile)
		if err != nil {
			s = nil
		}
		each(file, data, s)
	}
}

// projectFile reads a file beside one of a project.
func projectFile(path string) (string, bool) {
	if strings.HasSuffix(path, "/") {
		entries, err := os.ReadDir(filepath.FromSlash(path))
		names := ""
		for _, e := range entries {
			names += e.Name() + "\n"
		}
		return names, err == nil
	}
	text, err := os.ReadFile(filepath.FromSlash(path))
	return string(text), err == nil
}

// counted is how many assertions stand in a file.
func (f projectFamily) counted(data []byte) int {
	n := 0
	for line := range strings.Lines(string(data)) {
		if f.asserts.MatchString(line) && (f.none == nil || !f.none.MatchString(line)) {
			n++
		}
	}
	return n
}

// Most assertions of files in the shape of those of real projects are understood, whatever the reader itself counts;
// the others are listed with what is not understood.
func TestProjectsAreUnderstood(t *testing.T) {
	for _, f := range projectFamilies() {
		t.Run(f.name, func(t *testing.T) {
			all, understood := 0, 0
			f.read(t, func(file string, data []byte, s *script.Script) {
				n := f.counted(data)
				all += n
				if s == nil {
					t.Logf("%s: not read, %d assertions", file, n)
					return
				}
				lines := map[int]bool{}
				for _, test := range s.Tests {
					for _, a := range test.Assertions {
						lines[a.Line] = lines[a.Line] || a.Understood() && a.Meaning != nil
						if !a.Understood() {
							t.Logf("%s:%d: %s: %s", file, a.Line, strings.Split(a.Text, "\n")[0], a.Reason)
						}
					}
				}
				own := 0
				for _, yes := range lines {
					if yes {
						own++
					}
				}
				if own > n {
					t.Errorf("%s: %d understood of %d", file, own, n)
				}
				understood += own
				t.Logf("%s: %d of %d", file, own, n)
			})
			t.Logf("%d of %d assertions are understood, %.1f %%", understood, all, 100*float64(understood)/float64(all))
			if understood*100 < all*f.least {
				t.Errorf("%d of %d assertions are understood", understood, all)
			}
		})
	}
}

// A file that is to change nowhere comes back byte for byte, and one whose assertions are all commented out, or all
// written anew as what they say, still parses.
func TestProjectsAreNotDamaged(t *testing.T) {
	for _, f := range projectFamilies() {
		t.Run(f.name, func(t *testing.T) {
			if f.program != "" {
				needs.Program(t, f.program)
			}
			dir := t.TempDir()
			f.read(t, func(file string, data []byte, s *script.Script) {
				if s == nil {
					t.Errorf("%s is not read", file)
					return
				}
				if same := Bind(s, Source{}, nil).Patch(PatchOptions{}); string(same.Data) != string(data) {
					t.Errorf("%s changes without a reason", file)
				}
				for way, edits := range map[string][]script.Edit{"disabled_": disabledAll(s), "weakened_": writtenAll(s)} {
					out := filepath.Join(dir, way+filepath.Base(file))
					if err := os.WriteFile(out, applied(s, edits), 0o600); err != nil {
						t.Fatal(err)
					}
				}
			})
			if err := f.parses(dir); err != nil {
				t.Error(err)
			}
		})
	}
}

// applied is a file with edits.
func applied(s *script.Script, edits []script.Edit) []byte {
	p := &patcher{BoundScript: Bind(s, Source{}, nil), edits: edits}
	return p.apply()
}

// understoodOnce lists the assertions of a file that are understood, each piece of the file once.
func understoodOnce(s *script.Script) map[*script.Assertion]*script.Test {
	out := map[*script.Assertion]*script.Test{}
	var starts []int
	for _, test := range s.Tests {
		for _, a := range test.Assertions {
			if a.Understood() && a.Meaning != nil && !slices.Contains(starts, a.At.Start) {
				out[a] = test
				starts = append(starts, a.At.Start)
			}
		}
	}
	return out
}

func disabledAll(s *script.Script) (edits []script.Edit) {
	for a := range understoodOnce(s) {
		edits = append(edits, s.Writer.Disable(s, a)...)
	}
	return edits
}

// writtenAll writes what each assertion says in its place, with the comment above that a change has.
func writtenAll(s *script.Script) (edits []script.Edit) {
	for a, test := range understoodOnce(s) {
		text, ok := s.Writer.Assert(s, test, a, a.Meaning)
		if ok {
			edits = append(edits, script.Edit{Start: a.At.Start, End: a.At.End, Text: text})
		}
	}
	return edits
}

// Files that black formatted stay as it formats them, whatever is written anew.
func TestProjectsStayFormatted(t *testing.T) {
	ruff := "ruff"
	if venv := os.Getenv("FLAKETAP_VENV"); venv != "" {
		ruff = filepath.Join(venv, "bin", "ruff")
	}
	if _, err := exec.LookPath(ruff); err != nil {
		needs.That(t, "ruff", false)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "projects", "python"))); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(ruff, "format", "--isolated", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "test_*.py"))
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, err := ReadAmong(filepath.ToSlash(file), data, projectFile)
		if err != nil {
			t.Fatal(err)
		}
		for way, edits := range map[string][]script.Edit{"_disabled.py": disabledAll(s), "_written.py": writtenAll(s)} {
			if err := os.WriteFile(strings.TrimSuffix(file, ".py")+way, applied(s, edits), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if diff, err := exec.Command(ruff, "format", "--isolated", "--diff", dir).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, diff)
	}
}
