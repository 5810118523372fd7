package jvm

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/jvm/meaning"
	"github.com/flaketap/flaketap/suite/script"
)

// Bounds of following a test: calls of methods within each other, nodes that are resolved, and nodes of one value.
const (
	maxInlined = 8
	maxNodes   = 1 << 16
	maxValue   = 1 << 10
)

// follower goes through the statements of a test in the order in which Java would, into the methods of the file that it
// calls, and knows what each name stands for. What it does not know is an [opaqueNode].
type follower struct {
	file  *written
	test  *script.Test
	class string
	typ   string               // for the type that the method leaves open; "" where its call says none
	env   map[string]java.Node // by name; the fields of the class by "this.NAME"
	moved map[string]bool      // names that are given a value again, of which a lambda cannot speak
	many  bool                 // the test runs several times, and not all is known of that
	rows  *rows                // the runs, or the turns of a loop, of which one is followed; nil where there are none
	// the values that the run begins with
	values []java.Node
	own    bool        // the statements are the test's own, and not those of a method that it calls
	site   script.Span // the test's own statement that is followed, or its definition
	depth  int         // of calls of methods
	nodes  *int        // that were resolved so far
	// what is asserted by a method that is called to assert; nil where none is followed
	said   *[]*script.Assertion
	throws bool // the test may throw what reading JSON does
	in     surroundings
	ended  bool      // the method has returned
	gives  java.Node // what it returns
	last   java.Node // what the last statement gives; nil where that is nothing
}

// surroundings are what a statement stands in.
type surroundings struct {
	guarded   bool // it may fail: a try that catches, assertThrows
	condition bool // it may not run, or run often
	bare      bool // it is the whole of an if or a lambda, without braces
	lambda    bool // it is the expression of a lambda
	handed    bool // it stands in a lambda
	blocks    int
	elements  int // of lists, for each of which what stands here says something
}

// block goes through the statements between two braces.
func (r *follower) block(from, to int) {
	if r.in.blocks++; r.in.blocks > script.MaxDepth {
		r.in.blocks--
		return
	}
	outer := r.in
	defer func() { r.in = outer; r.in.blocks-- }()
	for i := from; i < to && !r.ended; {
		i = r.next(i, to)
		r.in = outer
	}
}

// next goes through one statement, and returns where the next may begin.
func (r *follower) next(i, to int) int {
	tokens, match := r.file.module.Tokens, r.file.module.Match
	t := &tokens[i]
	r.last = nil
	switch {
	case t.Is(";"), t.Is("finally"), t.Is("static") && i+1 < to && tokens[i+1].Is("{"):
		return i + 1
	case t.Is("{"):
		r.block(i+1, match[i])
		return match[i] + 1
	case t.Is("@"):
		_, last := r.file.module.Annotation(i)
		return max(last, i) + 1
	case t.Is("class"), t.Is("record") && i+2 < to && tokens[i+2].Is("("), t.Is("interface"), t.Is("enum"):
		for ; i < to && !tokens[i].Is("{"); i++ {
		}
		if i < to {
			i = match[i] + 1
		}
		return i
	case t.Is("try"), t.Is("if"), t.Is("for"), t.Is("while"), t.Is("catch"), t.Is("else"), t.Is("do"), t.Is("switch"),
		t.Is("synchronized"):
		i = r.compound(i, to)
		r.last = nil
		return i
	}
	return r.simple(i, to)
}

