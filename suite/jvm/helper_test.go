package jvm

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
)

const helpers = `import static io.restassured.RestAssured.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.*;
import static org.junit.jupiter.api.Assertions.*;
class ItTest {
    private final ObjectMapper mapper = new ObjectMapper();
    @Test
    void it() THROWS{
        HttpResponse<String> h = http.send(HttpRequest.newBuilder(URI.create(BASE + "/h")).build(), BodyHandlers.ofString());
        HttpResponse<String> g = http.send(HttpRequest.newBuilder(URI.create(BASE + "/g")).build(), BodyHandlers.ofString());
        Response r = get("/r");
        JsonNode tree = mapper.readTree(h.body());
        JSONObject json = new JSONObject(g.body());
        CALL;
    }
    void assertError(Response of, int status, String code) {
        assertEquals(status, of.statusCode(), "the status");
        assertEquals(code, of.jsonPath().getString("error.code"));
    }
    void linked(Response of, String code) { of.then().statusCode(404).body("error.code", equalTo(code)).body("error.n", is(3)); }
    void named(Response of, String name) { String got = of.path("name"); assertThat(got).isEqualTo(name); }
    void plain(HttpResponse<String> of, int status, String code) throws Exception {
        assertEquals(status, of.statusCode());
        assertEquals("text/html", of.headers().firstValue("content-type").orElse(null));
        assertEquals(code, mapper.readTree(of.body()).get("error").get("code").asText());
    }
    void inTree(JsonNode of, int n) { assertEquals(n, of.get("all").get(0).get("n").asInt()); assertEquals(2, of.get("all").size()); }
    void inJSON(JSONObject of) { assertEquals("a", of.getJSONObject("x").getString("y")); }
    void twice(Response of) { named(of, "a"); linked(of, "b"); }
    void sends(Response of) { Response other = get("/other"); assertEquals(200, other.statusCode()); }
    void changes(Response of) { last = of; assertEquals(200, of.statusCode()); }
    void decides(Response of) { if (of.statusCode() == 200) assertEquals("a", of.path("a")); }
    Response gives(Response of) { assertEquals(200, of.statusCode()); return of; }
    void again(Response of) { again(of); assertEquals(200, of.statusCode()); }
    void unknown(Response of) { assertEquals(200, of.statusCode()); assertEquals(Clock.now(), of.path("at")); }
    private Response last;
}
`

// A call of a method that does nothing but assert is one assertion, whose parts can be said in its place; it stays as it
// is where nothing of it changes. A method that does something else is none.
func TestHelpers(t *testing.T) {
	const code = `"NOT_FOUND".equals(r.path("'error'.'code'"))`
	for _, tt := range []struct{ call, throws, said string }{
		{`assertError(r, 404, "NOT_FOUND")`, "", `assertTrue(r.statusCode() == 404 && ` + code + `)`},
		{`this.assertError(r, 404, "NOT_FOUND")`, "", `assertTrue(r.statusCode() == 404 && ` + code + `)`},
		{`linked(r, "NOT_FOUND")`, "", `assertTrue(r.statusCode() == 404 && ` + code + ` && java.util.Objects.equals(r.path("'error'.'n'"), 3))`},
		{`named(r, "x")`, "", `assertTrue("x".equals(r.path("'name'")))`},
		{`twice(r)`, "", `assertTrue("a".equals(r.path("'name'")) && r.statusCode() == 404 && "b".equals(r.path("'error'.'code'")) && ` +
			`java.util.Objects.equals(r.path("'error'.'n'"), 3))`},
		{`plain(h, 404, "X")`, "throws Exception ", `assertTrue(h.statusCode() == 404 && "text/html".equals(h.headers().firstValue("content-type").orElse(null)) && ` +
			`"X".equals(tree.at("/error/code").asText()))`},
		{`inTree(tree, 7)`, "", `assertTrue(tree.at("/all/0/n").asInt() == 7 && tree.at("/all").size() == 2)`},
		{`inJSON(json)`, "", `assertTrue("a".equals(json.query("/x/y")))`},
		{`assertError(get("/x"), 404, "X")`, "", "not: it sends a request itself"},
		{`sends(r)`, "", "not: it stands in a method that tests share"},
		{`changes(r)`, "", "not: it stands in a method that tests share"},
		{`decides(r)`, "", "not: it stands in a method that tests share"},
		{`gives(r)`, "", "not: it stands in a method that tests share"},
		{`unknown(r)`, "", "not: the method Clock.now is not known"},
	} {
		s := wrote(t, strings.NewReplacer("CALL", tt.call, "THROWS", tt.throws).Replace(helpers))
		test := s.Tests[0]
		a := firstBy(test, tt.call)
		if a == nil {
			a = test.Assertions[0]
		}
		got := "not: " + a.Reason
		if a.Understood() {
			same, ok := s.Writer.Assert(s, test, a, a.Meaning)
			if !ok || same != a.Text {
				t.Errorf("%s as it was is %s, %t", a.Text, same, ok)
			}
			a.Rebound = true
			if got, ok = s.Writer.Assert(s, test, a, a.Meaning); !ok {
				got = "not said: " + got
			}
		}
		if got != tt.said {
			t.Errorf("%s\ngot  %s\nwant %s", tt.call, got, tt.said)
		}
	}
}

// firstBy is the assertion of a test that is written so; nil for none.
func firstBy(test *script.Test, text string) *script.Assertion {
	for _, a := range test.Assertions {
		if a.Text == text {
			return a
		}
	}
	return nil
}

// What cannot be read where the method is called is not said: no tree of a text where the test may not throw, nor
// where nothing makes one.
func TestHelpersOfTexts(t *testing.T) {
	said := func(of expr.Expr) expr.Expr { return expr.Match{X: of, Pattern: "[A-Z]+", Full: true} }
	for throws, want := range map[string]string{
		"throws Exception ": `assertTrue(h.statusCode() == 404 && mapper.readTree(h.body()).at("/error/code").asText().matches("[A-Z]+"))`,
		"":                  "",
	} {
		text := strings.NewReplacer("CALL", `plain(h, 404, "X")`, "THROWS", throws).Replace(helpers)
		s := wrote(t, strings.Replace(text, "        JsonNode tree = mapper.readTree(h.body());\n        JSONObject json = new JSONObject(g.body());\n", "", 1))
		test := s.Tests[0]
		a := firstBy(test, `plain(h, 404, "X")`)
		parts := a.Meaning.(expr.And).Xs
		code := parts[len(parts)-1].(expr.Compare).X
		got, ok := s.Writer.Assert(s, test, a, expr.AllOf(parts[0], said(code)))
		if ok != (want != "") || ok && got != want {
			t.Errorf("%s: %s, %t", throws, got, ok)
		}
	}
}
