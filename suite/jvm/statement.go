package jvm

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/jvm/link"
	"github.com/flaketap/flaketap/suite/jvm/meaning"
	"github.com/flaketap/flaketap/suite/script"
)

// form is how an assertion is written anew.
type form struct {
	open, close string // what stands before a condition, and behind it; "" where it is a link of a chain
	subject     subject
	subjects    []subject // of one that says several things
	mapper      string    // a field of Jackson's that makes trees of texts; "" for none
	names       scope
	in          surroundings
	fluent      bool   // it is a link of AssertJ's
	joined      string // the chain is about the text of a list with this between its elements; "" where it is not
	named       bool   // it is a link behind a variable, which alone is no statement
	link        bool   // it is a link of REST-assured's
}

// subject is what an assertion looks at, as its source says it.
type subject struct {
	x           expr.Expr
	source, typ string
	// the source of the value without its type, which has null where there is nothing; "" where there is none
	object   string
	tree     bool // that value is a node of Jackson's
	null     bool
	maybe    bool        // Kotlin takes it for one that may be null
	sure     bool        // Kotlin takes it for one that is never null
	readings []expr.Expr // the arrays that it may be, where it is one of REST-assured's
}

// statement reads an expression that stands as a statement: an assertion, a request, a method of the file.
func (r *follower) statement(from, to int) {
	x := r.file.module.Parse(from, to)
	root, links := java.Chain(x)
	switch c, ok := x.(java.Call); {
	case !ok:
		if x == nil {
			r.unread(from, to, "")
		} else if r.file.kotlin {
			r.last = r.resolve(x)
		}
		return
	case r.kotest(c, from, to):
		return
	case links[0].Name == "assertAll" && len(links) == 1:
		r.arguments(c)
		return
	case r.helped(c, from, to), r.approves(c, from, to):
		return
	case asserting(links[0], root) && r.local(links[0], "") == nil:
		r.asserted(c, links, from, to)
		return
	}
	before := len(r.test.Calls)
	value := r.resolve(x)
	r.last = value
	if n, ok := root.(java.Name); ok && len(r.test.Calls) == before {
		switch was, _ := r.known(n.ID); was.(type) {
		case requestNode:
			if req, ok := value.(requestNode); ok { // a builder is changed by its methods
				r.env[r.place(n.ID)] = req
			}
		case answerNode, headersNode, nil:
		case meaning.Value:
			if !meaning.IsTree(was.(meaning.Value).Typ) {
				r.forget(n.ID)
			}
		default:
			r.forget(n.ID)
		}
	}
}

// asserting reports whether a chain begins with an assertion, of the classes that have such.
func asserting(first java.Call, root java.Node) bool {
	of, ok := first.X.(java.Name)
	return strings.HasPrefix(first.Name, "assert") && !strings.HasPrefix(first.Name, "assertThrows") &&
		!strings.HasPrefix(first.Name, "assertFails") &&
		(first.X == nil || ok && (of.ID == "Assertions" || of.ID == "Assert" || of.ID == "MatcherAssert" || first.Name == "assertThat") ||
			isPackage(first.X)) && (root == nil || ok || isPackage(first.X))
}

// isPackage reports whether an expression is a class with its packages: org.junit.Assert.
func isPackage(x java.Node) bool {
	f, ok := x.(java.Field)
	return ok && (f.Name == "Assertions" || f.Name == "Assert" || f.Name == "MatcherAssert")
}

// unread notes an assertion of an unknown form, where there is one.
func (r *follower) unread(from, to int, reason string) {
	if t := &r.file.module.Tokens[from]; !strings.HasPrefix(t.Text, "assert") || t.Kind != java.NameToken {
		return
	}
	if reason == "" {
		reason = notRead
	}
	if a := r.add(from, to); a != nil {
		a.Reason = reason
	}
}

