package before

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/golang/source"
	"github.com/flaketap/flaketap/suite/script"
)

// File is a file of tests, and how they send their requests.
type File struct {
	*source.File
	Calls map[*script.Call]Way
	Tests map[*script.Test]Function
}

// New returns what is known of a file before its tests are read.
func New(f *source.File) *File {
	return &File{File: f, Calls: map[*script.Call]Way{}, Tests: map[*script.Test]Function{}}
}

// Way is how a call is sent.
type Way struct {
	Base   ast.Expr // what the URL begins with; nil where that is not known
	Host   string   // the scheme and the host that it begins with, where it is written out; "" where Base has it
	Mount  string   // the path that the base leads to
	Client ast.Expr // nil for the functions of package http
}

// Function is that of a test or a subtest.
type Function struct {
	Type *ast.FuncType
	Body *ast.BlockStmt
	Recv *ast.FieldList // of a method of a suite of testify's
}

// model is how the requests of a set-up are sent.
type model struct {
	base   string // the expression of the base URL; "" where host is one
	host   string
	mount  string
	client string // the expression of the client
	test   string // that of the *testing.T
	at     token.Pos
}

// modelOf is how a test sends its requests; why is what is not known of that.
func (f *File) modelOf(t *script.Test) (m model, why string) {
	fn, ok := f.Tests[t]
	if !ok || fn.Body == nil || len(fn.Body.List) == 0 {
		return model{}, "it has no statements"
	}
	m.at = fn.Body.List[0].Pos()
	if m.test = fn.Tester(); m.test == "" {
		return model{}, "its *testing.T has no name"
	}
	why = "the test sends no request of its own by net/http"
	for _, c := range t.Calls {
		way, known := f.Calls[c]
		if c.SentTarget == "" || !known {
			continue
		}
		why = "with which client, and to which base URL, the test sends its requests is not known at its head"
		if way.Host == "" && (way.Base == nil || !f.knownAtHead(way.Base, fn)) || way.Client != nil && !f.knownAtHead(way.Client, fn) {
			continue
		}
		m.host, m.mount, m.client = way.Host, way.Mount, "http.DefaultClient"
		if way.Base != nil {
			m.base = f.elsewhere(way.Base)
		}
		if way.Client != nil {
			m.client = f.elsewhere(way.Client)
		}
		if m.host == "" && m.base == "" || m.client == "" {
			continue
		}
		return m, ""
	}
	return model{}, why
}

// Tester is how the test calls its *testing.T; "" where it does not.
func (fn Function) Tester() string {
	if fn.Recv != nil {
		for _, field := range fn.Recv.List {
			for _, n := range field.Names {
				return n.Name + ".T()"
			}
		}
		return ""
	}
	for _, p := range fn.Type.Params.List {
		for _, n := range p.Names {
			if n.Name != "_" {
				return n.Name
			}
		}
	}
	return ""
}

// knownAtHead reports whether an expression means at the head of a test what it does where it stands: it names what is
// declared by the package, and packages that the file imports, or the receiver that the methods of a suite share.
func (f *File) knownAtHead(x ast.Expr, fn Function) bool {
	known := true
	members := map[*ast.Ident]bool{}
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			members[n.Sel] = true
		case *ast.FuncLit:
			known = false
		case *ast.Ident:
			if members[n] {
				return true
			}
			known = known && f.isOfPackage(f.Info.Uses[n], n.Name, fn)
		}
		return known
	})
	return known
}

func (f *File) isOfPackage(o source.Object, name string, fn Function) bool {
	switch o := o.(type) {
	case nil:
		return false
	case *types.PkgName:
		return f.Imports[o.Imported().Path()] == name
	case *types.Var:
		if fn.Recv != nil && fn.Tester() == name+".T()" && o.Parent() != f.Pkg.Scope() {
			return f.isReceiver(o)
		}
	}
	return o.Parent() == f.Pkg.Scope() || o.Parent() == types.Universe
}

