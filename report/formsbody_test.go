package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/rules"
)

// typed is an operation whose bodies are strings that move, under a media type; "" where the map does not know it.
func typed(media string, parts bool, body mapfile.Holds) *mapfile.Map {
	moves := &mapfile.Field{Place: exchange.PlaceBody, Judgement: mapfile.Jitter, Category: mapfile.Rand, Changed: 4, Of: 4, Bound: 1, Holds: body}
	op := &mapfile.Operation{Operation: exchange.Operation{Method: "GET", Template: "/text"}, Status: 200, Exchanges: 4, Fields: []*mapfile.Field{moves}}
	if media != "" {
		f := &mapfile.Field{Place: exchange.HeaderPlace("content-type"), Judgement: mapfile.Stable, Of: 4}
		if parts { // the boundary moves, the type does not
			f.Judgement, f.Holds.Type = mapfile.Jitter, "string"
			f = &mapfile.Field{Place: f.Place.Part(exchange.PartMedia).Key("type"), Judgement: mapfile.Stable, Of: 4}
		}
		f.Holds.Type, f.Holds.Equal = "string", json.RawMessage(`"`+media+`"`)
		op.Fields = append(op.Fields, f)
	}
	return &mapfile.Map{Operations: []*mapfile.Operation{op}}
}

// TestBodiesThatAreNoJSON: what tools are told of a body is about what it is, by its media type.
func TestBodiesThatAreNoJSON(t *testing.T) {
	pattern := mapfile.Holds{Type: "string", Pattern: "^id [0-9a-f]+$"}
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
		m    *mapfile.Map
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
		"bytes":         {typed("image/png", false, mapfile.Holds{Type: "string", Format: "binary"}), unknown},
		"any text":      {typed("text/html", false, mapfile.Holds{Type: "string"}), loose},
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
	m := typed("application/json", false, mapfile.Holds{Type: "object"})
	op := m.Operations[0]
	op.Fields[0].Judgement = mapfile.Stable
	op.Fields = append(op.Fields, &mapfile.Field{Place: "/body/build", Judgement: mapfile.Stable, Of: 4, Holds: mapfile.Holds{Type: "string", Equal: json.RawMessage(`"b-17"`)}})
	rules.Apply(m, []rules.Rule{{Place: "/body/build", Kind: mapfile.Ignore}})
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
