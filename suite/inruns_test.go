package suite

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// What moves in one of the runs of a test is weakened in a way that is true of all of them, and as little as can be; runs
// of several tests that take turns are told apart.
func TestWeakensInRuns(t *testing.T) {
	json := func(status int, body string) *exchange.Response { return reply(status, jsonType, body) }
	seen := func(target string, rs ...*exchange.Response) (string, []*exchange.Response) { return target, rs }
	const head = "const axios = require(\"axios\");\n\nconst api = axios.create({ baseURL: \"http://localhost:1\", validateStatus: () => true });\n\n"
	const rows = `it.each([["/a", 200], ["/b", 404]])("t %s", async (path, status) => {` + "\n  const r = await api.get(path);\n  MARK\n});\n"
	const lists = `it.each([["/a", ["x", "y"]], ["/b", ["z"]]])("t %s", async (path, want) => {` + "\n  const r = await api.get(path);\n  MARK\n});\n"
	const same = `it.each([["/a"], ["/b"]])("t %s", async (path) => {` + "\n  const r = await api.get(path);\n  MARK\n});\n"
	const turns = `describe.each(["/a", "/b"])("of %s", (path) => {` +
		"\n  it(\"is\", async () => {\n    const r = await api.get(path);\n    expect(r.status).toBe(200);\n  });\n" +
		"\n  it(\"has\", async () => {\n    const r = await api.get(path + \"/m\");\n    MARK\n  });\n});\n"
	const shared = "function ok(r) {\n  expect(r.status).toBe(200);\n  expect(r.data.n).toBe(1);\n}\n\n" +
		"it(\"t\", async () => {\n  const r = await api.get(\"/a\");\n  MARK\n});\n"
	type step struct {
		target string
		rs     []*exchange.Response
	}
	of := func(target string, rs []*exchange.Response) step { return step{target, rs} }
	ok, gone, busy, tea := json(200, `{"n":1}`), json(404, `{"n":1}`), json(503, `{}`), json(200, `{"n":2}`)
	for _, tt := range []struct {
		name, text, line string
		steps            []step
		want             string
	}{
		{"a status of one row", same, "expect(r.status).toBe(200);", []step{of(seen("/a", ok, busy)), of(seen("/b", ok, ok))},
			"expect([200, 503]).toContain(r.status);"},
		{"a status that each row expects otherwise", rows, "expect(r.status).toBe(status);",
			[]step{of(seen("/a", ok, busy)), of(seen("/b", gone, gone))}, "expect([status, 503]).toContain(r.status);"},
		{"a status that another row expects", rows, "expect(r.status).toBe(status);",
			[]step{of(seen("/a", ok, gone)), of(seen("/b", gone, gone))}, "expect([200, 404]).toContain(r.status);"},
		{"a value of one row", same, "expect(r.data.n).toBe(1);", []step{of(seen("/a", ok, tea)), of(seen("/b", ok, ok))},
			"expect(Number.isInteger(r.data.n)).toBe(true);"},
		{"what is there where the status is as expected", same, "expect(r.status).toBe(200);\n  expect(r.data.n).toBe(1);",
			[]step{of(seen("/a", ok, busy)), of(seen("/b", ok, ok))}, "if (r.status === 200) expect(r.data.n).toBe(1);"},
		{"both", same, "expect(r.status).toBe(200);\n  expect(r.data.n).toBe(1);",
			[]step{of(seen("/a", ok, busy)), of(seen("/b", ok, tea))},
			"if (r.status === 200) expect(Number.isInteger(r.data.n)).toBe(true);"},
		{"a time of one row", same, "expect(r.data.at).toBe(\"2026-11-23T13:49:13Z\");",
			[]step{of(seen("/a", json(200, `{"at":"2026-11-23T13:49:13Z"}`), json(200, `{"at":"2026-11-23T13:49:14.5Z"}`))),
				of(seen("/b", json(200, `{"at":"2026-11-23T13:49:13Z"}`), json(200, `{"at":"2026-11-23T13:49:15Z"}`)))},
			"expect(r.data.at).toMatch("},
		{"a list that each row expects otherwise, in any order", lists, "expect(r.data.l).toEqual(want);",
			[]step{of(seen("/a", json(200, `{"l":["x","y"]}`), json(200, `{"l":["y","x"]}`))),
				of(seen("/b", json(200, `{"l":["z"]}`), json(200, `{"l":["z"]}`)))},
			"expect([...r.data.l].sort()).toEqual([...want].sort());"},
		{"a number that is whole now and then", same, "expect(r.data.n).toBe(1.5);",
			[]step{of(seen("/a", json(200, `{"n":2.5}`), json(200, `{"n":3}`))), of(seen("/b", ok, ok))},
			`expect(typeof r.data.n === "number").toBe(true);`},
		{"a value that is null now and then", same, "expect(r.data.n).toBe(1);",
			[]step{of(seen("/a", json(200, `{"n":null}`), json(200, `{"n":3}`))), of(seen("/b", ok, ok))},
			`if (r.data.n !== null) expect(Number.isInteger(r.data.n)).toBe(true);`},
		{"a function that asserts", shared, "ok(r);", []step{of(seen("/a", ok, busy))},
			"expect([200, 503]).toContain(r.status);\n  expect(r.data.n === undefined || r.data.n === 1).toBe(true);"},
		{"in turns", turns, "expect(r.data.n).toBe(1);",
			[]step{of(seen("/a", ok, ok)), of(seen("/a/m", ok, tea)), of(seen("/b", ok, ok)), of(seen("/b/m", ok, ok))},
			"expect(Number.isInteger(r.data.n)).toBe(true);"},
		{"in turns, the other way round", turns, "expect(r.data.n).toBe(1);",
			[]step{of(seen("/b/m", ok, ok)), of(seen("/b", ok, ok)), of(seen("/a/m", ok, tea)), of(seen("/a", ok, ok))},
			"expect(Number.isInteger(r.data.n)).toBe(true);"},
	} {
		var steps []exchange.Step
		for i, s := range tt.steps {
			steps = append(steps, stepOf(uint64(i+1), s.target, s.rs))
		}
		text := head + strings.Replace(tt.text, "MARK", tt.line, 1)
		p, err := Patch("a.test.js", []byte(text), Source{Steps: steps}, PatchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(p.Data), "  "+tt.want+"\n") || strings.Contains(string(p.Data), "!(") {
			t.Errorf("%s:\n%s", tt.name, p.Data)
		}
		if again, err := Patch("a.test.js", p.Data, Source{Steps: steps}, PatchOptions{}); err != nil || string(again.Data) != string(p.Data) {
			t.Errorf("%s: patched again it is (%v)\n%s", tt.name, err, again.Data)
		}
	}
}