// compound goes through a statement with others in it.
func (r *follower) compound(i, to int) int {
	tokens, match := r.file.module.Tokens, r.file.module.Match
	keyword := &tokens[i]
	runs := keyword.Is("try") || keyword.Is("synchronized")
	if keyword.Is("for") || keyword.Is("while") || keyword.Is("do") {
		defer r.repeats(len(r.test.Calls))
	}
	i++
	if keyword.Is("for") && i < to && tokens[i].Is("(") {
		calls := len(r.test.Calls)
		over := r.looping(i+1, match[i])
		if len(r.test.Calls) == calls {
			if end, ok := r.loop(i, to, over); ok {
				return end
			}
		}
		defer r.filled(i, to, over).put(r)
	}
	if i < to && tokens[i].Is("(") {
		switch end := match[i]; {
		case keyword.Is("try"):
			r.block(i+1, end) // resources
		case !keyword.Is("catch") && !keyword.Is("for"):
			r.valueOf(i+1, end)
		}
		i = match[i] + 1
	}
	r.in.guarded = r.in.guarded || keyword.Is("try") && r.caught(i, to)
	r.in.condition = r.in.condition || !runs
	switch {
	case i < to && tokens[i].Is("{"):
		r.block(i+1, match[i])
		return match[i] + 1
	case i < to:
		r.in.bare = true
		return r.next(i, to)
	}
	return i
}

// repeats notes that a loop may send often what it sends: the calls of the test from one on.
func (r *follower) repeats(from int) {
	for _, c := range r.test.Calls[from:] {
		c.Many = true
	}
}

// caught reports whether a block is followed by a catch.
func (r *follower) caught(i, to int) bool {
	tokens := r.file.module.Tokens
	return i < to && tokens[i].Is("{") && r.file.module.Match[i]+1 < to && tokens[r.file.module.Match[i]+1].Is("catch")
}

// looping notes the variable of a loop, of which nothing is known, and returns what the loop goes over; nil where that
// is no list.
func (r *follower) looping(from, to int) (over java.Node) {
	tokens := r.file.module.Tokens
	for i := from; i < to; i++ {
		switch t := &tokens[i]; {
		case (t.Is(":") || t.Is("=")) && i > from:
			r.env[tokens[i-1].Text] = java.Opaque{What: "the name " + tokens[i-1].Text}
			if t.Is(":") {
				return r.valueOf(i+1, to)
			}
			return nil
		case t.Is("("), t.Is("["), t.Is("{"):
			i = r.file.module.Match[i]
		}
	}
	return nil
}

// simple goes through a declaration, an assignment, a call, a return.
func (r *follower) simple(from, to int) int {
	tokens, match := r.file.module.Tokens, r.file.module.Match
	end := from
	for end < to && !tokens[end].Is(";") {
		if t := &tokens[end]; t.Is("(") || t.Is("[") || t.Is("{") {
			end = match[end]
		}
		end++
	}
	end = min(end, to)
	if end == from {
		return from + 1
	}
	if r.own && !r.in.lambda {
		r.site = r.file.span(from, end)
	}
	switch t := &tokens[from]; {
	case t.Is("return"), t.Is("throw"), t.Is("break"), t.Is("continue"), t.Is("yield"):
		r.leaves(from, end)
	case t.Is("assert"):
		r.unread(from, end, notRead)
	default:
		if name, typ, value := r.target(from, end); value != 0 {
			r.assigned(name, typ, value, end)
		} else {
			r.statement(from, end)
		}
	}
	return end + 1
}

// leaves follows what ends a method, or a turn of a loop.
func (r *follower) leaves(from, end int) {
	var x java.Node = java.Opaque{What: "what a method gives"}
	if from+1 < end && !r.file.module.Tokens[from].Is("break") && !r.file.module.Tokens[from].Is("continue") {
		x = r.returned(from+1, end)
	}
	if !r.file.module.Tokens[from].Is("return") {
		return
	}
	if r.in.condition {
		x = java.Opaque{What: "what is returned under a condition"}
	} else {
		r.ended = true
	}
	if r.gives != nil {
		x = java.Opaque{What: "what is returned under a condition"}
	}
	r.gives = x
}

