package golang

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

// object is what a name stands for.
type object = types.Object

// file is a file of Go, and which of its names is which.
type file struct {
	script *script.Script
	syntax *ast.File
	others []*ast.File // of its package
	places *token.File
	info   types.Info
	pkg    *types.Package
	starts []int // of the lines, in bytes

	functions map[object]*ast.FuncDecl
	// the values of variables of the package that nothing assigns again
	globals map[object]ast.Expr
	suites  map[object]bool // the types that are suites of testify's
	// a client of the package does not go where it is redirected
	lastAnswer bool
	imports    map[string]string // the names of imported packages, by their paths
	uses       map[object][]token.Pos
}

// parse reads the text of a file. The types of what other packages declare are not known.
func parse(s *script.Script) (*file, error) {
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
	f := &file{script: s, syntax: syntax, places: fset.File(syntax.FileStart), starts: script.LineStarts(s),
		functions: map[object]*ast.FuncDecl{}, globals: map[object]ast.Expr{}, imports: map[string]string{},
		uses: map[object][]token.Pos{}, suites: map[object]bool{}}
	f.info = types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]object{},
		Uses: map[*ast.Ident]object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	f.lastAnswer = strings.Contains(s.Text, declinesRedirects)
	f.others = f.beside(fset)
	config := types.Config{Error: func(error) {}, FakeImportC: true}
	f.pkg, _ = config.Check("suite", fset, f.all(), &f.info) // what it misses are other packages
	f.declare()
	f.count()
	return f, nil
}

// all are the files of the package, this one first.
func (f *file) all() []*ast.File { return append([]*ast.File{f.syntax}, f.others...) }

// declare notes the functions and the variables of the package, and the imports of the file.
func (f *file) declare() {
	for _, one := range f.all() {
		for _, d := range one.Decls {
			f.declaration(d)
		}
	}
	for id, o := range f.info.Uses {
		if p, ok := o.(*types.PkgName); ok && f.holds(id.Pos()) {
			f.imports[p.Imported().Path()] = id.Name
		}
	}
}

func (f *file) declaration(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if o := f.info.Defs[d.Name]; o != nil && d.Body != nil {
			f.functions[o] = d
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
func (f *file) variables(v *ast.ValueSpec) {
	if len(v.Values) != len(v.Names) {
		return
	}
	for i, name := range v.Names {
		f.globals[f.info.Defs[name]] = v.Values[i]
	}
}

// count notes where names are used, an assignment to one aside, as the compiler does not count that either. A variable
// of the package that is assigned, or of which an address is taken, stands for nothing known.
func (f *file) count() {
	assigned := map[*ast.Ident]bool{}
	forget := func(x ast.Expr) {
		if id, ok := owner(x).(*ast.Ident); ok {
			delete(f.globals, f.info.Uses[id])
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
	for _, one := range f.all() {
		ast.Inspect(one, inspect)
	}
	for id, o := range f.info.Uses {
		if !assigned[id] {
			f.uses[o] = append(f.uses[o], id.Pos())
		}
	}
}

// owner is what an assignment to a part of something changes.
func owner(x ast.Expr) ast.Expr {
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

// offset is where something stands in the text, in bytes.
func (f *file) offset(p token.Pos) int {
	if !f.holds(p) {
		return len(f.script.Text)
	}
	return f.places.Offset(p)
}

// text is what is written from one position to another.
func (f *file) text(from, to token.Pos) string {
	a, b := f.offset(from), f.offset(to)
	if a > b {
		return ""
	}
	return f.script.Text[a:b]
}

func (f *file) source(n ast.Node) string { return f.text(n.Pos(), n.End()) }

// line is the number of the line that a byte stands in, from 1.
func (f *file) line(offset int) int {
	i, found := slices.BinarySearch(f.starts, offset)
	if found {
		return i + 1
	}
	return i
}

// span is where a node stands.
func (f *file) span(n ast.Node) script.Span { return f.between(n.Pos(), n.End()) }

// between is the piece of the file from one place to another.
func (f *file) between(from, to token.Pos) script.Span {
	at := script.Span{Start: f.offset(from), End: f.offset(to)}
	at.FirstLine, at.LastLine = f.line(at.Start), f.line(max(at.Start, at.End-1))
	before := f.script.Text[f.starts[at.FirstLine-1]:at.Start]
	if strings.Trim(before, " \t") == "" {
		at.Indent = before
	}
	return at
}

// ownLines reports whether nothing else stands on the lines of a span but a comment behind it.
func (f *file) ownLines(at script.Span) bool {
	before := f.script.Text[f.starts[at.FirstLine-1]:at.Start]
	rest, _, _ := strings.Cut(f.script.Text[at.End:], "\n")
	rest = strings.TrimLeft(strings.TrimSuffix(rest, "\r"), " \t")
	return strings.Trim(before, " \t") == "" && (rest == "" || strings.HasPrefix(rest, "//"))
}

// pkgOf is the path of the imported package that an expression names; "" where it names none.
func (f *file) pkgOf(x ast.Expr) string {
	id, ok := x.(*ast.Ident)
	if !ok {
		return ""
	}
	if p, ok := f.info.Uses[id].(*types.PkgName); ok {
		return p.Imported().Path()
	}
	return ""
}

// typeOf is the static type of an expression; nil where it is not known.
func (f *file) typeOf(x ast.Expr) types.Type { return typing.Known(f.info.TypeOf(x)) }
