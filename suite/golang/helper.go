package golang

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/golang/source"
)

// helped reads a call of a function that does nothing but assert, as equal(t, got, want), as the assertion that its
// statements are with what it is given; false where the statement is no such call.
func (r *follower) helped(s *ast.ExprStmt, call *ast.CallExpr) bool {
	if !r.own || !isNamed(call.Fun) || len(call.Args) == 0 {
		return false
	}
	f, ok := r.eval(call.Fun).(function)
	if !ok || f.typ.Results != nil || !onlyAsserts(f.body) {
		return false
	}
	args, sends, sure := r.allSent(call.Args)
	calls := len(r.calls)
	r.said = &[]expr.Expr{}
	r.inline(f, args, nil)
	said := *r.said
	r.said = nil
	switch {
	case len(said) == 0: // it was about an error
	case !sure || len(r.calls) > calls:
		r.note(s, "it sends a request itself")
	default:
		form := form{node: s, from: s.Pos(), to: s.End(), fatal: stops(f.body), sends: sends}
		if _, isTest := args[0].(tester); isTest {
			form.test = call.Args[0]
		}
		r.assertion(s, form, expr.AllOf(said...))
	}
	return true
}

// isNamed reports whether what is called is a name, or a name of a type of its own.
func isNamed(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		return true
	case *ast.IndexExpr:
		return isNamed(x.X)
	case *ast.SelectorExpr:
		_, ok := x.X.(*ast.Ident)
		return ok
	}
	return false
}

// onlyAsserts reports whether a function does nothing but assert, so that nothing is lost with a call of it.
func onlyAsserts(body *ast.BlockStmt) bool {
	return !slices.ContainsFunc(body.List, func(s ast.Stmt) bool {
		if cond, ok := s.(*ast.IfStmt); ok {
			declares, ok := cond.Init.(*ast.AssignStmt)
			return cond.Else != nil || cond.Init != nil && (!ok || declares.Tok != token.DEFINE) || len(cond.Body.List) != 1 ||
				!calls(cond.Body.List[0], failing())
		}
		return !calls(s, append(failing(), "Helper", "Log", "Logf")) && !isWord(s)
	})
}

// failing are the methods of a test that make it fail.
func failing() []string { return []string{"Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow"} }

// calls reports whether a statement calls one of some methods.
func calls(s ast.Stmt, methods []string) bool { return slices.Contains(methods, methodCalled(s)) }

// isWord reports whether a statement calls an assertion of testify's that is understood.
func isWord(s ast.Stmt) bool {
	_, ok := testifyWords()[strings.TrimSuffix(methodCalled(s), "f")]
	return ok
}

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

// stops reports whether a test ends where a function finds that something is otherwise.
func stops(body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			pkg, _ := s.X.(*ast.Ident)
			found = found || slices.Contains([]string{"Fatal", "Fatalf", "FailNow"}, s.Sel.Name) || pkg != nil && pkg.Name == "require"
		}
		return true
	})
	return found
}

// instead writes a condition in the place of a call of a function that asserts.
func (w writer) instead(indent string, x expr.Expr) (string, bool) {
	text, _, ok := w.printer.denies(x)
	if !ok || w.test == nil || !w.keeps(x, text) {
		return "", false
	}
	names, imports := w.lost(w.node, w.node.Pos(), w.node.End(), text+"+"+w.Source(w.test))
	if imports {
		return "", false
	}
	if text, ok = source.Formatted(text, indent); !ok {
		return "", false
	}
	method, message := "Error", strings.Join(strings.Fields(w.Source(w.node)), " ")
	if w.fatal {
		method = "Fatal"
	}
	return "if " + text + " {\n" + indent + "\t" + w.Source(w.test) + "." + method + "(" + literal.Go("not as in "+message) + ")\n" +
		indent + "}" + used(names, indent), true
}
