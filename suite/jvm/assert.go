package jvm

import (
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/jvm/link"
	"github.com/flaketap/flaketap/suite/jvm/meaning"
	"github.com/flaketap/flaketap/suite/script"
)

// Why an assertion is not understood.
const (
	notGenerated = "the generator writes no such assertion"
	notRead      = "it has an unknown form"
	notAnswer    = "it looks at no answer"
)

// asserts reads the links behind then(): those that assert something.
func (r *reader) asserts(call int, links []java.Call, in context) {
	answer := r.test.Calls[call].Var
	root := false // the paths begin elsewhere from here on
	for i := range links {
		l := &links[i]
		switch l.Name {
		case "statusCode", "contentType", "header", "headers", "body", "content", "cookie", "cookies", "time", "statusLine":
		case "root", "rootPath", "appendRootPath", "detachRootPath", "appendRoot":
			root = true
			continue
		default:
			continue
		}
		a := r.add(r.span(l.From, l.To), in)
		if a.Reason != "" {
			continue
		}
		if root {
			a.Reason = notRead
			continue
		}
		r.call = call
		x, ok := r.link(answer, l, a)
		a.Call = call
		switch {
		case x == nil:
			a.Reason = notRead
		case ok:
			a.Meaning = x
		default:
			a.Meaning = x
			if !a.Ours {
				a.Claim = exchange.Claim{File: a.File, Line: a.Line, Test: a.Test, Call: call}
				a.Reason = notGenerated
			}
		}
		if x == nil && a.Ours {
			a.Reason = ""
		}
	}
}

// add notes an assertion; Reason is set where it may not even be come to.
func (r *reader) add(at script.Span, in context) *script.Assertion {
	a := &script.Assertion{Text: r.script.Text[at.Start:at.End], At: at}
	a.File, a.Line, a.Test = r.script.File, at.FirstLine, r.test.Name
	a.Ours = r.script.Commented(at.FirstLine)
	if in.condition {
		a.Reason = script.UnderCondition
	}
	r.test.Assertions = append(r.test.Assertions, a)
	return a
}

// links reads assertions on a variable that holds an answer: res_0.statusCode(200).
func (r *reader) links(name string, links []java.Call, in context) bool {
	for i, c := range r.test.Calls {
		if c.Var == name {
			r.asserts(i, links, in)
			return true
		}
	}
	return false
}

// asserted reads assertTrue(isValidURIorEmpty(location)), and notes all else that asserts by its name.
func (r *reader) asserted(l java.Call, at script.Span, in context) {
	if !strings.HasPrefix(l.Name, "assert") {
		return
	}
	a := r.add(at, in)
	if a.Reason != "" {
		return
	}
	a.Reason = notAnswer
	if l.Name != "assertTrue" || len(l.Args) != 1 {
		return
	}
	valid, ok := l.Args[0].X.(java.Call)
	if !ok || valid.Name != "isValidURIorEmpty" || len(valid.Args) != 1 {
		return
	}
	if id, ok := valid.Args[0].X.(java.Name); ok {
		a.Meaning = expr.IsURI{X: expr.Name{ID: id.ID}}
		if (script.Claims{Test: r.test}).Generated(a, a.Meaning) {
			a.Reason = ""
		}
	}
}

// claims reads claims about the answer of the call that is being read.
func (r *reader) claims() script.Claims {
	return script.Claims{Test: &script.Test{Calls: r.test.Calls[r.call : r.call+1]}}
}

// link gives the meaning of one asserting link, and fills the claim in; ok is whether the generator writes such a one.
func (r *reader) link(answer string, l *java.Call, a *script.Assertion) (x expr.Expr, ok bool) {
	json := expr.Answer{Var: answer, Part: expr.JSON}
	switch {
	case l.Name == "statusCode" && len(l.Args) == 1:
		return r.held(a, expr.Answer{Var: answer}, l.Args[0].X)
	case l.Name == "contentType" && len(l.Args) == 1:
		return r.mediaLink(a, answer, l.Args[0].X)
	case l.Name == "header" && len(l.Args) == 2:
		return r.headerLink(a, answer, l)
	case l.Name != "body" && l.Name != "content":
	case len(l.Args) == 1:
		return r.textLink(a, answer, l.Args[0].X)
	case len(l.Args) >= 4 && len(l.Args)%2 == 0:
		return r.pairLink(answer, l, *a), false
	case len(l.Args) == 2:
		path, isText := l.Args[0].X.(java.Text)
		if !isText || len(path.Token.Parts) > 1 {
			break
		}
		p, known := meaning.ParsePath(path.Token.Text, json)
		if !known {
			break
		}
		if p.Mended != "" || path.Token.Broken != "" {
			r.mend(a, l, path, p)
		}
		return r.pathLink(a, p, l.Args[1].X)
	}
	return nil, false
}

// pairLink reads several paths in one link, which only flaketap writes.
func (r *reader) pairLink(answer string, l *java.Call, scratch script.Assertion) expr.Expr {
	var all expr.And
	mends := len(r.mends)
	for i := 0; i < len(l.Args); i += 2 {
		pair := *l
		pair.Args = l.Args[i : i+2]
		x, _ := r.link(answer, &pair, &scratch)
		if x == nil || len(r.mends) > mends {
			r.mends = r.mends[:mends]
			return nil
		}
		all.Xs = append(all.Xs, x)
	}
	return all
}

// held gives the meaning of a matcher over what it is held against.
func (r *reader) held(a *script.Assertion, subject expr.Expr, m java.Node) (expr.Expr, bool) {
	x := r.matchers().Matcher(subject, m)
	return x, x != nil && r.claims().Generated(a, x)
}

