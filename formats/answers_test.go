package formats

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/google/go-cmp/cmp"
)

const described = `
openapi: 3.1.0
paths:
  /orders/{id}:
    get:
      responses:
        200:
          content:
            application/json:
              schema: {$ref: '#/components/schemas/Order'}
        404: {description: none}
    delete:
      responses: {204: {description: gone}}
components:
  schemas:
    Base: {type: object, properties: {id: {type: integer, minimum: 7}}}
    Order:
      allOf: [{$ref: '#/components/schemas/Base'}]
      properties:
        state: {type: string, enum: [open, paid]}
        next: {$ref: '#/components/schemas/Order'}
        lines: {type: array, items: {type: object, properties: {price: {type: ['null', number]}, on: {type: string, format: date}}}}
`

func TestReadAnswers(t *testing.T) {
	got, err := ReadAnswers(strings.NewReader(described))
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0].Method != "GET" || got[0].Path != "/orders/{id}" || got[0].Status != 200 {
		t.Fatalf("%+v", got)
	}
	raw, err := json.Marshal(got[0].JSON)
	if err != nil || !strings.Contains(string(raw), `"id":7,"lines":[{"on":"2030-01-02","price":1}]`) || !strings.Contains(string(raw), `"state":"open"`) {
		t.Errorf("%s: %v", raw, err)
	}
	if diff := cmp.Diff([]any{"open", "paid"}, got[0].Values["/body/state"]); diff != "" {
		t.Error(diff)
	}
	for p, want := range map[exchange.Place]string{"/body": "object", "/body/id": "integer", "/body/lines": "array", "/body/lines/*/price": "number"} {
		if got[0].Types[p] != want {
			t.Errorf("%s is %q, want %s", p, got[0].Types[p], want)
		}
	}
}

// An example that is given goes before one that is made; Swagger 2 and JSON are read, too.
func TestReadAnswersOfSwagger(t *testing.T) {
	got, err := ReadAnswers(strings.NewReader(`{"swagger": "2.0", "paths": {"/a": {"get": {"responses": {"200":
		{"schema": {"type": "object", "properties": {"b": {"type": "string"}}}, "examples": {"application/json": {"b": "given"}}}}}}}}`))
	if err != nil || len(got) != 1 {
		t.Fatal(got, err)
	}
	if diff := cmp.Diff(any(map[string]any{"b": "given"}), got[0].JSON); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{"", "[]", "a: b", "openapi: 3.0.0", "openapi: 3.0.0\npaths: {/a: {get: {responses: {200: {description: x}}}}}", "\t"} {
		if _, err := ReadAnswers(strings.NewReader(bad)); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}

func FuzzReadAnswers(f *testing.F) {
	f.Add(described)
	f.Fuzz(func(t *testing.T, text string) {
		got, err := ReadAnswers(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, a := range got {
			if _, err := json.Marshal(a.JSON); err != nil {
				t.Errorf("%q: %v", text, err)
			}
		}
	})
}
