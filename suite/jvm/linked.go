package jvm

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/jvm/link"
	"github.com/flaketap/flaketap/suite/jvm/meaning"
	"github.com/flaketap/flaketap/suite/script"
)

// linked reads a link behind REST-assured's then(), whose arguments are resolved.
func (r *follower) linked(answer answerNode, c java.Call) {
	if !slices.Contains([]string{"statusCode", "statusLine", "contentType", "header", "headers", "body", "content", "cookie", "cookies",
		"time"}, c.Name) {
		if strings.Contains(strings.ToLower(c.Name), "root") {
			r.file.rooted[answer.id] = true // paths begin elsewhere from here on
		}
		return
	}
	a := r.add(c.From, c.To)
	if a == nil {
		return
	}
	f := form{names: r.names(), in: r.in, link: true}
	_, f.named = c.X.(java.Name)
	at := slices.IndexFunc(r.test.Calls, func(call *script.Call) bool { return call.Var == answer.id })
	if at < 0 || r.file.rooted[answer.id] {
		a.Reason = notRead
		r.file.forms[a.At.Start] = f
		return
	}
	read := &reader{Parser: r.file.module.Parser, dialect: r.file.dialect, script: r.file.script, test: r.test, call: at}
	x, ok := read.link(answer.id, &c, a)
	if a.Call = at; !ok {
		a.Relation, a.Place, a.Value, a.Call = "", "", "", 0
	}
	if x == nil {
		a.Reason = unreadable(c.Args)
		r.file.forms[a.At.Start] = f
		return
	}
	claims := x
	if any, several := x.(expr.Or); several && c.Name == "contentType" {
		claims = any.Xs[0]
	}
	r.understood(a, meaning.Said{Means: read.spread(x, answer.id, &c), Claims: claims}, f, java.Argument{})
}

// unreadable says why an assertion with some arguments is not read.
func unreadable(args []java.Argument) string {
	for _, a := range args {
		switch x := a.X.(type) {
		case java.Opaque:
			return x.What + " is not known"
		case java.Call:
			if reason := unreadable(x.Args); reason != notRead {
				return reason
			}
		}
	}
	return notRead
}

// spread says what a link says of a value also of the value that an index leads to where the name before it is that of
// the elements of a list.
func (r *reader) spread(x expr.Expr, answer string, c *java.Call) expr.Expr {
	if c.Name != "body" || len(c.Args) != 2 {
		return x
	}
	matcher, isCall := c.Args[1].X.(java.Call)
	if isCall && link.IsArrayMatcher(matcher.Name) {
		return x
	}
	v, ok := meaning.PathOf(expr.Answer{Var: answer, Part: expr.JSON}, c.Args[0], "").(meaning.Value)
	if !ok || !v.Null {
		return x
	}
	says := func(y expr.Expr) expr.Expr { return r.matchers().Matcher(y, c.Args[1].X) }
	readings, ok := v.Within(v.X, says).Means.(expr.Or)
	if plain := says(v.X); !ok || plain == nil || expr.Identical(plain, readings) {
		return x
	}
	return expr.Or{Xs: append(slices.Clone(readings.Xs[:len(readings.Xs)-1]), x)}
}
