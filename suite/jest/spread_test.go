package jest

import "testing"

// An object has the members of an answer that is spread in it, but for those that are written out behind it.
func TestSpread(t *testing.T) {
	for _, tt := range []struct{ name, object, want string }{
		{"a member", "{ ...r.data, headers: { a: 1 } }", "GET /a; expect(u.role).toBe(1);"},
		{"one within", "{ ...r.data.user }", "GET /a; expect(u.role).toBe(1);"},
		{"what nothing is known of", "{ ...f() }", "GET /a; not: the member role is not known"},
		{"what may be of another", "{ ...r.data, ...f() }", "GET /a; not: the member role is not known"},
	} {
		text := "const axios = require('axios');\n" +
			"const login = async () => {\n  const r = await axios.get('/a');\n  return " + tt.object + ";\n};\n" +
			"it('t', async () => {\n  const u = await login();\n  expect(u.role).toBe(1);\n});\n"
		if got := inRuns(t, text); got != tt.want {
			t.Errorf("%s\ngot  %s\nwant %s", tt.name, got, tt.want)
		}
	}
}
