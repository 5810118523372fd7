package suite

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
)

// countedFile is a file in the shape that those of real projects have, and how many assertions a person counts in it:
// each expect or assert statement, each link of a chain that says something, each once, wherever it stands.
type countedFile struct {
	file    string
	asserts int
}

func javaScriptProjects() []countedFile {
	return []countedFile{
		{"auth/auth.test.ts", 28}, {"billing/billing.test.mjs", 26}, {"cart/cart.spec.js", 24},
		{"inventory/inventory.spec.js", 27}, {"orders/orders.test.js", 26}, {"products/products.test.js", 28},
		{"search/search.spec.ts", 26}, {"todos/todos.test.js", 23}, {"users/users.spec.ts", 26}, {"weather/weather.test.ts", 27},
	}
}

func jvmProjects() []countedFile {
	return []countedFile{
		{"accounts/AccountsIT.java", 25}, {"books/BookApiTest.java", 28}, {"currency/CurrencyServiceTest.java", 30},
		{"invoices/InvoiceApiTest.java", 26}, {"pets/PetControllerTest.java", 30}, {"shipments/ShipmentApiTest.java", 25},
		{"tickets/TicketResourceTest.java", 25}, {"forecast/ForecastApiTest.kt", 24}, {"playlists/PlaylistApiTest.kt", 26},
		{"warehouse/WarehouseApiTest.kt", 25},
	}
}

// readProject reads a file among those beside it.
func readProject(t *testing.T, file string, data []byte) *script.Script {
	t.Helper()
	s, err := ReadAmong(filepath.ToSlash(file), data, projectFile)
	if err != nil {
		t.Errorf("%s is not read: %v", file, err)
		return nil
	}
	return s
}

// site is an assertion of a file, which several tests may run.
type site struct {
	line       int
	text       string
	understood bool // in each test that runs it
	reason     string
}

// sitesOf lists the assertions of a file by where they begin. What only goes on to a part of a value asserts nothing.
func sitesOf(s *script.Script) map[int]*site {
	out := map[int]*site{}
	for _, test := range s.Tests {
		for _, a := range test.Assertions {
			if goesOn(a.Text) {
				continue
			}
			if out[a.At.Start] == nil {
				out[a.At.Start] = &site{line: a.At.FirstLine, text: a.Text, understood: true}
			}
			if one := out[a.At.Start]; a.Meaning == nil || a.Reason != "" {
				one.understood, one.reason = false, a.Reason
			}
		}
	}
	return out
}

func goesOn(text string) bool {
	for _, word := range []string{".extracting(", ".usingRecursiveComparison(", ".ignoringFields("} {
		if strings.HasPrefix(text, word) {
			return true
		}
	}
	return false
}

// understoodInProjects counts the assertions of files, and those that are understood; what is not must be listed with
// a reason.
func understoodInProjects(t *testing.T, dir string, files []countedFile) {
	all, understood := 0, 0
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(dir, f.file))
		if err != nil {
			t.Fatal(err)
		}
		all += f.asserts
		s := readProject(t, filepath.Join(dir, f.file), data)
		if s == nil {
			continue
		}
		sites, known := sitesOf(s), 0
		for _, at := range slices.Sorted(maps.Keys(sites)) {
			one := sites[at]
			if one.understood {
				known++
				continue
			}
			if one.reason == "" {
				t.Errorf("%s:%d: not understood, and no reason why: %s", f.file, one.line, one.text)
			}
			t.Logf("%s:%d: %s: %s", f.file, one.line, script.OneLine(one.text), one.reason)
		}
		if len(sites) != f.asserts {
			t.Errorf("%s: %d assertions are listed, and %d are written", f.file, len(sites), f.asserts)
		}
		t.Logf("%s: %d of %d", f.file, known, f.asserts)
		understood += known
	}
	t.Logf("%s: %d of %d assertions are understood: %.1f %%", dir, understood, all, 100*float64(understood)/float64(all))
	if 10*understood < 9*all {
		t.Errorf("fewer than nine of ten")
	}
}

func TestProjectsOfJavaScriptAreUnderstood(t *testing.T) {
	understoodInProjects(t, filepath.Join("testdata", "projects", "javascript"), javaScriptProjects())
}

func TestProjectsOfJVMAreUnderstood(t *testing.T) {
	understoodInProjects(t, filepath.Join("testdata", "projects", "jvm"), jvmProjects())
}

// A file of which nothing changes keeps each byte; one of which all assertions are commented out, or written anew, is
// whole still, and says what it did.
func TestProjectsStayWhole(t *testing.T) {
	for dir, files := range map[string][]countedFile{"javascript": javaScriptProjects(), "jvm": jvmProjects()} {
		for _, f := range files {
			t.Run(dir+"/"+f.file, func(t *testing.T) {
				name := filepath.Join("testdata", "projects", dir, f.file)
				data, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				keepsProject(t, name, data)
			})
		}
	}
}

func keepsProject(t *testing.T, name string, data []byte) {
	t.Helper()
	s := readProject(t, name, data)
	if s == nil {
		return
	}
	if p := Bind(s, Source{}, nil).Patch(PatchOptions{}); string(p.Data) != string(data) {
		t.Error("without a recording it becomes something else")
	}
	wholeProject(t, name, data)
	seen := map[int]bool{}
	var gone, anew []script.Edit
	for _, test := range s.Tests {
		for _, a := range test.Assertions {
			if a.Meaning == nil || a.Reason != "" || seen[a.At.Start] {
				continue
			}
			seen[a.At.Start] = true
			gone = append(gone, s.Writer.Disable(s, a)...)
			anew = append(anew, saidAgain(s, test, a)...)
		}
	}
	wholeProject(t, name, applied(s, gone))
	wholeProject(t, name, applied(s, anew))
}

// saidAgain writes an assertion as something weaker: that it holds, or that its value is null.
func saidAgain(s *script.Script, test *script.Test, a *script.Assertion) []script.Edit {
	x := a.Meaning
	if subject := a.Subject(); subject != nil {
		x = expr.AnyOf(expr.IsNull(subject), a.Meaning)
	}
	text, ok := s.Writer.Assert(s, test, a, x)
	if !ok {
		return nil
	}
	if s.Writer.Move != nil {
		if edits := s.Writer.Move(s, test, a, text, s.Comment("weaker")); edits != nil {
			return edits
		}
	}
	return []script.Edit{{Start: a.At.Start, End: a.At.End, Text: text}}
}

// wholeProject checks the syntax of a file: by Node where that reads it, else by reading it again.
func wholeProject(t *testing.T, name string, data []byte) {
	t.Helper()
	readProject(t, name, data)
	ext := filepath.Ext(name)
	if ext != ".js" && ext != ".mjs" {
		return
	}
	file := filepath.Join(t.TempDir(), "whole"+ext)
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(nodeProgram(t), "--check", file).CombinedOutput(); err != nil {
		t.Errorf("%s is damaged: %s\n%s", name, out, data)
	}
}
