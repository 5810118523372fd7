package flaketap_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Every piece of prose in the production code stands in one file, in the order of the code, so that what people are told
// can be read at once, and what changes of it is seen in review. Flags' help, messages, errors, and the comments that are
// written into suites are all among it.
func TestMessages(t *testing.T) {
	var b strings.Builder
	last := ""
	for _, file := range sources(t) {
		if strings.HasPrefix(file.pkg, "internal/testbed") {
			continue // what the APIs of the tests answer
		}
		for _, text := range prose(file.syntax) {
			if last != file.path {
				fmt.Fprintf(&b, "\n# %s\n", filepath.ToSlash(file.path))
				last = file.path
			}
			b.WriteString(text + "\n")
		}
	}
	golden := filepath.Join("cmd", "flaketap", "testdata", "messages.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(b.String(), "\n")); diff != "" {
		t.Errorf("what people are told has changed; read the new words, then: go test . -run TestMessages -update\n%s", diff)
	}
}

// words is what prose has and code has not: two words with a blank between them.
var words = regexp.MustCompile(`[A-Za-z%][A-Za-z,;:'"%]* [a-zA-Z%(]`)

// prose returns the texts of a file that hold words, each on a line: pieces that are put together with + as one, with …
// for what is no literal.
func prose(file *ast.File) []string {
	var out []string
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec, *ast.Field: // paths, and the tags of fields
			_, isField := n.(*ast.Field)
			return isField && n.(*ast.Field).Tag == nil
		case *ast.CallExpr:
			if s, ok := n.Fun.(*ast.SelectorExpr); ok && (s.Sel.Name == "MustCompile" || s.Sel.Name == "Compile" || s.Sel.Name == "Regexp") {
				return false
			}
		case *ast.BasicLit, *ast.BinaryExpr:
			if text, whole := joined(n.(ast.Expr)); whole {
				if words.MatchString(text) {
					out = append(out, strings.ReplaceAll(text, "\n", "\\n"))
				}
				return false
			}
		}
		return true
	})
	return out
}

// joined returns the text that an expression is, and false where it is none.
func joined(x ast.Expr) (text string, ok bool) {
	switch x := x.(type) {
	case *ast.BasicLit:
		if x.Kind == token.STRING {
			s, err := strconv.Unquote(x.Value)
			return s, err == nil
		}
	case *ast.BinaryExpr:
		if x.Op != token.ADD {
			return "", false
		}
		left, isLeft := joined(x.X)
		right, isRight := joined(x.Y)
		if !isLeft && !isRight {
			return "", false
		}
		if !isLeft {
			left = "…"
		}
		if !isRight {
			right = "…"
		}
		return left + right, true
	}
	return "", false
}
