package golang

import (
	"go/ast"
	"go/token"
	"slices"

	"github.com/flaketap/flaketap/suite/golang/source"
)

// A function may look into an answer and return an error, as fmt.Errorf makes one, where that is not what it wants. A
// test that lets no such error pass goes on with what the function returns otherwise.

// refuses reports whether a return gives an error that is made there, behind other results.
func (r *follower) refuses(s *ast.ReturnStmt) bool {
	n := len(s.Results)
	if n < 2 || r.typ.Results == nil {
		return false
	}
	last := r.typ.Results.List[len(r.typ.Results.List)-1]
	if id, ok := last.Type.(*ast.Ident); !ok || id.Name != "error" {
		return false
	}
	switch x := ast.Unparen(s.Results[n-1]).(type) {
	case *ast.CallExpr:
		of, ok := x.Fun.(*ast.SelectorExpr)
		return ok && (r.PkgOf(of.X) == "fmt" && of.Sel.Name == "Errorf" || r.PkgOf(of.X) == "errors" && of.Sel.Name == "New")
	case *ast.CompositeLit:
		return true
	case *ast.UnaryExpr:
		_, made := x.X.(*ast.CompositeLit)
		return made && x.Op == token.AND
	}
	return false
}

// noErrors are testify's words for no error.
var noErrors = []string{"NoError", "NoErrorf"}

// wantsNone reports whether the error that a call gives is given a name, and nothing asks for that but whether there is
// none: with err != nil, or testify's NoError. A test that asks which error it is may let some pass.
func (r *follower) wantsNone(call *ast.CallExpr) bool {
	in := r.around(call)
	var name source.Object
	wants, asked := in != nil, false
	ask := func(visit func(n ast.Node)) {
		if in != nil {
			ast.Inspect(in, func(n ast.Node) bool { visit(n); return true })
		}
	}
	ask(func(n ast.Node) {
		if s, ok := n.(*ast.AssignStmt); ok && len(s.Rhs) == 1 && ast.Unparen(s.Rhs[0]) == ast.Expr(call) {
			if id, ok := s.Lhs[len(s.Lhs)-1].(*ast.Ident); ok && id.Name != "_" {
				name = r.Info.ObjectOf(id)
			}
		}
	})
	is := func(x ast.Expr) bool {
		id, ok := ast.Unparen(x).(*ast.Ident)
		return ok && name != nil && r.Info.Uses[id] == name
	}
	ask(func(n ast.Node) {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if is(n.X) || is(n.Y) {
				asked, wants = true, wants && n.Op == token.NEQ
			}
		case *ast.CallExpr:
			of, ok := n.Fun.(*ast.SelectorExpr)
			if ok && slices.ContainsFunc(n.Args, is) {
				fine := slices.Contains(noErrors, of.Sel.Name)
				told := is(n.Args[0]) || r.PkgOf(of.X) == "fmt" ||
					slices.Contains([]string{"Fatalf", "Errorf"}, of.Sel.Name)
				asked, wants = asked || fine, wants && (fine || told && r.PkgOf(of.X) != "errors")
			}
		case *ast.SwitchStmt:
			wants = wants && (n.Tag == nil || !is(n.Tag))
		case *ast.TypeAssertExpr:
			wants = wants && !is(n.X)
		case *ast.IfStmt:
			wants = wants && !asksWhich(n.Cond, is)
		}
	})
	return name != nil && asked && wants
}

// asksWhich reports whether a condition asks a function, other than testify's, which error it is.
func asksWhich(cond ast.Expr, is func(ast.Expr) bool) (asks bool) {
	ast.Inspect(cond, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		of, ok := call.Fun.(*ast.SelectorExpr)
		if ok && slices.Contains(noErrors, of.Sel.Name) {
			return false
		}
		asks = asks || ok && is(of.X) || slices.ContainsFunc(call.Args, is)
		return true
	})
	return asks
}

// around is the body of the function of the package that an expression stands in; nil where that is none of them.
func (r *follower) around(x ast.Node) ast.Node {
	for _, d := range r.Functions {
		if d.Body != nil && d.Body.Pos() <= x.Pos() && x.End() <= d.Body.End() {
			return d.Body
		}
	}
	return nil
}
