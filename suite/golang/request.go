package golang

import (
	"encoding/json"
	"go/ast"
	"go/types"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/golang/before"
	"github.com/flaketap/flaketap/suite/golang/source"
	"github.com/flaketap/flaketap/suite/golang/typing"
	"github.com/flaketap/flaketap/suite/script"
)

// Requests are calls of Get, Head, Post and PostForm of package http or of a client, and of a client's Do with a
// request that http.NewRequest made. A map or a cache has a method Get too, so a client is what is one for certain, or
// nothing known, and its URL has a slash.

// request is a *http.Request.
type request struct {
	method, url string
	body        string
	headers     *pairs
	way         before.Way // how the URL is made
}

// called is what a method of a request does, or of its URL.
func (q *request) called(name string) value {
	switch name {
	case "WithContext", "Clone":
		return q
	case "Query":
		return queryOf(q.url)
	}
	return opaque{"the method " + name + " of a request"}
}

// sent notes what a function of package http sends; false where it sends nothing.
func (r *follower) sent(pkg, name string, x *ast.CallExpr) (value, bool) {
	if pkg != "net/http" {
		return nil, false
	}
	switch name {
	case "NewRequest", "NewRequestWithContext":
		args := r.all(x.Args)
		if name == "NewRequestWithContext" && len(args) > 0 {
			args = args[1:]
		}
		if len(args) != 3 {
			return opaque{"a request"}, true
		}
		method := strings.ToUpper(writtenText(args[0]))
		if method == "" {
			method = "GET"
		}
		return tuple{&request{method: method, url: urlText(args[1]), body: bodyText(args[2]), headers: &pairs{},
			way: r.wayOf(x.Args[len(x.Args)-2])}, failure{}}, true
	}
	sent, ok := r.sentBy(client{}, name, x)
	if _, sends := sendingMethods()[name]; sends && !ok {
		return tuple{opaque{"the answer of a request whose URL is not known"}, failure{}}, true
	}
	return sent, ok
}

// sendingMethods are the functions and methods that send, with how many arguments they take.
func sendingMethods() map[string]int {
	return map[string]int{"Do": 1, "Get": 1, "Head": 1, "Post": 3, "PostForm": 2}
}

// sentBy notes what a client sends.
func (r *follower) sentBy(of value, name string, x *ast.CallExpr) (value, bool) {
	switch of.(type) {
	case client, opaque:
	default:
		return nil, false
	}
	if n, ok := sendingMethods()[name]; !ok || n != len(x.Args) {
		return nil, false
	}
	args := r.all(x.Args)
	q := &request{headers: &pairs{}}
	switch name {
	case "Do":
		own, ok := args[0].(*request)
		if !ok {
			return nil, false
		}
		q = own
	case "Get", "Head":
		q.way = r.wayOf(x.Args[0])
		q.method, q.url = strings.ToUpper(name), urlText(args[0])
	case "Post":
		q.way = r.wayOf(x.Args[0])
		q.method, q.url, q.body = "POST", urlText(args[0]), bodyText(args[2])
		q.headers.set("Content-Type", writtenText(args[1]))
	case "PostForm":
		q.way = r.wayOf(x.Args[0])
		q.method, q.url, q.body = "POST", urlText(args[0]), writtenText(args[1])
		q.headers.set("Content-Type", "application/x-www-form-urlencoded")
	}
	path := script.PathWritten(q.url)
	if strings.Contains(q.method, script.Unknown) || !strings.HasPrefix(path, "/") {
		return nil, false
	}
	sent := r.send(q, path)
	r.sentAs(sent, q.way, clientOf(r.File, x))
	r.sends(x)
	return tuple{sent, failure{}}, true
}

// clientOf is the client that a call is a method of; nil for the functions of package http and its own client.
func clientOf(f *source.File, x *ast.CallExpr) ast.Expr {
	s, ok := ast.Unparen(x.Fun).(*ast.SelectorExpr)
	if !ok || f.PkgOf(s.X) != "" || source.IsMember(s.X, "http", "DefaultClient") {
		return nil
	}
	return s.X
}

