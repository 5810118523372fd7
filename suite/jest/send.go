package jest

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/jest/library"
	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/script"
)

// eval is what an expression stands for. The requests in it are noted as sent. What is made of very much is not known.
func (r *follower) eval(n *js.Node) value {
	v := r.unbounded(n)
	if v.x != nil && expr.Larger(v.x, maxValue) || len(v.text) > maxText || v.fields != nil && v.x == nil &&
		!v.within(maxValue) {
		return unknown("a value that is made of very many others")
	}
	return v
}

// unbounded is eval without a bound on what comes of it.
func (r *follower) unbounded(n *js.Node) value {
	if *r.nodes++; *r.nodes > maxNodes {
		return unknown("what stands behind very many expressions")
	}
	switch {
	case n.Form == js.NodeUnary && n.Text == "await", n.Form == js.NodeUnary && n.Text == "new":
		v := r.eval(n.Args[0])
		if n.Text == "new" && v.class != nil && n.Args[0].Form != js.NodeCall {
			return r.construct(v.class, nil)
		}
		return v
	case n.Form == js.NodeName && !n.Is("true") && !n.Is("false") && !n.Is("null"):
		if v := r.lookup(n.Text); v.x != nil || v.answer != nil || v.fields != nil || v.fn != nil || v.client != nil ||
			v.what != "" {
			return v
		}
	case n.Form == js.NodeFunction:
		return value{fn: &function{node: n, scope: r.scope, module: r.module}, text: script.Unknown}
	case n.Form == js.NodeClass:
		return r.newClass(n)
	case n.Form == js.NodeObject, n.Form == js.NodeArray:
		return r.literal(n)
	case n.Form == js.NodeChoice:
		if v, ok := r.choice(n); ok {
			return v
		}
	}
	if v, ok := r.beyond(n); ok {
		return v
	}
	x, ok := r.reading.Meaning(n)
	v := value{x: x, text: r.textOf(n)}
	if !ok {
		v.x = nil
		if v.what = r.what; v.what == "" {
			v.what = "a value"
		}
	}
	return v
}

// beyond is the value of an expression that is more than JavaScript's own; false where it is not.
func (r *follower) beyond(n *js.Node) (value, bool) {
	if r.lambda[n] {
		return unknown("what a function within an expression calls"), n.Args[0].Form != js.NodeMember
	}
	if was, ok := r.seen[n]; ok {
		return was.value, was.ok
	}
	if *r.nodes++; *r.nodes > maxNodes {
		return unknown("what stands behind very many expressions"), true
	}
	v, ok := value{}, false
	switch n.Form {
	case js.NodeCall:
		before := len(r.test.Calls)
		v, ok = r.called(n)
		r.handsOn(n, v, before)
	case js.NodeMember:
		if of, known := r.holder(n.Args[0]); known {
			v, ok = r.member(of, n.Text)
		}
	case js.NodeIndex:
		if of, known := r.holder(n.Args[0]); known {
			i := r.eval(n.Args[1])
			if v, ok = r.member(of, i.text); strings.Contains(i.text, script.Unknown) {
				v, ok = unknown("an index"), true
			}
		}
	}
	r.seen[n] = known{v, ok}
	return v, ok
}

// choice is text ? JSON.parse(text) : null, which is the JSON of an answer but where there is none; false for any other
// choice.
func (r *follower) choice(n *js.Node) (value, bool) {
	of, isAnswer := r.eval(n.Args[0]).x.(expr.Answer)
	yes := r.eval(n.Args[1])
	json, isJSON := yes.x.(expr.Answer)
	none := n.Args[2].Is("null") || n.Args[2].Is("undefined")
	if !isAnswer || !isJSON || !none || of.Part != expr.Text || json.Part != expr.JSON || of.Var != json.Var {
		return value{}, false
	}
	r.file.emptied[of.Var] = true
	return yes, true
}

// holder is the value of an expression of which a member is asked; false where it is nothing but what it means.
func (r *follower) holder(n *js.Node) (value, bool) {
	for n.Form == js.NodeUnary && n.Text == "await" {
		n = n.Args[0]
	}
	var v value
	switch n.Form {
	case js.NodeName:
		v = r.lookup(n.Text)
	case js.NodeObject:
		v = r.literal(n)
	default:
		var ok bool
		if v, ok = r.beyond(n); !ok {
			return v, false
		}
	}
	return v, v.answer != nil || v.fields != nil || isHeaders(v.x) || v.hasMembers()
}

