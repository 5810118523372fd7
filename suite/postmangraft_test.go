package suite

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/suite/setup"
)

const graftedCollection = `{
	"info": {
		"name": "shop",
		"schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"
	},
	"item": [
		{
			"name": "items",
			"item": [
				{
					"name": "an item",
					"event": [
						{
							"listen": "test",
							"script": {
								"exec": [
									"pm.test(\"an item\", () => {",
									"    pm.response.to.have.status(200);",
									"    pm.expect(pm.response.json().id).to.eql(4);",
									"    pm.expect(pm.response.json().self).to.eql(\"/items/4\");",
									"    pm.expect(pm.response.json().n).to.eql(3);",
									"});"
								]
							}
						}
					],
					"request": {
						"method": "GET",
						"header": [ { "key": "X-Item", "value": "no 4" } ],
						"url": { "raw": "{{host}}/items/:id", "host": ["{{host}}"], "path": ["items", ":id"], "variable": [{"key": "id", "value": "4"}] }
					}
				}
			]
		},
		{"name": "other", "request": "http://localhost/other"}
	]
}
`

const graftedCollectionWant = `				{
					"name": "flaketap: set-up: POST /items",
					"protocolProfileBehavior": {
						"followRedirects": false
					},
					"event": [
						{
							"listen": "test",
							"script": {
								"type": "text/javascript",
								"exec": [
									"// flaketap: /items/4 was made by POST /items; by the recording's data flow, not tried; State",
									"// flaketap: the set-up has to succeed",
									"pm.test(\"flaketap: set-up\", () => pm.response.to.have.status(201));",
									"if (pm.response.code === 201) pm.collectionVariables.set(\"flaketap_itemId\", String(pm.response.json().id));"
								]
							}
						}
					],
					"request": {
						"method": "POST",
						"header": [
							{
								"key": "Content-Type",
								"value": "application/json"
							}
						],
						"body": {
							"mode": "raw",
							"raw": "{\"a\": \"b\"}\n"
						},
						"url": "{{host}}/items"
					},
					"response": []
				},
				{
					"name": "an item",
					"event": [
						{
							"listen": "test",
							"script": {
								"exec": [
									"pm.test(\"an item\", () => {",
									"    pm.response.to.have.status(200);",
									"    // flaketap: /body/id: 4 as written, made anew by the set-up; State",
									"    pm.expect(String(pm.response.json().id)).to.equal(pm.variables.get(\"flaketap_itemId\"));",
									"    // flaketap: /body/self: \"/items/4\" as written, made anew by the set-up; State",
									"    pm.expect(pm.response.json().self).to.equal(\"/items/\" + pm.variables.get(\"flaketap_itemId\"));",
									"    pm.expect(pm.response.json().n).to.eql(3);",
									"});"
								]
							}
						}
					],
					"request": {
						"method": "GET",
						"header": [ { "key": "X-Item", "value": "no {{flaketap_itemId}}" } ],
						"url": "{{host}}/items/{{flaketap_itemId}}"
					}
				},
				{
					"name": "flaketap: clean-up: DELETE /items/{{flaketap_itemId}}",
					"protocolProfileBehavior": {
						"followRedirects": false
					},
					"request": {
						"method": "DELETE",
						"header": [],
						"url": "{{host}}/items/{{flaketap_itemId}}"
					},
					"response": []
				}
			]
`

// aWebGraft is aGraft with the id in a header of the test's own call too.
func aWebGraft() Grafting {
	g := aGraft()
	g.Calls[0].Request = sentRequest("GET /items/4 HTTP/1.1\r\nHost: x\r\nX-Item: no 4\r\n\r\n", "")
	g.Binds[0].Uses = append(g.Binds[0].Uses, setup.BindUse{In: setup.InCall, Place: "/header/x-item"})
	return g
}

// graftedTwice patches a suite with a graft for one of its tests, twice.
func graftedTwice(t *testing.T, name, text, test string, g Grafting) string {
	t.Helper()
	src := Source{Steps: []exchange.Step{{Exchange: &exchange.Exchange{Seq: 1, Request: g.Calls[0].Request, Response: reply(404, "", "")}}}}
	o := PatchOptions{Grafts: map[string]Grafting{test: g}}
	p, err := Patch(name, []byte(text), src, o)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Patch(name, p.Data, src, o)
	if err != nil || !bytes.Equal(again.Data, p.Data) {
		t.Errorf("patched again: %v\n%s", err, cmp.Diff(string(p.Data), string(again.Data)))
	}
	return string(p.Data)
}

// graftingAll gives each test of a suite something back.
func graftingAll(name, text string) PatchOptions {
	o := PatchOptions{Grafts: map[string]Grafting{}}
	if s, err := Read(name, []byte(text)); err == nil {
		for _, test := range s.Tests {
			o.Grafts[test.Name] = aWebGraft()
		}
	}
	return o
}

