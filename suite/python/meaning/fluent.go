package meaning

import "github.com/flaketap/flaketap/suite/python/syntax"

// FluentArguments is how many arguments a method of assertpy has to have that is known.
func FluentArguments(name string) int {
	switch name {
	case "is_true", "is_false", "is_none", "is_not_none", "is_empty", "is_not_empty":
		return 0
	}
	return 1
}

// Fluent are what the methods of assertpy say of a value, by name.
func Fluent(of syntax.Node) map[string]func(args []syntax.Node) syntax.Node {
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
