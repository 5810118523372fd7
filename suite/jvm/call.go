package jvm

import (
	"net/url"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
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
			script.Extraction{Name: name, Value: r.extracted(c.Var, rest[extracts+1:]), At: at})
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
		c.Body = r.text(first)
		if c.Dynamic = strings.Contains(c.Body, "\x00"); !c.Dynamic && c.Body != "" {
			c.BodyAt = r.argument(l.Args[0])
		}
	case "header":
		if len(l.Args) != 2 {
			c.MoreHeaders = true
			return
		}
		h := script.Header{Name: r.text(first), Value: r.text(l.Args[1].X), At: r.argument(l.Args[1])}
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
			c.Method = strings.ToUpper(r.text(first))
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
	kind := meaning.MediaType(l.Args[0].X, r.text(l.Args[0].X))
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
func (r *reader) uses(c *script.Call, x java.Node) {
	r.walk(x, func(id string) {
		if c.Unset == "" && script.GeneratedName(id) && id != "body" && id != "headers" && !r.declared[id] && !r.outer[id] {
			c.Unset = id
		}
	})
}

// walk goes through the names in an expression.
func (r *reader) walk(x java.Node, visit func(id string)) {
	switch x := x.(type) {
	case java.Name:
		visit(x.ID)
	case java.Sum:
		for _, y := range x.Xs {
			r.walk(y, visit)
		}
	case java.Text:
		for _, p := range x.Token.Parts {
			if p.Variable != "" && meaning.Word.FindString(p.Variable) == p.Variable {
				visit(p.Variable)
			}
		}
	case java.Call, java.Field:
		root, links := java.Chain(x)
		r.walk(root, visit)
		for _, l := range links {
			for _, a := range l.Args {
				r.walk(a.X, visit)
			}
		}
	}
}

// text evaluates a string as far as it is written out; the rest becomes a NUL.
func (r *reader) text(x java.Node) string {
	var b strings.Builder
	r.addText(&b, x)
	return b.String()
}

func (r *reader) addText(b *strings.Builder, x java.Node) {
	switch x := x.(type) {
	case java.Text:
		for _, p := range x.Token.Parts {
			if p.Variable != "" {
				r.addText(b, java.Name{ID: p.Variable})
			}
			b.WriteString(p.Text)
		}
	case java.Number:
		b.WriteString(x.Text)
	case java.Sum:
		for _, y := range x.Xs {
			r.addText(b, y)
		}
	case java.Name:
		if x.ID != emBaseURL {
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
func (r *reader) extraction(name string, x java.Node, at script.Span) {
	r.test.Extractions = append(r.test.Extractions, script.Extraction{Name: name, Value: r.value(x), At: at})
}

// value gives the meaning of what a variable is set to; nil where it has none.
func (r *reader) value(x java.Node) expr.Expr {
	switch x := x.(type) {
	case java.Text, java.Sum:
		return r.sum(x)
	case java.Name:
		return expr.Name{ID: x.ID}
	case java.Call:
		root, links := java.Chain(x)
		id, ok := root.(java.Name)
		if !ok {
			return nil
		}
		for i, l := range links {
			if l.Name == "extract" {
				return r.extracted(id.ID, links[i+1:])
			}
		}
	}
	return nil
}

// sum gives the meaning of a text of several pieces.
func (r *reader) sum(x java.Node) expr.Expr {
	xs := []java.Node{x}
	if s, ok := x.(java.Sum); ok {
		xs = s.Xs
	}
	var pieces []expr.Expr
	n := 0
	for _, piece := range xs {
		if text, ok := piece.(java.Text); ok {
			for _, p := range text.Token.Parts {
				if n++; p.Variable != "" {
					pieces = append(pieces, expr.Name{ID: p.Variable})
				} else {
					pieces = append(pieces, expr.Str{Value: p.Text})
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
func (r *reader) extracted(answer string, links []java.Call) expr.Expr {
	var x expr.Expr
	for _, l := range links {
		var arg string
		if len(l.Args) > 0 {
			arg = r.text(l.Args[0].X)
		}
		switch l.Name {
		case "body", "response", "jsonPath", "getBody":
		case "header", "getHeader":
			x = expr.Get{X: expr.Answer{Var: answer, Part: expr.Headers}, Key: expr.Str{Value: arg}, Default: expr.Str{}}
		case "path", "get", "getString":
			p, ok := meaning.ParsePath(arg, expr.Answer{Var: answer, Part: expr.JSON})
			if x = p.X; !ok || p.End != "" {
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
