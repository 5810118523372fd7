package suite

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
)

// jsQuoted writes a text as a literal.
func jsQuoted(s string) string { return literal.JavaScript(s) }

// jsLink is one call of a chain: .set("Accept", "*/*").
type jsLink struct {
	name string
	args []*jsNode
}

// chain returns the links of a chain of calls that begins with the HTTP library, in order.
func (v *jestTest) chain(n *jsNode) ([]jsLink, bool) {
	var links []jsLink
	for {
		if n.form == nodeCall && n.args[0].form == nodeName && v.clients[n.args[0].text] {
			links = append(links, jsLink{"", n.args[1:]}) // superagent("GET", url), request(app)
			break
		}
		object, name, args := n.method()
		if object == nil {
			return nil, false
		}
		links = append(links, jsLink{name, args})
		if object.form == nodeName && v.clients[object.text] {
			break
		}
		n = object
	}
	slices.Reverse(links)
	if links[0].name == "" && len(links) > 1 && len(links[0].args) == 1 && len(links[1].args) > 0 && isMethod(links[1].name) {
		links = links[1:] // request(app).get("/x")
	}
	return links, links[0].name == "" || isMethod(links[0].name) && len(links[0].args) > 0
}

// isMethod reports whether a function of the library is named after an HTTP method.
func isMethod(name string) bool {
	switch name {
	case "get", "head", "post", "put", "patch", "delete", "del", "options", "trace", "connect", "query", "search", "propfind", "purge", "link", "unlink":
		return true
	}
	return false
}

// chains lists the chains within an expression that send requests.
func (v *jestTest) chains(n *jsNode, out []*jsNode) []*jsNode {
	if _, ok := v.chain(n); ok {
		return append(out, n)
	}
	if n.form == nodeFunction {
		return out
	}
	for _, e := range n.args {
		out = v.chains(e, out)
	}
	return out
}

// send notes the requests that an expression sends, and reports whether there is one. name is the variable that the value
// of the expression is assigned to, "" for none.
func (v *jestTest) send(st jsStatement, n *jsNode, name string, in jestContext) bool {
	chains := v.chains(n, nil)
	for _, chain := range chains {
		links, _ := v.chain(chain)
		c := &Call{Var: name, Line: v.tokens[chain.first].line, client: superagent(), Guarded: in.guarded, at: v.spanOf(st.first, st.last)}
		if c.Var == "" || chain != n {
			c.Var = fmt.Sprintf("answer_%d", len(v.test.Calls))
		}
		c.Line = c.at.first
		v.request(c, links)
		v.test.Calls = append(v.test.Calls, c)
		v.answers[chain] = c.Var
		for _, l := range links {
			if l.name == "then" && len(l.args) > 0 {
				v.then(c, l.args[0])
			}
		}
	}
	return len(chains) > 0
}

// request reads what a chain sends.
func (v *jestTest) request(c *Call, links []jsLink) {
	first := links[0]
	c.Method = strings.ToUpper(first.name)
	var url *jsNode
	switch {
	case c.Method == "DEL":
		c.Method = "DELETE"
		url = first.args[0]
	case c.Method == "" && len(first.args) > 1:
		c.Method, url = strings.ToUpper(v.text(first.args[0], v.local)), first.args[1]
	case len(first.args) > 0:
		url = first.args[0]
	}
	if c.Method == "" {
		c.Method = "GET"
	}
	if url != nil {
		v.target(c, url)
		v.unset(c, url)
	}
	for _, l := range links[1:] {
		for _, arg := range l.args {
			v.unset(c, arg)
		}
		v.link(c, l)
	}
}

// target reads the URL of a call.
func (v *jestTest) target(c *Call, url *jsNode) {
	object, name, args := url.method()
	if object.is("EM") && name == "resolveLocation" && len(args) == 2 {
		c.Location = "\x00"
		if args[0].form == nodeName {
			c.Location = args[0].text
		}
		url = args[1]
	} else {
		c.target = v.spanOf(url.first, url.last)
	}
	c.Target = pathOf(v.text(url, v.local))
}

var schemeAndHost = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*://[^/?#]*`)

// pathOf takes the base URL, where one is written out, and the fragment from a URL.
func pathOf(url string) string {
	url, _, _ = strings.Cut(url, "#")
	return strings.TrimPrefix(url, schemeAndHost.FindString(url))
}

