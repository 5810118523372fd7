package golang

import (
	"bytes"
	"fmt"
	"go/format"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
)

// thing is what the API of testdata/answers.go answers.
const thing = `{"Id":7,"name":"Coffee","price":2.5,"count":3,"ready":true,"tags":["hot","black"],"note":null,` +
	`"maker":{"country":"Italy","since":1906}}`

// edited is the text of a suite with an edit of each assertion, and the lines of the edited assertions.
func edited(s *script.Script, edit func(test *script.Test, a *script.Assertion) []script.Edit, more ...script.Edit) (text string, count int) {
	edits := more
	for _, test := range s.Tests {
		for _, a := range test.Assertions {
			if own := edit(test, a); own != nil {
				edits, count = append(edits, own...), count+1
			}
		}
	}
	return script.Apply(s.Text, edits), count
}

// statements are things that patching says of a subject.
func statements(subject expr.Expr) []expr.Expr {
	text := func(s string) expr.Expr { return expr.Str{Value: s} }
	of := func(t ...expr.Type) expr.Expr { return expr.IsType{X: subject, Types: t} }
	out := []expr.Expr{
		expr.Cmp(subject, expr.In, expr.Set{Elems: []expr.Expr{text("Coffee"), text("Tea")}}),
		expr.Cmp(subject, expr.In, expr.Set{Elems: []expr.Expr{expr.Int(200), expr.Int(7), expr.Int(3)}}),
		expr.Cmp(subject, expr.In, expr.Set{Elems: []expr.Expr{expr.Num{Text: "2.5"}, expr.Int(0)}}),
		expr.Match{X: subject, Pattern: "[A-Z][a-z]+|x", Full: true}, expr.Match{X: subject, Pattern: "a"},
		expr.Or{Xs: []expr.Expr{expr.IsNull(subject), expr.Match{X: subject, Pattern: "C.*", Full: true}}},
		expr.Between{Low: expr.Int(0), X: subject, High: expr.Int(100)}, expr.Cmp(subject, expr.Ge, expr.Int(1)),
		expr.And{Xs: []expr.Expr{of(expr.TypeInt), expr.Between{Low: expr.Int(1), X: subject, High: expr.Int(9)}}},
		of(expr.TypeString), of(expr.TypeInt), of(expr.TypeFloat, expr.TypeInt), of(expr.TypeArray), of(expr.TypeObject), of(expr.TypeBool),
		of(expr.TypeInt, expr.TypeString),
		expr.Or{Xs: []expr.Expr{expr.IsNull(subject), of(expr.TypeString)}},
		expr.SameItems{X: subject, Y: expr.List{Elems: []expr.Expr{text("black"), text("hot")}}},
		expr.Cmp(subject, expr.Eq, expr.List{Elems: []expr.Expr{text("hot"), text("black")}}),
		expr.AllOf(expr.Cmp(text("hot"), expr.In, subject), expr.Cmp(text("black"), expr.In, subject)),
		expr.Cmp(expr.Length{X: subject}, expr.Eq, expr.Int(2)), expr.Cmp(expr.Len{X: expr.Bytes{X: subject}}, expr.Eq, expr.Int(6)),
		expr.Between{Low: expr.Int(4), X: expr.Len{X: expr.Bytes{X: subject}}, High: expr.Int(6)}, expr.Between{Low: expr.Int(1), X: expr.Len{X: subject}, High: expr.Int(2)},
		expr.Cmp(text("off"), expr.In, subject), expr.HasPrefix{X: subject, Prefix: text("Cof")}, expr.HasSuffix{X: subject, Suffix: text("fee")},
		expr.Cmp(subject, expr.Ne, text("")), expr.IsNull(subject), expr.Cmp(subject, expr.IsNot, expr.Null{}),
		expr.Same(subject, expr.Bool{Value: true}),
	}
	if none, ok := expr.Missing(subject); ok {
		out = append(out, expr.AnyOf(none, expr.Cmp(subject, expr.Eq, text("Coffee"))), expr.AnyOf(none, of(expr.TypeString)),
			expr.AnyOf(none, expr.Cmp(subject, expr.Ge, expr.Int(1))))
	}
	return out
}

