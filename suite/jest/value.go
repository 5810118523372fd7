package jest

import (
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/jest/library"
	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/script"
)

// value is what a name or an expression stands for.
type value struct {
	x      expr.Expr // what it means; nil where that is not known, or more than that: an answer, a function
	text   string    // of a text or a number, as far as it is written out
	what   string    // what of it is not known
	answer *script.Call
	fields []field // of an object or an array that is written out
	array  bool    // the fields are elements
	fn     *function
	client *client
	module *module // all that a file exports
	class  *class
	unset  bool         // a variable that nothing was given to
	spread bool         // any number of arguments
	raises *script.Call // of an error, the call whose answer raised it
	object *object      // with a class, it is what super stands for
}

// field is a member of an object; an element of an array has its index for its key.
type field struct {
	key   string
	value value
}

// function is a function of a file, with the names that it knows.
type function struct {
	node   *js.Node
	scope  *scope
	module *module
	this   *value // nil where it is called by itself
	class  *class // that it is a method of
}

// client is what sends requests.
type client struct {
	library library.Library
	base    string  // what its URLs begin with
	headers []field // that it sends with each request
	json    bool    // it shows bodies as the JSON that they are
	lenient bool    // not every answer that is no success is an error, or that is not known
}

// hasMembers reports whether a value is a class, an object of one, or all that a file exports.
func (v value) hasMembers() bool { return v.object != nil || v.class != nil || v.module != nil }

// unknown is a value of which nothing is known but what it is.
func unknown(what string) value { return value{what: what, text: script.Unknown} }

// field returns a member of an object that is written out; the last one of a name counts.
func (v value) field(key string) (value, bool) {
	for _, f := range slices.Backward(v.fields) {
		if f.key == key {
			return f.value, true
		}
	}
	return value{}, false
}

// spreadOnce is the part of an answer that an object has all members of that are not written out; nil where there is
// none, or where it may have others.
func (v value) spreadOnce() expr.Expr {
	var of []expr.Expr
	for _, f := range v.fields {
		if f.key == js.Spread {
			of = append(of, f.value.x)
		}
	}
	if len(of) != 1 || v.object != nil {
		return nil
	}
	return of[0]
}

// member is a member of a value; false where the value is nothing but what it means.
func (r *follower) member(v value, key string) (value, bool) {
	switch {
	case v.answer != nil:
		return r.part(v.answer, key), true
	case v.object != nil || v.class != nil:
		return r.property(v, key)
	case v.module != nil:
		if of, ok := r.exported(v.module, key); ok {
			return of, true
		}
		return unknown("the member " + key), true
	case v.fields != nil:
		if f, ok := v.field(key); ok {
			return f, true
		}
		if x := v.spreadOnce(); x != nil {
			return value{x: expr.Index{X: x, I: expr.Str{Value: key}}, text: script.Unknown}, true
		}
		return unknown("the member " + key), v.x == nil
	case isHeaders(v.x):
		of := v.x.(expr.Answer)
		return value{x: expr.Header(of.Var, strings.ToLower(key)), text: script.Unknown}, true
	}
	return value{}, false
}

func isHeaders(x expr.Expr) bool {
	of, ok := x.(expr.Answer)
	return ok && of.Part == expr.Headers
}

// part is a member of an answer.
func (r *follower) part(c *script.Call, key string) value {
	l := r.file.calls[c]
	of := func(what expr.Part) value { return value{x: expr.Answer{Var: c.Var, Part: what}, text: script.Unknown} }
	status := expr.Answer{Var: c.Var, Part: expr.Status}
	switch key {
	case "status", "statusCode":
		return of(expr.Status)
	case "ok":
		return value{x: expr.Cmp(status, expr.Lt, expr.Int(300)), text: script.Unknown}
	case "headers", "header":
		return of(expr.Headers)
	case "data":
		if l == library.Axios || l == library.Other {
			return of(expr.JSON)
		}
	case "body":
		switch {
		case l == library.SuperAgent, l == library.Got && r.parsed[c]:
			return of(expr.JSON)
		case l == library.Got:
			return of(expr.Text)
		case l == library.Undici:
			return value{answer: c, text: script.Unknown} // whose json() is that of the answer
		}
	case "text":
		if l == library.SuperAgent {
			return of(expr.Text)
		}
	}
	return unknown("the member " + key + " of an answer")
}

// pick is the part of a value that a pattern takes.
func (r *follower) pick(v value, steps []expr.Expr) value {
	for _, step := range steps {
		key, isKey := step.(expr.Str)
		if !isKey {
			key.Value, _ = expr.Token(step)
		}
		if inner, ok := r.member(v, key.Value); ok {
			v = inner
			continue
		}
		if v.x == nil {
			return unknown("a part of " + v.what)
		}
		v = value{x: expr.Index{X: v.x, I: step}, text: script.Unknown}
	}
	return v
}

// takes is what a pattern gives a name of a value.
func (r *follower) takes(v value, part js.Part) value {
	switch {
	case part.Known:
		return r.pick(v, part.Steps)
	case part.Rest:
		return r.rest(v, part)
	case part.Default == nil || len(part.Steps) == 0:
		return unknown("the name " + part.Name)
	}
	last := len(part.Steps) - 1
	of := r.pick(v, part.Steps[:last])
	key, isKey := part.Steps[last].(expr.Str)
	switch {
	case !isKey || of.hasMembers() || of.answer != nil || isHeaders(of.x):
	case of.fields != nil && of.spreadOnce() == nil:
		if f, ok := of.field(key.Value); ok && !f.unset {
			return f
		}
		return r.eval(part.Default)
	case of.x != nil && expr.FromAnswer(of.x):
		if otherwise := r.eval(part.Default).x; otherwise != nil {
			return value{x: expr.Get{X: of.x, Key: key, Default: otherwise}, text: script.Unknown}
		}
	}
	return unknown("the name " + part.Name)
}

