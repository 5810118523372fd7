package python

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/handset"
	"github.com/flaketap/flaketap/suite/python/importing"
	"github.com/flaketap/flaketap/suite/python/meaning"
	"github.com/flaketap/flaketap/suite/python/source"
	"github.com/flaketap/flaketap/suite/python/syntax"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/suite/snapshot"
)

// Written is the format of tests that people write: for pytest or unittest, with requests, httpx or a client that is
// called like these.
func Written() script.Dialect {
	return script.Dialect{Name: "tests for pytest or unittest that use requests, httpx or the like (.py)", Extensions: []string{".py"},
		Mark: "# ", Read: readWritten}
}

// suiteFile is a file of such tests.
type suiteFile struct {
	script *script.Script
	module *module
	stmts  []syntax.Statement
	re     bool // the file imports the module re, or can
	// how the values are called that are known where an assertion stands
	names map[*script.Assertion]scope
	// what assertions say behind what they assert, from a comma on, and how they begin and end
	forms map[*script.Assertion]form
	// what is asserted in the runs of tests that run with several values
	rounds map[*script.Assertion]*rounds
	// how tests ask their answers for their parts, by the variables of calls, and how the file does last
	spelled map[*script.Test]map[string]source.Spelling
	usual   source.Spelling
	// assertions in functions that tests share, and those of these whose function some test calls to assert, by where
	// they begin
	shared         map[int]*sharing
	calledToAssert map[int]bool
	stored         *stored
	// assertions that compare with files of their own, and these files
	approved  map[*script.Assertion]*approved
	approvals snapshot.Approvals
	// what set-ups are written by
	functions map[*script.Test]*function
	sendings  map[*script.Call]sentAt
	hooks     map[*script.Call]*function // which fixture or method sends it before its test
	given     map[*script.Call]given     // what the call that sends it in its test gives
	// what a function asserts that is called to assert; nil where none is followed
	said *[]expr.Expr
}

// form is how an assertion is written: what stands before and behind what it asserts, and the call by which it sends a
// request itself, if it does.
type form struct {
	open, end, call string
	each            expr.Each // the loop that it stands in
}

// readWritten reads the functions of a file, and follows each test through those that it calls.
func readWritten(s *script.Script) (script.Writer, error) {
	stmts, err := syntax.Statements(s.File, s.Text)
	if err != nil {
		return script.Writer{}, err
	}
	w := &suiteFile{script: s, module: readModule(stmts), stmts: stmts, names: map[*script.Assertion]scope{},
		forms: map[*script.Assertion]form{}, rounds: map[*script.Assertion]*rounds{}, shared: map[int]*sharing{},
		calledToAssert: map[int]bool{},
		spelled:        map[*script.Test]map[string]source.Spelling{},
		usual:          source.Usual(), stored: readStored(s), approved: map[*script.Assertion]*approved{},
		approvals: snapshot.Approvals{},
		functions: map[*script.Test]*function{}, sendings: map[*script.Call]sentAt{},
		hooks: map[*script.Call]*function{}, given: map[*script.Call]given{}}
	w.re = w.module.re || importing.Free(stmts, "re")
	others := &beside{text: s.Beside, files: map[string]*module{}}
	others.imports(w.module, s.File, stmts)
	w.module.conftests = others.conftests(s.File)
	calls := 0
	for _, f := range w.module.functions {
		if !strings.HasPrefix(f.name, "test") || f.fixture || len(f.body) == 0 {
			continue
		}
		t := w.test(f)
		calls += len(t.Calls)
		s.Tests = append(s.Tests, t)
	}
	w.settle()
	w.unite()
	if calls == 0 {
		return script.Writer{}, &script.SyntaxError{File: s.File, Reason: "no tests that send requests: no function test… " +
			"that calls get, post and so on of requests, httpx or a client", NoTests: true}
	}
	handset.PassInPython(s)
	return script.Writer{Assert: w.write, Disable: w.disable, Path: w.path, Skip: w.skip, CountsMembers: true,
		Elsewhere: w.elsewhere, Imports: w.imports, Poll: w.poll, Graft: w.grafter()}, nil
}