// client is what a method of a client gives, or the client itself where it is called: the name is empty then.
func (r *follower) client(c *client, name string, args []*js.Node) (value, bool) {
	switch {
	case len(args) == 0:
		return unknown("what a client gives"), true
	case name == "create" || name == "extend" || name == "agent" || name == "defaults":
		made := *c
		options := r.eval(args[0])
		for _, key := range []string{"baseURL", "prefixUrl"} {
			if base, ok := options.field(key); ok {
				made.base = base.text
			}
		}
		if shown, ok := options.field("responseType"); ok {
			made.json = shown.text == "json"
		}
		if _, says := options.field("validateStatus"); says || options.fields == nil && len(args) > 0 {
			made.lenient = true
		}
		if c.library == library.SuperAgent && script.SchemeAndHost.MatchString(options.text) {
			made.base = options.text
		}
		if headers, ok := options.field("headers"); ok {
			made.headers = append(slices.Clone(c.headers), headers.fields...)
		}
		return value{client: &made, text: script.Unknown}, true
	case name == "" && c.library == library.SuperAgent && len(args) == 1:
		made := *c
		if app := r.eval(args[0]); script.SchemeAndHost.MatchString(app.text) {
			made.base = app.text
		}
		return value{client: &made, text: script.Unknown}, true // request(app)
	case name == "" && c.library == library.SuperAgent:
		return r.send(c, strings.ToUpper(r.eval(args[0]).text), args[1:])
	case library.IsVerb(name):
		return r.send(c, library.Verb(name), args)
	case name == "" || name == "request" || name == "fetch":
		return r.send(c, "", args)
	}
	return unknown("the method " + name + " of a client"), true
}

// send notes a request, of a method that is "" where its options say it.
func (r *follower) send(c *client, method string, args []*js.Node) (value, bool) {
	values := r.values(args)
	target, options := values[0], value{}
	l := c.library
	switch {
	case method == "" && target.fields != nil && (l == library.Axios || l == library.Other): // axios({method, url, data})
		options = target
		target, _ = options.field("url")
	case len(values) > 1 && l != library.Fetch && l != library.Got && l != library.Undici && (method == "POST" || method == "PUT" || method == "PATCH"):
		if options = (value{}); len(values) > 2 {
			options = values[2]
		}
		options.fields = append([]field{{"data", values[1]}}, options.fields...)
	case len(values) > 1:
		options = values[1]
	}
	if given, ok := options.field("method"); ok && method == "" {
		method = strings.ToUpper(given.text)
	}
	if _, spread := options.field(js.Spread); method == "" && (spread || options.fields == nil && options.what != "" && !options.unset) {
		return unknown("an answer to what is sent by a method that is not known"), true
	}
	if method == "" {
		method = "GET"
	}
	base := c.base
	for _, key := range []string{"baseURL", "prefixUrl"} {
		if given, ok := options.field(key); ok && (l == library.Got || l == library.Axios) {
			base = given.text
		}
	}
	url := library.Joined(base, target.text)
	path := script.PathAnswered(url)
	if strings.Contains(method, script.Unknown) || !strings.HasPrefix(path, "/") {
		return unknown("an answer to what is sent elsewhere"), true
	}
	call := &script.Call{Line: r.site.FirstLine, Var: script.CallName(len(r.test.Calls)), Method: method, Target: path,
		At: r.site, Guarded: r.in.Guarded, Client: l.Shows(), Follows: l.Follows(), MoreHeaders: true}
	r.file.calls[call], r.file.lenient[call] = l, c.lenient
	if len(args) > 0 && r.module == r.file.module {
		r.file.urls[call] = args[0]
	}
	r.parsed[call] = c.json
	r.options(call, c, options)
	if r.naming != "" {
		under := r.own && len(r.site.Indent) > len(r.test.Indent) // the condition that a variable has no value
		call.Var, call.Maybe, r.naming = r.naming, under, ""
	}
	r.test.Calls = append(r.test.Calls, call)
	return value{answer: call, text: script.Unknown}, true
}

