package python

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/python/before"
	"github.com/flaketap/flaketap/suite/python/meaning"
	"github.com/flaketap/flaketap/suite/python/syntax"
	"github.com/flaketap/flaketap/suite/script"
)

// Bounds of following a test: calls of functions within each other, and nodes that values stand for.
const (
	maxInlined = 8
	maxNodes   = 1 << 14
)

// follower goes through the statements of a test in the order in which Python would, into the functions of the file
// that it calls, and knows what each name stands for: an answer is the name of its call, all else an expression of
// answers and literals. What it does not know is a meaning.Opaque.
type follower struct {
	file      *suiteFile
	module    *module // whose functions and constants the statements name
	test      *script.Test
	class     string
	testClass string                    // that the test is a method of
	fn        *function                 // whose statements are followed
	raises    *pyRaised                 // of the block that is entered
	given     map[*function]syntax.Node // what fixtures gave the test
	naming    string                    // the variable of a set-up that the statement assigns
	home      *module                   // of the class
	self      *pyInstance               // whose method is followed; nil for the test case
	env       map[string]syntax.Node    // by name; what belongs to the test case by "self.NAME"
	rows      *rows                     // the runs of the test, where their values are known
	many      bool                      // the test runs several times
	own       bool                      // the statements are the test's own, and not those of a function that it calls
	site      script.Span               // the test's own statement that is followed, or its definition
	depth     int                       // of calls of functions
	nodes     int                       // that values stood for so far
	blocks    []block
	ahead     []syntax.Statement // behind the one that is followed
	result    syntax.Node        // what the function returns or yields
	ended     bool               // it has returned or yielded
	left      bool               // it may have, under a condition
}

// block is a statement with others below it.
type block struct {
	indent int
	kind   blockKind
	each   expr.Each // the list, where they run for each of its elements
	names  []string  // that these give a part of an element
	loop   bool      // they run any number of times
	turns  turns     // of a loop
	tries  bool      // they may end early, and what follows them runs all the same
	raises *pyRaised // what is known of the exception that they raise; nil where that has no name
}

type blockKind uint8

const (
	passed      blockKind = iota // its statements run as if they stood outside: with, try, finally
	guarded                      // so do these, and they may fail: with pytest.raises
	conditional                  // they may run, or run often
	foreign                      // they do not run here: a function within a function
	repeated                     // they run for each element of a list of an answer
)

// looping reports whether the statement may run several times in a run of the test.
func (r *follower) looping() bool {
	return slices.ContainsFunc(r.blocks, func(b block) bool { return b.loop || b.kind == repeated })
}

// inside reports whether the statement stands in a block of one of some kinds.
func (r *follower) inside(kinds ...blockKind) bool {
	return slices.ContainsFunc(r.blocks, func(b block) bool { return slices.Contains(kinds, b.kind) })
}

// follow goes through statements.
func (r *follower) follow(stmts []syntax.Statement) {
	for i := 0; i < len(stmts); i++ {
		st := stmts[i]
		for len(r.blocks) > 0 && len(st.Indent) <= r.blocks[len(r.blocks)-1].indent {
			r.leaveBlock()
		}
		if r.ended {
			return
		}
		if r.own {
			r.site = st.Span
		}
		if !r.inside(foreign) {
			if st.Is("def") || st.Is("async", "def") {
				r.nested(st, stmts[i+1:])
			}
			r.ahead = stmts[i+1:]
			if turns, ok := r.turnsOf(st); ok {
				i += r.unrolled(st, turns)
				continue
			}
			for _, part := range st.Parts() {
				r.statement(part)
			}
		}
	}
}

