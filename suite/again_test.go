package suite

import (
	"path"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/script"
)

// TestGuessesAreWeakenedAgain patches a suite whose call is answered otherwise than the suite expects, and then, once it is
// answered so, again: what was guessed from the suite's literal becomes what is seen.
func TestGuessesAreWeakenedAgain(t *testing.T) {
	absent := Source{Steps: []exchange.Step{stepOf(1, "/x0", []*exchange.Response{reply(404, "", ""), reply(404, "", "")})}}
	there := Source{Steps: []exchange.Step{stepOf(1, "/x0", replies(`{"a":"made by A-7","n":3}`, `{"a":"made by B-9","n":4}`))}}
	claims := map[string][]string{
		"T.java": {".statusCode(200)", `.body("'a'", containsString("was made by C"))`, `.body("'n'", numberMatches(2.0))`},
		"T.kt":   {".statusCode(200)", `.body("'a'", containsString("was made by C"))`, `.body("'n'", numberMatches(2.0))`},
		"t.py":   {"assert res_0.status_code == 200", `assert res_0.json()["a"] == "was made by C"`, `assert res_0.json()["n"] == 2.0`},
	}
	for file, lines := range claims {
		text := inForm(t, file, lines)
		for _, src := range []Source{absent, there} {
			p, err := Patch(file, []byte(text), src, PatchOptions{})
			if err != nil {
				t.Fatal(err)
			}
			text = string(p.Data)
		}
		s, err := Read(file, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if n := len(s.Tests[0].Assertions); n != len(lines) {
			t.Errorf("%s: %d assertions are left of %d:\n%s", file, n, len(lines), text)
		}
		for _, v := range Bind(s, there, nil).Verdicts() {
			if v.Failed > 0 {
				t.Errorf("%s: %s fails in %d of %d", file, v.Text, v.Failed, v.Of)
			}
		}
	}
}

// inForm makes a suite of one call in the form that a file's name tells.
func inForm(t *testing.T, file string, lines []string) string {
	switch path.Ext(file) {
	case ".py":
		return suiteOf(lines)
	case ".js":
		return jestOf(lines)
	case ".json":
		return collection(t, lines)
	case ".hurl":
		return "GET http://h/x0\nHTTP *\n[Asserts]\n" + strings.Join(lines, "\n") + "\n"
	}
	return jvmSuiteOf(file == "T.kt", lines)
}

// TestStatementsAreWidened patches a suite by one recording, and then by another that shows more: types, ranges, sets, spellings
// and statuses grow, and stay true of what was seen before.
func TestStatementsAreWidened(t *testing.T) {
	first := Source{Steps: []exchange.Step{stepOf(1, "/x0", replies(`{"a":3,"t":"xx"}`, `{"a":4,"t":"yzz"}`, `{"a":5,"t":"q"}`))}}
	gone := reply(404, "", "")
	then := Source{Steps: []exchange.Step{stepOf(1, "/x0", append(replies(`{"a":"three","t":null}`, `{"a":"four","t":null}`), gone))}}
	claims := map[string][]string{
		"T.java": {".statusCode(200)", `.body("'a'", numberMatches(2.0))`, `.body("'t'", equalTo("w"))`},
		"T.kt":   {".statusCode(200)", `.body("'a'", numberMatches(2.0))`, `.body("'t'", equalTo("w"))`},
		"t.py":   {"assert res_0.status_code == 200", `assert res_0.json()["a"] == 2.0`, `assert res_0.json()["t"] == "w"`},
		"t.js":   {"expect(res_0.status).toBe(200);", `expect(res_0.body.a).toBe(2.0);`, `expect(res_0.body.t).toBe("w");`},
		"t.json": {`pm.test("it", () => {`, "pm.response.to.have.status(200);", `pm.expect(pm.response.json().a).to.eql(2.0);`,
			`pm.expect(pm.response.json().t).to.eql("w");`, "});"},
	}
	for file, lines := range claims {
		text := inForm(t, file, lines)
		for i, src := range []Source{first, then, then, first} {
			p, err := Patch(file, []byte(text), src, PatchOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if i > 1 && string(p.Data) != text {
				t.Errorf("%s: what was seen before contradicts what was widened:\n%s", file, p.Data)
			}
			text = string(p.Data)
		}
		s, err := Read(file, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if n := len(s.Tests[0].Assertions); n != 3 {
			t.Errorf("%s: %d assertions are left of 3:\n%s", file, n, text)
		}
		other := Source{Steps: []exchange.Step{stepOf(1, "/x0", replies(`{"a":["x"],"t":{}}`, `{"a":["x"],"t":{}}`))}}
		told := 0
		for _, v := range Bind(s, other, nil).Verdicts() {
			if v.Failed == v.Of {
				told++
			}
		}
		if told != 2 {
			t.Errorf("%s: %d of 2 statements tell values of other types:\n%s", file, told, text)
		}
	}
}

// A piece of a text that proves not to be in all of them gives way to what is, and what the statement left alone it goes on leaving.
func TestPiecesAreWidened(t *testing.T) {
	src := Source{Steps: []exchange.Step{stepOf(1, "/x0", replies(`{"s":["a","b","octopus"]}`, `{"s":["a","b","overtures"]}`))}}
	for file, tt := range map[string]struct{ line, want string }{
		"T.java": {`.body("'s'[2]", anyOf(nullValue(), containsString("octopus")))`, `.body("'s'[2]", anyOf(nullValue(), instanceOf(String.class)));`},
		"T.kt":   {`.body("'s'[2]", anyOf(nullValue(), containsString("octopus")))`, `.body("'s'[2]", anyOf(nullValue(), instanceOf<Any>(String::class.java)))`},
		"t.js": {`if (res_0.body.s.length >= 3) expect(res_0.body.s[2].includes("octopus")).toBe(true);`,
			`if (res_0.body.s.length >= 3) expect(typeof res_0.body.s[2]).toBe("string");`},
		"t.py": {`assert len(res_0.json()["s"]) < 3 or "octopus" in res_0.json()["s"][2]`,
			`assert len(res_0.json()["s"]) < 3 or isinstance(res_0.json()["s"][2], str)`},
	} {
		dialect := dialectsOf(file)[0]
		text := strings.Replace(inForm(t, file, []string{tt.line}), tt.line, dialect.Mark+"flaketap: x\n        "+tt.line, 1)
		p, err := Patch(file, []byte(text), src, PatchOptions{})
		if err != nil || !strings.Contains(string(p.Data), "        "+tt.want+"\n") {
			t.Errorf("%s (%v): no %s in\n%s", file, err, tt.want, p.Data)
		}
	}
}

// What a set-up must come to is left as it is, whatever it was answered: a test that goes on without it would be about
// something else.
func TestSetUpsAreNotWeakened(t *testing.T) {
	src := Source{Steps: []exchange.Step{stepOf(1, "/x0", []*exchange.Response{reply(409, "", ""), reply(409, "", "")})}}
	for file, line := range map[string]string{"t.py": "assert res_0.status_code == 201", "T.java": ".statusCode(201)", "T.kt": ".statusCode(201)"} {
		mark := map[bool]string{true: "# ", false: "// "}[file == "t.py"]
		plain := inForm(t, file, []string{line})
		at := strings.Index(plain, line)
		begin := strings.LastIndex(plain[:at], "\n") + 1
		text := plain[:begin] + plain[begin:at] + mark + "flaketap: " + script.SetUpMustSucceed + "\n" + plain[begin:]
		for name, tt := range map[string]struct {
			text    string
			changes int
		}{"of a test": {plain, 1}, "of a set-up": {text, 0}} {
			p, err := Patch(file, []byte(tt.text), src, PatchOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if len(p.Changes) != tt.changes {
				t.Errorf("%s, an assertion %s: %d changes, want %d:\n%s", file, name, len(p.Changes), tt.changes, p.Data)
			}
		}
	}
}
