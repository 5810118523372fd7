package jvm

import (
	"cmp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/jvm/matching"
	"github.com/flaketap/flaketap/suite/jvm/meaning"
	"github.com/flaketap/flaketap/suite/jvm/sending"
	"github.com/flaketap/flaketap/suite/script"
)

// typedCall is what a call gives, of the type that it names; maybe is whether Kotlin takes it for one that may be null.
func typedCall(x java.Node, maybe bool, c java.Call) java.Node {
	v, ok := x.(meaning.Value)
	if !ok {
		return x
	}
	v.Maybe = v.Maybe || maybe
	if c.Typ != "" && (c.Name == "path" || c.Name == "get") {
		return typed(v, c.Typ)
	}
	return v
}

// hidden lets names stand for something that nobody knows, until the function that it gives is called.
func (r *follower) hidden(names []string) func() {
	before := map[string]java.Node{}
	for _, name := range names {
		if was, known := r.env[name]; known {
			before[name] = was
		}
		r.env[name] = java.Opaque{What: "the name " + name}
	}
	return func() {
		for _, name := range names {
			if was, known := before[name]; known {
				r.env[name] = was
			} else {
				delete(r.env, name)
			}
		}
	}
}

// inside follows a lambda that runs once, with a value as its parameter or as what its calls are of, and is what it
// gives; and what its calls are of by then.
func (r *follower) inside(x java.Lambda, it, this java.Node) (gives, changed java.Node) {
	name := "it"
	if len(x.Params) > 0 {
		name = x.Params[0]
	}
	names := []string{name}
	if this != nil {
		names = []string{"this"}
	}
	defer r.hidden(names)()
	r.env[names[0]] = it
	if this != nil {
		r.env["this"] = this
	}
	ended, was := r.ended, r.gives
	if r.last = nil; x.Block {
		r.block(x.From, x.To)
	} else {
		r.last = r.valueOf(x.From, x.To)
	}
	r.ended, r.gives = ended, was
	if gives = r.last; gives == nil {
		gives = java.Opaque{What: "what a lambda gives"}
	}
	return gives, r.env["this"]
}

// scoped is a function of Kotlin's, or of REST-assured's for it, that runs a lambda with the value that it is called
// on; false where a call is of another.
func (r *follower) scoped(of java.Node, c java.Call) (java.Node, bool) {
	if !r.file.kotlin {
		return nil, false
	}
	if c.Name == "to" && len(c.Args) == 1 {
		return java.Array{Elems: []java.Node{of, r.resolve(c.Args[0].X)}}, true
	}
	if f := r.file.module.Find(r.class, c.Name, len(c.Args)+1); f != nil && f.Params[0].Name == "this" {
		return r.handing(f, []java.Node{of}, c), true
	}
	if len(c.Args) != 1 {
		return nil, false
	}
	run, ok := r.lambdaOf(c.Args[0].X)
	if !ok {
		return nil, false
	}
	outer := r.in
	defer func() { r.in = outer }()
	r.in.condition = r.in.condition || c.Safe
	switch answer, isAnswer := of.(answerNode); {
	case c.Name == "let", c.Name == "use":
		gives, _ := run(of, nil)
		return gives, true
	case c.Name == "also":
		run(of, nil)
		return of, true
	case c.Name == "run", c.Name == "When":
		gives, _ := run(of, of)
		return gives, true
	case c.Name == "apply":
		_, changed := run(of, of)
		return changed, true
	case c.Name == "Then" && isAnswer:
		answer, _ = answer.as(c.Name)
		_, changed := run(answer, answer)
		return changed, true
	case c.Name == "Extract" && isAnswer:
		answer, _ = answer.as(c.Name)
		gives, _ := run(answer, answer)
		return gives, true
	}
	return nil, false
}

