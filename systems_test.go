package flaketap_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	load "golang.org/x/tools/go/packages"
)

// What is released for other systems has no mistake of types there, and neither have the tests that need no Unix: these
// can run there. Of other modules the declarations are read alone, as they are at home on those systems; a build of each
// would take minutes.
func TestOtherSystems(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	ours := func(position string) bool { return strings.HasPrefix(position, here+string(filepath.Separator)) }
	for _, system := range []string{"windows", "darwin"} {
		t.Run(system, func(t *testing.T) {
			t.Parallel()
			all, err := load.Load(&load.Config{
				Mode:  load.LoadTypes | load.NeedDeps, // what each expression is takes half as long again, and nobody asks
				Tests: true, Dir: here,
				Env: append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0"),
				ParseFile: func(set *token.FileSet, name string, source []byte) (*ast.File, error) {
					f, err := parser.ParseFile(set, name, source, parser.SkipObjectResolution)
					if f != nil && !ours(name) {
						forgetBodies(f)
					}
					return f, err
				},
			}, "./...")
			if err != nil || len(all) < 100 {
				t.Fatalf("%d packages, %v", len(all), err)
			}
			found := map[string]bool{} // a package is loaded twice, with its tests and without
			load.Visit(all, nil, func(p *load.Package) {
				for _, e := range p.Errors {
					if ours(e.Pos) && !found[e.Error()] {
						found[e.Error()] = true
						t.Error(e)
					}
				}
			})
		})
	}
}

// forgetBodies leaves the declarations of a file: nothing that functions do, and of tables their types alone.
func forgetBodies(f *ast.File) {
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			fn.Body = nil
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		table, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		if array, ok := table.Type.(*ast.ArrayType); ok {
			if _, counted := array.Len.(*ast.Ellipsis); counted { // its elements say how long it is
				return true
			}
		}
		table.Elts = nil
		return false
	})
}
