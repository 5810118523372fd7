package python

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/python/meaning"
	"github.com/flaketap/flaketap/suite/python/source"
	"github.com/flaketap/flaketap/suite/python/syntax"
	"github.com/flaketap/flaketap/suite/script"
)

// Requests are calls of a method that is named after HTTP's, of a module, a session or a client, with a URL: requests,
// httpx, the clients of aiohttp and of frameworks. A dict has a method get too, so a client is what is no answer or
// literal, and its URL has a slash.

// request notes the request that a call sends, and is the variable of its answer; false where it sends none.
func (r *follower) request(x syntax.Call, st syntax.Statement) (syntax.Node, bool) {
	fn, ok := x.Fn.(syntax.Attr)
	method, sends := script.ClientMethod(fn.Name)
	if !ok || !sends {
		return nil, false
	}
	args := x.Args
	given := map[string]syntax.Node{}
	for _, kw := range r.spread(x.Kw, st) {
		given[kw.Name] = kw.X
	}
	take := func(name string) syntax.Node {
		if y, ok := given[name]; ok {
			delete(given, name)
			return y
		}
		if len(args) == 0 {
			return nil
		}
		y := args[0]
		args = args[1:]
		return y
	}
	if method == "" {
		method = strings.ToUpper(writtenText(r.optional(take("method"), st)))
	}
	target := r.optional(take("url"), st)
	if target == nil || !r.isClient(fn.X, st) {
		return nil, false
	}
	path := script.PathAsked(writtenText(target), meaning.Of(target))
	if method == "" || strings.Contains(method, script.Unknown) || !strings.HasPrefix(path, "/") {
		return nil, false
	}
	c := &script.Call{Line: r.site.FirstLine, Var: script.CallName(len(r.test.Calls)), Method: method, Target: path,
		At: r.site, Guarded: r.inside(guarded), Many: r.looping()}
	if len(args) > 0 && fn.Name != "get" {
		given["data"] = args[0] // requests.post(url, data)
	}
	c.Follows = !declines(given["allow_redirects"]) && !declines(given["follow_redirects"])
	r.payload(c, given, st)
	switch {
	case r.naming == "":
	case r.callOf(r.naming) == nil:
		c.Var = r.naming
	case r.inside(conditional): // what it looked for is not there
		c.Var, c.Maybe = r.naming+"_made", true
	}
	r.file.sendings[c] = sentAt{st, r.fn}
	if slices.ContainsFunc(x.Kw, func(kw syntax.Keyword) bool { return !ofClients(kw.Name) }) {
		c.Target += script.Unknown // a client of the suite's own, which may send what it is given as a query
	}
	r.test.Calls = append(r.test.Calls, c)
	return syntax.Name{Id: c.Var}, true
}

// ofClients reports whether a client's functions have an argument of the name; ** stands for several.
func ofClients(name string) bool {
	switch name {
	case "**", "method", "url", "params", "json", "data", "content", "body", "files", "headers", "auth", "cookies", "timeout",
		"verify", "cert", "proxies", "stream", "hooks", "extensions", "allow_redirects", "follow_redirects", "ssl", "format",
		"query_string", "content_type":
		return true
	}
	return false
}

// declines reports whether an argument is False.
func declines(x syntax.Node) bool { return x != nil && syntax.IsName(x, "False") }

// isClient reports whether an expression can be a client: it is no answer, taken from none, and written out as nothing.
func (r *follower) isClient(x syntax.Node, st syntax.Statement) bool {
	switch of := r.resolve(x, st).(type) {
	case syntax.Name:
		return false
	case meaning.Opaque:
		return true
	case syntax.StrLit, syntax.Text, syntax.Dict, syntax.Seq, syntax.NumLit:
		return false
	default:
		return !expr.FromAnswer(meaning.Of(of))
	}
}

// payload reads what a request sends beside its target.
func (r *follower) payload(c *script.Call, given map[string]syntax.Node, st syntax.Statement) {
	for _, name := range []string{"params", "json", "data", "content", "body", "files", "headers", "auth", "cookies"} {
		y, there := given[name]
		if !there {
			continue
		}
		x := r.resolve(y, st)
		if syntax.IsName(x, "None") {
			continue // as if it were not given
		}
		switch name {
		case "params":
			c.Target = withQuery(c.Target, x)
		case "json":
			text, known := jsonText(x)
			c.Body, c.Dynamic = text, !known
		case "data", "content", "body":
			text := writtenText(x)
			c.Body, c.Dynamic = text, strings.Contains(text, script.Unknown)
		case "files":
			c.Dynamic = true
		case "headers":
			c.Headers, c.MoreHeaders = headersOf(x)
		case "auth", "cookies":
			c.MoreHeaders = true
		}
	}
	c.MoreHeaders = true // a client adds its own
	for _, h := range c.Headers {
		if strings.EqualFold(h.Name, "accept") && !strings.Contains(h.Value, script.Unknown) {
			c.Accept = h.Value
		}
	}
}