// behind is what a pattern leaves of an array for its last name.
func behind(v value, after int) value {
	out := value{text: script.Unknown, array: true, fields: []field{}}
	switch {
	case v.array && !slices.ContainsFunc(v.fields, func(f field) bool { return f.key == js.Spread }):
		for i, f := range v.fields[min(after, len(v.fields)):] {
			out.fields = append(out.fields, field{strconv.Itoa(i), f.value})
		}
		out.x = out.meaning()
		return out
	case v.x != nil && expr.FromAnswer(v.x) && v.fields == nil:
		return value{x: expr.Slice{X: v.x, From: expr.Int(after)}, text: script.Unknown}
	}
	return unknown("the rest of an array")
}

// rest is what a pattern leaves of an object for its last name. A member that it takes is not known of the rest, all
// others are as they were.
func (r *follower) rest(v value, part js.Part) value {
	v = r.pick(v, part.Steps)
	if part.Without == nil {
		return behind(v, part.After)
	}
	out := value{text: script.Unknown, fields: []field{}}
	switch {
	case v.hasMembers() || v.array || v.answer != nil || v.fn != nil || v.client != nil:
		return unknown("the name " + part.Name)
	case v.fields != nil:
		out.fields = slices.DeleteFunc(slices.Clone(v.fields), func(f field) bool {
			return slices.Contains(part.Without, f.key)
		})
	case v.x != nil && expr.FromAnswer(v.x) && !isHeaders(v.x):
		out.fields = append(out.fields, field{js.Spread, v})
	default:
		return unknown("the name " + part.Name)
	}
	if !out.plain() {
		for _, key := range part.Without {
			out.fields = append(out.fields, field{key, value{unset: true, text: script.Unknown, what: "the member " + key}})
		}
	}
	if out.x = out.meaning(); out.x == nil && v.fields == nil {
		out.x = expr.Without{X: v.x, Keys: part.Without}
	}
	return out
}

// stored is what an object means of which not all members are written out, as it stands with those that a snapshot has
// of it; false where that has another that is not its own.
func (v value) stored(keys []string) (x expr.Expr, ok bool) {
	var out expr.Object
	rest := v.spreadOnce()
	for _, key := range keys {
		x := expr.Expr(expr.Index{X: rest, I: expr.Str{Value: key}})
		if f, written := v.field(key); written {
			x = f.x
		}
		if rest == nil || x == nil {
			return nil, false
		}
		out.Keys, out.Values = append(out.Keys, key), append(out.Values, x)
	}
	return out, true
}

// literal is the value of an object or an array that is written out.
func (r *follower) literal(n *js.Node) value {
	out := value{text: script.Unknown, array: n.Form == js.NodeArray, fields: []field{}}
	for i, e := range n.Args {
		key, _ := expr.Token(expr.Int(i))
		if !out.array {
			key = n.Keys[i]
		}
		if e.Form == js.NodeUnary && e.Text == js.Spread {
			v := r.eval(e.Args[0])
			if v.unset && !out.array {
				continue
			}
			if v.fields == nil || out.array {
				spread := unknown("what is spread")
				if !out.array && v.fields == nil && expr.FromAnswer(v.x) {
					spread = v
				}
				out.fields = append(out.fields, field{js.Spread, spread})
				continue
			}
			out.fields = append(out.fields, v.fields...)
			continue
		}
		out.fields = append(out.fields, field{key, r.eval(e)})
	}
	if !out.array && slices.ContainsFunc(n.Args, func(e *js.Node) bool { return e.Form == js.NodeFunction && !e.Arrow }) {
		out.object = &object{fields: map[string]value{}} // its functions may change it
		for _, f := range out.fields {
			out.object.fields[f.key] = f.value
		}
		_, out.object.lost = out.object.fields[js.Spread]
	}
	out.x = out.meaning()
	return out
}

// meaning is what an object or an array means of which each member is known.
func (v value) meaning() expr.Expr {
	var list expr.List
	var object expr.Object
	for _, f := range v.fields {
		if f.value.x == nil || f.key == js.Spread {
			return nil
		}
		list.Elems = append(list.Elems, f.value.x)
		if i := slices.Index(object.Keys, f.key); i >= 0 {
			object.Values[i] = f.value.x
			continue
		}
		object.Keys, object.Values = append(object.Keys, f.key), append(object.Values, f.value.x)
	}
	if v.array {
		return list
	}
	return object
}

// within reports whether a value is made of no more than n others.
func (v value) within(n int) bool {
	left := n
	var count func(v value)
	count = func(v value) {
		for _, f := range v.fields {
			if left--; left < 0 {
				return
			}
			count(f.value)
		}
	}
	count(v)
	return left >= 0
}

// json is a value as JSON; false where not all of it is written out.
func (v value) json() (string, bool) {
	if v.x == nil {
		return "", false
	}
	return expr.JSONText(v.x)
}

// query is a value as the query of a URL.
func (v value) query() string {
	if v.fields == nil {
		return v.text
	}
	pairs := make([]string, len(v.fields))
	for i, f := range v.fields {
		if pairs[i] = script.QueryWritten(f.key) + "=" + script.QueryWritten(f.value.text); f.key == js.Spread {
			pairs[i] = script.Unknown
		}
	}
	return strings.Join(pairs, "&")
}