// target finds what a statement declares or assigns, and where its value begins; 0 where it does neither. typ is "" for
// an assignment.
func (r *follower) target(from, to int) (name, typ string, value int) {
	tokens := r.file.module.Tokens
	for i := from; i < to; i++ {
		switch t := &tokens[i]; {
		case t.Is("=") && i > from:
			if op := tokens[i-1].Text; tokens[i-1].Kind == java.OpToken && len(op) == 1 && strings.Contains("*/%&|^", op) {
				return r.file.module.Base(from), "", -1
			}
			if tokens[i-1].Kind != java.NameToken {
				return r.file.module.Base(from), "", -1
			}
			name = tokens[i-1].Text
			switch {
			case i-1 == from:
				return name, "", i + 1
			case tokens[i-2].Is("."):
				if i-3 == from && tokens[from].Kind == java.NameToken {
					return tokens[from].Text + "." + name, "", i + 1
				}
				return r.file.module.Base(from), "", -1
			}
			return name, r.file.module.TypeBefore(from, i-1), i + 1
		case t.Is("+="), t.Is("-="), t.Is("++"), t.Is("--"):
			return r.file.module.Base(from), "", -1
		case t.Is("<"):
			i = r.file.module.Generics(i, to)
		case t.Is("["):
			i = r.file.module.Match[i]
		case t.Kind == java.NameToken || t.Is(".") || t.Is("*") || t.Is("/") || t.Is("%"):
		default:
			return "", "", 0
		}
	}
	return "", "", 0
}

// assigned gives a name its value; value is -1 where that is not known.
func (r *follower) assigned(name, typ string, value, end int) {
	var x java.Node = java.Opaque{What: "the name " + name + ", which changes"}
	if value > 0 {
		if r.file.kotlin && r.file.module.Tokens[value].Is("assertNotNull") {
			r.unread(value, end, "what it gives is used")
		}
		calls := len(r.test.Calls)
		x = bounded(r.valueOf(value, end))
		defer func() { r.givesRead(x, value, calls) }()
		if v, ok := x.(meaning.Value); ok && v.Typ == declaredLater {
			x = r.boundAs(v.X, cmp.Or(typ, r.typeOfField(name), declaredLater), r.file.module.Elem(value))
		}
	}
	if r.in.condition && typ == "" {
		x = java.Opaque{What: "what is assigned under a condition"}
	}
	if typ == "" {
		name = r.place(name)
		_, r.moved[name] = r.env[name]
		if f, known := r.file.module.FieldOf(r.class, strings.TrimPrefix(name, "this.")); known && name[:min(5, len(name))] == "this." {
			typ = f.Typ
		}
	} else if _, again := r.env[name]; again {
		r.moved[name] = true
	}
	x = typed(x, typ)
	if a, ok := x.(answerNode); ok && strings.HasPrefix(name, script.SetUpPrefix) {
		for _, c := range r.test.Calls {
			if c.Var == a.id {
				c.Var = name
			}
		}
		a.id = name
		x = a
	}
	if v, ok := x.(meaning.Value); ok && r.file.kotlin && typ != "" && typ != "var" && !v.Maybe {
		v.Sure = true
		x = v
	}
	r.env[name] = x
}

// typeOfField is the type that a field is declared with; "" where there is none of that name.
func (r *follower) typeOfField(name string) string {
	f, _ := r.file.module.FieldOf(r.class, strings.TrimPrefix(name, "this."))
	return f.Typ
}

// typed is a value that a variable of a type holds.
func typed(x java.Node, typ string) java.Node {
	if v, ok := x.(meaning.Value); ok && !v.Bound && typ != "" && typ != "var" {
		v.Typ, v.Maybe = strings.CutSuffix(typ, "?")
		return v
	}
	return x
}

// place is where the value of a name stands: with the local variables, or with the fields.
func (r *follower) place(name string) string {
	if _, local := r.env[name]; local || strings.Contains(name, ".") {
		return name
	}
	if _, known := r.file.module.FieldOf(r.class, name); known {
		return "this." + name
	}
	return name
}

// forget has a name stand for something that is not known.
func (r *follower) forget(name string) {
	name = r.place(name)
	r.env[name], r.moved[name] = java.Opaque{What: "the name " + name + ", which changes"}, true
}

