package python

import (
	"slices"
	"strconv"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/python/source"
	"github.com/flaketap/flaketap/suite/python/syntax"
)

// pyRest is what first, *rest = list leaves of a list behind so many elements.
type pyRest struct {
	x    syntax.Node
	from int
}

// at is an element of the rest of a list.
func (p pyRest) at(i syntax.Node) syntax.Node {
	n, ok := i.(syntax.NumLit)
	at, err := strconv.Atoi(n.Text)
	if !ok || err != nil {
		return pyOpaque{"the rest of a list"}
	}
	return syntax.Index{X: p.x, I: syntax.NumLit{Text: strconv.Itoa(p.from + at)}}
}

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
		return unknown("a tuple compared with something else", x.X, x.Ys[0]), true
	}
	var all []expr.Expr
	for i, y := range a.Elems {
		all = append(all, meaning(subjectFirst(syntax.Compare{X: y, Ops: []string{"=="}, Ys: []syntax.Node{b.Elems[i]}})))
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
		if !ok || !isPyName(call.Fn, "sorted") || len(call.Args) != 1 || len(call.Kw) > 0 {
			continue
		}
		if list := meaning(sides[1]); expr.FromAnswer(list) && expr.Identical(meaning(call.Args[0]), list) {
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
		return hasNames(meaning(fn.X), meanings(names.Elems))
	}
	if !isPyName(call.Fn, "set") || len(call.Args) != 1 {
		return nil, false
	}
	list, isList := call.Args[0].(syntax.Comp)
	if !isList {
		of := meaning(call.Args[0])
		elements, _ := setAs(syntax.Compare{X: syntax.Set{Of: syntax.Comp{Elem: pyElement{"element"}, Name: "element", List: call.Args[0]}}, Ops: x.Ops, Ys: []syntax.Node{set}})
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

// stated is what an assertion states: a comparison with its subject first, or that uuid.UUID can read a text.
func stated(x syntax.Node) syntax.Node {
	call, ok := calledAs(x, "uuid", "UUID")
	if !ok || len(call.Args) != 1 || len(call.Kw) > 0 {
		return subjectFirst(x)
	}
	const pattern = `(?:urn:)?(?:uuid:)?\{?(?:-*[0-9a-fA-F]){32}-*\}?`
	return syntax.Call{Fn: syntax.Attr{X: syntax.Name{Id: "re"}, Name: "fullmatch"}, Args: []syntax.Node{syntax.StrLit{S: pattern}, call.Args[0]}}
}

// fluent reads assert_that(x).is_length(1).contains(2), as assertpy has it; false where the statement is none, or says
// what is not known.
func (r *follower) fluent(st syntax.Statement, x syntax.Node) bool {
	var said []syntax.Node
	for {
		call, _ := x.(syntax.Call)
		if isPyName(call.Fn, "assert_that") {
			if len(said) == 0 || len(call.Args) != 1 || len(call.Kw) > 0 {
				return false
			}
			slices.Reverse(said)
			of := r.resolve(call.Args[0], st)
			for i := range said {
				said[i] = fluentForms(of)[said[i].(syntax.Call).Fn.(syntax.Attr).Name](said[i].(syntax.Call).Args)
			}
			all := said[0]
			if len(said) > 1 {
				all = syntax.Logic{Op: "and", Xs: said}
			}
			r.assertion(st, form{open: "assert "}, all, nil)
			return true
		}
		fn, ok := call.Fn.(syntax.Attr)
		if !ok || len(call.Kw) > 0 || fluentForms(nil)[fn.Name] == nil || len(call.Args) != fluentArguments(fn.Name) {
			return false
		}
		said = append(said, call)
		x = fn.X
	}
}

// fluentArguments is how many arguments a method of assertpy has to have here.
func fluentArguments(name string) int {
	switch name {
	case "is_true", "is_false", "is_none", "is_not_none", "is_empty", "is_not_empty":
		return 0
	}
	return 1
}

// fluentForms are what the methods of assertpy say of a value, by name.
func fluentForms(of syntax.Node) map[string]func(args []syntax.Node) syntax.Node {
	compare := func(op string) func([]syntax.Node) syntax.Node {
		return func(a []syntax.Node) syntax.Node {
			return syntax.Compare{X: of, Ops: []string{op}, Ys: []syntax.Node{a[0]}}
		}
	}
	with := func(op string, y syntax.Node) func([]syntax.Node) syntax.Node {
		return func([]syntax.Node) syntax.Node { return syntax.Compare{X: of, Ops: []string{op}, Ys: []syntax.Node{y}} }
	}
	length := syntax.Call{Fn: syntax.Name{Id: "len"}, Args: []syntax.Node{of}}
	method := func(name string) func([]syntax.Node) syntax.Node {
		return func(a []syntax.Node) syntax.Node { return syntax.Call{Fn: syntax.Attr{X: of, Name: name}, Args: a} }
	}
	none := syntax.Node(syntax.Name{Id: "None"})
	return map[string]func([]syntax.Node) syntax.Node{
		"is_equal_to": compare("=="), "is_not_equal_to": compare("!="), "is_greater_than": compare(">"), "is_less_than": compare("<"),
		"is_greater_than_or_equal_to": compare(">="), "is_less_than_or_equal_to": compare("<="),
		"is_none": with("is", none), "is_not_none": with("is not", none),
		"is_true": func([]syntax.Node) syntax.Node { return of }, "is_false": func([]syntax.Node) syntax.Node { return syntax.Unary{Op: "not", X: of} },
		"is_empty": func([]syntax.Node) syntax.Node {
			return syntax.Compare{X: length, Ops: []string{"=="}, Ys: []syntax.Node{syntax.NumLit{Text: "0"}}}
		},
		"is_not_empty": func([]syntax.Node) syntax.Node {
			return syntax.Compare{X: length, Ops: []string{">"}, Ys: []syntax.Node{syntax.NumLit{Text: "0"}}}
		},
		"is_length": func(a []syntax.Node) syntax.Node {
			return syntax.Compare{X: length, Ops: []string{"=="}, Ys: []syntax.Node{a[0]}}
		},
		"contains": func(a []syntax.Node) syntax.Node {
			return syntax.Compare{X: a[0], Ops: []string{"in"}, Ys: []syntax.Node{of}}
		},
		"does_not_contain": func(a []syntax.Node) syntax.Node {
			return syntax.Compare{X: a[0], Ops: []string{"not in"}, Ys: []syntax.Node{of}}
		},
		"starts_with": method("startswith"), "ends_with": method("endswith"),
		"is_instance_of": func(a []syntax.Node) syntax.Node {
			return syntax.Call{Fn: syntax.Name{Id: "isinstance"}, Args: []syntax.Node{of, a[0]}}
		},
	}
}

// opened reads a request that urllib sends by urlopen. Its answer can be read once only.
func (r *follower) opened(x syntax.Call, st syntax.Statement) (syntax.Node, bool) {
	fn, _ := x.Fn.(syntax.Attr)
	if fn.Name != "urlopen" && !isPyName(x.Fn, "urlopen") || len(x.Args) != 1 || slices.ContainsFunc(x.Kw, func(k syntax.Keyword) bool {
		return k.Name != "timeout" && k.Name != "context"
	}) {
		return nil, false
	}
	sent, ok := r.request(syntax.Call{Fn: syntax.Attr{X: pyOpaque{"urllib"}, Name: "get"}, Args: x.Args}, st)
	if answer, isAnswer := sent.(syntax.Name); ok && isAnswer {
		r.spell(answer.Id, expr.JSON, [2]string{source.NoPython, ""})
		r.spell(answer.Id, expr.Text, [2]string{source.NoPython, ""})
	}
	return sent, ok
}
