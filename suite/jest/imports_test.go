package jest

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/onecall"
	"github.com/flaketap/flaketap/suite/script"
)

// wroteAmong reads a file of tests that has others beside it.
func wroteAmong(t *testing.T, name, text string, files map[string]string) *script.Script {
	t.Helper()
	s, err := script.ReadAmong(Written(), name, []byte(text), func(path string) (string, bool) {
		text, ok := files[path]
		return text, ok
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Functions, constants and clients that a file takes from others are followed into the files that have them, by require
// and by import. What these files assert is theirs; what they send for that is sent.
func TestWrittenAmongOthers(t *testing.T) {
	files := map[string]string{
		"tests/helpers.js": `const axios = require("axios");
const { LOGIN, ...rest } = require("./paths");
const api = require("../api/client");
async function login(name, password = "x") {
  const res = await api.post(LOGIN, { name, password });
  expect(res.status).toBe(200);
  expect((await api.get("/checked")).status).toBe(200);
  return res.data.token;
}
const url = (path) => ` + "`http://localhost${path}`" + `;
module.exports = { login, url, getJSON: async (path) => (await fetch(url(path))).json(), async show(id) { return api.get("/shown/" + id); } };
module.exports.LIMIT = 2;
`,
		"tests/paths.js": "exports.LOGIN = '/login';\nexports.things = { one: '/things/1' };\n",
		"api/client.js":  "const axios = require('axios');\nmodule.exports = axios.create({ baseURL: process.env.BASE + '/v1', headers: { 'X-Key': 'k' } });\n",
		"tests/up.js":    "module.exports = (path) => fetch('/up' + path);\n",
		"tests/esm/index.ts": `import axios, { type AxiosInstance } from "axios";
import { root as top } from "../config.js";
import data from "./data.json";
export * from "./more";
export { default as other, one as first } from "./more";
export const api: AxiosInstance = axios.create({ baseURL: top });
export async function order<T>(id: number): Promise<T> { return (await api.get(` + "`/orders/${id}`" + `)).data; }
export default async (n: number) => api.get("/numbers/" + n, { params: data });
const hidden = 1;
export { hidden as shown };
`,
		"tests/esm/data.json": `{ "page": 3 }`,
		"tests/config.ts":     "export const root = 'http://localhost/v2';\n",
		"tests/esm/more.mjs":  "export const one = '/one';\nexport default function () { return fetch('/default'); }\nexport let moved = 1;\nmoved = 2;\n",
	}
	text := `const { login, url: at, getJSON, show, LIMIT } = require("./helpers");
const api = require("../api/client");
const paths = require("./paths");
import number, { order, first, moved, other as get, one } from "./esm";
import * as all from "./esm/index.ts";

beforeAll(async () => { token = await login("ada"); });

it("requires", async () => {
  const res = await fetch(at("/items?limit=" + LIMIT));
  expect(res.status).toBe(200);
  const b = await getJSON(paths.things.one);
  expect(b.total).toBe(7);
  expect((await show(3)).data.id).toBe(3);
  expect((await api.get("/health")).status).toBe(200);
  const up = await require("./up")("/s");
  expect(up.status).toBe(204);
});

it("imports", async () => {
  const o = await order(1);
  expect(o.id).toBe("a");
  const n = await number(2);
  expect(n.data.n).toBe(all.shown);
  const d = await get();
  expect(d.status).toBe(moved);
  const x = await all.api.get(first + one);
  expect(x.status).toBe(200);
  const { url } = await import("./helpers.js");
  const y = await fetch(url("/y"));
  expect(y.ok).toBe(true);
});
`
	want := `requires
  POST /v1/login {"name":"ada","password":"x"}
  GET /v1/checked
  GET /items?limit=2
  GET /things/1
  GET /v1/shown/3
  GET /v1/health
  GET /up/s
  11 of 2 equal /status 200: expect(res.status).toBe(200); true
  13 of 3 equal /body/total 7: expect(b.total).toBe(7); true
  14 of 4 equal /body/id 3: expect((await show(3)).data.id).toBe(3); true
  15 of 5 equal /status 200: expect((await api.get("/health")).status).toBe(200); true
  17 of 6 equal /status 204: expect(up.status).toBe(204); true
imports
  POST /v1/login {"name":"ada","password":"x"}
  GET /v1/checked
  GET /v2/orders/1
  GET /v2/numbers/2?page=3
  GET /default
  GET /v2/one/one
  GET /y
  22 of 2 equal /body/id "a": expect(o.id).toBe("a"); true
  24 of 3 equal /body/n 1: expect(n.data.n).toBe(1); true
  26 not: a value that changes is not known
  28 of 5 equal /status 200: expect(x.status).toBe(200); true
  31 of 0   : expect(y.status).toBeLessThan(300); true`
	if got := onecall.Understood(wroteAmong(t, "tests/a.test.js", text, files)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Files that import each other, or themselves, are read once; few files are.
func TestWrittenImportsAreBounded(t *testing.T) {
	for _, beside := range []string{
		"export { a as x } from './b';\nexport { x as a } from './a';\nexport * from './c';\nexport * from './d';\n",
		"module.exports = require('./b');",
		"const { x } = require('./b');\nexports.x = x;\n",
		"module.exports = class A extends require('./b') { b = new A(); c = new A(); constructor() { super(); this.d = new A(); } };",
	} {
		read := 0
		s, err := script.ReadAmong(Written(), "a.test.js", []byte(`const { x } = require("./a");
import A from "./a";
it("is so", async () => { const a = new A(); const r = await x(); expect(r.status).toBe(a.b.c.d); await api.get("/"); expect(a.e).toBe(1); });
`), func(path string) (string, bool) {
			read++
			return beside, strings.HasSuffix(path, ".js")
		})
		if err != nil || len(s.Tests) != 1 || read > 2*maxFiles {
			t.Errorf("%s: %v, %d files", beside, err, read)
		}
	}
}

// Of a file that is not there, or cannot be read, nothing is known.
func TestWrittenImportsNothing(t *testing.T) {
	for _, helpers := range []string{"", "export const wants = 200; }", "export const wants = () => 200, n = 1;", "module.exports = wants(200);"} {
		s := wroteAmong(t, "a.test.js", `import { wants } from "./helpers";
it("is so", async () => { const r = await fetch("/a"); expect(r.status).toBe(wants); });
`, map[string]string{"helpers.js": helpers})
		if got, want := s.Tests[0].Assertions[0].Reason, "the name wants is not known"; got != want {
			t.Errorf("%s: %q", helpers, got)
		}
	}
}
