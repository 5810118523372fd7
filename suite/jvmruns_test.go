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
		`assertEquals(200, res.statusCode());`:                                   `assertEquals(200, res.statusCode());`,
		`assertEquals(want, res.jsonPath().getString("steady"));`:                `assertEquals(want, res.jsonPath().getString("steady"));`,
		`res.then().body("steady", equalTo(want));`:                              `res.then().body("steady", equalTo(want));`,
		`assertThat(res.jsonPath().getString("steady")).isEqualTo(want);`:        `assertThat(res.jsonPath().getString("steady")).isEqualTo(want);`,
		`assertEquals(want, res.jsonPath().getString("name"));`:                  `assertTrue(res.jsonPath().get("name") instanceof String);`,
		`assertThat(res.jsonPath().getString("name")).isEqualTo(want);`:          `.isNotNull();`,
		`res.then().body("name", equalTo(want));`:                                `.body("'name'", instanceOf(String.class));`,
		`assertEquals(n, res.jsonPath().getInt("at"));`:                          `assertTrue((res.jsonPath().get("at") instanceof Integer || `,
		`res.then().body("at", equalTo(n)).body("steady", is(want));`:            `.body("steady", is(want));`,
		`assertTrue(res.path("steady").equals(want) && res.path("at").equals(n), "both");`: `X`,
		`assertEquals(n, res.jsonPath().getDouble("at"), 0.5);`:                  `X`,
	} {
		var steps []exchange.Step
		for i, row := range []string{"/a tea 1", "/b cup 2", "/c pot 3"} {
			f := strings.Fields(row)
			body := func(name, at string) *exchange.Response {
				return reply(200, "application/json", `{"steady": "`+f[1]+`", "name": "`+name+`", "at": `+at+`}`)
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
		if !strings.Contains(string(p.Data), "        "+want+"\n") && !strings.Contains(string(p.Data), want) {
			t.Errorf("%s becomes\n%s", assertion, p.Data)
		}
		if again, err := Patch("ItTest.java", p.Data, Source{Steps: steps}, PatchOptions{}); err != nil || string(again.Data) != string(p.Data) {
			t.Errorf("%s: patched again it is (%v)\n%s", assertion, err, again.Data)
		}
	}
}
