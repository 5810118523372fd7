package flaketap_test

import (
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// These tests hold the targets of the Makefile against the tests that there are: each runs in one that CI calls, or in make
// eval, and says so by its name.

// makefileList reads a variable of the Makefile that lists words.
func makefileList(t *testing.T, name string) []string {
	t.Helper()
	data, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^` + name + `\s*:= (.+)$`).FindSubmatch(data)
	if line == nil {
		t.Fatalf("the Makefile has no list %s", name)
	}
	return strings.Fields(string(line[1]))
}

// testFile is a file of tests.
type testFile struct {
	pkg, path  string
	tests      []string
	constraint constraint.Expr // nil where it is built always
}

func testFiles(t *testing.T) []testFile {
	t.Helper()
	var files []testFile
	walk(t, func(name string) {
		slashed := filepath.ToSlash(name)
		if !strings.HasSuffix(slashed, "_test.go") || strings.Contains(slashed, "testdata/") || strings.HasPrefix(slashed, "suite/write/gotest/runtime/") {
			return // those of suite/write/gotest/runtime are written into suites
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		file := testFile{pkg: path.Dir(slashed), path: slashed}
		for _, group := range syntax.Comments {
			for _, line := range group.List {
				if constraint.IsGoBuild(line.Text) && line.Pos() < syntax.Package {
					if file.constraint, err = constraint.Parse(line.Text); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		for _, decl := range syntax.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") {
				file.tests = append(file.tests, f.Name.Name)
			}
		}
		files = append(files, file)
	})
	return files
}

// TestShards: a test called TestReal… names a shard of make test-real, and stands in the package that this target runs.
func TestShards(t *testing.T) {
	shards, used := makefileList(t, "SHARDS"), map[string]bool{}
	for _, file := range testFiles(t) {
		for _, name := range file.tests {
			rest, real := strings.CutPrefix(name, "TestReal")
			if !real {
				continue
			}
			i := slices.IndexFunc(shards, func(s string) bool { return strings.HasPrefix(strings.ToLower(rest), s) })
			if i < 0 {
				t.Errorf("%s: %s names none of the shards %v", file.path, name, shards)
				continue
			}
			used[shards[i]] = true
			if file.pkg != "cmd/flaketap" {
				t.Errorf("%s: make test-real runs %s in cmd/flaketap only", file.path, name)
			}
		}
	}
	for _, shard := range shards {
		if !used[shard] {
			t.Errorf("no test is in the shard %s", shard)
		}
	}
}

// TestEveryTestFileIsBuilt: on the system that CI has, each file of tests is built in the way in which its package is
// tested there.
func TestEveryTestFileIsBuilt(t *testing.T) {
	raced := makefileList(t, "RACED")
	for _, file := range testFiles(t) {
		tags := []string{"linux", "unix", "amd64"}
		if slices.Contains(raced, file.pkg) {
			tags = append(tags, "race")
		}
		built := file.constraint == nil || file.constraint.Eval(func(tag string) bool { return slices.Contains(tags, tag) })
		if !built && len(file.tests) > 0 {
			t.Errorf("%s: %s does not hold in make test: its tests would run nowhere", file.path, file.constraint)
		}
	}
}

// TestTools: what make test does not install is asked for by tests that make test-real and make eval run alone. Those of
// cmd/flaketap are not seen here: helpers of theirs ask.
func TestTools(t *testing.T) {
	data, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	rule := regexp.MustCompile(`(?m)^test: .+$`).FindString(string(data))
	for _, file := range testFiles(t) {
		if file.pkg == "cmd/flaketap" || file.path == "targets_test.go" {
			continue
		}
		text, err := os.ReadFile(file.path)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range regexp.MustCompile(`\.tools/(\w+)`).FindAllSubmatch(text, -1) {
			if name := string(tool[1]); !strings.Contains(rule, "$("+strings.ToUpper(name)+")/.done") && !strings.Contains(rule, "/"+name+"/.done") {
				t.Errorf("%s: make test does not install %s", file.path, name)
			}
		}
	}
}

// TestTimeoutOfEval: all evaluations of cmd/flaketap run in make eval one after the other, and finish there though each takes as
// long as BENCHMARKS.md lets it alone.
func TestTimeoutOfEval(t *testing.T) {
	timeout := func(text string) time.Duration {
		d, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	measured, err := os.ReadFile("BENCHMARKS.md")
	if err != nil {
		t.Fatal(err)
	}
	alone := regexp.MustCompile("go test\\s+\\./cmd/flaketap [^`]*TestEval[^`]* -timeout (\\w+)").FindAllSubmatch(measured, -1)
	var all time.Duration
	for _, a := range alone {
		all += timeout(string(a[1]))
	}
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	together := regexp.MustCompile(`-run '\^TestEval' -timeout (\w+)`).FindSubmatch(makefile)
	if len(alone) < 5 || together == nil {
		t.Fatalf("timeouts of evaluations are not found: %q, %q", alone, together)
	}
	if got := timeout(string(together[1])); got < all {
		t.Errorf("make eval ends after %s, and BENCHMARKS.md gives %d evaluations of cmd/flaketap %s", got, len(alone), all)
	}
}

// TestRacedPackages: what starts goroutines is tested under the race detector. The commands are too, by a program built
// with it, and the APIs of the testbed are tests' own.
func TestRacedPackages(t *testing.T) {
	raced := makefileList(t, "RACED")
	for _, file := range sources(t) {
		if file.pkg == "cmd/flaketap" || strings.HasPrefix(file.pkg, "internal/testbed/") || slices.Contains(raced, file.pkg) {
			continue
		}
		ast.Inspect(file.syntax, func(n ast.Node) bool {
			if n, ok := n.(*ast.GoStmt); ok {
				t.Errorf("%s: a goroutine, and %s is not in the list RACED of the Makefile", file.at(n), file.pkg)
			}
			return true
		})
	}
	for _, pkg := range raced {
		if _, err := os.Stat(pkg); err != nil {
			t.Errorf("the list RACED of the Makefile: %v", err)
		}
	}
}

// TestReadmeTwoCommands holds that README begins with the two commands that need nothing but Go.
func TestReadmeTwoCommands(t *testing.T) {
	data, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(data), "```sh\n")
	if block, _, _ = strings.Cut(block, "```"); block != "make demo\nmake test\n" {
		t.Errorf("README's first block of commands is:\n%s", block)
	}
}
