package suite

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/script"
)

func TestPatchHurl(t *testing.T) {
	asserts := func(line string) string { return "GET {{host}}/x0\nHTTP *\n[Asserts]\n" + line + "\n" }
	is := func(line string) string { return asserts("# flaketap\n" + line) }
	tests := []struct {
		name string
		text string
		seen []*exchange.Response
		want string // comments of flaketap's cut down to their beginning
	}{
		{"holds", asserts(`jsonpath "$.a" == 1`), replies(`{"a":1}`), asserts(`jsonpath "$.a" == 1`)},
		{"status", "GET {{host}}/x0\nHTTP 200\n", []*exchange.Response{reply(200, "", ""), reply(404, "", "")}, "GET {{host}}/x0\nHTTP *\n[Asserts]\n# flaketap\nstatus toString matches /^(?:200|404)$/\n"},
		{"status before a section", "GET {{host}}/x0\nHTTP 200\n[Asserts]\nbody exists\n", []*exchange.Response{reply(200, "", ""), reply(404, "", "")}, "GET {{host}}/x0\nHTTP *\n[Asserts]\n# flaketap\nstatus toString matches /^(?:200|404)$/\nbody exists\n"},
		{"status before the rest", "GET {{host}}/x0\nHTTP/1.1 200 # fine\nX-A: b\n\n[Captures]\na: body\n`[Asserts]`\n\nGET {{host}}/x1\nHTTP 200\n[Asserts]\nbody exists\n",
			[]*exchange.Response{reply(200, "X-A: b\r\n", "[Asserts]"), reply(404, "X-A: b\r\n", "[Asserts]")},
			"GET {{host}}/x0\nHTTP/1.1 * # fine\nX-A: b\n[Asserts]\n# flaketap\nstatus toString matches /^(?:200|404)$/\n\n[Captures]\na: body\n`[Asserts]`\n\nGET {{host}}/x1\nHTTP 200\n[Asserts]\nbody exists\n"},
		{"a third status", asserts("# flaketap: two were seen\nstatus toString matches /^(?:200|404)$/"), []*exchange.Response{reply(404, "", ""), reply(503, "", "")},
			asserts("# flaketap\n# flaketap\nstatus toString matches /^(?:200|404|503)$/")},
		{"status asserted", asserts("status == 200"), []*exchange.Response{reply(200, "", ""), reply(404, "", "")}, is("status toString matches /^(?:200|404)$/")},
		{"text", asserts(`jsonpath "$.a[0]['odd-key']" == "x" # why`), replies(`{"a":[{"odd-key":"yy"}]}`), is(`jsonpath "$.a[0]['odd-key']" isString # why`)},
		{"dates", asserts(`jsonpath "$.a" == "2026-01-02"`), replies(`{"a":"2026-03-04"}`), is(`jsonpath "$.a" matches /^(?:\d{4}-\d\d-\d\d)$/`)},
		{"number", asserts(`jsonpath "$.a" == 1`), replies(`{"a":2}`), is(`jsonpath "$.a" isInteger`)},
		{"null", asserts(`jsonpath "$.a" == null`), replies(`{"a":1}`), is(`# jsonpath "$.a" == null`)},
		{"count", asserts(`jsonpath "$.a" count == 2`), replies(`{"a":[1]}`), is(`jsonpath "$.a" isCollection`)},
		{"exists", asserts(`jsonpath "$.a" exists`), replies(`{"a":1}`, `{}`), is(`# jsonpath "$.a" exists`)},
		{"not", asserts(`body not contains "error"`), replies(`{}`), asserts(`body not contains "error"`)},
		{"header", asserts(`header "Content-Type" contains "json"`), []*exchange.Response{reply(200, "Content-Type: text/html\r\n", "")}, is(`header "content-type" != ""`)},
		{"header as a line", "GET {{host}}/x0\nHTTP *\nX-A: b\n", []*exchange.Response{reply(200, "X-A: c\r\n", "")}, "GET {{host}}/x0\nHTTP *\n# flaketap\n# X-A: b\n"},
		{"body", "GET {{host}}/x0\nHTTP *\n{\n  \"a\": [1, \"x\"]\n}\n\n# end\n", replies(`{"a":[1,"y"]}`), "GET {{host}}/x0\nHTTP *\n# flaketap\n[Asserts]\njsonpath \"$.a\" contains 1\n\n# end\n"},
		{"body that holds", "GET {{host}}/x0\nHTTP *\n{\"a\": [1, \"x\"]}\n", replies(`{ "a" :[1,"x"]}`), "GET {{host}}/x0\nHTTP *\n{\"a\": [1, \"x\"]}\n"},
		{"line of text", "GET {{host}}/x0\nHTTP *\n`abc`\n", replies(`abc`), "GET {{host}}/x0\nHTTP *\n`abc`\n"},
		{"no guard", asserts(`jsonpath "$.a" == "x"`), replies(`{"a":"x"}`, `{}`), is(`# jsonpath "$.a" == "x"`)},
		{"not understood", asserts(`jsonpath "$..a" count > 1`), replies(`{}`), asserts(`jsonpath "$..a" count > 1`)},
		{"Windows, status", "GET {{host}}/x0\r\nHTTP 200\r\n[Asserts]\r\nbody exists\r\n", []*exchange.Response{reply(404, "", "")}, "GET {{host}}/x0\r\nHTTP *\r\n[Asserts]\r\n# flaketap\r\nstatus toString matches /^(?:200|404)$/\r\nbody exists\r\n"},
		{"Windows", strings.ReplaceAll(asserts(`jsonpath "$.a" == 1`), "\n", "\r\n"), replies(`{"a":2}`), strings.ReplaceAll(is(`jsonpath "$.a" isInteger`), "\n", "\r\n")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			src := Source{Steps: []exchange.Step{stepOf(1, "/x0", tt.seen)}}
			p, err := Patch("a.hurl", []byte(tt.text), src, PatchOptions{})
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			for _, line := range script.SplitLines(string(p.Data)) {
				if strings.HasPrefix(line, "# flaketap: ") {
					line = "# flaketap" + script.LineEnd(line)
				}
				got.WriteString(line)
			}
			if diff := cmp.Diff(tt.want, got.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			again, err := Patch("a.hurl", p.Data, src, PatchOptions{})
			if err != nil || string(again.Data) != string(p.Data) {
				t.Errorf("a second patch changes the file (%v):\n%s", err, cmp.Diff(string(p.Data), string(again.Data)))
			}
		})
	}
}

