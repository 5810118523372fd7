package source

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strings"

	"github.com/flaketap/flaketap/suite/script"
)

// Bounds of what is read beside a file of tests: files of its folder, and their bytes.
const (
	maxFiles  = 100
	maxBeside = 4 << 20
)

// declinesRedirects is what a client returns that shows the answer that redirects it.
const declinesRedirects = "ErrUseLastResponse"

// beside parses the other files of the package of a file, for the functions and the types that they declare. One that
// is damaged is left out.
func (f *File) beside(fset *token.FileSet) []*ast.File {
	s := f.Script
	dir, own := path.Split(script.Slashed(s.File))
	if dir == "" {
		dir = "./"
	}
	names, ok := s.Beside(dir)
	if !ok {
		return nil
	}
	var out []*ast.File
	size := 0
	for name := range strings.Lines(names) {
		name = strings.TrimRight(name, "\n")
		if name == own || !strings.HasSuffix(name, ".go") || strings.Contains(name, "/") || len(out) >= maxFiles {
			continue
		}
		text, ok := s.Beside(path.Join(dir, name))
		if size += len(text); !ok || size > maxBeside {
			continue
		}
		one, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
		if err == nil && one.Name.Name == f.Syntax.Name.Name {
			out = append(out, one)
			f.LastAnswer = f.LastAnswer || strings.Contains(text, declinesRedirects)
		}
	}
	return out
}

// Holds reports whether a place is one of the file, and not of another of its package.
func (f *File) Holds(p token.Pos) bool {
	return int(p) >= f.places.Base() && int(p) <= f.places.Base()+f.places.Size()
}
