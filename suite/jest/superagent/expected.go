package superagent

import (
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/script"
)

// Part is how a part of an answer of a name is asked for; false for one that is none of its own.
func Part(name string, what expr.Part) (string, bool) {
	part := map[expr.Part]string{expr.Status: ".status", expr.Text: ".text", expr.JSON: ".body"}[what]
	return name + part, part != ""
}

// Expected is what a link of a chain of supertest says.
func Expected(c *script.Call, args []*js.Node) func(by *js.Reading) (expr.Expr, exchange.Relation, bool) {
	return func(by *js.Reading) (expr.Expr, exchange.Relation, bool) {
		first, second := args[0], args[min(len(args), 2)-1]
		if len(args) > 1 && first.Form == js.NodeString {
			header := expr.Header(c.Var, strings.ToLower(first.Text))
			if second.Form == js.NodePattern {
				re, ok := literal.RegexpOfJavaScript(js.Pattern(second))
				return expr.Match{X: header, Pattern: re}, "", ok
			}
			y, ok := by.Meaning(second)
			return expr.Same(header, y), "", ok
		}
		var says []expr.Expr
		for _, arg := range args {
			part := expr.JSON
			if arg.Form == js.NodeNumber {
				part = expr.Status
			}
			composite := arg.Form == js.NodeObject || arg.Form == js.NodeArray
			y, ok := by.Meaning(arg)
			if !ok || len(args) > 2 || !composite && (part == expr.JSON || len(says) == 1) {
				return nil, "", false
			}
			says = append(says, expr.Same(expr.Answer{Var: c.Var, Part: part}, y))
		}
		return expr.AllOf(says...), "", true
	}
}