// add notes an assertion; nil where it stands in a method that tests share, which is listed once, or in another file.
func (r *follower) add(from, to int) *script.Assertion {
	if r.said != nil {
		a := &script.Assertion{}
		if r.file.holds(to - 1) {
			a.At = r.file.span(from, to)
		}
		*r.said = append(*r.said, a)
		return a
	}
	if !r.file.holds(to - 1) {
		return nil
	}
	at := r.file.span(from, to)
	if !r.own {
		if r.file.shared[at.Start] {
			return nil
		}
		r.file.shared[at.Start] = true
	} else if a := r.rows.listed(at); a != nil {
		return a
	}
	if len(r.test.Assertions) >= maxAssertions {
		return nil
	}
	a := &script.Assertion{Text: r.file.script.Text[at.Start:at.End], At: at}
	a.File, a.Line, a.Test = r.file.script.File, at.FirstLine, r.test.Name
	a.Ours = r.file.script.Commented(at.FirstLine)
	r.test.Assertions = append(r.test.Assertions, a)
	if r.own {
		r.rows.list(a)
	}
	return a
}

// maxAssertions bounds how many assertions a test has.
const maxAssertions = 10000

// asserted reads an assertion of JUnit's, TestNG's, Hamcrest's or AssertJ's.
func (r *follower) asserted(c java.Call, links []java.Call, from, to int) {
	first := links[0]
	calls := len(r.test.Calls)
	args := r.arguments(first)
	sends := len(r.test.Calls) > calls
	if len(links) > 1 {
		r.fluent(first, args, links[1:], sends)
		return
	}
	a := r.add(from, to)
	if a == nil {
		return
	}
	f := form{names: r.names(), in: r.in}
	if sends {
		a.Reason = "it sends a request itself"
		r.file.forms[a.At.Start] = f
		return
	}
	what, at, ok := r.condition(first, args)
	if !ok {
		a.Reason = unreadable(args)
		r.file.forms[a.At.Start] = f
		return
	}
	if first.Name != "assertThat" {
		f.open, f.close, ok = r.calls(first, args, from)
	} else {
		f.open, f.close = `org.hamcrest.MatcherAssert.assertThat(`+r.reason(first, args)+", ", ")"
	}
	if !ok {
		a.Reason = "what " + first.Name + " is is not known"
		return
	}
	r.understood(a, what, f, first.Args[at])
}

// understood fills an assertion in, which looks at an expression or at what that is made of.
func (r *follower) understood(a *script.Assertion, what meaning.Said, f form, looks java.Argument) {
	r.file.forms[a.At.Start] = f
	unknown, about := "", false
	expr.Walk(what.Means, func(y expr.Expr) {
		_, of := y.(expr.Answer)
		about = about || of
		if y, ok := y.(expr.Unknown); ok && unknown == "" {
			unknown = y.What
		}
	})
	switch {
	case !r.own && r.said == nil:
		a.Reason = "it stands in a method that tests share"
		return
	case r.many && unknown != "":
		a.Reason = "the test runs with several values"
		return
	case unknown != "":
		a.Reason = unknown + " is not known"
		return
	case !about:
		a.Reason = notAnswer
		return
	case r.in.condition:
		a.Reason = script.UnderCondition
	}
	defer func() { r.inRounds(a, f.names) }()
	if a.Meaning = what.Means; a.Relation != "" {
		return
	}
	if what.Claims == nil || !(script.Claims{Test: r.test}).Any(a, what.Claims) {
		a.Relation, a.Place, a.Value, a.Call = "", "", "", 0
		if f.subjects = r.subjects(what.Means, looks); f.fluent {
			f.subject = r.subject(a.Subject(), looks)
		}
		r.file.forms[a.At.Start] = f
		return
	}
	f.subject = r.subject(a.Subject(), looks)
	r.file.forms[a.At.Start] = f
}