// send notes a call.
func (r *follower) send(q *request, path string) value {
	c := &script.Call{Line: r.site.FirstLine, Var: script.CallName(len(r.calls)), Method: q.method, Target: path,
		Body: q.body, Dynamic: strings.Contains(q.body, script.Unknown), At: r.site, MoreHeaders: true,
		Follows: !r.LastAnswer, Client: &expr.Client{Text: expr.UTF8}}
	for _, p := range q.headers.all {
		c.Headers = append(c.Headers, script.Header{Name: p.name, Value: p.value})
		if strings.EqualFold(p.name, "accept") && !strings.Contains(p.value, script.Unknown) {
			c.Accept = p.value
		}
	}
	c.Many, c.Last, r.awaited = r.several || r.awaited, r.awaited, false
	r.session.calls = append(r.session.calls, c)
	r.test.sends[c] = true
	return answer{c.Var}
}

// folds has the answers that a value is the JSON of be shown as encoding/json reads them to a struct: the names of
// members in any case.
func (r *follower) folds(p plain) {
	of, ok := p.x.(expr.Answer)
	if !ok || of.Part != expr.JSON || !typing.HasFields(p.typ) {
		return
	}
	typ := p.typ
	for _, c := range r.calls {
		if c.Var == of.Var {
			c.Client = &expr.Client{Text: expr.UTF8, JSON: func(a *exchange.Response) (any, error) {
				body, _ := a.Payload()
				v, err := expr.ParseJSON(body)
				if err == nil {
					typing.Fold(v, typ, 0)
				}
				return v, err
			}}
		}
	}
}

// urlText is the path and query of a URL as far as it is written out.
func urlText(v value) string { return script.PathAsked(writtenText(v), meaningOf(v)) }

// writtenText is a text as far as it is written out.
func writtenText(v value) string {
	switch v := v.(type) {
	case plain:
		return textOf(v.x)
	case *pairs:
		return v.encoded()
	case pointer:
		return writtenText(v.to.value)
	}
	return script.Unknown
}

func textOf(x expr.Expr) string {
	switch x := x.(type) {
	case expr.Str:
		return strings.ReplaceAll(x.Value, script.Unknown, "")
	case expr.Num:
		return x.Text
	case expr.Arith:
		if x.Op == expr.Add {
			return textOf(x.X) + textOf(x.Y)
		}
	case expr.ToText:
		return textOf(x.X)
	case expr.Null:
		return ""
	}
	return script.Unknown
}

// bodyText is the text that a reader gives.
func bodyText(v value) string {
	switch v := v.(type) {
	case reader:
		return writtenText(v.text)
	case *buffer:
		return writtenText(v.text)
	case pointer:
		if b, ok := v.to.value.(*buffer); ok {
			return writtenText(b.text)
		}
	case plain:
		if v.x == expr.Expr(expr.Null{}) {
			return ""
		}
	case opaque:
		if v.what == "the name http.NoBody" {
			return ""
		}
	}
	return script.Unknown
}

// jsonText is what encoding/json writes for a value, false where not all of it is written out.
func jsonText(v value) (string, bool) {
	plainly, ok := jsonValue(v)
	if !ok {
		return "", false
	}
	text, err := json.Marshal(plainly)
	return string(text), err == nil
}

func jsonValue(v value) (any, bool) {
	switch v := v.(type) {
	case plain:
		text, ok := expr.JSONText(v.x)
		return json.RawMessage(text), ok
	case pointer:
		return jsonValue(v.to.value)
	case list:
		out := []any{}
		for _, e := range v.elems {
			one, ok := jsonValue(e)
			if !ok {
				return nil, false
			}
			out = append(out, one)
		}
		return out, true
	case record:
		return v.json()
	}
	return nil, false
}

