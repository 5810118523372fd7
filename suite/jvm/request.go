package jvm

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
)

// client is the library that sends a request.
type client uint8

const (
	restAssured client = iota
	jdkClient          // java.net.http
	okHTTP
)

// unknownText stands in a text for what is not known.
const unknownText = "\x00"

// static is a call of a function, a constructor or a static method of a class that the file does not define.
func (r *follower) static(class string, c callNode) node {
	one := func() node {
		if len(c.args) == 0 {
			return opaqueNode{"the method " + c.name}
		}
		return c.args[0].x
	}
	switch {
	case r.begins(class, c.name):
		out := requestNode{client: restAssured}
		if c.name == "given" && len(c.args) == 1 {
			out = r.specified(out, c.args[0].x)
		}
		if _, sends := httpMethod(c.name); sends {
			return r.request(out, c)
		}
		return out
	case c.name == "RequestSpecBuilder":
		return requestNode{client: restAssured}
	case class == "HttpRequest" && c.name == "newBuilder":
		return requestNode{client: jdkClient, links: urlLinks(c.args)}
	case class == "" && c.name == "Builder" && len(c.args) == 0:
		return requestNode{client: okHTTP}
	case class == "URI" && c.name == "create", class == "" && (c.name == "URI" || c.name == "URL"), class == "HttpUrl",
		class == "BodyPublishers" && c.name == "ofString", class == "Objects" && c.name == "requireNonNull":
		return one()
	case class == "BodyPublishers" && c.name == "noBody":
		return textOf("")
	case class == "RequestBody" && c.name == "create" && len(c.args) == 2: // of both orders that OkHttp has
		if text := writtenText(c.args[0].x); !strings.Contains(text, unknownText) && strings.ContainsAny(text, "{[ ") {
			return c.args[0].x
		}
		return c.args[1].x
	case class == "MediaType" || class == "MediaTypes":
		return one()
	case class == "String" && c.name == "format" && len(c.args) > 0:
		return formatted(c.args[0].x, c.args[1:])
	case class == "String" && (c.name == "valueOf" || c.name == "copyValueOf") && len(c.args) == 1,
		(class == "Integer" || class == "Long") && c.name == "toString" && len(c.args) == 1:
		return asText(c.args[0].x)
	}
	return composed(class, c)
}

// urlLinks are those of a builder that is made with a URL.
func urlLinks(args []callArg) []callNode {
	if len(args) != 1 {
		return nil
	}
	return []callNode{{name: "uri", args: args}}
}

// begins reports whether a call begins a request of REST-assured's.
func (r *follower) begins(class, name string) bool {
	_, sends := httpMethod(name)
	if !sends && !slices.Contains([]string{"given", "when", "with", "expect"}, name) {
		return false
	}
	return class == "RestAssured" || class == "" && r.file.module.has("static io.restassured.RestAssured."+name)
}

// httpMethod is the method that a method of a client is named after; "" where its first argument says it.
func httpMethod(name string) (method string, sends bool) {
	method, sends = map[string]string{"get": "GET", "post": "POST", "put": "PUT", "patch": "PATCH", "delete": "DELETE", "head": "HEAD",
		"options": "OPTIONS", "request": ""}[name]
	return method, sends
}

// composed is a value that a function puts together: a list, a map, JSON from the text of an answer.
func composed(class string, c callNode) node {
	values := make([]node, len(c.args))
	for i, a := range c.args {
		values[i] = a.x
	}
	switch {
	case (class == "List" || class == "Arrays") && (c.name == "of" || c.name == "asList"),
		class == "Collections" && c.name == "singletonList", class == "ImmutableList" && c.name == "of":
		return arrayNode{values}
	case class == "Collections" && c.name == "emptyList":
		return arrayNode{}
	case class == "Map" && c.name == "of" && len(values)%2 == 0, class == "Collections" && c.name == "singletonMap":
		var m mapNode
		for i := 0; i+1 < len(values); i += 2 {
			m.keys, m.values = append(m.keys, values[i]), append(m.values, values[i+1])
		}
		return m
	case (class == "Integer" || class == "Long" || class == "Boolean" || class == "Double") && c.name == "valueOf" && len(values) == 1,
		class == "" && (c.name == "BigDecimal" || c.name == "BigInteger") && len(values) == 1:
		switch x := values[0].(type) {
		case num, nameNode:
			return x
		case textNode:
			return num{x.token.text}
		}
	case class == "JsonPath" && c.name == "read" && len(values) == 2:
		if of, ok := parsedJSON(values[0], ""); ok {
			return pathOf(of.x, c.args[1], "")
		}
	case class == "JsonPath" || class == "" && c.name == "JsonPath",
		class == "" && (c.name == "JSONObject" || c.name == "JSONArray"),
		class == "JsonParser" && strings.HasPrefix(c.name, "parse"):
		typ := map[string]string{"JSONObject": "JSONObject", "JSONArray": "JSONArray", "from": "JsonPath", "with": "JsonPath",
			"JsonPath": "JsonPath"}[c.name]
		if typ == "" {
			typ = "JsonElement"
		}
		if len(values) == 1 {
			if of, ok := parsedJSON(values[0], typ); ok {
				return of
			}
		}
	case class == "" && c.name == "JsonParser":
		return opaqueNode{"a parser"}
	}
	if isMatcher(class, c.name) || c.name == "within" || c.name == "offset" {
		return c
	}
	if class != "" {
		return opaqueNode{"the method " + class + "." + c.name}
	}
	return opaqueNode{"the method " + c.name}
}

