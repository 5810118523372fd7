package python

import (
	"slices"

	"github.com/flaketap/flaketap/suite/python/meaning"
	"github.com/flaketap/flaketap/suite/python/syntax"
)

// fluent reads assert_that(x).is_length(1).contains(2), as assertpy has it; false where the statement is none, or says
// what is not known.
func (r *follower) fluent(st syntax.Statement, x syntax.Node) bool {
	var said []syntax.Node
	for {
		call, _ := x.(syntax.Call)
		if syntax.IsName(call.Fn, "assert_that") {
			if len(said) == 0 || len(call.Args) != 1 || len(call.Kw) > 0 {
				return false
			}
			slices.Reverse(said)
			of := r.resolve(call.Args[0], st)
			for i := range said {
				said[i] = meaning.Fluent(of)[said[i].(syntax.Call).Fn.(syntax.Attr).Name](said[i].(syntax.Call).Args)
			}
			all := said[0]
			if len(said) > 1 {
				all = syntax.Logic{Op: "and", Xs: said}
			}
			r.assertion(st, form{open: "assert "}, all, nil)
			return true
		}
		fn, ok := call.Fn.(syntax.Attr)
		if !ok || len(call.Kw) > 0 || meaning.Fluent(nil)[fn.Name] == nil ||
			len(call.Args) != meaning.FluentArguments(fn.Name) {
			return false
		}
		said = append(said, call)
		x = fn.X
	}
}