// mediaLink reads .contentType("application/json"): the media type begins so.
func (r *reader) mediaLink(a *script.Assertion, answer string, m java.Node) (expr.Expr, bool) {
	header := expr.Header(answer, "content-type")
	if text, ok := m.(java.Text); ok {
		return r.held(a, header, java.Call{Name: "containsString", Args: []java.Argument{{X: text}}})
	}
	if f, ok := m.(java.Field); ok {
		var any []expr.Expr
		for _, kind := range strings.Split(meaning.MediaType(f, ""), ", ") {
			any = append(any, expr.Cmp(expr.Str{Value: kind}, expr.In, header))
		}
		return expr.AnyOf(any...), false
	}
	return r.held(a, header, m)
}

// headerLink reads .header("n", "v") and .header("n", isEmptyOrNullString()), and guards of our own.
func (r *reader) headerLink(a *script.Assertion, answer string, l *java.Call) (expr.Expr, bool) {
	name, ok := l.Args[0].X.(java.Text)
	if !ok {
		return nil, false
	}
	if x, ok := r.guardedLink(a, answer, &l.Args[1]); ok {
		return x, false
	}
	headers := expr.Answer{Var: answer, Part: expr.Headers}
	header := expr.Index{X: headers, I: expr.Str{Value: strings.ToLower(name.Token.Text)}}
	if m, isCall := l.Args[1].X.(java.Call); isCall {
		switch m.Name {
		case "isEmptyOrNullString", "emptyOrNullString", "nullValue":
			x := expr.Cmp(header.I, expr.NotIn, headers)
			return x, r.claims().Generated(a, x)
		}
	}
	x, ok := r.held(a, header, l.Args[1].X)
	if x != nil && !ok && r.takesNull(l.Args[1].X) {
		return expr.Or{Xs: []expr.Expr{expr.Cmp(header.I, expr.NotIn, headers), x}}, false
	}
	return x, ok
}

// textLink reads .body(containsString("x")) and .body(isEmptyOrNullString()).
func (r *reader) textLink(a *script.Assertion, answer string, m java.Node) (expr.Expr, bool) {
	text := expr.Answer{Var: answer, Part: expr.Text}
	if c, ok := m.(java.Call); ok && (c.Name == "isEmptyOrNullString" || c.Name == "emptyOrNullString") {
		x := expr.Cmp(text, expr.Eq, expr.Str{Value: ""})
		return x, r.claims().Generated(a, x)
	}
	return r.held(a, text, m)
}

// pathLink reads .body("'a'[0].'b'", matcher).
func (r *reader) pathLink(a *script.Assertion, p meaning.Path, m java.Node) (expr.Expr, bool) {
	c, isCall := m.(java.Call)
	claims := r.claims()
	length := expr.Len{X: p.X}
	switch {
	case p.Token != nil:
		return r.tokenLink(p, m), false
	case p.Safe || p.End == "doubleValue":
		return r.optional(p, length, m), false
	case p.End == "isEmpty" && isCall && (c.Name == "is" || c.Name == "equalTo") && len(c.Args) == 1:
		if v, ok := c.Args[0].X.(java.Name); !ok || v.ID != "true" {
			return nil, false
		}
		x := expr.Cmp(length, expr.Eq, expr.Num{Text: "0"})
		return x, claims.Generated(a, x)
	case p.End == "size":
		return r.held(a, length, m)
	case p.End != "":
		return nil, false
	case isCall && link.IsArrayMatcher(c.Name):
		return r.arrayLink(a, p.X, c)
	case isCall && c.Name == "nullValue":
		null := expr.IsNull(p.X)
		return meaning.Tolerant(p.X, null), claims.Generated(a, null)
	}
	if x, ok := r.held(a, p.X, m); ok || !r.takesNull(m) {
		return x, ok
	}
	return meaning.Tolerant(p.X, r.matchers().Matcher(p.X, m)), false
}

// takesNull reports whether a matcher is fulfilled by nothing.
func (r *reader) takesNull(m java.Node) bool {
	x := r.matchers().Matcher(expr.Null{}, m)
	if x == nil {
		return false
	}
	ok, err := expr.Scope{}.Holds(x)
	return ok && err == nil
}

// optional gives the meaning of a matcher over a number, or over a length that may be of nothing.
func (r *reader) optional(p meaning.Path, length expr.Expr, m java.Node) expr.Expr {
	subject := p.X
	if p.End == "size" {
		subject = length
	}
	x := r.matchers().Matcher(subject, m)
	if x == nil || p.End != "size" && p.End != "doubleValue" {
		return nil
	}
	if p.Safe && r.takesNull(m) {
		return meaning.Tolerant(p.X, expr.Or{Xs: []expr.Expr{expr.IsNull(p.X), x}})
	}
	return x
}

// mend notes how a link ought to have been written.
func (r *reader) mend(a *script.Assertion, l *java.Call, path java.Text, p meaning.Path) {
	at := path.Token
	end := l.Args[0].To - 1
	source := p.Mended
	if source == "" {
		source = meaning.Source(p.X) + p.Call()
	}
	reason := at.Broken
	if reason == "" {
		reason = "a quote or a backslash in the name of a property is not escaped, so that the path leads nowhere"
	}
	after := r.script.Text[a.At.Start:at.Start] + r.literal(source) + r.script.Text[r.Tokens[end].End:a.At.End]
	r.mends = append(r.mends, script.GeneratorBug{At: a.At, Reason: reason, Before: a.Text, After: after})
}
