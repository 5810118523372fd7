package jvm

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
)

// chain reads given()….get(url).then()….extract()…, with the variable that it is assigned to.
func (r *reader) chain(name string, links []callNode, at script.Span, in context) {
	c := &script.Call{Line: at.FirstLine, At: at, Guarded: in.guarded}
	i := 1
	for ; i < len(links) && links[i].name != "then"; i++ {
		r.request(c, &links[i])
	}
	if c.Method == "" {
		return
	}
	rest := links[min(i+1, len(links)):]
	extracts := len(rest)
	for k := range rest {
		if rest[k].name == "extract" {
			extracts = k
			break
		}
	}
	c.Var = r.own + fmt.Sprint(len(r.test.Calls))
	if name != "" && extracts == len(rest) {
		c.Var = name
	}
	r.test.Calls = append(r.test.Calls, c)
	r.asserts(len(r.test.Calls)-1, rest[:extracts], in)
	if name != "" && extracts < len(rest) {
		r.test.Extractions = append(r.test.Extractions,
			script.Extraction{Name: name, Value: r.extracted(c.Var, rest[extracts+1:]), At: at})
	}
}

// request reads one link of what is sent.
func (r *reader) request(c *script.Call, l *callNode) {
	var first node
	if len(l.args) > 0 {
		first = l.args[0].x
		for _, a := range l.args {
			r.uses(c, a.x)
		}
	}
	switch l.name {
	case "accept":
		c.Accept = mediaType(first, r.text(first))
	case "body":
		if len(l.args) != 1 {
			return
		}
		c.Body = r.text(first)
		if c.Dynamic = strings.Contains(c.Body, "\x00"); !c.Dynamic && c.Body != "" {
			c.BodyAt = r.argument(l.args[0])
		}
	case "header":
		if len(l.args) != 2 {
			c.MoreHeaders = true
			return
		}
		h := script.Header{Name: r.text(first), Value: r.text(l.args[1].x), At: r.argument(l.args[1])}
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
		c.Method = strings.ToUpper(l.name)
		r.url(c, l.args)
	case "request":
		if len(l.args) > 0 {
			c.Method = strings.ToUpper(r.text(first))
			if n, ok := first.(field); ok {
				c.Method = n.name
			}
			r.url(c, l.args[1:])
		}
	}
}

// mediaType reads the constants that REST-assured has for media types.
func mediaType(x node, text string) string {
	f, ok := x.(field)
	if !ok {
		return text
	}
	return map[string]string{"JSON": "application/json, application/javascript, text/javascript, text/json", "ANY": "*/*",
		"TEXT": "text/plain", "XML": "application/xml, text/xml, application/xhtml+xml", "HTML": "text/html"}[f.name]
}

// argument returns where an argument stands.
func (r *reader) argument(a callArg) script.Span { return r.span(a.from, a.to) }

