package jest

import (
	"testing"

	"github.com/flaketap/flaketap/suite/script"
)

// A call of a function that does nothing but assert is an assertion of what its statements are with what it is given; a
// function that does more is shared, and stays.
func TestHelpers(t *testing.T) {
	const (
		wants = "function wants(res, status, code) {\n  expect(res.status).toBe(status);\n  if (code) expect(res.data.code).toBe(code);\n}\n"
		sent  = "const r = await api.get('/a');\n  "
		both  = "GET /a; expect(r.status).toBe(404);\n  expect(r.data.code).toBe('X');"
		body  = "async function wants(res, code) {\n  expect(res.status).toBe(404);\n  const body = await res.json();\n  expect(body.code).toBe(code);\n}\n"
		some  = "async function wants(res, code) {\n  const { code: own, id } = await res.json();\n  expect(own).toBe(code);\n  expect(id).toBe(1);\n}\n"
	)
	for _, tt := range []struct{ name, helper, body, want string }{
		{"with both", wants, sent + "wants(r, 404, 'X');", both},
		{"with one", wants, sent + "wants(r, 200);", "GET /a; expect(r.status).toBe(200);"},
		{"an arrow", "const wants = (res, status) => {\n  expect(res.status).toBe(status);\n};\n", sent + "wants(r, 200);", "GET /a; expect(r.status).toBe(200);"},
		{"of a function of its kind", wants + "function lacks(res, code) {\n  wants(res, 404, code);\n}\n", sent + "lacks(r, 'X');", both},
		{"a part of the answer", "function wants(order) {\n  const { id, n } = order;\n  expect(id).toBe(1);\n  expect(n).toBe(2);\n}\n", sent + "wants(r.data);",
			"GET /a; expect(r.data.id).toBe(1);\n  expect(r.data.n).toBe(2);"},
		{"the body of fetch", body, "const r = await fetch('/a');\n  await wants(r, 'X');", "GET /a; expect(r.status).toBe(404);\n  expect((await r.json()).code).toBe('X');"},
		{"more of the body of fetch", some, "const r = await fetch('/a');\n  await wants(r, 'X');",
			"GET /a; {\n    const actual = await r.json();\n    expect(actual.code).toBe('X');\n    expect(actual.id).toBe(1);\n  }"},
		{"assert", "const assert = require('node:assert');\nfunction wants(res, n) {\n  assert.equal(res.status, n);\n}\n", sent + "wants(r, 200);", "GET /a; assert.strictEqual(r.status, 200);"},
		{"Chai", "const { expect } = require('chai');\nfunction wants(res, n) {\n  expect(res.status).to.equal(n);\n}\n", sent + "wants(r, 200);", "GET /a; expect(r.status).to.equal(200);"},
		{"an object of the suite's own", wants + "async function send(path) {\n  const res = await fetch(path);\n  const text = await res.text();\n  return { status: res.status, data: text ? JSON.parse(text) : null };\n}\n",
			"const r = await send('/a');\n  wants(r, 404, 'X');", both},
		{"one that is not awaited", body, "const r = await fetch('/a');\n  wants(r, 'X');", "GET /a; not: it stands in a function that tests share; not: it stands in a function that tests share"},
		{"one that sends", "async function wants(n) {\n  const res = await api.get('/a');\n  expect(res.status).toBe(n);\n}\n", "await wants(200);", "GET /a; not: it stands in a function that tests share"},
		{"one that gives something", "function wants(res) {\n  expect(res.status).toBe(200);\n  return res.data;\n}\n", sent + "wants(r);", "GET /a; not: it stands in a function that tests share"},
		{"one that does more", "function wants(res) {\n  log(res);\n  expect(res.status).toBe(200);\n}\n", sent + "wants(r);", "GET /a; not: it stands in a function that tests share"},
		{"one that asks the answer", "function wants(res) {\n  if (res.data.ok) expect(res.status).toBe(200);\n}\n", sent + "wants(r);", "GET /a; not: which branch a function takes is not known"},
		{"an argument that sends", wants, "wants(await api.get('/a'), 200);", "GET /a; not: the answer to what an argument sends is not known"},
	} {
		if got := inRuns(t, tt.helper+"it('t', async () => {\n  "+tt.body+"\n});"); got != tt.want {
			t.Errorf("%s\ngot  %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

// The function may stand in another file of the suite, whose words are then written where the test's file has them.
func TestHelpersOfOtherFiles(t *testing.T) {
	const test = "it('t', async () => {\n  const r = await api.get('/a');\n  wants(r, 200);\n});"
	for _, tt := range []struct{ name, helper, imports, want string }{
		{"words of Jest", "exports.wants = (res, n) => { expect(res.status).toBe(n); };", "", "expect(r.status).toBe(200);"},
		{"imported words", "const { expect } = require('chai');\nexports.wants = (res, n) => { expect(res.status).to.equal(n); };", "const { expect } = require('chai');\nexpect(1).to.equal(1);\n", "expect(r.status).to.equal(200);"},
		{"words that the test lacks", "const { expect } = require('chai');\nexports.wants = (res, n) => { expect(res.status).to.equal(n); };", "", ""},
		{"assert", "const assert = require('assert');\nexports.wants = (res, n) => { assert.equal(res.status, n); };", "const assert = require('assert');\n", "assert.strictEqual(r.status, 200);"},
		{"assert that the test lacks", "const assert = require('assert');\nexports.wants = (res, n) => { assert.equal(res.status, n); };", "", ""},
	} {
		text := tt.imports + "const { wants } = require('./wants');\n" + test
		s, err := script.ReadAmong(Written(), "a.test.js", []byte(text), func(path string) (string, bool) { return tt.helper, path == "wants.js" })
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, a := range s.Tests[0].Assertions {
			if a.Meaning != nil {
				got, _ = s.Writer.Assert(s, s.Tests[0], a, a.Meaning)
			}
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