// answered is what the API answers, as the suite shows it.
func answered(test *script.Test) expr.Scope {
	message := exchange.Message{Head: []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"), Body: []byte(thing)}
	scope := expr.Scope{}
	for _, c := range test.Calls {
		scope[c.Var] = expr.NewResponse(exchange.ParseResponse(message), c.Client)
	}
	return scope
}

// staysTrue reports whether a condition that is written goes on with the one that was there, for the names in that.
func staysTrue(a *script.Assertion, text string) bool {
	cond, _, _ := strings.Cut(strings.TrimPrefix(a.Text, "if "), " {\n")
	if _, behind, ok := strings.Cut(cond, "; "); ok {
		cond = behind
	}
	return strings.Contains(text, cond+" && ")
}

// isOdd reports whether testify and package expr part on a value: true is a number for the one, and any value is a text
// for the other, which panics where a list is nil.
func isOdd(scope expr.Scope, subject expr.Expr, text string) bool {
	v, _ := scope.Eval(subject)
	_, isText := v.(string)
	_, isBool := v.(bool)
	return isBool && !strings.Contains(text, "bool)") || !isText && strings.Contains(text, "Regexp(") || v == nil && strings.Contains(text, "ElementsMatch(")
}

// What is written in the place of an assertion compiles, whatever it leaves unused; it passes where it is true of the
// answer, and fails where it is not. So does a file with all assertions commented out.
func TestWhatIsWrittenRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs tests")
	}
	for _, of := range []struct{ file, module, version, failure string }{
		{"answers.go", "github.com/google/go-cmp", "v0.7.0", `(?m)^ +%s_test\.go:\d+: `},
		{"testify.go", "github.com/stretchr/testify", "v1.10.0", `Error Trace:\s+\S*/%s_test\.go:\d+`},
	} {
		t.Run(of.file, func(t *testing.T) { writtenRuns(t, of.file, newModule(t, of.module, of.version), of.failure) })
	}
}

// writtenRuns is that for one file, in the folder of a module; failure is what go test says of a failed assertion.
func writtenRuns(t *testing.T, file, dir, failure string) {
	t.Helper()
	written, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, thing)
	}))
	defer api.Close()
	s := wrote(t, string(written))
	variants, fails := map[string]string{}, map[string]int{}
	add := func(name, text string, count int) {
		if plain, err := format.Source([]byte(text)); err != nil || string(plain) != text {
			t.Errorf("%s is not as gofmt writes it (%v):\n%s", name, err, text)
		}
		variants[name], fails[name] = text, count
	}
	text, all := edited(s, func(_ *script.Test, a *script.Assertion) []script.Edit { return s.Writer.Disable(s, a) })
	add("disabled", text, 0)
	if all < 26 {
		t.Errorf("%d assertions", all)
	}
	for i := range statements(expr.Index{X: expr.Null{}, I: expr.Str{}}) {
		for _, want := range []bool{true, false} {
			said := map[*script.Assertion]expr.Expr{}
			weaken := func(test *script.Test, a *script.Assertion) []script.Edit {
				subject := a.Subject()
				if subject == nil {
					return nil
				}
				all := statements(subject)
				if i >= len(all) {
					return nil
				}
				holds, err := answered(test).Holds(all[i])
				out, ok := s.Writer.Assert(s, test, a, all[i])
				if err != nil || !ok || holds != want || !want && staysTrue(a, out) ||
					isOdd(answered(test), subject, out) {
					return nil
				}
				said[a] = all[i]
				return []script.Edit{{Start: a.At.Start, End: a.At.End, Text: out}}
			}
			edited(s, weaken)
			imports, _ := s.Writer.Elsewhere(s, said)
			text, n := edited(s, weaken, imports...)
			switch {
			case n > 0 && want:
				add(fmt.Sprintf("true%02d", i), text, 0)
			case n > 0:
				add(fmt.Sprintf("false%02d", i), text, n)
			case want:
				t.Logf("nothing is written for %v", statements(expr.Name{ID: "x"})[i])
			}
		}
	}
	for name, text := range variants { // all in one package
		text = regexp.MustCompile(`\b(TestAny|TestStruct|thing|fetch)\b([ (\n])`).ReplaceAllString(text, "${1}_"+name+"$2")
		put(t, filepath.Join(dir, name+"_test.go"), text)
	}
	if out := goes(t, dir, api.URL, "vet", "./..."); out != "" {
		t.Errorf("go vet says\n%s", out)
	}
	out := goes(t, dir, api.URL, "test", "./...")
	for name, text := range variants {
		failed := len(regexp.MustCompile(fmt.Sprintf(failure, name)).FindAllString(out, -1))
		if failed != fails[name] {
			t.Errorf("%s: %d assertions fail, want %d, in\n%s\n%s", name, failed, fails[name], text, out)
		}
	}
}

// newModule is a folder for a package that imports a module; the test is skipped where that was never downloaded.
func newModule(t *testing.T, module, version string) string {
	t.Helper()
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(strings.TrimSpace(string(cache)), module+"@"+version)); err != nil {
		t.Skipf("%s@%s is not in the module cache", module, version)
	}
	dir := t.TempDir()
	put(t, filepath.Join(dir, "go.mod"), "module answers\n\ngo 1.26\n\nrequire "+module+" "+version+"\n")
	return dir
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// goes runs the go command in a folder, and returns what it says.
func goes(t *testing.T, dir, url string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "BASE_URL="+url, "GOFLAGS=-mod=mod", "GOWORK=off", "GOPROXY=off", "GOSUMDB=off")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	_ = cmd.Run() // what it says is looked at
	return out.String()
}
