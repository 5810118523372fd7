package jest

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/handset"
	"github.com/flaketap/flaketap/suite/jest/library"
	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/js/prettier"
	"github.com/flaketap/flaketap/suite/script"
)

// Written is the format of tests that people write for Jest, Vitest or Mocha.
func Written() script.Dialect {
	d := Dialect()
	d.Name = "tests for Jest, Vitest or Mocha that use fetch, axios, got, supertest or the like (.js, .mjs, .cjs, .ts)"
	d.Read = readWritten
	return d
}

// written is a file of such tests.
type written struct {
	*reader
	expects bool // it calls expect
	module  *module
	beside  *beside
	cases   []testCase
	sayings map[*script.Assertion]saying
	calls   map[*script.Call]library.Library // what each call is sent with
	gives   map[*script.Call]given           // what tests wait for that is made of an answer
	urls    map[*script.Call]*js.Node        // and the expression of its URL, where that stands in the file
	// lines of assertions in functions that tests share, which are listed once
	shared map[int]bool
	// functions that do nothing but assert, whose calls are assertions themselves
	helping []script.Span
	// the functions of tests
	bodies map[*script.Test]*js.Node
	// what runs before each test and sends calls
	hooks map[*script.Call]hookOf
	// answers whose JSON stands for null where they have no body
	emptied map[string]bool
	// answers that tests have only from the errors which they raise
	raised map[*script.Test]map[string]bool
	// calls for which the test itself says which answers are no errors
	lenient map[*script.Call]bool
	stored  *stored
	width   int // how long its lines may be
	// how its texts and functions are spelled
	spelling prettier.Spelling
	// what is asserted in the rounds of tests, and the tests that have loops which are followed with each of their rows
	rounds   map[*script.Assertion]*rounds
	unrolled map[*script.Test]bool
}

// group is a describe, or the file itself: what stands in it is there for all of its tests.
type group struct {
	up       *group
	depth    int
	titles   []string
	around   []script.Group // the describes that we are in, the outermost first
	declared map[string]declaration
	first    int // of its tokens, of a describe
	hooks    []hook
	skipped  bool
	many     bool   // its tests run several times, with values that are not known
	table    *table // what it runs with; nil where it runs once
}

// hook is a function that runs before each test, or once before the first.
type hook struct {
	word string // beforeEach
	st   js.Statement
	fn   *js.Node
	once bool
}

// declaration is what a name is given where it is declared: a value, or a part of one.
type declaration struct {
	x     *js.Node
	part  *js.Part
	fixed bool // it cannot be assigned again
}

// testCase is a test where it is defined.
type testCase struct {
	group
	st js.Statement
	fn *js.Node
}

// readWritten finds the tests of a file, and follows each through the functions of the file that it calls.
func readWritten(s *script.Script) (script.Writer, error) {
	tokens, err := js.Tokens(s.File, s.Text)
	if err != nil {
		return script.Writer{}, err
	}
	w := &written{reader: &reader{script: s, tokens: tokens, starts: script.LineStarts(s)},
		module: newModule(s.File, tokens), beside: &beside{text: s.Beside, files: map[string]*module{}},
		sayings: map[*script.Assertion]saying{}, calls: map[*script.Call]library.Library{},
		gives: map[*script.Call]given{}, urls: map[*script.Call]*js.Node{},
		shared: map[int]bool{}, bodies: map[*script.Test]*js.Node{},
		hooks:  map[*script.Call]hookOf{},
		raised: map[*script.Test]map[string]bool{}, lenient: map[*script.Call]bool{}, emptied: map[string]bool{},
		stored: readStored(s), rounds: map[*script.Assertion]*rounds{}, unrolled: map[*script.Test]bool{}}
	w.expects, w.width = js.Calls(tokens, "expect"), widthOf(s, tokens)
	w.spelling = prettier.SpellingOf(s.Text, js.Layout(s.Text, tokens))
	w.typed = w.module.typed
	w.collect(js.Block{From: 0, To: len(tokens)}, w.module.top)
	calls := 0
	for _, c := range w.cases {
		t := w.test(c)
		calls += len(t.Calls)
		s.Tests = append(s.Tests, t)
	}
	w.settle()
	w.listed()
	if calls == 0 {
		return script.Writer{}, &script.SyntaxError{File: s.File, Reason: "no tests that send requests: no test() or it() " +
			"that calls fetch, axios, got, supertest or a client", NoTests: true}
	}
	handset.PassInJavaScript(s)
	return script.Writer{Assert: w.write, Disable: w.disable, Path: w.path, SkipInPlace: dialect{}.skipped, Above: w.above,
		Elsewhere: w.elsewhere, Poll: w.poll, Graft: w.grafter()}, nil
}