// url reads the target of a call, which may be resolved from a location.
func (r *reader) url(c *script.Call, args []callArg) {
	inner := c.Target // what query parameters left
	if len(args) == 0 {
		c.Target = "/" + inner
		return
	}
	x := args[0].x
	if n, ok := x.(callNode); ok && n.name == "resolveLocation" && len(n.args) == 2 {
		c.Location = "\x00"
		if loc, ok := n.args[0].x.(nameNode); ok {
			c.Location = loc.id
		}
		x = n.args[1].x
	} else {
		c.TargetAt = r.argument(args[0])
	}
	c.Target, _, _ = strings.Cut(r.text(x), "#")
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
func (r *reader) uses(c *script.Call, x node) {
	r.walk(x, func(id string) {
		if c.Unset == "" && script.GeneratedName(id) && id != "body" && id != "headers" && !r.declared[id] && !r.outer[id] {
			c.Unset = id
		}
	})
}

// walk goes through the names in an expression.
func (r *reader) walk(x node, visit func(id string)) {
	switch x := x.(type) {
	case nameNode:
		visit(x.id)
	case sumNode:
		for _, y := range x.xs {
			r.walk(y, visit)
		}
	case textNode:
		for _, p := range x.token.parts {
			if p.variable != "" && gpathWord.FindString(p.variable) == p.variable {
				visit(p.variable)
			}
		}
	case callNode, field:
		root, links := chain(x)
		r.walk(root, visit)
		for _, l := range links {
			for _, a := range l.args {
				r.walk(a.x, visit)
			}
		}
	}
}

// text evaluates a string as far as it is written out; the rest becomes a NUL.
func (r *reader) text(x node) string {
	var b strings.Builder
	r.addText(&b, x)
	return b.String()
}

func (r *reader) addText(b *strings.Builder, x node) {
	switch x := x.(type) {
	case textNode:
		for _, p := range x.token.parts {
			if p.variable != "" {
				r.addText(b, nameNode{p.variable})
			}
			b.WriteString(p.text)
		}
	case num:
		b.WriteString(x.text)
	case sumNode:
		for _, y := range x.xs {
			r.addText(b, y)
		}
	case nameNode:
		if x.id != emBaseURL {
			b.WriteByte(0)
		}
	default:
		b.WriteByte(0)
	}
}

// emBaseURL is the generator's variable for where the API is.
const emBaseURL = "baseUrlOfSut"

// maxParts bounds the pieces of a text that a variable is set to.
const maxParts = 100

// extraction reads what a variable is set to.
func (r *reader) extraction(name string, x node, at script.Span) {
	r.test.Extractions = append(r.test.Extractions, script.Extraction{Name: name, Value: r.value(x), At: at})
}

// value gives the meaning of what a variable is set to; nil where it has none.
func (r *reader) value(x node) expr.Expr {
	switch x := x.(type) {
	case textNode, sumNode:
		return r.sum(x)
	case nameNode:
		return expr.Name{ID: x.id}
	case callNode:
		root, links := chain(x)
		id, ok := root.(nameNode)
		if !ok {
			return nil
		}
		for i, l := range links {
			if l.name == "extract" {
				return r.extracted(id.id, links[i+1:])
			}
		}
	}
	return nil
}

// sum gives the meaning of a text of several pieces.
func (r *reader) sum(x node) expr.Expr {
	xs := []node{x}
	if s, ok := x.(sumNode); ok {
		xs = s.xs
	}
	var pieces []expr.Expr
	n := 0
	for _, piece := range xs {
		if text, ok := piece.(textNode); ok {
			for _, p := range text.token.parts {
				if n++; p.variable != "" {
					pieces = append(pieces, expr.Name{ID: p.variable})
				} else {
					pieces = append(pieces, expr.Str{Value: p.text})
				}
			}
			continue
		}
		y := r.value(piece)
		if n++; y == nil || n > maxParts {
			return nil
		}
		pieces = append(pieces, y)
	}
	return expr.Sum(pieces...)
}

// extracted gives the meaning of the links behind extract(): header("location"), path("id").toString(), body().path(…).
func (r *reader) extracted(answer string, links []callNode) expr.Expr {
	var x expr.Expr
	for _, l := range links {
		var arg string
		if len(l.args) > 0 {
			arg = r.text(l.args[0].x)
		}
		switch l.name {
		case "body", "response", "jsonPath", "getBody":
		case "header", "getHeader":
			x = expr.Get{X: expr.Answer{Var: answer, Part: expr.Headers}, Key: expr.Str{Value: arg}, Default: expr.Str{}}
		case "path", "get", "getString":
			p, ok := parseGPath(arg, expr.Answer{Var: answer, Part: expr.JSON})
			if x = p.x; !ok || p.end != "" {
				return nil
			}
		case "asString":
			x = expr.Answer{Var: answer, Part: expr.Text}
		case "statusCode":
			x = expr.Answer{Var: answer}
		case "toString":
			if x != nil {
				x = expr.ToText{X: x}
			}
		default:
			return nil
		}
	}
	return x
}
