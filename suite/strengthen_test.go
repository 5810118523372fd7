package suite

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/setup"
)

// strengthened returns the lines that are added to a suite, without their indentation.
func strengthened(t *testing.T, text string, src Source, o PatchOptions) []string {
	t.Helper()
	o.Strengthen = true
	p, err := Patch("suite.py", []byte(text), src, o)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Patch("suite.py", p.Data, src, o)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(p.Data), string(again.Data)); diff != "" {
		t.Errorf("a second patch changes (-first +second):\n%s", diff)
	}
	before := strings.Split(text, "\n")
	var out []string
	for _, line := range strings.Split(string(p.Data), "\n") {
		if !slices.Contains(before, line) {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return out
}

// answeredBy are so many answers, with the bodies in turn.
func answeredBy(n int, bodies ...string) []*exchange.Response {
	var all []string
	for i := range n {
		all = append(all, bodies[i%len(bodies)])
	}
	return replies(all...)
}

const (
	addedIn5  = "# flaketap: added: so in all 5 answers"
	ofContent = `assert "application/json" in res_0.headers["content-type"]`
	status200 = "assert res_0.status_code == 200"
)

// TestStrengthen: what all answers bear is added behind the assertions of the call, and nothing else: not what moves,
// nor what follows the state, nor what was seen too seldom.
func TestStrengthen(t *testing.T) {
	for name, c := range map[string]struct {
		said    []string // the suite's own assertions
		answers []*exchange.Response
		want    []string
	}{
		"members, the outer ones first": {[]string{status200}, answeredBy(5, `{"a":{"deep":1.50},"b":"x","n":null,"on":true}`),
			[]string{addedIn5, ofContent, `assert res_0.json()["b"] == "x"`, `assert res_0.json()["n"] is None`,
				`assert res_0.json()["on"] is True`, `assert res_0.json()["a"]["deep"] == 1.5`,
				`assert len(res_0.json()) == 4`, `assert len(res_0.json()["a"]) == 1`}},
		"what is asserted is left": {[]string{status200, ofContent, `assert res_0.json()["b"] == "x"`},
			answeredBy(5, `{"a":1,"b":"x"}`), []string{addedIn5, `assert res_0.json()["a"] == 1`, `assert len(res_0.json()) == 2`}},
		"a list": {[]string{status200, ofContent}, answeredBy(5, `["a","b","c","d","e","f"]`),
			[]string{addedIn5, `assert len(res_0.json()) == 6`, `assert res_0.json()[0] == "a"`, `assert res_0.json()[1] == "b"`,
				`assert res_0.json()[2] == "c"`, `assert res_0.json()[5] == "f"`}},
		"what moves": {[]string{status200, ofContent}, answeredBy(5, `{"a":1,"b":4}`, `{"a":1,"b":9}`, `{"a":1,"b":2}`),
			[]string{addedIn5, `assert res_0.json()["a"] == 1`, `assert len(res_0.json()) == 2`}},
		"answers of two statuses": {[]string{status200}, append(answeredBy(4, `{"a":1}`), reply(404, jsonType, `{"a":1}`)),
			[]string{"# flaketap: /status: 200 as written; failed in 1 of 5, seen 404; State", "assert res_0.status_code in (200, 404)"}},
		"too few": {[]string{status200}, answeredBy(4, `{"a":1}`), nil},
		"long texts": {[]string{status200, ofContent}, answeredBy(5, `{"a":"`+strings.Repeat("x", maxLiteral+1)+`"}`),
			[]string{addedIn5, `assert len(res_0.json()) == 1`}},
		"secrets": {[]string{status200, ofContent}, answeredBy(5, `{"password":"hunter2hunter2"}`),
			[]string{addedIn5, `assert len(res_0.json()) == 1`}},
		"a call without assertions": {nil, answeredBy(5, `{"a":1}`), nil},
	} {
		t.Run(name, func(t *testing.T) {
			src := judged(t, Source{Steps: []exchange.Step{stepOf(1, "/x0", c.answers)}})
			got := strengthened(t, suiteOf(c.said), src, PatchOptions{})
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// TestStrengthenStaysReadable: however much an answer holds, a call is given no more assertions than a reader reads.
func TestStrengthenStaysReadable(t *testing.T) {
	var members []string
	for c := 'a'; c <= 'z'; c++ {
		members = append(members, `"`+string(c)+`":1`)
	}
	src := judged(t, Source{Steps: []exchange.Step{stepOf(1, "/x0", answeredBy(6, "{"+strings.Join(members, ",")+"}"))}})
	got := strengthened(t, suiteOf([]string{status200}), src, PatchOptions{})
	if len(got) != maxAsserted { // a comment stands above them, and the status was there
		t.Errorf("%d lines are added, want %d:\n%s", len(got), maxAsserted, strings.Join(got, "\n"))
	}
}

// TestStrengthenByState: a number that is counted on from one thing to the next is asserted by its type, and the answer
// to a request that was answered otherwise at another time not at all; unless the test was played with other tests before
// it, which shows what holds.
func TestStrengthenByState(t *testing.T) {
	counted := []exchange.Step{stepOf(1, "/x0", answeredBy(5, `{"id":7,"kind":"k"}`)),
		stepOf(2, "/x1", answeredBy(5, `{"id":8,"kind":"k"}`))}
	counted[0].Exchange.Request.Target, counted[1].Exchange.Request.Target = "/x0", "/x1"
	src := judged(t, Source{Steps: counted})
	src.Operations[2] = src.Operations[1]
	src.Map.Operations[0].Operation = src.Operations[1]
	text := suiteOf([]string{status200, ofContent, `assert res_0.json()["kind"] == "k"`})
	if diff := cmp.Diff([]string{addedIn5, `assert isinstance(res_0.json()["id"], int)`,
		`assert len(res_0.json()) == 2`},
		strengthened(t, text, src, PatchOptions{})); diff != "" {
		t.Errorf("counted on: -want +got\n%s", diff)
	}
	alone := func(body string) PatchOptions {
		one := setup.Trial{Answers: replies(body)}
		return PatchOptions{Elsewhere: map[string][]setup.Trial{"test_0": {one, one}}}
	}
	if diff := cmp.Diff([]string{"# flaketap: added: so in all 7 answers", `assert res_0.json()["id"] == 7`,
		`assert len(res_0.json()) == 2`},
		strengthened(t, text, src, alone(`{"id":7,"kind":"k"}`))); diff != "" {
		t.Errorf("the same alone: -want +got\n%s", diff)
	}
	if diff := cmp.Diff([]string{"# flaketap: added: so in all 7 answers", `assert isinstance(res_0.json()["id"], int)`,
		`assert len(res_0.json()) == 2`},
		strengthened(t, text, src, alone(`{"id":1,"kind":"k"}`))); diff != "" {
		t.Errorf("another alone: -want +got\n%s", diff)
	}

	other := judged(t, Source{Steps: []exchange.Step{stepOf(1, "/x0", answeredBy(5, `{"left":3}`)),
		stepOf(2, "/x0", answeredBy(5, `{"left":2}`))}})
	if got := strengthened(t, suiteOf([]string{status200, ofContent}), other, PatchOptions{}); len(got) > 0 {
		t.Errorf("answered otherwise at another time: added %q", got)
	}
}

// TestStrengthenForms: each form of suites has its own words for what is added.
func TestStrengthenForms(t *testing.T) {
	seen := answeredBy(5, `{"n":-2,"on":true,"price":1.5,"s":"a\"b","tags":["x"],"void":null}`)
	for name, c := range map[string]struct {
		file, text string
		want       []string
	}{
		"Jest": {"t.js", jestOf([]string{"expect(res_0.status).toBe(200);"}), []string{
			`// flaketap: added: so in all 5 answers`,
			`expect(res_0.header["content-type"]).toContain("application/json");`,
			`expect(res_0.body.n).toBe(-2);`,
			`expect(res_0.body.on).toBe(true);`,
			`expect(res_0.body.price).toBe(1.5);`,
			`expect(res_0.body.s).toBe("a\"b");`,
			`expect(res_0.body.tags.length).toBe(1);`,
			`expect(res_0.body.void).toBe(null);`,
			`expect(res_0.body.tags[0]).toBe("x");`,
		}},
		"Java": {"T.java", jvmSuiteOf(false, []string{".statusCode(200)", ".assertThat()"}), []string{
			`// flaketap: added: so in all 5 answers`,
			`.contentType(containsString("application/json"))`,
			`.body("'n'", numberMatches(-2))`,
			`.body("'on'", equalTo(true))`,
			`.body("'price'", numberMatches(1.5))`,
			`.body("'s'", equalTo("a\"b"))`,
			`.body("'tags'.size()", equalTo(1))`,
			`.body("'void'", nullValue())`,
			`.body("'tags'[0]", equalTo("x"))`,
		}},
		"Kotlin": {"T.kt", jvmSuiteOf(true, []string{".statusCode(200)"}), []string{
			`// flaketap: added: so in all 5 answers`,
			`.contentType(containsString("application/json"))`,
			`.body("'n'", numberMatches(-2))`,
			`.body("'on'", equalTo(true))`,
			`.body("'price'", numberMatches(1.5))`,
			`.body("'s'", equalTo("a\"b"))`,
			`.body("'tags'.size()", equalTo(1))`,
			`.body("'void'", nullValue())`,
			`.body("'tags'[0]", equalTo("x"))`,
		}},
		"Hurl": {"t.hurl", "GET {{host}}/x0\nHTTP 200\n[Asserts]\nstatus == 200\n", []string{
			`# flaketap: added: so in all 5 answers`,
			`header "content-type" contains "application/json"`,
			`jsonpath "$.n" == -2`,
			`jsonpath "$.on" == true`,
			`jsonpath "$.price" == 1.5`,
			`jsonpath "$.s" == "a\"b"`,
			`jsonpath "$.tags" count == 1`,
			`jsonpath "$.void" == null`,
			`jsonpath "$.tags[0]" == "x"`,
		}},
		"Postman": {"t.json", collection(t, []string{`pm.test("it is there", () => {`, `    pm.response.to.have.status(200);`, `});`}), []string{
			`"    // flaketap: added: so in all 5 answers",`,
			`"    pm.expect(pm.response.headers.get(\"content-type\")).to.include(\"application/json\");",`,
			`"    pm.expect(pm.response.json().n).to.equal(-2);",`,
			`"    pm.expect(pm.response.json().on).to.equal(true);",`,
			`"    pm.expect(pm.response.json().price).to.equal(1.5);",`,
			`"    pm.expect(pm.response.json().s).to.equal(\"a\\\"b\");",`,
			`"    pm.expect(pm.response.json().tags.length).to.equal(1);",`,
			`"    pm.expect(pm.response.json().void).to.equal(null);",`,
			`"    pm.expect(pm.response.json().tags[0]).to.equal(\"x\");",`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			src := judged(t, Source{Steps: []exchange.Step{stepOf(1, "/x0", seen)}})
			p, err := Patch(c.file, []byte(c.text), src, PatchOptions{Strengthen: true})
			if err != nil {
				t.Fatal(err)
			}
			again, err := Patch(c.file, p.Data, src, PatchOptions{Strengthen: true})
			if err != nil || len(again.Unknown) > 0 {
				t.Fatalf("what was added is not read: %v %+v\n%s", err, again.Unknown, p.Data)
			}
			if diff := cmp.Diff(string(p.Data), string(again.Data)); diff != "" {
				t.Errorf("a second patch changes (-first +second):\n%s", diff)
			}
			var got []string
			for _, line := range strings.Split(string(p.Data), "\n") {
				if !strings.Contains(c.text, line) {
					got = append(got, strings.TrimSpace(line))
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got\n%s\n%s", diff, p.Data)
			}
		})
	}
}
