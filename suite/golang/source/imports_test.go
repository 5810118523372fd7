package source

import (
	"go/format"
	"go/token"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/suite/script"
)

// An import is added where gofmt and goimports leave it.
func TestImport(t *testing.T) {
	for _, tt := range []struct{ name, imports, want string }{
		{"in order", "import (\n\t\"net/http\"\n\t\"testing\"\n)\n", "import (\n\t\"fmt\"\n\t\"net/http\"\n\t\"regexp\"\n\t\"strings\"\n\t\"testing\"\n)\n"},
		{"behind", "import (\n\t\"net/http\"\n)\n", "import (\n\t\"fmt\"\n\t\"net/http\"\n\t\"regexp\"\n\t\"strings\"\n)\n"},
		{"groups", "import (\n\t\"testing\" // tests\n\n\t\"example.org/x\"\n)\n",
			"import (\n\t\"fmt\"\n\t\"regexp\"\n\t\"strings\"\n\t\"testing\" // tests\n\n\t\"example.org/x\"\n)\n"},
		{"the library behind", "import (\n\t\"example.org/x\"\n\n\t\"testing\"\n)\n",
			"import (\n\t\"example.org/x\"\n\n\t\"fmt\"\n\t\"regexp\"\n\t\"strings\"\n\t\"testing\"\n)\n"},
		{"one", "import \"testing\"\n", "import \"fmt\"\nimport \"regexp\"\nimport \"strings\"\nimport \"testing\"\n"},
		{"comments", "import (\n\t// what it is for\n\t\"testing\"\n)\n",
			"import (\n\t\"fmt\"\n\t\"regexp\"\n\t\"strings\"\n\t// what it is for\n\t\"testing\"\n)\n"},
	} {
		text := "package a\n\n" + tt.imports + "\nfunc f() {}\n"
		f := parsed(t, text)
		edits := []script.Edit{f.Import("strings"), f.Import("regexp"), f.Import("fmt"), f.Import("regexp")}
		got := script.Apply(text, edits)
		if plain, err := format.Source([]byte(got)); err != nil || string(plain) != got {
			t.Errorf("%s: gofmt changes it (%v):\n%s", tt.name, err, got)
		}
		if got != "package a\n\n"+tt.want+"\nfunc f() {}\n" {
			t.Errorf("%s:\n%s", tt.name, got)
		}
	}
}

// A package is called by its name only where that stands for nothing else.
func TestLibrary(t *testing.T) {
	const text = `package a

import (
	str "strings"
	"testing"

	"example.org/fmt"
)

var bytes = str.ToUpper(fmt.X)

func f(t *testing.T) {
	regexp := 1
	_ = regexp
}

func g(str string) {}
`
	f := parsed(t, text)
	for _, tt := range []struct {
		pkg, behind, want string
		isNew             bool
	}{
		{"strings", "_ = regexp", "str", false}, {"strings", "str string) {", "", false}, {"regexp", "_ = regexp", "", false},
		{"regexp", "str string) {", "regexp", true}, {"bytes", "_ = regexp", "", false}, {"fmt", "_ = regexp", "", false},
		{"encoding/json", "_ = regexp", "json", true},
	} {
		at := f.Syntax.FileStart + token.Pos(strings.Index(text, tt.behind)+len(tt.behind))
		if got, isNew := f.Library(tt.pkg, at); got != tt.want || isNew != tt.isNew {
			t.Errorf("%s behind %s: %q, %v", tt.pkg, tt.behind, got, isNew)
		}
	}
}

func parsed(t *testing.T, text string) *File {
	t.Helper()
	var out *File
	_, err := script.Read(script.Dialect{Read: func(s *script.Script) (script.Writer, error) {
		f, err := Parse(s)
		out = f
		return script.Writer{}, err
	}}, "a_test.go", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return out
}