// collect finds the tests in a block outside of tests, what it declares, and what runs before its tests.
func (w *written) collect(b js.Block, g *group) {
	if g.depth > js.MaxNested {
		return
	}
	for p := w.parser(b); p.Pos < p.End; {
		st := p.Statement()
		if g.declares(st); g.up == nil {
			w.module.linked(p, st)
		}
		if t := loopOf(st); t != nil { // its tests run with other values each time
			inner := g.within()
			inner.table = t
			w.collect(t.body(st), inner)
		} else if st.Keyword == "" && st.X != nil && st.X.Form == js.NodeCall {
			w.defines(st, g)
		} else if st.Keyword == "for" {
			inner := g.within()
			inner.many = true
			for _, name := range (&follower{tokens: w.tokens}).words(st.Blocks[0].From) {
				inner.declared[name] = declaration{}
			}
			w.collect(st.Blocks[0], inner)
		}
	}
}

// within is a group within another.
func (g *group) within() *group {
	return &group{up: g, depth: g.depth + 1, titles: g.titles, around: g.around,
		declared: map[string]declaration{}, skipped: g.skipped}
}

// declare notes a name. One that is declared twice stands for nothing known.
func (g *group) declare(name string, d declaration) {
	if _, again := g.declared[name]; again {
		d = declaration{}
	}
	g.declared[name] = d
}

// defines reads a call of describe, test or a hook, with what hangs on it: test.skip, it.each(…).
func (w *written) defines(st js.Statement, g *group) {
	callee, args := st.X.Args[0], st.X.Args[1:]
	inner := g.within()
	each, concurrent, by := false, false, callee
	for callee.Form == js.NodeMember || callee.Form == js.NodeCall {
		if callee.Form == js.NodeMember {
			inner.skipped = inner.skipped || callee.Text == "skip" || callee.Text == "todo" || callee.Text == "fixme"
			each = each || callee.Text == "each" || callee.Text == "for"
			concurrent = concurrent || callee.Text == "concurrent"
		}
		callee = callee.Args[0]
	}
	if callee.Form != js.NodeName || len(args) == 0 {
		return
	}
	fn := args[len(args)-1]
	for i := 0; i < len(args) && i < 3; i++ { // a timeout may stand behind
		if args[i].Form == js.NodeFunction {
			fn = args[i]
		}
	}
	if fn.Form != js.NodeFunction {
		return
	}
	if inner.table = tableOf(by, fn); each && (inner.table == nil || concurrent) {
		inner.many = true
	}
	switch name := callee.Text; name {
	case "describe", "xdescribe", "fdescribe", "context", "suite":
		inner.titled(w.text(args[0], nil))
		inner.skipped, inner.first = inner.skipped || strings.HasPrefix(name, "x"), fn.From
		inner.around = append(slices.Clone(g.around),
			script.Group{Name: inner.titles[len(inner.titles)-1], Start: w.spanOf(st.First, st.Last).Start})
		w.collect(js.Block{From: fn.From, To: fn.To}, inner)
	case "test", "it", "xtest", "xit", "fit", "specify":
		inner.titled(w.text(args[0], nil))
		inner.skipped = inner.skipped || strings.HasPrefix(name, "x")
		w.cases = append(w.cases, testCase{*inner, st, fn})
	case "beforeAll", "beforeEach", "before", "setup", "suiteSetup":
		g.hooks = append(g.hooks, hook{name, st, fn, name != "beforeEach" && name != "setup"})
	}
}

func (g *group) titled(title string) { g.titles = append(slices.Clone(g.titles), title) }

// named is a value that a variable of the test has.
type named struct {
	name  string
	value expr.Expr
}

