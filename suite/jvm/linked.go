package jvm

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
)

// linked reads a link behind REST-assured's then(), whose arguments are resolved.
func (r *follower) linked(answer answerNode, c callNode) {
	if !slices.Contains([]string{"statusCode", "statusLine", "contentType", "header", "headers", "body", "content", "cookie", "cookies",
		"time"}, c.name) {
		if strings.Contains(strings.ToLower(c.name), "root") {
			r.file.rooted[answer.id] = true // paths begin elsewhere from here on
		}
		return
	}
	a := r.add(c.from, c.to)
	if a == nil {
		return
	}
	f := form{names: r.names(), in: r.in}
	at := slices.IndexFunc(r.test.Calls, func(call *script.Call) bool { return call.Var == answer.id })
	if at < 0 || r.file.rooted[answer.id] {
		a.Reason = notRead
		r.file.forms[a.At.Start] = f
		return
	}
	read := &reader{parser: r.file.module.parser, dialect: r.file.dialect, script: r.file.script, test: r.test, call: at}
	x, ok := read.link(answer.id, &c, a)
	if a.Call = at; !ok {
		a.Relation, a.Place, a.Value, a.Call = "", "", "", 0
	}
	if x == nil {
		a.Reason = unreadable(c.args)
		r.file.forms[a.At.Start] = f
		return
	}
	claims := x
	if any, several := x.(expr.Or); several && c.name == "contentType" {
		claims = any.Xs[0]
	}
	r.understood(a, said{read.spread(x, answer.id, &c), claims}, f, callArg{})
}

// unreadable says why an assertion with some arguments is not read.
func unreadable(args []callArg) string {
	for _, a := range args {
		switch x := a.x.(type) {
		case opaqueNode:
			return x.what + " is not known"
		case callNode:
			if reason := unreadable(x.args); reason != notRead {
				return reason
			}
		}
	}
	return notRead
}

// spread says what a link says of a value also of the value that an index leads to where the name before it is that of
// the elements of a list.
func (r *reader) spread(x expr.Expr, answer string, c *callNode) expr.Expr {
	if c.name != "body" || len(c.args) != 2 {
		return x
	}
	matcher, isCall := c.args[1].x.(callNode)
	if isCall && isArrayMatcher(matcher.name) {
		return x
	}
	v, ok := pathOf(expr.Answer{Var: answer, Part: expr.JSON}, c.args[0], "").(valueNode)
	if !ok || !v.null {
		return x
	}
	readings, ok := v.within(v.x, func(y expr.Expr) expr.Expr { return r.matcher(y, c.args[1].x) }).means.(expr.Or)
	if plain := r.matcher(v.x, c.args[1].x); !ok || plain == nil || expr.Identical(plain, readings) {
		return x
	}
	return expr.Or{Xs: append(slices.Clone(readings.Xs[:len(readings.Xs)-1]), x)}
}