// parsedJSON is the JSON of the text of an answer; false where a value is another text.
func parsedJSON(x node, typ string) (valueNode, bool) {
	v, _ := x.(valueNode)
	of, ok := v.x.(expr.Answer)
	if !ok || of.Part != expr.Text {
		return valueNode{}, false
	}
	return valueNode{x: expr.Answer{Var: of.Var, Part: expr.JSON}, typ: typ}, true
}

// sentBy is a call on something that is not known: of a client that sends, of a parser that is handed the text of an
// answer.
func (r *follower) sentBy(of opaqueNode, c callNode) node {
	if len(c.args) > 0 {
		if req, ok := c.args[0].x.(requestNode); ok && (c.name == "send" || c.name == "sendAsync" || c.name == "newCall") {
			if c.name == "newCall" {
				return req
			}
			return r.send(req)
		}
		typ := map[string]string{"readTree": "JsonNode", "parse": "JsonElement", "fromJson": "JsonElement", "readValue": "Map"}[c.name]
		if v, ok := parsedJSON(c.args[0].x, typ); ok && typ != "" && (len(c.args) == 1 || plainClass(c.args[1].x)) {
			return v
		}
	}
	if strings.HasPrefix(of.what, "the method ") || of.what == "a lambda" {
		return of
	}
	return opaqueNode{"the method " + c.name}
}

// plainClass reports whether a class is one of those that hold whatever JSON there is.
func plainClass(x node) bool {
	f, _ := x.(field)
	of, ok := f.x.(nameNode)
	return ok && f.name == "class" && slices.Contains([]string{"Map", "List", "JsonNode", "JsonObject", "JsonArray", "JsonElement",
		"HashMap", "LinkedHashMap"}, of.id)
}

// request is a method of a request in the making: it says more, or sends it.
func (r *follower) request(of requestNode, c callNode) node {
	_, sends := httpMethod(c.name)
	if len(c.args) > 0 && (c.name == "newCall" || c.name == "send") {
		return r.sentBy(opaqueNode{"a client"}, c) // which was built as requests are
	}
	switch {
	case of.client == restAssured && sends, c.name == "execute":
		if of.client == restAssured {
			of.links = append(of.links[:len(of.links):len(of.links)], c)
		}
		return r.send(of)
	case c.name == "log" && of.client == restAssured:
		return logNode{of}
	case c.name == "spec" && len(c.args) == 1:
		return r.specified(of, c.args[0].x)
	case slices.Contains([]string{"when", "and", "with", "given", "build", "request", "redirects"}, c.name) && len(c.args) == 0:
		return of
	}
	of.links = append(of.links[:len(of.links):len(of.links)], c)
	return of
}

// specified adds to a request what a specification says.
func (r *follower) specified(of requestNode, spec node) requestNode {
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
	params    map[string]string
}

