package report

import (
	"encoding/json"
	"io"
	"regexp"
	"strings"
	"unicode"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/notation"
)

// The JSON of a pact (https://github.com/pact-foundation/pact-specification, version 4), as far as it is written.
type (
	pactFile struct {
		Consumer     pactName          `json:"consumer"`
		Provider     pactName          `json:"provider"`
		Interactions []pactInteraction `json:"interactions"`
		Metadata     pactMetadata      `json:"metadata"`
	}
	pactName struct {
		Name string `json:"name"`
	}
	pactMetadata struct {
		Specification pactVersion `json:"pactSpecification"`
	}
	pactVersion struct {
		Version string `json:"version"`
	}
	pactInteraction struct {
		Type        string       `json:"type"`
		Description string       `json:"description"`
		States      []pactName   `json:"providerStates"`
		Request     pactRequest  `json:"request"`
		Response    pactResponse `json:"response"`
	}
	pactRequest struct {
		Method     string              `json:"method"`
		Path       string              `json:"path"`
		Query      map[string][]string `json:"query,omitempty"`
		Headers    map[string]string   `json:"headers,omitempty"` // the type of the body: no verifier adds it
		Body       *pactBody           `json:"body,omitempty"`
		Rules      pactAskedRules      `json:"matchingRules,omitzero"`
		Generators *pactGenerators     `json:"generators,omitempty"`
	}
	pactAskedRules struct {
		Path  *pactRule           `json:"path,omitempty"`
		Query map[string]pactRule `json:"query,omitempty"` // by name
		Body  map[string]pactRule `json:"body,omitempty"`  // by path
	}
	pactGenerators struct {
		Path  *pactGenerator           `json:"path,omitempty"`
		Query map[string]pactGenerator `json:"query,omitempty"` // by name
		Body  map[string]pactGenerator `json:"body,omitempty"`  // by path
	}
	pactGenerator struct {
		Type       string `json:"type"`
		Expression string `json:"expression"`
		DataType   string `json:"dataType"`
	}
	pactResponse struct {
		Status  int               `json:"status"`
		Headers map[string]string `json:"headers,omitempty"`
		Body    *pactBody         `json:"body,omitempty"`
		Rules   pactRules         `json:"matchingRules"`
	}
	pactBody struct {
		Content     any    `json:"content"`
		ContentType string `json:"contentType"`
		Encoded     bool   `json:"encoded"`
	}
	pactRules struct {
		Status *pactRule           `json:"status,omitempty"`
		Header map[string]pactRule `json:"header,omitempty"` // by name
		Body   map[string]pactRule `json:"body,omitempty"`   // by path
	}
	pactRule struct {
		Combine  string        `json:"combine"`
		Matchers []pactMatcher `json:"matchers"`
	}
	pactMatcher struct {
		Match  string `json:"match"`
		Regex  string `json:"regex,omitempty"`
		Min    *int   `json:"min,omitempty"`
		Status any    `json:"status,omitempty"` // a class of statuses, or some of them
	}
)

// Pact writes a pact (specification 4) with an interaction for each operation and status: what holds of the answer, as
// an example with matching rules. Members that are not always there, and those of which nothing is known, are left out,
// and more members than there are in the example are passed over, as Pact does. The parameters of a path, and what
// earlier answers gave to a query or a body, are for the state of the provider to give, which has the name of the
// interaction; credentials are for the user to add.
func Pact(w io.Writer, m *mapfile.Map, o FormOptions) error {
	out := pactFile{Consumer: pactName{"recorded client"}, Provider: pactName{"recorded API"},
		Interactions: []pactInteraction{}, Metadata: pactMetadata{pactVersion{"4.0"}}}
	for _, op := range m.Operations {
		if op.Status == 0 || op.Host != "" || !methodLike(op.Method) || !strings.HasPrefix(op.Template, "/") {
			continue // none of this provider's, or no request that Pact can send
		}
		name := op.Operation.String() + " " + status(op.Status)
		p := &pactWriter{op: op, rules: pactRules{Header: map[string]pactRule{}, Body: map[string]pactRule{}}}
		answer := pactResponse{Status: op.Status, Headers: p.headers(), Body: p.body()}
		if f := op.At(exchange.PlaceStatus); f != nil && unsettled(f) {
			p.rules.Status = pactStatus(f)
			answer.Headers, answer.Body = nil, nil // what an answer with another one holds is not known
			p.rules.Header, p.rules.Body = nil, nil
		}
		answer.Rules = p.rules
		out.Interactions = append(out.Interactions, pactInteraction{Type: "Synchronous/HTTP", Description: name,
			States: []pactName{{name}}, Request: pactAsked(op, o.asked(op)), Response: answer})
	}
	return JSON(w, out)
}

