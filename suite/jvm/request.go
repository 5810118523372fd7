package jvm

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/jvm/meaning"
	"github.com/flaketap/flaketap/suite/script"
)

// client is the library that sends a request.
type client uint8

const (
	restAssured client = iota
	jdkClient          // java.net.http
	okHTTP
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
		out := requestNode{client: restAssured}
		if c.Name == "given" && len(c.Args) == 1 {
			out = r.specified(out, c.Args[0].X)
		}
		if _, sends := script.ClientMethod(c.Name); sends {
			return r.request(out, c)
		}
		return out
	case c.Name == "RequestSpecBuilder":
		return requestNode{client: restAssured}
	case class == "HttpRequest" && c.Name == "newBuilder":
		return requestNode{client: jdkClient, links: urlLinks(c.Args)}
	case (class == "" || class == "Request") && c.Name == "Builder" && len(c.Args) == 0:
		return requestNode{client: okHTTP}
	case class == "URI" && c.Name == "create", class == "" && (c.Name == "URI" || c.Name == "URL"), class == "HttpUrl",
		class == "BodyPublishers" && c.Name == "ofString", class == "Objects" && c.Name == "requireNonNull":
		return one()
	case class == "BodyPublishers" && c.Name == "noBody":
		return java.TextOf("")
	case class == "RequestBody" && c.Name == "create" && len(c.Args) == 2 && isMedia(java.WrittenText(c.Args[1].X)):
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
	if r.file.kotlin {
		if x, ok := meaning.Kotlins(class, c); ok {
			return x
		}
	}
	return composed(class, c)
}

// isMedia reports whether a text is a media type.
func isMedia(text string) bool {
	of, _, _ := strings.Cut(text, ";")
	return strings.Count(of, "/") == 1 && !strings.ContainsAny(of, " {[\"<")
}