// writtenText is a text as far as it is written out.
func writtenText(x syntax.Node) string {
	switch x := x.(type) {
	case nil:
		return ""
	case syntax.StrLit:
		return x.S
	case syntax.NumLit:
		return x.Text
	case syntax.Text:
		out := ""
		for _, part := range x.Parts {
			out += writtenText(part)
		}
		return out
	case syntax.IfElse:
		if part, ok := likely(x); ok {
			return writtenText(part)
		}
		return script.Either(writtenText(x.X), writtenText(x.Y))
	case syntax.Binary:
		if x.Op == "+" {
			return writtenText(x.X) + writtenText(x.Y)
		}
	case syntax.Call:
		fn, _ := x.Fn.(syntax.Attr)
		switch {
		case syntax.IsName(x.Fn, "str") && len(x.Args) == 1:
			return writtenText(x.Args[0])
		case syntax.IsName(x.Fn, "urljoin") && len(x.Args) == 2:
			return script.Unknown + "/" + strings.TrimPrefix(writtenText(x.Args[1]), "/")
		case fn.Name == "dumps" && len(x.Args) == 1:
			if text, known := jsonText(x.Args[0]); known {
				return text
			}
		case fn.Name == "rstrip" || fn.Name == "strip":
			return writtenText(fn.X)
		}
	}
	return script.Unknown
}

// withQuery adds parameters to a target.
func withQuery(target string, x syntax.Node) string {
	d, ok := x.(syntax.Dict)
	if !ok {
		return target + "?" + script.Unknown
	}
	var pairs []string
	for i, k := range d.Keys {
		pairs = append(pairs, script.QueryWritten(writtenText(k))+"="+script.QueryWritten(writtenText(d.Values[i])))
	}
	if len(pairs) == 0 {
		return target
	}
	by := "?"
	if strings.Contains(target, "?") {
		by = "&"
	}
	return target + by + strings.Join(pairs, "&")
}

// jsonText is a value as JSON, false where not all of it is written out.
func jsonText(x syntax.Node) (string, bool) {
	value, ok := plainValue(meaning.Of(x))
	if !ok {
		return "", false
	}
	text, err := json.Marshal(value)
	return string(text), err == nil
}

// plainValue is the value of what is written out, for encoding/json.
func plainValue(x expr.Expr) (any, bool) {
	switch x := x.(type) {
	case expr.Object:
		out := map[string]any{}
		for i, k := range x.Keys {
			v, ok := plainValue(x.Values[i])
			if !ok {
				return nil, false
			}
			out[k] = v
		}
		return out, true
	case expr.List:
		out := make([]any, len(x.Elems))
		for i, e := range x.Elems {
			v, ok := plainValue(e)
			if !ok {
				return nil, false
			}
			out[i] = v
		}
		return out, true
	}
	token, ok := expr.JSONText(x)
	return json.RawMessage(token), ok
}

// opened reads a request that urllib sends by urlopen. Its answer can be read once only.
func (r *follower) opened(x syntax.Call, st syntax.Statement) (syntax.Node, bool) {
	fn, _ := x.Fn.(syntax.Attr)
	if fn.Name != "urlopen" && !syntax.IsName(x.Fn, "urlopen") || len(x.Args) != 1 || slices.ContainsFunc(x.Kw, func(k syntax.Keyword) bool {
		return k.Name != "timeout" && k.Name != "context"
	}) {
		return nil, false
	}
	sent, ok := r.request(syntax.Call{Fn: syntax.Attr{X: meaning.Opaque{What: "urllib"}, Name: "get"}, Args: x.Args}, st)
	if answer, isAnswer := sent.(syntax.Name); ok && isAnswer {
		r.spell(answer.Id, expr.JSON, [2]string{source.NoPython, ""})
		r.spell(answer.Id, expr.Text, [2]string{source.NoPython, ""})
	}
	return sent, ok
}

// headersOf reads headers; more is whether there may be others.
func headersOf(x syntax.Node) (headers []script.Header, more bool) {
	d, ok := x.(syntax.Dict)
	if !ok {
		return nil, true
	}
	for i, k := range d.Keys {
		name := writtenText(k)
		if strings.Contains(name, script.Unknown) {
			return headers, true
		}
		headers = append(slices.DeleteFunc(headers, func(h script.Header) bool { return strings.EqualFold(h.Name, name) }),
			script.Header{Name: name, Value: writtenText(d.Values[i])})
	}
	return headers, false
}
