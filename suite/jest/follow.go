package jest

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/jest/library"
	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/script"
)

// Bounds of following a test: calls of functions within each other, files that take a name from each other,
// expressions, what one value is made of, and the bytes of a text.
const (
	maxInlined = 8
	maxHops    = 20
	maxNodes   = 1 << 14
	maxValue   = 1 << 12
	maxText    = 1 << 20
)

// follower goes through the statements of a test in the order in which JavaScript would, into the functions of the file
// that it calls, and knows what each name stands for.
type follower struct {
	file    *written
	test    *script.Test
	titles  []string           // of the test, and of what it is in
	module  *module            // the file that is followed
	tokens  []js.Token         // those that expressions are counted in: of the file, or of a template
	scopes  map[*module]*scope // what other files declare
	scope   *scope
	reading *js.Reading
	seen    map[*js.Node]known    // what expressions stand for that were come to: a request is sent once
	all     map[*js.Node]bool     // what Promise.all is given, for which a statement of the test waits
	parsed  map[*script.Call]bool // calls of got whose body is no text
	in      js.Context            // what the present statement stands in
	site    script.Span           // the test's own statement that is followed, or its definition
	own     bool                  // the statements are the test's own, and not those of a function that it calls
	many    bool                  // the test runs several times
	rows    *rows                 // what it runs with, or a loop of it; nil where that is nothing that is written out
	depth   int                   // of calls of functions
	hops    int                   // from file to file
	nodes   *int                  // expressions that were come to in the test
	what    string                // what is not known of the expression at hand
	result  value                 // what the function returns
	ended   bool                  // it has returned
	said    *helping              // what a function asserts that is called to assert; nil where none is followed
	naming  string                // the variable of a set-up that the statement declares
	caught  *script.Call          // the answer to it was no success, and its error is being looked at
	lambda  map[*js.Node]bool     // calls within functions that an expression hands on: they are not followed
	around  expr.Each             // the loop over a list of an answer that the statement stands in; of no name without one
	loop    *loop                 // whose turns the statement is part of; nil where it is of none of this function
	sure    bool                  // it is part of each of them
}

// known is what was found of an expression: ok is false where it is nothing but what it means.
type known struct {
	value value
	ok    bool
}

// scope has the names of a block, a function, a describe or the file.
type scope struct {
	up       *scope
	vars     map[string]value
	declared map[string]declaration // what is evaluated when it is asked for
}

// enter makes a scope within the present one.
func (r *follower) enter(declared map[string]declaration) {
	r.scope = &scope{up: r.scope, vars: map[string]value{}, declared: declared}
}

// lookup is what a name stands for.
func (r *follower) lookup(name string) value {
	for s := r.scope; s != nil; s = s.up {
		if v, ok := s.vars[name]; ok {
			return v
		}
		if d, ok := s.declared[name]; ok {
			s.vars[name] = unknown("the name " + name) // for one that refers to itself
			in := r.at(r.module, s)
			s.vars[name] = in.settled(name, d, in.declared(name, d))
			return s.vars[name]
		}
	}
	if l, ok := r.module.links[name]; ok {
		if v, ok := r.taken(l); ok {
			return v
		}
	}
	if c := r.imported(name); c != nil {
		return value{client: c, text: script.Unknown}
	}
	return unknown("the name " + name)
}

// declared is what a declaration outside of tests says.
func (r *follower) declared(name string, d declaration) value {
	if c := r.imported(name); c != nil && (requires(d.x) || d.part != nil && requires(d.part.Of)) {
		return value{client: c, text: script.Unknown}
	}
	switch {
	case d.part != nil:
		return r.takes(r.eval(d.part.Of), *d.part)
	case d.x != nil:
		return r.eval(d.x)
	}
	return unknown("the name " + name)
}

// requires reports whether an expression is require("module").
func requires(n *js.Node) bool {
	return n != nil && n.Form == js.NodeCall && n.Args[0].Is("require")
}

// imported is the client that a name is, of a library that the file imports, or fetch.
func (r *follower) imported(name string) *client {
	module, ok := r.module.packages[name]
	switch l, isLibrary := library.ByModule()[module]; {
	case name == "fetch" && (!ok || isLibrary):
		return &client{library: library.Fetch}
	case ok && isLibrary:
		return &client{library: l}
	}
	return nil
}

// set gives a name a value, where it is declared. What is done under a condition is not known to be.
func (r *follower) set(name string, v value) {
	if r.caught != nil && !r.in.Condition && v.raises == r.caught && r.undefined(name) {
		raised := r.file.raised[r.test]
		if raised == nil {
			raised = map[string]bool{}
			r.file.raised[r.test] = raised
		}
		raised[v.raises.Var] = true
	} else if (r.in.Condition || r.caught != nil) && !r.last(name, v) {
		v = unknown("what is assigned under a condition")
	}
	r.put(name, v)
}

// undefined reports whether nothing was given to a variable of the test yet.
func (r *follower) undefined(name string) bool {
	v, ok := r.held(name)
	return ok && v.unset
}

