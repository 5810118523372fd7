package js

import (
	"maps"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
)

// ofList reads the methods of arrays that are about their elements.
func (r *Reading) ofList(x expr.Expr, name string, args []*Node) (expr.Expr, bool) {
	switch name {
	case "map", "some", "every", "find", "filter":
		return r.each(x, name, args)
	case "slice":
		return r.slice(x, args)
	case "reduce":
		return r.total(x, args)
	case "at":
		return at(x, args)
	}
	return nil, false
}

// each reads what is done with each element of an array.
func (r *Reading) each(list expr.Expr, name string, args []*Node) (expr.Expr, bool) {
	if len(args) != 1 || args[0].Form != NodeFunction || len(args[0].Args) != 1 {
		return nil, false
	}
	inner, params, ok := r.within(args[0])
	if !ok || len(params) != 1 {
		return nil, false
	}
	param := params[0]
	if name == "map" {
		elem, ok := inner.Meaning(args[0].Args[0])
		return expr.Each{Elem: elem, Var: param, List: list}, ok
	}
	elem, ok := inner.Truth(args[0].Args[0])
	each := expr.Each{Elem: elem, Var: param, List: list}
	those := expr.Each{Elem: expr.Name{ID: param}, Var: param, List: list, Cond: elem, Lenient: true}
	switch name {
	case "some":
		return expr.Any{X: each}, ok
	case "filter":
		return those, ok
	case "find":
		return expr.Index{X: those, I: expr.Num{Text: "0"}}, ok
	}
	return expr.All{X: each}, ok
}

// within reads the body of a function that is given elements, by the names that it calls these and their parts; false
// where it may be given something else.
func (r *Reading) within(fn *Node) (inner *Reading, params []string, ok bool) {
	inner = &Reading{Own: r.Own, Names: r.Names, Aliases: maps.Clone(r.Aliases), changes: r.changes}
	if inner.Aliases == nil {
		inner.Aliases = map[string]expr.Expr{}
	}
	for _, p := range (&Parser{Tokens: fn.Tokens}).Params(fn) {
		name := p.Name
		if name == "" {
			name = "element"
		}
		if p.Rest || p.Default != nil || slices.Contains(params, name) {
			return nil, nil, false
		}
		inner.Aliases[name] = expr.Name{ID: name}
		for _, part := range p.Parts {
			at := inner.Aliases[name]
			for _, step := range part.Steps {
				at = expr.Index{X: at, I: step}
			}
			if inner.Aliases[part.Name] = at; !part.Known {
				inner.Aliases[part.Name] = nil
			}
		}
		params = append(params, name)
	}
	return inner, params, true
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
	if len(args) != 2 || args[0].Form != NodeFunction || len(args[0].Args) != 1 || args[1].Form != NodeNumber ||
		args[1].Text != "0" {
		return nil, false
	}
	inner, params, ok := r.within(args[0])
	body := args[0].Args[0]
	if !ok || len(params) != 2 || body.Form != NodeBinary || body.Text != "+" || !body.Args[0].Is(params[0]) {
		return nil, false
	}
	elem, ok := inner.Meaning(body.Args[1])
	return expr.Total{X: expr.Each{Elem: elem, Var: params[1], List: list}}, ok
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
