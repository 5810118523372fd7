package jvm

import (
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/onecall"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// samples are suites of one test, in both languages.
func samples() map[string]onecall.Suite {
	return map[string]onecall.Suite{
		"java": {Dialect: Java(), File: "EvoMaster_Test.java", Holder: `.body("z", equalTo(1))`, MissingIsNull: true, Text: `import io.restassured.response.ValidatableResponse;
public class T {
    private static String baseUrlOfSut = "http://localhost:1";
    @Test
    public void test_0() throws Exception {
        ValidatableResponse res_0 = given().accept("*/*")
                .get(baseUrlOfSut + "/items/4")
                .then()
                .statusCode(200)
                %s;
    }
}
`},
		"kotlin": {Dialect: Kotlin(), File: "EvoMaster_Test.kt", Holder: `.body("z", equalTo(1))`, MissingIsNull: true, Text: `import io.restassured.response.ValidatableResponse
internal class T {
    companion object {
        private val baseUrlOfSut = "http://localhost:1"
    }
    @Test
    fun test_0()  {
        val res_0: ValidatableResponse = given().accept("*/*")
                .get("${baseUrlOfSut}/items/4")
                .then()
                .statusCode(200)
                %s
    }
}
`}}
}

func TestReadOne(t *testing.T) {
	for name, s := range samples() {
		if got, want := s.Call(t), "GET /items/4"; got != want {
			t.Errorf("%s: the call is %q, want %q", name, got, want)
		}
		for assertion, want := range map[string]string{
			`.statusCode(404)`:                                "/status equal 404",
			`.body("z[0].'a b'", equalTo("x"))`:               `/body/z/0/a b equal "x"`,
			`.body("z.size()", equalTo(2))`:                   "/body/z length 2",
			`.header("ETag", "v1")`:                           `/header/etag equal "v1"`,
			`.body(containsString("x"))`:                      `/body contains "x"`,
			`.time(lessThan(500L))`:                           "not understood",
			`.body("'a'b'", equalTo(1), "'c'd'", equalTo(2))`: "not understood", // two slips of the generator in one link
		} {
			if got := s.Claim(t, assertion); got != want {
				t.Errorf("%s: %s claims %q, want %q", name, assertion, got, want)
			}
		}
	}
}

func TestWriteOneJava(t *testing.T) {
	s := samples()["java"]
	want := map[string]string{
		"status":  `.statusCode(org.hamcrest.Matchers.equalTo(404))`,
		"header":  `.header("etag", org.hamcrest.Matchers.equalTo("\"v1\""))`,
		"equal":   `.body("'z'", org.hamcrest.Matchers.equalTo(-1))`,
		"null":    `.body("'z'", org.hamcrest.Matchers.nullValue())`,
		"one of":  `.body("'z'", org.hamcrest.Matchers.anyOf(org.hamcrest.Matchers.equalTo("a"), org.hamcrest.Matchers.equalTo("b")))`,
		"type":    `.body("'z'", org.hamcrest.Matchers.instanceOf(String.class))`,
		"count":   `.body("'z'.size()", org.hamcrest.Matchers.equalTo(2))`,
		"pattern": `.body("'z'", org.hamcrest.Matchers.matchesPattern("\\d+"))`,
	}
	writeOne(t, s, want)
}

func TestWriteOneKotlin(t *testing.T) {
	s := samples()["kotlin"]
	want := map[string]string{
		"status":  `.statusCode(org.hamcrest.Matchers.equalTo(404))`,
		"header":  `.header("etag", org.hamcrest.Matchers.equalTo("\"v1\""))`,
		"equal":   `.body("'z'", org.hamcrest.Matchers.equalTo(-1))`,
		"null":    `.body("'z'", org.hamcrest.Matchers.nullValue())`,
		"one of":  `.body("'z'", org.hamcrest.Matchers.anyOf(org.hamcrest.Matchers.equalTo("a"), org.hamcrest.Matchers.equalTo("b")))`,
		"type":    `.body("'z'", org.hamcrest.Matchers.instanceOf<Any>(String::class.java))`,
		"count":   `.body("'z'.size()", org.hamcrest.Matchers.equalTo(2))`,
		"pattern": `.body("'z'", org.hamcrest.Matchers.matchesPattern("\\d+"))`,
	}
	writeOne(t, s, want)
}

func writeOne(t *testing.T, s onecall.Suite, want map[string]string) {
	t.Helper()
	for name, x := range s.Statements(t) {
		if got, ok := s.Write(t, x); !ok || got != want[name] {
			t.Errorf("%s: %s, %v, want %s", name, got, ok, want[name])
		}
	}
}

func TestGraftOneJava(t *testing.T) {
	want := []string{
		`open // flaketap: /items/4 was made by POST /items`,
		`open io.restassured.response.ValidatableResponse setup_0 = io.restassured.RestAssured.given()`,
		`open         .contentType("application/json")`,
		`open         .body("{\"a\": \"it's\"}")`,
		`open         .post(baseUrlOfSut + "/items")`,
		`open         .then()`,
		`open         // flaketap: the set-up has to succeed`,
		`open         .statusCode(201);`,
		`open String setup_itemId = setup_0.extract().path("'id'").toString();`,
		`open`,
		`open try {`,
		`end } finally {`,
		`end     io.restassured.response.ValidatableResponse setup_1 = io.restassured.RestAssured.given()`,
		`end             .delete(baseUrlOfSut + "/items/" + setup_itemId)`,
		`end             .then();`,
		`end }`,
		`url baseUrlOfSut + "/items/" + setup_itemId`,
		`header "no " + setup_itemId`,
		`body "{\"id\": " + setup_itemId + "}"`,
	}
	if diff := cmp.Diff(want, samples()["java"].Grafted(t)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestGraftOneKotlin(t *testing.T) {
	want := []string{
		`open // flaketap: /items/4 was made by POST /items`,
		`open val setup_0: io.restassured.response.ValidatableResponse = io.restassured.RestAssured.given()`,
		`open         .contentType("application/json")`,
		`open         .body("{\"a\": \"it's\"}")`,
		`open         .post("${baseUrlOfSut}/items")`,
		`open         .then()`,
		`open         // flaketap: the set-up has to succeed`,
		`open         .statusCode(201)`,
		`open val setup_itemId: String = setup_0.extract().path<Any>("'id'").toString()`,
		`open`,
		`open try {`,
		`end } finally {`,
		`end     val setup_1: io.restassured.response.ValidatableResponse = io.restassured.RestAssured.given()`,
		`end             .delete("${baseUrlOfSut}/items/${setup_itemId}")`,
		`end             .then()`,
		`end }`,
		`url "${baseUrlOfSut}/items/${setup_itemId}"`,
		`header "no " + setup_itemId`,
		`body "{\"id\": " + setup_itemId + "}"`,
	}
	if diff := cmp.Diff(want, samples()["kotlin"].Grafted(t)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestRoundTrip: what is written says what was meant, as it is read.
func TestRoundTrip(t *testing.T) {
	for name, s := range samples() {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { s.RoundTrip(t, func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "choice") }) })
		})
	}
}