// test follows one test.
func (w *suiteFile) test(f *function) *script.Test {
	first, last := f.body[0], f.body[len(f.body)-1]
	t := &script.Test{Name: f.name, Line: f.head.FirstLine, Head: f.head.Span, Skipped: f.skipped,
		BodyStart: w.bodyStart(f), BodyEnd: last.End, Indent: first.Indent,
		Groups: []script.Group{{Name: f.class, Start: w.module.begins[f.class]}}}
	w.functions[t] = f
	runs := w.follower(t, f)
	cases := runs.casesOf(f)
	if runs.varies(f, maxInlined) || slices.ContainsFunc(w.module.before(f.class), func(before *function) bool {
		return before.many || runs.varies(before, maxInlined)
	}) {
		runs.many, cases = true, nil
	}
	if cases == nil {
		w.follows(runs, nil)
	}
	for _, given := range cases {
		one := w.follower(t, f)
		if one.rows = runs.rows; one.rows == nil {
			one.rows = &rows{said: map[int]*rounds{}}
		}
		runs.rows = one.rows
		w.follows(one, given)
		one.rows.anew(t)
	}
	for _, c := range t.Calls {
		c.Many = c.Many || runs.many && cases == nil && c.Once == ""
	}
	return t
}

// follower is one that has not begun with a test yet.
func (w *suiteFile) follower(t *script.Test, f *function) *follower {
	return &follower{file: w, module: w.module, test: t, class: f.class, testClass: f.class, fn: f,
		home: w.module, given: map[*function]syntax.Node{},
		env: map[string]syntax.Node{}, site: f.head.Span, many: f.many}
}

// follows follows a run of a test with values for its parameters.
func (w *suiteFile) follows(run *follower, given map[string]syntax.Node) {
	f := run.fn
	if run.rows != nil {
		run.rows.begins(run, given)
	}
	for _, before := range w.module.before(f.class) {
		run.prepared(before)
	}
	for _, d := range f.decorators {
		for _, name := range syntax.UsedFixtures(d) {
			run.fixture(f.class, name)
		}
	}
	for _, p := range f.params {
		if _, known := given[p.name]; !known {
			run.env[p.name] = run.fixture(f.class, p.name)
		}
	}
	run.own = true
	run.follow(f.body)
}

// scope is how values are called where an assertion stands.
type scope struct {
	answers map[string]string // the variables that hold answers, by those of calls
	values  []named           // what was taken from answers
}

type named struct {
	name  string
	value expr.Expr
}

// printer writes what an assertion of a test is to say: a value that has a name there is called by that, and an answer
// without one Python does not know.
func (w *suiteFile) printer(t *script.Test, a *script.Assertion) source.Printer {
	c := w.names[a]
	if of := w.rounds[a]; of != nil {
		c = of.names()
	}
	own := func(x expr.Expr) string {
		for _, v := range c.values {
			if expr.Identical(v.value, x) {
				return v.name
			}
		}
		of, ok := x.(expr.Answer)
		if !ok {
			return ""
		}
		name, known := c.answers[of.Var]
		if !known {
			return source.NoPython
		}
		return w.spelling(w.spelled[t], of.Var).Of(name, of.Part)
	}
	return source.Printer{Own: own, RE: w.re}
}

// imports are the edits that import the modules of which others speak.
func (w *suiteFile) imports(s *script.Script, edits []script.Edit) []script.Edit {
	return importing.Modules(s, w.stmts, edits, "re", "time", "uuid")
}

// write says an assertion as the one before was said: by assert, or by a method of the test case.
func (w *suiteFile) write(_ *script.Script, t *script.Test, a *script.Assertion, x expr.Expr) (string, bool) {
	p := w.printer(t, a)
	if of := w.rounds[a]; of != nil {
		var alike bool
		if x, alike = of.Alike(x); !alike {
			return "", false
		}
	}
	if one := w.approved[a]; one != nil && !a.Plain {
		text, ok := one.write(p, x)
		return w.broken(text, a.At.Indent), ok
	}
	if a.Snapshot && !a.Plain {
		text, ok := w.stored.of[a].write(p, x)
		return w.sending(a) + text, ok && !strings.ContainsAny(text, "\r\n")
	}
	f := w.forms[a]
	if of, ok := expr.OfElement(x, f.each); ok {
		x = of
	}
	text, ok := p.Source(x)
	if !ok || strings.ContainsAny(text, "\r\n") {
		return f.open + text + f.end, false
	}
	return w.sending(a) + w.broken(f.open+text+f.end, a.At.Indent), true
}

