package python

import (
	"slices"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/python/polling"
	"github.com/flaketap/flaketap/suite/python/source"
	"github.com/flaketap/flaketap/suite/python/syntax"
	"github.com/flaketap/flaketap/suite/script"
)

// poll has a test wait at a read: see [script.Writer.Poll].
func (w *suiteFile) poll(s *script.Script, t *script.Test, of script.Wait) []script.Edit {
	at := slices.IndexFunc(w.stmts, func(st syntax.Statement) bool { return st.Start == of.Call.At.Start })
	name, spelled := w.answerName(), w.spelling(w.spelled[t], of.Call.Var)
	if at < 0 || spelled.Waits() || len(w.stmts[at].Parts()) > 1 { // of several statements none is put into a loop
		return nil
	}
	site := polling.Site{Script: s, Test: t, Stmts: w.stmts, At: w.stmts[at], Answer: name,
		Status: spelled.Of(name, expr.Status), Text: spelled.Of(name, expr.Text)}
	direct := w.sendings[of.Call].st.Start == of.Call.At.Start
	if !w.findsJSON(&site, t, of.Call) &&
		(!direct && !w.answers(t, of.Call, site.At.Tokens[0].Text) || !site.Find(func(fn syntax.Node) bool {
			return w.sends(t, fn, direct)
		})) {
		return nil
	}
	p := source.Printer{Own: func(x expr.Expr) string {
		if x, ok := x.(expr.Answer); ok {
			return spelled.Of(name, x.Part)
		}
		return ""
	}}
	return site.Write(of, p.Source, w.width())
}

// findsJSON finds the call in name = call(…).json(), where a test asserts something of that name, as of the JSON of the
// answer to a call; false in any other statement.
func (w *suiteFile) findsJSON(site *polling.Site, t *script.Test, c *script.Call) bool {
	tokens := site.At.Tokens
	n := len(tokens) - 4
	if n < 5 || tokens[1].Text != "=" || !isJSONCall(tokens[n:]) {
		return false
	}
	json := expr.Expr(expr.Answer{Var: c.Var, Part: expr.JSON})
	site.From, site.End = 2, n
	return slices.ContainsFunc(t.Assertions, func(a *script.Assertion) bool {
		return slices.ContainsFunc(w.names[a].values, func(v named) bool {
			return v.name == tokens[0].Text && expr.Identical(v.value, json)
		})
	})
}

// isJSONCall reports whether tokens are .json().
func isJSONCall(tokens []syntax.Token) bool {
	return slices.EqualFunc(tokens, []string{".", "json", "(", ")"}, func(t syntax.Token, want string) bool {
		return t.Text == want
	})
}

// answers reports whether a name stands for the answer to a call, where a test asserts something.
func (w *suiteFile) answers(t *script.Test, c *script.Call, name string) bool {
	return slices.ContainsFunc(t.Assertions, func(a *script.Assertion) bool { return w.names[a].answers[c.Var] == name })
}

// sends reports whether a function sends a request itself, or is one of the file that does.
func (w *suiteFile) sends(t *script.Test, fn syntax.Node, itself bool) bool {
	attr, ok := fn.(syntax.Attr)
	if itself {
		_, sends := script.ClientMethod(attr.Name)
		return ok && sends
	}
	if name, ok := fn.(syntax.Name); ok {
		return w.module.called(name.Id) != nil
	}
	return ok && syntax.IsName(attr.X, "self") && w.module.method(w.functions[t].class, attr.Name) != nil
}
