package meaning

import (
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/java"
)

// HandsEach reports whether a function of Kotlin's, or a method of Java's streams, hands the elements of a list to what
// it is given, so that [Value.Each] says what comes of it.
func HandsEach(name string) bool {
	return slices.Contains([]string{"map", "mapNotNull", "filter", "filterNot", "find", "first", "firstOrNull", "single",
		"singleOrNull", "all", "any", "none", "count", "allMatch", "anyMatch", "noneMatch"}, name)
}

// Each is what such a function makes of a list, where one is what is given says of an element, which it calls by a
// name.
func (v Value) Each(name, element string, one expr.Expr) java.Node {
	each := expr.Each{Elem: one, Var: element, List: v.X}
	kept := v // a list of the elements of which one is true
	kept.X, kept.Null = expr.Each{Elem: expr.Name{ID: element}, Var: element, List: v.X, Cond: one}, false
	is := func(x expr.Expr) java.Node { return Value{X: x, Typ: "boolean"} }
	switch name {
	case "all", "allMatch":
		return is(expr.All{X: each})
	case "any", "anyMatch":
		return is(expr.Any{X: each})
	case "none", "noneMatch":
		return is(expr.Negate(expr.Any{X: each}))
	case "filter":
		return kept
	case "filterNot":
		kept.X = expr.Each{Elem: expr.Name{ID: element}, Var: element, List: v.X, Cond: expr.Negate(one)}
		return kept
	case "count":
		return Value{X: expr.Len{X: kept.X}, Typ: "int"}
	case "map", "mapNotNull":
		if name == "mapNotNull" {
			each.Cond = expr.Cmp(Stripped(one), expr.IsNot, expr.Null{})
		}
		of := ""
		if each.Elem = Stripped(one); !expr.Identical(one, each.Elem) {
			of = "String"
		}
		return Value{X: each, Typ: "List", Elem: of}
	}
	return kept.at(0)
}

// OfElement is what is said of an element of a list, whose members are null where it has none of their names: those of
// maps, and of what Jackson made.
func OfElement(element string, says expr.Expr) expr.Expr {
	var members []expr.Index
	expr.Walk(says, func(x expr.Expr) {
		at, isIndex := x.(expr.Index)
		root, steps := expr.Steps(at)
		named := !slices.ContainsFunc(steps, func(step expr.Index) bool { _, is := step.I.(expr.Str); return !is })
		if isIndex && named && expr.Identical(root, expr.Name{ID: element}) {
			members = append(members, at)
		}
	})
	for _, at := range members { // the longest first
		var or expr.Expr = expr.Name{ID: element}
		_, steps := expr.Steps(at)
		for _, step := range steps {
			or = expr.Get{X: or, Key: step.I}
		}
		says = expr.Subst(says, at, or)
	}
	return says
}

// at is an element of a list, by its number.
func (v Value) at(n int) Value {
	typ := ""
	switch {
	case IsTree(v.Typ):
		typ = v.Typ
	case v.Elem == "String":
		typ = v.Elem
	}
	return Value{X: expr.Index{X: v.X, I: expr.Int(n)}, Typ: typ, Null: v.Null || v.Typ == "List"}
}

// ofList is a method without arguments of a list that was taken from an answer; false where it is another.
func ofList(v Value, name string) (java.Node, bool) {
	if v.Typ != "List" && v.Typ != "" && !IsTree(v.Typ) {
		return nil, false
	}
	switch name {
	case "first", "getFirst", "firstOrNull", "single", "singleOrNull":
		return v.at(0), true
	case "findFirst", "findAny":
		at := v.at(0)
		at.Typ, at.Elem = "Optional", at.Typ
		return at, true
	case "last", "lastOrNull", "getLast":
		return v.at(-1), true
	case "stream", "toList", "asSequence", "asIterable":
		return v, true
	case "toSet", "toMutableSet", "toHashSet":
		return Value{X: v.X, Typ: TypeSet}, true
	case "sorted":
		return Value{X: v.X, Typ: TypeSorted}, true
	case "count":
		return Value{X: expr.Len{X: v.X}, Typ: "int"}, true
	case "isNotEmpty":
		return Value{X: expr.Cmp(expr.Len{X: v.X}, expr.Gt, expr.Int(0)), Typ: "boolean"}, true
	}
	nth, ok := strings.CutPrefix(name, "component")
	if n, err := strconv.Atoi(nth); ok && err == nil && n > 0 {
		return v.at(n - 1), true
	}
	return nil, false
}