// disable comments an assertion out; a request that it sent is sent still. A block in which nothing but assertions
// stands gets a statement in their place, as Python wants one.
func (w *suiteFile) disable(s *script.Script, a *script.Assertion) []script.Edit {
	edits := dialect{}.disable(s, a)
	for i, e := range edits { // formatters have comments stand where the statement would
		if i > 0 && strings.HasPrefix(s.Text[e.Start:], a.At.Indent) {
			edits[i].Start, edits[i].End = e.Start+len(a.At.Indent), e.End+len(a.At.Indent)
		}
	}
	instead := w.forms[a].call
	if instead == "" && w.alone(a.At) {
		instead = "pass"
	}
	if instead != "" {
		edits = append(edits, script.Edit{Start: a.At.End, End: a.At.End, Text: w.lineEnd() + a.At.Indent + instead})
	}
	return edits
}

// alone reports whether nothing but assertions stands in the block of a statement.
func (w *suiteFile) alone(at script.Span) bool {
	i := slices.IndexFunc(w.stmts, func(st syntax.Statement) bool { return st.Start == at.Start })
	if i < 0 {
		return false
	}
	indent := len(at.Indent)
	first, last := i, i
	for first > 0 && len(w.stmts[first-1].Indent) >= indent {
		first--
	}
	for last+1 < len(w.stmts) && len(w.stmts[last+1].Indent) >= indent {
		last++
	}
	return !slices.ContainsFunc(w.stmts[first:last+1], func(st syntax.Statement) bool {
		for a := range w.approved {
			if a.At.Start == st.Start {
				return false
			}
		}
		return !st.Is("assert") && !(st.Is("self", ".") && len(st.Tokens) > 2 && strings.HasPrefix(st.Tokens[2].Text, "assert"))
	})
}

// skip is of unittest, which pytest knows too.
func (w *suiteFile) skip(reason string) string { return dialect{}.skip(reason) }

// path names what an assertion looks at as the test does.
func (w *suiteFile) path(t *script.Test, a *script.Assertion, subject expr.Expr) string {
	if rounds := w.rounds[a]; rounds != nil {
		if of, ok := rounds.Of(subject); ok && of >= 0 {
			subject = rounds.Renamed(of, subject)
		}
	}
	text, ok := w.printer(t, a).Source(subject)
	if !ok {
		return ""
	}
	if call := w.forms[a].call; call != "" {
		text = strings.ReplaceAll(text, w.answerName(), call)
	}
	return text
}

// aroundElement reports whether a value is of the element of the list that a loop around goes over.
func (r *follower) aroundElement(value expr.Expr) bool {
	return r.around().Var != "" && expr.Mentions[expr.Name](value)
}

// scopeNow is how values are called at this point of a test: the last name of each counts.
func (r *follower) scopeNow() scope {
	c := scope{answers: map[string]string{}}
	names := make([]string, 0, len(r.env))
	for name := range r.env {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		switch x := r.env[name].(type) {
		case syntax.Name:
			c.answers[x.Id] = name
		case *pyRaised:
		case *pyInstance:
			c.values = append(c.values, r.namedFields(x, name, maxRecords)...)
		case syntax.Comp:
			if _, _, ok := recordsOf(x); ok {
				c.values = append(c.values, r.namedRecords(x, name, maxRecords)...)
			} else if value := meaning.Of(x); expr.FromAnswer(value) || r.aroundElement(value) {
				c.values = append(c.values, named{name, value})
			}
		case meaning.Opaque, syntax.StrLit, syntax.NumLit, syntax.Dict, syntax.Seq, *pyFunc:
		default:
			if value := meaning.Of(x); expr.FromAnswer(value) || r.aroundElement(value) {
				c.values = append(c.values, named{name, value})
			}
		}
	}
	for _, name := range names { // a name that the block gives the answer it may not have come to give
		if x, ok := r.env[name].(*pyRaised); ok && r.calledIn(x) != nil {
			c.answers[r.calledIn(x).Var] = name + x.attribute()
		}
	}
	return c
}
