package jest

import (
	"slices"

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
	if at, ok := w.gives[of.Call]; ok {
		site.Given = at
		return site.Write(of)
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

// givesBody notes that what the test's own statement waits for gives the body of the one answer which it got, of all
// requests from a number on: what a function of the suite makes of an answer, or (await fetch(url)).json().
func (r *follower) givesBody(n *js.Node, v value, from int) {
	if !r.own || len(r.test.Calls) != from+1 {
		return
	}
	c := r.test.Calls[from]
	if v.x == nil || !expr.Identical(v.x, expr.Answer{Var: c.Var, Part: expr.JSON}) || n.Last > len(r.file.tokens) {
		return
	}
	if at := r.file.tokens[n.First]; at.Is("await") && c.At.Start <= at.Start && at.Start < c.At.End {
		r.file.gives[c] = js.Block{From: n.First + 1, To: n.Last}
	}
}
