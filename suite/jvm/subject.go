package jvm

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/jvm/meaning"
	"github.com/flaketap/flaketap/suite/script"
)

// scope is how values are called where an assertion stands.
type scope struct {
	answers map[string]named // by the variables of their calls
	values  []named
	moved   map[string]bool // names that are given another value, of which a lambda cannot speak
}

// named is a name that stands for an answer, or for a value that was taken from one.
type named struct {
	name string
	typ  string
	// it may be null, which Kotlin knows
	maybe bool
	part  bool       // it is asked of an object that has a name
	x     expr.Expr  // of a value
	of    answerNode // of an answer
}

// names lists how values are called at this point of a test: the last name of each counts.
func (r *follower) names() scope {
	c := scope{answers: map[string]named{}, moved: r.moved}
	all := make([]string, 0, len(r.env))
	for name := range r.env {
		all = append(all, name)
	}
	slices.Sort(all)
	for _, name := range all {
		n := named{name: strings.TrimPrefix(name, "this.")}
		switch x := r.env[name].(type) {
		case answerNode:
			n.of = x
			c.answers[x.id] = n
		case meaning.Value:
			if x.Bound { // no source says what it is made of as JSON
				c.values = append(c.values, r.membersOf(n.name, x)...)
				continue
			}
			n.x, n.typ, n.maybe = x.X, x.Typ, x.Maybe
			c.values = append(c.values, n)
		}
	}
	return c
}

// subject finds the source of what an assertion looks at: the expression that it has, or one that this is made of. It
// is the zero subject where there is none.
func (r *follower) subject(x expr.Expr, in java.Argument) subject {
	if x == nil {
		return subject{}
	}
	tries := meaning.MaxParts
	return r.subjectIn(x, in.From, in.To, &tries)
}

// subjects are what an assertion looks at that says several things, each as above.
func (r *follower) subjects(said expr.Expr, in java.Argument) (out []subject) {
	for _, x := range conjuncts(said) {
		var a script.Assertion
		if !(script.Claims{Test: r.test}).Any(&a, x) {
			continue
		}
		a.Meaning = x
		if s := r.subject(a.Subject(), in); s.source != "" {
			out = append(out, s)
		}
	}
	return out
}

// subjectIn is subject, for tokens that are an expression.
func (r *follower) subjectIn(x expr.Expr, from, to int, tries *int) subject {
	if *tries--; *tries < 0 || from >= to {
		return subject{}
	}
	parsed := r.file.module.Parse(from, to)
	calls, added := len(r.test.Calls), len(r.test.Assertions)
	v, ok := r.resolve(parsed).(meaning.Value)
	if len(r.test.Calls) != calls || len(r.test.Assertions) != added {
		return subject{}
	}
	if v.Bound && !isScalar(v.Typ) && !(v.Typ == "List" && isScalar(v.Elem)) {
		return subject{}
	}
	if ok && expr.Identical(meaning.Stripped(meaning.WithoutDefault(v.X)), meaning.Stripped(x)) {
		return r.subjectOf(v, x, parsed, from, to)
	}
	switch parsed := parsed.(type) {
	case java.Call:
		for _, a := range parsed.Args {
			if s := r.subjectIn(x, a.From, a.To, tries); s.source != "" {
				return s
			}
		}
		return r.subjectIn(x, from, parsed.From, tries)
	case java.Field:
		if r.file.kotlin && to-from > 2 {
			return r.subjectIn(x, from, to-2, tries)
		}
	case java.Binary:
		if s := r.subjectIn(x, from, parsed.At, tries); s.source != "" {
			return s
		}
		return r.subjectIn(x, parsed.At+1, to, tries)
	}
	return subject{}
}

// subjectOf is the subject that tokens are the source of.
func (r *follower) subjectOf(v meaning.Value, x expr.Expr, parsed java.Node, from, to int) subject {
	s := subject{x: x, source: r.file.source(from, to), typ: v.Typ, null: v.Null, tree: v.Typ == "JsonNode",
		maybe: v.Maybe, sure: v.Sure}
	if !isPrimitive(v.Typ) && !v.Sure {
		s.object = s.source
	}
	if v.Null {
		expr.Spread(meaning.Stripped(x), func(array expr.Expr) expr.Expr {
			s.readings = append(s.readings, array)
			return array
		})
	}
	c, ok := parsed.(java.Call)
	if !ok {
		return s
	}
	receiver := r.resolve(c.X)
	if any := r.anything(receiver, c); any != "" {
		argument := r.file.source(c.Args[0].From, c.Args[0].To)
		s.source = r.file.source(from, c.From) + "." + c.Name + any + "(" + argument + ")"
		s.object = s.source
	}
	of, _ := receiver.(meaning.Value)
	switch {
	case of.Typ == "JsonPath" && len(c.Args) == 1:
		get := ".get("
		if r.file.kotlin {
			get = ".get<Any?>("
		}
		s.object = r.file.source(from, c.From) + get + r.file.source(c.Args[0].From, c.Args[0].To) + ")"
		s.null = true
	case of.Typ == "JsonNode" && len(c.Args) == 0:
		s.object, s.tree = r.file.source(from, c.From), true
	}
	return s
}

// anything is the type argument that Kotlin wants where nothing else says what a call gives; "" where it wants none.
func (r *follower) anything(of java.Node, c java.Call) string {
	if !r.file.kotlin || c.Typ != "" || len(c.Args) != 1 || c.X == nil {
		return ""
	}
	v, isValue := of.(meaning.Value)
	_, isAnswer := of.(answerNode)
	switch {
	case isAnswer && c.Name == "path", isValue && v.Typ == "JsonPath" && (c.Name == "get" || c.Name == "getList" ||
		c.Name == "getJsonObject"):
		return "<Any?>"
	case isValue && v.Typ == "JsonPath" && c.Name == "getMap":
		return "<Any?, Any?>"
	}
	return ""
}

// isPrimitive reports whether a type is one of Java's that are no classes.
func isPrimitive(typ string) bool {
	return slices.Contains([]string{"int", "long", "double", "float", "boolean", "short", "byte", "char"}, typ)
}

// isScalar reports whether a type is one of texts, of numbers or of truth values.
func isScalar(typ string) bool {
	return isPrimitive(typ) || meaning.IsNumeric(typ) || slices.Contains([]string{"String", "Int", "Boolean"}, typ)
}

// is reports whether an expression is what the subject means.
func (s subject) is(x expr.Expr) bool {
	if s.source == "" {
		return false
	}
	x = meaning.Stripped(x)
	return expr.Identical(x, meaning.Stripped(s.x)) ||
		slices.ContainsFunc(s.readings, func(y expr.Expr) bool { return expr.Identical(x, y) })
}