// link reads one link of the chain.
func (v *jestTest) link(c *Call, l jsLink) {
	switch {
	case l.name == "set" && len(l.args) == 2:
		v.sets(c, v.text(l.args[0], v.local), l.args[1])
	case l.name == "set" && len(l.args) == 1 && l.args[0].form == nodeObject:
		for i, k := range l.args[0].keys {
			v.sets(c, k, l.args[0].args[i])
		}
	case l.name == "set" || l.name == "auth" || l.name == "use":
		c.unclear = true
	case l.name == "accept" && len(l.args) == 1:
		c.Accept = strings.Replace(v.text(l.args[0], v.local), "json", "application/json", 1)
	case l.name == "query" && len(l.args) == 1:
		sep := "?"
		if strings.Contains(c.Target, "?") {
			sep = "&"
		}
		c.Target += sep + v.query(l.args[0])
		c.target = span{}
	case l.name == "send" && len(l.args) == 1:
		if c.Body != "" || c.Dynamic {
			c.Dynamic, c.body = true, span{}
			return
		}
		text, ok := v.payload(l.args[0])
		c.Body, c.Dynamic = text, !ok
		if ok && l.args[0].form != nodeObject && l.args[0].form != nodeArray {
			c.body = v.spanOf(l.args[0].first, l.args[0].last)
		}
	case l.name == "attach" || l.name == "field":
		c.Dynamic = true
	}
}

// sets notes a header that a chain sends. One that is set again has the later value.
func (v *jestTest) sets(c *Call, name string, value *jsNode) {
	h := header{name: name, value: v.text(value, v.local), at: v.spanOf(value.first, value.last)}
	c.headers = append(slices.DeleteFunc(c.headers, func(o header) bool { return strings.EqualFold(o.name, name) }), h)
	switch {
	case strings.EqualFold(name, "accept"):
		c.Accept = h.value
	case strings.Contains(name, "\x00"):
		c.unclear = true
	}
}

// query reads what .query adds to a URL.
func (v *jestTest) query(n *jsNode) string {
	if n.form != nodeObject {
		return v.text(n, v.local)
	}
	pairs := make([]string, len(n.keys))
	for i, k := range n.keys {
		pairs[i] = k + "=" + v.text(n.args[i], v.local)
	}
	return strings.Join(pairs, "&")
}

// payload reads a body; ok is false where not all of it is written out.
func (v *jestTest) payload(n *jsNode) (text string, ok bool) {
	if n.form == nodeObject || n.form == nodeArray {
		x, ok := v.reading.meaning(n)
		if !ok {
			return "\x00", false
		}
		return expr.JSONText(x)
	}
	text = v.text(n, v.local)
	return text, !strings.Contains(text, "\x00")
}

// unset notes a variable that a request uses and nothing assigns.
func (v *jestTest) unset(c *Call, n *jsNode) {
	switch {
	case n.form == nodeName && c.Unset == "" && n.text != "body" && generated(n.text) && !v.assigned[n.text] && !v.known[n.text]:
		c.Unset = n.text
	case n.form != nodeFunction:
		for _, e := range n.args {
			v.unset(c, e)
		}
	}
}

// then reads what a function does with the answer: it assigns a part of it to a variable.
func (v *jestTest) then(c *Call, fn *jsNode) {
	if fn.form != nodeFunction || len(fn.keys) == 0 {
		return
	}
	before, shadows := v.reading.aliases[fn.keys[0]]
	v.reading.aliases[fn.keys[0]] = expr.Name{ID: c.Var}
	take := func(x *jsNode) {
		if x.form == nodeBinary && (x.text == "=" || x.text == "+=") && x.args[0].form == nodeName {
			v.assigned[x.args[0].text] = true
			if x.text == "=" {
				v.take(c.at, x.args[0].text, x.args[1])
			}
		}
	}
	if len(fn.args) == 1 {
		take(fn.args[0])
	} else {
		for p := v.parser(jsBlock{fn.from, fn.to}); p.pos < p.end; {
			if st := p.statement(); st.keyword == "" && st.x != nil {
				take(st.x)
			}
		}
	}
	delete(v.reading.aliases, fn.keys[0])
	if shadows {
		v.reading.aliases[fn.keys[0]] = before
	}
}
