package jest

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/suite/script"
)

// inRuns shows the calls of the first test of a file, and its assertions as they are written anew, or why they are not
// understood.
func inRuns(t *testing.T, text string) string {
	t.Helper()
	s, err := script.Read(Written(), "a.test.js", []byte(text))
	if err != nil {
		return err.Error()
	}
	var out []string
	for _, c := range s.Tests[0].Calls {
		call := c.Method + " " + strings.ReplaceAll(c.Target, script.Unknown, "?") + strings.ReplaceAll(c.Body, script.Unknown, "?")
		if c.Many {
			call += " often"
		}
		out = append(out, call)
	}
	for _, a := range s.Tests[0].Assertions {
		if !a.Understood() || a.Meaning == nil {
			out = append(out, "not: "+a.Reason)
			continue
		}
		text, ok := s.Writer.Assert(s, s.Tests[0], a, a.Meaning)
		if !ok {
			text = "cannot be said"
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

// A test is followed with each of the rows that its file lists, of a table of its own, of a describe or of a loop that
// defines it; where something else says how it runs, nothing is known of what it compares with.
func TestRows(t *testing.T) {
	const (
		body  = "async (path, n) => {\n  const r = await api.get(path);\n  expect(r.data.n).toBe(n);\n}"
		taken = "async ({ path, n }) => {\n  const r = await api.get(path);\n  expect(r.data.n).toBe(n);\n}"
		by    = "async (c) => {\n  const r = await api.get(c.path);\n  expect(r.data.n).toBe(c.n);\n}"
		none  = "async () => {\n  const r = await api.get(c.path);\n  expect(r.data.n).toBe(c.n);\n}"
		known = "GET /a; GET /b; expect(r.data.n).toBe(n);"
		ofC   = "GET /a; GET /b; expect(r.data.n).toBe(c.n);"
		many  = "GET /x? often; not: the test runs with several values"
		below = "async (path, n) => {\n  const r = await api.get('/x' + path);\n  expect(r.data.n).toBe(n);\n}"
		pairs = `[["/a", 1], ["/b", 2]]`
		rows  = `[{ path: "/a", n: 1 }, { path: "/b", n: 2 }]`
	)
	for _, tt := range []struct{ name, text, want string }{
		{"arrays", "it.each(" + pairs + ")('t', " + body + ");", known},
		{"objects", "test.each(" + rows + ")('t', " + taken + ");", known},
		{"members", "test.each(" + rows + ")('t', " + by + ");", ofC},
		{"of Vitest", "test.for(" + pairs + ")('t', async ([path, n]) => {\n  const r = await api.get(path);\n  expect(r.data.n).toBe(n);\n});", known},
		{"a name", "const ROWS = " + pairs + ";\nit.only.each(ROWS)('t', " + body + ");", known},
		{"a template", "it.each`\n  path | n\n  ${\"/a\"} | ${1}\n  ${\"/b\"} | ${2}\n`('t', " + taken + ");", known},
		{"alike", "it.each([['/a', 1], ['/b', 1]])('t', " + body + ");", "GET /a; GET /b; expect(r.data.n).toBe(1);"},
		{"a describe", "describe.each(" + pairs + ")('d', (path, n) => { it('t', async () => {\n  const r = await api.get(path);\n  expect(r.data.n).toBe(n);\n}); });", known},
		{"a loop", "describe('d', () => { for (const c of " + rows + ") { it('t', " + none + "); } });", ofC},
		{"a loop without braces", "for (const c of " + rows + ") it('t', " + none + ");", ofC},
		{"a loop that takes apart", "for (const [path, n] of " + pairs + ") { it('t', async () => {\n  const r = await api.get(path);\n  expect(r.data.n).toBe(n);\n}); }", known},
		{"forEach", "describe('d', () => { " + rows + ".forEach((c) => it('t', " + none + ")); });", ofC},
		{"forEach of what is taken apart", pairs + ".forEach(([path, n]) => { it('t', async () => {\n  const r = await api.get(path);\n  expect(r.data.n).toBe(n);\n}); });", known},
		{"the number of a row", "['/a', '/b'].forEach((path, n) => { it('t', async () => {\n  const r = await api.get(path);\n  expect(r.data.n).toBe(n);\n}); });", known},
		{"within each other", "describe.each(['/a', '/b'])('d', (path) => { it.each([1, 2])('t', async (n) => {\n  const r = await api.get(path);\n  expect(r.data.n).toBe(n);\n}); });",
			"GET /a; GET /a; GET /b; GET /b; expect(r.data.n).toBe(n);"},
		{"a table of a row", "describe.each([{ path: '/a', all: [1] }, { path: '/b', all: [2, 3] }])('d', ({ path, all }) => { it.each(all)('t', async (n) => {\n  const r = await api.get(path);\n  expect(r.data.n).toBe(n);\n}); });",
			"GET /a; GET /b; GET /b; expect(r.data.n).toBe(n);"},
		{"what a row decides", "it.each([{ path: '/a', n: 1 }, { path: '/b' }])('t', async (c) => {\n  const r = await api.get(c.path);\n  if (c.n) expect(r.data.n).toBe(c.n);\n});",
			"GET /a; GET /b; expect(r.data.n).toBe(1);"},
		{"not written out", "it.each(rows())('t', " + below + ");", many},
		{"not wholly written out", "it.each([['/a', 1], ...more])('t', " + below + ");", many},
		{"at once", "it.concurrent.each(" + pairs + ")('t', " + below + ");", many},
		{"a table that changes", "let rows = " + pairs + ";\nrows = [];\nit.each(rows)('t', " + below + ");", many},
		{"a value that is not known", "it.each([['/a', 1], ['/b', other()]])('t', " + body + ");", "GET /a; GET /b; not: a value is not known"},
		{"snapshots", "it.each(" + pairs + ")('t', async (path, n) => {\n  const r = await api.get('/x' + path);\n  expect(r.data.n).toBe(n);\n  expect(r.data).toMatchSnapshot();\n});", many + "; not: the test runs with several values"},
		{"a name that changes", "it.each(" + pairs + ")('t', async (path, n) => {\n  const r = await api.get(path);\n  n = n + 0;\n  expect(r.data.n).toBe(n);\n});", "GET /a; GET /b; cannot be said"},
	} {
		if got := inRuns(t, tt.text); got != tt.want {
			t.Errorf("%s\ngot  %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

// A loop in a test is followed with each value that it goes over, if each turn runs to its end.
func TestTurns(t *testing.T) {
	const both = "GET /a; GET /b; expect(r.data.n).toBe(n);"
	const says = "const r = await api.get(path);\n  expect(r.data.n).toBe(n);\n  "
	for _, tt := range []struct{ name, body, want string }{
		{"a list", "for (const [path, n] of [['/a', 1], ['/b', 2]]) {\n  " + says + "}", both},
		{"objects", "for (const { path, n } of [{ path: '/a', n: 1 }, { path: '/b', n: 2 }]) {\n  " + says + "}", both},
		{"the answer of before", "const r = await api.get('/a'); for (const n of [1, 2]) {\n  expect(r.data.n).toBe(n);\n}", "GET /a; expect(r.data.n).toBe(1);\n  expect(r.data.n).toBe(2);"},
		{"forEach", "const r = await api.get('/a'); [1, 2].forEach((n) => {\n  expect(r.data.n).toBe(n);\n});", "GET /a; expect(r.data.n).toBe(1);\n  expect(r.data.n).toBe(2);"},
		{"keys", "const r = await api.get('/a'); for (const key of ['x', 'y']) {\n  expect(r.data[key]).toBe(1);\n}", "GET /a; expect(r.data.x).toBe(1);\n  expect(r.data.y).toBe(1);"},
		{"one that is left", "for (const [path, n] of [['/a', 1], ['/b', 2]]) {\n  " + strings.Replace(says, "path", "'/x' + path", 1) + "if (f()) break;\n}", "GET /x? often; not: the name n is not known"},
		{"at once", "const r = await api.get('/a'); [1, 2].forEach(async (n) => {\n  expect(r.data.n).toBe(n);\n});", "GET /a; not: no test is followed to it"},
	} {
		if got := inRuns(t, "it('t', async () => {\n  "+tt.body+"\n});"); got != tt.want {
			t.Errorf("%s\ngot  %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

// What a loop over a list of an answer asserts is said of each element; nothing is known of one that may end early, that
// sends requests, or that asserts something else, since the list may be empty.
func TestThroughLists(t *testing.T) {
	for _, tt := range []struct{ body, want string }{
		{"for (const x of r.data.items) {\n expect(x.n).toBeLessThan(9);\n}", "expect(x.n).toBeLessThan(9);"},
		{"r.data.items.forEach((x) => {\n expect(x.n).toBe(1);\n});", "expect(x.n).toBe(1);"},
		{"r.data.items.forEach((x) => expect(x.n).toBe(1));", "expect(x.n).toBe(1)"},
		{"for (const { n } of r.data.items) {\n expect(n).toBe(1);\n}", "expect(n).toBe(1);"},
		{"for (const x of r.data.items) {\n const { n } = x;\n expect(n).toBe(1);\n}", "expect(n).toBe(1);"},
		{"for (const x of r.data.items) {\n if (x.n) continue;\n expect(x.n).toBe(1);\n}", "not: the name x is not known"},
		{"for (const x of r.data.items) {\n expect(r.status).toBe(200);\n}",
			"not: whether the loop runs at all is not known"},
		{"for (const x of r.data.items) {\n const y = await api.get('/b');\n expect(x.n).toBe(y.data.n);\n}",
			"not: the test runs with several values"},
	} {
		got := inRuns(t, "it('t', async () => {\nconst r = await api.get('/a');\n"+tt.body+"\n});")
		if _, got, _ = strings.Cut(got, "; "); !strings.HasSuffix(got, tt.want) || strings.Count(got, "expect(") > 1 {
			t.Errorf("%s\n got %s\nwant %s", tt.body, got, tt.want)
		}
	}
}

// A method that is named by a value is that method, and what stands behind it is followed.
func TestMethodsByName(t *testing.T) {
	const head = "const request = require('supertest');\nconst by = (method, path) => request('http://x')[method](path);\n"
	for body, want := range map[string]string{
		"const r = await by('post', '/a').send({ n: 1 });\nexpect(r.status).toBe(201);": `POST /a{"n":1}; expect(r.status).toBe(201);`,
		"const r = await by('get', '/a');\nexpect(r.get('ETag')).toBe('x');":            `GET /a; expect(r.headers['etag']).toBe('x');`,
		"const r = await by(process.env.M, '/a');\nexpect(r.status).toBe(201);":         "not: a value is not known",
	} {
		if got := inRuns(t, head+"it('t', async () => {\n"+body+"\n});"); got != want && !strings.Contains(got, "no tests") {
			t.Errorf("%s\n got %s\nwant %s", body, got, want)
		}
	}
}