func (r *follower) statement(st syntax.Statement) {
	tokens := st.Tokens
	if st.Is("async") {
		tokens = tokens[1:]
	}
	opens := tokens[len(tokens)-1].Kind == syntax.TokenOp && tokens[len(tokens)-1].Text == ":"
	open := func(kind blockKind) { r.blocks = append(r.blocks, block{indent: len(st.Indent), kind: kind}) }
	switch keyword := tokens[0].Text; {
	case tokens[0].Kind != syntax.TokenName:
		r.other(st, tokens)
	case keyword == "assert":
		r.asserted(st, tokens)
	case keyword == "return", keyword == "yield":
		r.left = r.left || r.inside(conditional) || r.inside(repeated)
		r.result, r.ended = syntax.Name{Id: "None"}, !r.inside(conditional) && !r.inside(repeated)
		if len(tokens) > 1 {
			r.result = r.valueAt(st, tokens[1:])
			r.polled(r.result)
		}
	case keyword == "with" && opens:
		open(r.with(st, tokens))
		r.blocks[len(r.blocks)-1].raises, r.raises = r.raises, nil
	case slices.Contains([]string{"try", "finally"}, keyword) && opens:
		open(passed)
		r.blocks[len(r.blocks)-1].tries = keyword == "try"
	case slices.Contains([]string{"def", "class"}, keyword):
		open(foreign)
	case slices.Contains([]string{"for", "while", "if", "elif", "else", "except", "match", "case"}, keyword):
		if each, ok := r.each(st, tokens); ok {
			r.blocks = append(r.blocks, block{indent: len(st.Indent), kind: repeated, each: each})
			return
		}
		if yes, ok := r.decided(st, tokens); ok {
			open(map[bool]blockKind{true: passed, false: foreign}[yes])
			return
		}
		if keyword == "for" && len(tokens) > 2 {
			r.forget(tokens[1].Text)
		}
		r.blocks = append(r.blocks, block{indent: len(st.Indent), kind: conditional,
			loop: keyword == "for" || keyword == "while", turns: r.turnsFrom(tokens)})
	case keyword == "break", keyword == "continue":
		r.leaves()
	case slices.Contains([]string{"import", "from", "pass", "global", "nonlocal", "raise", "del"}, keyword):
	default:
		r.other(st, tokens)
	}
}

// with reads with … as name, and several of these with commas between.
func (r *follower) with(st syntax.Statement, tokens []syntax.Token) blockKind {
	kind, inner := passed, tokens[1:len(tokens)-1]
	if last := len(inner) - 1; last > 0 && inner[0].Text == "(" && syntax.TopLevel(inner, ")") == last {
		inner = inner[1:last]
	}
	for len(inner) > 0 {
		one := inner
		if comma := syntax.TopLevel(inner, ","); comma >= 0 {
			one, inner = inner[:comma], inner[comma+1:]
		} else {
			inner = nil
		}
		if r.entered(st, one) == guarded {
			kind = guarded
		}
	}
	return kind
}

// entered reads one … as name.
func (r *follower) entered(st syntax.Statement, tokens []syntax.Token) blockKind {
	as := syntax.TopLevel(tokens, "as")
	if as < 0 {
		as = len(tokens)
	}
	for _, t := range tokens[:as] {
		if t.Text == "raises" || t.Text == "assertRaises" || t.Text == "suppress" {
			if as+2 == len(tokens) && t.Text != "suppress" {
				r.raises = &pyRaised{from: len(r.test.Calls), unittest: t.Text == "assertRaises"}
				r.env[tokens[as+1].Text] = r.raises
			}
			return guarded
		}
	}
	if as == 0 {
		return passed
	}
	x := r.valueAt(st, tokens[:as])
	if as+2 == len(tokens) {
		r.env[tokens[as+1].Text] = x
	}
	return passed
}

// other reads assignments and calls.
func (r *follower) other(st syntax.Statement, tokens []syntax.Token) {
	at := syntax.TopLevel(tokens, "=")
	if at == 0 {
		return // no Python
	}
	if at < 0 {
		if augmented := slices.IndexFunc(tokens, func(t syntax.Token) bool {
			return t.Kind == syntax.TokenOp && len(t.Text) == 2 && t.Text[1] == '=' && t.Text[0] != '=' && t.Text[0] != '!' &&
				t.Text[0] != '<' && t.Text[0] != '>'
		}); augmented > 0 && syntax.TopLevel(tokens, tokens[augmented].Text) == augmented {
			r.forget(base(tokens[:augmented]))
			return
		}
		r.called(st, tokens)
		return
	}
	target := tokens[:at]
	if colon := syntax.TopLevel(target, ":"); colon > 0 {
		target = target[:colon] // name: type = value
	}
	ours := r.own || r.fn.name == before.FixtureName(r.test.Name)
	if ours && at == 1 && strings.HasPrefix(target[0].Text, script.SetUpPrefix) {
		r.naming = target[0].Text
	}
	x := r.givenAt(st, tokens[at+1:])
	r.naming = ""
	if len(target) == 1 && r.ofElement(target[0].Text, x) {
		return
	}
	if r.inside(conditional, repeated) && !r.ownEachTime(target) && !(len(target) == 1 && r.last(target[0].Text, x)) {
		x = meaning.Opaque{What: "what is assigned under a condition"}
	}
	switch {
	case len(target) == 1:
		r.env[target[0].Text] = x
	case len(target) == 3 && (target[0].Text == "self" || target[0].Text == "cls") && target[1].Text == ".":
		r.env["self."+target[2].Text] = x
	case len(target) == 3 && r.attributed(target, x):
	case syntax.TopLevel(target, ",") > 0:
		r.destructure(target, x)
	case target[0].Text == "(" && len(target) > 3 && target[len(target)-1].Text == ")" && x != nil:
		r.destructure(target[1:len(target)-1], x)
	default:
		r.forget(base(target))
	}
}

