package report

import (
	"encoding/json"
	"io"
	"regexp"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// The JSON of WireMock's stub mappings, as far as it is written.
type (
	wireMockings struct {
		Mappings []wireMocking `json:"mappings"`
	}
	wireMocking struct {
		Name     string           `json:"name"`
		Priority int              `json:"priority"`
		Request  wireMockRequest  `json:"request"`
		Response wireMockResponse `json:"response"`
		Metadata wireMockMeta     `json:"metadata"`
	}
	wireMockRequest struct {
		Method   string            `json:"method"`
		Path     string            `json:"urlPath,omitempty"`
		Template string            `json:"urlPathTemplate,omitempty"`
		Pattern  string            `json:"urlPathPattern,omitempty"`
		Host     *wireMockMatching `json:"host,omitempty"`
	}
	wireMockMatching struct {
		EqualTo string `json:"equalTo,omitempty"`
		Matches string `json:"matches,omitempty"`
	}
	wireMockResponse struct {
		Status int `json:"status"`
	}
	wireMockMeta struct {
		Flaketap wireMockExpected `json:"flaketap"`
	}
	wireMockExpected struct {
		Headers map[string]wireMockMatching `json:"headers"`
		Body    []any                       `json:"bodyPatterns"` // of wireMockBody or wireMockMatching
	}
	wireMockBody struct {
		EqualToJSON         any  `json:"equalToJson"`
		IgnoreArrayOrder    bool `json:"ignoreArrayOrder"`
		IgnoreExtraElements bool `json:"ignoreExtraElements"`
	}
)

// WireMock writes a file of stub mappings (WireMock 3): one for each operation and status, which answers with that
// status, and has in its metadata what holds of the API's answers as matchers of WireMock's own form. What is volatile
// is a placeholder of JsonUnit in them.
func WireMock(w io.Writer, m *mapfile.Map, _ FormOptions) error {
	out := wireMockings{Mappings: []wireMocking{}}
	for _, op := range m.Operations {
		if op.Status == 0 {
			continue // no stub answers with a fault of the network alone
		}
		s := wireMocking{
			Name: op.Operation.String() + " " + status(op.Status), Priority: 5,
			Request: wireMockURL(op), Response: wireMockResponse{op.Status},
			Metadata: wireMockMeta{wireMockExpected{Headers: wireMockHeaders(op), Body: []any{}}},
		}
		if op.Status < 200 || op.Status > 299 {
			s.Priority = 6 // of several stubs for a request, the one that succeeds answers
		}
		if tree := treeOf(op, func(*mapfile.Field) bool { return true }); tree != nil {
			s.Metadata.Flaketap.Body = append(s.Metadata.Flaketap.Body, wireMockBody{jsonUnit(tree), true, true})
		}
		if formOf(op) == textBody {
			if matching := wireMockText(op.At(exchange.PlaceBody)); matching != (wireMockMatching{}) {
				s.Metadata.Flaketap.Body = append(s.Metadata.Flaketap.Body, matching)
			}
		}
		out.Mappings = append(out.Mappings, s)
	}
	return JSON(w, out)
}

// wireMockURL is the part of a stub that says which requests it is for.
func wireMockURL(op *mapfile.Operation) wireMockRequest {
	r := wireMockRequest{Method: op.Method}
	host, _, _ := strings.Cut(op.Host, ":")
	if host != "" {
		r.Host = &wireMockMatching{EqualTo: host}
	}
	whole, some := true, false
	for s := range strings.SplitSeq(op.Template, "/") {
		if parameter.MatchString(s) {
			some = true
			whole = whole && parameter.FindString(s) == s
		}
	}
	switch {
	case !some:
		r.Path = op.Template
	case whole:
		r.Template = op.Template
	default:
		r.Pattern = templatePattern(op.Template)
	}
	return r
}

// parameter is a parameter of a template.
var parameter = regexp.MustCompile(`\{[^{}/]*\}`)

// templatePattern is the expression of the paths that a template is for, without anchors.
func templatePattern(template string) string {
	var b strings.Builder
	for template != "" {
		at := parameter.FindStringIndex(template)
		if at == nil {
			b.WriteString(regexp.QuoteMeta(template))
			break
		}
		b.WriteString(regexp.QuoteMeta(template[:at[0]]) + "[^/]+")
		template = template[at[1]:]
	}
	return b.String()
}

// wireMockHeaders are the headers of which something holds. Those of several lines, and secrets, are none of them.
func wireMockHeaders(op *mapfile.Operation) map[string]wireMockMatching {
	out := map[string]wireMockMatching{}
	for _, f := range op.Fields {
		name, ok := headerName(f.Place)
		if !ok || f.Apart() || f.Holds.Optional {
			continue
		}
		if matching := wireMockText(f); matching != (wireMockMatching{}) {
			out[name] = matching
		}
	}
	return out
}

// wireMockText is the matcher of a text; empty where nothing is to be said of it.
func wireMockText(f *mapfile.Field) wireMockMatching {
	if f.Apart() || f.Holds.Optional {
		return wireMockMatching{}
	}
	switch e := expected(f); {
	case len(e.values) == 1:
		s, _ := textOf(e.values[0])
		return wireMockMatching{EqualTo: s}
	case len(e.values) > 1 && anyOf(e.values) != "":
		return wireMockMatching{Matches: anyOf(e.values)}
	case e.pattern != "":
		return wireMockMatching{Matches: e.pattern}
	case f.Volatile():
		return wireMockMatching{Matches: "(?s).*"}
	}
	return wireMockMatching{}
}

// jsonUnit returns the document that the bodies of an operation equal, volatile places and those that are another in
// each answer as placeholders. Of arrays it says nothing: how long they are may be another thing each time.
func jsonUnit(b *branch) any {
	if b.field != nil && unsettled(b.field) || b.each != nil || len(b.keys) == 0 {
		return placeholder(b.field)
	}
	out := &orderedObject{}
	for _, key := range b.keys {
		sub := b.members[key]
		if sub.field != nil && sub.field.Holds.Optional {
			continue // extra elements are passed over
		}
		out.keys, out.values = append(out.keys, key), append(out.values, jsonUnit(sub))
	}
	return out
}

const anything = "${json-unit.ignore}"

// placeholder returns what stands for the value of a place.
func placeholder(f *mapfile.Field) any {
	if f == nil {
		return anything
	}
	e := expected(f)
	if e.nullable || f.Place == exchange.PlaceBody && len(e.types) == 0 {
		return anything
	}
	if len(e.values) == 1 {
		if s, text := textOf(e.values[0]); !text || !strings.HasPrefix(s, "${json-unit") {
			return e.values[0]
		}
	}
	pattern := e.pattern
	if len(e.values) > 1 {
		pattern = anyOf(e.values)
	}
	switch e.only() {
	case "string":
		if pattern != "" {
			return "${json-unit.regex}" + pattern
		}
		return "${json-unit.any-string}"
	case "number":
		return "${json-unit.any-number}"
	case "boolean":
		return "${json-unit.any-boolean}"
	}
	return anything
}

// orderedObject is a JSON object whose members stay in their order.
type orderedObject struct {
	keys   []string
	values []any
}

// MarshalJSON implements [json.Marshaler].
func (o *orderedObject) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, key := range o.keys {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, quoteJSON(key)...), ':')
		value, err := json.Marshal(o.values[i])
		if err != nil {
			return nil, err
		}
		out = append(out, value...)
	}
	return append(out, '}'), nil
}
