package source

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/suite/script"
)

// Library is how a package of the standard library is called at a place of the file, and whether it has to be imported
// for that; "" where its name stands for something else there.
func (f *File) Library(pkg string, at token.Pos) (name string, isNew bool) {
	if name := f.Imports[pkg]; name != "" {
		if _, o := f.lookup(name, at); o != nil {
			if p, ok := o.(*types.PkgName); ok && p.Imported().Path() == pkg {
				return name, false
			}
			return "", false
		}
		return name, false
	}
	name = path.Base(pkg)
	_, o := f.lookup(name, at)
	if o != nil || f.Pkg.Scope().Lookup(name) != nil || f.importsAs(name) || f.importBlock() == nil {
		return "", false
	}
	return name, true
}

// lookup is what a name stands for at a place.
func (f *File) lookup(name string, at token.Pos) (*types.Scope, Object) {
	inner := f.Pkg.Scope().Innermost(at)
	if inner == nil {
		return nil, nil
	}
	return inner.LookupParent(name, at)
}

// Means is what a name stands for at a place; nil where it stands for nothing.
func (f *File) Means(name string, at token.Pos) Object {
	_, o := f.lookup(name, at)
	return o
}

// importsAs reports whether the file imports another package by a name.
func (f *File) importsAs(name string) bool {
	for _, spec := range f.Syntax.Imports {
		p, _ := strconv.Unquote(spec.Path.Value)
		if spec.Name != nil && spec.Name.Name == name || spec.Name == nil && path.Base(p) == name {
			return true
		}
	}
	return false
}

// importBlock is the first declaration of imports; nil where there is none.
func (f *File) importBlock() *ast.GenDecl {
	for _, d := range f.Syntax.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			return g
		}
	}
	return nil
}

// Import returns the edit that imports a package of the standard library, where goimports has it: in the order of the
// paths, in the group of that library. There is an import already.
func (f *File) Import(pkg string) script.Edit {
	block, eol := f.importBlock(), script.LineEnd(f.Script.Lines[0])
	line := func(n int, text string) script.Edit {
		at := len(f.Script.Text)
		if n <= len(f.Starts) {
			at = f.Starts[n-1]
		}
		return script.Edit{Start: at, End: at, Text: text + eol, Once: true}
	}
	quoted := strconv.Quote(pkg)
	if !block.Lparen.IsValid() {
		return line(f.Line(f.Offset(block.Pos())), "import "+quoted)
	}
	group := f.standardGroup(block)
	if len(group) == 0 {
		return line(f.Line(f.Offset(block.Lparen))+1, "\t"+quoted+eol)
	}
	for _, spec := range group {
		if spec.Path.Value > quoted {
			return line(f.firstLine(spec), "\t"+quoted)
		}
	}
	last := group[len(group)-1]
	return line(f.Line(f.Offset(last.End()))+1, "\t"+quoted)
}

// firstLine is the line in which an import begins, with the comment above it.
func (f *File) firstLine(spec *ast.ImportSpec) int {
	if spec.Doc != nil {
		return f.Line(f.Offset(spec.Doc.Pos()))
	}
	return f.Line(f.Offset(spec.Pos()))
}

// standardGroup are the imports of the first group of a declaration that has one of the standard library: those on
// lines without an empty one between them.
func (f *File) standardGroup(block *ast.GenDecl) []*ast.ImportSpec {
	var group []*ast.ImportSpec
	last, standard := 0, false
	for _, s := range block.Specs {
		spec, ok := s.(*ast.ImportSpec)
		if !ok {
			continue
		}
		if first := f.firstLine(spec); first > last+1 {
			if standard {
				return group
			}
			group = nil
		}
		group, last = append(group, spec), f.Line(f.Offset(spec.End()))
		p, _ := strconv.Unquote(spec.Path.Value)
		root, _, _ := strings.Cut(p, "/")
		standard = standard || !strings.Contains(root, ".")
	}
	if !standard {
		return nil
	}
	return group
}