// saying is how an assertion is written, and how values are called where it stands.
type saying struct {
	say     func(v js.Verb, l, r string) string
	answers map[string]sent // what holds the answers of calls, by those of calls
	values  []named         // what was taken from answers
	subject named           // what it looks at, as it is written: that can be written once
	around  expr.Each       // the loop over a list of an answer that it stands in
	link    bool            // it is a link of a chain of supertest
	given   bool            // it looks at what a promise gives, and nothing there awaits that: it cannot be said otherwise
}

// sent is a call with the variable that its answer is in.
type sent struct {
	name    string
	library library.Library
}

// words returns the vocabulary of an assertion.
func (c saying) words() js.Words {
	used := false
	return js.Words{Say: c.say,
		Own: func(x expr.Expr) (string, bool) {
			for _, v := range c.values {
				if expr.Identical(v.value, x) {
					return v.name, true
				}
				if name, ok := v.left(x); ok {
					return name, true
				}
			}
			if c.subject.value == nil || !expr.Identical(c.subject.value, x) || used || c.isNamed(x) {
				return "", false
			}
			used = true
			return c.subject.name, true
		},
		Part: func(call string, what expr.Part) (string, bool) {
			of, known := c.answers[call]
			part := of.library.Parts()[what]
			return of.name + part, known && part != ""
		},
		Header: func(call, key string) (string, bool) {
			of, known := c.answers[call]
			return of.name + of.library.Header(key), known
		},
		Name: func(id string) string { return id },
	}
}

// left is how a member of an object is called that a name has the rest of; false where it has that not.
func (v named) left(x expr.Expr) (string, bool) {
	rest, ok := v.value.(expr.Without)
	of, isMember := x.(expr.Index)
	key, isKey := of.I.(expr.Str)
	ok = ok && isMember && isKey && expr.Identical(of.X, rest.X) && !slices.Contains(rest.Keys, key.Value)
	return v.name + js.Steps([]expr.Expr{key}), ok
}

// isNamed reports whether an expression is made of what variables hold, so that it can be written again.
func (c saying) isNamed(x expr.Expr) bool {
	w := &js.Writer{Words: saying{answers: c.answers, values: c.values}.words()}
	w.Value(x)
	return !w.Failed
}

// write says an assertion as the one before was said: by expect in the words of Jest or of Chai, or by assert.
func (w *written) write(s *script.Script, t *script.Test, a *script.Assertion, x expr.Expr) (string, bool) {
	c := w.sayings[a]
	if c.given {
		return "", false
	}
	if of := w.rounds[a]; of != nil {
		var alike bool
		if x, alike = of.Alike(x); !alike {
			return "", false
		}
		c = of.saying()
	}
	if of, ok := expr.OfElement(x, c.around); ok {
		x = of
	}
	if o := w.stored.of[a]; a.Snapshot && !a.Plain {
		text, ok := o.write(x)
		return w.spelled(text), ok
	}
	if c.link {
		return w.writeLink(t, c, a, x)
	}
	inline := inlineBody(s, a.At)
	line := func() (string, bool) {
		out := js.NewWriter(c.words(), a)
		if a.Snapshot {
			out.Counts(x)
		}
		return out.Line(x, inline)
	}
	if text, ok := line(); ok || c.subject.value == nil || inline {
		return w.broken(t, a, text), ok
	}
	// What can be written once is looked at more often: it gets a name.
	once := c.subject
	c.subject, c.values = named{}, append([]named{{"actual", once.value}}, c.values...)
	text, ok := line()
	if !ok {
		return "", false
	}
	return w.broken(t, a, "{ const actual = "+js.Bare(once.name)+"; "+text+" }"), true
}

// disable comments an assertion out.
func (w *written) disable(s *script.Script, a *script.Assertion) []script.Edit {
	if w.sayings[a].link {
		return w.disableLink(s, a)
	}
	return dialect{}.disable(s, a)
}

// path names what an assertion looks at as the test does.
func (w *written) path(_ *script.Test, a *script.Assertion, subject expr.Expr) string {
	c := w.sayings[a]
	if rounds := w.rounds[a]; rounds != nil {
		if of, ok := rounds.Of(subject); ok && of >= 0 {
			subject = rounds.Renamed(of, subject)
		}
		c = rounds.saying()
	}
	out := js.NewWriter(c.words(), a)
	text := out.Value(subject)
	if out.Failed {
		return ""
	}
	return text
}
