package python

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/python/meaning"
	"github.com/flaketap/flaketap/suite/python/syntax"
)

// helped reads a call of a function that does nothing but assert, as the assertion that its statements are with what it
// is given; false where the statement is no such call.
func (r *follower) helped(st syntax.Statement, x syntax.Node) bool {
	call, ok := x.(syntax.Call)
	if !ok || !r.own || r.file.said != nil {
		return false
	}
	f, args, fr := r.local(call)
	if f == nil || !onlyAsserts(f) {
		return false
	}
	as := form{open: "assert "}
	if open := slices.IndexFunc(st.Tokens, func(t syntax.Token) bool { return t.Text == "(" }); open > 0 {
		var tokens []syntax.Token
		if tokens, as.call = r.hoisted(st.Tokens, open+1); as.call != "" {
			defer delete(r.env, r.file.answerName())
			x, _ = syntax.ParseExpr(tokens)
			call, _ = x.(syntax.Call)
			args = call.Args
		}
	}
	calls, names := len(r.test.Calls), r.scopeNow()
	given := r.arguments(f, args, call.Kw, st)
	r.file.said = &[]expr.Expr{}
	r.inlineIn(f, given, fr)
	said := *r.file.said
	r.file.said = nil
	if slices.Contains(said, nil) { // it is not known which of it is said
		return false
	}
	for _, asserted := range f.body {
		r.file.calledToAssert[asserted.Start] = true
	}
	if len(said) == 0 {
		return true
	}
	if a := r.noted(st); a != nil {
		as.each = r.around()
		r.file.names[a], r.file.forms[a] = names, as
		r.means(a, r.ofEach(expr.AllOf(said...)), calls)
	}
	return true
}

// onlyAsserts reports whether a function does nothing but assert, so that nothing is lost with a call of it. Some of
// that may stand under an if, which what the function is given decides.
func onlyAsserts(f *function) bool {
	asserts, under := false, false // an if
	for _, st := range f.body {
		if deeper := len(st.Indent) - len(f.body[0].Indent); deeper < 0 || deeper > 0 && !under {
			return false
		} else if deeper == 0 {
			under = st.Is("if")
		}
		switch {
		case st.Is("assert"), st.Is("self", ".") && len(st.Tokens) > 2 && strings.HasPrefix(st.Tokens[2].Text, "assert"):
			asserts = true
		case st.Is("if") && st.Tokens[len(st.Tokens)-1].Text == ":":
		case len(st.Tokens) == 1 && st.Tokens[0].Kind == syntax.TokenString:
		case st.Is("return") && !(under && len(st.Indent) > len(f.body[0].Indent)):
		case len(st.Tokens) > 2 && st.Tokens[0].Kind == syntax.TokenName && st.Tokens[1].Text == "=":
		default:
			return false
		}
	}
	return asserts
}

// unread lists an assertion of a form that is not known; false where the statement is none.
func (r *follower) unread(st syntax.Statement, x syntax.Node) bool {
	call, _ := x.(syntax.Call)
	for {
		switch fn := call.Fn.(type) {
		case syntax.Name:
			if fn.Id != "assert_that" {
				return false
			}
			return r.unknownForm(st, "the assertion assert_that is not known")
		case syntax.Attr:
			if syntax.IsName(fn.X, "self") && strings.HasPrefix(fn.Name, "assert") && r.home.method(r.class, fn.Name) == nil {
				return r.unknownForm(st, "the assertion "+fn.Name+" is not known")
			}
			inner, ok := fn.X.(syntax.Call)
			if !ok {
				return false
			}
			call = inner
		default:
			return false
		}
	}
}

func (r *follower) unknownForm(st syntax.Statement, reason string) bool {
	if r.file.said != nil {
		*r.file.said = append(*r.file.said, meaning.Unknown(strings.TrimSuffix(reason, " is not known")))
	} else if a := r.noted(st); a != nil {
		a.Reason = reason
	}
	return true
}