// put gives a name a value, where it is declared.
func (r *follower) put(name string, v value) {
	for s := r.scope; s != nil; s = s.up {
		_, has := s.vars[name]
		if _, declared := s.declared[name]; has || declared || s.up == nil {
			s.vars[name] = v
			return
		}
	}
}

// block follows the statements of a block, which has a scope of its own.
func (r *follower) block(b js.Block, caught ...string) {
	if r.in.Depth++; r.in.Depth > js.MaxNested {
		return
	}
	outer := r.scope
	r.enter(nil)
	for _, name := range caught {
		r.scope.vars[name] = unknown("the name " + name)
	}
	for p := r.parser(b); p.Pos < p.End && !r.ended; {
		st := p.Statement()
		if r.own {
			r.site = r.spanOf(st.First, st.Last)
		}
		r.statement(st)
		r.reading.After(st)
	}
	r.scope = outer
	r.in.Depth--
}

func (r *follower) statement(st js.Statement) {
	in := r.in
	defer func() { r.in = in }()
	switch st.Keyword {
	case "":
		if st.X != nil && !r.loops(st) {
			r.expression(st)
		}
	case "return":
		if st.X != nil {
			r.result = r.expression(st)
			r.polled(r.result)
		}
		r.ended = !r.in.Condition && r.caught == nil
	case "const", "let", "var", "function", "class":
		r.declare(st)
	case "{":
		r.block(st.Blocks[0])
	case "try":
		r.tries(st)
	case "if", "for", "while", "do", "with":
		if r.decides(st) || r.loops(st) {
			return
		}
		defer r.repeats(st.Keyword, len(r.test.Calls))
		defer r.turns(st)()
		if st.Keyword == "while" && st.X != nil {
			r.eval(st.X)
		}
		r.in.Condition = true
		for _, b := range st.Blocks {
			var declared []string
			if st.Keyword == "for" {
				declared = r.words(b.From)
			}
			r.block(b, declared...)
		}
	default:
		r.unread(st)
	}
}

// words lists the names in the brackets before the brace of a block: what catch and for declare.
func (r *follower) words(from int) []string {
	var out []string
	at := from - 1
	if at > 0 && at < len(r.tokens) && r.tokens[at].Is("{") {
		at--
	}
	for n := 0; at > 0 && n < 50 && !r.tokens[at].Is("for") && !r.tokens[at].Is("catch"); at, n = at-1, n+1 {
		if r.tokens[at].Kind == js.Word && !r.tokens[at-1].Is(".") {
			out = append(out, r.tokens[at].Text)
		}
	}
	return out
}

// declare reads a declaration.
func (r *follower) declare(st js.Statement) {
	for i, name := range st.Names {
		v := unknown("the name " + name)
		v.unset = true
		if st.Values[i] != nil {
			r.disturb(st.Values[i])
			v = r.gives(name, st.Values[i])
		}
		r.scope.vars[name] = v
	}
	for _, x := range st.Taken {
		r.disturb(x)
	}
	for _, part := range st.Parts {
		r.scope.vars[part.Name] = r.takes(r.eval(part.Of), part)
	}
}

// gives evaluates what a variable is given. The call whose answer one of a set-up holds is known by its name.
func (r *follower) gives(name string, x *js.Node) value {
	if r.module == r.file.module && strings.HasPrefix(name, script.SetUpPrefix) {
		r.naming = name
	}
	v := r.eval(x)
	r.naming = ""
	return v
}

// expression reads an expression that stands for itself: an assertion, an assignment, a call.
func (r *follower) expression(st js.Statement) value {
	r.mark(st.X, nil)
	r.disturb(st.X)
	if r.asserted(st) || r.helped(st) {
		return value{}
	}
	if x := st.X; x.Form == js.NodeBinary && x.Assigns() {
		v := r.gives(x.Args[0].Text, x.Args[1])
		if x.Text != "=" {
			v = unknown("a value that changes")
		}
		r.assign(x.Args[0], v)
		return v
	}
	if st.X.Form == js.NodeUnary && (st.X.Text == "++" || st.X.Text == "--" || st.X.Text == "delete") {
		r.assign(st.X.Args[0], unknown("a value that changes"))
		return value{}
	}
	return r.eval(st.X)
}

// parser reads a block of what is followed.
func (r *follower) parser(b js.Block) *js.Parser {
	return &js.Parser{Tokens: r.tokens, Pos: b.From, End: b.To, Typed: r.module.typed}
}

// spanOf makes the span of some tokens; an empty one for those of another file.
func (r *follower) spanOf(first, last int) script.Span {
	if r.module != r.file.module {
		return script.Span{}
	}
	return r.file.span(r.tokens[first].Start, r.tokens[max(first, last-1)].End)
}

// assign gives a name a value, or a member of an object that has methods. Of any other object of which a member is
// assigned nothing is known any more.
func (r *follower) assign(to *js.Node, v value) {
	for to.Form == js.NodeMember || to.Form == js.NodeIndex {
		if r.change(to, v) || r.fill(to, v) {
			return
		}
		to, v = to.Args[0], unknown("a value that changes")
	}
	if to.Form == js.NodeName {
		r.set(to.Text, v)
	}
}

