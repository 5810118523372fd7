package python

import (
	"slices"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/python/meaning"
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
	if !w.findsJSON(&site, t, of.Call) && !w.findsSent(&site, of.Call) && !w.findsGiven(&site, of.Call) {
		return nil
	}
	own := func(x expr.Expr, name string) string {
		part, _ := x.(expr.Answer)
		if text, ok := w.given[of.Call].own(x, name, spelled); ok && site.Made {
			return text
		} else if part.Var == "" {
			return ""
		} else if site.Made {
			return source.NoPython
		}
		return spelled.Of(name, part.Part)
	}
	return site.Write(of, func(x expr.Expr, name string) (string, bool) {
		return source.Printer{Own: func(x expr.Expr) string { return own(x, name) }}.Source(x)
	}, w.width())
}

// findsJSON finds the call in name = call(…).json(), where a test asserts something of that name, as of the JSON of the
// answer to a call; false in any other statement.
func (w *suiteFile) findsJSON(site *polling.Site, t *script.Test, c *script.Call) bool {
	tokens := site.At.Tokens
	n := len(tokens) - 4
	if n < 5 || tokens[1].Text != "=" || !isJSONCall(tokens[n:]) {
		return false
	}
	site.From, site.End = 2, n
	return slices.ContainsFunc(t.Assertions, func(a *script.Assertion) bool {
		return w.named(a).isJSON(tokens[0].Text, c)
	})
}

// named is how values are called where an assertion of the test itself stands; nothing for one in a function.
func (w *suiteFile) named(a *script.Assertion) scope {
	if w.shared[a.At.Start] != nil {
		return scope{}
	}
	return w.names[a]
}

// isJSONCall reports whether tokens are .json().
func isJSONCall(tokens []syntax.Token) bool {
	return slices.EqualFunc(tokens, []string{".", "json", "(", ")"}, func(t syntax.Token, want string) bool {
		return t.Text == want
	})
}

// findsSent finds the call of a client by which the statement itself sends the read.
func (w *suiteFile) findsSent(site *polling.Site, c *script.Call) bool {
	return w.sendings[c].st.Start == c.At.Start && site.Find(func(fn syntax.Node, _ []syntax.Token) bool {
		attr, ok := fn.(syntax.Attr)
		_, sends := script.ClientMethod(attr.Name)
		return ok && sends
	})
}

// findsGiven finds the call, of a function of the suite for the most part, that gives the answer to a call of the test,
// or something made of that: its body, a part of that, the status and the body.
func (w *suiteFile) findsGiven(site *polling.Site, c *script.Call) bool {
	g, ok := w.given[c]
	tokens := site.At.Tokens
	site.From = slices.IndexFunc(tokens, func(t syntax.Token) bool { return t.Start == g.start })
	site.End = 1 + slices.IndexFunc(tokens, func(t syntax.Token) bool { return t.End == g.end })
	answer, _ := g.value.(syntax.Name)
	site.Made = answer.Id != c.Var || g.raises
	if expr.Identical(meaning.Of(g.value), expr.Answer{Var: c.Var, Part: expr.JSON}) {
		site.Given = "body"
	}
	return ok && site.From >= 0 && site.End > site.From
}

// isJSON reports whether a name stands for the JSON of the answer to a call.
func (s scope) isJSON(name string, c *script.Call) bool {
	return slices.ContainsFunc(s.values, func(v named) bool {
		return v.name == name && expr.Identical(v.value, expr.Answer{Var: c.Var, Part: expr.JSON})
	})
}
