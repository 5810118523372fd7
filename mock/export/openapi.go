package export

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/mock"
)

// Sample is one call to a service, as far as a description of it is made of that; or what is known of an endpoint
// beside calls.
type Sample struct {
	Service string // host:port
	Scheme  string // "http" or "https"
	Method  string
	Path    string // a template: /cities/{id}
	Query   map[string]string
	Type    string // the media type of the request's body
	Body    []byte
	Status  int
	Answers string // the media type of the answer
	Answer  []byte
	Learnt  []Learnt // where there are any the sample is no call, and tells no status
}

// RecordedSamples makes samples of recorded calls.
func RecordedSamples(calls []*exchange.External) (out []Sample) {
	all := make([]*exchange.Exchange, len(calls))
	for i, x := range calls {
		all[i] = &x.Exchange
	}
	operations := flow.Operations(all, nil)
	for _, x := range calls {
		if x.Response == nil || x.Request.Malformed || !ofService(x) {
			continue
		}
		_, query := exchange.SplitTarget(x.Request.Target)
		s := Sample{Service: x.Addr, Scheme: x.Scheme, Method: x.Request.Method, Path: operations[x.Seq].Template,
			Query: map[string]string{}, Type: x.Request.MediaType(), Status: x.Response.Status, Answers: x.Response.MediaType()}
		_, named := splitURL("?" + strings.TrimPrefix(query, "?"))
		for _, n := range named {
			s.Query[n.Name] = n.Matcher().Text
		}
		s.Body, _ = x.Request.Payload()    // what cannot be unpacked is no JSON, and has
		s.Answer, _ = x.Response.Payload() // no schema
		out = append(out, s)
	}
	return out
}

// aSegment are the patterns of a segment of a path that may be anything.
var aSegment = regexp.MustCompile(`\[\^/\][+*]|\.[+*]|\\d\+`)

// SamplesOf makes samples of stubs. One that fails, or is for any service or path, tells nothing of a service.
func SamplesOf(stubs []mock.Stub) (out []Sample) {
	for _, stub := range stubs {
		r := stub.Request
		host, port := serviceOf(r)
		if r.Host != nil {
			host = r.Host.Matcher().Text
		}
		path := pathOf(r)
		if host == "" || path == "" || stub.Response.Fault != "" {
			continue
		}
		s := sampleAt(host, port, r.Method, path)
		s.Status, s.Answers, s.Answer = stub.Response.Status, stub.Response.Header.Get("Content-Type"), stub.Response.Body
		for _, n := range r.Query {
			s.Query[n.Name] = n.Matcher().Text
		}
		if r.URL != nil {
			_, query := splitURL(r.URL.Matcher().Text)
			for _, n := range query {
				s.Query[n.Name] = n.Matcher().Text
			}
		}
		out = append(out, s)
	}
	return out
}

// sampleAt is a sample of an endpoint: of HTTPS, at port 443, and asked by GET, where nothing else is said.
func sampleAt(host string, port int, method, path string) Sample {
	if port == 0 {
		port = 443
	}
	s := Sample{Service: net.JoinHostPort(strings.Trim(host, "[]"), strconv.Itoa(port)), Scheme: "https",
		Method: cmp.Or(method, http.MethodGet), Path: path, Query: map[string]string{}}
	if port != 443 && port != 8443 {
		s.Scheme = "http" // as far as a port tells
	}
	return s
}

// parameterName is the name of a part of a path that varies, by its number from 1.
func parameterName(n int) string {
	if n == 1 {
		return "id"
	}
	return fmt.Sprintf("id%d", n)
}