// call follows a function of the file, and is what it returns.
func (r *follower) call(fn *function, args []value) value {
	if r.depth >= maxInlined {
		return unknown("functions that call each other")
	}
	in := *r
	if r.said != nil && fn.module == r.file.module { // its assertions are those of its calls
		body := fn.node.Tokens[fn.node.First:fn.node.Last]
		r.file.helping = append(r.file.helping, r.file.span(body[0].Start, body[len(body)-1].End))
	}
	in.depth++
	in.loop = nil
	in.seen, in.result, in.ended, in.own = map[*js.Node]known{}, unknown("what a function returns"), false, false
	in.module, in.tokens, in.scope = fn.module, fn.node.Tokens, fn.scope
	in.enter(nil)
	in.bind(fn)
	in.reading = in.newReading()
	in.parameters(fn.node, args)
	return in.runs(fn.node)
}

// bind gives this, in a function, what it is called of.
func (r *follower) bind(fn *function) {
	if fn.node.Arrow {
		return
	}
	r.scope.vars["this"] = unknown("the name this")
	if fn.this != nil {
		r.scope.vars["this"] = *fn.this
	}
	if fn.class != nil {
		r.super(fn.class, r.scope.vars["this"])
	}
}

// runs follows the body of a function whose parameters are known, and is what it returns.
func (r *follower) runs(fn *js.Node) value {
	if len(fn.Args) == 1 {
		return r.expression(js.Statement{X: fn.Args[0], First: fn.From, Last: fn.To})
	}
	r.block(js.Block{From: fn.From, To: fn.To})
	return r.result
}

// parameters gives the parameters of a function their values.
func (r *follower) parameters(fn *js.Node, args []value) {
	for i, p := range r.parser(js.Block{}).Params(fn) {
		v := unknown("the parameter " + p.Name)
		switch {
		case p.Rest:
		case i < len(args):
			v = args[i]
		case p.Default != nil:
			v = r.eval(p.Default)
		default:
			v.unset = !slices.ContainsFunc(args, func(given value) bool { return given.spread })
		}
		r.parameter(p, v)
	}
}

// parameter gives one parameter its value.
func (r *follower) parameter(p js.Param, v value) {
	if p.Name != "" {
		r.scope.vars[p.Name] = v
	}
	if this := r.scope.vars["this"].object; p.Field && this != nil {
		this.fields[p.Name] = v
	}
	for _, part := range p.Parts {
		r.scope.vars[part.Name] = unknown("the parameter " + part.Name)
		if v.text != "" {
			r.scope.vars[part.Name] = r.takes(v, part)
		}
	}
}

// mark notes the calls within functions that an expression hands on. What they are handed on to runs them: then does
// once, and what it runs is followed.
func (r *follower) mark(n, within *js.Node) {
	if n == nil {
		return
	}
	if within != nil && n.Form == js.NodeCall {
		r.lambda[n] = true
	}
	_, name, _ := n.Method()
	for _, e := range n.Args {
		if e.Form == js.NodeFunction && name != "then" && name != "catch" {
			r.mark(e, e)
		} else {
			r.mark(e, within)
		}
	}
}

// newReading reads expressions by the names that the follower knows.
func (r *follower) newReading() *js.Reading {
	return &js.Reading{Own: r.special, Aliases: map[string]expr.Expr{}, Names: func(id string) (expr.Expr, bool) {
		v := r.lookup(id)
		if v.x == nil {
			r.unclear(v, "the name "+id)
		}
		return v.x, v.x != nil
	}}
}

// unclear notes what the expression at hand is not known for.
func (r *follower) unclear(v value, otherwise string) {
	if r.what != "" {
		return
	}
	if r.what = v.what; r.what == "" {
		r.what = otherwise
	}
}

// joined is a template that has texts from answers in it; false for any other.
func (r *follower) joined(n *js.Node) (expr.Expr, bool) {
	outer := r.tokens
	defer func() { r.tokens = outer }()
	pieces, taken := []expr.Expr{expr.Str{Value: n.Keys[0]}}, false
	for i, hole := range n.Args {
		r.tokens = n.Holes[i]
		x := r.eval(hole).x
		if x == nil {
			return nil, false
		}
		taken = taken || expr.FromAnswer(x)
		pieces = append(pieces, expr.ToText{X: x}, expr.Str{Value: n.Keys[i+1]})
	}
	return expr.Sum(pieces...), taken
}

// special is what an expression means that is more than JavaScript's own: an answer's part, what a function returns.
func (r *follower) special(n *js.Node) (expr.Expr, bool) {
	switch n.Form {
	case js.NodeTemplate:
		return r.joined(n)
	case js.NodeCall, js.NodeMember, js.NodeIndex:
		v, ok := r.beyond(n)
		if ok && v.x == nil {
			r.unclear(v, "what is called")
		}
		return v.x, ok && v.x != nil
	}
	return nil, false
}
