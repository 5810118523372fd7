package golang

import (
	"go/ast"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/golang/source"
)

// helped reads a call of a function that does nothing but assert, as equal(t, got, want), as the assertion that its
// statements are with what it is given; false where the statement is no such call.
func (r *follower) helped(s *ast.ExprStmt, call *ast.CallExpr) bool {
	if !r.own || !source.IsNamed(call.Fun) || len(call.Args) == 0 {
		return false
	}
	f, ok := r.eval(call.Fun).(function)
	if !ok || f.typ.Results != nil || !source.OnlyAsserts(f.body, isWord) {
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
		form := form{node: s, from: s.Pos(), to: s.End(), fatal: source.Stops(f.body), sends: sends}
		if _, isTest := args[0].(tester); isTest {
			form.test = call.Args[0]
		}
		r.assertion(s, form, expr.AllOf(said...))
	}
	return true
}

// isWord reports whether an assertion of testify's is understood.
func isWord(method string) bool {
	_, ok := testifyWords()[strings.TrimSuffix(method, "f")]
	return ok
}

// instead writes a condition in the place of a call of a function that asserts.
func (w writer) instead(indent string, x expr.Expr) (string, bool) {
	text, _, ok := w.printer.Denies(x)
	if !ok || w.test == nil || !w.keeps(x, text) {
		return "", false
	}
	names, imports := w.Lost(w.node, w.node.Pos(), w.node.End(), w.inAssertion, text, w.Source(w.test))
	if len(imports) > 0 {
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
