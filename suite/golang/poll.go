package golang

import (
	"go/ast"
	"slices"

	"github.com/flaketap/flaketap/suite/golang/polling"
	"github.com/flaketap/flaketap/suite/script"
)

// poll has a test wait at a read: see [script.Writer.Poll].
func (g *suite) poll(_ *script.Script, t *script.Test, of script.Wait) []script.Edit {
	fn := g.ways.Tests[t]
	if fn.Body == nil {
		return nil
	}
	return polling.Site{File: g.File, Test: t, Body: fn.Body, Tester: fn.Tester(), Read: g.reads[of.Call],
		Sent: g.sent[of.Call]}.Write(of)
}

// sends notes what sends the request that was sent last, where it is sent once, whatever happens.
func (r *follower) sends(x *ast.CallExpr) {
	if c := r.calls[len(r.calls)-1]; r.cond == 0 && !r.looped && !r.several && r.rows == nil {
		r.suite.sent[c] = polling.Sent{Call: x, In: r.frame}
	}
}

// gives notes which call of the test's own statement gives the answer to a request: the outermost that does.
func (r *follower) gives(x *ast.CallExpr, v value) {
	all, pair := v.(tuple)
	if pair && len(all) == 2 {
		v = all[0]
	}
	of, ok := v.(answer)
	if !ok || !r.Holds(x.Pos()) {
		return
	}
	i := slices.IndexFunc(r.calls, func(c *script.Call) bool { return c.Var == of.id })
	if c := r.calls[i]; c.At.Start <= r.Offset(x.Pos()) && r.Offset(x.End()) <= c.At.End {
		r.reads[c] = polling.Read{Call: x, Pair: pair}
	}
}

// polled is what a read gives that is sent until it is ready: the last answer.
func (r *follower) polled(read *ast.FuncLit) value {
	before := len(r.calls)
	v := r.inline(function{typ: read.Type, body: read.Body}, nil, nil)
	for _, c := range r.calls[before:] {
		c.Many, c.Last = true, true
	}
	return v
}

// awaits follows a statement that has a read sent until it is ready, and no use for its answer: the test sends the read
// once more, and that call stands for all of them. It is false for any other statement.
func (r *follower) awaits(s *ast.AssignStmt) bool {
	call, ok := s.Rhs[0].(*ast.CallExpr)
	if !ok || polling.Polled(r.File, call) == nil || slices.ContainsFunc(s.Lhs, func(x ast.Expr) bool {
		id, ok := x.(*ast.Ident)
		return !ok || id.Name != "_"
	}) {
		return false
	}
	before := len(r.calls)
	r.eval(call)
	for _, c := range r.calls[before:] {
		delete(r.test.sends, c)
	}
	r.session.calls, r.awaited = r.calls[:before], true
	return true
}
