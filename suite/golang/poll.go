package golang

import (
	"go/ast"
	"slices"

	"github.com/flaketap/flaketap/suite/golang/polling"
	"github.com/flaketap/flaketap/suite/script"
)

// poll has a test wait at a read: see [script.Writer.Poll].
func (g *suite) poll(_ *script.Script, t *script.Test, of script.Wait) []script.Edit {
	read, known := g.reads[of.Call]
	fn := g.ways.Tests[t]
	if !known || fn.Body == nil {
		return nil
	}
	return polling.Site{File: g.File, Test: t, Body: fn.Body, Tester: fn.Tester(), Read: read}.Write(of)
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
