package meaning

import (
	"slices"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/java"
)

// The types of what is made of a list, or of an object, so that the order of its elements, or how often each of
// them comes, makes no difference.
const (
	TypeKeys       = "names"        // of an object's members
	TypeSortedKeys = "sorted names" // a list of these, in order
	TypeSet        = "Set"          // of the elements of a list
	TypeSorted     = "sorted"       // a list, in order
)

// isLoose reports whether a value is such, of which little can be asked.
func (v Value) isLoose() bool {
	return slices.Contains([]string{TypeKeys, TypeSortedKeys, TypeSet, TypeSorted}, v.Typ)
}

// ofLoose is a method of such a value. JSON gives the names of members no order, so that a list of them says no more
// than their set does.
func ofLoose(v Value, c java.Call) java.Node {
	if (v.Typ == TypeKeys || v.Typ == TypeSortedKeys) && len(c.Args) == 0 {
		switch c.Name {
		case "toList", "toMutableList", "stream", "asSequence":
			return v
		case "toSet":
			return Value{X: v.X, Typ: TypeKeys}
		case "sorted", "toSortedSet":
			return Value{X: v.X, Typ: TypeSortedKeys}
		case "size", "count":
			return Value{X: expr.Len{X: v.X}, Typ: "int"}
		}
	}
	return java.Opaque{What: "the method " + c.Name}
}

// has says that such a value is made of the elements that are written out.
func (v Value) has(lit expr.List) Said {
	if v.Typ == TypeSorted || v.Typ == TypeSortedKeys {
		inOrder, err := expr.Scope{}.Holds(expr.InOrder{X: lit})
		if !inOrder || err != nil {
			return Says(expr.Unknown{What: "a list that is in order as another"})
		}
	}
	if v.Typ == TypeSorted {
		return Says(expr.SameItems{X: v.X, Y: lit})
	}
	var all []expr.Expr
	var distinct []expr.Expr
	for _, e := range lit.Elems {
		if !slices.ContainsFunc(distinct, func(x expr.Expr) bool { return expr.Identical(x, e) }) {
			distinct = append(distinct, e)
			all = append(all, expr.Cmp(e, expr.In, v.X))
		}
	}
	if v.Typ != TypeSet {
		return Says(expr.AllOf(append(all, expr.Cmp(expr.Len{X: v.X}, expr.Eq, expr.Int(len(distinct))))...))
	}
	const element = "e"
	one := expr.Cmp(expr.Name{ID: element}, expr.In, expr.Set{Elems: distinct})
	only := expr.Each{Elem: one, Var: element, List: v.X}
	return Says(expr.AllOf(append(all, expr.All{X: only})...))
}