// base is the name that an expression begins with.
func base(tokens []syntax.Token) string {
	if len(tokens) > 2 && (tokens[0].Text == "self" || tokens[0].Text == "cls") {
		return "self." + tokens[2].Text
	}
	return tokens[0].Text
}

// forget has a name stand for something that is not known.
func (r *follower) forget(name string) {
	if _, known := r.env[name]; known || r.module.constants[name] != nil {
		r.env[name] = meaning.Opaque{What: "the name " + name + ", which changes"}
	}
}

// called reads a statement that is an expression: an assertion of unittest's, a request, a function of the file. A
// method of a value may change that.
func (r *follower) called(st syntax.Statement, tokens []syntax.Token) {
	if r.checked(st, tokens) {
		return
	}
	x, err := syntax.ParseExpr(tokens)
	if err != nil {
		return
	}
	if !r.inside(repeated) && (r.approves(st, x) || r.matches(st, x)) ||
		r.helped(st, x) || r.fluent(st, x) || r.unread(st, x) {
		return
	}
	before := len(r.test.Calls)
	r.resolve(x, st)
	call, _ := x.(syntax.Call)
	if fn, ok := call.Fn.(syntax.Attr); ok && len(r.test.Calls) == before {
		if of, ok := fn.X.(syntax.Name); ok && !r.isAnswer(of.Id) {
			r.forget(of.Id)
		}
	}
}

// isAnswer reports whether a name stands for an answer.
func (r *follower) isAnswer(name string) bool {
	of, ok := r.env[name].(syntax.Name)
	return ok && r.callOf(of.Id) != nil
}

// callOf is the call of a variable; nil where it is that of none.
func (r *follower) callOf(id string) *script.Call {
	for _, c := range r.test.Calls {
		if c.Var == id {
			return c
		}
	}
	return nil
}

// valueAt is what an expression stands for, that of a statement which may send requests.
func (r *follower) valueAt(st syntax.Statement, tokens []syntax.Token) syntax.Node {
	x, err := syntax.ParseExpr(tokens)
	if err != nil {
		return meaning.Opaque{What: err.Error()}
	}
	return r.resolve(x, st)
}

// inline follows a function of the file that is called, and is what it returns.
func (r *follower) inline(f *function, args map[string]syntax.Node) syntax.Node {
	return r.inlineIn(f, args, frame{})
}

// inlineIn is inline for a function that stands in another, or is a method of an object.
func (r *follower) inlineIn(f *function, args map[string]syntax.Node, fr frame) syntax.Node {
	if r.depth >= maxInlined {
		return meaning.Opaque{What: "functions that call each other"}
	}
	in := &follower{file: r.file, module: f.module, test: r.test, class: r.class, testClass: r.testClass, fn: f,
		home: r.home, given: r.given,
		env: map[string]syntax.Node{}, site: r.site, depth: r.depth + 1,
		nodes: r.nodes, result: syntax.Name{Id: "None"}}
	if r.inside(conditional) || r.inside(repeated) {
		in.blocks = []block{{indent: -1, kind: conditional, loop: r.looping()}}
	}
	r.enter(in, fr)
	for _, p := range f.params {
		switch x, given := args[p.name]; {
		case given:
			in.env[p.name] = x
		case f.fixture:
			in.env[p.name] = in.fixture(f.class, p.name)
		case p.value != nil:
			in.env[p.name] = in.resolve(p.value, syntax.Statement{})
		default:
			in.env[p.name] = meaning.Opaque{What: "the parameter " + p.name}
		}
	}
	in.follow(f.body)
	r.nodes = in.nodes
	r.leave(in, fr)
	return in.result
}

// ofTestCase reports whether a name is an attribute of the test case.
func ofTestCase(name string) bool { return strings.HasPrefix(name, "self.") }

// asserted reads an assert statement.
func (r *follower) asserted(st syntax.Statement, tokens []syntax.Token) {
	f := form{open: "assert "}
	inner := tokens[1:]
	if comma := syntax.TopLevel(inner, ","); comma > 0 {
		if r.module == r.file.module { // an assertion of another file is not written
			f.end = r.file.script.Text[inner[comma].Start:st.End]
		}
		inner = inner[:comma]
	}
	if !r.inside(repeated) && r.shot(st, f, inner) {
		return
	}
	if slices.ContainsFunc(inner, func(t syntax.Token) bool { return t.Text == ":=" && t.Kind == syntax.TokenOp }) {
		r.names(st, inner)
		return
	}
	if inner, f.call = r.hoisted(inner, 0); f.call != "" {
		defer delete(r.env, r.file.answerName())
	}
	x, err := syntax.ParseExpr(inner)
	r.assertion(st, f, x, err)
}