// pathOf is the template of the paths that a stub is for; "" where it is for any.
func pathOf(r mock.Request) string {
	m := r.Path
	if m == nil {
		m = r.URL
	}
	if m == nil {
		return ""
	}
	said := m.Matcher()
	path, _, _ := strings.Cut(said.Text, "?")
	if said.Name == "equalTo" {
		return path
	}
	n := 0
	path = aSegment.ReplaceAllStringFunc(strings.TrimSuffix(path, `\`), func(string) string {
		n++
		return "{" + parameterName(n) + "}"
	})
	path = strings.ReplaceAll(path, `\`, "")
	if strings.ContainsAny(path, "[](|)*+^$") || !strings.HasPrefix(path, "/") {
		return ""
	}
	return path
}

// OpenAPI describes each service of some samples in a document of OpenAPI 3.0.3, by the name of its file, such as
// rates.example.com_443.json. No value of a call is in it: paths, names, types and statuses are. What names no service
// has none. What was learnt of a field goes before what its values show, since a search tries wrong ones, too.
func OpenAPI(samples []Sample) (map[string][]byte, error) {
	out := map[string][]byte{}
	by := map[string][]Sample{}
	for _, s := range samples {
		if isService(s.Service) {
			by[s.Service] = append(by[s.Service], s)
		}
	}
	for service, own := range by {
		paths := map[string]map[string]*operation{}
		for _, s := range own {
			if paths[s.Path] == nil {
				paths[s.Path] = map[string]*operation{}
			}
			method := strings.ToLower(s.Method)
			if paths[s.Path][method] == nil {
				paths[s.Path][method] = &operation{query: map[string]*parameter{}, requests: map[string]*shape{},
					answers: map[int]map[string]*shape{}}
			}
			paths[s.Path][method].add(s)
		}
		data, err := written(object{"openapi": "3.0.3", "info": object{"title": service, "version": "learnt",
			"description": "What flaketap learnt of " + service + ": there may be more."},
			"servers": []object{{"url": own[0].Scheme + "://" + service}}, "paths": described(paths)})
		if err != nil {
			return nil, err
		}
		out[strings.NewReplacer(":", "_", "[", "", "]", "").Replace(service)+".json"] = data
	}
	return out, nil
}

// maxService bounds the name of a service, in bytes: a host's has 253 at most.
const maxService = 253 + len(":65535")

// isService reports whether a text may be that of a service: stubs may have a pattern there, or anything else, by
// which no file is to be named.
func isService(name string) bool {
	return len(name) <= maxService && strings.IndexAny(name, ".:") != 0 && !strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(".-_:[]%", r)
	})
}

// described are the paths of a document.
func described(paths map[string]map[string]*operation) object {
	out := object{}
	for path, methods := range paths {
		item := object{}
		for method, op := range methods {
			if slices.Contains([]string{"get", "put", "post", "delete", "options", "head", "patch", "trace"}, method) {
				item[method] = op.object(path)
			}
		}
		out[path] = item
	}
	return out
}

// maxMedia bounds how many media types of a request, or of the answers with a status, are described.
const maxMedia = 20

// operation is what is known of one method of one path.
type operation struct {
	calls    int
	query    map[string]*parameter
	requests map[string]*shape // by media type
	answers  map[int]map[string]*shape
	learnt   []Learnt
}

// parameter is one of the query.
type parameter struct {
	times int
	shape shape
}

func (op *operation) add(s Sample) {
	if len(s.Learnt) > 0 {
		op.learnt = append(op.learnt, s.Learnt...)
		return
	}
	op.calls++
	for name, value := range s.Query {
		if op.query[name] == nil {
			op.query[name] = &parameter{}
		}
		op.query[name].times++
		op.query[name].shape.addText(value)
	}
	see := func(of map[string]*shape, media string, body []byte) {
		media, _, _ = strings.Cut(media, ";")
		if media = strings.TrimSpace(media); media == "" && isJSON(body) { // as of a stub whose body has no type
			media = "application/json"
		}
		if media == "" || len(body) == 0 {
			return
		}
		if of[media] == nil && len(of) < maxMedia {
			of[media] = &shape{}
		}
		if of[media] != nil {
			of[media].addBody(body)
		}
	}
	see(op.requests, s.Type, s.Body)
	if op.answers[s.Status] == nil {
		op.answers[s.Status] = map[string]*shape{}
	}
	see(op.answers[s.Status], s.Answers, s.Answer)
}

// isJSON reports whether a body is an object or a list of JSON.
func isJSON(body []byte) bool {
	text := bytes.TrimSpace(body)
	return len(text) > 0 && (text[0] == '{' || text[0] == '[') && json.Valid(text)
}

var inBraces = regexp.MustCompile(`\{([^{}]+)\}`)

func (op *operation) object(path string) object {
	op.learn()
	responses, out := object{}, object{}
	for status, media := range op.answers {
		responses[strconv.Itoa(status)] = object{"description": http.StatusText(status)}
		if len(media) > 0 {
			responses[strconv.Itoa(status)] = object{"description": http.StatusText(status), "content": contents(media)}
		}
	}
	out["responses"] = responses
	parameters := []object{}
	for _, m := range inBraces.FindAllStringSubmatch(path, -1) {
		parameters = append(parameters, object{"name": m[1], "in": "path", "required": true, "schema": object{"type": "string"}})
	}
	for _, name := range slices.Sorted(maps.Keys(op.query)) {
		p := op.query[name]
		parameters = append(parameters, object{"name": name, "in": "query", "required": p.times == op.calls, "schema": p.shape.object()})
	}
	if len(parameters) > 0 {
		out["parameters"] = parameters
	}
	if len(op.requests) > 0 {
		out["requestBody"] = object{"content": contents(op.requests)}
	}
	return out
}

func contents(media map[string]*shape) object {
	out := object{}
	for name, s := range media {
		out[name] = object{"schema": s.object()}
	}
	return out
}