// send notes a request as sent, and is what it is answered.
func (r *follower) send(req requestNode) node {
	id := r.file.style.own + fmt.Sprint(len(r.test.Calls))
	s := &sending{Call: &script.Call{Line: r.site.FirstLine, At: r.site, Var: id, Guarded: r.in.guarded, MoreHeaders: true,
		Follows: req.client != jdkClient || r.file.follows}, params: map[string]string{}}
	for _, l := range req.links {
		s.link(l, req.client)
	}
	if req.client == restAssured {
		s.base = r.rooted(s.base)
	}
	if s.Method == "" || strings.Contains(s.Method, unknownText) {
		if s.Method = ""; req.client != restAssured && s.Body == "" && !s.Dynamic {
			s.Method = "GET"
		}
	}
	s.Target = s.filled(script.PathOf(joinedURL(s.base, s.url)))
	if s.Target = strings.TrimPrefix(s.Target, unknownText); !strings.HasPrefix(s.Target, "/") {
		s.Target = "/" + s.Target
	}
	for _, q := range s.query {
		by := "?"
		if strings.Contains(s.Target, "?") {
			by = "&"
		}
		s.Target += by + q
	}
	if s.Method == "" || len(r.test.Calls) >= maxCalls {
		return opaqueNode{"a request of an unknown method"}
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
			return writtenText(x)
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
	case strings.Contains(path, "://"), base == "", strings.HasPrefix(path, unknownText):
		return path
	case path == "":
		return base
	case !strings.Contains(base, "://"):
		base = strings.TrimPrefix(base, unknownText)
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
func (s *sending) link(l callNode, by client) {
	text := make([]string, len(l.args))
	for i, a := range l.args {
		text[i] = writtenText(a.x)
	}
	if method, sends := httpMethod(strings.ToLower(l.name)); sends || l.name == "method" {
		s.sends(l, text, method, by)
		return
	}
	switch l.name {
	case "uri", "url":
		if len(text) == 1 {
			s.url = text[0]
		}
	case "baseUri", "setBaseUri", "basePath", "setBasePath":
		if len(text) == 1 {
			s.base = joinedURL(s.base, text[0])
		}
	case "body", "setBody":
		if len(l.args) > 0 {
			s.payload(l.args[0].x)
		}
	case "header", "addHeader", "setHeader", "headers", "contentType", "setContentType", "accept", "setAccept":
		s.header(l, text)
	case "queryParam", "queryParams", "param", "params", "addQueryParam", "pathParam", "pathParams":
		s.parameters(strings.ToLower(l.name), l.args, text)
	case "formParam", "formParams", "multiPart":
		s.Dynamic = true
	}
}

// sends reads the link that says the method, and the target or the body.
func (s *sending) sends(l callNode, text []string, method string, by client) {
	args := l.args
	if method == "" && len(args) > 0 {
		if f, ok := args[0].x.(field); ok {
			text[0] = f.name
		}
		method, text, args = strings.ToUpper(text[0]), text[1:], args[1:]
	}
	s.Method = method
	if by != restAssured {
		if len(args) > 0 {
			s.payload(args[0].x)
		}
		return
	}
	if len(text) > 0 {
		s.url = text[0]
		s.positional(args[1:], text[1:])
	}
}

// positional fills path parameters in in order, or from a map.
func (s *sending) positional(args []callArg, text []string) {
	for i, value := range text {
		if m, ok := args[i].x.(mapNode); ok {
			for k, key := range m.keys {
				s.params[writtenText(key)] = writtenText(m.values[k])
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
func (s *sending) parameters(name string, args []callArg, text []string) {
	keys, values := []string{}, []string{}
	if len(args) == 1 {
		m, _ := args[0].x.(mapNode)
		for i, k := range m.keys {
			keys, values = append(keys, writtenText(k)), append(values, writtenText(m.values[i]))
		}
	}
	for i := 0; i+1 < len(text); i += 2 {
		keys, values = append(keys, text[i]), append(values, text[i+1])
	}
	for i, key := range keys {
		if strings.HasPrefix(name, "path") {
			s.params[key] = values[i]
		} else {
			s.query = append(s.query, escapedQuery(key)+"="+escapedQuery(values[i]))
		}
	}
}

// escapedQuery writes a part of a query; what is not known stays that.
func escapedQuery(text string) string {
	parts := strings.Split(text, unknownText)
	for i, p := range parts {
		parts[i] = url.QueryEscape(p)
	}
	return strings.Join(parts, unknownText)
}

// header reads headers.
func (s *sending) header(l callNode, text []string) {
	switch {
	case strings.HasSuffix(strings.ToLower(l.name), "contenttype") && len(text) == 1:
		kind, _, _ := strings.Cut(mediaType(l.args[0].x, text[0]), ", ")
		text = []string{"Content-Type", kind}
	case strings.HasSuffix(strings.ToLower(l.name), "accept") && len(text) == 1:
		text = []string{"Accept", mediaType(l.args[0].x, text[0])}
	}
	for i := 0; i+1 < len(text); i += 2 {
		if strings.Contains(text[i], unknownText) {
			continue
		}
		s.Headers = append(s.Headers, script.Header{Name: text[i], Value: text[i+1]})
		if strings.EqualFold(text[i], "accept") && !strings.Contains(text[i+1], unknownText) {
			s.Accept = text[i+1]
		}
	}
}

// payload reads a body: a text, or what is made JSON of.
func (s *sending) payload(x node) {
	s.Body, s.Dynamic = writtenText(x), false
	switch x.(type) {
	case mapNode, arrayNode:
		value, known := jsonValue(x)
		text, err := json.Marshal(value)
		if s.Body = string(text); !known || err != nil {
			s.Body = unknownText
		}
	}
	s.Dynamic = strings.Contains(s.Body, unknownText)
}

// jsonValue is what is made JSON of, for encoding/json; false where not all of it is written out.
func jsonValue(x node) (any, bool) {
	switch x := x.(type) {
	case mapNode:
		out := map[string]any{}
		for i, k := range x.keys {
			v, ok := jsonValue(x.values[i])
			if !ok {
				return nil, false
			}
			out[writtenText(k)] = v
		}
		return out, true
	case arrayNode:
		out := make([]any, len(x.elems))
		for i, e := range x.elems {
			v, ok := jsonValue(e)
			if !ok {
				return nil, false
			}
			out[i] = v
		}
		return out, true
	}
	token, ok := expr.JSONText(meaning(x))
	return json.RawMessage(token), ok
}

// writtenText is a text as far as it is written out.
func writtenText(x node) string {
	switch x := x.(type) {
	case textNode:
		return x.token.text
	case num:
		return strings.TrimRight(x.text, "lLdDfF")
	case sumNode:
		out := ""
		for _, y := range x.xs {
			out += writtenText(y)
		}
		return out
	case nameNode:
		if x.id == "true" || x.id == "false" {
			return x.id
		}
	}
	return unknownText
}
