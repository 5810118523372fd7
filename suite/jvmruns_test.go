package suite

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

const jvmRuns = `package a;

import static org.assertj.core.api.Assertions.assertThat;
import static io.restassured.RestAssured.*;
import static org.hamcrest.Matchers.*;
import static org.junit.jupiter.api.Assertions.*;

class ItTest {
    @ParameterizedTest
    @CsvSource({"/a, tea, 1", "/b, cup, 2", "/c, pot, 3"})
    void it(String path, String want, int n) {
        Response res = get(path);
        ASSERTION
    }
}
`

// An assertion of a parameterized test is held against the answer of each run. It stays where it holds in all, and
// becomes what is true of all where it does not in one.
func TestRunsOfJVMArePatched(t *testing.T) {
	for assertion, want := range map[string]string{
		`assertEquals(200, res.statusCode());`:                            `assertEquals(200, res.statusCode());`,
		`assertEquals(want, res.jsonPath().getString("steady"));`:         `assertEquals(want, res.jsonPath().getString("steady"));`,
		`res.then().body("steady", equalTo(want));`:                       `res.then().body("steady", equalTo(want));`,
		`assertThat(res.jsonPath().getString("steady")).isEqualTo(want);`: `assertThat(res.jsonPath().getString("steady")).isEqualTo(want);`,
		`assertEquals(want, res.jsonPath().getString("name"));`:           `assertTrue(res.jsonPath().get("name") instanceof String);`,
		`assertThat(res.jsonPath().getString("name")).isEqualTo(want);`:   `.isNotNull();`,
		`res.then().body("name", equalTo(want));`:                         `.body("'name'", instanceOf(String.class));`,
		`assertEquals(n, res.jsonPath().getInt("at"));`:                   `assertTrue((res.jsonPath().get("at") instanceof Integer || `,
		`assertEquals("17", res.jsonPath().getString("digits"));`:         `assertTrue(res.jsonPath().get("digits") instanceof String);`,
		`res.then().body("at", equalTo(n)).body("steady", is(want));`:     `.body("steady", is(want));`,
		`assertTrue(res.path("steady").equals(want) && res.path("at").equals(n), "both");`: `// flaketap: /body/at: as written; failed in 2 of 3, seen 4711, 812; Unk
        assertTrue(java.util.Objects.equals(res.path("steady"), want) && (res.path("at") instanceof Integer || `,
		`assertEquals(n, res.jsonPath().getDouble("at"), 0.5);`: `assertTrue((res.jsonPath().get("at") instanceof Integer || `,
	} {
		var steps []exchange.Step
		for i, row := range []string{"/a tea 1", "/b cup 2", "/c pot 3"} {
			f := strings.Fields(row)
			body := func(name, at string) *exchange.Response {
				return reply(200, "application/json", `{"steady": "`+f[1]+`", "name": "`+name+`", "at": `+at+`, "digits": "17`+at+`"}`)
			}
			answers := []*exchange.Response{body(f[1], f[2]), body(f[1], f[2]), body(f[1], f[2])}
			if f[0] == "/b" {
				answers = []*exchange.Response{body(f[1], f[2]), body("mug 17", "4711"), body("X-Y", "812")}
			}
			steps = append(steps, stepOf(uint64(i+1), f[0], answers))
		}
		text := strings.Replace(jvmRuns, "ASSERTION", assertion, 1)
		p, err := Patch("ItTest.java", []byte(text), Source{Steps: steps}, PatchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(p.Data), want) {
			t.Errorf("%s becomes\n%s", assertion, p.Data)
		}
		if again, err := Patch("ItTest.java", p.Data, Source{Steps: steps}, PatchOptions{}); err != nil || string(again.Data) != string(p.Data) {
			t.Errorf("%s: patched again it is (%v)\n%s", assertion, err, again.Data)
		}
	}
}

// What is written in Kotlin is known as flaketap's own: it stays where it holds, and is widened where it proves too narrow.
func TestKotlinIsPatchedAgain(t *testing.T) {
	const text = `package a

import io.kotest.matchers.shouldBe
import io.restassured.RestAssured.*
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Assertions.*

class ItTest {
    @Test
    fun it() {
        val res = get("/x0")
        ASSERTION
    }
}
`
	first := Source{Steps: []exchange.Step{stepOf(1, "/x0", replies(`{"a": "k9fx2a"}`, `{"a": "zz81bc"}`, `{"a": "q4q4q4"}`, `{"a": "m3n5p7"}`, `{"a": "t8u2v6"}`, `{"a": "w1x9y3"}`))}}
	then := Source{Steps: []exchange.Step{stepOf(1, "/x0", replies(`{"a": "K9FX2A!"}`, `{"a": "ZZ 81"}`, `{"a": "-"}`, `{"a": "7"}`, `{"a": "T8"}`, `{"a": "?"}`))}}
	for _, assertion := range []string{`assertEquals("abc123", res.jsonPath().getString("a"))`, `assertThat(res.jsonPath().getString("a")).isEqualTo("abc123")`,
		`res.path<String>("a") shouldBe "abc123"`, `res.then().body("a", org.hamcrest.Matchers.equalTo("abc123"))`} {
		was := strings.Replace(text, "ASSERTION", assertion, 1)
		for i, src := range []Source{first, first, then, then, first} {
			p, err := Patch("ItTest.kt", []byte(was), src, PatchOptions{})
			if err != nil {
				t.Fatal(err)
			}
			changes := string(p.Data) != was
			if want := i == 0 || i == 2; changes != want || i == 2 && len(p.Changes) != 1 {
				t.Errorf("%s: round %d changes it: %t, %+v\n%s", assertion, i, changes, p.Changes, p.Data)
			}
			if was = string(p.Data); strings.Contains(was, "// assert") || strings.Contains(was, "/* ") {
				t.Errorf("%s: round %d comments it out\n%s", assertion, i, was)
			}
			if i == 1 && len(p.Unknown) > 0 {
				t.Errorf("%s: not understood: %+v\n%s", assertion, p.Unknown, was)
			}
		}
	}
}
