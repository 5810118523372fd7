package jest

import "testing"

// What other tests, callbacks or methods may have changed by then is not known.
func TestWrittenChanges(t *testing.T) {
	const not = "a value that changes is not known"
	for text, want := range map[string]string{
		"let id = 0; it('b', async () => { id = 1; });":                                               not,
		"let id = 0; it('b', async () => { id++; });":                                                 not,
		"let id = 0; it('b', async () => { [id] = [1]; });":                                           not,
		"let id = 0; it('b', async () => { const { id } = x; });":                                     "",
		"const id = 0; function f(id = 1) {}":                                                         "",
		"let id = 0; beforeEach(() => { id = 1; });":                                                  "",
		"const id = []; it('b', async () => { id.push(1); });":                                        not,
		"const id = { a: 1 }; it('b', async () => { Object.assign(id, x); });":                        not,
		"const id = { a: 1 }; it('b', async () => { id.a = `${id.b = 2}`; });":                        "the name id is not known",
		"const id = { a: [{ b: 1 }] }; it('b', async () => { id.a[0].b = 2; });":                      "the name id is not known",
		"const o = { a: 1 }, id = o.a; it('b', async () => { o.b = 2; });":                            "",
		"class A { a = 0; m() { this.a = 1; } }\nconst o = new A(), id = o.a;":                        not,
		"class A { constructor() { this.a = 1; } m() { this.b = 1; } }\nconst o = new A(), id = o.a;": "",
	} {
		s := wrote(t, "a.test.js", text+"\nit('a', async () => { const r = await fetch('/a'); expect(await r.json()).toEqual(id); });\n")
		as := s.Tests[len(s.Tests)-1].Assertions
		if got := as[0].Reason; got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	for body, want := range map[string]string{
		"let id = 0; xs.forEach((x) => { id += x; });":                              not,
		"const id = []; xs.forEach((x) => id.push(x));":                             not,
		"const id = [1]; id.push(2);":                                               not,
		"const id = { a: 1 }; const more = xs.map((x) => { id.a = x; });":           "the name id is not known",
		"const o = { id: 1 }; xs.forEach((x) => { o.more = x; }); const id = o.id;": "",
		"let id = 0; await fetch('/x').then(() => { id = 2; });":                    "",
		"let id = 0; const f = () => { id = 2; }; f();":                             "",
		"const id = [1]; xs.map((x) => id.length);":                                 "",
	} {
		s := wrote(t, "a.test.js", "it('a', async () => { const r = await fetch('/a'); "+body+" expect(await r.json()).toEqual(id); });\n")
		if got := s.Tests[0].Assertions[0].Reason; got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}
