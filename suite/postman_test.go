package suite

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/jsontree"
	"github.com/flaketap/flaketap/suite/script"
)

// collection makes a collection of one folder; each request's script lines follow its name.
func collection(t testing.TB, scripts ...[]string) string {
	t.Helper()
	var items []any
	for i, lines := range scripts {
		items = append(items, map[string]any{
			"name":    fmt.Sprintf("request %d", i),
			"event":   []any{map[string]any{"listen": "test", "script": map[string]any{"type": "text/javascript", "exec": lines}}},
			"request": map[string]any{"method": "GET", "header": []any{}, "url": map[string]any{"raw": fmt.Sprintf("{{baseUrl}}/x%d", i)}},
		})
	}
	data, err := json.MarshalIndent(map[string]any{
		"info":     map[string]any{"name": "shop", "schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"},
		"item":     []any{map[string]any{"name": "orders", "item": items}},
		"variable": []any{map[string]any{"key": "baseUrl", "value": "http://localhost:8080"}},
	}, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	return string(data) + "\n"
}

// postmanLines patches a collection and returns the lines of its scripts that assert something.
func postmanLines(t *testing.T, text string, src Source, o PatchOptions) []string {
	t.Helper()
	p, err := Patch("shop.postman_collection.json", []byte(text), src, o)
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(p.Data) {
		t.Fatalf("no JSON any more:\n%s", p.Data)
	}
	again, err := Patch("shop.postman_collection.json", p.Data, src, o)
	if err != nil || string(again.Data) != string(p.Data) {
		t.Errorf("a second patch changes the file (%v):\n%s", err, cmp.Diff(string(p.Data), string(again.Data)))
	}
	root, err := jsontree.Parse(string(p.Data), jsontree.Bounds{})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, item := range root.At("item").Children[0].At("item").Children {
		for _, e := range item.At("event").Children {
			for _, l := range e.At("script", "exec").Children {
				if text := l.Text(); strings.Contains(text, "pm.expect") || strings.Contains(text, ".to.") || strings.Contains(text, "tests[") {
					lines = append(lines, strings.TrimSpace(text))
				}
			}
		}
	}
	return lines
}

func TestPatchPostman(t *testing.T) {
	jsons := replies
	tests := []struct {
		name string
		line string
		seen []*exchange.Response
		want string
	}{
		{"holds", `pm.response.to.have.status(200);`, jsons(`{}`), `pm.response.to.have.status(200);`},
		{"status", `pm.response.to.have.status(200);`, []*exchange.Response{reply(404, "", ""), reply(200, "", "")}, `pm.expect(pm.response.code).to.be.oneOf([200, 404]);`},
		{"status inline", `pm.test("ok", () => pm.response.to.have.status(200));`, []*exchange.Response{reply(404, "", ""), reply(200, "", "")}, `pm.test("ok", () => pm.expect(pm.response.code).to.be.oneOf([200, 404]));`},
		{"status by name", `pm.test("ok", function () { pm.expect(pm.response.code).to.equal(201) });`, jsons(`{}`), `pm.test("ok", function () { pm.expect(pm.response.code).to.be.oneOf([200, 201]); });`},
		{"legacy", `tests["is \"a = b\""] = JSON.parse(responseBody).a === "b";`, jsons(`{"a":"b"}`), `tests["is \"a = b\""] = JSON.parse(responseBody).a === "b";`},
		{"legacy, flaky", `tests["a"] = JSON.parse(responseBody).a === "b";`, jsons(`{"a":"c"}`), `tests["a"] = typeof pm.response.json().a === "string";`},
		{"value", `pm.expect(pm.response.json().a).to.eql("x");`, jsons(`{"a":"yy"}`), `pm.expect(pm.response.json().a).to.be.a("string");`},
		{"alias", `const j = pm.response.json(); pm.expect(j.items[0].id).to.equal(1);`, jsons(`{"items":[{"id":2}]}`), `const j = pm.response.json(); pm.expect(Number.isInteger(pm.response.json().items[0].id)).to.be.true;`},
		{"dates", `pm.expect(pm.response.json().a).to.equal("2026-01-02");`, jsons(`{"a":"2026-03-04"}`), `pm.expect(pm.response.json().a).to.be.a("string").that.matches(/^\d{4}-\d\d-\d\d$/);`},
		{"null at times", `pm.expect(pm.response.json().a).to.equal(1);`, jsons(`{"a":2}`, `{"a":null}`), `if (pm.response.json().a !== null) pm.expect(Number.isInteger(pm.response.json().a)).to.be.true;`},
		{"guarded inline", `pm.test("a", () => pm.expect(pm.response.json().a).to.equal("x"));`, jsons(`{"a":"x"}`, `{}`), `pm.test("a", () => { if (pm.response.json().a !== undefined) pm.expect(pm.response.json().a).to.equal("x"); });`},
		{"length", `pm.expect(pm.response.json()).to.have.lengthOf(2);`, jsons(`[1,2]`, `[]`), `pm.expect(pm.response.json()).to.be.a("array");`},
		{"length of a chain", `pm.expect(pm.response.json().a).to.be.an("array").that.has.lengthOf(2);`, jsons(`{"a":[1,2]}`), `pm.expect(pm.response.json().a).to.be.an("array").that.has.lengthOf(2);`},
		{"header", `pm.response.to.have.header("X-A", "b");`, []*exchange.Response{reply(200, "X-A: c\r\n", "")}, `pm.expect(pm.response.headers.get("x-a")).to.be.ok;`},
		{"header there at times", `pm.response.to.have.header("X-A");`, []*exchange.Response{reply(200, "", ""), reply(200, "X-A: c\r\n", "")}, `// pm.response.to.have.header("X-A");`},
		{"disabled inline", `pm.test("a", () => pm.response.to.have.header("X-A"));`, []*exchange.Response{reply(200, "", "")}, `pm.test("a", () => { /* pm.response.to.have.header("X-A") */ });`},
		{"property", `pm.expect(pm.response.json()).to.have.property("a");`, jsons(`{"a":1}`), `pm.expect(pm.response.json()).to.have.property("a");`},
		{"range that holds", `pm.expect(pm.response.json().n).to.be.within(1, 3).and.not.equal(2);`, jsons(`{"n":3}`), `pm.expect(pm.response.json().n).to.be.within(1, 3).and.not.equal(2);`},
		{"time is not seen", `pm.expect(pm.response.responseTime).to.be.below(200);`, jsons(`{}`), `pm.expect(pm.response.responseTime).to.be.below(200);`},
		{"quotes and slashes", `pm.expect(pm.response.text()).to.include("made \"at\" 10:12 <by> bob\\");`, jsons(`made "at" 10:13 <by> bob\`, `made "at" 11:00 <by> bob\`), `pm.expect(pm.response.text()).to.be.a("string").that.matches(/made "at" \d+:\d+ <by> bob\\/);`},
		{"not understood", `pm.expect(frob()).to.eql(1);`, jsons(`{}`), `pm.expect(frob()).to.eql(1);`},
		{"comment behind it", `pm.expect(pm.response.json().a).to.eql("x"); // why`, jsons(`{"a":"yy"}`), `pm.expect(pm.response.json().a).to.be.a("string"); // why`},
	}
	var cases []nodeCase
	var names []string
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := postmanLines(t, collection(t, []string{tt.line}), Source{Steps: []exchange.Step{stepOf(1, "/x0", tt.seen)}}, PatchOptions{})
			last := got[len(got)-1]
			if diff := cmp.Diff(tt.want, last); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if strings.Contains(last, "frob") {
				return
			}
			for _, r := range tt.seen {
				cases = append(cases, nodeCase{Code: last, Answers: map[string]nodeAnswer{"": nodeAnswerOf(r)}})
				names = append(names, tt.name)
			}
		})
	}
	for i, result := range runNode(t, "postman.js", cases) {
		if result != "" {
			t.Errorf("%s: %s fails on what was seen: %s", names[i], cases[i].Code, result)
		}
	}
}

