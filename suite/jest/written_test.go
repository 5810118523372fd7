package jest

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/onecall"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
)

// wrote reads a file of tests that people wrote.
func wrote(t *testing.T, name, text string) *script.Script {
	t.Helper()
	s, err := script.Read(Written(), name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A value that comes from an answer by way of names, patterns and functions of the file is followed to the place of the
// answer, and what is asserted of it is written again as it was.
func TestWrittenIsFollowed(t *testing.T) {
	data, err := os.ReadFile("testdata/written.test.js")
	if err != nil {
		t.Fatal(err)
	}
	want := `shop lists
  POST /v1/login {"email":"ada@cafe.de","password":"lovelace"}
  GET /products?limit=2
  28 of 1 equal /status 200: expect(res.status).toBe(200); true
  29 of 1 equal /header/x-request-id "abc": expect(res.headers.get("x-request-id")).toBe("abc"); true
  31 of 1 length /body/products 2: expect(products.length).toBe(2); true
  33 of 1 equal /body/products/0/name "Coffee": expect(first.name).toBe("Coffee"); true
  34 of 1 equal /body/total 7: expect(total).toBe(7); true
shop shows one
  POST /v1/login {"email":"ada@cafe.de","password":"lovelace"}
  GET /products/1
  11 not: it stands in a function that tests share
  39 of 0   : expect(Object.keys(product).length).toBe(3); true
  40 of 1 contains /body/tags "hot": expect(product.tags).toContain("hot"); true
  41 of 0   : expect(![null, false, 0, ""].includes(tag)).toBe(true); true
shop orders
  POST /v1/login {"email":"ada@cafe.de","password":"lovelace"}
  POST /v1/orders {"items":[{"product":1}]}
  GET /v1/orders/??full=true
  GET /v1/health
  47 of 1 equal /status 202: expect(status).toBe(202); true
  49 of 0   : expect(got.data.id).toBe(order.id); true
  50 of 0   : expect(got.data.state).toBe("pending"); true
  51 of 3 equal /status 200: expect((await api.get("/health")).status).toBe(200); true
shop greets
  POST /v1/login {"email":"ada@cafe.de","password":"lovelace"}
  GET /hello
  58 of 1 equal /status 200: .expect((res) => expect(res.status).toBe(200)) true
  59 of 0   : .expect((res) => expect(res.headers["content-type"]).toMatch(/json/)) true
  60 of 1 equal /body {"hello":"world"}: .expect((res) => expect(res.body).toEqual({ hello: "world" })) true
shop numbers %i
  POST /v1/login {"email":"ada@cafe.de","password":"lovelace"}
  GET /products/1
  POST /v1/login {"email":"ada@cafe.de","password":"lovelace"}
  GET /products/2
  64 of 0   : expect(res.status).toBe(200); true
  65 of 0   : expect((await res.json()).id).toBe(id); true`
	if got := onecall.Understood(wrote(t, "written.test.js", string(data))); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Each way to send, to name and to assert is understood, or said not to be.
func TestWrittenWays(t *testing.T) {
	for body, want := range map[string]string{
		// clients
		`const r = await fetch("/a", { method: "POST", body: JSON.stringify({ n: 1 }) }); expect(r.status).toBe(201);`:          `POST /a {"n":1}: equal /status 201`,
		`const { status } = await axios.get("http://x:1/a"); expect(status).toBe(200);`:                                         "GET /a: equal /status 200",
		`const r = await axios({ method: "delete", url: "/a/1" }); expect(r.status).toEqual(204);`:                              "DELETE /a/1: equal /status 204",
		`const r = await axios.get("/a").catch((e) => e.response); expect(r.status).toBe(404);`:                                 "GET /a: equal /status 404",
		`const r = await api.get("/a"); expect(r.data.n).toBe(1);`:                                                              "GET /a: equal /body/n 1",
		`const r = await got("http://x/a", { responseType: "json" }); expect(r.body.n).toBe(1);`:                                "GET /a: equal /body/n 1",
		`const r = await got.post("http://x/a", { json: [1] }); expect(JSON.parse(r.body).n).toBe(1);`:                          "POST /a [1]: equal /body/n 1",
		`const r = await api.get("/a"); expect(r.data.tags.join("; ")).toBe("a; b");`:                                           `GET /a: equal /body/tags ["a","b"]`,
		`const r = await api.get("/a"); const { tags } = r.data; expect(tags.map((t) => t.name).sort().join()).toEqual("a,b");`: `GET /a: equal /body/tags/*/name ["a","b"]`,
		`const want = { n: 1 }; const r = await api.get("/a"); expect(r.data).toEqual({ ...want, m: 2 });`:                      `GET /a: equal /body {"n":1,"m":2}`,
		`const want = { n: 1, m: 2 }; const r = await api.get("/a"); expect(r.data).toEqual({ ...want, n: 3 });`:                `GET /a: equal /body {"n":3,"m":2}`,
		`const want = { n: 1, m: 2 }; const r = await api.get("/a"); expect(r.data).toMatchObject(want);`:                       "GET /a:   ",
		`const r = await api.get("/a"); expect(Object.keys(r.data)).toEqual(["n", "m"]);`:                                       "GET /a:   ",
		`const r = await api.get("/a"); expect(Object.keys(r.data).sort()).toEqual(["m", "n"]);`:                                "GET /a:   ",
		`const r = await api.get("/a"); expect(Object.keys(r.data).sort()).toEqual(["n", "m"]);`:                                "GET /a: not: the name Object is not known",
		`const r = await api.get("/a"); expect(Object.keys(r.data)).toHaveLength(2);`:                                           "GET /a: length /body 2",
		`const r = await api.get("/a"); expect(r.data.tags.join()).to.equal("a,b");`:                                            `GET /a: equal /body/tags ["a","b"]`,
		`const r = await api.get("/a"); expect(r.data.tags.join()).to.include("a");`:                                            "GET /a: not: it asserts in an unknown way",
		`const r = await api.get("/a"); expect(r.data.tags.join("")).toBe("ab");`:                                               "GET /a: not: it asserts in an unknown way",
		`const r = await api.get("/a"); expect(r.data.tags.join("; ")).toBe("a; 7");`:                                           "GET /a: not: it asserts in an unknown way",
		`const b = await got("http://x/a").json(); expect(b.n).toBe(1);`:                                                        "GET /a: equal /body/n 1",
		`const r = await request(app).post("/a").send({ n: 1 }).expect(201); expect(r.body.n).toBe(1);`:                         `POST /a {"n":1}: equal /status 201; equal /body/n 1`,
		`const { statusCode, body } = await u.request("http://x/a"); expect(statusCode).toBe(200);`:                             "GET /a: equal /status 200",
		`const r = await chai.request(app).get("/a"); expect(r).to.have.status(200);`:                                           "GET /a: equal /status 200",
		`await expect(axios.get("/a")).rejects.toThrow(); const r = await fetch("/b"); expect(r.ok).toBe(true);`:                "GET /a: GET /b: not: it says how a request fails: assert what the error has, behind a catch;   ",
		`const map = new Map(); map.get("/a"); const r = await fetch("/b"); expect(r.status).toBe(200);`:                        "GET /b: equal /status 200",
		`const [a, b] = await Promise.all([fetch("/a"), fetch("/b")]); expect(b.status).toBe(200);`:                             "GET /a: GET /b: equal /status 200",
		`return fetch("/a").then((r) => r.json()).then((b) => { expect(b.n).toBe(1); });`:                                       "GET /a: equal /body/n 1",
		`const r = await fetch(new URL("/a", BASE)); expect(r.status).toBe(200);`:                                               "GET /a: equal /status 200",
		`const r = await fetch("/a?" + new URLSearchParams({ q: "a b" })); expect(r.status).toBe(200);`:                         "GET /a?q=a+b: equal /status 200",
		`const r = await fetch(day ? "/a/x" : "/b/x"); expect(r.status).toBe(200);`:                                             "GET /\x00/x: equal /status 200",
		// values
		`const b = await (await fetch("/a")).json(); b.x = 1; expect(b.x).toBe(1);`:                                                                      "GET /a: not: a value that changes is not known",
		`let r = await fetch("/a"); if (z) { r = await fetch("/b"); } expect(r.status).toBe(200);`:                                                       "GET /a: GET /b: not: what is assigned under a condition is not known",
		`const r = await fetch("/a"); { const r = await fetch("/b"); } expect(r.status).toBe(200);`:                                                      "GET /a: GET /b: equal /status 200",
		`const r = await fetch("/a"); try { f(); } catch (r) { expect(r.status).toBe(1); }`:                                                              "GET /a: not: the name r is not known",
		`const r = await fetch("/a"); for (const r of xs) expect(r.status).toBe(1);`:                                                                     "GET /a: not: the name r is not known",
		`const r = await fetch("/a"); if (r.status === 200) expect(r.status).toBe(200);`:                                                                 "GET /a: not: it is inside a condition",
		`const b = await api.get("/a"); expect(b.data.map((x) => x.id)).toEqual([1, 2]);`:                                                                "GET /a: equal /body/*/id [1,2]",
		`const b = await api.get("/a"); expect(b.data.map((x) => f(x))).toEqual([1, 2]);`:                                                                "GET /a: not: what a function within an expression calls is not known",
		`const f = async (n = 3) => (await fetch(` + "`/a/${n}`" + `)).json(); const b = await f(); expect(b).toBeNull();`:                               "GET /a/3: equal /body null",
		`const f = async (path, options) => (await fetch(path, options)).json(); const b = await f("/a"); expect(b.n).toBe(1);`:                          "GET /a: equal /body/n 1",
		`const f = async (path, more) => (await fetch(path, { cache: "no-store", ...more })).json(); const b = await f("/a"); expect(b.n).toBe(1);`:      "GET /a: equal /body/n 1",
		`const f = async (path, options) => (await fetch(path, options)).json(); const b = await f(...z); await fetch("/b"); expect(b.n).toBe(1);`:       "GET /b: not: an answer to what is sent by a method that is not known is not known",
		`const f = async (path, options) => (await fetch(path, options)).json(); const b = await f("/a", ...z); await fetch("/b"); expect(b.n).toBe(1);`: "GET /b: not: an answer to what is sent by a method that is not known is not known",
		`const o = { get: () => 1 }; o.get("/x"); const r = await fetch("/a"); expect(r.status).toBe(o);`:                                                "GET /a: not: the name o is not known",
		`const r = await fetch("/a"); expect(r).toBeDefined();`:                                                                                          "GET /a: not: the name r is not known",
		`const r = await api.get("/a"); expect(r.data).toMatchSnapshot();`:                                                                               "GET /a: not: there is no snapshot of its name in __snapshots__/a.test.js.snap: a run without --ci writes it",
		// Chai and assert
		`const r = await api.get("/a"); expect(r.status).to.equal(200);`:               "GET /a: equal /status 200",
		`const r = await api.get("/a"); expect(r.data).to.deep.equal({ n: 1 });`:       `GET /a: equal /body {"n":1}`,
		`const r = await api.get("/a"); expect(r.data).to.have.property("n", 1);`:      "GET /a: equal /body/n 1",
		`const r = await api.get("/a"); expect(r.data).to.have.property("n");`:         "GET /a: present /body/n ",
		`const r = await api.get("/a"); expect(r.data.l).to.be.an("array");`:           "GET /a:   ",
		`const r = await api.get("/a"); expect(r.data.l).to.have.lengthOf(2);`:         "GET /a: length /body/l 2",
		`const r = await api.get("/a"); expect(r.data.l).to.have.members([1, 2]);`:     "GET /a: equal /body/l [1,2]",
		`const r = await api.get("/a"); expect(r.data.b).to.be.true;`:                  "GET /a: equal /body/b true",
		`const r = await api.get("/a"); expect(r.data.n).to.be.above(1).and.below(3);`: "GET /a:   ",
		`const r = await api.get("/a"); assert.strictEqual(r.status, 200);`:            "GET /a: equal /status 200",
		`const r = await api.get("/a"); assert.deepEqual(r.data, { n: 1 });`:           `GET /a: equal /body {"n":1}`,
		`const r = await api.get("/a"); assert.ok(r.data.n > 1);`:                      "GET /a:   ",
		`const r = await api.get("/a"); assert.frob(r.data.n);`:                        "GET /a: not: it asserts in an unknown way",
	} {
		s := wrote(t, "a.test.js", `import axios from "axios";
import got from "got";
import * as u from "undici";
import chai from "chai";
const request = require("supertest");
const BASE = process.env.BASE;
it("is so", async () => { `+body+" });\n")
		var got string
		for _, c := range s.Tests[0].Calls {
			got += strings.TrimRight(c.Method+" "+c.Target+" "+c.Body, " ") + ": "
		}
		var says []string
		for _, a := range s.Tests[0].Assertions {
			if a.Reason != "" {
				says = append(says, "not: "+a.Reason)
				continue
			}
			says = append(says, fmt.Sprintf("%s %s %s", a.Relation, a.Place, a.Value))
		}
		if got += strings.Join(says, "; "); got != want {
			t.Errorf("%s\n got %s\nwant %s", body, got, want)
		}
	}
}

// TypeScript's types are gone over.
func TestWrittenInTypeScript(t *testing.T) {
	s := wrote(t, "a.test.ts", `import axios, { type AxiosResponse } from "axios";
interface Order { id: string }
const get = async <T>(path: string, more?: Record<string, unknown>): Promise<AxiosResponse<T>> => axios.get<T>(path);
async function order(id: number): Promise<Order> {
  const { data } = await axios.get<Order>(`+"`/orders/${id}`"+`);
  return data as Order;
}
it("is so", async () => {
  const o: Order = await order(1);
  expect(o!.id).toBe("a");
});
`)
	want := "is so\n  GET /orders/1\n  10 of 0 equal /body/id \"a\": expect(o.id).toBe(\"a\"); true"
	if got := onecall.Understood(s); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// What is said in the place of an assertion is said in the words of the file.
func TestWrittenWords(t *testing.T) {
	is := func(call string, what expr.Part) expr.Expr { return expr.Answer{Var: call, Part: what} }
	n := expr.Index{X: is("call 0", expr.JSON), I: expr.Str{Value: "n"}}
	one := expr.Cmp(n, expr.In, expr.Set{Elems: []expr.Expr{expr.Int(1), expr.Int(2)}})
	match := expr.Match{X: n, Pattern: "^a"}
	both := expr.AllOf(match, expr.Cmp(n, expr.Ne, expr.Str{Value: "ab"}))
	for _, tt := range []struct {
		assertion string
		x         expr.Expr
		want      string
	}{
		{"expect(r.data.n).toBe(1);", one, "expect([1, 2]).toContain(r.data.n);"},
		{"expect(r.data.n).to.equal(1);", one, "expect(r.data.n).to.be.oneOf([1, 2]);"},
		{"expect(r.data.n).to.be.a('string');", match, `expect(r.data.n).to.be.a("string").that.matches(/^a/);`},
		{"assert.equal(r.data.n, 1);", one, "assert.ok([1, 2].includes(r.data.n));"},
		{"assert(r.data.n);", match, "assert.match(r.data.n, /^a/);"},
		{"expect((await r.data).n).toBe(1);", match, "expect(r.data.n).toMatch(/^a/);"},
	} {
		s := wrote(t, "a.test.js", `it("is so", async () => {
  const r = await api.get("/a");
  `+tt.assertion+"\n});\n")
		if got, ok := s.Writer.Assert(s, s.Tests[0], s.Tests[0].Assertions[0], tt.x); !ok || got != tt.want {
			t.Errorf("%s becomes %s, %v", tt.assertion, got, ok)
		}
	}
	// The body of fetch can be read once.
	s := wrote(t, "a.test.js", `it("is so", async () => {
  const r = await fetch("/a");
  expect((await r.json()).n).toBe("abc");
});
`)
	for x, want := range map[expr.Expr]string{
		match: `expect((await r.json()).n).toMatch(/^a/);`,
		expr.Expr(expr.Match{X: is("call 0", expr.Text), Pattern: "a"}): "",
	} {
		if got, _ := s.Writer.Assert(s, s.Tests[0], s.Tests[0].Assertions[0], x); got != want {
			t.Errorf("%v is said by %s", x, got)
		}
	}
	if got, _ := s.Writer.Assert(s, s.Tests[0], s.Tests[0].Assertions[0], both); got !=
		"{\n    const actual = (await r.json()).n;\n    expect(actual).toMatch(/^a/);\n    expect(actual).not.toBe(\"ab\");\n  }" {
		t.Errorf("both are said by %s", got)
	}
}

// What an assertion itself awaits is awaited where it is said otherwise, too; where nothing awaits it, nothing is said.
func TestWrittenResolves(t *testing.T) {
	n := expr.Index{X: expr.Answer{Var: "call 0", Part: expr.JSON}, I: expr.Str{Value: "n"}}
	for assertion, want := range map[string]string{
		`await expect(get(1)).resolves.toHaveProperty("n", 1);`: "expect((await get(1)).n).toMatch(/^a/);",
		`await expect(get(1)).resolves.toEqual({ n: 1 });`:      "expect((await get(1)).n).toMatch(/^a/);",
		`return expect(get(1)).resolves.toEqual({ n: 1 });`:     "",
		`expect(get(1)).resolves.toEqual({ n: 1 });`:            "",
	} {
		s := wrote(t, "a.test.js", `const get = async (id) => (await api.get("/a/" + id)).data;
it("is so", async () => {
  `+assertion+"\n});\n")
		if got, ok := s.Writer.Assert(s, s.Tests[0], s.Tests[0].Assertions[0], expr.Match{X: n, Pattern: "^a"}); got != want || ok != (want != "") {
			t.Errorf("%s becomes %s, %v", assertion, got, ok)
		}
	}
}

// What refers to itself again and again is given up, and takes no time.
func TestWrittenIsBounded(t *testing.T) {
	for _, body := range []string{
		"let x = (await api.get('/a')).data;" + strings.Repeat("x = [x, x];", 60) + "expect(x).toEqual(1);",
		"const f = (n) => f(n); const r = await api.get('/a'); expect(r.data).toBe(f(1));",
	} {
		s := wrote(t, "a.test.js", `it("is so", async () => { `+body+" });\n")
		if a := s.Tests[0].Assertions[0]; a.Reason == "" {
			t.Errorf("%+v", a)
		}
	}
}

// A link of a chain that is commented out leaves the others.
func TestWrittenLinkIsDisabled(t *testing.T) {
	const head = "const request = require('supertest');\n"
	for text, want := range map[string]string{
		"it('a', () => request(app).get('/a').expect(200).expect('x', 'y'));\n":       "// .expect(200)\nit('a', () => request(app).get('/a').expect('x', 'y'));\n",
		"it('a', () =>\n  request(app).get('/a').expect('x', 'y').expect(200));\n":    "it('a', () =>\n  // .expect('x', 'y')\n  request(app).get('/a').expect(200));\n",
		"it('a', () =>\n  request(app)\n    .get('/a')\n    .expect(200));\n":         "it('a', () =>\n  request(app)\n    .get('/a')\n    /* .expect(200) */);\n",
		"it('a', () => request(app).get(`/a\n${b}`).expect(200).expect('x', 'y'));\n": "it('a', () => request(app).get(`/a\n${b}`)/* .expect(200) */.expect('x', 'y'));\n",
		"it('a', () => request(app).get('/a').expect(200, {\n  a: 1,\n}));\n":         "// .expect(200, {\n// a: 1,\n// })\nit('a', () => request(app).get('/a'));\n",
	} {
		s := wrote(t, "a.test.js", head+text)
		got := s.Text
		for _, e := range slices.Backward(s.Writer.Disable(s, s.Tests[0].Assertions[0])) {
			got = got[:e.Start] + e.Text + got[e.End:]
		}
		if got != head+want {
			t.Errorf("got\n%swant\n%s", got, want)
		}
	}
}

// A function that tests share sends its requests in each of them, also those within its assertions, which are listed once.
func TestWrittenIsShared(t *testing.T) {
	s := wrote(t, "a.test.js", `const request = require("supertest");
const greet = () => request(app).get("/hello").expect(200);
async function healthy() { expect((await api.get("/health")).status).toBe(200); }
it("a", async () => { await greet(); await healthy(); });
it("b", async () => { const r = await fetch(`+"`/b/${((n) => { await greet(); return n; })(2)}`"+`); await healthy(); expect(r.status).toBe(200); });
`)
	want := `a
  GET /hello
  GET /health
  2 not: it stands in a function that tests share
  3 not: it stands in a function that tests share
b
  GET /hello
  GET /b/2
  GET /health
  5 of 1 equal /status 200: expect(r.status).toBe(200); true`
	if got := onecall.Understood(s); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A file without requests is no suite.
func TestWrittenNeedsRequests(t *testing.T) {
	for _, text := range []string{"", "const x = 1;", "it('a', () => { expect(1).toBe(1); });", "function f() { fetch('/a'); }"} {
		if _, err := script.Read(Written(), "a.test.js", []byte(text)); err == nil {
			t.Errorf("%q is a suite", text)
		}
	}
}