// pactAsked is the request of an operation.
func pactAsked(op *mapfile.Operation, asked AskedOne) pactRequest {
	r := pactRequest{Method: op.Method, Path: op.Template}
	if parameter.MatchString(op.Template) {
		r.Path = parameter.ReplaceAllString(op.Template, "1")
		r.Rules.Path = &pactRule{"AND", []pactMatcher{{Match: "regex", Regex: "^" + templatePattern(op.Template) + "$"}}}
		expression := parameter.ReplaceAllStringFunc(op.Template, func(name string) string { return "$" + name })
		r.generators().Path = &pactGenerator{"ProviderState", expression, "STRING"}
	}
	r.pactQuery(asked)
	r.pactBody(asked)
	return r
}

// pactStatus is the rule of a status that moves.
func pactStatus(f *mapfile.Field) *pactRule {
	if codes := expected(f).values; len(codes) > 0 {
		return &pactRule{"AND", []pactMatcher{{Match: "statusCode", Status: codes}}}
	}
	return &pactRule{"OR", []pactMatcher{{Match: "statusCode", Status: "info"}, {Match: "statusCode", Status: "success"},
		{Match: "statusCode", Status: "redirect"}, {Match: "statusCode", Status: "error"}}}
}

// pactWriter gathers the rules of an answer.
type pactWriter struct {
	op    *mapfile.Operation
	rules pactRules
}

// headers are those of which something holds.
func (p *pactWriter) headers() map[string]string {
	out := map[string]string{}
	for _, f := range p.op.Fields {
		name, ok := headerName(f.Place)
		if !ok || f.Apart() || f.Holds.Optional || name == "set-cookie" {
			continue // the lines of Set-Cookie are one text in the map
		}
		e := expected(f)
		if e.only() != "string" && len(e.values) != 1 {
			continue
		}
		rule, known := pactRuleOf(e)
		example, _ := pactExample(f, e).(string)
		switch {
		case len(e.values) == 1:
			out[name] = example
		case known:
			out[name], p.rules.Header[name] = example, rule
		}
	}
	return out
}

// body is the example of a body; nil where nothing is to be said of it.
func (p *pactWriter) body() *pactBody {
	media := mediaType(p.op)
	switch formOf(p.op) {
	case jsonBody:
		tree := treeOf(p.op, func(f *mapfile.Field) bool { return !f.Holds.Optional })
		if tree == nil {
			return nil
		}
		if media == "" {
			media = "application/json"
		}
		if content, ok := p.part(tree, "$", pactAlone); ok {
			return &pactBody{Content: content, ContentType: media}
		}
	case textBody:
		f := p.op.At(exchange.PlaceBody)
		if f.Apart() || f.Holds.Optional || !strings.HasPrefix(media, "text/") || strings.Contains(media, "xml") {
			return nil // of bytes the map has a digest, and of XML, Pact compares elements
		}
		e := expected(f)
		rule, known := pactRuleOf(e)
		if len(e.values) != 1 && (!known || rule.Matchers[0].Match != "regex") {
			return nil
		}
		if len(e.values) != 1 {
			p.rules.Body["$"] = rule
		}
		return &pactBody{Content: pactExample(f, e), ContentType: media}
	}
	return nil
}

// pactWithin says whether a part of a body stands in an array.
type pactWithin int

const (
	pactAlone   pactWithin = iota // in none: what has no rule of its own equals the example
	pactElement                   // it is what every element is: of the example's type, unless a rule says more
	pactMember                    // it is a member of every element; one that is stable may be in some of them only
)

// part returns the example of a part of a body, and notes its rules; ok is false where nothing is to be said of it.
func (p *pactWriter) part(b *branch, path string, within pactWithin) (example any, ok bool) {
	switch {
	case b.field != nil && unsettled(b.field), b.each == nil && len(b.keys) == 0:
		return p.value(b.field, path, within)
	case within != pactMember && b.each != nil && (len(b.keys) > 0 || b.field != nil && b.field.Holds.Type == "object"):
		p.rules.Body[path] = pactRule{"AND", []pactMatcher{{Match: "type"}}} // its keys are data
		return map[string]any{}, true
	case b.each != nil:
		return p.array(b, path, within)
	}
	out := map[string]any{}
	if within == pactElement {
		within = pactMember
	}
	for _, key := range b.keys {
		if at, ok := pactKey(key); ok {
			if value, ok := p.part(b.members[key], path+at, within); ok {
				out[key] = value
			}
		}
	}
	return out, within == pactAlone || len(out) > 0
}

