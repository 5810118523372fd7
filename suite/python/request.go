package python

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
)

// Requests are calls of a method that is named after HTTP's, of a module, a session or a client, with a URL: requests,
// httpx, the clients of aiohttp and of frameworks. A dict has a method get too, so a client is what is no answer or
// literal, and its URL has a slash.

// request notes the request that a call sends, and is the variable of its answer; false where it sends none.
func (r *follower) request(x pyCall, st statement) (node, bool) {
	fn, ok := x.fn.(pyAttr)
	method, sends := script.ClientMethod(fn.name)
	if !ok || !sends {
		return nil, false
	}
	args := x.args
	given := map[string]node{}
	for _, kw := range r.spread(x.kw, st) {
		given[kw.name] = kw.x
	}
	take := func(name string) node {
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
	if target == nil || !r.isClient(fn.x, st) {
		return nil, false
	}
	path := script.PathWritten(writtenText(target))
	if method == "" || strings.Contains(method, script.Unknown) || !strings.HasPrefix(path, "/") {
		return nil, false
	}
	c := &script.Call{Line: r.site.FirstLine, Var: callName(len(r.test.Calls)), Method: method, Target: path, At: r.site,
		Guarded: r.inside(guarded), Many: r.looping()}
	if len(args) > 0 && fn.name != "get" {
		given["data"] = args[0] // requests.post(url, data)
	}
	c.Follows = !declines(given["allow_redirects"]) && !declines(given["follow_redirects"])
	r.payload(c, given, st)
	if r.naming != "" && r.callOf(r.naming) == nil {
		c.Var = r.naming
	}
	r.file.sendings[c] = sentAt{st, r.fn}
	if slices.ContainsFunc(x.kw, func(kw pyKeyword) bool { return !ofClients(kw.name) }) {
		c.Target += script.Unknown // a client of the suite's own, which may send what it is given as a query
	}
	r.test.Calls = append(r.test.Calls, c)
	return pyName{c.Var}, true
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
func declines(x node) bool { return x != nil && isPyName(x, "False") }

// isClient reports whether an expression can be a client: it is no answer, taken from none, and written out as nothing.
func (r *follower) isClient(x node, st statement) bool {
	switch of := r.resolve(x, st).(type) {
	case pyName:
		return false
	case pyOpaque:
		return true
	case strLit, pyText, pyDict, pySeq, numLit:
		return false
	default:
		return !expr.FromAnswer(meaning(of))
	}
}

// payload reads what a request sends beside its target.
func (r *follower) payload(c *script.Call, given map[string]node, st statement) {
	for _, name := range []string{"params", "json", "data", "content", "body", "files", "headers", "auth", "cookies"} {
		y, there := given[name]
		if !there {
			continue
		}
		x := r.resolve(y, st)
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
func writtenText(x node) string {
	switch x := x.(type) {
	case nil:
		return ""
	case strLit:
		return x.s
	case numLit:
		return x.text
	case pyText:
		out := ""
		for _, part := range x.parts {
			out += writtenText(part)
		}
		return out
	case ifElse:
		if part, ok := likely(x); ok {
			return writtenText(part)
		}
	case pyBinary:
		if x.op == "+" {
			return writtenText(x.x) + writtenText(x.y)
		}
	case pyCall:
		fn, _ := x.fn.(pyAttr)
		switch {
		case isPyName(x.fn, "str") && len(x.args) == 1:
			return writtenText(x.args[0])
		case isPyName(x.fn, "urljoin") && len(x.args) == 2:
			return script.Unknown + "/" + strings.TrimPrefix(writtenText(x.args[1]), "/")
		case fn.name == "dumps" && len(x.args) == 1:
			if text, known := jsonText(x.args[0]); known {
				return text
			}
		case fn.name == "rstrip" || fn.name == "strip":
			return writtenText(fn.x)
		}
	}
	return script.Unknown
}

// withQuery adds parameters to a target.
func withQuery(target string, x node) string {
	d, ok := x.(pyDict)
	if !ok {
		return target + "?" + script.Unknown
	}
	var pairs []string
	for i, k := range d.keys {
		pairs = append(pairs, script.QueryWritten(writtenText(k))+"="+script.QueryWritten(writtenText(d.values[i])))
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
func jsonText(x node) (string, bool) {
	value, ok := plainValue(meaning(x))
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

// headersOf reads headers; more is whether there may be others.
func headersOf(x node) (headers []script.Header, more bool) {
	d, ok := x.(pyDict)
	if !ok {
		return nil, true
	}
	for i, k := range d.keys {
		name := writtenText(k)
		if strings.Contains(name, script.Unknown) {
			return headers, true
		}
		headers = append(slices.DeleteFunc(headers, func(h script.Header) bool { return strings.EqualFold(h.Name, name) }),
			script.Header{Name: name, Value: writtenText(d.values[i])})
	}
	return headers, false
}
