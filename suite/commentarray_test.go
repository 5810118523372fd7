package suite

import (
	"regexp"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

var secretToken = regexp.MustCompile(`secret:[0-9a-f]{12}`)

// oneAssertion is a suite of one test that sends GET /x0, with one assertion, in the dialect that the file's name tells.
func oneAssertion(t testing.TB, file, line string) string {
	t.Helper()
	switch file[strings.LastIndexByte(file, '.'):] {
	case ".py":
		return suiteOf([]string{line})
	case ".java":
		return jvmSuiteOf(false, []string{line})
	case ".kt":
		return jvmSuiteOf(true, []string{line})
	case ".js":
		return "const superagent = require('superagent');\nconst baseUrlOfSut = \"http://localhost:1\";\n\ntest(\"test_0\", async () => {\n" +
			"    const res_0 = await superagent\n        .get(baseUrlOfSut + \"/x0\").ok(res => res.status);\n    " + line + "\n});\n"
	case ".json":
		return collection(t, []string{line})
	}
	if strings.HasPrefix(line, "{") {
		return "GET {{host}}/x0\nHTTP *\n" + line + "\n"
	}
	return "GET {{host}}/x0\nHTTP *\n[Asserts]\n" + line + "\n"
}

// arrayCase is an assertion about an array, what was seen, and the comment above it where it is commented out.
type arrayCase struct {
	file, line string
	seen       []*exchange.Response
	want       string
}

func arrayCases() []arrayCase {
	numbers := replies(`{"a":[1,2,3]}`, `{"a":[3,2,1]}`)
	users := replies(`{"a":[{"id":1,"password":"hunter2hunter2"},{"id":2}]}`, `{"a":[{"id":2},{"id":1,"password":"hunter2hunter2"}]}`)
	long := replies(`{"a":["`+strings.Repeat("x", 300)+`"]}`, `{"a":[]}`)
	return []arrayCase{
		{"t.py", `assert res_0.json()["a"] == [1, 2, 3]`, numbers, `Flaky assertion on ["a"]: seen [3,2,1]`},
		{"t.py", `assert res_0.json()["a"][0] == 1`, numbers, `Flaky value of field ["a"][0]: 1 vs. 3`},
		{"t.py", `assert len(res_0.json()["a"]) == 4`, numbers, `Flaky size of ["a"]: 4 vs. 3`},
		{"t.py", `assert 9 in res_0.json()["a"]`, numbers, `Flaky assertion on ["a"]: seen [1,2,3], [3,2,1]`},
		{"t.py", `assert all(e > 1 for e in res_0.json()["a"])`, numbers, `Flaky assertion on ["a"]: seen [1,2,3], [3,2,1]`},
		{"t.py", `assert "z" in res_0.json()["a"]`, long, `Flaky value of field ["a"]: "z" vs. ["` + strings.Repeat("x", 198) + `…`},
		{"t.java", `.body("'a'", hasItems(1, 9))`, numbers, `Flaky value of field "'a'": [1,9] vs. [1,2,3]`},
		{"t.java", `.body("'a'", hasItems("p", "q"))`, numbers, `Flaky value of field "'a'": ["p","q"] vs. [1,2,3]`},
		{"t.java", `.body("'a'[0]", numberMatches(1))`, numbers, `Flaky value of field "'a'[0]": 1 vs. 3`},
		{"t.kt", `.body("'a'", hasItems("p", "q"))`, numbers, `Flaky value of field "'a'": ["p","q"] vs. [1,2,3]`},
		{"t.kt", `.body("'a'[0]", numberMatches(1))`, numbers, `Flaky value of field "'a'[0]": 1 vs. 3`},
		{"t.js", `expect(res_0.body["a"]).toEqual([1,2,3]);`, numbers, `Flaky value of field .a: [1,2,3] vs. [3,2,1]`},
		{"t.js", `expect(res_0.body["a"]).toContain(9);`, numbers, `Flaky assertion on .a: seen [1,2,3], [3,2,1]`},
		{"t.js", `expect(res_0.body["a"]).toEqual([{id: 1, password: "hunter2hunter2"}, {id: 2}]);`, users, `Flaky value of field .a: [{"id":1,"password":"SECRET"},{"id":2}] vs. [{"id":2},{"id":1,"password":"SECRET"}]`},
		{"c.json", `pm.expect(pm.response.json().a).to.eql([1,2,3]);`, numbers, `Flaky value of field .a: [1,2,3] vs. [3,2,1]`},
		{"c.json", `pm.expect(pm.response.json().a).to.include(9);`, numbers, `Flaky assertion on .a: seen [1,2,3], [3,2,1]`},
		{"c.json", `pm.expect(pm.response.json().a.map((u) => u.password)).to.include("x");`, users, `Flaky assertion on .a: seen [{"id":1,"password":"SECRET"},{"id":2}], [{"id":2},{"id":1,"password":"SECRET"}]`},
		{"a.hurl", `jsonpath "$.a" includes 9`, numbers, `Flaky assertion on .a: seen [1,2,3], [3,2,1]`},
		{"a.hurl", `jsonpath "$.a" count == 4`, numbers, `Flaky size of .a: 4 vs. 3`},
		{"a.hurl", `{"a": [1, 2, 3]}`, numbers, `Flaky Body: {"a":[1,2,3]} vs. {"a":[3,2,1]}`},
	}
}

// TestCommentedArrays: the comment beside an assertion on an array tells the values that were seen.
func TestCommentedArrays(t *testing.T) {
	for _, tt := range arrayCases() {
		src := Source{Steps: []exchange.Step{stepOf(1, "/x0", tt.seen)}}
		p, err := Patch(tt.file, []byte(oneAssertion(t, tt.file, tt.line)), src, PatchOptions{Mode: Comment})
		if err != nil {
			t.Errorf("%s: %v", tt.line, err)
			continue
		}
		got := "-"
		for _, c := range p.Changes {
			got = secretToken.ReplaceAllString(c.Reason, "SECRET")
		}
		if got != tt.want {
			t.Errorf("%s: %s\ngot  %s\nwant %s", tt.file, tt.line, got, tt.want)
		}
	}
}
