package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility"
)

// typed is an operation whose bodies are strings that move, under a media type; "" where the map does not know it.
func typed(media string, parts bool, body volatility.Holds) *volatility.Map {
	moves := &volatility.Field{Place: exchange.PlaceBody, Judgement: volatility.Jitter, Category: volatility.Rand, Changed: 4, Of: 4, Bound: 1, Holds: body}
	op := &volatility.Operation{Operation: exchange.Operation{Method: "GET", Template: "/text"}, Status: 200, Exchanges: 4, Fields: []*volatility.Field{moves}}
	if media != "" {
		f := &volatility.Field{Place: exchange.HeaderPlace("content-type"), Judgement: volatility.Stable, Of: 4}
		if parts { // the boundary moves, the type does not
			f.Judgement, f.Holds.Type = volatility.Jitter, "string"
			f = &volatility.Field{Place: f.Place.Part(exchange.PartMedia).Key("type"), Judgement: volatility.Stable, Of: 4}
		}
		f.Holds.Type, f.Holds.Equal = "string", json.RawMessage(`"`+media+`"`)
		op.Fields = append(op.Fields, f)
	}
	return &volatility.Map{Operations: []*volatility.Operation{op}}
}

// TestBodiesThatAreNoJSON: what tools are told of a body is about what it is, by its media type.
func TestBodiesThatAreNoJSON(t *testing.T) {
	pattern := volatility.Holds{Type: "string", Pattern: "^id [0-9a-f]+$"}
	text := map[string]string{
		"hurl": "\nbody matches /^id [0-9a-f]+$/\n", "jest": "\n    body: expect.stringMatching(/^id [0-9a-f]+$/),\n",
		"wiremock": `"bodyPatterns":[{"matches":"^id [0-9a-f]+$"}]`, "jsonpath": "", "keploy": "body: {}",
	}
	document := map[string]string{
		"hurl": "\njsonpath \"$\" matches /^id [0-9a-f]+$/\n", "jest": "\n    body: expect.stringMatching(/^id [0-9a-f]+$/),\n",
		"wiremock": `"bodyPatterns":[{"equalToJson":"${json-unit.regex}^id [0-9a-f]+$","ignoreArrayOrder":true,"ignoreExtraElements":true}]`,
		"jsonpath": "GET /text 200\t$\n", "keploy": "body: {}",
	}
	unknown := map[string]string{"hurl": "HTTP 200\n", "jest": "headers: {},\n    optional: []", "wiremock": `"bodyPatterns":[]`, "jsonpath": "", "keploy": "body: {}"}
	loose := map[string]string{"hurl": "\nbody exists\n", "jest": "\n    body: expect.any(String),\n", "wiremock": `"bodyPatterns":[{"matches":"(?s).*"}]`}
	for name, c := range map[string]struct {
		m    *volatility.Map
		want map[string]string
	}{
		"text":          {typed("text/plain; charset=utf-8", false, pattern), text},
		"HTML":          {typed("text/HTML", false, pattern), text},
		"XML":           {typed("application/xml", false, pattern), text},
		"multipart":     {typed("multipart/form-data", true, pattern), text},
		"JSON lines":    {typed("application/x-ndjson", false, pattern), text},
		"JSON stream":   {typed("application/stream+json", false, pattern), text},
		"JSON":          {typed("application/json; charset=utf-8", false, pattern), document},
		"problem":       {typed("application/problem+json", true, pattern), document},
		"no media type": {typed("", false, pattern), unknown},
		"bytes":         {typed("image/png", false, volatility.Holds{Type: "string", Format: "binary"}), unknown},
		"any text":      {typed("text/html", false, volatility.Holds{Type: "string"}), loose},
	} {
		for form, want := range c.want {
			var b bytes.Buffer
			if err := WriteMap(&b, form, c.m, FormOptions{}); err != nil {
				t.Fatal(err)
			}
			got := b.String()
			if form == "wiremock" {
				var compact bytes.Buffer
				if err := json.Compact(&compact, b.Bytes()); err != nil {
					t.Fatal(err)
				}
				got = compact.String()
			}
			if want == "" && got != "" || !strings.Contains(got, want) {
				t.Errorf("%s, %s: no %q in\n%s", name, form, want, got[max(0, len(got)-400):])
			}
			if bare := strings.Contains(got, "\nbody ") || strings.Contains(got, "jsonpath \"$\""); form == "hurl" && bare != (want != unknown["hurl"]) {
				t.Errorf("%s: hurl asserts the body: %v", name, bare)
			}
		}
	}
}

// TestIgnoredInForms: what a rule ignores is asserted in no form, also where it never moved.
func TestIgnoredInForms(t *testing.T) {
	m := typed("application/json", false, volatility.Holds{Type: "object"})
	op := m.Operations[0]
	op.Fields[0].Judgement = volatility.Stable
	op.Fields = append(op.Fields, &volatility.Field{Place: "/body/build", Judgement: volatility.Stable, Of: 4, Holds: volatility.Holds{Type: "string", Equal: json.RawMessage(`"b-17"`)}})
	volatility.Apply(m, []volatility.Rule{{Place: "/body/build", Kind: volatility.Ignore}})
	for form, want := range map[string]string{
		"jest": `"build": anything`, "keploy": `"build": []`, "jsonpath": "$['build']", "schemathesis": `("build",)`, "wiremock": `"build": "${json-unit.ignore}"`, "hurl": "GET {{host}}/text",
	} {
		var b bytes.Buffer
		if err := WriteMap(&b, form, m, FormOptions{}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), want) || strings.Contains(b.String(), "b-17") {
			t.Errorf("%s: no %s in\n%s", form, want, b.String()[max(0, b.Len()-300):])
		}
	}
}
