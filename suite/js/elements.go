package js

import (
	"maps"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
)

// each reads what is done with each element of an array.
func (r *Reading) each(list expr.Expr, name string, args []*Node) (expr.Expr, bool) {
	if len(args) != 1 || args[0].Form != NodeFunction || len(args[0].Args) != 1 || len(args[0].Keys) != 1 {
		return nil, false
	}
	param := args[0].Keys[0]
	inner := r.of(param)
	if name == "map" {
		elem, ok := inner.Meaning(args[0].Args[0])
		return expr.Each{Elem: elem, Var: param, List: list}, ok
	}
	elem, ok := inner.Truth(args[0].Args[0])
	each := expr.Each{Elem: elem, Var: param, List: list}
	switch name {
	case "some":
		return expr.Any{X: each}, ok
	case "filter":
		return expr.Each{Elem: expr.Name{ID: param}, Var: param, List: list, Cond: elem}, ok
	case "find":
		found := expr.Each{Elem: expr.Name{ID: param}, Var: param, List: list, Cond: elem}
		return expr.Index{X: found, I: expr.Num{Text: "0"}}, ok
	}
	return expr.All{X: each}, ok
}

// of reads the body of a function that is given elements, which it calls by a name.
func (r *Reading) of(params ...string) *Reading {
	inner := &Reading{Own: r.Own, Names: r.Names, Aliases: maps.Clone(r.Aliases), changes: r.changes}
	if inner.Aliases == nil {
		inner.Aliases = map[string]expr.Expr{}
	}
	for _, param := range params {
		inner.Aliases[param] = expr.Name{ID: param}
	}
	return inner
}

// slice reads x.slice(from, to), whose bounds are written out.
func (r *Reading) slice(x expr.Expr, args []*Node) (expr.Expr, bool) {
	out := expr.Slice{X: x}
	for i, bound := range []*expr.Expr{&out.From, &out.To} {
		if i == len(args) {
			break
		}
		n, ok := r.Meaning(args[i])
		of := n
		if below, isBelow := n.(expr.Neg); isBelow {
			of = below.X
		}
		number, isNumber := of.(expr.Num)
		if !ok || !isNumber || strings.Trim(number.Text, "0123456789") != "" {
			return nil, false
		}
		*bound = n
	}
	return out, len(args) == 1 || len(args) == 2
}

// total reads x.reduce((sum, e) => sum + e.count, 0).
func (r *Reading) total(list expr.Expr, args []*Node) (expr.Expr, bool) {
	if len(args) != 2 || args[0].Form != NodeFunction || len(args[0].Args) != 1 || len(args[0].Keys) != 2 ||
		args[1].Form != NodeNumber || args[1].Text != "0" {
		return nil, false
	}
	sum, param, body := args[0].Keys[0], args[0].Keys[1], args[0].Args[0]
	if body.Form != NodeBinary || body.Text != "+" || !body.Args[0].Is(sum) {
		return nil, false
	}
	elem, ok := r.of(param).Meaning(body.Args[1])
	return expr.Total{X: expr.Each{Elem: elem, Var: param, List: list}}, ok
}

// at reads x.at(1), and x.at(-1), which is counted from the end.
func at(x expr.Expr, args []*Node) (expr.Expr, bool) {
	switch {
	case len(args) != 1:
	case args[0].Form == NodeNumber:
		return expr.Index{X: x, I: expr.Num{Text: args[0].Text}}, strings.Trim(args[0].Text, "0123456789") == ""
	case args[0].Form == NodeUnary && args[0].Text == "-" && args[0].Args[0].Form == NodeNumber:
		back := expr.Arith{Op: expr.Subtract, X: expr.Len{X: x}, Y: expr.Num{Text: args[0].Args[0].Text}}
		return expr.Index{X: x, I: back}, strings.Trim(args[0].Args[0].Text, "123456789") == ""
	}
	return nil, false
}
