// Package sending reads the chains of calls by which tests for the JVM make their requests, of REST-assured's, the
// JDK's own client and OkHttp's, to the calls of a script. Their arguments are resolved by who follows the test; what
// of them is not known stands as [script.Unknown] in what is sent.
package sending

import (
	"encoding/json"
	"strings"

	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/jvm/meaning"
	"github.com/flaketap/flaketap/suite/script"
)

// Client is the library that sends a request.
type Client uint8

// The libraries that are known.
const (
	RESTAssured Client = iota
	JDK                // java.net.http
	OkHTTP
)

// sending is a request that is being read from its links.
type sending struct {
	*script.Call
	base, url string
	query     []string
	either    []string // of the query, or of a form
	params    map[string]string
}

// Read fills in a call what the links of a chain say of it that makes a request, whose arguments are resolved. Method
// is "" where that is not known. root is where requests of REST-assured's go that say no other base.
func Read(c *script.Call, by Client, links []java.Call, root string) {
	s := &sending{Call: c, params: map[string]string{}}
	for _, l := range links {
		s.link(l, by)
	}
	given := s.base != "" && strings.HasPrefix(s.url, script.Unknown) // behind a base, as what a Location said
	if by == RESTAssured && s.base == "" {
		s.base = root
	}
	if s.Method == "" || strings.Contains(s.Method, script.Unknown) {
		if s.Method = ""; by != RESTAssured && s.Body == "" && !s.Dynamic {
			s.Method = "GET"
		}
	}
	s.Target = s.filled(script.PathOf(Joined(s.base, s.url)))
	if !given {
		s.Target = strings.TrimPrefix(s.Target, script.Unknown)
	}
	if !strings.HasPrefix(s.Target, "/") {
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
}

// Joined puts a path below another; a whole URL stands for itself.
func Joined(base, path string) string {
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
func (s *sending) link(l java.Call, by Client) {
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
			s.base = Joined(s.base, text[0])
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
func (s *sending) sends(l java.Call, text []string, method string, by Client) {
	args := l.Args
	if method == "" && len(args) > 0 {
		if f, ok := args[0].X.(java.Field); ok {
			text[0] = f.Name
		}
		method, text, args = strings.ToUpper(text[0]), text[1:], args[1:]
	}
	s.Method = method
	if by != RESTAssured {
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
		kind, _, _ := strings.Cut(meaning.MediaType(l.Args[0].X, text[0]), ", ")
		text = []string{"Content-Type", kind}
	case strings.HasSuffix(strings.ToLower(l.Name), "accept") && len(text) == 1:
		text = []string{"Accept", meaning.MediaType(l.Args[0].X, text[0])}
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

// IsMedia reports whether a text is a media type.
func IsMedia(text string) bool {
	of, _, _ := strings.Cut(text, ";")
	return strings.Count(of, "/") == 1 && !strings.ContainsAny(of, " {[\"<")
}

// URLLinks are those of a builder that is made with a URL.
func URLLinks(args []java.Argument) []java.Call {
	if len(args) != 1 {
		return nil
	}
	return []java.Call{{Name: "uri", Args: args}}
}
