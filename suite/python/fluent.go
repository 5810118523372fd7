package python

import (
	"slices"

	"github.com/flaketap/flaketap/suite/python/syntax"
)

// fluent reads assert_that(x).is_length(1).contains(2), as assertpy has it; false where the statement is none, or says
// what is not known.
func (r *follower) fluent(st syntax.Statement, x syntax.Node) bool {
	var said []syntax.Node
	for {
		call, _ := x.(syntax.Call)
		if syntax.IsName(call.Fn, "assert_that") {
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
