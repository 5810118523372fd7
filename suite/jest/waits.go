package jest

import (
	"slices"
	"strconv"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/jest/library"
	"github.com/flaketap/flaketap/suite/jest/polling"
	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/script"
)

// poll has a test wait at a read: see [script.Writer.Poll].
func (w *written) poll(s *script.Script, t *script.Test, of script.Wait) []script.Edit {
	site := polling.Site{Script: s, Test: t, Tokens: w.tokens, Call: of.Call, Layout: w.layout(t), Spelled: w.spelled,
		Width: w.width, Imported: func(name string) bool { return w.module.packages[name] != "" }}
	site.Client.Typed = w.typed
	for p := w.parser(js.Block{From: w.bodies[t].From, To: w.bodies[t].To}); p.Pos < p.End; {
		site.Body = append(site.Body, p.Statement())
	}
	if g, ok := w.gives[of.Call]; ok && (!g.answer || g.raises) {
		site.Given, site.Param, site.Own = g.at, g.name, g.own
		return site.Write(of)
	} else if ok {
		site.Sent = g.at
	}
	l := w.calls[of.Call]
	for _, other := range w.calls {
		if other != l { // the one function would have to know both
			return nil
		}
	}
	by := polling.Axios(l == library.Axios && !w.lenient[of.Call])
	switch l {
	case library.Fetch:
		by = polling.Fetch()
	case library.SuperAgent:
		by = polling.Supertest()
	case library.Undici, library.Got:
		return nil
	}
	by.Typed = w.typed
	site.Client = by
	site.Answers = func(name string) bool {
		return slices.ContainsFunc(t.Assertions, func(a *script.Assertion) bool {
			return w.sayings[a].answers[of.Call.Var].name == name
		})
	}
	return site.Write(of)
}

// given is what a statement of the test waits for: an answer, or something made of that: its body, as a function of the
// suite gives it, or (await fetch(url)).json(), a part of that, an object of the status and the body.
type given struct {
	at     js.Block
	name   string // what it is called
	parts  []named
	answer bool // it is the answer itself
	raises bool // what gives it looks into the answer, and may raise an error
}

// own is how a value is called that can be asked of what is given.
func (g given) own(x expr.Expr) (string, bool) {
	i := slices.IndexFunc(g.parts, func(one named) bool { return expr.Identical(one.value, x) })
	if i < 0 {
		return "", false
	}
	return g.parts[i].name, true
}

// maxParts bounds the parts of what is given, and how deep they lie.
const maxParts = 16

// handsOn notes that what a call gives, for which the test's own statement waits, is the one answer that it got, of all
// requests from a number on, or made of that.
func (r *follower) handsOn(n *js.Node, v value, from int) {
	if !r.own || len(r.test.Calls) != from+1 || n.First == 0 || n.Last > len(r.file.tokens) {
		return
	}
	c := r.test.Calls[from]
	g := given{at: js.Block{From: n.First, To: n.Last}, name: "answer", answer: v.answer != nil, raises: r.raising(n)}
	if v.x != nil && expr.Identical(v.x, expr.Answer{Var: c.Var, Part: expr.JSON}) {
		g.name = "body"
	}
	g.add(r, v, g.name)
	at := r.file.tokens[n.First-1]
	if (at.Is("await") || r.all[n]) && c.At.Start <= at.Start && at.Start < c.At.End && len(g.parts) > 0 {
		r.file.gives[c] = g
	}
}

// together notes what Promise.all is given, for which the test waits then: each may be waited for before.
func (r *follower) together(n *js.Node, name string, given *js.Node) {
	if !r.own || name != "all" || given.Form != js.NodeArray || n.First == 0 || !r.file.tokens[n.First-1].Is("await") {
		return
	}
	for _, one := range given.Args {
		r.all[one] = true
	}
}

// raising reports whether a call may raise an error of its own: one of a function of the suite that looks into the
// answer, or of a chain of supertest's that says what it expects.
func (r *follower) raising(n *js.Node) bool {
	words := func(tokens []js.Token, some ...string) bool {
		return slices.ContainsFunc(tokens, func(t js.Token) bool {
			return t.Kind == js.Word && slices.Contains(some, t.Text)
		})
	}
	if words(r.file.tokens[n.First:n.Last], "expect") {
		return true
	}
	fn := r.eval(n.Args[0]).fn
	return fn != nil && fn.node != nil && words(fn.node.Tokens[fn.node.First:fn.node.Last], "expect", "assert", "throw")
}

// add adds the parts of a value that is called so.
func (g *given) add(r *follower, v value, name string) {
	switch {
	case len(g.parts) >= maxParts || v.hasMembers():
	case v.answer != nil:
		for part, as := range r.file.calls[v.answer].Parts() {
			g.parts = append(g.parts, named{name + as, expr.Answer{Var: v.answer.Var, Part: part}})
		}
	case len(v.fields) > 0:
		for i, f := range v.fields {
			if as := js.Steps([]expr.Expr{expr.Str{Value: f.key}}); v.array {
				g.add(r, f.value, name+"["+strconv.Itoa(i)+"]")
			} else if f.key != js.Spread {
				g.add(r, f.value, name+as)
			}
		}
	case v.x != nil && expr.FromAnswer(v.x):
		g.parts = append(g.parts, named{name, v.x})
	}
}
