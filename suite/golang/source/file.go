package source

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/golang/typing"
	"github.com/flaketap/flaketap/suite/script"
)

// Object is what a name stands for.
type Object = types.Object

// File is a file of Go, and which of its names is which.
type File struct {
	Script *script.Script
	Syntax *ast.File
	others []*ast.File // of its package
	places *token.File
	Info   types.Info
	Pkg    *types.Package
	Starts []int // of the lines, in bytes

	Functions map[Object]*ast.FuncDecl
	// Globals are the values of variables of the package that nothing assigns again
	Globals map[Object]ast.Expr
	Suites  map[Object]bool // the types that are suites of testify's
	// LastAnswer is that a client of the package does not go where it is redirected
	LastAnswer bool
	Imports    map[string]string // the names of imported packages, by their paths
	Uses       map[Object][]token.Pos
}

// Parse reads the text of a file. The types of what other packages declare are not known.
func Parse(s *script.Script) (*File, error) {
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, s.File, s.Text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		e := &script.SyntaxError{File: s.File, Reason: err.Error()}
		var list scanner.ErrorList
		if errors.As(err, &list) && len(list) > 0 {
			e.Line, e.Reason = list[0].Pos.Line, list[0].Msg
		}
		return nil, e
	}
	f := &File{Script: s, Syntax: syntax, places: fset.File(syntax.FileStart), Starts: script.LineStarts(s),
		Functions: map[Object]*ast.FuncDecl{}, Globals: map[Object]ast.Expr{}, Imports: map[string]string{},
		Uses: map[Object][]token.Pos{}, Suites: map[Object]bool{}}
	f.Info = types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]Object{},
		Uses: map[*ast.Ident]Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	f.LastAnswer = strings.Contains(s.Text, declinesRedirects)
	f.others = f.beside(fset)
	config := types.Config{Error: func(error) {}, FakeImportC: true, Importer: typing.Moments{}}
	f.Pkg, _ = config.Check("suite", fset, f.All(), &f.Info) // what it misses are other packages
	f.declare()
	f.count()
	return f, nil
}

// All are the files of the package, this one first.
func (f *File) All() []*ast.File { return append([]*ast.File{f.Syntax}, f.others...) }

// declare notes the functions and the variables of the package, and the imports of the file.
func (f *File) declare() {
	for _, one := range f.All() {
		for _, d := range one.Decls {
			f.declaration(d)
		}
	}
	for id, o := range f.Info.Uses {
		if p, ok := o.(*types.PkgName); ok && f.Holds(id.Pos()) {
			f.Imports[p.Imported().Path()] = id.Name
		}
	}
}

func (f *File) declaration(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if o := f.Info.Defs[d.Name]; o != nil && d.Body != nil {
			f.Functions[o] = d
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.ValueSpec:
				f.variables(spec)
			case *ast.TypeSpec:
				f.suiteType(spec)
			}
		}
	}
}

// variables notes the variables of a declaration, with their values.
func (f *File) variables(v *ast.ValueSpec) {
	if len(v.Values) != len(v.Names) {
		return
	}
	for i, name := range v.Names {
		f.Globals[f.Info.Defs[name]] = v.Values[i]
	}
}

// count notes where names are used, an assignment to one aside, as the compiler does not count that either. A variable
// of the package that is assigned, or of which an address is taken, stands for nothing known.
func (f *File) count() {
	assigned := map[*ast.Ident]bool{}
	forget := func(x ast.Expr) {
		if id, ok := Owner(x).(*ast.Ident); ok {
			delete(f.Globals, f.Info.Uses[id])
		}
	}
	inspect := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				if id, ok := x.(*ast.Ident); ok && (n.Tok == token.ASSIGN || n.Tok == token.DEFINE) {
					assigned[id] = true
				}
				forget(x)
			}
		case *ast.IncDecStmt:
			forget(n.X)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				forget(n.X)
			}
		}
		return true
	}
	for _, one := range f.All() {
		ast.Inspect(one, inspect)
	}
	for id, o := range f.Info.Uses {
		if !assigned[id] {
			f.Uses[o] = append(f.Uses[o], id.Pos())
		}
	}
}

