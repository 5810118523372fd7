package jvm

import (
	"maps"
	"slices"
	"strings"

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
	env   map[string]node // by name; the fields of the class by "this.NAME"
	moved map[string]bool // names that are given a value again, of which a lambda cannot speak
	many  bool            // the test runs several times
	own   bool            // the statements are the test's own, and not those of a method that it calls
	site  script.Span     // the test's own statement that is followed, or its definition
	depth int             // of calls of methods
	nodes *int            // that were resolved so far
	in    surroundings
	ended bool // the method has returned
	gives node // what it returns
}

// surroundings are what a statement stands in.
type surroundings struct {
	guarded   bool // it may fail: a try that catches, assertThrows
	condition bool // it may not run, or run often
	bare      bool // it is the whole of an if or a lambda, without braces
	lambda    bool // it is the expression of a lambda
	blocks    int
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
	tokens, match := r.file.module.tokens, r.file.module.match
	t := &tokens[i]
	switch {
	case t.is(";"), t.is("finally"), t.is("static") && i+1 < to && tokens[i+1].is("{"):
		return i + 1
	case t.is("{"):
		r.block(i+1, match[i])
		return match[i] + 1
	case t.is("@"):
		_, last := r.file.module.annotation(i)
		return max(last, i) + 1
	case t.is("class"), t.is("record") && i+2 < to && tokens[i+2].is("("), t.is("interface"), t.is("enum"):
		for ; i < to && !tokens[i].is("{"); i++ {
		}
		if i < to {
			i = match[i] + 1
		}
		return i
	case t.is("try"), t.is("if"), t.is("for"), t.is("while"), t.is("catch"), t.is("else"), t.is("do"), t.is("switch"),
		t.is("synchronized"):
		return r.compound(i, to)
	}
	return r.simple(i, to)
}

// compound goes through a statement with others in it.
func (r *follower) compound(i, to int) int {
	tokens, match := r.file.module.tokens, r.file.module.match
	keyword := &tokens[i]
	runs := keyword.is("try") || keyword.is("synchronized")
	i++
	if i < to && tokens[i].is("(") {
		switch end := match[i]; {
		case keyword.is("try"):
			r.block(i+1, end) // resources
		case keyword.is("for"):
			r.loop(i+1, end)
		case !keyword.is("catch"):
			r.valueOf(i+1, end)
		}
		i = match[i] + 1
	}
	r.in.guarded = r.in.guarded || keyword.is("try") && r.caught(i, to)
	r.in.condition = r.in.condition || !runs
	switch {
	case i < to && tokens[i].is("{"):
		r.block(i+1, match[i])
		return match[i] + 1
	case i < to:
		r.in.bare = true
		return r.next(i, to)
	}
	return i
}

// caught reports whether a block is followed by a catch.
func (r *follower) caught(i, to int) bool {
	tokens := r.file.module.tokens
	return i < to && tokens[i].is("{") && r.file.module.match[i]+1 < to && tokens[r.file.module.match[i]+1].is("catch")
}

// loop notes the variable of a loop, of which nothing is known.
func (r *follower) loop(from, to int) {
	tokens := r.file.module.tokens
	for i := from; i < to; i++ {
		switch t := &tokens[i]; {
		case (t.is(":") || t.is("=")) && i > from:
			r.env[tokens[i-1].text] = opaqueNode{"the name " + tokens[i-1].text}
			if t.is(":") {
				r.valueOf(i+1, to)
			}
			return
		case t.is("("), t.is("["), t.is("{"):
			i = r.file.module.match[i]
		}
	}
}