// scopedFunction is a call without a value before it that is of what a lambda runs with, or that runs a lambda with
// something; false where it is another.
func (r *follower) scopedFunction(class string, c java.Call) (java.Node, bool) {
	if !r.file.kotlin || class != "" {
		return nil, false
	}
	lambda, ok := java.Lambda{}, false
	if n := len(c.Args); n > 0 {
		lambda, ok = c.Args[n-1].X.(java.Lambda)
	}
	switch {
	case ok && c.Name == "Given" && len(c.Args) == 1:
		_, changed := r.inside(lambda, requestNode{client: sending.RESTAssured}, requestNode{client: sending.RESTAssured})
		return changed, true
	case ok && c.Name == "When" && len(c.Args) == 1:
		of := requestNode{client: sending.RESTAssured}
		gives, _ := r.inside(lambda, of, of)
		return gives, true
	case ok && c.Name == "with" && len(c.Args) == 2:
		of := r.resolve(c.Args[0].X)
		gives, _ := r.inside(lambda, of, of)
		return gives, true
	case ok && c.Name == "repeat" && len(c.Args) == 2 && r.repeated(c.Args[0].X, lambda):
		return java.Opaque{What: "what " + c.Name + " gives"}, true
	case ok && c.Name == "run" && len(c.Args) == 1:
		r.block(lambda.From, lambda.To)
		return cmp.Or(r.last, java.Node(java.Opaque{What: "what a lambda gives"})), true
	}
	this := r.env["this"]
	switch this.(type) {
	case requestNode, answerNode, meaning.Value, headersNode:
	default:
		return nil, false
	}
	_, builds := meaning.IsCollection(c.Name)
	_, sends := script.ClientMethod(strings.ToLower(c.Name)) // POST, of the JDK's builder
	if builds || matching.Is("", c.Name) || strings.HasPrefix(c.Name, "assert") ||
		!sends && c.Name[:1] != strings.ToLower(c.Name[:1]) || slices.Contains([]string{"within", "offset", "unknown", "mapOf"}, c.Name) {
		return nil, false
	}
	c.Args = r.arguments(c)
	x := r.method(this, c)
	r.says(c, x)
	return x, true
}

// says keeps what a chain of calls in a lambda of REST-assured's has said of the request that the lambda runs with.
func (r *follower) says(c java.Call, x java.Node) {
	request, ok := x.(requestNode)
	this, inside := r.env["this"].(requestNode)
	root, links := java.Chain(c)
	if ok && inside && root == nil && !r.begins("", links[0].Name) && len(request.links) >= len(this.links) {
		r.env["this"] = request
	}
}

// ofThis is a method of the value that a lambda runs with, which goes before one of the class around it; false where it
// has none of that name.
func (r *follower) ofThis(c java.Call, args []java.Argument) (java.Node, bool) {
	this, ok := r.env["this"].(meaning.Value)
	if !ok || !r.file.kotlin || c.X != nil {
		return nil, false
	}
	c.Args = args
	x := r.method(this, c)
	_, unknown := x.(java.Opaque)
	return x, !unknown
}

// ofReceiver is a property of what a lambda runs with.
func (r *follower) ofReceiver(name string) (java.Node, bool) {
	this, ok := r.env["this"]
	if !ok || !r.file.kotlin {
		return nil, false
	}
	x := r.property(this, name)
	_, unknown := x.(java.Opaque)
	return x, !unknown
}

// property is one of a value: what Java has a method for.
func (r *follower) property(of java.Node, name string) java.Node {
	if v, ok := of.(meaning.Value); ok {
		if x, ok := r.memberOf(v, java.Call{Name: name}); ok {
			return x
		}
	}
	if !r.file.kotlin {
		return java.Opaque{What: "the field " + name}
	}
	switch of.(type) {
	case requestNode, java.Opaque:
		return java.Opaque{What: "the field " + name}
	}
	if f := r.file.module.Find(r.class, name, 1); f != nil && f.Params[0].Name == "this" {
		return r.inline(f, []java.Node{of}, "") // a property of another type that the suite declares
	}
	for _, called := range []string{name, "get" + strings.ToUpper(name[:1]) + name[1:]} {
		x := r.method(of, java.Call{Name: called})
		if _, unknown := x.(java.Opaque); !unknown {
			return x
		}
	}
	return java.Opaque{What: "the field " + name}
}

// isField reports whether an expression stayed the name of a class, or of a constant of one.
func isField(x java.Node) bool {
	switch x := x.(type) {
	case java.Field:
		return true
	case java.Opaque:
		return strings.HasPrefix(x.What, "the name ")
	}
	return false
}

// placed are arguments in the order of a method's parameters; nil where one is not given.
func placed(f *java.Method, args []java.Argument) []java.Node {
	out := make([]java.Node, max(len(f.Params), len(args)))
	for i, a := range args {
		if k := slices.IndexFunc(f.Params, func(p java.Parameter) bool { return p.Name == a.Name }); k >= 0 {
			i = k
		}
		out[i] = a.X
	}
	return out
}

