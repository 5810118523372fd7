package golang

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/golang/source"
	"github.com/flaketap/flaketap/suite/script"
)

// Assertions that stand in the head of a statement, of which no more than that is written anew: what goes on where one
// of testify's passed, if assert.NotEmpty(t, x) { … }, or ends where it failed, if !assert.NotEmpty(t, x) { return };
// and the cases of a switch under which the test fails, case v.Name != "a": t.Error(v.Name).

// guarding reads an if statement that asks whether an assertion of testify's passed; false where it does not.
func (r *follower) guarding(s *ast.IfStmt) bool {
	cond := ast.Unparen(s.Cond)
	not, negated := cond.(*ast.UnaryExpr)
	negated = negated && not.Op == token.NOT
	if negated {
		cond = ast.Unparen(not.X)
	}
	call, ok := cond.(*ast.CallExpr)
	if !ok {
		return false
	}
	r.heads[s] = s.Cond.End()
	if !r.checked(s, call) {
		delete(r.heads, s)
		return false
	}
	then, otherwise := ast.Stmt(s.Body), s.Else
	if negated {
		then, otherwise = s.Else, nil // its body is where the test has failed
	}
	if then != nil {
		r.statement(then)
	}
	if otherwise != nil {
		r.under([]ast.Stmt{otherwise})
	}
	return true
}

// cases follows the cases of a switch without a value, in order: as long as the test fails under each of them, the next
// one asserts the opposite of its condition.
func (r *follower) cases(s *ast.SwitchStmt) {
	for i, one := range s.Body.List {
		c, ok := one.(*ast.CaseClause)
		if !ok || c.List == nil || !r.fails(&ast.BlockStmt{List: c.Body}) || source.FallsThrough(c) {
			r.clauses(&ast.BlockStmt{List: s.Body.List[i:]})
			return
		}
		r.heads[c] = c.Colon + 1
		calls := len(r.calls)
		var written []ast.Expr
		for _, x := range c.List {
			written = append(written, source.OrParts(x)...)
		}
		values, about, happened, _ := r.conditions(written)
		switch {
		case about == len(written) && happened: // errors
		case about == len(written):
			r.under(c.Body)
		case len(r.calls) > calls:
			r.note(c, "it sends a request itself")
		default:
			r.condition(c, form{to: c.List[len(c.List)-1].End()}, written, values)
		}
	}
}

// conditions are what the parts of a condition stand for, how many of them ask for errors alone, and whether one of
// these is true where an error happened; and what sends a request in a comparison that stands alone.
func (r *follower) conditions(written []ast.Expr) (values []value, about int, happened bool, sends *sending) {
	for _, x := range written {
		var v value
		if v, sends = r.comparison(x); len(written) > 1 {
			sends = nil
		}
		values = append(values, v)
		if test, ok := v.(failureTest); ok {
			about++
			happened = happened || test.happened
		}
	}
	return values, about, happened, sends
}

// comparison is what a part of a condition stands for, and what of it sends a request; nil where it compares nothing,
// or more than one thing does.
func (r *follower) comparison(x ast.Expr) (value, *sending) {
	of, ok := ast.Unparen(x).(*ast.BinaryExpr)
	if !ok {
		return r.eval(x), nil
	}
	if _, compares := operators()[of.Op]; !compares {
		return r.eval(x), nil
	}
	values, sends, sure := r.allSent([]ast.Expr{of.X, of.Y})
	if !sure {
		sends = nil
	}
	return operated(of.Op, values[0], values[1]), sends
}

// at is where an assertion stands: a statement, or the head of one.
func (g *suite) at(s ast.Stmt) script.Span {
	end, ok := g.heads[s]
	if !ok {
		return g.Span(s)
	}
	return g.Between(s.Pos(), end)
}

// inHead writes a condition in the head of a statement.
func (w writer) inHead(x expr.Expr) (string, bool) {
	text, ok := "", false
	if w.receiver != nil {
		text, ok = w.wordedOnce(x)
	} else {
		text, _, ok = w.printer.Denies(x)
	}
	if !ok || w.is != nil {
		return "", false
	}
	s := w.head
	if names, imports := w.Lost(w.node, w.from, w.to, w.inAssertion, text); len(names) > 0 || len(imports) > 0 {
		return "", false
	}
	text, ok = source.Formatted(text, w.at(s).Indent)
	return w.Text(s.Pos(), w.from) + text + w.Text(w.to, w.heads[s]), ok && !strings.Contains(text, "\n")
}

// neverInHead keeps an assertion in the head of a statement from being made: what follows where it passed runs always.
func (g *suite) neverInHead(head ast.Stmt) []script.Edit {
	switch s := head.(type) {
	case *ast.IfStmt:
		if _, negated := ast.Unparen(s.Cond).(*ast.UnaryExpr); negated {
			return g.decided("false && ", s.Cond)
		}
		return g.decided("true || ", s.Cond)
	case *ast.CaseClause:
		return g.decided("false && ", s.List...)
	}
	return nil
}

// decided puts before conditions what decides them.
func (g *suite) decided(by string, conditions ...ast.Expr) (out []script.Edit) {
	for _, x := range conditions {
		from, to := g.Offset(x.Pos()), g.Offset(x.End())
		if _, several := x.(*ast.BinaryExpr); !several {
			out = append(out, script.Edit{Start: from, End: from, Text: by})
			continue
		}
		out = append(out, script.Edit{Start: from, End: from, Text: by + "("}, script.Edit{Start: to, End: to, Text: ")"})
	}
	return out
}