// urlLinks are those of a builder that is made with a URL.
func urlLinks(args []java.Argument) []java.Call {
	if len(args) != 1 {
		return nil
	}
	return []java.Call{{Name: "uri", Args: args}}
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

// composed is a value that a function puts together: a list, a map, JSON from the text of an answer.
func composed(class string, c java.Call) java.Node {
	values := make([]java.Node, len(c.Args))
	for i, a := range c.Args {
		values[i] = a.X
	}
	switch {
	case (class == "List" || class == "Arrays") && (c.Name == "of" || c.Name == "asList"),
		class == "Collections" && c.Name == "singletonList", class == "ImmutableList" && c.Name == "of":
		return java.Array{Elems: values}
	case class == "Collections" && c.Name == "emptyList":
		return java.Array{}
	case class == "Map" && c.Name == "of" && len(values)%2 == 0, class == "Collections" && c.Name == "singletonMap":
		var m meaning.Map
		for i := 0; i+1 < len(values); i += 2 {
			m.Keys, m.Values = append(m.Keys, values[i]), append(m.Values, values[i+1])
		}
		return m
	case (class == "Integer" || class == "Long" || class == "Boolean" || class == "Double") && c.Name == "valueOf" && len(values) == 1,
		class == "" && (c.Name == "BigDecimal" || c.Name == "BigInteger") && len(values) == 1:
		switch x := values[0].(type) {
		case java.Number, java.Name:
			return x
		case java.Text:
			return java.Number{Text: x.Token.Text}
		}
	case class == "JsonPath" && c.Name == "read" && len(values) == 2:
		if of, ok := meaning.ParsedJSON(values[0], ""); ok {
			return meaning.PathOf(of.X, c.Args[1], "")
		}
	case meaning.Parses(class, c.Name) && len(values) == 1:
		if of, ok := meaning.ParsedJSON(values[0], meaning.ParsedType(c.Name)); ok {
			return of
		}
	case class == "" && c.Name == "JsonParser":
		return java.Opaque{What: "a parser"}
	}
	if isMatcher(class, c.Name) || c.Name == "within" || c.Name == "offset" {
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
	case of.client == restAssured && sends, c.Name == "execute":
		if of.client == restAssured {
			of.links = append(of.links[:len(of.links):len(of.links)], c)
		}
		return r.send(of)
	case c.Name == "log" && of.client == restAssured:
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

// sending is a request that is being read from its links.
type sending struct {
	*script.Call
	base, url string
	query     []string
	either    []string // of the query, or of a form
	params    map[string]string
}

// send notes a request as sent, and is what it is answered.
func (r *follower) send(req requestNode) java.Node {
	id := r.file.style.own + fmt.Sprint(len(r.test.Calls))
	s := &sending{Call: &script.Call{Line: r.site.FirstLine, At: r.site, Var: id, Guarded: r.in.guarded, MoreHeaders: true,
		Follows: req.client != jdkClient || r.file.follows}, params: map[string]string{}}
	for _, l := range req.links {
		s.link(l, req.client)
	}
	if req.client == restAssured {
		s.base = r.rooted(s.base)
	}
	if s.Method == "" || strings.Contains(s.Method, script.Unknown) {
		if s.Method = ""; req.client != restAssured && s.Body == "" && !s.Dynamic {
			s.Method = "GET"
		}
	}
	s.Target = s.filled(script.PathOf(joinedURL(s.base, s.url)))
	if s.Target = strings.TrimPrefix(s.Target, script.Unknown); !strings.HasPrefix(s.Target, "/") {
		s.Target = "/" + s.Target
	}
	if s.Method == "POST" && len(s.either) > 0 {
		s.Dynamic = true // they are the fields of a form
	} else {
		s.query = append(s.query, s.either...)
	}
	for _, q := range s.query {
		by := "?"
		if strings.Contains(s.Target, "?") {
			by = "&"
		}
		s.Target += by + q
	}
	if s.Method == "" || len(r.test.Calls) >= maxCalls {
		return java.Opaque{What: "a request of an unknown method"}
	}
	r.test.Calls = append(r.test.Calls, s.Call)
	return answerNode{id: id, client: req.client}
}

// maxCalls bounds how many requests a test sends.
const maxCalls = 1000

// rooted is the path below which requests of REST-assured go: the file's own, before that of a specification.
func (r *follower) rooted(base string) string {
	of := func(name string) string {
		if x, ok := r.env["RestAssured."+name]; ok {
			return java.WrittenText(x)
		}
		return ""
	}
	if base != "" {
		return base
	}
	return joinedURL(of("baseURI"), of("basePath"))
}

// joinedURL puts a path below another; a whole URL stands for itself.
func joinedURL(base, path string) string {
	switch {
	case strings.Contains(path, "://"), base == "", strings.HasPrefix(path, script.Unknown):
		return path
	case path == "":
		return base
	case !strings.Contains(base, "://"):
		base = strings.TrimPrefix(base, script.Unknown)
	}
	return strings.TrimSuffix(base, "/") + "/" + strings.TrimPrefix(path, "/")
}

// filled puts path parameters into a target.
func (s *sending) filled(target string) string {
	for name, value := range s.params {
		target = strings.ReplaceAll(target, "{"+name+"}", value)
	}
	return target
}

// link reads one link of a chain that makes a request.
func (s *sending) link(l java.Call, by client) {
	text := make([]string, len(l.Args))
	for i, a := range l.Args {
		text[i] = java.WrittenText(a.X)
	}
	if method, sends := script.ClientMethod(strings.ToLower(l.Name)); sends || l.Name == "method" {
		s.sends(l, text, method, by)
		return
	}
	switch l.Name {
	case "uri", "url":
		if len(text) == 1 {
			s.url = text[0]
		}
	case "baseUri", "setBaseUri", "basePath", "setBasePath":
		if len(text) == 1 {
			s.base = joinedURL(s.base, text[0])
		}
	case "body", "setBody":
		if len(l.Args) > 0 {
			s.payload(l.Args[0].X)
		}
	case "header", "addHeader", "setHeader", "headers", "contentType", "setContentType", "accept", "setAccept":
		s.header(l, text)
	case "queryParam", "queryParams", "param", "params", "addQueryParam", "pathParam", "pathParams":
		s.parameters(strings.ToLower(l.Name), l.Args, text)
	case "formParam", "formParams", "multiPart":
		s.Dynamic = true
	}
}

// sends reads the link that says the method, and the target or the body.
func (s *sending) sends(l java.Call, text []string, method string, by client) {
	args := l.Args
	if method == "" && len(args) > 0 {
		if f, ok := args[0].X.(java.Field); ok {
			text[0] = f.Name
		}
		method, text, args = strings.ToUpper(text[0]), text[1:], args[1:]
	}
	s.Method = method
	if by != restAssured {
		if len(args) > 0 {
			s.payload(args[0].X)
		}
		return
	}
	if len(text) > 0 {
		s.url = text[0]
		s.positional(args[1:], text[1:])
	}
}

// positional fills path parameters in in order, or from a map.
func (s *sending) positional(args []java.Argument, text []string) {
	for i, value := range text {
		if m, ok := args[i].X.(meaning.Map); ok {
			for k, key := range m.Keys {
				s.params[java.WrittenText(key)] = java.WrittenText(m.Values[k])
			}
			continue
		}
		from := strings.IndexByte(s.url, '{')
		to := strings.IndexByte(s.url[max(from, 0):], '}')
		if from < 0 || to < 0 {
			return
		}
		s.url = s.url[:from] + value + s.url[from+to+1:]
	}
}

// parameters reads parameters of the path or of the query.
func (s *sending) parameters(name string, args []java.Argument, text []string) {
	keys, values := []string{}, []string{}
	if len(args) == 1 {
		m, _ := args[0].X.(meaning.Map)
		for i, k := range m.Keys {
			keys, values = append(keys, java.WrittenText(k)), append(values, java.WrittenText(m.Values[i]))
		}
	}
	for i := 0; i+1 < len(text); i += 2 {
		keys, values = append(keys, text[i]), append(values, text[i+1])
	}
	for i, key := range keys {
		pair := script.QueryWritten(key) + "=" + script.QueryWritten(values[i])
		switch name {
		case "pathparam", "pathparams":
			s.params[key] = values[i]
		case "param", "params":
			s.either = append(s.either, pair)
		default:
			s.query = append(s.query, pair)
		}
	}
}

// header reads headers.
func (s *sending) header(l java.Call, text []string) {
	switch {
	case strings.HasSuffix(strings.ToLower(l.Name), "contenttype") && len(text) == 1:
		kind, _, _ := strings.Cut(mediaType(l.Args[0].X, text[0]), ", ")
		text = []string{"Content-Type", kind}
	case strings.HasSuffix(strings.ToLower(l.Name), "accept") && len(text) == 1:
		text = []string{"Accept", mediaType(l.Args[0].X, text[0])}
	}
	for i := 0; i+1 < len(text); i += 2 {
		if strings.Contains(text[i], script.Unknown) {
			continue
		}
		s.Headers = append(s.Headers, script.Header{Name: text[i], Value: text[i+1]})
		if strings.EqualFold(text[i], "accept") && !strings.Contains(text[i+1], script.Unknown) {
			s.Accept = text[i+1]
		}
	}
}

// payload reads a body: a text, or what is made JSON of.
func (s *sending) payload(x java.Node) {
	s.Body, s.Dynamic = java.WrittenText(x), false
	switch x.(type) {
	case meaning.Map, java.Array:
		value, known := meaning.JSONValue(x)
		text, err := json.Marshal(value)
		if s.Body = string(text); !known || err != nil {
			s.Body = script.Unknown
		}
	}
	s.Dynamic = strings.Contains(s.Body, script.Unknown)
}
