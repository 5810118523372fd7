package jest

import (
	"cmp"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/jest/library"
	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/script"
)

// called is what a call gives.
func (r *follower) called(n *js.Node) (value, bool) {
	object, name, args := n.Method()
	if callee := n.Args[0]; callee.Form == js.NodeIndex { // client[method](…)
		if key := r.eval(callee.Args[1]).text; js.Identifier.MatchString(key) {
			object, name, args = callee.Args[0], key, n.Args[1:]
		}
	}
	if object == nil {
		return r.function(n.Args[0], n.Args[1:])
	}
	if object.Form == js.NodeName {
		switch object.Text + "." + name {
		case "JSON.stringify":
			if len(args) > 0 {
				text, ok := r.eval(args[0]).json()
				if !ok {
					text = script.Unknown
				}
				return value{text: text, what: "a text of JSON"}, true
			}
		case "JSON.parse":
			return r.parse(args)
		case "Promise.all", "Promise.allSettled":
			if len(args) == 1 {
				r.together(n, name, args[0])
				return r.eval(args[0]), true
			}
		}
	}
	r.changes(object, name, args)
	of := r.object(object)
	switch {
	case of.hasMembers():
		if f, ok := r.member(of, name); ok {
			return r.apply(f, args)
		}
		if library.IsVerb(name) && len(args) > 0 && r.mayBeClient(object, value{}) { // of a class that is not known
			return r.send(&client{}, library.Verb(name), args)
		}
	case of.answer != nil:
		return r.answered(n, of, name, args)
	case isHeaders(of.x) && name == "get" && len(args) == 1:
		return r.member(of, r.eval(args[0]).text)
	case of.client != nil:
		return r.client(of.client, name, args)
	case name == "then" && len(args) > 0:
		return r.then(of, args[0]), true
	case name == "request" && object.Form == js.NodeName && r.module.packages[object.Text] == "chai" && len(args) > 0:
		return value{client: &client{library: library.SuperAgent}, text: script.Unknown}, true
	case of.fields != nil:
		if f, ok := of.field(name); ok {
			return r.apply(f, args)
		}
	case library.IsVerb(name) && len(args) > 0 && r.mayBeClient(object, of):
		return r.send(&client{}, library.Verb(name), args)
	}
	return value{}, false
}

// object is the value that a method is called of.
func (r *follower) object(n *js.Node) value {
	switch {
	case n.Form == js.NodeUnary && n.Text == "await":
		return r.object(n.Args[0])
	case n.Form == js.NodeUnary && n.Text == "new":
		return r.eval(n)
	case n.Form == js.NodeName:
		return r.lookup(n.Text)
	}
	v, _ := r.beyond(n)
	return v
}

// mayBeClient reports whether nothing is known of an object that is asked for a path: it may send requests.
func (r *follower) mayBeClient(n *js.Node, v value) bool {
	root := n
	for root.Form == js.NodeMember || root.Form == js.NodeCall {
		root = root.Args[0]
	}
	known := v.x != nil || v.fn != nil || v.fields != nil || v.hasMembers()
	return !known && root.Form == js.NodeName && !root.Is("app") && !root.Is("cy")
}

// apply is what a value gives that is called: a function, a class, a library.
func (r *follower) apply(of value, args []*js.Node) (value, bool) {
	switch {
	case of.fn != nil:
		return r.call(of.fn, r.values(args)), true
	case of.class != nil && of.object != nil:
		return r.above(of, r.values(args)), true
	case of.class != nil:
		return r.construct(of.class, r.values(args)), true
	case of.client != nil:
		return r.client(of.client, "", args)
	}
	return value{}, false
}