// valueOf is what an expression stands for, which may send requests.
func (r *follower) valueOf(from, to int) java.Node {
	return r.resolve(r.file.module.Parse(from, to))
}

// inline follows a method of the file that is called, and is what it returns.
func (r *follower) inline(f *java.Method, args []java.Node, typ string) java.Node {
	if r.depth >= maxInlined {
		return java.Opaque{What: "methods that call each other"}
	}
	in := &follower{file: r.file, test: r.test, class: f.Class, env: map[string]java.Node{}, moved: map[string]bool{},
		site: r.site, typ: typ,
		depth: r.depth + 1, nodes: r.nodes, said: r.said,
		in: surroundings{guarded: r.in.guarded, condition: r.in.condition, elements: r.in.elements}}
	for name, x := range r.env {
		if ofFields(name) {
			in.env[name] = x
		}
	}
	for i, p := range f.Params {
		in.env[p.Name] = java.Opaque{What: "the parameter " + p.Name}
		switch {
		case i < len(args) && args[i] != nil:
			in.env[p.Name] = typed(bounded(args[i]), p.Typ)
		case p.From > 0:
			in.env[p.Name] = typed(bounded(in.valueOf(p.From, p.To)), p.Typ)
		}
	}
	in.block(f.Open+1, f.Close)
	maps.DeleteFunc(in.env, func(name string, _ java.Node) bool { return !ofFields(name) })
	maps.Copy(r.env, in.env)
	if in.gives == nil {
		return java.Opaque{What: "what " + f.Name + " gives"}
	}
	return in.gives
}

// ofFields reports whether a name is that of a field, and not of a local variable.
func ofFields(name string) bool { return strings.Contains(name, ".") }

// lambda follows what is handed to a method to run.
func (r *follower) lambda(x java.Lambda) {
	outer := r.in
	defer func() { r.in = outer }()
	if r.file.kotlin {
		defer r.hidden(append(slices.Clone(x.Params), "it"))()
	}
	for _, p := range x.Params {
		r.env[p] = java.Opaque{What: "the name " + p}
	}
	r.runs(x)
}

// runs follows the statements of a lambda.
func (r *follower) runs(x java.Lambda) {
	outer := r.in
	defer func() { r.in = outer }()
	r.in.handed = true
	if x.Block {
		ended, gives := r.ended, r.gives
		r.block(x.From, x.To)
		r.ended, r.gives = ended, gives
		return
	}
	if r.in.blocks++; r.in.blocks < script.MaxDepth {
		r.in.bare, r.in.lambda = true, true
		r.statement(x.From, x.To)
	}
}

// bounded is a value that stands for no more than so many nodes; one that is made of more is not known.
func bounded(x java.Node) java.Node {
	if left := maxValue; !fits(x, &left) {
		return java.Opaque{What: "a value that is made of too many others"}
	}
	return x
}

// fits counts the nodes of a value down, and reports whether they are no more than what is left.
func fits(x java.Node, left *int) bool {
	if *left--; *left < 0 {
		return false
	}
	all := func(xs ...java.Node) bool {
		return !slices.ContainsFunc(xs, func(y java.Node) bool { return !fits(y, left) })
	}
	links := func(cs []java.Call) bool {
		return !slices.ContainsFunc(cs, func(c java.Call) bool { return !fits(c, left) })
	}
	switch x := x.(type) {
	case java.Sum:
		return all(x.Xs...)
	case java.Array:
		return all(x.Elems...)
	case meaning.Map:
		return all(x.Keys...) && all(x.Values...)
	case java.Binary:
		return all(x.X, x.Y)
	case java.Not:
		return all(x.X)
	case java.Negative:
		return all(x.X)
	case java.Ternary:
		return all(x.Cond, x.X, x.Y)
	case java.Index:
		return all(x.X, x.I)
	case java.Field:
		return all(x.X)
	case requestNode:
		return links(x.links)
	case java.Call:
		return all(x.X) && !slices.ContainsFunc(x.Args, func(a java.Argument) bool { return !fits(a.X, left) })
	}
	return true
}
