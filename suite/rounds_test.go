package suite

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// remarkOf is a comment that a patch writes above an assertion: the place, what is said, and the category.
var remarkOf = regexp.MustCompile(`(?m)flaketap: (/\S*): (.*); ([A-Z][A-Za-z]+)$`)

// contradictions lists the comments of a patched suite that contradict each other: two above one assertion, which tell of
// one place, and two categories of one place of one answer. GenErr is of an assertion, and not of a place.
func contradictions(t testing.TB, file string, p Patched) (out []string) {
	t.Helper()
	s, err := Read(file, p.Data)
	if err != nil {
		t.Fatalf("%s: %v\n%s", file, err, p.Data)
	}
	for _, test := range s.Tests {
		of := map[string]string{}
		for _, a := range test.Assertions {
			var above []string
			for n := a.At.FirstLine - 2; n >= 0 && strings.Contains(s.Lines[n], "flaketap: "); n-- {
				if m := remarkOf.FindStringSubmatch(strings.TrimRight(s.Lines[n], "\r\n\",")); m != nil {
					above = append(above, m[1])
					call := fmt.Sprint(a.Call, m[1])
					switch was := of[call]; {
					case m[3] == string(mapfile.GenErr):
					case was != "" && was != m[3]:
						out = append(out, fmt.Sprintf("%s: %s is %s and %s", test.Name, m[1], was, m[3]))
					default:
						of[call] = m[3]
					}
				}
			}
			if slices.Sort(above); len(slices.Compact(slices.Clone(above))) < len(above) {
				out = append(out, fmt.Sprintf("%s: two comments above line %d: %v", test.Name, a.At.FirstLine, above))
			}
		}
	}
	return out
}

// TestCommentsOfFixturesAgree patches real suites by a few of their executions, and then by all of them.
func TestCommentsOfFixturesAgree(t *testing.T) {
	comments := 0
	for _, f := range fixtures(t) {
		few := judged(t, source(t, f.runs[:3]), f.starts()[:2]...)
		all := judged(t, source(t, f.runs), f.starts()...)
		for _, file := range f.suites {
			data := read(t, file)
			for _, src := range []Source{few, all} {
				p, err := Patch(file, data, src, PatchOptions{})
				if err != nil {
					t.Fatal(err)
				}
				data = p.Data
				comments += len(remarkOf.FindAll(data, -1))
				for _, x := range contradictions(t, file, p) {
					t.Errorf("%s: %s", file, x)
				}
			}
		}
	}
	for _, f := range jvmFixtures(t) {
		for _, file := range f.files {
			p, err := Patch(file, read(t, file), disturbed(f.src), PatchOptions{})
			if err != nil {
				t.Fatal(err)
			}
			comments += len(remarkOf.FindAll(p.Data, -1))
			for _, x := range contradictions(t, file, p) {
				t.Errorf("%s: %s", file, x)
			}
		}
	}
	if comments < 8 {
		t.Errorf("only %d comments were read", comments)
	}
}

// A comment ends with the category, by which the next patch reads it, where nothing is left of the assertion, too.
func TestCommentsEndWithTheCategory(t *testing.T) {
	lines := []string{`assert res_0.text == ''`, `assert res_0.json()["a"] > 1 or res_0.json()["a"] == 0`, `assert res_0.json()["a"] == 2`}
	src := Source{Steps: []exchange.Step{stepOf(1, "/x0", replies(`{"a":1}`, `{"a":2}`))}}
	p, err := Patch("t.py", []byte(suiteOf(lines)), src, PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if found := remarkOf.FindAllString(string(p.Data), -1); len(found) != len(lines) {
		t.Errorf("found are %q of\n%s", found, p.Data)
	}
}

// TestCommentsAgree patches a suite that says several things of the same places, in rounds whose answers differ.
func TestCommentsAgree(t *testing.T) {
	forms := map[string][]string{
		"t.py": {"assert res_0.status_code == 200", `assert res_0.json()["a"] == 2.0`, `assert res_0.json()["a"] == "w"`,
			`assert len(res_0.json()["t"]) == 3`, `assert "x" in res_0.json()["t"]`, `assert res_0.json()["t"] == "wxy"`},
		"t.js": {"expect(res_0.status).toBe(200);", "expect(res_0.body.a).toBe(2.0);", `expect(res_0.body.a).toBe("w");`,
			"expect(res_0.body.t).toHaveLength(3);", `expect(res_0.body.t).toBe("wxy");`},
		"T.java": {".statusCode(200)", `.body("'a'", numberMatches(2.0))`, `.body("'a'", equalTo("w"))`,
			`.body("'t'", equalTo("wxy"))`, `.body("'t'", containsString("x"))`},
		"T.kt": {".statusCode(200)", `.body("'a'", numberMatches(2.0))`, `.body("'a'", equalTo("w"))`, `.body("'t'", equalTo("wxy"))`},
		"t.hurl": {"status == 200", `jsonpath "$.a" == 2.0`, `jsonpath "$.a" == "w"`, `jsonpath "$.t" count == 3`,
			`jsonpath "$.t" == "wxy"`},
	}
	answer := rapid.Custom(func(t *rapid.T) *exchange.Response {
		if rapid.IntRange(0, 5).Draw(t, "gone") == 0 {
			return reply(404, "", "")
		}
		a := rapid.SampledFrom([]string{"2", "3", `"w"`, `"v7"`, "null", "1.5"}).Draw(t, "a")
		text := rapid.SampledFrom([]string{`"wxy"`, `"wx"`, `"b"`, "null", `"wx 12"`, `["x","y"]`}).Draw(t, "t")
		return reply(200, "Content-Type: application/json\r\n", `{"a":`+a+`,"t":`+text+`}`)
	})
	rapid.Check(t, func(rt *rapid.T) {
		rounds := rapid.SliceOfN(rapid.SliceOfN(answer, 2, 6), 1, 4).Draw(rt, "rounds")
		for file, lines := range forms {
			text := inForm(t, file, lines)
			for n, answers := range rounds {
				p, err := Patch(file, []byte(text), Source{Steps: []exchange.Step{stepOf(1, "/x0", answers)}}, PatchOptions{})
				if err != nil {
					rt.Fatal(err)
				}
				text = string(p.Data)
				for _, x := range contradictions(t, file, p) {
					rt.Fatalf("%s, round %d: %s\n%s", file, n+1, x, text)
				}
			}
		}
	})
}
