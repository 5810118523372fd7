package jest

import (
	"os"
	"testing"
	"unicode/utf8"

	"github.com/flaketap/flaketap/internal/testbed/onecall"
	"github.com/flaketap/flaketap/suite/script"
)

// FuzzRead reads what is no suite, or a damaged one: what is read stands within the file, and can be written and commented out.
func FuzzRead(f *testing.F) {
	f.Add([]byte("const superagent = require(\"superagent\");\ntest(\"a\", async () => {\n    const res_0 = await superagent.get(\"/a\");\n    expect(res_0.status).toBe(200);\n    if (res_0.body.a) expect(res_0.body.a).toMatch(/x/);\n});\n"))
	f.Fuzz(func(t *testing.T, data []byte) { onecall.Damaged(t, Dialect(), "t.js", data) })
}

// FuzzReadWritten does the same with what people write.
func FuzzReadWritten(f *testing.F) {
	text, err := os.ReadFile("testdata/written.test.js")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte("it('a', async () => { const { a: [b], ...c } = await api.get(`/a/${x}`); expect(b).to.be.true; });"))
	f.Fuzz(func(t *testing.T, data []byte) { onecall.Damaged(t, Written(), "t.ts", data) })
}

// FuzzReadAmong does the same with a file that it imports.
func FuzzReadAmong(f *testing.F) {
	test := "import a, { b, login } from './a';\nimport * as c from './a';\nconst d = require('./b');\n" +
		"it('a', async () => { const o = new a(b); const r = await o.get(await login(1)); expect(r.status).toBe(c.x.y); " +
		"expect((await d.get(`/a/${c.url('/x')}`)).data).toEqual({ ...d, z: new d.A().b }); });"
	f.Add([]byte(test), []byte("exports.login = (x) => api.post('/login', { x }).expect(200);\nclass A extends a { #x = 1; static get b() { return this.#x; } }\nmodule.exports.A = A;"))
	f.Add([]byte(test), []byte("export * from './b'; export { x as default, y as b } from './a'; export const url = (p) => `${(() => { return p; })()}`;"))
	f.Add([]byte(test), []byte("export default class A<T> extends require('./b') { constructor(private b = 1) { super(...b); this[b].c = 2; } async get(p) { return fetch(p); } }"))
	f.Add([]byte("it('a', async () => { const r = await api.get('/a'); expect(r.data).toMatchSnapshot({ x: expect.any(String) });\n"+
		"expect(r.data.y).toMatchSnapshot('h'); expect(r.data).toMatchInlineSnapshot(`\n  {\n    \"x\": 1,\n  }\n`); });"),
		[]byte("// Jest Snapshot v1\n\nexports[`a 1`] = `\n{\n  \"x\": Any<String>,\n  \"y\": [\n    {},\n  ],\n}\n`;\n\nexports[`a: h 1`] = `1`;\n"))
	f.Fuzz(func(t *testing.T, data, beside []byte) {
		d := Written()
		read := d.Read
		d.Read = func(s *script.Script) (script.Writer, error) {
			s.Beside = func(string) (string, bool) { return string(beside), utf8.Valid(beside) }
			return read(s)
		}
		onecall.Damaged(t, d, "t.ts", data)
	})
}