// function calls what a name stands for: a function of the file, or a library.
func (r *follower) function(callee *js.Node, args []*js.Node) (value, bool) {
	of := value{}
	switch callee.Form {
	case js.NodeName:
		of = r.lookup(callee.Text)
	case js.NodeFunction:
		of = value{fn: &function{node: callee, scope: r.scope, module: r.module}}
	case js.NodeClass:
		of = r.newClass(callee)
	case js.NodeCall: // require("./login")()
		of, _ = r.beyond(callee)
	}
	if v, ok := r.apply(of, args); ok {
		return v, true
	}
	switch {
	case (callee.Is("require") || callee.Is("import")) && len(args) == 1 && args[0].Form == js.NodeString:
		if l, isLibrary := library.ByModule()[args[0].Text]; isLibrary {
			return value{client: &client{library: l}, text: script.Unknown}, true
		}
		return r.taken(js.Link{Key: "*", From: cmp.Or(args[0].Text, ".")})
	case callee.Is("URL") && len(args) > 0:
		text := r.eval(args[0]).text
		if len(args) > 1 {
			text = library.Resolved(r.eval(args[1]).text, text)
		}
		return value{text: text, what: "a URL", fields: []field{{"href", value{text: text, what: "a URL"}}}}, true
	case callee.Is("Map"), callee.Is("Set"), callee.Is("FormData"):
		return value{fields: []field{{js.Spread, unknown("what a collection holds")}}, text: script.Unknown}, true
	case callee.Is("Headers") && len(args) == 1:
		return r.eval(args[0]), true
	case callee.Is("URLSearchParams") && len(args) == 1:
		return value{text: r.eval(args[0]).query(), what: "a query"}, true
	}
	return value{}, false
}

func (r *follower) values(args []*js.Node) []value {
	out := make([]value, len(args))
	for i, a := range args {
		out[i] = r.eval(a)
		out[i].spread = a.Form == js.NodeUnary && a.Text == js.Spread
	}
	return out
}

// parse is what JSON.parse makes of the text of an answer.
func (r *follower) parse(args []*js.Node) (value, bool) {
	if len(args) != 1 {
		return value{}, false
	}
	of, ok := r.eval(args[0]).x.(expr.Answer)
	if !ok || of.Part != expr.Text {
		return value{}, false
	}
	return value{x: expr.Answer{Var: of.Var, Part: expr.JSON}, text: script.Unknown}, true
}

// answered is what a method of an answer gives, or of one that is not there yet.
func (r *follower) answered(n *js.Node, of value, name string, args []*js.Node) (value, bool) {
	part := func(what expr.Part) (value, bool) {
		return value{x: expr.Answer{Var: of.answer.Var, Part: what}, text: script.Unknown}, true
	}
	l := r.file.calls[of.answer]
	switch {
	case name == "then" && len(args) > 0:
		return r.then(of, args[0]), true
	case name == "catch" && len(args) == 1:
		if fn := args[0]; fn.Form == js.NodeFunction && len(fn.Args) == 1 && fn.Args[0].Form == js.NodeMember &&
			fn.Args[0].Text == "response" {
			return of, true
		}
		if fn := args[0]; fn.Form == js.NodeFunction && r.own && r.throws(of.answer) {
			in := *r
			in.caught = of.answer
			in.handed(fn, []value{errorOf(of.answer)})
		}
		return unknown("an answer, or what is made of an error"), true
	case name == "finally":
		return of, true
	case l == library.SuperAgent && (name == "get" || name == "header") && len(args) == 1:
		return r.member(value{x: expr.Answer{Var: of.answer.Var, Part: expr.Headers}}, r.eval(args[0]).text)
	case l == library.SuperAgent && name == "end" && len(args) == 1:
		return r.ends(of, args[0]), true
	case l == library.SuperAgent:
		return r.link(n, of, name, args), true
	case name == "json" && len(args) == 0:
		return part(expr.JSON)
	case name == "text" && len(args) == 0:
		return part(expr.Text)
	}
	return unknown("the method " + name + " of an answer"), true
}

// ends follows a function that superagent calls with an error, which there is none of, and the answer.
func (r *follower) ends(of value, fn *js.Node) value {
	none := value{x: expr.Null{}, text: "null"}
	if fn.Form != js.NodeFunction {
		return unknown("what a function makes of an answer")
	}
	if !r.own {
		return r.call(&function{node: fn, scope: r.scope, module: r.module}, []value{none, of})
	}
	return r.handed(fn, []value{none, of})
}

// then follows a function that is called with a value once that is there.
func (r *follower) then(of value, fn *js.Node) value {
	v := r.eval(fn)
	if v.fn == nil {
		return unknown("what a function makes of an answer")
	}
	if !r.own || fn.Form != js.NodeFunction {
		return r.call(v.fn, []value{of})
	}
	return r.handed(fn, []value{of})
}

// handed follows a function that the test itself hands on, which is its own.
func (r *follower) handed(fn *js.Node, args []value) value {
	in := *r
	in.tokens = fn.Tokens
	in.result, in.ended = unknown("what a function returns"), false
	in.enter(nil)
	in.reading = in.newReading()
	in.parameters(fn, args)
	return in.runs(fn)
}
