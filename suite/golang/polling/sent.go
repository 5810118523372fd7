package polling

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/golang/source"
)

// Sent is the call that sends a read, in whatever function of the package it stands.
type Sent struct {
	Call *ast.CallExpr
	In   *Frame
}

// Frame is a call of a function: what the names of its parameters stand for. It is nil for the test itself.
type Frame struct {
	Call *ast.CallExpr // nil where it is called otherwise than by its name
	Type *ast.FuncType
	Recv *ast.FieldList
	Body *ast.BlockStmt
	Up   *Frame // the call that this one stands in
}

// Bounds of what makes a request: how deeply an expression of it is made of others, and of how many. What is given a
// name or a parameter is written out wherever that stands, so that few lines can stand for very many.
const (
	maxNested = 8
	maxParts  = 1 << 10
)

// speller writes an expression of one function as another would have it at a place.
type speller struct {
	*source.File
	at   token.Pos
	deep int
	left *int // how many more expressions it looks at
}

// within is a speller of a part of an expression; false where that is made of too much.
func (w speller) within() (speller, bool) {
	w.deep++
	*w.left--
	return w, w.deep <= maxNested && *w.left >= 0
}

// text writes an expression of a frame.
func (w speller) text(x ast.Expr, in *Frame) (string, bool) {
	w, ok := w.within()
	if !ok {
		return "", false
	}
	switch x := x.(type) {
	case *ast.BasicLit:
		return x.Value, !strings.ContainsAny(x.Value, "\r\n")
	case *ast.Ident:
		if pkg := w.PkgOf(x); pkg != "" {
			return w.library(pkg)
		}
		return w.name(x, in)
	case *ast.ParenExpr:
		return w.text(x.X, in)
	case *ast.SelectorExpr:
		of, ok := w.text(x.X, in)
		return bracketed(of, token.HighestPrec) + "." + x.Sel.Name, ok
	case *ast.BinaryExpr:
		return w.operation(x, in)
	case *ast.IndexExpr:
		of, ok := w.text(x.X, in)
		i, said := w.text(x.Index, in)
		return bracketed(of, token.HighestPrec) + "[" + i + "]", ok && said
	case *ast.CallExpr:
		return w.call(x, in)
	}
	return "", false
}

// all writes expressions that stand beside each other.
func (w speller) all(xs []ast.Expr, in *Frame) (out []string, ok bool) {
	for _, x := range xs {
		text, ok := w.text(x, in)
		if !ok {
			return nil, false
		}
		out = append(out, text)
	}
	return out, true
}

// operation writes an operation. A sum needs no parentheses behind a plus.
func (w speller) operation(x *ast.BinaryExpr, in *Frame) (string, bool) {
	left, ok := w.text(x.X, in)
	right, said := w.text(x.Y, in)
	tight := x.Op.Precedence()
	behind := tight
	if x.Op == token.ADD {
		behind--
	}
	return bracketed(left, tight-1) + " " + x.Op.String() + " " + bracketed(right, behind), ok && said
}

// bracketed is an expression as a part of one that binds so tightly: an operation that binds no more is in parentheses.
func bracketed(text string, tight int) string {
	x, err := parser.ParseExpr(text)
	if of, ok := x.(*ast.BinaryExpr); err == nil && ok && of.Op.Precedence() <= tight {
		return "(" + text + ")"
	}
	return text
}

// name writes what a name of a frame stands for: a parameter or a variable what it was given.
func (w speller) name(id *ast.Ident, in *Frame) (string, bool) {
	o := w.Info.Uses[id]
	if o == nil {
		return "", false
	}
	if in != nil {
		if given, ok := in.given(w.File, o); ok {
			return w.text(given, in.Up)
		}
		if given := w.assigned(in.Body, o); given != nil {
			return w.text(given, in)
		}
	}
	return id.Name, w.Means(id.Name, w.at) == o
}

// given is what a parameter or the receiver of a function was given; false where it is none, or not known.
func (in *Frame) given(f *source.File, o source.Object) (ast.Expr, bool) {
	if in.Call == nil {
		return nil, false
	}
	isIt := func(n *ast.Ident) bool { return f.Info.Defs[n] == o }
	if of, ok := ast.Unparen(in.Call.Fun).(*ast.SelectorExpr); ok && in.Recv != nil {
		for _, field := range in.Recv.List {
			if slices.ContainsFunc(field.Names, isIt) {
				return of.X, !isChanged(f, in.Body, o)
			}
		}
	}
	i := 0
	for _, field := range in.Type.Params.List {
		_, variadic := field.Type.(*ast.Ellipsis)
		if n := slices.IndexFunc(field.Names, isIt); n >= 0 {
			if i += n; variadic || i >= len(in.Call.Args) {
				return nil, false
			}
			return in.Call.Args[i], !isChanged(f, in.Body, o)
		}
		i += max(1, len(field.Names))
	}
	return nil, false
}

