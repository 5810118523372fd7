package export

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/flaketap/flaketap/mock"
)

// object is an object of JSON; its members are written in the order of their names.
type object map[string]any

// WireMock writes stubs as one file of WireMock's mappings. What only flaketap serves is left out, and told: WireMock
// would not start with it.
func WireMock(stubs []mock.Stub) (data []byte, left []string, err error) {
	mappings := make([]object, 0, len(stubs))
	for _, s := range stubs {
		if why := BeyondWireMock([]mock.Stub{s}); why != "" {
			left = append(left, leftOut(s, why))
			continue
		}
		m := object{"request": wireMockRequest(s.Request), "response": wireMockResponse(s.Response)}
		setText(m, "name", s.Name)
		setText(m, "scenarioName", s.Scenario)
		setText(m, "requiredScenarioState", s.When)
		setText(m, "newScenarioState", s.Then)
		if s.Priority != 0 {
			m["priority"] = s.Priority
		}
		mappings = append(mappings, m)
	}
	data, err = written(object{"mappings": mappings})
	return data, left, err
}

// BeyondWireMock says in a clause what WireMock does not know of stubs, as "WireMock has no fault
// UNTRUSTED_CERTIFICATE"; "" where it knows all.
func BeyondWireMock(stubs []mock.Stub) string {
	for _, s := range stubs {
		if why := lacking("WireMock", s.Response, mock.Untrusted); why != "" {
			return why
		}
	}
	return ""
}

// written is JSON for people.
func written(v any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("write stubs: %w", err)
	}
	return out.Bytes(), nil
}

func setText(o object, name, text string) {
	if text != "" {
		o[name] = text
	}
}

// serviceOf splits the service that a file names for all of its stubs.
func serviceOf(r mock.Request) (host string, port int) {
	host = r.Service
	if h, p, err := net.SplitHostPort(r.Service); err == nil {
		host = h
		port, _ = strconv.Atoi(p) // what is no number is no port, and matches nothing
	}
	if r.Port != 0 {
		port = r.Port
	}
	return host, port
}

func wireMockRequest(r mock.Request) object {
	o := object{"method": "ANY"}
	setText(o, "method", r.Method)
	host, port := serviceOf(r)
	switch {
	case r.Host != nil:
		o["host"] = matcher(*r.Host)
	case host != "":
		o["host"] = object{"equalTo": host}
	}
	if port != 0 {
		o["port"] = port
	}
	for _, url := range []struct {
		match         *mock.Match
		exact, needle string
	}{{r.URL, "url", "urlPattern"}, {r.Path, "urlPath", "urlPathPattern"}} {
		if url.match == nil {
			continue
		}
		if m := url.match.Matcher(); m.Name == "equalTo" {
			o[url.exact] = m.Text
		} else {
			o[url.needle] = m.Text
		}
	}
	if len(r.Query) > 0 {
		o["queryParameters"] = named(r.Query)
	}
	if len(r.Header) > 0 {
		o["headers"] = named(r.Header)
	}
	var body []object
	for _, m := range r.Body {
		body = append(body, matcher(m))
	}
	if len(body) > 0 {
		o["bodyPatterns"] = body
	}
	return o
}

func named(all []mock.Named) object {
	o := object{}
	for _, n := range all {
		o[n.Name] = matcher(n.Match)
	}
	return o
}

func matcher(m mock.Match) object {
	said := m.Matcher()
	o := object{said.Name: said.Text}
	switch said.Name {
	case "absent":
		o[said.Name] = true
	case "equalToJson":
		if o[said.Name] = said.JSON; deeper(said.JSON, maxDepth) {
			text, _ := json.Marshal(said.JSON) // it was decoded
			o[said.Name] = string(text)
		}
	}
	for name, is := range map[string]bool{"caseInsensitive": said.CaseInsensitive, "ignoreArrayOrder": said.IgnoreArrayOrder,
		"ignoreExtraElements": said.IgnoreExtraElements} {
		if is {
			o[name] = true
		}
	}
	return o
}

// deeper reports whether values lie deeper in one of JSON than that: it is written as a text, since lines are indented.
func deeper(v any, depth int) bool {
	if depth == 0 {
		return true
	}
	switch v := v.(type) {
	case []any:
		return slices.ContainsFunc(v, func(item any) bool { return deeper(item, depth-1) })
	case map[string]any:
		for _, value := range v {
			if deeper(value, depth-1) {
				return true
			}
		}
	}
	return false
}

func wireMockResponse(r mock.Response) object {
	o := object{"status": r.Status}
	setText(o, "fault", string(r.Fault))
	if r.Delay > 0 {
		o["fixedDelayMilliseconds"] = r.Delay.Milliseconds()
	}
	headers := object{}
	for name, values := range r.Header {
		if headers[name] = values; len(values) == 1 {
			headers[name] = values[0]
		}
	}
	if len(headers) > 0 {
		o["headers"] = headers
	}
	switch {
	case len(r.Body) == 0:
	case utf8.Valid(r.Body):
		o["body"] = string(r.Body)
	default:
		o["base64Body"] = base64.StdEncoding.EncodeToString(r.Body)
	}
	return o
}
