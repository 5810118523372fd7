package suite

import (
	"fmt"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// listRuns are answers that list two people, whose ids and times are others in each run.
func listRuns() []exchange.Step {
	var answers []*exchange.Response
	for i, ids := range [][2]string{{"x5ve6ppt59qe0b4", "fbmp3xeco0xy02w"}, {"z678opif6usspdt", "lh18bz6h9nmiv2m"},
		{"k1m2n3b4v5c6x7z", "p0o9i8u7y6t5r4e"}} {
		at := fmt.Sprintf("2026-11-25 15:55:3%d.590Z", i)
		answers = append(answers, reply(200, jsonType, fmt.Sprintf(
			`{"items": [{"id": "%s", "name": "Joan", "nick": "J", "created": "%s"}, {"id": "%s", "name": "Grace", "created": "%s"}]}`,
			ids[0], at, ids[1], at)))
	}
	return []exchange.Step{stepOf(1, "/a", answers)}
}

// listTests are tests with an assertion about a list of people, by the ends of their files' names.
func listTests() map[string]string {
	return map[string]string{
		".kt": "package a\n\nimport io.restassured.RestAssured.*\nimport kotlin.test.*\n\nclass ItTest {\n    @Test\n    fun it() {\n" +
			"        val people = get(\"/a\").jsonPath().getList<Map<String, Any>>(\"items\")\n        ASSERTION\n    }\n}\n",
		".java": "package a;\n\nimport static io.restassured.RestAssured.*;\nimport static org.assertj.core.api.Assertions.assertThat;\n" +
			"import static org.junit.jupiter.api.Assertions.*;\n\nclass ItTest {\n    @Test\n    void it() {\n" +
			"        Response res = get(\"/a\");\n        List<Map<String, Object>> people = res.jsonPath().getList(\"items\");\n        ASSERTION\n    }\n}\n",
		".test.js": "test('it', async () => {\n  const people = (await (await fetch('http://x/a')).json()).items;\n  ASSERTION\n});\n",
		".py":      "import requests\n\ndef test_it():\n    people = requests.get('http://x/a').json()['items']\n    ASSERTION\n",
	}
}

// What is made of the elements of a list, and one that a condition finds, is followed to the places of the elements: it
// stays where it holds, and becomes what is true of it. Of a list whose elements are drawn that is how many they are.
func TestListsArePatched(t *testing.T) {
	ids := `"x5ve6ppt59qe0b4", "fbmp3xeco0xy02w"`
	for _, tt := range []struct{ file, assertion, want string }{
		{".kt", `assertEquals(listOf("Joan", "Grace"), people.map { it["name"] })`, `assertEquals(listOf("Joan", "Grace"), people.map { it["name"] })`},
		{".kt", `assertEquals(listOf(` + ids + `), people.map { it["id"] })`, `assertTrue(people.map { it["id"] }.size == 2)`},
		{".kt", `assertEquals("x5ve6ppt59qe0b4", people.find { it["nick"] == "J" }!!["id"])`, `assertTrue(people.find { it["nick"] == "J" }!!["id"] is String)`},
		{".kt", `assertEquals("x5ve6ppt59qe0b4", people.first()["id"])`, `assertTrue(people.first()["id"] is String)`},
		{".kt", `assertEquals("x5ve6ppt59qe0b4", people.first { it["name"] == "Joan" }["id"])`, `assertTrue(people.first { it["name"] == "Joan" }["id"] is String)`},
		{".kt", `assertEquals("x5ve6ppt59qe0b4", people.find { it["name"] == "Joan" }!!["id"])`, `assertTrue(people.find { it["name"] == "Joan" }!!["id"] is String)`},
		{".kt", `assertEquals(listOf("x5ve6ppt59qe0b4"), people.filter { it["name"] == "Joan" }.map { it["id"] })`,
			`assertTrue(people.filter { it["name"] == "Joan" }.map { it["id"] }.size == 1)`},
		{".java", `res.then().body("items[0].created", matchesRegex("2026-11-25 15:55:30.*Z"));`,
			`.body("'items'[0].'created'", org.hamcrest.Matchers.matchesPattern("\\d{4}-\\d\\d-\\d\\d[Tt ]\\d\\d:\\d\\d(:\\d\\d([.,]\\d+)?)?([Zz]|[+-]\\d\\d:?\\d\\d)?(\\[[A-Za-z_/+-]+\\])?"));`},
		{".java", `assertThat(res.jsonPath().getString("items[0].created")).startsWith("2026-11-25 15:55:30");`,
			`.matches("\\d{4}-\\d\\d-\\d\\d[Tt ]\\d\\d:\\d\\d(:\\d\\d([.,]\\d+)?)?([Zz]|[+-]\\d\\d:?\\d\\d)?(\\[[A-Za-z_/+-]+\\])?");`},
		{".java", `assertThat(res.jsonPath().getString("items[0].created")).matches("2026-11-25 15:55:30.*Z");`,
			`.matches("\\d{4}-\\d\\d-\\d\\d[Tt ]\\d\\d:\\d\\d(:\\d\\d([.,]\\d+)?)?([Zz]|[+-]\\d\\d:?\\d\\d)?(\\[[A-Za-z_/+-]+\\])?");`},
		{".kt", `assertNotNull(people.find { it["created"] == "2026-11-25 15:55:30.590Z" })`,
			`// assertNotNull(people.find { it["created"] == "2026-11-25 15:55:30.590Z" })`},
		{".java", `assertEquals(List.of(` + ids + `), people.stream().map(e -> e.get("id")).toList());`,
			`assertTrue(people.stream().map(e -> e.get("id")).toList().size() == 2);`},
		{".java", `assertThat(people.stream().map(e -> e.get("id")).toList()).containsExactly(` + ids + `);`, `.matches(answer -> answer.size() == 2);`},
		{".java", `assertEquals("x5ve6ppt59qe0b4", people.stream().filter(e -> "Joan".equals(e.get("name"))).findFirst().get().get("id"));`,
			`assertTrue(people.stream().filter(e -> "Joan".equals(e.get("name"))).findFirst().get().get("id") instanceof String);`},
		{".java", `assertEquals("x5ve6ppt59qe0b4", people.stream().filter(e -> "J".equals(e.get("nick"))).findFirst().get().get("id"));`,
			`assertTrue(people.stream().filter(e -> "J".equals(e.get("nick"))).findFirst().get().get("id") instanceof String);`},
		{".java", `assertTrue(people.stream().anyMatch(e -> "Joan".equals(e.get("name"))));`, `assertTrue(people.stream().anyMatch(e -> "Joan".equals(e.get("name"))));`},
		{".test.js", `expect(people.map(x => x.id)).toEqual([` + ids + `]);`, `expect(people.map(x => x.id).length).toBe(2);`},
		{".test.js", `expect(people.find(x => x.name === "Joan").id).toBe("x5ve6ppt59qe0b4");`,
			`expect(typeof people.filter(x => x.name === "Joan")[0].id).toBe("string");`},
		{".py", `assert [x["id"] for x in people] == [` + ids + `]`, `assert len([x["id"] for x in people]) == 2`},
		{".py", `assert next(x for x in people if x["name"] == "Joan")["id"] == "x5ve6ppt59qe0b4"`,
			`assert isinstance([x for x in people if x["name"] == "Joan"][0]["id"], str)`},
		{".py", `assert [x for x in people if x["name"] == "Joan"][0]["id"] == "x5ve6ppt59qe0b4"`,
			`assert isinstance([x for x in people if x["name"] == "Joan"][0]["id"], str)`},
	} {
		text := strings.Replace(listTests()[tt.file], "ASSERTION", tt.assertion, 1)
		p, err := Patch("ItTest"+tt.file, []byte(text), Source{Steps: listRuns()}, PatchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(p.Data), " "+tt.want+"\n") {
			t.Errorf("%s becomes\n%s\nwant %s", tt.assertion, p.Data, tt.want)
		}
		again, err := Patch("ItTest"+tt.file, p.Data, Source{Steps: listRuns()}, PatchOptions{})
		if err != nil || string(again.Data) != string(p.Data) {
			t.Errorf("%s: patched again it is (%v)\n%s", tt.assertion, err, again.Data)
		}
	}
}