// assigned is the only value that a variable of a function is given; nil where it has others, or shares its assignment.
func (w speller) assigned(body *ast.BlockStmt, o source.Object) (given ast.Expr) {
	ast.Inspect(body, func(n ast.Node) bool {
		s, ok := n.(*ast.AssignStmt)
		if !ok || s.Tok != token.DEFINE || len(s.Lhs) != len(s.Rhs) {
			return true
		}
		for i, x := range s.Lhs {
			if id, ok := x.(*ast.Ident); ok && w.Info.Defs[id] == o {
				given = s.Rhs[i]
			}
		}
		return true
	})
	if given == nil || isChanged(w.File, body, o) {
		return nil
	}
	return given
}

// isChanged reports whether a function gives a variable another value, or may: its address is taken.
func isChanged(f *source.File, body *ast.BlockStmt, o source.Object) bool {
	changed := false
	is := func(x ast.Expr) {
		id, ok := source.Owner(x).(*ast.Ident)
		changed = changed || ok && f.Info.Uses[id] == o
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				is(x)
			}
		case *ast.IncDecStmt:
			is(n.X)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				is(n.X)
			}
		}
		return !changed
	})
	return changed
}

// library writes the name of a package.
func (w speller) library(pkg string) (string, bool) {
	called, isNew := w.Library(pkg, w.at)
	return called, called != "" && (!isNew || slices.Contains(packages(), pkg))
}

// call writes a call that makes a part of a request, and does no more: of the library's functions about texts or
// contexts, a conversion, or a function of the package that is one expression.
func (w speller) call(x *ast.CallExpr, in *Frame) (string, bool) {
	if x.Ellipsis.IsValid() || !w.isPlain(x) {
		return "", false
	}
	by, ok := w.text(x.Fun, in)
	args, said := w.all(x.Args, in)
	return by + "(" + strings.Join(args, ", ") + ")", ok && said
}

func (w speller) isPlain(x *ast.CallExpr) bool {
	switch fun := ast.Unparen(x.Fun).(type) {
	case *ast.SelectorExpr:
		return slices.Contains([]string{"context", "fmt", "net/url", "path", "strconv", "strings"}, w.PkgOf(fun.X)) ||
			w.PkgOf(fun.X) == "" && (fun.Sel.Name == "String" || fun.Sel.Name == "Context") && len(x.Args) == 0
	case *ast.Ident:
		if tv := w.Info.Types[fun]; tv.IsType() || tv.IsBuiltin() && fun.Name == "len" {
			return true
		}
		d := w.Functions[w.Info.Uses[fun]]
		return d != nil && w.isExpression(d)
	}
	return false
}

// isExpression reports whether a function returns an expression that does nothing, and does no more.
func (w speller) isExpression(d *ast.FuncDecl) bool {
	w, ok := w.within()
	if !ok || len(d.Body.List) != 1 {
		return false
	}
	r, ok := d.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(r.Results) != 1 {
		return false
	}
	plain := true
	ast.Inspect(r.Results[0], func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			plain = plain && w.isPlain(n)
		case *ast.FuncLit:
			plain = false
		case *ast.UnaryExpr:
			plain = plain && n.Op != token.ARROW
		}
		return plain
	})
	return plain
}

// isAlways reports whether an expression is reached whenever what it stands in runs: under no condition, in no loop,
// and in no function that something else calls.
func isAlways(within ast.Node, x ast.Expr) bool {
	always, holds := true, func(n ast.Node) bool { return n.Pos() <= x.Pos() && x.End() <= n.End() }
	in := func(parts ...ast.Node) {
		always = always && slices.ContainsFunc(parts, holds)
	}
	ast.Inspect(within, func(n ast.Node) bool {
		if n == nil || !always || !holds(n) {
			return false
		}
		switch n := n.(type) {
		case *ast.IfStmt:
			in(parts(n.Init, n.Cond)...)
		case *ast.SwitchStmt:
			in(parts(n.Init, n.Tag)...)
		case *ast.BinaryExpr:
			if n.Op == token.LAND || n.Op == token.LOR {
				in(n.X)
			}
		case *ast.FuncLit, *ast.ForStmt, *ast.RangeStmt, *ast.TypeSwitchStmt, *ast.SelectStmt, *ast.GoStmt, *ast.DeferStmt,
			*ast.LabeledStmt:
			always = false
		}
		return true
	})
	return always
}

// parts are the parts of the head of a statement that are there.
func parts(init ast.Stmt, x ast.Expr) (out []ast.Node) {
	if init != nil {
		out = append(out, init)
	}
	if x != nil {
		out = append(out, x)
	}
	return out
}

// isSeen reports whether all that an expression names has been declared before a statement.
func (s Site) isSeen(x ast.Expr, before ast.Stmt) bool {
	seen := true
	ast.Inspect(x, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if ok {
			o := s.Info.Uses[id]
			seen = seen && (o == nil || o.Parent() == nil || o.Pos() < before.Pos() || o.Parent() == s.Pkg.Scope() ||
				o.Parent() == types.Universe)
		}
		return seen
	})
	return seen
}