// array returns the example of an array, of one element, and notes its rules.
func (p *pactWriter) array(b *branch, path string, within pactWithin) (example any, ok bool) {
	of := pactElement
	if within != pactAlone {
		of = pactMember
	}
	elements := []any{}
	if element, ok := p.part(b.each, path+"[*]", of); ok {
		elements = append(elements, element)
	} else if within != pactAlone {
		return nil, false
	}
	none := 0
	p.rules.Body[path] = pactRule{"AND", []pactMatcher{{Match: "type", Min: &none}}}
	return elements, true
}

// value returns the example of a value, and notes its rule.
func (p *pactWriter) value(f *mapfile.Field, path string, within pactWithin) (example any, ok bool) {
	if f == nil || f.Apart() || within == pactMember && !f.Volatile() {
		return nil, false
	}
	e := expected(f)
	rule, known := pactRuleOf(e)
	if !known {
		return nil, false
	}
	if rule.Matchers[0].Match != "equality" || within != pactAlone {
		p.rules.Body[path] = rule
	}
	return pactExample(f, e), true
}

// pactKey is the step of a path to a member; ok is false where Pact's paths have no way to say it.
func pactKey(key string) (string, bool) {
	if plainName.MatchString(key) {
		return "." + key, true
	}
	return "['" + key + "']", key != "" && !strings.ContainsFunc(key, func(r rune) bool { return r == '\'' || !unicode.IsPrint(r) })
}

// plainName is what may stand behind a dot in any path.
var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// pactRuleOf is the rule of a value; known is false where Pact has none that says what holds.
func pactRuleOf(e expectation) (_ pactRule, known bool) {
	var matcher pactMatcher
	switch {
	case len(e.values) == 1 && e.values[0][0] == '-' && strings.Trim(string(e.values[0]), "-0.eE+") == "":
		matcher.Match = "number" // of the zeros, Pact takes one for another
	case len(e.values) == 1:
		matcher.Match = "equality"
	case anyOf(e.values) != "" && len(e.values) > 0:
		matcher = pactMatcher{Match: "regex", Regex: anyOf(e.values)}
	case e.pattern != "" && e.only() == "string":
		matcher = pactMatcher{Match: "regex", Regex: e.pattern}
	default:
		none := 0
		byType, ok := map[string]pactMatcher{"string": {Match: "type"}, "number": {Match: "number"}, "boolean": {Match: "boolean"},
			"array": {Match: "type", Min: &none}, "object": {Match: "type"}}[e.only()]
		if !ok {
			if e.nullable && len(e.types) == 0 {
				return pactRule{"AND", []pactMatcher{{Match: "null"}}}, true
			}
			return pactRule{}, false
		}
		if matcher = byType; e.integer && e.only() == "number" {
			matcher.Match = "integer"
		}
	}
	if e.nullable {
		return pactRule{"OR", []pactMatcher{matcher, {Match: "null"}}}, true
	}
	return pactRule{"AND", []pactMatcher{matcher}}, true
}

// pactExample is a value that was seen, of the type that holds.
func pactExample(f *mapfile.Field, e expectation) any {
	if len(e.values) > 0 {
		return pactShown(e.values[0])
	}
	switch e.only() {
	case "array":
		return []any{}
	case "object":
		return map[string]any{}
	}
	for _, s := range f.Samples {
		if !scalar(s) || jsonKind(s) != e.only() {
			continue
		}
		text, isText := textOf(s)
		if fits, err := regexp.MatchString(e.pattern, text); !isText || err == nil && fits {
			return pactShown(s)
		}
	}
	return map[string]any{"string": "text", "number": json.Number("1"), "boolean": true}[e.only()]
}

// pactShown is a token as it is written: texts without what cannot be text.
func pactShown(raw json.RawMessage) any {
	if s, ok := textOf(raw); ok {
		return s
	}
	return raw
}

// jsonKind is the type of a scalar, as expectations name it: an integer is a number.
func jsonKind(raw json.RawMessage) string {
	kind := notation.ScalarOf(string(raw)).Kind
	if kind == notation.Integer {
		kind = notation.Number
	}
	return kind.String()
}
