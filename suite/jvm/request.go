package jvm

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/jvm/matching"
	"github.com/flaketap/flaketap/suite/jvm/meaning"
	"github.com/flaketap/flaketap/suite/jvm/sending"
	"github.com/flaketap/flaketap/suite/script"
)

// static is a call of a function, a constructor or a static method of a class that the file does not define.
func (r *follower) static(class string, c java.Call) java.Node {
	one := func() java.Node {
		if len(c.Args) == 0 {
			return java.Opaque{What: "the method " + c.Name}
		}
		return c.Args[0].X
	}
	switch {
	case r.begins(class, c.Name):
		out := requestNode{client: sending.RESTAssured}
		if c.Name == "given" && len(c.Args) == 1 {
			out = r.specified(out, c.Args[0].X)
		}
		if _, sends := script.ClientMethod(c.Name); sends {
			return r.request(out, c)
		}
		return out
	case c.Name == "RequestSpecBuilder":
		return requestNode{client: sending.RESTAssured}
	case class == "HttpRequest" && c.Name == "newBuilder":
		return requestNode{client: sending.JDK, links: sending.URLLinks(c.Args)}
	case (class == "" || class == "Request") && c.Name == "Builder" && len(c.Args) == 0:
		return requestNode{client: sending.OkHTTP}
	case class == "URI" && c.Name == "create", class == "" && (c.Name == "URI" || c.Name == "URL"), class == "HttpUrl",
		class == "BodyPublishers" && c.Name == "ofString", class == "Objects" && c.Name == "requireNonNull":
		return one()
	case class == "BodyPublishers" && c.Name == "noBody":
		return java.TextOf("")
	case class == "RequestBody" && c.Name == "create" && len(c.Args) == 2 && sending.IsMedia(java.WrittenText(c.Args[1].X)):
		return c.Args[0].X
	case class == "RequestBody" && c.Name == "create" && len(c.Args) == 2: // of both orders that OkHttp has
		if text := java.WrittenText(c.Args[0].X); !strings.Contains(text, script.Unknown) && strings.ContainsAny(text,
			"{[ ") {
			return c.Args[0].X
		}
		return c.Args[1].X
	case class == "MediaType" || class == "MediaTypes":
		return one()
	case class == "String" && c.Name == "format" && len(c.Args) > 0:
		return java.Formatted(c.Args[0].X, c.Args[1:])
	case class == "String" && (c.Name == "valueOf" || c.Name == "copyValueOf") && len(c.Args) == 1,
		(class == "Integer" || class == "Long") && c.Name == "toString" && len(c.Args) == 1:
		return meaning.AsText(c.Args[0].X)
	}
	if x, ok := meaning.RegexOf(class, c); ok {
		return x
	}
	if r.file.kotlin {
		if x, ok := meaning.Kotlins(class, c); ok {
			return x
		}
	}
	return composed(class, c)
}

// begins reports whether a call begins a request of REST-assured's.
func (r *follower) begins(class, name string) bool {
	_, sends := script.ClientMethod(name)
	if !sends && !slices.Contains([]string{"given", "when", "with", "expect"}, name) {
		return false
	}
	return class == "RestAssured" || class == "" && (r.file.module.Has("static io.restassured.RestAssured."+name) ||
		strings.Contains(r.file.text[len(r.file.script.Text):], "io.restassured.RestAssured."))
}

// composed is a value that a function puts together, or what is not known of one.
func composed(class string, c java.Call) java.Node {
	if x := meaning.Composed(class, c); x != nil {
		return x
	}
	if matching.Is(class, c.Name) || c.Name == "within" || c.Name == "offset" {
		return c
	}
	if class != "" {
		return java.Opaque{What: "the method " + class + "." + c.Name}
	}
	return java.Opaque{What: "the method " + c.Name}
}

// sentBy is a call on something that is not known: of a client that sends, of a parser that is handed the text of an
// answer.
func (r *follower) sentBy(of java.Opaque, c java.Call) java.Node {
	if x, ok := r.reads(c); ok {
		return x
	}
	if len(c.Args) > 0 {
		if req, ok := c.Args[0].X.(requestNode); ok && (c.Name == "send" || c.Name == "sendAsync" || c.Name == "newCall") {
			if c.Name == "newCall" {
				return req
			}
			return r.send(req)
		}
		typ := map[string]string{"readTree": "JsonNode", "parse": "JsonElement", "fromJson": "JsonElement", "readValue": "Map"}[c.Name]
		if v, ok := meaning.ParsedJSON(c.Args[0].X, typ); ok && typ != "" && (len(c.Args) == 1 || java.HoldsAnyJSON(c.Args[1].X)) {
			return v
		}
	}
	if strings.HasPrefix(of.What, "the method ") || of.What == "a lambda" {
		return of
	}
	return java.Opaque{What: "the method " + c.Name}
}

// request is a method of a request in the making: it says more, or sends it.
func (r *follower) request(of requestNode, c java.Call) java.Node {
	_, sends := script.ClientMethod(c.Name)
	if len(c.Args) > 0 && (c.Name == "newCall" || c.Name == "send") {
		return r.sentBy(java.Opaque{What: "a client"}, c) // which was built as requests are
	}
	switch {
	case of.client == sending.RESTAssured && sends, c.Name == "execute":
		if of.client == sending.RESTAssured {
			of.links = append(of.links[:len(of.links):len(of.links)], c)
		}
		return r.send(of)
	case c.Name == "log" && of.client == sending.RESTAssured:
		return logNode{of}
	case c.Name == "spec" && len(c.Args) == 1:
		return r.specified(of, c.Args[0].X)
	case slices.Contains([]string{"when", "and", "with", "given", "build", "request", "redirects"}, c.Name) && len(c.Args) == 0:
		return of
	}
	of.links = append(of.links[:len(of.links):len(of.links)], c)
	return of
}

// specified adds to a request what a specification says.
func (r *follower) specified(of requestNode, spec java.Node) requestNode {
	more, ok := spec.(requestNode)
	if !ok {
		return of // only headers, mostly
	}
	of.links = append(of.links[:len(of.links):len(of.links)], more.links...)
	return of
}

// send notes a request as sent, and is what it is answered.
func (r *follower) send(req requestNode) java.Node {
	id := script.CallName(len(r.test.Calls))
	c := &script.Call{Line: r.site.FirstLine, At: r.site, Var: id, Guarded: r.in.guarded, MoreHeaders: true,
		Follows: req.client != sending.JDK || r.file.follows}
	if sending.Read(c, req.client, req.links, r.rooted()); c.Method == "" || len(r.test.Calls) >= maxCalls {
		return java.Opaque{What: "a request of an unknown method"}
	}
	r.test.Calls = append(r.test.Calls, c)
	return answerNode{id: id, client: req.client, response: true}
}

// maxCalls bounds how many requests a test sends.
const maxCalls = 1000

// rooted is the path below which requests of REST-assured go that say no other.
func (r *follower) rooted() string {
	of := func(name string) string {
		if x, ok := r.env["RestAssured."+name]; ok {
			return java.WrittenText(x)
		}
		return ""
	}
	return sending.Joined(of("baseURI"), of("basePath"))
}
