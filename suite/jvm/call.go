package jvm

import (
	"net/url"
	"strings"

	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/jvm/meaning"
	"github.com/flaketap/flaketap/suite/script"
)

// chain reads given()….get(url).then()….extract()…, with the variable that it is assigned to.
func (r *reader) chain(name string, links []java.Call, at script.Span, in context) {
	c := &script.Call{Line: at.FirstLine, At: at, Guarded: in.guarded}
	i := 1
	for ; i < len(links) && links[i].Name != "then"; i++ {
		r.request(c, &links[i])
	}
	if c.Method == "" {
		return
	}
	rest := links[min(i+1, len(links)):]
	extracts := len(rest)
	for k := range rest {
		if rest[k].Name == "extract" {
			extracts = k
			break
		}
	}
	c.Var = script.CallName(len(r.test.Calls))
	if name != "" && extracts == len(rest) {
		c.Var = name
	}
	r.test.Calls = append(r.test.Calls, c)
	r.asserts(len(r.test.Calls)-1, rest[:extracts], in)
	if name != "" && extracts < len(rest) {
		r.test.Extractions = append(r.test.Extractions,
			script.Extraction{Name: name, Value: meaning.Extracted(c.Var, rest[extracts+1:]), At: at})
	}
}

// request reads one link of what is sent.
func (r *reader) request(c *script.Call, l *java.Call) {
	var first java.Node
	if len(l.Args) > 0 {
		first = l.Args[0].X
		for _, a := range l.Args {
			r.uses(c, a.X)
		}
	}
	switch l.Name {
	case "accept", "contentType":
		r.media(c, l)
	case "body":
		if len(l.Args) != 1 {
			return
		}
		c.Body = meaning.Written(first)
		if c.Dynamic = strings.Contains(c.Body, "\x00"); !c.Dynamic && c.Body != "" {
			c.BodyAt = r.argument(l.Args[0])
		}
	case "header":
		if len(l.Args) != 2 {
			c.MoreHeaders = true
			return
		}
		h := script.Header{Name: meaning.Written(first), Value: meaning.Written(l.Args[1].X),
			At: r.argument(l.Args[1])}
		if c.Headers = append(c.Headers, h); strings.Contains(h.Name, "\x00") {
			c.MoreHeaders = true
		}
	case "headers", "cookie", "cookies", "auth", "spec", "sessionId":
		c.MoreHeaders = true
	case "formParam", "formParams", "multiPart", "params", "param":
		c.Dynamic = true
	case "queryParam", "queryParams", "pathParam", "pathParams":
		c.Target += "\x00" // not wholly written out
	case "get", "post", "put", "delete", "patch", "head", "options":
		c.Method = strings.ToUpper(l.Name)
		r.url(c, l.Args)
	case "request":
		if len(l.Args) > 0 {
			c.Method = strings.ToUpper(meaning.Written(first))
			if n, ok := first.(java.Field); ok {
				c.Method = n.Name
			}
			r.url(c, l.Args[1:])
		}
	}
}

// media reads a link that says what type of answer is asked for, or what type of body is sent.
func (r *reader) media(c *script.Call, l *java.Call) {
	if len(l.Args) != 1 {
		return
	}
	kind := meaning.MediaType(l.Args[0].X, meaning.Written(l.Args[0].X))
	h := script.Header{Name: "Content-Type", Value: kind, At: r.argument(l.Args[0])}
	if l.Name == "accept" {
		h.Name, c.Accept = "Accept", kind
	}
	c.Headers = append(c.Headers, h)
}

// argument returns where an argument stands.
func (r *reader) argument(a java.Argument) script.Span { return r.span(a.From, a.To) }

// url reads the target of a call, which may be resolved from a location.
func (r *reader) url(c *script.Call, args []java.Argument) {
	inner := c.Target // what query parameters left
	if len(args) == 0 {
		c.Target = "/" + inner
		return
	}
	x := args[0].X
	if n, ok := x.(java.Call); ok && n.Name == "resolveLocation" && len(n.Args) == 2 {
		c.Location = "\x00"
		if loc, ok := n.Args[0].X.(java.Name); ok {
			c.Location = loc.ID
		}
		x = n.Args[1].X
	} else {
		c.TargetAt = r.argument(args[0])
	}
	c.Target, _, _ = strings.Cut(meaning.Written(x), "#")
	if strings.HasPrefix(c.Target, "http://") || strings.HasPrefix(c.Target, "https://") {
		if u, err := url.Parse(c.Target); err == nil {
			c.Target = strings.TrimPrefix(c.Target, u.Scheme+"://"+u.Host)
		}
	}
	if len(args) > 1 {
		inner += "\x00" // path parameters
	}
	c.Target += inner
}

// uses notes the generator's own variables that a call uses and nothing declares.
func (r *reader) uses(c *script.Call, x java.Node) {
	meaning.Names(x, func(id string) {
		if c.Unset == "" && script.GeneratedName(id) && id != "body" && id != "headers" && !r.declared[id] && !r.outer[id] {
			c.Unset = id
		}
	})
}

// extraction reads what a variable is set to.
func (r *reader) extraction(name string, x java.Node, at script.Span) {
	r.test.Extractions = append(r.test.Extractions, script.Extraction{Name: name, Value: meaning.SetTo(x), At: at})
}