func TestReadsHurl(t *testing.T) {
	const text = `# make one
POST http://localhost:8080/api/users # here
Accept: application/json
Content-Type: application/json
{
    "name": "bob", "n": {{count}}
}
HTTP/1.1 201
Location: /users/1
[Captures]
id: jsonpath "$.id"
[Asserts]
jsonpath "$.tags" count == 2
jsonpath "$.tags" includes "a"
header "ETag" exists
duration < 500

PUT {{host}}/users/{{id}}?a=1
[QueryStringParams]
b: 2
[FormParams]
x: y z
HTTP 200
[Asserts]
jsonpath "$['id']" == {{id}}
jsonpath "$.at" isIsoDate
DELETE {{host}}/users/1
` + "```json\n{\"a\":1}\n```\n" + `HTTP 204
`
	s, err := Read("dir/users.hurl", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Tests) != 1 || s.Tests[0].Name != "users" {
		t.Fatalf("%+v", s.Tests)
	}
	var got []string
	for _, c := range s.Tests[0].Calls {
		got = append(got, fmt.Sprintf("%d %s %q %q %v %s %s", c.Line, c.Method, c.Target, c.Body, c.Dynamic, c.Accept, s.Text[c.TargetAt.Start:c.TargetAt.End]))
	}
	for _, a := range s.Tests[0].Assertions {
		got = append(got, fmt.Sprintf("%d of %d: %s %s %s %q", a.Line, a.Call, a.Place, a.Relation, a.Value, a.Reason))
	}
	want := []string{
		`2 POST "/api/users" "{\n    \"name\": \"bob\", \"n\": \x00\n}" true application/json http://localhost:8080/api/users`,
		`18 PUT "\x00/users/\x00?a=1&b=2" "x=y z" true  `,
		`27 DELETE "\x00/users/1" "{\"a\":1}\n" false  {{host}}/users/1`,
		`8 of 0: /status equal 201 ""`,
		`9 of 0: /header/location equal "/users/1" ""`,
		`13 of 0: /body/tags length 2 ""`,
		`14 of 0: /body/tags contains "a" ""`,
		`15 of 0: /header/etag present  ""`,
		`16 of 0:    ""`,
		`23 of 1: /status equal 200 ""`,
		`25 of 1:    ""`,
		`26 of 1:    "it asserts in an unknown way"`,
		`31 of 2: /status equal 204 ""`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDamagedHurl(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		line       int
		reason     string
	}{
		{"empty", "", 0, "no entries"},
		{"no request", "HTTP 200\n", 1, "an answer without a request"},
		{"prose", "\nhello there\n", 2, "want a request"},
		{"open bracket", "POST /a\n{\n\"a\": 1\nHTTP 200\n", 4, "after object key:value pair"},
		{"open fence", "POST /a\n```\nabc\n", 2, "never closed"},
		{"after the body", "GET /a\nHTTP 200\n[]\nstatus == 1\n", 4, "there is text after the body"},
		{"invalid UTF-8", "POST /a\n\xff\n", 2, "not valid UTF-8"},
	} {
		_, err := Patch("a.hurl", []byte(tt.text), Source{}, PatchOptions{})
		var e *script.SyntaxError
		if !errors.As(err, &e) || e.Line != tt.line || !strings.Contains(e.Reason, tt.reason) {
			t.Errorf("%s: err = %v, want line %d and %q", tt.name, err, tt.line, tt.reason)
		}
	}
}

func FuzzReadHurl(f *testing.F) {
	f.Add(graftedHurl)
	f.Add("GET http://a/x0\nHTTP 200\n[Asserts]\njsonpath \"$.a\" == 1\nheader \"x\" matches /a\\/b/\n")
	f.Add("POST {{h}}/x0\n```\na\n```\nHTTP *\n[Captures]\na: body\n{\"a\": {{b}}}\n")
	src := Source{Steps: []exchange.Step{stepOf(1, "/x0", replies(`{"a":1}`, `{"a":"b"}`))}}
	f.Fuzz(func(t *testing.T, text string) {
		o := graftingAll("a.hurl", text)
		p, err := Patch("a.hurl", []byte(text), src, o)
		if err != nil {
			return
		}
		again, err := Patch("a.hurl", p.Data, src, o)
		if err != nil || !bytes.Equal(again.Data, p.Data) {
			t.Errorf("a second patch changes the file (%v):\n%s", err, cmp.Diff(string(p.Data), string(again.Data)))
		}
	})
}
