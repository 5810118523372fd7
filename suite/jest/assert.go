package jest

import (
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/js/assert"
	"github.com/flaketap/flaketap/suite/js/expect"
)

// assertOf reads a call of assert, of Node or of Chai.
func (r *follower) assertOf(n *js.Node) (claim, bool) {
	name, args := "", []*js.Node(nil)
	var by *js.Node
	if object, method, of := n.Method(); object != nil {
		by, name, args = object, method, of
	} else if n.Form == js.NodeCall {
		by, name, args = n.Args[0], "ok", n.Args[1:]
	}
	if by == nil || by.Form != js.NodeName || len(args) == 0 {
		return claim{}, false
	}
	switch module := r.module.packages[by.Text]; {
	case by.Text == "assert", module == "assert", module == "assert/strict", module == "power-assert":
	default:
		return claim{}, false
	}
	c := claim{subject: args[0], by: by.Text}
	c.say = func(v js.Verb, l, r string) string { return assert.Says(by.Text, v, l, r) }
	e := assert.Expected(name, args)
	c.means = func(by *js.Reading) (expr.Expr, exchange.Relation, bool) {
		x, ok := expect.Meaning(by, e)
		return x, "", ok
	}
	return c, true
}
