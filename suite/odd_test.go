package suite

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/script"
)

// TestOddValues patches assertions about values and keys that a language has signs of its own in: what is written has to stay
// what was meant, patched again it has to stay as it is, and no secret may be in it.
func TestOddValues(t *testing.T) {
	inChain := func(suite, links string) string { return strings.Replace(suite, ".then()", ".then()"+links, 1) }
	headers := func(lines ...string) (out []*exchange.Response) {
		for _, l := range lines {
			out = append(out, reply(200, l+"\r\n", ""))
		}
		return out
	}
	slashes := strings.ReplaceAll(collection(t, []string{`pm.test("a", () => pm.expect(pm.response.text()).to.include("a*/b"));`}), "a*/b", `a*\/b`)
	hurl := "GET {{host}}/x0\nHTTP *\n[Asserts]\n"
	noHelper := func(s string) string { return strings.ReplaceAll(s, "NumberMatcher", "Nope") }
	for name, tt := range map[string]struct {
		file, text  string
		seen        []*exchange.Response
		want, never string
	}{
		"line end in a key": {"t.py", suiteOf([]string{`assert res_0.json()["a\nb"] == 1`}), replies(`{"a\nb":2}`, `{"a\nb":3}`),
			"# flaketap: /body/a b: 1 as written", "a\nb"},
		"line separator in a key": {"t.js", jestOf([]string{`expect(res_0.body["a\u2028b"]).toBe(1);`}), replies("{\"a\u2028b\":2}", "{\"a\u2028b\":3}"),
			"// flaketap: /body/a b: 1 as written", "\u2028"},
		"line end in a key of a collection": {"c.json", collection(t, []string{`pm.expect(pm.response.json()["a\nb"]).to.equal(1);`}), replies(`{"a\nb":2}`, `{"a\nb":3}`),
			"// flaketap: /body/a b: 1 as written", `/body/a\nb`},
		"escape in a comment of Java": {"T.java", jvmSuiteOf(false, []string{`.body("'C:\\\\users'", numberMatches(1.0))`}), replies(`{"C:\\users":2}`, `{"C:\\users":3}`),
			`// flaketap: /body/C:\\users: 1.0 as written`, ""},
		"none in Kotlin's": {"T.kt", jvmSuiteOf(true, []string{`.body("'C:\\\\users'", numberMatches(1.0))`}), replies(`{"C:\\users":2}`, `{"C:\\users":3}`),
			`// flaketap: /body/C:\users: 1.0 as written`, ""},
		"end of a comment in a chain": {"T.java", inChain(jvmSuiteOf(false, nil), `.body(org.hamcrest.Matchers.containsString("*/*")).statusCode(200)`),
			[]*exchange.Response{nil, reply(200, "", "x")}, "\n// .body(org.hamcrest.Matchers.containsString(\"*/*\"))\n", ""},
		"begin of one in Kotlin": {"T.kt", inChain(jvmSuiteOf(true, nil), `.body(org.hamcrest.Matchers.containsString("text/*")).statusCode(200)`),
			[]*exchange.Response{nil, reply(200, "", "x")}, "\n// .body(org.hamcrest.Matchers.containsString(\"text/*\"))\n", "/* ."},
		"end of a comment in JSON": {"c.json", slashes, []*exchange.Response{nil, reply(200, "", "x")}, "a* /b", `a*\/b`},
		"cookie": {"t.py", suiteOf([]string{`assert "sid=old" in res_0.headers["set-cookie"]`}), headers("Set-Cookie: sid=s3cr3tTokenValue; Path=/", "Set-Cookie: sid=an0therSecretValue; Path=/"),
			`assert "sid=" in res_0.headers["set-cookie"]`, "Value"},
		"token": {"t.js", jestOf([]string{`expect(res_0.header["x-auth-token"].startsWith("old")).toBe(true);`}), headers("X-Auth-Token: s3cr3tTokenValue", "X-Auth-Token: an0therSecretValue"),
			`expect(res_0.header["x-auth-token"]).toBeTruthy();`, "Value"},
		"empty header": {"t.py", suiteOf([]string{`assert "json" in res_0.headers["x-a"]`}), headers("X-A: json", "X-A: "),
			`assert "json" in res_0.headers["x-a"] or res_0.headers["x-a"] == ""`, `"" in`},
		"long": {"T.java", noHelper(jvmSuiteOf(false, []string{`.body("'a'", equalTo("1234567890123456789"))`})), replies(`{"a":1234567890123456789}`),
			`equalTo(1234567890123456789L)`, "BigInteger"},
		"least int": {"T.java", noHelper(jvmSuiteOf(false, []string{`.body("'a'", equalTo("-2147483648"))`})), replies(`{"a":-2147483648}`),
			`equalTo(-2147483648)`, ""},
		"beyond long": {"T.java", noHelper(jvmSuiteOf(false, []string{`.body("'a'", equalTo("9223372036854775808"))`})), replies(`{"a":9223372036854775808}`),
			`equalTo(new java.math.BigInteger("9223372036854775808"))`, ""},
		"begin of a variable": {"a.hurl", hurl + `body contains "Dear \u{7b}\u{7b} nobody"` + "\n", []*exchange.Response{reply(200, "", "Dear {{ yes"), reply(200, "", "Dear {{ no")},
			`body contains "Dear \u{7b}{"`, ""},
	} {
		src := Source{Steps: []exchange.Step{stepOf(1, "/x0", tt.seen)}}
		p, err := Patch(tt.file, []byte(tt.text), src, PatchOptions{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := string(p.Data)
		if !strings.Contains(got, tt.want) || tt.never != "" && strings.Contains(got, tt.never) {
			t.Errorf("%s: want %q and no %q in\n%s", name, tt.want, tt.never, got)
		}
		again, err := Patch(tt.file, p.Data, src, PatchOptions{})
		if err != nil || string(again.Data) != got {
			t.Errorf("%s: patched again (%v) it is\n%s", name, err, again.Data)
		}
	}
}

// A set-up takes a value by the keys and indexes that the session's answer has.
func TestTakenByKeys(t *testing.T) {
	for _, tt := range []struct {
		body  string
		place exchange.Place
		py    string
		hurl  string
		java  string
	}{
		{`{"":{"id":"x"}}`, "/body//id", `setup_0.json()[""]["id"]`, `"$[''].id"`, `"''.'id'"`},
		{`{"17":{"id":"x"}}`, "/body/17/id", `setup_0.json()["17"]["id"]`, `"$['17'].id"`, `"'17'.'id'"`},
		{`[0,{"00":"x"}]`, "/body/1/00", `setup_0.json()[1]["00"]`, `"$[1]['00']"`, `"[1].'00'"`},
	} {
		kinds := map[exchange.Place]byte{exchange.PlaceBody: tt.body[0]}
		k := script.Capture{Name: "v", Place: tt.place, Steps: script.StepsOf(tt.place, func(p exchange.Place) byte {
			if kinds[p] == 0 {
				return '{'
			}
			return kinds[p]
		})}
		for file, want := range map[string]string{"t.py": "v = str(" + tt.py + ")\n", "a.hurl": "v: jsonpath " + tt.hurl + " toString\n", "T.java": tt.java} {
			s, err := Read(file, []byte(inForm(t, file, nil)))
			if err != nil {
				t.Fatal(err)
			}
			x := script.SetUpRequest{Var: "setup_0", Method: "GET", Target: []script.TextPart{{Text: "/a"}}, Captures: []script.Capture{k}}
			open, _ := s.Writer.Graft.SetUp(s, s.Tests[0], []script.SetUpRequest{x}, nil)
			if got := strings.Join(open, "\n") + "\n"; !strings.Contains(got, want) {
				t.Errorf("%s: no %s in\n%s", tt.body, want, got)
			}
		}
	}
}
