package jest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/jest/superagent"
	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/script"
)

// chainLink is one call of a chain: .set("Accept", "*/*").
type chainLink struct {
	name string
	args []*js.Node
}

// chain returns the links of a chain of calls that begins with the HTTP library, in order.
func (v *testReading) chain(n *js.Node) ([]chainLink, bool) {
	var links []chainLink
	for {
		if n.Form == js.NodeCall && n.Args[0].Form == js.NodeName && v.clients[n.Args[0].Text] {
			links = append(links, chainLink{"", n.Args[1:]}) // superagent("GET", url)
			break
		}
		object, name, args := n.Method()
		if object == nil {
			return nil, false
		}
		links = append(links, chainLink{name, args})
		if object.Form == js.NodeName && v.clients[object.Text] {
			break
		}
		n = object
	}
	slices.Reverse(links)
	return links, links[0].name == "" || superagent.IsMethod(links[0].name) && len(links[0].args) > 0
}

// chains lists the chains within an expression that send requests.
func (v *testReading) chains(n *js.Node, out []*js.Node) []*js.Node {
	if _, ok := v.chain(n); ok {
		return append(out, n)
	}
	if n.Form == js.NodeFunction {
		return out
	}
	for _, e := range n.Args {
		out = v.chains(e, out)
	}
	return out
}

// send notes the requests that an expression sends, and reports whether there is one. name is the variable that the
// value of the expression is assigned to, "" for none.
func (v *testReading) send(st js.Statement, n *js.Node, name string, in js.Context) bool {
	chains := v.chains(n, nil)
	for _, chain := range chains {
		links, _ := v.chain(chain)
		c := &script.Call{Var: name, Line: v.tokens[chain.First].Line, Client: superagent.Client(), Guarded: in.Guarded,
			At: v.spanOf(st.First, st.Last)}
		if c.Var == "" || chain != n {
			c.Var = fmt.Sprintf("answer_%d", len(v.test.Calls))
		}
		c.Line = c.At.FirstLine
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
func (v *testReading) request(c *script.Call, links []chainLink) {
	first := links[0]
	c.Method = strings.ToUpper(first.name)
	var url *js.Node
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
func (v *testReading) target(c *script.Call, url *js.Node) {
	object, name, args := url.Method()
	if object.Is("EM") && name == "resolveLocation" && len(args) == 2 {
		c.Location = "\x00"
		if args[0].Form == js.NodeName {
			c.Location = args[0].Text
		}
		url = args[1]
	} else {
		c.TargetAt = v.spanOf(url.First, url.Last)
	}
	c.Target = script.PathOf(v.text(url, v.local))
}

// link reads one link of the chain.
func (v *testReading) link(c *script.Call, l chainLink) {
	switch {
	case l.name == "set" && len(l.args) == 2:
		v.sets(c, v.text(l.args[0], v.local), l.args[1])
	case l.name == "set" && len(l.args) == 1 && l.args[0].Form == js.NodeObject:
		for i, k := range l.args[0].Keys {
			c.MoreHeaders = c.MoreHeaders || k == js.Spread
			if k != js.Spread {
				v.sets(c, k, l.args[0].Args[i])
			}
		}
	case l.name == "set" || l.name == "auth" || l.name == "use":
		c.MoreHeaders = true
	case l.name == "accept" && len(l.args) == 1:
		c.Accept = strings.Replace(v.text(l.args[0], v.local), "json", "application/json", 1)
	case l.name == "query" && len(l.args) == 1:
		sep := "?"
		if strings.Contains(c.Target, "?") {
			sep = "&"
		}
		c.Target += sep + v.query(l.args[0])
		c.TargetAt = script.Span{}
	case l.name == "send" && len(l.args) == 1:
		if c.Body != "" || c.Dynamic {
			c.Dynamic, c.BodyAt = true, script.Span{}
			return
		}
		text, ok := v.payload(l.args[0])
		c.Body, c.Dynamic = text, !ok
		if ok && l.args[0].Form != js.NodeObject && l.args[0].Form != js.NodeArray {
			c.BodyAt = v.spanOf(l.args[0].First, l.args[0].Last)
		}
	case l.name == "attach" || l.name == "field":
		c.Dynamic = true
	}
}

// sets notes a header that a chain sends. One that is set again has the later value.
func (v *testReading) sets(c *script.Call, name string, value *js.Node) {
	h := script.Header{Name: name, Value: v.text(value, v.local), At: v.spanOf(value.First, value.Last)}
	c.Headers = append(slices.DeleteFunc(c.Headers,
		func(o script.Header) bool { return strings.EqualFold(o.Name, name) }), h)
	switch {
	case strings.EqualFold(name, "accept"):
		c.Accept = h.Value
	case strings.Contains(name, "\x00"):
		c.MoreHeaders = true
	}
}

// query reads what .query adds to a URL.
func (v *testReading) query(n *js.Node) string {
	if n.Form != js.NodeObject {
		return v.text(n, v.local)
	}
	pairs := make([]string, len(n.Keys))
	for i, k := range n.Keys {
		if pairs[i] = "\x00"; k != js.Spread {
			pairs[i] = k + "=" + v.text(n.Args[i], v.local)
		}
	}
	return strings.Join(pairs, "&")
}

// payload reads a body; ok is false where not all of it is written out.
func (v *testReading) payload(n *js.Node) (text string, ok bool) {
	if n.Form == js.NodeObject || n.Form == js.NodeArray {
		x, ok := v.reading.Meaning(n)
		if !ok {
			return "\x00", false
		}
		return expr.JSONText(x)
	}
	text = v.text(n, v.local)
	return text, !strings.Contains(text, "\x00")
}

// unset notes a variable that a request uses and nothing assigns.
func (v *testReading) unset(c *script.Call, n *js.Node) {
	switch {
	case n.Form == js.NodeName && c.Unset == "" && n.Text != "body" && script.GeneratedName(n.Text) &&
		!v.assigned[n.Text] && !v.known[n.Text]:
		c.Unset = n.Text
	case n.Form != js.NodeFunction:
		for _, e := range n.Args {
			v.unset(c, e)
		}
	}
}

// then reads what a function does with the answer: it assigns a part of it to a variable.
func (v *testReading) then(c *script.Call, fn *js.Node) {
	if fn.Form != js.NodeFunction || len(fn.Keys) == 0 {
		return
	}
	before, shadows := v.reading.Aliases[fn.Keys[0]]
	v.reading.Aliases[fn.Keys[0]] = expr.Name{ID: c.Var}
	take := func(x *js.Node) {
		if x.Form == js.NodeBinary && (x.Text == "=" || x.Text == "+=") && x.Args[0].Form == js.NodeName {
			v.assigned[x.Args[0].Text] = true
			if x.Text == "=" {
				v.take(c.At, x.Args[0].Text, x.Args[1])
			}
		}
	}
	if len(fn.Args) == 1 {
		take(fn.Args[0])
	} else {
		for p := v.parser(js.Block{From: fn.From, To: fn.To}); p.Pos < p.End; {
			if st := p.Statement(); st.Keyword == "" && st.X != nil {
				take(st.X)
			}
		}
	}
	delete(v.reading.Aliases, fn.Keys[0])
	if shadows {
		v.reading.Aliases[fn.Keys[0]] = before
	}
}
