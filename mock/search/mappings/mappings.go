// Package mappings writes the stubs of a search: its part of WireMock's mappings, as package mock reads them.
package mappings

import "encoding/json"

// Mapping is what becomes of one kind of request.
type Mapping struct {
	Name     string   `json:"name"`
	Request  Request  `json:"request"`
	Response Response `json:"response"`
	Scenario string   `json:"scenarioName,omitempty"`
	When     string   `json:"requiredScenarioState,omitempty"`
	Then     string   `json:"newScenarioState,omitempty"`
}

// Request is which requests it is for.
type Request struct {
	Host        *EqualTo `json:"host,omitempty"`
	Port        int      `json:"port,omitempty"` // 0: any
	Method      string   `json:"method"`
	Path        string   `json:"urlPath,omitempty"`
	PathPattern string   `json:"urlPathPattern,omitempty"`
}

// EqualTo matches a text.
type EqualTo struct {
	EqualTo string `json:"equalTo"`
}

// Response is what is answered.
type Response struct {
	Status  int               `json:"status,omitempty"`
	Interim int               `json:"interimStatus,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	JSON    json.RawMessage   `json:"jsonBody,omitempty"`
	Body    *string           `json:"body,omitempty"`
	Delay   int64             `json:"fixedDelayMilliseconds,omitempty"`
	Fault   string            `json:"fault,omitempty"`
}

// File is a file of mappings, of this type or as JSON that was read.
func File[M any](all []M) []byte {
	out, _ := json.MarshalIndent(map[string]any{"mappings": append([]M{}, all...)}, "", "  ") // all of it can be written
	return append(out, '\n')
}