// simple goes through a declaration, an assignment, a call, a return.
func (r *follower) simple(from, to int) int {
	tokens, match := r.file.module.tokens, r.file.module.match
	end := from
	for end < to && !tokens[end].is(";") {
		if t := &tokens[end]; t.is("(") || t.is("[") || t.is("{") {
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
	case t.is("return"), t.is("throw"), t.is("break"), t.is("continue"), t.is("yield"):
		r.leaves(from, end)
	case t.is("assert"):
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
	var x node = opaqueNode{"what a method gives"}
	if from+1 < end && !r.file.module.tokens[from].is("break") && !r.file.module.tokens[from].is("continue") {
		x = r.valueOf(from+1, end)
	}
	if !r.file.module.tokens[from].is("return") {
		return
	}
	if r.in.condition {
		x = opaqueNode{"what is returned under a condition"}
	} else {
		r.ended = true
	}
	if r.gives != nil {
		x = opaqueNode{"what is returned under a condition"}
	}
	r.gives = x
}

// target finds what a statement declares or assigns, and where its value begins; 0 where it does neither. typ is "" for
// an assignment.
func (r *follower) target(from, to int) (name, typ string, value int) {
	tokens := r.file.module.tokens
	for i := from; i < to; i++ {
		switch t := &tokens[i]; {
		case t.is("=") && i > from:
			if op := tokens[i-1].text; tokens[i-1].kind == tokOp && len(op) == 1 && strings.Contains("*/%&|^", op) {
				return r.base(from), "", -1
			}
			if tokens[i-1].kind != tokName {
				return r.base(from), "", -1
			}
			name = tokens[i-1].text
			switch {
			case i-1 == from:
				return name, "", i + 1
			case tokens[i-2].is("."):
				if i-3 == from && tokens[from].kind == tokName {
					return tokens[from].text + "." + name, "", i + 1
				}
				return r.base(from), "", -1
			}
			return name, r.typeBefore(from, i-1), i + 1
		case t.is("+="), t.is("-="), t.is("++"), t.is("--"):
			return r.base(from), "", -1
		case t.is("<"):
			i = r.file.module.generics(i, to)
		case t.is("["):
			i = r.file.module.match[i]
		case t.kind == tokName || t.is(".") || t.is("*") || t.is("/") || t.is("%"):
		default:
			return "", "", 0
		}
	}
	return "", "", 0
}

// base is the name that a statement begins with.
func (r *follower) base(from int) string {
	tokens := r.file.module.tokens
	if tokens[from].is("this") && from+2 < len(tokens) {
		return "this." + tokens[from+2].text
	}
	return tokens[from].text
}

// typeBefore is the simple name of the type that is declared before a name.
func (r *follower) typeBefore(from, name int) string {
	tokens, typ := r.file.module.tokens, ""
	for i := from; i < name; i++ {
		switch t := &tokens[i]; {
		case t.is("<"):
			i = r.file.module.generics(i, name)
		case t.is("["):
			return "array"
		case t.kind == tokName && !t.is("final"):
			typ = t.text
		}
	}
	return typ
}

// assigned gives a name its value; value is -1 where that is not known.
func (r *follower) assigned(name, typ string, value, end int) {
	var x node = opaqueNode{"the name " + name + ", which changes"}
	if value > 0 {
		x = bounded(r.valueOf(value, end))
	}
	if r.in.condition && typ == "" {
		x = opaqueNode{"what is assigned under a condition"}
	}
	if typ == "" {
		name = r.place(name)
		_, r.moved[name] = r.env[name]
		if f, known := r.file.module.fieldOf(r.class, strings.TrimPrefix(name, "this.")); known && name[:min(5, len(name))] == "this." {
			typ = f.typ
		}
	} else if _, again := r.env[name]; again {
		r.moved[name] = true
	}
	r.env[name] = typed(x, typ)
}

// typed is a value that a variable of a type holds.
func typed(x node, typ string) node {
	if v, ok := x.(valueNode); ok && typ != "" && typ != "var" {
		v.typ = typ
		return v
	}
	return x
}

// place is where the value of a name stands: with the local variables, or with the fields.
func (r *follower) place(name string) string {
	if _, local := r.env[name]; local || strings.Contains(name, ".") {
		return name
	}
	if _, known := r.file.module.fieldOf(r.class, name); known {
		return "this." + name
	}
	return name
}

// forget has a name stand for something that is not known.
func (r *follower) forget(name string) {
	name = r.place(name)
	r.env[name], r.moved[name] = opaqueNode{"the name " + name + ", which changes"}, true
}

// valueOf is what an expression stands for, which may send requests.
func (r *follower) valueOf(from, to int) node {
	return r.resolve(r.file.module.parse(from, to))
}

// inline follows a method of the file that is called, and is what it returns.
func (r *follower) inline(f *method, args []node) node {
	if r.depth >= maxInlined {
		return opaqueNode{"methods that call each other"}
	}
	in := &follower{file: r.file, test: r.test, class: f.class, env: map[string]node{}, moved: map[string]bool{}, site: r.site,
		depth: r.depth + 1, nodes: r.nodes, in: surroundings{guarded: r.in.guarded, condition: r.in.condition}}
	for name, x := range r.env {
		if ofFields(name) {
			in.env[name] = x
		}
	}
	for i, p := range f.params {
		in.env[p.name] = opaqueNode{"the parameter " + p.name}
		if i < len(args) {
			in.env[p.name] = typed(bounded(args[i]), p.typ)
		}
	}
	in.block(f.open+1, f.close)
	maps.DeleteFunc(in.env, func(name string, _ node) bool { return !ofFields(name) })
	maps.Copy(r.env, in.env)
	if in.gives == nil {
		return opaqueNode{"what " + f.name + " gives"}
	}
	return in.gives
}

// ofFields reports whether a name is that of a field, and not of a local variable.
func ofFields(name string) bool { return strings.Contains(name, ".") }

// lambda follows what is handed to a method to run: always, or who knows when.
func (r *follower) lambda(x lambdaNode, always bool) {
	outer := r.in
	defer func() { r.in = outer }()
	r.in.condition = r.in.condition || !always
	for _, p := range x.params {
		r.env[p] = opaqueNode{"the name " + p}
	}
	if x.block {
		ended, gives := r.ended, r.gives
		r.block(x.from, x.to)
		r.ended, r.gives = ended, gives
		return
	}
	if r.in.blocks++; r.in.blocks < script.MaxDepth {
		r.in.bare, r.in.lambda = true, true
		r.statement(x.from, x.to)
	}
}

// bounded is a value that stands for no more than so many nodes; one that is made of more is not known.
func bounded(x node) node {
	if left := maxValue; !fits(x, &left) {
		return opaqueNode{"a value that is made of too many others"}
	}
	return x
}

// fits counts the nodes of a value down, and reports whether they are no more than what is left.
func fits(x node, left *int) bool {
	if *left--; *left < 0 {
		return false
	}
	all := func(xs ...node) bool { return !slices.ContainsFunc(xs, func(y node) bool { return !fits(y, left) }) }
	links := func(cs []callNode) bool {
		return !slices.ContainsFunc(cs, func(c callNode) bool { return !fits(c, left) })
	}
	switch x := x.(type) {
	case sumNode:
		return all(x.xs...)
	case arrayNode:
		return all(x.elems...)
	case mapNode:
		return all(x.keys...) && all(x.values...)
	case binaryNode:
		return all(x.x, x.y)
	case notNode:
		return all(x.x)
	case negNode:
		return all(x.x)
	case ternaryNode:
		return all(x.cond, x.x, x.y)
	case indexNode:
		return all(x.x, x.i)
	case field:
		return all(x.x)
	case requestNode:
		return links(x.links)
	case callNode:
		return all(x.x) && !slices.ContainsFunc(x.args, func(a callArg) bool { return !fits(a.x, left) })
	}
	return true
}
