package suite

import (
	"fmt"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// TestEqualPlaces: of two times of one answer that are mostly the same, and were not once, what is left says of both how
// they are written.
func TestEqualPlaces(t *testing.T) {
	var bodies []string
	for i := range 8 {
		at, later := fmt.Sprintf("2026-11-27 16:5%d:38.365Z", i), 365
		if i == 5 {
			later++
		}
		bodies = append(bodies, fmt.Sprintf(`{"created": %q, "updated": "2026-11-27 16:5%d:38.%dZ"}`, at, i, later))
	}
	for _, c := range []struct{ file, text string }{
		{"ItTest.java", jvmLines(`JsonPath post = new JsonPath(get("/x0").asString());`, `assertEquals(post.getString("created"), post.getString("updated"));`)},
		{"Two.java", jvmLines(`JsonPath post = get("/x0").jsonPath();`, `assertThat(post.getString("updated"), is(post.getString("created")));`)},
		{"ItTest.kt", "package a\n\nimport io.restassured.RestAssured.*\nimport org.junit.jupiter.api.Assertions.*\n\nclass ItTest {\n    @Test\n    fun it() {\n        val post = get(\"/x0\").jsonPath()\n" +
			"        assertEquals(post.getString(\"created\"), post.getString(\"updated\"))\n    }\n}\n"},
		{"test_it.py", "import requests\n\n\ndef test_it():\n    post = requests.get('http://localhost:1/x0').json()\n    assert post['updated'] == post['created']\n"},
		{"it.test.js", "const axios = require('axios');\ntest('it', async () => {\n  const { data: post } = await axios.get('http://localhost:1/x0');\n  expect(post.updated).toBe(post.created);\n});\n"},
	} {
		src := judged(t, Source{Steps: []exchange.Step{stepOf(1, "/x0", replies(bodies...))}})
		p, err := Patch(c.file, []byte(c.text), src, PatchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if out := string(p.Data); strings.Count(out, `\d{4}-\d\d`)+strings.Count(out, `\\d{4}-\\d\\d`) != 2 ||
			len(p.Changes) != 1 || p.Changes[0].Kind != Weakened {
			t.Errorf("%s: %+v\n%s", c.file, p.Changes, out)
		}
		if again, err := Patch(c.file, p.Data, src, PatchOptions{}); err != nil || string(again.Data) != string(p.Data) {
			t.Errorf("%s: a second patch changes the file (%v):\n%s", c.file, err, again.Data)
		}
	}
}

// jvmLines is a test of these lines.
func jvmLines(lines ...string) string {
	return "package a;\n\nimport static io.restassured.RestAssured.*;\nimport static org.hamcrest.MatcherAssert.assertThat;\n" +
		"import static org.hamcrest.Matchers.*;\nimport static org.junit.jupiter.api.Assertions.*;\n\nclass ItTest {\n" +
		"    @Test\n    void it() {\n        " + strings.Join(lines, "\n        ") + "\n    }\n}\n"
}
