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
	if !w.findsJSON(&site, t, of.Call) && !w.findsSent(&site, of.Call) && !w.findsGiven(&site, t, of.Call) {
		return nil
	}
	return site.Write(of, func(x expr.Expr, name string) (string, bool) {
		return source.Printer{Own: func(x expr.Expr) string {
			switch x, ok := x.(expr.Answer); {
			case !ok:
				return ""
			case !site.OfBody:
				return spelled.Of(name, x.Part)
			case x.Part == expr.JSON:
				return name
			}
			return source.NoPython
		}}.Source(x)
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

// findsGiven finds the call of a function of the suite that gives the answer to a call, or the body of that: the
// statement gives it a name by which assertions ask for it, or is an assertion about it.
func (w *suiteFile) findsGiven(site *polling.Site, t *script.Test, c *script.Call) bool {
	tokens := site.At.Tokens
	gives := func(a *script.Assertion, name string) bool {
		site.OfBody = w.named(a).isJSON(name, c)
		return site.OfBody || w.named(a).answers[c.Var] == name
	}
	if at := syntax.TopLevel(tokens, "="); at > 0 {
		one := at == 1 || tokens[1].Text == ":" || at == 3 && tokens[1].Text == "."
		if !one || !slices.ContainsFunc(t.Assertions, func(a *script.Assertion) bool { return gives(a, base(tokens[:at])) }) {
			return false
		}
		if !site.OfBody && site.Find(func(fn syntax.Node, _ []syntax.Token) bool { return w.ofSuite(t, fn) }) {
			return true
		}
		site.From, site.End = at+1, len(tokens)
		x, err := syntax.ParseExpr(tokens[at+1:])
		_, call := x.(syntax.Call)
		return err == nil && call
	}
	i := slices.IndexFunc(t.Assertions, func(a *script.Assertion) bool { return a.At.Start == c.At.Start })
	return i >= 0 && gives(t.Assertions[i], w.answerName()) && site.Find(func(_ syntax.Node, call []syntax.Token) bool {
		return w.source(call) == w.forms[t.Assertions[i]].call
	})
}

// ofSuite reports whether a function is one of the file, or a method of the test case.
func (w *suiteFile) ofSuite(t *script.Test, fn syntax.Node) bool {
	if name, ok := fn.(syntax.Name); ok {
		return w.module.called(name.Id) != nil
	}
	attr, ok := fn.(syntax.Attr)
	return ok && syntax.IsName(attr.X, "self") && w.module.method(w.functions[t].class, attr.Name) != nil
}

// isJSON reports whether a name stands for the JSON of the answer to a call.
func (s scope) isJSON(name string, c *script.Call) bool {
	return slices.ContainsFunc(s.values, func(v named) bool {
		return v.name == name && expr.Identical(v.value, expr.Answer{Var: c.Var, Part: expr.JSON})
	})
}
