package search

import (
	"encoding/json"
	"maps"
	"regexp"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/mock"
	"github.com/flaketap/flaketap/mock/search/mappings"
)

// stubs is the setting as a file of WireMock's mappings.
func (s setting) stubs() []byte {
	var all []mappings.Mapping
	for _, e := range s.endpoints() {
		a := s[e]
		m := mappings.Mapping{Name: e.Method + " " + e.Service + e.Path, Request: e.mapping(), Response: a.mapping()}
		if a.Then == nil {
			all = append(all, m)
			continue
		}
		later := m
		m.Scenario, m.When, m.Then = m.Name, mock.Started, "then"
		later.Name, later.Scenario, later.When = m.Name+", then", m.Scenario, m.Then
		later.Response = a.Then.mapping()
		all = append(all, m, later)
	}
	return mappings.File(all)
}

func (e Endpoint) mapping() mappings.Request {
	r := mappings.Request{Method: e.Method}
	if host, port := e.address(); port != "" {
		r.Host = &mappings.EqualTo{EqualTo: host}
		r.Port, _ = strconv.Atoi(port) // what is no port is any
	}
	if strings.Contains(e.Path, "{}") {
		r.PathPattern = strings.ReplaceAll(regexp.QuoteMeta(e.Path), `\{\}`, `[^/]+`)
	} else {
		r.Path = e.Path
	}
	return r
}

func (a Answer) mapping() mappings.Response {
	r := mappings.Response{Status: a.Status, Interim: a.Interim, Delay: a.Delay.Milliseconds(), Fault: string(a.Fault),
		Headers: map[string]string{}}
	if a.Fault != "" && a.Fault != mock.Untrusted {
		return r
	}
	r.Headers["Content-Type"] = "application/json" // many clients read no JSON that is not called so
	maps.Copy(r.Headers, a.Header)
	if a.Body != nil {
		r.Body = a.Body
		return r
	}
	r.JSON = json.RawMessage("{}")
	if a.JSON != nil {
		r.JSON, _ = json.Marshal(a.JSON)
	}
	return r
}