// inOrder puts arguments that say of which parameter they are into the order that assertions have.
func inOrder(args []java.Argument) []java.Argument {
	rank := map[string]int{"expected": 1, "unexpected": 1, "illegal": 1, "actual": 2, "absoluteTolerance": 3, "delta": 3, "message": 4}
	if slices.ContainsFunc(args, func(a java.Argument) bool { return rank[a.Name] == 0 }) {
		return args
	}
	slices.SortStableFunc(args, func(a, b java.Argument) int { return cmp.Compare(rank[a.Name], rank[b.Name]) })
	return args
}

// asserts reads assertTrue { … } as the condition that stands in the lambda, where that is all.
func (r *follower) asserts(c java.Call, x java.Lambda) (java.Argument, bool) {
	if len(c.Args) != 1 || c.Name != "assertTrue" && c.Name != "assertFalse" || !r.file.kotlin || x.To-x.From < 2 {
		return java.Argument{}, false
	}
	for i := x.From; i < x.To-1; i++ {
		switch t := &r.file.module.Tokens[i]; {
		case t.Is("("), t.Is("["), t.Is("{"):
			i = r.file.module.Match[i]
		case t.Is(";"):
			return java.Argument{}, false
		}
	}
	parsed := r.file.module.Parse(x.From, x.To-1)
	return java.Argument{From: x.From, To: x.To - 1, X: r.resolve(parsed)}, parsed != nil
}

// kotest reads an assertion of Kotest's: x shouldBe y.
func (r *follower) kotest(c java.Call, from, to int) bool {
	name, ok := map[string]string{"shouldBe": "isEqualTo", "shouldBeEqual": "isEqualTo", "shouldNotBe": "isNotEqualTo",
		"shouldContain": "contains", "shouldStartWith": "startsWith", "shouldEndWith": "endsWith", "shouldMatch": "matches",
		"shouldHaveSize": "hasSize", "shouldHaveLength": "hasSize", "shouldBeGreaterThan": "isGreaterThan",
		"shouldBeLessThan": "isLessThan", "shouldBeNull": "isNull", "shouldNotBeNull": "isNotNull", "shouldBeTrue": "isTrue",
		"shouldBeFalse": "isFalse", "shouldBeEmpty": "isEmpty", "shouldNotBeEmpty": "isNotEmpty"}[c.Name]
	if c.X == nil || !r.file.kotlin || !strings.HasPrefix(c.Name, "should") || len(c.Name) < 7 {
		return false
	}
	calls := len(r.test.Calls)
	first := java.Argument{From: from, To: c.From, X: r.resolve(c.X)}
	c.Args = r.arguments(c)
	a := r.add(from, to)
	if a == nil {
		return true
	}
	f := form{open: "(", close: ") shouldBe true", names: r.names(), in: r.in}
	r.file.forms[a.At.Start] = f
	v, isValue := first.X.(meaning.Value)
	if len(r.test.Calls) > calls {
		a.Reason = "it sends a request itself"
		return true
	}
	imports := func(i string) bool {
		return strings.HasPrefix(i, "io.kotest.") || strings.HasPrefix(i, "staticio.kotest.")
	}
	what, known := meaning.Said{}, false
	if ok && isValue && slices.ContainsFunc(r.file.module.Imports, imports) {
		c.Name = name
		what, known = v.Link(c)
	}
	if name == "isEqualTo" && len(c.Args) == 1 && c.Args[0].X == java.Node(java.Name{ID: "true"}) && isCondition(first.X) &&
		slices.ContainsFunc(r.file.module.Imports, imports) {
		what, known = conditional(first.X), true
	}
	if !known {
		if a.Reason = unreadable(c.Args); a.Reason == notRead {
			a.Reason = unreadable([]java.Argument{first})
		}
		return true
	}
	r.understood(a, what, f, first)
	return true
}

// isCondition reports whether a value is the outcome of a comparison.
func isCondition(x java.Node) bool {
	switch x := x.(type) {
	case java.Binary, java.Not:
		return true
	case meaning.Value:
		return x.Typ == "boolean" && expr.IsCondition(x.X)
	}
	return false
}

// returned is what a method returns, which may assert something.
func (r *follower) returned(from, to int) java.Node {
	x := r.file.module.Parse(from, to)
	c, isCall := x.(java.Call)
	root, links := java.Chain(x)
	if isCall && r.file.kotlin && (asserting(links[0], root) && r.local(links[0], "") == nil || strings.HasPrefix(c.Name, "should")) {
		outer := r.in
		r.in.bare, r.in.lambda = true, true
		r.statement(from, to)
		r.in = outer
		return java.Opaque{What: "what an assertion gives"}
	}
	return r.resolve(x)
}