// condition says what an assertion asserts, and which of its arguments it looks at; false where it is of another form.
func (r *follower) condition(c java.Call, all []java.Argument) (what meaning.Said, at int, ok bool) {
	args := r.file.values(c, all)
	if c.Name == "assertThat" {
		if len(args) == 1 {
			return meaning.Says(meaning.Of(args[0].X)), 0, true // a reason and a condition
		}
		if len(args) != 2 {
			return meaning.Said{}, 0, false
		}
		what, ok = r.matched(args[0].X, args[1].X)
		return what, slices.IndexFunc(all, func(b java.Argument) bool { return b.From == args[0].From }), ok
	}
	want, got := 0, 1
	if len(args) >= 2 && !meaning.IsLiteral(args[0].X) && (meaning.IsLiteral(args[1].X) || r.file.actualFirst) {
		want, got = 1, 0
	}
	index := func(i int) int {
		return slices.IndexFunc(all, func(b java.Argument) bool { return b.From == args[i].From })
	}
	value := func(i int) meaning.Value { v, _ := args[i].X.(meaning.Value); return v }
	switch {
	case len(args) == 1 && (c.Name == "assertTrue" || c.Name == "assertFalse") && value(0).Among:
		return value(0).Membership(c.Name == "assertTrue"), index(0), true
	case len(args) == 1 && c.Name == "assertTrue":
		return conditional(args[0].X), index(0), true
	case len(args) == 1 && c.Name == "assertFalse" && value(0).Bound:
		return meaning.Same(value(0), java.Name{ID: "false"}), index(0), true
	case len(args) == 1 && c.Name == "assertFalse":
		return meaning.Says(meaning.Of(java.Not{X: args[0].X})), index(0), true
	case len(args) == 1 && (c.Name == "assertNull" || c.Name == "assertNotNull"):
		if value(0).X == nil {
			return meaning.Says(expr.Unknown{What: "what is no value of an answer"}), index(0), true
		}
		if c.Name == "assertNull" {
			return value(0).IsNull(), index(0), true
		}
		return value(0).NotNull(), index(0), true
	case len(args) == 2 && c.Name == "assertContains" && value(0).X != nil:
		what, ok = value(0).Link(java.Call{Name: "contains", Args: args[1:]})
		return what, index(0), ok
	case len(args) == 2 && slices.Contains([]string{"assertEquals", "assertSame", "assertIterableEquals",
		"assertContentEquals"}, c.Name):
		if same := r.sameObject(args[got].X, args[want].X); same != nil {
			return meaning.Says(same), index(got), true
		}
		return meaning.Same(args[got].X, args[want].X), index(got), true
	case len(args) == 2 && (c.Name == "assertNotEquals" || c.Name == "assertNotSame"):
		return meaning.Different(args[got].X, args[want].X), index(got), true
	case len(args) == 3 && c.Name == "assertEquals":
		return meaning.Near(args[got].X, args[want].X, args[2].X), index(got), true
	}
	return meaning.Said{}, 0, false
}

// conditional is a condition, which makes the claim that it is made of.
func conditional(x java.Node) meaning.Said {
	if b, ok := x.(java.Binary); ok && b.Op == "==" {
		return meaning.Same(b.X, b.Y)
	}
	return meaning.Says(meaning.Of(x))
}

// values are the arguments of an assertion without its message: JUnit 4 has that first, the others last.
func (w *written) values(c java.Call, args []java.Argument) []java.Argument {
	n := map[string]int{"assertTrue": 1, "assertFalse": 1, "assertNull": 1, "assertNotNull": 1, "assertEquals": 2, "assertNotEquals": 2,
		"assertSame": 2, "assertNotSame": 2, "assertIterableEquals": 2, "assertContains": 2, "assertContentEquals": 2, "assertThat": 2}[c.Name]
	if c.Name == "assertThat" && len(args) == 2 && isText(args[0].X) && isBoolean(args[1].X) {
		return args[1:]
	}
	if n == 2 && c.Name == "assertEquals" && len(args) > 2 {
		last := args[2].X
		if w.messageFirst(c) && isText(args[0].X) {
			last = args[min(3, len(args)-1)].X
		}
		if _, isDelta := meaning.Number(meaning.Of(last)); isDelta && !isText(last) && (len(args) > 3 || !w.messageFirst(c) ||
			!isText(args[0].X)) {
			n = 3
		}
	}
	switch {
	case n == 0 || len(args) <= n:
		return args
	case w.messageFirst(c):
		return args[len(args)-n:]
	}
	return args[:n]
}

// isText reports whether a value is a text, whatever it says.
func isText(x java.Node) bool {
	switch x := x.(type) {
	case java.Text, java.Sum:
		return true
	case meaning.Value:
		return x.Typ == "String"
	}
	return false
}

func isBoolean(x java.Node) bool {
	switch x := x.(type) {
	case java.Binary, java.Not:
		return true
	case meaning.Value:
		return x.Typ == "boolean"
	}
	return false
}

// messageFirst reports whether an assertion has its message before what it compares.
func (w *written) messageFirst(c java.Call) bool {
	return c.Name == "assertThat" || w.assertions(c) == junit4
}

// The classes that have assertions.
const (
	junit5 = "org.junit.jupiter.api.Assertions"
	junit4 = "org.junit.Assert"
	testNG = "org.testng.Assert"
	// no class, but a package of functions
	kotlinTest = "kotlin.test"
)

