package meaning

import (
	"slices"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/python/syntax"
)

// tuplesAs compares (a, b) == (1, 2) element by element. A tuple equals no list, and so nothing that an answer has.
func tuplesAs(x syntax.Compare) (expr.Expr, bool) {
	if len(x.Ops) != 1 || x.Ops[0] != "==" && x.Ops[0] != "!=" {
		return nil, false
	}
	a, isSeq := x.X.(syntax.Seq)
	b, too := x.Ys[0].(syntax.Seq)
	switch {
	case !(isSeq && a.Tuple) && !(too && b.Tuple):
		return nil, false
	case !isSeq || !too || !a.Tuple || !b.Tuple || len(a.Elems) != len(b.Elems) || len(a.Elems) == 0:
		return Unknown("a tuple compared with something else", x.X, x.Ys[0]), true
	}
	var all []expr.Expr
	for i, y := range a.Elems {
		all = append(all, Of(SubjectFirst(syntax.Compare{X: y, Ops: []string{"=="}, Ys: []syntax.Node{b.Elems[i]}})))
	}
	if x.Ops[0] == "!=" {
		return expr.Not{X: expr.AllOf(all...)}, true
	}
	return expr.AllOf(all...), true
}

// inOrderAs reads x == sorted(x).
func inOrderAs(x syntax.Compare) (expr.Expr, bool) {
	if len(x.Ops) != 1 || x.Ops[0] != "==" {
		return nil, false
	}
	for _, sides := range [][2]syntax.Node{{x.X, x.Ys[0]}, {x.Ys[0], x.X}} {
		call, ok := sides[0].(syntax.Call)
		if !ok || !syntax.IsName(call.Fn, "sorted") || len(call.Args) != 1 || len(call.Kw) > 0 {
			continue
		}
		if list := Of(sides[1]); expr.FromAnswer(list) && expr.Identical(Of(call.Args[0]), list) {
			return expr.InOrder{X: list}, true
		}
	}
	return nil, false
}

// namesAs reads x.keys() == {"a", "b"}, and set(x), where x may be a list too.
func namesAs(x syntax.Compare) (expr.Expr, bool) {
	if len(x.Ops) != 1 || x.Ops[0] != "==" {
		return nil, false
	}
	left, right := x.X, x.Ys[0]
	if _, turned := left.(syntax.Set); turned {
		left, right = right, left
	}
	call, _ := left.(syntax.Call)
	set, _ := right.(syntax.Set)
	names, written := set.Of.(syntax.Seq)
	if !written || len(call.Kw) > 0 || len(names.Elems) > maxSet {
		return nil, false
	}
	if fn, ok := call.Fn.(syntax.Attr); ok && fn.Name == "keys" && len(call.Args) == 0 {
		return hasNames(Of(fn.X), meanings(names.Elems))
	}
	if !syntax.IsName(call.Fn, "set") || len(call.Args) != 1 {
		return nil, false
	}
	list, isList := call.Args[0].(syntax.Comp)
	if !isList {
		of := Of(call.Args[0])
		elements, _ := setAs(syntax.Compare{X: syntax.Set{Of: syntax.Comp{Elem: Element{"element"}, Name: "element", List: call.Args[0]}}, Ops: x.Ops, Ys: []syntax.Node{set}})
		says, ok := hasNames(of, meanings(names.Elems))
		return expr.If{Cond: expr.IsType{X: of, Types: []expr.Type{expr.TypeObject}}, Then: says, Else: elements}, ok
	}
	return setAs(syntax.Compare{X: syntax.Set{Of: list}, Ops: x.Ops, Ys: []syntax.Node{set}})
}

// hasNames says that an object has members of these names, and no others.
func hasNames(object expr.Expr, names []expr.Expr) (expr.Expr, bool) {
	var once []expr.Expr
	for _, name := range names {
		if _, ok := name.(expr.Str); !ok {
			return nil, false
		}
		if !slices.Contains(once, name) {
			once = append(once, name)
		}
	}
	says := []expr.Expr{expr.IsType{X: object, Types: []expr.Type{expr.TypeObject}},
		expr.Cmp(expr.Len{X: object}, expr.Eq, expr.Int(len(once)))}
	for _, name := range once {
		says = append(says, expr.Cmp(name, expr.In, object))
	}
	return expr.AllOf(says...), true
}

// Stated is what an assertion states: a comparison with its subject first, or that uuid.UUID can read a text.
func Stated(x syntax.Node) syntax.Node {
	call, ok := calledAs(x, "uuid", "UUID")
	if !ok || len(call.Args) != 1 || len(call.Kw) > 0 {
		return SubjectFirst(x)
	}
	const pattern = `(?:urn:)?(?:uuid:)?\{?(?:-*[0-9a-fA-F]){32}-*\}?`
	return syntax.Call{Fn: syntax.Attr{X: syntax.Name{Id: "re"}, Name: "fullmatch"}, Args: []syntax.Node{syntax.StrLit{S: pattern}, call.Args[0]}}
}
