package suite

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// patchedAmong patches a suite that has files beside it, by what the request GET /order was answered, the answer of the
// recording first.
func patchedAmong(t *testing.T, name, text string, files map[string]string, answers ...string) Patched {
	t.Helper()
	var observed []*exchange.Response
	for _, body := range answers {
		observed = append(observed, exchange.ParseResponse(exchange.Message{
			Head: []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"), Body: []byte(body), Plain: true}))
	}
	s, err := ReadAmong(name, []byte(text), func(path string) (string, bool) {
		text, ok := files[path]
		return text, ok
	})
	if err != nil {
		t.Fatal(err)
	}
	return Bind(s, Source{Steps: []exchange.Step{stepOf(1, "/order", observed)}}, nil).Patch(PatchOptions{})
}

// snapshotCase is an assertion that compares with a snapshot, and what becomes of both.
type snapshotCase struct {
	name    string
	says    string // the assertions, a line each
	stored  string // the snapshots
	answers []string
	want    string // the assertions, without comments
	mended  string // the snapshots; "" where they stay
	reason  string // why an assertion is not understood, where one is not
}

// jestStored is a file of Jest's with the snapshots of the test "order", from name and content in turn.
func jestStored(entries ...string) string {
	out := "// Jest Snapshot v1, https://goo.gl/fbAQLP\n"
	for i := 0; i < len(entries); i += 2 {
		content := entries[i+1]
		if strings.Contains(content, "\n") {
			content = "\n" + content + "\n"
		}
		out += "\nexports[`order" + entries[i] + "`] = `" + content + "`;\n"
	}
	return out
}

// Snapshots of Jest get property matchers for what moves, and what is stored agrees with these. What no property matcher
// can say is said without the snapshot, and the others of the test are numbered anew.
func TestJestSnapshots(t *testing.T) {
	const one = "{\n  \"id\": 1,\n  \"name\": \"Ada\",\n}"
	moving := []string{`{"id":2,"name":"Ada"}`, `{"id":3,"name":"Ada"}`, `{"id":4,"name":"Ada"}`}
	nested := []string{`{"a":{"b":[{"at":1,"n":1},{"at":5,"n":2}]}}`, `{"a":{"b":[{"at":1,"n":1},{"at":9,"n":2}]}}`}
	for _, c := range []snapshotCase{
		{name: "what holds stays", says: "expect(body).toMatchSnapshot();", stored: jestStored(" 1", one),
			answers: []string{`{"id":1,"name":"Ada"}`, `{"name":"Ada","id":1}`}, want: "expect(body).toMatchSnapshot();"},
		{name: "a member", says: "expect(body).toMatchSnapshot();", stored: jestStored(" 1", one), answers: moving,
			want:   "expect(body).toMatchSnapshot({ id: expect.any(Number) });",
			mended: jestStored(" 1", "{\n  \"id\": Any<Number>,\n  \"name\": \"Ada\",\n}")},
		{name: "of an older Jest", says: "expect(body).toMatchSnapshot();", answers: moving,
			stored: jestStored(" 1", "Object {\n  \"id\": 1,\n  \"name\": \"Ada\",\n}"),
			want:   "expect(body).toMatchSnapshot({ id: expect.any(Number) });",
			mended: jestStored(" 1", "Object {\n  \"id\": Any<Number>,\n  \"name\": \"Ada\",\n}")},
		{name: "a hint", says: "expect(body).toMatchSnapshot('first');", stored: jestStored(": first 1", one), answers: moving,
			want:   `expect(body).toMatchSnapshot({ id: expect.any(Number) }, "first");`,
			mended: jestStored(": first 1", "{\n  \"id\": Any<Number>,\n  \"name\": \"Ada\",\n}")},
		{name: "matchers that are there", says: "expect(body).toMatchSnapshot({ name: expect.any(String) });", answers: moving,
			stored: jestStored(" 1", "{\n  \"id\": 1,\n  \"name\": Any<String>,\n}"),
			want:   "expect(body).toMatchSnapshot({ id: expect.any(Number), name: expect.any(String) });",
			mended: jestStored(" 1", "{\n  \"id\": Any<Number>,\n  \"name\": Any<String>,\n}")},
		{name: "a matcher that is too narrow", says: "expect(body).toMatchSnapshot({ id: expect.any(Number) });",
			answers: []string{`{"id":1,"name":"Ada"}`, `{"id":"x","name":"Ada"}`},
			stored:  jestStored(" 1", "{\n  \"id\": Any<Number>,\n  \"name\": \"Ada\",\n}"),
			want: "expect(Object.keys(body).length).toBe(2);\n  expect(typeof body.id === \"number\" || typeof body.id === \"string\").toBe(true);\n" +
				"  expect(body.name).toBe(\"Ada\");",
			mended: jestStored()},
		{name: "matchers that are not stored", says: "expect(body).toMatchSnapshot({ name: expect.any(String) });", answers: moving,
			stored: jestStored(" 1", one), want: "expect(body).toMatchSnapshot({ name: expect.any(String) });",
			reason: "its property matchers are not those of its snapshot: a run with -u writes that anew"},
		{name: "within lists", says: "expect(body).toMatchSnapshot();", answers: nested,
			stored: jestStored(" 1", "{\n  \"a\": {\n    \"b\": [\n      {\n        \"at\": 1,\n        \"n\": 1,\n      },\n      {\n        \"at\": 4,\n        \"n\": 2,\n      },\n    ],\n  },\n}"),
			want:   "expect(body).toMatchSnapshot({ a: { b: [{}, { at: expect.any(Number) }] } });",
			mended: jestStored(" 1", "{\n  \"a\": {\n    \"b\": [\n      {\n        \"at\": 1,\n        \"n\": 1,\n      },\n      {\n        \"at\": Any<Number>,\n        \"n\": 2,\n      },\n    ],\n  },\n}")},
		{name: "any order", says: "expect(body).toMatchSnapshot();", answers: []string{`{"tags":["b","a"]}`, `{"tags":["a","b"]}`},
			stored: jestStored(" 1", "{\n  \"tags\": [\n    \"a\",\n    \"b\",\n  ],\n}"),
			want:   `expect(body).toMatchSnapshot({ tags: expect.arrayContaining(["a", "b"]) });`,
			mended: jestStored(" 1", "{\n  \"tags\": ArrayContaining [\n    \"a\",\n    \"b\",\n  ],\n}")},
		{name: "any length", says: "expect(body).toMatchSnapshot();", answers: []string{`{"n":[{"a":1},{"a":2}]}`, `{"n":[]}`},
			stored: jestStored(" 1", "{\n  \"n\": [\n    {\n      \"a\": 1,\n    },\n  ],\n}"),
			want:   `expect(body).toMatchSnapshot({ n: expect.arrayContaining([]) });`,
			mended: jestStored(" 1", "{\n  \"n\": ArrayContaining [],\n}")},
		{name: "put together", says: "expect({ status: res.status, body }).toMatchSnapshot();", answers: moving,
			stored: jestStored(" 1", "{\n  \"body\": {\n    \"id\": 1,\n    \"name\": \"Ada\",\n  },\n  \"status\": 200,\n}"),
			want:   "expect({ status: res.status, body }).toMatchSnapshot({ body: { id: expect.any(Number) } });",
			mended: jestStored(" 1", "{\n  \"body\": {\n    \"id\": Any<Number>,\n    \"name\": \"Ada\",\n  },\n  \"status\": 200,\n}")},
		{name: "the rest of an answer", says: "const { key, ...rest } = body;\n  expect(rest).toMatchSnapshot();", stored: jestStored(" 1", one),
			answers: []string{`{"key":"a","id":2,"name":"Ada"}`, `{"key":"b","id":3,"name":"Ada"}`, `{"key":"c","id":4,"name":"Ada"}`},
			want:    "const { key, ...rest } = body;\n  expect(rest).toMatchSnapshot({ id: expect.any(Number) });",
			mended:  jestStored(" 1", "{\n  \"id\": Any<Number>,\n  \"name\": \"Ada\",\n}")},
		{name: "the rest, of which more is stored", says: "const { name: who, ...rest } = body;\n  expect(rest).toMatchSnapshot();",
			stored: jestStored(" 1", one), answers: moving, want: "const { name: who, ...rest } = body;\n  expect(rest).toMatchSnapshot();",
			reason: "its snapshot is of another form than what is compared with it"},
		{name: "all of an answer and more", says: "expect({ ...body, status: res.status }).toMatchSnapshot();", answers: moving,
			stored: jestStored(" 1", "{\n  \"id\": 1,\n  \"name\": \"Ada\",\n  \"status\": 200,\n}"),
			want:   "expect({ ...body, status: res.status }).toMatchSnapshot({ id: expect.any(Number) });",
			mended: jestStored(" 1", "{\n  \"id\": Any<Number>,\n  \"name\": \"Ada\",\n  \"status\": 200,\n}")},
		{name: "in the test", says: "expect(body).toMatchInlineSnapshot(`\n    {\n      \"id\": 1,\n      \"name\": \"Ada\",\n    }\n  `);",
			answers: moving,
			want:    "expect(body).toMatchInlineSnapshot({ id: expect.any(Number) }, `\n    {\n      \"id\": Any<Number>,\n      \"name\": \"Ada\",\n    }\n  `);"},
		{name: "a text, and those behind it", answers: moving,
			says:   "expect(body.id).toMatchSnapshot();\n  expect(body.name).toMatchSnapshot();\n  expect(body).toMatchSnapshot();",
			stored: jestStored(" 1", "1", " 2", `"Ada"`, " 3", one),
			want:   "expect(Number.isInteger(body.id)).toBe(true);\n  expect(body.name).toMatchSnapshot();\n  expect(body).toMatchSnapshot({ id: expect.any(Number) });",
			mended: jestStored(" 1", `"Ada"`, " 2", "{\n  \"id\": Any<Number>,\n  \"name\": \"Ada\",\n}")},
		{name: "members that come and go", says: "expect(body).toMatchSnapshot();\n  expect(body.name).toMatchSnapshot();",
			answers: []string{`{"id":1,"name":"Ada"}`, `{"id":1,"name":"Ada","x":1}`}, stored: jestStored(" 1", one, " 2", `"Ada"`),
			want: "expect(body.id).toBe(1);\n  expect(body.name).toBe(\"Ada\");\n  expect(\n    typeof body === \"object\" && body !== null && !Array.isArray(body),\n" +
				"  ).toBe(true);\n  expect(body.name).toMatchSnapshot();",
			mended: jestStored(" 1", `"Ada"`)},
		{name: "others than it is seen to make", says: "expect(body).toMatchSnapshot();", answers: moving,
			stored: jestStored(" 1", one, " 2", one), want: "expect(body).toMatchSnapshot();",
			reason: "which snapshot of __snapshots__/a.test.js.snap is its own is not known: others are stored than the test is seen to compare with; give each a name, toMatchSnapshot(\"…\")"},
		{name: "none", says: "expect(body).toMatchSnapshot();", answers: moving, want: "expect(body).toMatchSnapshot();",
			reason: "there is no snapshot of its name in __snapshots__/a.test.js.snap: a run without --ci writes it"},
		{name: "no JSON", says: "expect(body).toMatchSnapshot();", answers: moving, want: "expect(body).toMatchSnapshot();",
			stored: jestStored(" 1", "[Error: x]"), reason: "the stored snapshot is not only of what JSON has"},
	} {
		c.holds(t, "a.test.js", "__snapshots__/a.test.js.snap", func(says string) string {
			return "test(\"order\", async () => {\n  const res = await fetch(\"http://localhost:1/order\");\n  const body = await res.json();\n  " +
				says + "\n});\n"
		}, "// flaketap: ")
	}
}

// Vitest puts other marks between the titles of a test, and before a hint.
func TestVitestSnapshots(t *testing.T) {
	file := func(value string) string {
		return "// Vitest Snapshot v1, https://vitest.dev/guide/snapshot.html\n\nexports[`shop > order > first 1`] = `\n{\n  \"id\": " +
			value + ",\n}\n`;\n"
	}
	snapshotCase{name: "hint", says: `expect(body).toMatchSnapshot("first");`, stored: file("1"),
		answers: []string{`{"id":2}`, `{"id":3}`, `{"id":4}`},
		want:    `expect(body).toMatchSnapshot({ id: expect.any(Number) }, "first");`, mended: file("Any<Number>"),
	}.holds(t, "a.test.ts", "__snapshots__/a.test.ts.snap", func(says string) string {
		return "describe(\"shop\", () => {\n  it(\"order\", async () => {\n    const res = await fetch(\"http://localhost:1/order\");\n    " +
			"const body = await res.json();\n    " + says + "\n  });\n});\n"
	}, "// flaketap: ")
}

// holds patches a suite, and again what came of that.
func (c snapshotCase) holds(t *testing.T, name, path string, suite func(says string) string, comment string) {
	t.Run(c.name, func(t *testing.T) {
		stored := map[string]string{}
		if c.stored != "" {
			stored[path] = c.stored
		}
		p := patchedAmong(t, name, suite(c.says), stored, c.answers...)
		var reasons []string
		for _, a := range p.Unknown {
			reasons = append(reasons, a.Reason)
		}
		if got := strings.Join(reasons, "; "); got != c.reason {
			t.Errorf("not understood: %s", got)
		}
		want := suite(c.want)
		if strings.Contains(want, " re.fullmatch(") {
			want = "import re\n\n" + want
		}
		if got := uncommented(string(p.Data), comment); got != want {
			t.Errorf("patched\n%swant\n%s", got, want)
		}
		mended := ""
		for _, f := range p.Beside {
			if mended += f.Text; f.Path != path {
				t.Errorf("it changes %s", f.Path)
			}
		}
		if mended != c.mended {
			t.Errorf("stored\n%swant\n%s", mended, c.mended)
		}
		if mended != "" {
			stored[path] = mended
		}
		again := patchedAmong(t, name, string(p.Data), stored, c.answers...)
		if string(again.Data) != string(p.Data) || len(again.Beside) > 0 {
			t.Errorf("patched again it is\n%s%+v", again.Data, again.Beside)
		}
	})
}

// uncommented leaves out the lines that are comments of flaketap's.
func uncommented(text, comment string) string {
	var out []string
	for _, line := range strings.SplitAfter(text, "\n") {
		if !strings.HasPrefix(strings.TrimSpace(line), strings.TrimSpace(comment)) {
			out = append(out, line)
		}
	}
	return strings.Join(out, "")
}

// amberStored is a file of syrupy's, from name and content in turn.
func amberStored(entries ...string) string {
	out := "# serializer version: 1\n"
	for i := 0; i < len(entries); i += 2 {
		out += "# name: test_order" + entries[i] + "\n  " + strings.ReplaceAll(entries[i+1], "\n", "\n  ") + "\n# ---\n"
	}
	return out
}

// Snapshots of syrupy get types for what moves, and leave out what has several; more is said behind the comparison.
func TestSyrupySnapshots(t *testing.T) {
	const one = "dict({\n  'id': 1,\n  'name': 'Ada',\n})"
	const typed = "dict({\n  'id': int,\n  'name': 'Ada',\n})"
	moving := []string{`{"id":2,"name":"Ada"}`, `{"id":3,"name":"Ada"}`, `{"id":4,"name":"Ada"}`}
	types, paths, props := "from syrupy.matchers import path_type\n", "from syrupy.filters import paths\n", "from syrupy.filters import props\n"
	for _, c := range []snapshotCase{
		{name: "what holds stays", says: "assert body == snapshot", stored: amberStored("", one),
			answers: []string{`{"id":1,"name":"Ada"}`, `{"name":"Ada","id":1}`}, want: "assert body == snapshot"},
		{name: "a member", says: "assert body == snapshot", stored: amberStored("", one), answers: moving,
			want: types + `assert body == snapshot(matcher=path_type({"id": (int,)}))`, mended: amberStored("", typed)},
		{name: "the other way round, with a message", says: "assert snapshot == body, 'no'", stored: amberStored("", one), answers: moving,
			want: types + `assert snapshot(matcher=path_type({"id": (int,)})) == body, 'no'`, mended: amberStored("", typed)},
		{name: "a name", says: `assert body == snapshot(name="x")`, stored: amberStored("[x]", one), answers: moving,
			want: types + `assert body == snapshot(name="x", matcher=path_type({"id": (int,)}))`, mended: amberStored("[x]", typed)},
		{name: "what is left out", says: `assert body == snapshot(exclude=props("at"))`, stored: amberStored("", one),
			answers: []string{`{"id":2,"name":"Ada","at":1}`, `{"id":3,"name":"Ada","at":2}`},
			want:    props + types + `assert body == snapshot(exclude=props("at"), matcher=path_type({"id": (int,)}))`, mended: amberStored("", typed)},
		{name: "types that are there", says: `assert body == snapshot(matcher=path_type({"name": (str,)}))`,
			stored: amberStored("", "dict({\n  'id': 1,\n  'name': str,\n})"), answers: moving,
			want:   types + `assert body == snapshot(matcher=path_type({"id": (int,), "name": (str,)}))`,
			mended: amberStored("", "dict({\n  'id': int,\n  'name': str,\n})")},
		{name: "more of what stays", says: `assert body == snapshot and body["name"] != "x"`, stored: amberStored("", one), answers: moving,
			want:   types + `assert body == snapshot(matcher=path_type({"id": (int,)})) and body["name"] != "x"`,
			mended: amberStored("", typed)},
		{name: "types that are not stored", says: `assert body == snapshot(matcher=path_type({"name": (str,)}))`,
			stored: amberStored("", one), answers: moving, want: `assert body == snapshot(matcher=path_type({"name": (str,)}))`,
			reason: "its matcher is not that of its snapshot: pytest --snapshot-update writes that anew"},
		{name: "a matcher of its own", says: `assert body == snapshot(matcher=mine)`, stored: amberStored("", one), answers: moving,
			want: `assert body == snapshot(matcher=mine)`, reason: `its snapshot is compared in an unknown way; what is read is snapshot(exclude=props("…"), matcher=path_type({"…": (str,)}))`},
		{name: "several types", says: "assert body == snapshot", stored: amberStored("", one),
			answers: []string{`{"id":1,"name":"Ada"}`, `{"id":null,"name":"Ada"}`, `{"id":"x","name":"Ada"}`},
			want:    paths + `assert body == snapshot(exclude=paths("id")) and (body["id"] is None or isinstance(body["id"], (int, str)))`,
			mended:  amberStored("", "dict({\n  'name': 'Ada',\n})")},
		{name: "any order", says: "assert body == snapshot", answers: []string{`{"tags":["b","a"]}`, `{"tags":["a","b"]}`},
			stored: amberStored("", "dict({\n  'tags': list([\n    'a',\n    'b',\n  ]),\n})"),
			want:   types + `assert body == snapshot(matcher=path_type({"tags": (list,)})) and sorted(body["tags"]) == ["a", "b"]`,
			mended: amberStored("", "dict({\n  'tags': list,\n})")},
		{name: "within lists", says: "assert body == snapshot", answers: []string{`[{"at":1,"n":1},{"at":5,"n":2}]`, `[{"at":1,"n":1},{"at":9,"n":2}]`},
			stored: amberStored("", "list([\n  dict({\n    'at': 1,\n    'n': 1,\n  }),\n  dict({\n    'at': 4,\n    'n': 2,\n  }),\n])"),
			want:   types + `assert body == snapshot(matcher=path_type({"1.at": (int,)}))`,
			mended: amberStored("", "list([\n  dict({\n    'at': 1,\n    'n': 1,\n  }),\n  dict({\n    'at': int,\n    'n': 2,\n  }),\n])")},
		{name: "put together", says: `assert {"status": res.status_code, "body": body} == snapshot`, answers: moving,
			stored: amberStored("", "dict({\n  'body': dict({\n    'id': 1,\n    'name': 'Ada',\n  }),\n  'status': 200,\n})"),
			want:   types + `assert {"status": res.status_code, "body": body} == snapshot(matcher=path_type({"body.id": (int,)}))`,
			mended: amberStored("", "dict({\n  'body': dict({\n    'id': int,\n    'name': 'Ada',\n  }),\n  'status': 200,\n})")},
		{name: "a number, and those behind it", answers: moving,
			says:   "assert body[\"id\"] == snapshot\n    assert body[\"name\"] == snapshot\n    assert body == snapshot",
			stored: amberStored("", "1", ".1", "'Ada'", ".2", one),
			want:   types + "assert isinstance(body[\"id\"], int)\n    assert body[\"name\"] == snapshot\n    assert body == snapshot(matcher=path_type({\"id\": (int,)}))",
			mended: amberStored("", "'Ada'", ".1", typed)},
		{name: "others than it is seen to make", says: "assert body == snapshot", answers: moving,
			stored: amberStored("", one, ".1", one), want: "assert body == snapshot",
			reason: "which snapshot of __snapshots__/test_a.ambr is its own is not known: others are stored than the test is seen to compare with; give each a name, snapshot(name=\"…\")"},
		{name: "of pytest-snapshot", says: "assert body\n    snapshot.assert_match(res.text, 'x.json')", answers: moving,
			want:   "assert body\n    snapshot.assert_match(res.text, 'x.json')",
			reason: "there is no approved text in snapshots/test_a/test_order/x.json"},
	} {
		c.holds(t, "test_a.py", "__snapshots__/test_a.ambr", func(says string) string {
			imports := ""
			for _, line := range []string{paths, props, types} {
				if rest, ok := strings.CutPrefix(says, line); ok {
					imports, says = imports+line, rest
				}
			}
			return "import requests\n" + imports + "\n\ndef test_order(snapshot):\n    res = requests.get('http://localhost:1/order')\n    body = res.json()\n    " +
				says + "\n"
		}, "# flaketap: ")
	}
}

// An assertion that sends the request itself whose answer it compares sends it once still, whatever more it says.
func TestSyrupySnapshotsThatSend(t *testing.T) {
	types := "from syrupy.matchers import path_type\n"
	answers := []string{`{"at":"2026-11-22T18:02:11Z","id":2}`, `{"at":"2026-11-23T18:02:12Z","id":3}`}
	stored := amberStored("", "dict({\n  'at': '2026-11-21T18:02:10Z',\n  'id': 1,\n})")
	mended := amberStored("", "dict({\n  'at': str,\n  'id': int,\n})")
	const sent = "requests.get('http://localhost:1/order')"
	const matcher = `snapshot(matcher=path_type({"at": (str,), "id": (int,)}))`
	const more = ` and re.fullmatch(` +
		`r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)", answer.json()["at"])`
	for _, c := range []snapshotCase{
		{name: "before the snapshot", says: "assert " + sent + ".json() == snapshot, 'no'", stored: stored, answers: answers,
			want: types + "answer = " + sent + "\n    assert answer.json() == " + matcher + more + ", 'no'", mended: mended},
		{name: "behind the snapshot", says: "assert snapshot == " + sent + ".json()", stored: stored, answers: answers,
			want: types + "answer = " + sent + "\n    assert " + matcher + " == answer.json()" + more, mended: mended},
	} {
		c.holds(t, "test_a.py", "__snapshots__/test_a.ambr", func(says string) string {
			rest, matched := strings.CutPrefix(says, types)
			imports := ""
			if matched {
				imports = types
			}
			return "import requests\n" + imports + "\n\ndef test_order(snapshot):\n    " + rest + "\n"
		}, "# flaketap: ")
	}
}