// TestPatchPostmanOnlyChanges checks that nothing but the lines of assertions changes, in whatever way the file is written.
func TestPatchPostmanOnlyChanges(t *testing.T) {
	text := collection(t, []string{
		"pm.test(\"Status\", function () {",
		"    pm.response.to.have.status(200);",
		"    pm.expect(pm.response.json().at)",
		"        .to.eql(\"12:00\");",
		"});",
		"pm.environment.set(\"id\", pm.response.json().id);",
	}, []string{
		"pm.test(\"same\", () => {",
		"    pm.expect(pm.response.json().ref).to.eql(pm.environment.get(\"id\"));",
		"});",
	})
	src := Source{Steps: []exchange.Step{
		stepOf(1, "/x0", replies(`{"at":"12:01","id":"a"}`, `{"at":"12:02","id":"b"}`)),
		stepOf(2, "/x1", replies(`{"ref":"a"}`, `{"ref":"b"}`)),
	}}
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(text)); err != nil {
		t.Fatal(err)
	}
	gap := func(s string) string { return strings.Replace(s, "~", "\n"+strings.Repeat("\t", 9), 1) }
	for name, tt := range map[string]struct{ text, gone, now string }{
		"indented": {text, gap(`"    pm.expect(pm.response.json().at)",~"        .to.eql(\"12:00\");"`),
			gap(`"    // flaketap: /body/at: \"12:00\" as written; failed in 2 of 2, seen \"12:01\", \"12:02\"; Unk",~"    pm.expect(pm.response.json().at).to.be.a(\"string\");"`)},
		"compact": {compact.String(), `"    pm.expect(pm.response.json().at)","        .to.eql(\"12:00\");"`,
			`"    // flaketap: /body/at: \"12:00\" as written; failed in 2 of 2, seen \"12:01\", \"12:02\"; Unk","    pm.expect(pm.response.json().at).to.be.a(\"string\");"`},
		"BOM": {"\xef\xbb\xbf" + compact.String(), `"    pm.expect(pm.response.json().at)","        .to.eql(\"12:00\");"`,
			`"    // flaketap: /body/at: \"12:00\" as written; failed in 2 of 2, seen \"12:01\", \"12:02\"; Unk","    pm.expect(pm.response.json().at).to.be.a(\"string\");"`},
	} {
		p, err := Patch("a.json", []byte(tt.text), src, PatchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if want := strings.Replace(tt.text, tt.gone, tt.now, 1); want == tt.text || want != string(p.Data) {
			t.Errorf("%s (-want +got):\n%s", name, cmp.Diff(want, string(p.Data)))
		}
		if p.Calls != 2 || p.Matched != 2 || p.Tests != 1 || p.Assertions != 3 || len(p.Unknown) > 0 {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

func TestReadsPostmanRequests(t *testing.T) {
	const text = `{"info":{"name":"shop"},"variable":[{"key":"base","value":"http://localhost:1/api"}],"item":[
 {"name":"a","request":"http://localhost:8080/a?b=1#c","event":[{"listen":"prerequest","script":{"exec":["("]}},{"listen":"test","script":{"exec":"pm.test('a', () => {\n  pm.response.to.be.ok;\n});\nif (x) { pm.expect(1).to.eql(1); }"}}]},
 {"name":"f","item":[
  {"name":"b","request":{"method":"post","header":[{"key":"ACCEPT","value":"text/plain"}],"url":{"raw":"{{base}}/users/:id/x","variable":[{"key":"id","value":"7"}]},"body":{"mode":"raw","raw":"{\"a\": 1}"}}},
  {"name":"c","request":{"method":"PUT","url":"{{other}}/d/{{id}}","body":{"mode":"raw","raw":"{{x}}"}}},
  {"name":"d","request":{"method":"DELETE","url":{"raw":"localhost/e"},"body":{"mode":"urlencoded","urlencoded":[]}}}]},
 {"name":"g","request":{"url":"/h"}}]}`
	s, err := Read("a.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, test := range s.Tests {
		for _, c := range test.Calls {
			got = append(got, fmt.Sprintf("%s: %d %s %s %q %v %s %s", test.Name, c.Line, c.Method, c.Target, c.Body, c.Dynamic, c.Accept, s.Text[c.TargetAt.Start:c.TargetAt.End]))
		}
		for _, a := range test.Assertions {
			got = append(got, fmt.Sprintf("%s: %d %s %q", test.Name, a.Line, a.Text, a.Reason))
		}
	}
	want := []string{
		`shop: 2 GET /a?b=1 "" false */* "http://localhost:8080/a?b=1#c"`,
		`shop: 2 pm.response.to.be.ok; ""`,
		`shop: 2 if (x) { pm.expect(1).to.eql(1); } ""`,
		`shop / f: 4 POST /api/users/7/x "{\"a\": 1}" false text/plain {"raw":"{{base}}/users/:id/x","variable":[{"key":"id","value":"7"}]}`,
		"shop / f: 5 PUT \x00/d/\x00 \"\\x00\" true */* \"{{other}}/d/{{id}}\"",
		`shop / f: 6 DELETE /e "" true */* {"raw":"localhost/e"}`,
		`shop (2): 7 GET /h "" false */* "/h"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDamagedCollections(t *testing.T) {
	good := collection(t, []string{"pm.response.to.have.status(200);"})
	for _, tt := range []struct {
		name, text string
		line       int
		reason     string
	}{
		{"empty", "", 0, "no collection"},
		{"other JSON", `{"name": "x", "version": "1"}`, 0, "no collection"},
		{"no requests", `{"info": {}, "item": []}`, 0, "no collection"},
		{"cut off", good[:strings.Index(good, "listen")], 12, "unexpected end"},
		{"open bracket", strings.Replace(good, "200)", "200", 1), 15, `"(" is never closed`},
		{"comma missing", strings.Replace(good, "],", "]", 1), 17, "after object key:value pair"},
		{"bad escape", strings.Replace(good, "orders", `\x`, 1), 31, "in string escape code"},
		{"invalid UTF-8", strings.Replace(good, "orders", "\xff", 1), 31, "not valid UTF-8"},
		{"deep", `{"info": {}, "item": ` + strings.Repeat("[", 100000), 1, "nest deeper"},
	} {
		_, err := Patch("a.json", []byte(tt.text), Source{}, PatchOptions{})
		var e *script.SyntaxError
		if !errors.As(err, &e) || e.Line != tt.line || !strings.Contains(e.Reason, tt.reason) {
			t.Errorf("%s: err = %v, want line %d and %q", tt.name, err, tt.line, tt.reason)
		}
	}
}

func FuzzReadPostman(f *testing.F) {
	f.Add(collection(f, []string{"pm.test(\"a\", () => pm.response.to.have.status(200));", "tests['a'] = responseCode.code === 200"}))
	f.Add(graftedCollection)
	f.Add(`{"info":{},"item":[{"request":"a","event":[{"listen":"test","script":{"exec":"pm.expect(pm.response.json().a).to.eql(1)\n"}}]}]}`)
	src := Source{Steps: []exchange.Step{stepOf(1, "/x0", replies(`{"a":1}`, `{"a":"b"}`))}}
	f.Fuzz(func(t *testing.T, text string) {
		o := graftingAll("a.json", text)
		p, err := Patch("a.json", []byte(text), src, o)
		if err != nil {
			return
		}
		if json.Valid([]byte(text)) && !json.Valid(p.Data) {
			t.Fatalf("no JSON any more:\n%s", p.Data)
		}
		again, err := Patch("a.json", p.Data, src, o)
		if err != nil || !bytes.Equal(again.Data, p.Data) {
			t.Errorf("a second patch changes the file (%v):\n%s", err, cmp.Diff(string(p.Data), string(again.Data)))
		}
	})
}
