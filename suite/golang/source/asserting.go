package source

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsNamed reports whether what is called is a name, or a name of a type of its own.
func IsNamed(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		return true
	case *ast.IndexExpr:
		return IsNamed(x.X)
	case *ast.SelectorExpr:
		_, ok := x.X.(*ast.Ident)
		return ok
	}
	return false
}

// OnlyAsserts reports whether a function does nothing but assert, so that nothing is lost with a call of it.
func OnlyAsserts(body *ast.BlockStmt, isWord func(method string) bool) bool {
	return !slices.ContainsFunc(body.List, func(s ast.Stmt) bool {
		if cond, ok := s.(*ast.IfStmt); ok {
			declares, ok := cond.Init.(*ast.AssignStmt)
			return cond.Else != nil || cond.Init != nil && (!ok || declares.Tok != token.DEFINE) || len(cond.Body.List) != 1 ||
				!calls(cond.Body.List[0], Failing())
		}
		return !calls(s, append(Failing(), "Helper", "Log", "Logf")) && !isWord(methodCalled(s))
	})
}

// Failing are the methods of a test that make it fail.
func Failing() []string { return []string{"Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow"} }

// calls reports whether a statement calls one of some methods.
func calls(s ast.Stmt, methods []string) bool { return slices.Contains(methods, methodCalled(s)) }

// methodCalled is the name of the method that a statement calls; "" where it calls none.
func methodCalled(s ast.Stmt) string {
	x, ok := s.(*ast.ExprStmt)
	if !ok {
		return ""
	}
	call, ok := x.X.(*ast.CallExpr)
	if !ok {
		return ""
	}
	if method, ok := call.Fun.(*ast.SelectorExpr); ok {
		return method.Sel.Name
	}
	return ""
}

// Stops reports whether a test ends where a function finds that something is otherwise.
func Stops(body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			pkg, _ := s.X.(*ast.Ident)
			found = found || slices.Contains([]string{"Fatal", "Fatalf", "FailNow"}, s.Sel.Name) ||
				pkg != nil && pkg.Name == "require"
		}
		return true
	})
	return found
}

// IsTest reports whether go test runs a function: TestX(t *testing.T).
func IsTest(fn *ast.FuncDecl) bool {
	rest, ok := strings.CutPrefix(fn.Name.Name, "Test")
	if !ok || fn.Recv != nil || fn.Body == nil || len(fn.Type.Params.List) != 1 || fn.Type.TypeParams != nil {
		return false
	}
	if first, _ := utf8.DecodeRuneInString(rest); unicode.IsLower(first) {
		return false
	}
	p := fn.Type.Params.List[0]
	star, ok := p.Type.(*ast.StarExpr)
	return ok && len(p.Names) == 1 && IsMember(star.X, "testing", "T")
}

// IsTesterType reports whether a type is that of a test.
func IsTesterType(x ast.Expr) bool {
	if star, ok := x.(*ast.StarExpr); ok {
		return IsMember(star.X, "testing", "T") || IsMember(star.X, "testing", "B")
	}
	return IsMember(x, "testing", "TB")
}
