package jest

import (
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
)

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

// What a pattern leaves is followed member by member and as a whole, and so are defaults.
func TestRest(t *testing.T) {
	for _, tt := range []struct{ taken, said, want string }{
		{"{ at, ...left }", "expect(left.id).toBe(1)", "expect(left.id).toBe(1);"},
		{"{ at, ...left }", "expect(left).toEqual({ id: 1, a: [2] })",
			"expect(Object.keys(left).length).toBe(2);\n  expect(left.id).toBe(1);\n  expect(left.a).toEqual([2]);"},
		{"{ at, ...left }", "expect(left).toMatchObject({ id: 1 })", "expect(left.id).toBe(1);"},
		{"{ at, ...left }", "expect(left.at).toBe(1)", "expect(left.at).toBe(1);"},
		{"[first, ...left]", "expect(left).toEqual([])", "expect(left).toEqual([]);"},
		{"[first, ...left]", "expect(left[0].id).toBe(1)", "expect(left[0].id).toBe(1);"},
		{"[, ...left]", "expect(left.length).toBe(1)", "expect(left.length).toBe(1);"},
		{"{ left = [] }", "expect(left).toEqual([1])", "expect(left).toEqual([1]);"},
		{"{ of: { left } = {} }", "expect(left).toBe(1)", "expect(left).toBe(1);"},
		{"{ left = f() }", "expect(left).toBe(1)", "not: the name left is not known"},
	} {
		text := "const axios = require('axios');\nit('t', async () => {\n  const { data } = await axios.get('/a');\n" +
			"  const " + tt.taken + " = data;\n  " + tt.said + ";\n});\n"
		if got := inRuns(t, text); got != "GET /a; "+tt.want {
			t.Errorf("%s, %s\ngot  %s\nwant %s", tt.taken, tt.said, got, tt.want)
		}
	}
}

// What a pattern leaves is that of the answer: of an array what stands behind the elements that it takes.
func TestRestHolds(t *testing.T) {
	for _, tt := range []struct{ taken, said, holds, fails string }{
		{"[first, ...left]", "expect(left[0]).toBe(2)", `[1, 2]`, `[2, 1]`},
		{"[, , ...left]", "expect(left).toEqual([3])", `[1, 2, 3]`, `[3]`},
		{"{ at, ...left }", "expect(left).toEqual({ id: 1 })", `{"at": 7, "id": 1}`, `{"at": 7, "id": 1, "n": 2}`},
		{"{ left = [] }", "expect(left).toEqual([])", `{}`, `{"left": [1]}`},
	} {
		s, err := script.Read(Written(), "a.test.js", []byte("const axios = require('axios');\nit('t', async () => {\n"+
			"  const { data } = await axios.get('/a');\n  const "+tt.taken+" = data;\n  "+tt.said+";\n});\n"))
		if err != nil {
			t.Fatal(err)
		}
		for body, want := range map[string]bool{tt.holds: true, tt.fails: false} {
			answer := exchange.ParseResponse(exchange.Message{Body: []byte(body),
				Head: []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")})
			scope := expr.Scope{s.Tests[0].Calls[0].Var: expr.NewResponse(answer, nil)}
			if got, err := scope.Holds(s.Tests[0].Assertions[0].Meaning); err != nil || got != want {
				t.Errorf("%s, %s of %s: %t, %v", tt.taken, tt.said, body, got, err)
			}
		}
	}
}