func TestPostmanGraft(t *testing.T) {
	at := strings.Index(graftedCollection, "\t\t\t\t{\n")
	end := strings.Index(graftedCollection, "\t\t},\n\t\t{\"name\": \"other\"")
	want := graftedCollection[:at] + graftedCollectionWant + graftedCollection[end:]
	var compact, wantCompact bytes.Buffer
	if json.Compact(&compact, []byte(graftedCollection)) != nil || json.Compact(&wantCompact, []byte(want)) != nil {
		t.Fatal("no JSON")
	}
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	spaces := func(s string) string { return strings.ReplaceAll(s, "\t", "  ") }
	old := func(s string) string { return strings.ReplaceAll(s, "v2.1.0", "v2.0.0") }
	for name, tt := range map[string]struct{ text, want string }{
		"tabs":    {graftedCollection, want},
		"2.0":     {old(graftedCollection), old(want)},
		"blanks":  {spaces(graftedCollection), spaces(want)},
		"Windows": {crlf(graftedCollection), crlf(want)},
		"compact": {compact.String(), wantCompact.String()},
		"BOM":     {"\xef\xbb\xbf" + graftedCollection, "\xef\xbb\xbf" + want},
	} {
		got := graftedTwice(t, "shop.json", tt.text, "shop / items", aWebGraft())
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestPostmanGraftURLs writes the URLs of a set-up as the collection writes its own.
func TestPostmanGraftURLs(t *testing.T) {
	for _, tt := range []struct{ url, sent, want string }{
		{`"http://localhost:1/items/4?a=b#c"`, "/items/4?a=b", "http://localhost:1/items"},
		{`"localhost:1/items/4"`, "/items/4", "localhost:1/items"},
		{`"{{proto}}://{{host}}:{{port}}/items/4"`, "/items/4", "{{proto}}://{{host}}:{{port}}/items"},
		{`"{{base}}/items/4"`, "/items/4", "{{base}}/items"},
		{`"{{base}}/4"`, "/items/4", ""}, // {{base}} ends in /items
		{`{"raw": "{{base}}/items/4"}`, "/items/4", "{{base}}/items"},
		{`{"host": ["x"]}`, "/items/4", ""},
		{`"{{url}}"`, "/items/4", ""},
		{`"{{base}}/items/{{id}}"`, "/items/4", ""}, // that the suite fills by itself
	} {
		text := strings.Replace(graftedCollection, `{ "raw": "{{host}}/items/:id", "host": ["{{host}}"], "path": ["items", ":id"], "variable": [{"key": "id", "value": "4"}] }`, tt.url, 1)
		g := aWebGraft()
		g.Calls[0].Request = sentRequest("GET "+tt.sent+" HTTP/1.1\r\nHost: x\r\nX-Item: no 4\r\n\r\n", "")
		got := graftedTwice(t, "shop.json", text, "shop / items", g)
		if tt.want == "" {
			if strings.Contains(got, "set-up") {
				t.Errorf("%s: given a set-up:\n%s", tt.url, got)
			}
		} else if !strings.Contains(got, `"url": "`+tt.want+`"`) || !strings.Contains(got, `"`+tt.want+"/{{flaketap_itemId}}") {
			t.Errorf("%s: %s is missing:\n%s", tt.url, tt.want, got)
		}
	}
}

// TestPostmanGraftKeeps takes values from each place that a collection can take one from.
func TestPostmanGraftKeeps(t *testing.T) {
	s, err := Read("a.json", []byte(collection(t, nil)))
	if err != nil {
		t.Fatal(err)
	}
	const keeps, end = `pm.collectionVariables.set("flaketap_v", `, `);`
	var cases []nodeCase
	for place, want := range map[exchange.Place]string{
		"/body":                   "{}",
		"/body/items/0/odd-key":   "7",
		"/header/location":        "http://x/items/a%20b?c#d",
		"/header/location/path/1": "a b",
	} {
		body := map[exchange.Place]string{"/body": " {}\n"}[place]
		if body == "" {
			body = `{"items": [{"odd-key": 7}]}`
		}
		k := script.Capture{Name: script.SetUpPrefix + "v", Place: place, Steps: script.StepsOf(place, func(exchange.Place) byte { return 0 })}
		items, _ := s.Writer.Graft.SetUp(s, s.Tests[0], []script.SetUpRequest{{Method: "GET", Target: []script.TextPart{{Text: "/x0"}}, Captures: []script.Capture{k}}}, nil)
		var item struct {
			Event []struct{ Script struct{ Exec []string } }
		}
		if err := json.Unmarshal([]byte(items[0]), &item); err != nil || len(item.Event) != 1 {
			t.Fatalf("%v: %s", err, items[0])
		}
		exec := item.Event[0].Script.Exec
		taken := strings.TrimSuffix(strings.TrimPrefix(exec[len(exec)-1], keeps), end)
		cases = append(cases, nodeCase{
			Code:    "pm.expect(" + taken + ").to.equal(" + literal.JavaScript(want) + ");",
			Answers: map[string]nodeAnswer{"": nodeAnswerOf(reply(200, "Location: http://x/items/a%20b?c#d\r\n", body))},
		})
	}
	for i, result := range runNode(t, "postman.js", cases) {
		if result != "" {
			t.Errorf("%s: %s", cases[i].Code, result)
		}
	}
}

// TestPostmanGraftRefused leaves a collection alone where Postman would send something else.
func TestPostmanGraftRefused(t *testing.T) {
	for name, request := range map[string]exchange.Request{
		"method":   sentRequest("post /items HTTP/1.1\r\nHost: x\r\n\r\n", ""),
		"variable": sentRequest("POST /items HTTP/1.1\r\nHost: x\r\nX-A: {{$guid}}\r\n\r\n", ""),
		"body":     sentRequest("POST /items HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n", "{{a}}"),
	} {
		g := aWebGraft()
		g.Steps[0].Request = request
		if got := graftedTwice(t, "shop.json", graftedCollection, "shop / items", g); strings.Contains(got, "set-up") {
			t.Errorf("%s: given a set-up:\n%s", name, got)
		}
	}
}
