package python

import (
	"slices"
	"strconv"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/python/source"
)

// pyRest is what first, *rest = list leaves of a list behind so many elements.
type pyRest struct {
	x    node
	from int
}

// at is an element of the rest of a list.
func (p pyRest) at(i node) node {
	n, ok := i.(numLit)
	at, err := strconv.Atoi(n.text)
	if !ok || err != nil {
		return pyOpaque{"the rest of a list"}
	}
	return pyIndex{p.x, numLit{strconv.Itoa(p.from + at)}}
}

// tuplesAs compares (a, b) == (1, 2) element by element. A tuple equals no list, and so nothing that an answer has.
func tuplesAs(x pyCompare) (expr.Expr, bool) {
	if len(x.ops) != 1 || x.ops[0] != "==" && x.ops[0] != "!=" {
		return nil, false
	}
	a, isSeq := x.x.(pySeq)
	b, too := x.ys[0].(pySeq)
	switch {
	case !(isSeq && a.tuple) && !(too && b.tuple):
		return nil, false
	case !isSeq || !too || !a.tuple || !b.tuple || len(a.elems) != len(b.elems) || len(a.elems) == 0:
		return unknown("a tuple compared with something else", x.x, x.ys[0]), true
	}
	var all []expr.Expr
	for i, y := range a.elems {
		all = append(all, meaning(subjectFirst(pyCompare{y, []string{"=="}, []node{b.elems[i]}})))
	}
	if x.ops[0] == "!=" {
		return expr.Not{X: expr.AllOf(all...)}, true
	}
	return expr.AllOf(all...), true
}

// inOrderAs reads x == sorted(x).
func inOrderAs(x pyCompare) (expr.Expr, bool) {
	if len(x.ops) != 1 || x.ops[0] != "==" {
		return nil, false
	}
	for _, sides := range [][2]node{{x.x, x.ys[0]}, {x.ys[0], x.x}} {
		call, ok := sides[0].(pyCall)
		if !ok || !isPyName(call.fn, "sorted") || len(call.args) != 1 || len(call.kw) > 0 {
			continue
		}
		if list := meaning(sides[1]); expr.FromAnswer(list) && expr.Identical(meaning(call.args[0]), list) {
			return expr.InOrder{X: list}, true
		}
	}
	return nil, false
}