// options reads what a request sends beside its target.
func (r *follower) options(c *script.Call, by *client, options value) {
	for _, f := range append(slices.Clone(by.headers), headersOf(options)...) {
		r.header(c, f.key, f.value.text)
	}
	for _, f := range options.fields {
		switch f.key {
		case "params", "searchParams", "query":
			r.query(c, f.value)
		case "data", "json":
			c.Body, c.Dynamic = payload(f.value)
		case "body", "form":
			c.Body, c.Dynamic = f.value.text, strings.Contains(f.value.text, script.Unknown)
		case "redirect", "followRedirect", "maxRedirects":
			if token, _ := expr.Token(f.value.x); f.value.text == "manual" || token == "false" || token == "0" {
				c.Follows = false
			}
		case "validateStatus", js.Spread:
			r.file.lenient[c] = true
		case "responseType":
			r.parsed[c] = f.value.text == "json"
		}
	}
}

func headersOf(options value) []field {
	headers, _ := options.field("headers")
	return headers.fields
}

// payload is a body that a client writes as JSON, or a text.
func payload(v value) (text string, dynamic bool) {
	if _, isText := v.x.(expr.Str); isText || v.fields == nil && v.x == nil {
		return v.text, strings.Contains(v.text, script.Unknown)
	}
	text, ok := v.json()
	return text, !ok
}

func (r *follower) query(c *script.Call, v value) {
	by := "?"
	if strings.Contains(c.Target, "?") {
		by = "&"
	}
	if text := v.query(); text != "" {
		c.Target += by + text
	}
}

// header notes a header. One that is set again has the later value.
func (r *follower) header(c *script.Call, name, text string) {
	if strings.Contains(name, script.Unknown) || name == js.Spread {
		return
	}
	c.Headers = append(slices.DeleteFunc(c.Headers, func(h script.Header) bool { return strings.EqualFold(h.Name, name) }),
		script.Header{Name: name, Value: text})
	if strings.EqualFold(name, "accept") && !strings.Contains(text, script.Unknown) {
		c.Accept = text
	}
}

// link reads one link of a chain of superagent or supertest.
func (r *follower) link(n *js.Node, of value, name string, args []*js.Node) value {
	c := of.answer
	switch {
	case name == "expect":
		r.expects(n, c, args)
	case name == "set" && len(args) == 2:
		r.header(c, r.eval(args[0]).text, r.eval(args[1]).text)
	case name == "set" && len(args) == 1:
		for _, f := range r.eval(args[0]).fields {
			r.header(c, f.key, f.value.text)
		}
	case name == "query" && len(args) == 1:
		r.query(c, r.eval(args[0]))
	case name == "send" && len(args) == 1:
		c.Body, c.Dynamic = payload(r.eval(args[0]))
	case name == "attach" || name == "field":
		c.Dynamic = true
	case name == "accept" && len(args) == 1:
		c.Accept = strings.Replace(r.eval(args[0]).text, "json", "application/json", 1)
	case name == "redirects":
		c.Follows = len(args) == 1 && r.eval(args[0]).text != "0"
	}
	return of
}

// textOf is a text or a number as far as it is written out.
func (r *follower) textOf(n *js.Node) string {
	switch n.Form {
	case js.NodeString, js.NodeNumber:
		return n.Text
	case js.NodeName:
		if n.Is("true") || n.Is("false") {
			return n.Text
		}
		return r.lookup(n.Text).text
	case js.NodeTemplate:
		text := n.Keys[0]
		outer := r.tokens
		for i, hole := range n.Args {
			r.tokens = n.Holes[i]
			text += r.eval(hole).text + n.Keys[i+1]
		}
		r.tokens = outer
		return text
	case js.NodeBinary:
		switch n.Text {
		case "+":
			return r.eval(n.Args[0]).text + r.eval(n.Args[1]).text
		case "||", "??":
			if left := r.eval(n.Args[0]).text; left != "" && !strings.Contains(left, script.Unknown) {
				return left
			}
			return r.eval(n.Args[1]).text
		}
	case js.NodeChoice:
		return script.Either(r.eval(n.Args[1]).text, r.eval(n.Args[2]).text)
	case js.NodeCall:
		object, name, args := n.Method()
		switch {
		case n.Args[0].Is("encodeURIComponent") && len(n.Args) == 2:
			return script.QueryWritten(r.eval(n.Args[1]).text)
		case n.Args[0].Is("String") && len(n.Args) == 2:
			return r.eval(n.Args[1]).text
		case object != nil && name == "toString" && len(args) == 0:
			return r.eval(object).text
		}
	}
	return script.Unknown
}
