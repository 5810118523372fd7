package search

import (
	"encoding/json"
	"maps"
	"regexp"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/mock"
)

// The shapes of WireMock's mappings that are written here.
type mapping struct {
	Name     string          `json:"name"`
	Request  mappingRequest  `json:"request"`
	Response mappingResponse `json:"response"`
	Scenario string          `json:"scenarioName,omitempty"`
	When     string          `json:"requiredScenarioState,omitempty"`
	Then     string          `json:"newScenarioState,omitempty"`
}

type mappingRequest struct {
	Host        *equalTo `json:"host,omitempty"`
	Port        int      `json:"port,omitempty"`
	Method      string   `json:"method"`
	Path        string   `json:"urlPath,omitempty"`
	PathPattern string   `json:"urlPathPattern,omitempty"`
}

type equalTo struct {
	EqualTo string `json:"equalTo"`
}

type mappingResponse struct {
	Status  int               `json:"status,omitempty"`
	Interim int               `json:"interimStatus,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	JSON    json.RawMessage   `json:"jsonBody,omitempty"`
	Body    *string           `json:"body,omitempty"`
	Delay   int64             `json:"fixedDelayMilliseconds,omitempty"`
	Fault   string            `json:"fault,omitempty"`
}

// stubs is the setting as a file of WireMock's mappings.
func (s setting) stubs() []byte {
	all := []mapping{}
	for _, e := range s.endpoints() {
		a := s[e]
		m := mapping{Name: e.Method + " " + e.Service + e.Path, Request: e.mapping(), Response: a.mapping()}
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
	out, _ := json.MarshalIndent(map[string]any{"mappings": all}, "", "  ") // all of it can be written
	return append(out, '\n')
}

func (e Endpoint) mapping() mappingRequest {
	r := mappingRequest{Method: e.Method}
	if host, port := e.address(); port != "" {
		r.Host = &equalTo{host}
		r.Port, _ = strconv.Atoi(port) // what is no port is any
	}
	if strings.Contains(e.Path, "{}") {
		r.PathPattern = strings.ReplaceAll(regexp.QuoteMeta(e.Path), `\{\}`, `[^/]+`)
	} else {
		r.Path = e.Path
	}
	return r
}

func (a Answer) mapping() mappingResponse {
	r := mappingResponse{Status: a.Status, Interim: a.Interim, Delay: a.Delay.Milliseconds(), Fault: string(a.Fault),
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
