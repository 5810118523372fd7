package jest

import (
	"slices"

	"github.com/flaketap/flaketap/suite/jest/library"
	"github.com/flaketap/flaketap/suite/jest/polling"
	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/script"
)

// poll has a test wait at a read: see [script.Writer.Poll].
func (w *written) poll(s *script.Script, t *script.Test, of script.Wait) []script.Edit {
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
	named := func(name string) bool {
		return slices.ContainsFunc(t.Assertions, func(a *script.Assertion) bool {
			return w.sayings[a].answers[of.Call.Var].name == name
		})
	}
	site := polling.Site{Script: s, Test: t, Tokens: w.tokens, Call: of.Call, Client: by, Layout: w.layout(t),
		Spelled: w.spelled, Width: w.width, Answers: named,
		Imported: func(name string) bool { return w.module.packages[name] != "" }}
	for p := w.parser(js.Block{From: w.bodies[t].From, To: w.bodies[t].To}); p.Pos < p.End; {
		site.Body = append(site.Body, p.Statement())
	}
	return site.Write(of)
}
