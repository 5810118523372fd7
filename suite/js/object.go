package js

import (
	"slices"

	"github.com/flaketap/flaketap/suite/expr"
)

// object reads an object that is written out, with the members of others that are spread into it, if they are known.
func (r *Reading) object(n *Node) (expr.Expr, bool) {
	var out expr.Object
	set := func(key string, x expr.Expr) {
		if i := slices.Index(out.Keys, key); i >= 0 {
			out.Values[i] = x
			return
		}
		out.Keys, out.Values = append(out.Keys, key), append(out.Values, x)
	}
	for i, key := range n.Keys {
		if n.Args[i].Form != NodeUnary || n.Args[i].Text != Spread {
			x, ok := r.Meaning(n.Args[i])
			if !ok {
				return nil, false
			}
			set(key, x)
			continue
		}
		x, _ := r.Meaning(n.Args[i].Args[0])
		of, ok := x.(expr.Object)
		if !ok {
			return nil, false
		}
		for j, key := range of.Keys {
			set(key, of.Values[j])
		}
	}
	return out, true
}

// NamesAs reads that the names of an object's members, Object.keys(x), in any order or sorted, are a list that is
// written out. ok is false where an expression is none, and where the list is in no such order.
func (r *Reading) NamesAs(names *Node, list expr.Expr) (same expr.Expr, ok bool) {
	object, name, args := names.Method()
	sorted := object != nil && (name == "sort" || name == "toSorted") && len(args) == 0
	if sorted {
		object, name, args = object.Method()
	}
	want, isList := list.(expr.List)
	if object == nil || !object.Is("Object") || name != "keys" || len(args) != 1 || !isList {
		return nil, false
	}
	if _, inOrder := SortedAs(nil, ByText, want); sorted && !inOrder {
		return nil, false
	}
	x, ok := r.Meaning(args[0])
	says := []expr.Expr{expr.Cmp(expr.Len{X: x}, expr.Eq, expr.Int(len(want.Elems)))}
	for _, key := range want.Elems {
		says = append(says, expr.Cmp(key, expr.In, x))
	}
	return expr.And{Xs: says}, ok && expr.FromAnswer(x)
}