// names notes an assertion that gives a name a value itself, assert (answer := get(url)).ok: it stays, as what stands
// in its place would not.
func (r *follower) names(st syntax.Statement, inner []syntax.Token) {
	if x, err := syntax.ParseExpr(inner); err == nil {
		r.resolve(x, st)
	}
	if r.file.said != nil {
		*r.file.said = append(*r.file.said, meaning.Unknown("a name that an assertion gives a value"))
	} else if a := r.noted(st); a != nil {
		a.Reason = "it gives a name a value: give it that in a statement before, and assert by the name"
	}
}

// noted notes an assertion, once; nil where it belongs to another file.
func (r *follower) noted(st syntax.Statement) *script.Assertion {
	if r.module != r.file.module {
		return nil
	}
	if of := r.file.shared[st.Start]; !r.own && of != nil {
		return of.Assertion
	}
	if r.own && r.rows != nil {
		if of := r.rows.said[st.Start]; of != nil {
			return of.Assertion
		}
	}
	a := &script.Assertion{Text: r.file.script.Text[st.Start:st.End], At: st.Span}
	switch {
	case !r.own:
		r.file.shared[st.Start] = &sharing{Assertion: a}
	case r.rows != nil:
		r.rows.said[st.Start] = &rounds{Assertion: a}
	}
	a.File, a.Line, a.Test = r.file.script.File, st.FirstLine, r.test.Name
	a.Ours = r.file.script.Commented(st.FirstLine)
	r.test.Assertions = append(r.test.Assertions, a)
	return a
}

// assertion notes what is asserted.
func (r *follower) assertion(st syntax.Statement, f form, x syntax.Node, err error) {
	if r.file.said != nil {
		said := meaning.Unknown("what a function asserts")
		// A block of the function's own: what the call itself stands under is told of the call.
		if slices.ContainsFunc(r.blocks, func(b block) bool { return b.kind == conditional && b.indent >= 0 }) {
			said = nil
		} else if err == nil {
			said = meaning.Of(meaning.Stated(r.resolve(x, st)))
		}
		*r.file.said = append(*r.file.said, said)
		return
	}
	a := r.noted(st)
	if a == nil {
		return
	}
	if err != nil {
		a.Reason = err.Error()
		return
	}
	names, calls := r.scopeNow(), len(r.test.Calls)
	a.Looked = r.looked(meaning.Of(meaning.Stated(x)))
	said := r.ofEach(meaning.Of(meaning.Stated(r.resolve(x, st))))
	if !r.own {
		r.passed(a, f, said, names, calls)
		return
	}
	f.each = r.around()
	r.file.names[a], r.file.forms[a] = names, f
	r.means(a, said, calls)
}

// looked is what a comparison looks at, as it is written: see [script.Assertion.Looked].
func (r *follower) looked(x expr.Expr) expr.Expr {
	of, ok := x.(expr.Compare)
	if !ok || of.Op != expr.Eq && of.Op != expr.Is || expr.UnknownIn(of.X) != "" {
		return nil
	}
	_, name := of.X.(expr.Name)
	several := name && r.looping()
	expr.Walk(of.X, func(y expr.Expr) {
		if step, ok := y.(expr.Index); ok && !expr.IsLiteral(step.I) {
			several = true
		}
	})
	if several {
		return nil
	}
	return of.X
}

// means notes what an assertion means; calls is how many requests were sent before it.
func (r *follower) means(a *script.Assertion, said expr.Expr, calls int) {
	said = r.inRounds(a, said)
	if r.explain(a, said, calls); a.Reason != "" && a.Reason != script.UnderCondition {
		a.Claim = exchange.Claim{File: a.File, Line: a.Line, Test: a.Test}
		a.Meaning = nil
		return
	}
	a.Meaning = said
	if !(script.Claims{Test: r.test}).Any(a, said) {
		a.Relation, a.Place, a.Value, a.Call = "", "", "", 0
	}
}

// explain says why it is not known what an assertion means, if it is not. calls is how many requests were sent before
// it.
func (r *follower) explain(a *script.Assertion, said expr.Expr, calls int) {
	switch what := expr.UnknownIn(said); {
	case !r.own:
		a.Reason = "it stands in a function that tests share"
	case len(r.test.Calls) > calls:
		a.Reason = "it sends a request itself"
	case r.many && what != "":
		a.Reason = "the test runs with several values"
	case what != "":
		a.Reason = what + " is not known"
	case r.inside(conditional):
		a.Reason = script.UnderCondition
	}
}
