package search

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

// The shapes of WireMock's mappings that are written here.
type mapping struct {
	Name     string          `json:"name"`
	Request  mappingRequest  `json:"request"`
	Response mappingResponse `json:"response"`
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
		m := mapping{Name: e.Method + " " + e.Service + e.Path, Request: mappingRequest{Method: e.Method}, Response: s[e].mapping()}
		if at := strings.LastIndex(e.Service, ":"); at > 0 {
			m.Request.Host = &equalTo{strings.Trim(e.Service[:at], "[]")}
			m.Request.Port, _ = strconv.Atoi(e.Service[at+1:]) // what is no port is any
		}
		if strings.Contains(e.Path, "{}") {
			m.Request.PathPattern = strings.ReplaceAll(regexp.QuoteMeta(e.Path), `\{\}`, `[^/]+`)
		} else {
			m.Request.Path = e.Path
		}
		all = append(all, m)
	}
	out, _ := json.MarshalIndent(map[string]any{"mappings": all}, "", "  ") // all of it can be written
	return append(out, '\n')
}

func (a Answer) mapping() mappingResponse {
	r := mappingResponse{Status: a.Status, Delay: a.Delay.Milliseconds(), Fault: string(a.Fault),
		Headers: map[string]string{}}
	if a.RetryAfter != "" {
		r.Headers["Retry-After"] = a.RetryAfter
	}
	if a.Fault == "" { // many clients read no JSON that is not called so
		r.Headers["Content-Type"] = "application/json"
	}
	switch {
	case a.Fault != "":
	case a.Body != nil:
		r.Body = a.Body
	default:
		fields := a.Fields
		if fields == nil {
			fields = map[string]any{}
		}
		r.JSON, _ = json.Marshal(fields)
	}
	return r
}