// pairs are the headers of a request, or the parameters of a query.
type pairs struct {
	all  []pair
	more bool // there are others
}

type pair struct{ name, value string }

// queryOf are the parameters of a URL.
func queryOf(target string) *pairs {
	_, query, _ := strings.Cut(target, "?")
	values, err := url.ParseQuery(query)
	out := &pairs{more: err != nil || strings.Contains(query, script.Unknown)}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		for _, v := range values[name] {
			if !out.more {
				out.all = append(out.all, pair{name, v})
			}
		}
	}
	return out
}

func (p *pairs) set(name, value string) {
	p.all = append(slices.DeleteFunc(p.all, func(o pair) bool { return strings.EqualFold(o.name, name) }),
		pair{name, value})
}

// called is what a method of headers or of a query does.
func (p *pairs) called(name string, args []value) value {
	switch {
	case name == "Encode":
		return textWithGaps(p.encoded())
	case (name == "Set" || name == "Add") && len(args) == 2:
		if key := writtenText(args[0]); !strings.Contains(key, script.Unknown) {
			if name == "Set" {
				p.set(key, writtenText(args[1]))
			} else {
				p.all = append(p.all, pair{key, writtenText(args[1])})
			}
			return opaque{"nothing"}
		}
	}
	p.more = true
	return opaque{"the method " + name + " of headers"}
}

// encoded is a query as url.Values writes it, by the names of its parameters.
func (p *pairs) encoded() string {
	all := slices.Clone(p.all)
	slices.SortStableFunc(all, func(a, b pair) int { return strings.Compare(a.name, b.name) })
	var out []string
	for _, one := range all {
		out = append(out, script.QueryWritten(one.name)+"="+script.QueryWritten(one.value))
	}
	if p.more {
		out = append(out, script.Unknown)
	}
	return strings.Join(out, "&")
}

// textWithGaps is a text of which parts are not known.
func textWithGaps(text string) value {
	var pieces []expr.Expr
	for i, piece := range strings.Split(text, script.Unknown) {
		if i > 0 {
			pieces = append(pieces, expr.Unknown{What: "a part of a query"})
		}
		pieces = append(pieces, expr.Str{Value: piece})
	}
	return plain{x: expr.Sum(pieces...), typ: types.Typ[types.String]}
}

// pairs reads url.Values and http.Header that are written out.
func (r *follower) pairs(x *ast.CompositeLit) value {
	out := &pairs{}
	for _, e := range x.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			out.more = true
			continue
		}
		name := writtenText(r.eval(kv.Key))
		values, ok := kv.Value.(*ast.CompositeLit)
		if !ok || strings.Contains(name, script.Unknown) {
			out.more = true
			continue
		}
		for _, v := range values.Elts {
			out.all = append(out.all, pair{name, writtenText(r.eval(v))})
		}
	}
	return out
}

// setWithin follows an assignment to a part of a variable: a query or the headers of a request, a field of a struct.
func (r *follower) setWithin(x ast.Expr, v value) {
	s, ok := ast.Unparen(x).(*ast.SelectorExpr)
	if ok {
		switch of := deref(r.eval(s.X)).(type) {
		case *request:
			switch headers, isPairs := v.(*pairs); {
			case s.Sel.Name == "RawQuery":
				path, _, _ := strings.Cut(of.url, "?")
				of.url = path + "?" + writtenText(v)
			case s.Sel.Name == "Header" && isPairs:
				of.headers = headers
			case s.Sel.Name == "Method":
				of.method = strings.ToUpper(writtenText(v))
			case s.Sel.Name == "Body":
				of.body = bodyText(v)
			case s.Sel.Name == "Path", s.Sel.Name == "URL":
				of.url = script.Unknown
			}
			return
		case *fixture:
			r.put(r.fixtureField(of, s), v)
			return
		case client:
			return
		}
	}
	r.forget(x)
}