// isReceiver reports whether a variable is the receiver of a method.
func (f *File) isReceiver(o *types.Var) bool {
	for _, d := range f.Functions {
		if d.Recv == nil {
			continue
		}
		for _, field := range d.Recv.List {
			if slices.ContainsFunc(field.Names, func(n *ast.Ident) bool { return f.Info.Defs[n] == source.Object(o) }) {
				return true
			}
		}
	}
	return false
}

// elsewhere is the source of an expression that may stand in another file of the package; "" where it is none that
// can be written in one line.
func (f *File) elsewhere(x ast.Expr) string {
	if f.Holds(x.Pos()) {
		if text := f.Source(x); !strings.Contains(text, "\n") {
			return text
		}
		return ""
	}
	return types.ExprString(x)
}

// shares is a variable that tests give a value and this one reads, or gives: by it tests may hand each other what they
// made. A subtest is handed what its test has.
func (f *File) shares(_ *script.Script, t *script.Test) (reads, gives string) {
	fn, ok := f.Tests[t]
	if !ok || fn.Body == nil {
		return "", ""
	}
	set := f.setByTests()
	given := map[*ast.Ident]bool{}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		noteGiven(n, given)
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		shared := &reads
		if given[id] {
			shared = &gives
		}
		o, isVar := f.Info.Uses[id].(*types.Var)
		switch {
		case !isVar:
		case set[o] && o.IsField():
			*shared = cmp.Or(*shared, "the field "+id.Name)
		case set[o]:
			*shared = cmp.Or(*shared, "the variable "+id.Name)
		case o.Parent() != nil && o.Parent() != f.Pkg.Scope() && !o.IsField() && fn.Recv == nil && f.isOutside(o, fn):
			*shared = cmp.Or(*shared, "the variable "+id.Name)
		}
		return true
	})
	return reads, gives
}

// noteGiven notes what a statement only gives a value to, as id in id = made.ID.
func noteGiven(n ast.Node, given map[*ast.Ident]bool) {
	s, ok := n.(*ast.AssignStmt)
	if !ok || s.Tok != token.ASSIGN {
		return
	}
	for _, x := range s.Lhs {
		switch x := x.(type) {
		case *ast.Ident:
			given[x] = true
		case *ast.SelectorExpr:
			given[x.Sel] = true
		}
	}
}

// isOutside reports whether a local variable is declared around a function, and is no *testing.T.
func (f *File) isOutside(o *types.Var, fn Function) bool {
	return o.Pos() < fn.Type.Pos() || o.Pos() > fn.Body.End()
}

// setByTests are the variables of the package, and the fields, that tests give a value.
func (f *File) setByTests() map[source.Object]bool {
	out := map[source.Object]bool{}
	note := func(n ast.Node) bool {
		for _, x := range changed(n) {
			if o := f.shareable(x); o != nil {
				out[o] = true
			}
		}
		return true
	}
	for _, d := range f.Functions {
		if strings.HasPrefix(d.Name.Name, "Test") && d.Name.Name != "TestMain" {
			ast.Inspect(d.Body, note)
		}
	}
	return out
}

// changed is what a statement assigns to, counts on, or takes the address of.
func changed(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.AssignStmt:
		return n.Lhs
	case *ast.IncDecStmt:
		return []ast.Expr{n.X}
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			return []ast.Expr{n.X}
		}
	}
	return nil
}

// shareable is the variable of the package, or the field of one or of a receiver, of which an expression is a part; nil
// where it is none.
func (f *File) shareable(x ast.Expr) source.Object {
	id, ok := source.Owner(x).(*ast.Ident)
	if !ok {
		return nil
	}
	o, ok := f.Info.Uses[id].(*types.Var)
	if !ok || o.Parent() != f.Pkg.Scope() && !f.isReceiver(o) {
		return nil
	}
	if s, ok := ast.Unparen(x).(*ast.SelectorExpr); ok {
		if found, ok := f.Info.Selections[s]; ok && found.Kind() == types.FieldVal {
			return found.Obj()
		}
	}
	if o.Parent() == f.Pkg.Scope() {
		return o
	}
	return nil
}