// assertions is the class that an assertion is a method of; "" where that is not known.
func (w *written) assertions(c java.Call) string {
	name := ""
	switch x := c.X.(type) {
	case java.Name:
		name = x.ID
	case java.Field:
		name = x.Name
	}
	if name == "" && w.module.Has(kotlinTest+"."+c.Name) {
		return kotlinTest
	}
	for _, class := range []string{junit5, junit4, testNG} {
		if name == "" && w.module.Has("static "+class+"."+c.Name) || name != "" && strings.HasSuffix(class, "."+name) &&
			(w.module.Has(class) || isPackage(c.X)) {
			return class
		}
	}
	return ""
}

// calls says how a condition is asserted in the place of an assertion, with the message that there was.
func (r *follower) calls(c java.Call, args []java.Argument, from int) (open, end string, ok bool) {
	class := r.file.assertions(c)
	if class == "" {
		return "", "", false
	}
	end = ")"
	values := r.file.values(c, args)
	message := ""
	if len(values) < len(args) {
		i := len(args) - 1
		if class == junit4 {
			i = 0
		}
		message = r.file.source(args[i].From, args[i].To)
	}
	switch {
	case c.X != nil:
		open = r.file.source(from, c.From) + ".assertTrue("
	case r.file.module.Has("static " + class + ".assertTrue"), class == kotlinTest && r.file.module.Has(class+".assertTrue"):
		open = "assertTrue("
	default:
		open = class + ".assertTrue("
	}
	switch {
	case message == "":
	case class == junit4:
		open += message + ", "
	default:
		end = ", " + message + ")"
	}
	return open, end, true
}

// reason is what an assertion of Hamcrest's gives as its reason.
func (r *follower) reason(c java.Call, args []java.Argument) string {
	if values := r.file.values(c, args); len(values) < len(args) {
		return r.file.source(args[0].From, args[0].To)
	}
	return r.file.literal(script.OneLine(r.file.source(args[0].From, args[0].To)))
}

// matched says that a value fulfils a matcher of Hamcrest's.
func (r *follower) matched(x, m java.Node) (meaning.Said, bool) {
	v, ok := x.(meaning.Value)
	if !ok {
		return meaning.Said{}, false
	}
	if len(r.test.Calls) == 0 {
		return meaning.Said{}, false
	}
	read := &reader{dialect: r.file.dialect, script: r.file.script, test: r.test}
	subject := v.X
	if lits := textsOf(m); len(lits) > 0 && !slices.ContainsFunc(lits,
		func(s string) bool { return !meaning.IsPlainText(expr.Str{Value: s}) }) {
		subject = meaning.Stripped(subject)
	}
	if c, isCall := m.(java.Call); isCall {
		switch {
		case link.IsArrayMatcher(c.Name):
			if read.matchers().Array(subject, c) == nil {
				return meaning.Said{}, false
			}
			return v.Spread(func(array expr.Expr) expr.Expr { return read.matchers().Array(array, c) }), true
		case c.Name == "everyItem":
			const element = "e"
			if len(c.Args) != 1 || read.matchers().Matcher(expr.Name{ID: element}, c.Args[0].X) == nil {
				return meaning.Said{}, false
			}
			one := read.matchers().Matcher(expr.Name{ID: element}, c.Args[0].X)
			return v.Spread(func(array expr.Expr) expr.Expr {
				return expr.All{X: expr.Each{Elem: one, Var: element, List: array}}
			}), true
		case c.Name == "nullValue":
			return v.IsNull(), true
		case c.Name == "notNullValue":
			return v.NotNull(), true
		}
	}
	means := read.matchers().Matcher(subject, m)
	if means == nil {
		return meaning.Said{}, false
	}
	if read.takesNull(m) {
		return meaning.Says(meaning.Tolerant(subject, means)), v.Null
	}
	return v.Within(subject, func(x expr.Expr) expr.Expr { return read.matchers().Matcher(x, m) }), true
}

// textsOf are the texts that a matcher has.
func textsOf(m java.Node) []string {
	var out []string
	switch m := m.(type) {
	case java.Text:
		out = append(out, m.Token.Text)
	case java.Call:
		for _, a := range m.Args {
			out = append(out, textsOf(a.X)...)
		}
	}
	return out
}