// namesAs reads x.keys() == {"a", "b"}, and set(x), where x may be a list too.
func namesAs(x pyCompare) (expr.Expr, bool) {
	if len(x.ops) != 1 || x.ops[0] != "==" {
		return nil, false
	}
	left, right := x.x, x.ys[0]
	if _, turned := left.(pySet); turned {
		left, right = right, left
	}
	call, _ := left.(pyCall)
	set, _ := right.(pySet)
	names, written := set.of.(pySeq)
	if !written || len(call.kw) > 0 || len(names.elems) > maxSet {
		return nil, false
	}
	if fn, ok := call.fn.(pyAttr); ok && fn.name == "keys" && len(call.args) == 0 {
		return hasNames(meaning(fn.x), meanings(names.elems))
	}
	if !isPyName(call.fn, "set") || len(call.args) != 1 {
		return nil, false
	}
	list, isList := call.args[0].(pyComp)
	if !isList {
		of := meaning(call.args[0])
		elements, _ := setAs(pyCompare{pySet{pyComp{elem: pyElement{"element"}, name: "element", list: call.args[0]}}, x.ops, []node{set}})
		says, ok := hasNames(of, meanings(names.elems))
		return expr.If{Cond: expr.IsType{X: of, Types: []expr.Type{expr.TypeObject}}, Then: says, Else: elements}, ok
	}
	return setAs(pyCompare{pySet{list}, x.ops, []node{set}})
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
func stated(x node) node {
	call, ok := calledAs(x, "uuid", "UUID")
	if !ok || len(call.args) != 1 || len(call.kw) > 0 {
		return subjectFirst(x)
	}
	const pattern = `(?:urn:)?(?:uuid:)?\{?(?:-*[0-9a-fA-F]){32}-*\}?`
	return pyCall{fn: pyAttr{pyName{"re"}, "fullmatch"}, args: []node{strLit{pattern}, call.args[0]}}
}

// fluent reads assert_that(x).is_length(1).contains(2), as assertpy has it; false where the statement is none, or says
// what is not known.
func (r *follower) fluent(st statement, x node) bool {
	var said []node
	for {
		call, _ := x.(pyCall)
		if isPyName(call.fn, "assert_that") {
			if len(said) == 0 || len(call.args) != 1 || len(call.kw) > 0 {
				return false
			}
			slices.Reverse(said)
			of := r.resolve(call.args[0], st)
			for i := range said {
				said[i] = fluentForms(of)[said[i].(pyCall).fn.(pyAttr).name](said[i].(pyCall).args)
			}
			all := said[0]
			if len(said) > 1 {
				all = logic{"and", said}
			}
			r.assertion(st, form{open: "assert "}, all, nil)
			return true
		}
		fn, ok := call.fn.(pyAttr)
		if !ok || len(call.kw) > 0 || fluentForms(nil)[fn.name] == nil || len(call.args) != fluentArguments(fn.name) {
			return false
		}
		said = append(said, call)
		x = fn.x
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
func fluentForms(of node) map[string]func(args []node) node {
	compare := func(op string) func([]node) node {
		return func(a []node) node { return pyCompare{of, []string{op}, []node{a[0]}} }
	}
	with := func(op string, y node) func([]node) node {
		return func([]node) node { return pyCompare{of, []string{op}, []node{y}} }
	}
	length := pyCall{fn: pyName{"len"}, args: []node{of}}
	method := func(name string) func([]node) node {
		return func(a []node) node { return pyCall{fn: pyAttr{of, name}, args: a} }
	}
	none := node(pyName{"None"})
	return map[string]func([]node) node{
		"is_equal_to": compare("=="), "is_not_equal_to": compare("!="), "is_greater_than": compare(">"), "is_less_than": compare("<"),
		"is_greater_than_or_equal_to": compare(">="), "is_less_than_or_equal_to": compare("<="),
		"is_none": with("is", none), "is_not_none": with("is not", none),
		"is_true": func([]node) node { return of }, "is_false": func([]node) node { return pyUnary{"not", of} },
		"is_empty":         func([]node) node { return pyCompare{length, []string{"=="}, []node{numLit{"0"}}} },
		"is_not_empty":     func([]node) node { return pyCompare{length, []string{">"}, []node{numLit{"0"}}} },
		"is_length":        func(a []node) node { return pyCompare{length, []string{"=="}, []node{a[0]}} },
		"contains":         func(a []node) node { return pyCompare{a[0], []string{"in"}, []node{of}} },
		"does_not_contain": func(a []node) node { return pyCompare{a[0], []string{"not in"}, []node{of}} },
		"starts_with":      method("startswith"), "ends_with": method("endswith"),
		"is_instance_of": func(a []node) node { return pyCall{fn: pyName{"isinstance"}, args: []node{of, a[0]}} },
	}
}

// opened reads a request that urllib sends by urlopen. Its answer can be read once only.
func (r *follower) opened(x pyCall, st statement) (node, bool) {
	fn, _ := x.fn.(pyAttr)
	if fn.name != "urlopen" && !isPyName(x.fn, "urlopen") || len(x.args) != 1 || slices.ContainsFunc(x.kw, func(k pyKeyword) bool {
		return k.name != "timeout" && k.name != "context"
	}) {
		return nil, false
	}
	sent, ok := r.request(pyCall{fn: pyAttr{pyOpaque{"urllib"}, "get"}, args: x.args}, st)
	if answer, isAnswer := sent.(pyName); ok && isAnswer {
		r.spell(answer.id, expr.JSON, [2]string{source.NoPython, ""})
		r.spell(answer.id, expr.Text, [2]string{source.NoPython, ""})
	}
	return sent, ok
}
