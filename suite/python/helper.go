package python

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
)

// helped reads a call of a function that does nothing but assert, as the assertion that its statements are with what it
// is given; false where the statement is no such call.
func (r *follower) helped(st statement, x node) bool {
	call, ok := x.(pyCall)
	if !ok || !r.own || r.file.said != nil {
		return false
	}
	f, args, fr := r.local(call)
	if f == nil || !onlyAsserts(f) {
		return false
	}
	as := form{open: "assert "}
	if open := slices.IndexFunc(st.tokens, func(t token) bool { return t.text == "(" }); open > 0 {
		var tokens []token
		if tokens, as.call = r.hoisted(st.tokens, open+1); as.call != "" {
			defer delete(r.env, r.file.answerName())
			x, _ = parseExpr(tokens)
			call, _ = x.(pyCall)
			args = call.args
		}
	}
	calls, names := len(r.test.Calls), r.scopeNow()
	given := r.arguments(f, args, call.kw, st)
	r.file.said = &[]expr.Expr{}
	r.inlineIn(f, given, fr)
	said := *r.file.said
	r.file.said = nil
	if len(said) == 0 {
		return true
	}
	if a := r.noted(st); a != nil {
		r.file.names[a], r.file.forms[a] = names, as
		r.means(a, r.ofEach(expr.AllOf(said...)), calls)
	}
	return true
}

// onlyAsserts reports whether a function does nothing but assert, so that nothing is lost with a call of it.
func onlyAsserts(f *function) bool {
	asserts := false
	for _, st := range f.body {
		if len(st.Indent) != len(f.body[0].Indent) {
			return false
		}
		switch {
		case st.is("assert"), st.is("self", ".") && len(st.tokens) > 2 && strings.HasPrefix(st.tokens[2].text, "assert"):
			asserts = true
		case len(st.tokens) == 1 && st.tokens[0].kind == tokenString, st.is("return"):
		case len(st.tokens) > 2 && st.tokens[0].kind == tokenName && st.tokens[1].text == "=":
		default:
			return false
		}
	}
	return asserts
}

// unread lists an assertion of a form that is not known; false where the statement is none.
func (r *follower) unread(st statement, x node) bool {
	call, _ := x.(pyCall)
	for {
		switch fn := call.fn.(type) {
		case pyName:
			if fn.id != "assert_that" {
				return false
			}
			return r.unknownForm(st, "the assertion assert_that is not known")
		case pyAttr:
			if isPyName(fn.x, "self") && strings.HasPrefix(fn.name, "assert") && r.home.method(r.class, fn.name) == nil {
				return r.unknownForm(st, "the assertion "+fn.name+" is not known")
			}
			inner, ok := fn.x.(pyCall)
			if !ok {
				return false
			}
			call = inner
		default:
			return false
		}
	}
}

func (r *follower) unknownForm(st statement, reason string) bool {
	if r.file.said != nil {
		*r.file.said = append(*r.file.said, unknown(strings.TrimSuffix(reason, " is not known")))
	} else if a := r.noted(st); a != nil {
		a.Reason = reason
	}
	return true
}
