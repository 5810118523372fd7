package suite

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// jestOf makes a suite of one test that sends GETs; each call's lines follow it.
func jestOf(calls ...[]string) string {
	var b strings.Builder
	b.WriteString("const superagent = require(\"superagent\");\nconst EM = require(\"./EMTestUtils.js\");\nconst baseUrlOfSut = \"http://localhost:1\";\n\ntest(\"test_0\", async () => {\n    \n")
	for i, lines := range calls {
		fmt.Fprintf(&b, "    const res_%d = await superagent\n            .get(baseUrlOfSut + \"/x%d\").set('Accept', \"*/*\")\n            .ok(res => res.status);\n    \n", i, i)
		for _, l := range lines {
			b.WriteString("    " + l + "\n")
		}
	}
	b.WriteString("});\n")
	return b.String()
}

// jestLines patches a suite and returns its assertions as they are then.
func jestLines(t *testing.T, text string, src Source) []string {
	t.Helper()
	p, err := Patch("t.js", []byte(text), src, PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	again, err := Patch("t.js", p.Data, src, PatchOptions{})
	if err != nil || string(again.Data) != string(p.Data) {
		t.Errorf("a second patch changes the file (%v):\n%s", err, cmp.Diff(string(p.Data), string(again.Data)))
	}
	for _, a := range again.Unknown {
		if strings.Contains(string(p.Data), script.CommentMark) && !strings.Contains(text, a.Text) {
			t.Errorf("not understood once it is patched: %s: %s", a.Text, a.Reason)
		}
	}
	var lines []string
	for _, l := range strings.Split(string(p.Data), "\n") {
		if l = strings.TrimSpace(l); strings.Contains(l, "expect(") {
			lines = append(lines, l)
		}
	}
	return lines
}

func jestWeakenCases() []weakenCase {
	json := replies
	const empty = `expect(res_0.body===null || res_0.body===undefined || res_0.body==="" || Object.keys(res_0.body).length === 0).toBe(true);`
	return []weakenCase{
		{name: "holds", line: `expect(res_0.body.a).toBe(1.0);`, seen: json(`{"a":1}`, `{"a":1.0}`), want: `expect(res_0.body.a).toBe(1.0);`},
		{name: "number beyond floats", line: `expect(res_0.body.a).toBe(9007199254740992);`, seen: json(`{"a":9007199254740993}`), want: `expect(res_0.body.a).toBe(9007199254740992);`},
		{name: "exponent", line: `expect(res_0.body.a).toBe(1.0E10);`, seen: json(`{"a":10000000000}`), want: `expect(res_0.body.a).toBe(1.0E10);`},
		{name: "infinity", line: `expect(res_0.body.a).toBe(Infinity);`, seen: json(`{"a":1e400}`), want: `expect(res_0.body.a).toBe(Infinity);`},
		{name: "string", line: `expect(res_0.body.a).toBe("x");`, seen: json(`{"a":"yy"}`), want: `expect(typeof res_0.body.a).toBe("string");`},
		{name: "number for a string", line: `expect(res_0.body.a).toBe("1");`, seen: json(`{"a":1}`), want: `expect(res_0.body.a).toBe(1);`},
		{name: "digests", line: `expect(res_0.body.a).toBe("0123456789abcdef0123456789abcdef");`, seen: json(`{"a":"f123456789abcdef0123456789abcdef"}`), want: `expect(res_0.body.a).toMatch(/^[\dA-Fa-f]{32}$/);`},
		{name: "dates", line: `expect(res_0.body.a).toBe("2026-01-02");`, seen: json(`{"a":"2026-03-04"}`), want: `expect(res_0.body.a).toMatch(/^\d{4}-\d\d-\d\d$/);`},
		{name: "digits", line: `expect(res_0.body.a).toBe("100000000001");`, seen: json(`{"a":"120000000000"}`, `{"a":"3"}`), want: `expect(res_0.body.a).toMatch(/^\d+$/);`},
		{name: "null at times", line: `expect(res_0.body.a).toBe(1);`, seen: json(`{"a":2}`, `{"a":null}`), want: `if (res_0.body.a !== null) expect(Number.isInteger(res_0.body.a)).toBe(true);`},
		{name: "was null", line: `expect(res_0.body.a).toBe(null);`, seen: json(`{"a":null}`, `{"a":"x"}`), want: `if (res_0.body.a !== null) expect(typeof res_0.body.a).toBe("string");`},
		{name: "boolean", line: `expect(res_0.body.a).toBe(true);`, seen: json(`{"a":false}`, `{"a":true}`), want: `expect(typeof res_0.body.a).toBe("boolean");`},
		{name: "type changes", line: `expect(res_0.body.a).toBe(true);`, seen: json(`{"a":"x"}`, `{"a":{}}`), want: `expect(typeof res_0.body.a === "boolean" || typeof res_0.body.a === "object" && res_0.body.a !== null && !Array.isArray(res_0.body.a) || typeof res_0.body.a === "string").toBe(true);`},
		{name: "member comes and goes", line: `expect(res_0.body.a.b).toBe("x");`, seen: json(`{"a":{"b":"x"}}`, `{"a":{}}`), want: `if (res_0.body.a.b !== undefined) expect(res_0.body.a.b).toBe("x");`},
		{name: "parent is null", line: `expect(res_0.body.a.b).toBe("x");`, seen: json(`{"a":{"b":"x"}}`, `{"a":null}`), want: `if (typeof res_0.body.a === "object" && res_0.body.a !== null && !Array.isArray(res_0.body.a)) expect(res_0.body.a.b).toBe("x");`},
		{name: "array shrinks", line: `expect(res_0.body[1].b).toBe("x");`, seen: json(`[{"b":1},{"b":"x"}]`, `[]`), want: `if (res_0.body.length > 1) expect(res_0.body[1].b).toBe("x");`},
		{name: "length of a list", line: `expect(res_0.body.a.length).toBe(2);`, seen: json(`{"a":[1,2]}`, `{"a":[]}`), want: `expect(Array.isArray(res_0.body.a)).toBe(true);`},
		{name: "length of what is no list", line: `expect(res_0.body.length).toBe(1);`, seen: json(`[1]`, `{"e":1}`), want: `expect(typeof res_0.body === "object" && res_0.body !== null).toBe(true);`},
		{name: "size of an object", line: `expect(Object.keys(res_0.body.a).length).toBe(0);`, seen: json(`{"a":{}}`, `{"a":{"b":1}}`), want: `expect(typeof res_0.body.a === "object" && res_0.body.a !== null && !Array.isArray(res_0.body.a)).toBe(true);`},
		{name: "odd keys", line: `expect(res_0.body["it's \"a\\b\""]["odd-key"]).toBe("\t");`, seen: json(`{"it's \"a\\b\"":{"odd-key":7}}`), want: `expect(Number.isInteger(res_0.body["it's \"a\\b\""]["odd-key"]) || typeof res_0.body["it's \"a\\b\""]["odd-key"] === "string").toBe(true);`},
		{name: "text in common", line: `expect(res_0.text).toContain("made at 10:12 by bob");`, seen: json(`"made at 10:13 by bob"`, `"made at 11:00 by bob"`), want: `expect(res_0.text).toMatch(/made at \d+:\d+ by bob/);`},
		{name: "nothing in common", line: `expect(res_0.text).toContain("abc");`, seen: json(`"xyz"`), want: `expect(res_0.text).toBeTruthy();`},
		{name: "status", line: `expect(res_0.status).toBe(204);`, seen: []*exchange.Response{reply(404, "", ""), reply(200, "", "")}, want: `expect([200, 204, 404]).toContain(res_0.status);`},
		{name: "media type", line: `expect(res_0.header["content-type"].startsWith("application/json")).toBe(true);`, seen: []*exchange.Response{reply(200, jsonType, "{}"), reply(200, "Content-Type: text/html;charset=x\r\n", "")}, want: `expect(res_0.header["content-type"]).toMatch(/application\/json|text\/html/);`},
		{name: "header missing at times", line: `expect(res_0.header["x-a"].startsWith("b")).toBe(true);`, seen: []*exchange.Response{reply(200, "X-A: b\r\n", ""), reply(200, "", "")}, want: `if (res_0.header["x-a"] !== undefined) expect(res_0.header["x-a"].startsWith("b")).toBe(true);`},
		{name: "header absent", line: `expect(res_0.header["x-a"]).toBeUndefined();`, seen: []*exchange.Response{reply(200, "X-A: b\r\n", "")}, want: `// expect(res_0.header["x-a"]).toBeUndefined();`},
		{name: "empty, no JSON", line: empty, seen: []*exchange.Response{reply(200, "Content-Type: text/html\r\n", "<p>")}, want: empty},
		{name: "empty no more", line: empty, seen: json(`{"a":1}`), want: "// " + empty},
		{name: "empty with the status", line: empty, status: 204, seen: []*exchange.Response{reply(404, jsonType, `{"a":1}`)}, want: `if (res_0.status === 204) ` + empty},
		{name: "value with the status", line: `expect(res_0.body.a).toBe("x");`, status: 200, seen: []*exchange.Response{reply(404, "", ""), reply(200, jsonType, `{"a":"x"}`)}, want: `if (res_0.status === 200) expect(res_0.body.a).toBe("x");`},
		{name: "JSON by another name", line: `expect(res_0.body.a).toBe("x");`, seen: []*exchange.Response{reply(200, "Content-Type: text/plain\r\n", `{"a":"x"}`)}, want: `if (res_0.body.a !== undefined) expect(typeof res_0.body.a).toBe("string");`},
		{name: "fault", line: `expect(res_0.status).toBe(200);`, seen: []*exchange.Response{reply(200, "", ""), nil}, want: `// expect(res_0.status).toBe(200);`},
		{name: "JSON that is none", line: `expect(res_0.status).toBe(200);`, seen: []*exchange.Response{reply(200, jsonType, "{"), reply(200, jsonType, "{}")}, want: `// expect(res_0.status).toBe(200);`},
		{name: "comment behind it", line: `expect(res_0.body.a).toBe(1); // why`, seen: json(`{"a":2}`), want: `expect(Number.isInteger(res_0.body.a)).toBe(true); // why`},
		{name: "no semicolon", line: `expect(res_0.body.a).toBe(1)`, seen: json(`{"a":2}`), want: `expect(Number.isInteger(res_0.body.a)).toBe(true);`},
		{name: "object", line: `expect(res_0.body.a).toEqual({"b": [1, null]});`, seen: json(`{"a":{"b":[1,null]}}`, `{"a":{"b":[]}}`), want: `expect(Array.isArray(res_0.body.a.b)).toBe(true);`},
		{name: "object with a member that moves", line: `expect(res_0.body).toEqual({"n": 1, "t": "a", "o": {"k": "v", "u": true}});`, seen: json(`{"n":1,"t":"b","o":{"k":"v","u":false}}`, `{"n":1,"t":"c","o":{"k":"v","u":true}}`), want: `expect(res_0.body.n).toBe(1); expect(typeof res_0.body.t).toBe("string"); expect(res_0.body.o.k).toBe("v"); expect(typeof res_0.body.o.u).toBe("boolean");`},
		{name: "elements with members that move", line: `expect(res_0.body).toEqual([{"n": 1, "t": "a"}, {"n": 2, "t": "b"}]);`, seen: json(`[{"n":1,"t":"x"},{"n":2,"t":"y"}]`), want: `expect(res_0.body.length).toBe(2); expect(res_0.body[0].n).toBe(1); expect(typeof res_0.body[0].t).toBe("string"); expect(res_0.body[1].n).toBe(2); expect(typeof res_0.body[1].t).toBe("string");`},
		{name: "shape with a member that moves", line: `expect(res_0.body).toMatchObject({"n": 1, "t": "a"});`, seen: json(`{"n":1,"t":"b","z":3}`), want: `expect(res_0.body.n).toBe(1); expect(typeof res_0.body.t).toBe("string");`},
		{name: "shape with types", line: `expect(res_0.body).toEqual({"n": 1, "t": expect.any(String)});`, seen: json(`{"n":2,"t":"b"}`), want: `expect(Object.keys(res_0.body).length).toBe(2); expect(Number.isInteger(res_0.body.n)).toBe(true); expect(typeof res_0.body.t).toBe("string");`},
		{name: "two on a line, one disabled", line: `expect(res_0.header["x-a"]).toBeUndefined(); expect(res_0.status).toBe(200);`, seen: []*exchange.Response{reply(200, "X-A: b\r\n", "")}, want: `expect(res_0.status).toBe(200);`},
		{name: "not understood", line: `expect(frob(res_0)).toBe(1);`, seen: json(`[1,0]`), want: `expect(frob(res_0)).toBe(1);`},
		{name: "already commented", line: `// expect(res_0.body[0]).toBe(2);`, seen: json(`[1,0]`), want: `// expect(res_0.body[0]).toBe(2);`},
		{name: "not equal, and not there", line: `expect(res_0.body.a).not.toBe("x");`, seen: json(`{}`, `{"a":"y"}`), want: `expect(res_0.body.a).not.toBe("x");`},
	}
}

// TestWeakenJest checks what becomes of each kind of assertion, and runs it in Node on all that was seen.
func TestWeakenJest(t *testing.T) {
	var cases []nodeCase
	var names []string
	for _, tt := range jestWeakenCases() {
		t.Run(tt.name, func(t *testing.T) {
			lines := []string{tt.line}
			if tt.status != 0 {
				lines = []string{fmt.Sprintf("expect(res_0.status).toBe(%d);", tt.status), tt.line}
			}
			got := jestLines(t, jestOf(lines), Source{Steps: []exchange.Step{stepOf(1, "/x0", tt.seen)}})
			last := got[len(got)-1]
			if diff := cmp.Diff(tt.want, last); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if strings.Contains(last, "frob") {
				return
			}
			for _, r := range tt.seen {
				if _, err := (expr.Scope{"a": expr.NewResponse(r, jestClient(t))}).Eval(expr.Name{ID: "a"}); err == nil {
					cases = append(cases, nodeCase{Code: last, Answers: map[string]nodeAnswer{"res_0": nodeAnswerOf(r)}})
					names = append(names, tt.name)
				}
			}
		})
	}
	for i, result := range runNode(t, "expect.js", cases) {
		if result != "" {
			t.Errorf("%s: %s fails on what was seen: %s", names[i], cases[i].Code, result)
		}
	}
}

func TestWeakenJestBound(t *testing.T) {
	src := Source{Steps: []exchange.Step{
		stepOf(1, "/x0", replies(`{"id":"a1"}`, `{"id":"b2"}`, `{"id":"c3"}`)),
		stepOf(2, "/x1", replies(`[{"ref":"a1"}]`, `[{"ref":"b2"}]`, `[{"ref":"c3"}]`)),
	}}
	got := jestLines(t, jestOf(nil, []string{`expect(res_1.body[0].ref).toBe("z9");`}), src)
	if diff := cmp.Diff([]string{`expect(res_1.body[0].ref).toBe(res_0.body.id);`}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestWeakenJestByMap checks what the map adds: what holds of a place, and places that move elsewhere or will.
func TestWeakenJestByMap(t *testing.T) {
	field := func(place exchange.Place, j mapfile.Judgement, c mapfile.Category, h mapfile.Holds) *mapfile.Field {
		return &mapfile.Field{Place: place, Judgement: j, Category: c, Changed: 1, Of: 1, Holds: h}
	}
	two, four := 2, 4
	src := Source{
		Steps: []exchange.Step{stepOf(1, "/x0", replies(`{"t":"12:00:01","s":["a","b"],"o":[{"k":1},{"k":2}],"n":5,"e":"on","l":[1,2,3]}`,
			`{"t":"12:00:01","s":["b","a"],"o":[{"k":2},{"k":1}],"n":6,"e":"off","l":[1,2]}`))},
		Operations: map[uint64]exchange.Operation{1: {Method: "GET", Template: "/x0"}},
		Map: &mapfile.Map{Operations: []*mapfile.Operation{{
			Operation: exchange.Operation{Method: "GET", Template: "/x0"}, Status: 200,
			Fields: []*mapfile.Field{
				field("/body/e", mapfile.Jitter, mapfile.Rand, mapfile.Holds{Type: "string", OneOf: []json.RawMessage{json.RawMessage(`"on"`), json.RawMessage(`"off"`)}}),
				field("/body/l", mapfile.Jitter, mapfile.Rand, mapfile.Holds{Type: "array", MinLength: &two, MaxLength: &four}),
				field("/body/n", mapfile.Jitter, mapfile.Rand, mapfile.Holds{Type: "integer", Min: "0", Max: "9"}),
				field("/body/o", mapfile.Jitter, mapfile.Unord, mapfile.Holds{Type: "array", Order: "any"}),
				field("/body/s", mapfile.Jitter, mapfile.Unord, mapfile.Holds{Type: "array", Order: "any"}),
				field("/body/t", mapfile.WouldMove, mapfile.Time, mapfile.Holds{Type: "string", Format: "time"}),
			},
		}}},
	}
	got := jestLines(t, jestOf([]string{
		`expect(res_0.body.t).toBe("12:00:01");`,
		`expect(res_0.body.s.length).toBe(2);`,
		`expect(res_0.body.s[0]).toBe("a");`,
		`expect(res_0.body.o[1].k).toBe(2);`,
		`expect(res_0.body.n).toBe(5.0);`,
		`expect(res_0.body.e).toBe("on");`,
		`expect(res_0.body.l.length).toBe(3);`,
	}), src)
	want := []string{
		`expect(res_0.body.t).toMatch(/^\d\d:\d\d(:\d\d([,.]\d+)?)?([Zz]|[+\-]\d\d:?\d\d)?$/);`,
		`expect(res_0.body.s.length).toBe(2);`,
		`expect(res_0.body.s).toContain("a");`,
		`expect(res_0.body.o.map(e => e.k)).toContain(2);`,
		`expect(Number.isInteger(res_0.body.n)).toBe(true); expect(res_0.body.n).toBeGreaterThanOrEqual(0); expect(res_0.body.n).toBeLessThanOrEqual(9);`,
		`expect(["off", "on"]).toContain(res_0.body.e);`,
		`expect(res_0.body.l.length).toBeGreaterThanOrEqual(2); expect(res_0.body.l.length).toBeLessThanOrEqual(4);`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