// Owner is what an assignment to a part of something changes.
func Owner(x ast.Expr) ast.Expr {
	for {
		switch y := x.(type) {
		case *ast.ParenExpr:
			x = y.X
		case *ast.IndexExpr:
			x = y.X
		case *ast.SelectorExpr:
			x = y.X
		default:
			return x
		}
	}
}

// Offset is where something stands in the text, in bytes.
func (f *File) Offset(p token.Pos) int {
	if !f.Holds(p) {
		return len(f.Script.Text)
	}
	return f.places.Offset(p)
}

// Text is what is written from one position to another.
func (f *File) Text(from, to token.Pos) string {
	a, b := f.Offset(from), f.Offset(to)
	if a > b {
		return ""
	}
	return f.Script.Text[a:b]
}

func (f *File) Source(n ast.Node) string { return f.Text(n.Pos(), n.End()) }

// Line is the number of the line that a byte stands in, from 1.
func (f *File) Line(offset int) int {
	i, found := slices.BinarySearch(f.Starts, offset)
	if found {
		return i + 1
	}
	return i
}

// Span is where a node stands.
func (f *File) Span(n ast.Node) script.Span { return f.Between(n.Pos(), n.End()) }

// Between is the piece of the file from one place to another.
func (f *File) Between(from, to token.Pos) script.Span {
	at := script.Span{Start: f.Offset(from), End: f.Offset(to)}
	at.FirstLine, at.LastLine = f.Line(at.Start), f.Line(max(at.Start, at.End-1))
	before := f.Script.Text[f.Starts[at.FirstLine-1]:at.Start]
	if strings.Trim(before, " \t") == "" {
		at.Indent = before
	}
	return at
}

// OwnLines reports whether nothing else stands on the lines of a span but a comment behind it.
func (f *File) OwnLines(at script.Span) bool {
	before := f.Script.Text[f.Starts[at.FirstLine-1]:at.Start]
	rest, _, _ := strings.Cut(f.Script.Text[at.End:], "\n")
	rest = strings.TrimLeft(strings.TrimSuffix(rest, "\r"), " \t")
	return strings.Trim(before, " \t") == "" && (rest == "" || strings.HasPrefix(rest, "//"))
}

// PkgOf is the path of the imported package that an expression names; "" where it names none.
func (f *File) PkgOf(x ast.Expr) string {
	id, ok := x.(*ast.Ident)
	if !ok {
		return ""
	}
	if p, ok := f.Info.Uses[id].(*types.PkgName); ok {
		return p.Imported().Path()
	}
	return ""
}

// TypeOf is the static type of an expression; nil where it is not known.
func (f *File) TypeOf(x ast.Expr) types.Type { return typing.Known(f.Info.TypeOf(x)) }

// suiteType notes a struct that has suite.Suite within it.
func (f *File) suiteType(s *ast.TypeSpec) {
	t, ok := s.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, field := range t.Fields.List {
		if len(field.Names) == 0 && IsMember(field.Type, "suite", "Suite") {
			f.Suites[f.Info.Defs[s.Name]] = true
		}
	}
}

// IsMember reports whether an expression is package.Name, as far as its words go.
func IsMember(x ast.Expr, pkg, name string) bool {
	s, ok := x.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != name {
		return false
	}
	id, ok := s.X.(*ast.Ident)
	return ok && id.Name == pkg
}

// DeclaresOneOf reports whether one of some names is declared in a statement.
func (f *File) DeclaresOneOf(n ast.Node, names []string) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && f.Info.Defs[id] != nil && slices.Contains(names, id.Name) {
			found = true
		}
		return true
	})
	return found
}
