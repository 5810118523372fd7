package jest

import (
	"cmp"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/js/chai"
	"github.com/flaketap/flaketap/suite/js/expect"
	"github.com/flaketap/flaketap/suite/script"
)

// helping is a call of a function that does nothing but assert.
type helping struct {
	says []expr.Expr
	what string                              // what of it is not known; "" where all is
	say  func(v js.Verb, l, r string) string // in whose words, by what name, and in which file
	by   string                              // "" for expect
	from *module
}

// helped reads a call of a function that does nothing but assert, as the assertion that its statements are with what it
// is given; false where the statement is no such call.
func (r *follower) helped(st js.Statement) bool {
	n := st.X
	for n.Form == js.NodeUnary && n.Text == "await" {
		n = n.Args[0]
	}
	if n.Form != js.NodeCall || !r.own || r.said != nil {
		return false
	}
	fn := r.helper(n.Args[0])
	if fn == nil || len(fn.node.Args) > 0 || fn.node.Async() && n == st.X || !r.onlyAsserts(fn, maxInlined) {
		return false
	}
	calls := len(r.test.Calls)
	given := r.values(n.Args[1:])
	sent := len(r.test.Calls)
	said := &helping{}
	in := *r
	in.said = said
	in.call(fn, given)
	if len(r.test.Calls) > sent || !said.known(r.file) { // what it sends is noted where it is followed as any other
		r.test.Calls = r.test.Calls[:sent]
		return false
	}
	names, whole := r.sayingNow(claim{say: said.say}), expr.AllOf(said.says...)
	names.subject = r.once(n, given, names, whole)
	a := r.note(r.spanOf(st.First, st.Last))
	if r.what = said.what; sent > calls {
		r.what = "the answer to what an argument sends"
	}
	r.stands(a, whole, "", names, r.what == "")
	return true
}

// known reports whether something is asserted, in words that a file has.
func (o *helping) known(w *written) bool {
	switch {
	case o.say == nil:
		return false
	case o.by != "":
		return o.from == w.module || w.module.packages[o.by] != ""
	}
	_, imports := o.from.packages["expect"]
	return w.expects || !imports
}

// helper is the function that is called; nil where it is none that a file of the suite has.
func (r *follower) helper(callee *js.Node) *function {
	switch callee.Form {
	case js.NodeName:
		return r.lookup(callee.Text).fn
	case js.NodeMember:
		if of, known := r.holder(callee.Args[0]); known && of.answer == nil && of.client == nil {
			v, _ := r.member(of, callee.Text)
			return v.fn
		}
	}
	return nil
}

// once is what the assertions of a function look at that the test has no name for, so that it is written once: an
// argument, or the body of an answer of fetch, which can be read once.
func (r *follower) once(n *js.Node, given []value, names saying, whole expr.Expr) named {
	for i, v := range given {
		if v.x != nil && expr.FromAnswer(v.x) && !names.isNamed(v.x) {
			return named{r.postfix(n.Args[i+1]), v.x}
		}
	}
	out := named{}
	expr.Walk(whole, func(x expr.Expr) {
		body, isAnswer := x.(expr.Answer)
		by, known := names.answers[body.Var]
		if !isAnswer || !known || names.isNamed(body) || out.value != nil {
			return
		}
		switch body.Part {
		case expr.JSON:
			out = named{"(await " + by.name + ".json())", body}
		case expr.Text:
			out = named{"(await " + by.name + ".text())", body}
		}
	})
	return out
}

// onlyAsserts reports whether a function does nothing but assert, so that nothing is lost with a call of it: it
// declares names, calls functions of its kind, and sends nothing.
func (r *follower) onlyAsserts(fn *function, left int) bool {
	in := r.at(fn.module, fn.scope)
	in.tokens = fn.node.Tokens
	return left > 0 && in.asserting(js.Block{From: fn.node.From, To: fn.node.To}, left)
}

func (r *follower) asserting(b js.Block, left int) bool {
	asserts := false
	for p := r.parser(b); p.Pos < p.End; {
		switch st := p.Statement(); {
		case st.Keyword == "const":
		case st.Keyword == "" && st.X == nil:
		case st.Keyword == "if":
			for _, inner := range st.Blocks {
				if !r.asserting(inner, left-1) {
					return false
				}
			}
			asserts = true
		case st.Keyword == "" && r.isAssertion(st.X, left):
			asserts = true
		default:
			return false
		}
	}
	return asserts
}

// isAssertion reports whether an expression is an assertion, or calls a function that does nothing but assert.
func (r *follower) isAssertion(n *js.Node, left int) bool {
	for n.Form == js.NodeUnary && n.Text == "await" {
		n = n.Args[0]
	}
	if *r.nodes++; *r.nodes > maxNodes {
		return false
	}
	if e, ok := expect.Of(n); ok {
		return !e.IsSnapshot() && !e.Has("rejects") && !e.Has("resolves")
	}
	if c, ok := chai.ChainOf(n); ok && c.Joined() {
		return true
	}
	if _, ok := r.assertOf(n); ok {
		return true
	}
	if n.Form != js.NodeCall || n.Args[0].Form != js.NodeName {
		return false
	}
	fn := r.helper(n.Args[0])
	return fn != nil && r.onlyAsserts(fn, left-1)
}

// says notes what is asserted in a function that does nothing but assert.
func (r *follower) says(c claim) {
	r.what = ""
	x, _, ok := c.means(r.reading)
	o := r.said
	if o.say == nil {
		o.say, o.by, o.from = c.say, c.by, r.module
	}
	switch {
	case r.in.Condition:
		o.what = "which branch a function takes"
	case !ok || !expr.FromAnswer(x):
		o.what = cmp.Or(o.what, r.what, "a value")
	default:
		o.says = append(o.says, script.Conjuncts(x)...)
	}
}
