package jvm

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
)

// wrote reads a file of tests that people wrote.
func wrote(t *testing.T, text string) *script.Script {
	t.Helper()
	s, err := script.Read(WrittenJava(), "ItTest.java", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// shown lists the tests of a script: what they send and what they assert, and whether that can be written again.
func shown(s *script.Script) string {
	var got []string
	for _, test := range s.Tests {
		skipped := ""
		if test.Skipped {
			skipped = " skipped"
		}
		got = append(got, test.Name+skipped)
		for _, c := range test.Calls {
			got = append(got, strings.TrimSpace(fmt.Sprintf("  %s %s %s", c.Method, strings.ReplaceAll(c.Target, "\x00", "?"), c.Body)))
		}
		for _, a := range test.Assertions {
			if a.Reason != "" {
				got = append(got, fmt.Sprintf("  %d not: %s", a.Line, a.Reason))
				continue
			}
			got = append(got, fmt.Sprintf("  %d of %d %s %s %s", a.Line, a.Call, a.Relation, a.Place, a.Value))
		}
	}
	return strings.Join(got, "\n")
}

// A value that comes from an answer by way of variables, fields and methods of the file is followed to the place of the
// answer.
func TestWrittenIsFollowed(t *testing.T) {
	data, err := os.ReadFile("testdata/WrittenTest.java")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := shown(wrote(t, string(data))), `list
POST /api/login {"email":"ada@cafe.de","password":"lovelace"}
GET /api/products?limit=2
  49 not: it stands in a method that tests share
  64 of 1 equal /status 200
  65 of 1 contains /header/content-type "application/json"
  66 of 1 length /body/products 2
  67 of 1 equal /body/products/0/name "Coffee"
  68 of 1 contains /body/products/id 1
  69 of 0   
  70 of 1 equal /body/price 1.5
  71 of 1 equal /header/x-request-id "abc"
  72 not: it has an unknown form
one
POST /api/login {"email":"ada@cafe.de","password":"lovelace"}
GET /api/products/1
  79 of 1 equal /status 200
  80 of 1 equal /body/name "Coffee"
  80 of 0   
  82 of 1 equal /body/name "Coffee"
  83 of 1 equal /body/stock 3
  84 of 1 equal /body/tags ["hot","black"]
  86 of 0   
  87 of 1 contains /body/made/at "2026-"
  88 of 1 equal /body/colour "brown"
  89 of 0   
  90 of 1 equal /body/deleted null
  91 of 0   
  92 not: it is inside a condition
  94 not: the name tag is not known
  96 of 1 equal /body/a "x"
order
POST /api/login {"email":"ada@cafe.de","password":"lovelace"}
POST /api/orders {"product": 1, "quantity": 2}
GET /api/orders/?
GET /api/orders/0
  103 of 1 equal /status 201
  103 of 1 equal /body/state "pending"
  105 of 0   
  107 of 2 equal /body/state "pending"
  108 of 2 equal /body/createdAt "2026-01-01T00:00:00Z"
  109 not: it sends a request itself
plain
POST /api/login {"email":"ada@cafe.de","password":"lovelace"}
GET /health
POST /orders {"product": 1}
  115 of 1 equal /status 200
  117 of 1 equal /body/status "ok"
  118 of 1 length /body/checks 2
  119 of 1 equal /body/checks/0/state "up"
  120 of 1 equal /header/content-type "application/json"
  125 of 2 equal /status 201
many
POST /api/login {"email":"ada@cafe.de","password":"lovelace"}
GET /api/products/1
POST /api/login {"email":"ada@cafe.de","password":"lovelace"}
GET /api/products/2
  131 of 0   
  131 of 0   
off skipped
POST /api/login {"email":"ada@cafe.de","password":"lovelace"}
GET /api/off
  139 of 1 equal /status 204
  139 of 1 empty /body `; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// ways are statements of a test, and what is read of them.
func ways() map[string]string {
	return map[string]string{
		// requests
		`RestAssured.get("/a").then().statusCode(200);`:                                                                                                                                   "GET /a: equal /status 200",
		`given().pathParam("id", 3).queryParam("q", "a b").delete("/a/{id}").then().statusCode(204);`:                                                                                     "DELETE /a/3?q=a+b: equal /status 204",
		`given().param("q", "a").get("/a").then().statusCode(204);`:                                                                                                                       "GET /a?q=a: equal /status 204",
		`given().param("q", "a").post("/a").then().statusCode(204);`:                                                                                                                      "POST /a: equal /status 204",
		`given().baseUri("http://x:1").basePath("/v1").request("PUT", "/a").then().body("n", is(1));`:                                                                                     "PUT /v1/a: equal /body/n 1",
		`given().log().all().when().get("/a").then().log().body().statusCode(200);`:                                                                                                       "GET /a: equal /status 200",
		`var q = given(); q.header("A", "b"); Response r = q.get("/a"); assertEquals(200, r.statusCode());`:                                                                               "GET /a: equal /status 200",
		`var q = new Request.Builder().url("http://x/a").post(RequestBody.create("{\"n\": 1}", JSON)).build(); var r = ok.newCall(q).execute(); assertEquals(201, r.code());`:             `POST /a {"n": 1}: equal /status 201`,
		`var r = http.sendAsync(HttpRequest.newBuilder(new URI(BASE + "/a")).method("PATCH", HttpRequest.BodyPublishers.noBody()).build(), h).join(); assertEquals(200, r.statusCode());`: "PATCH /a: equal /status 200",
		`Response r = get(day ? "/a/x" : "/b/x"); assertEquals(200, r.statusCode());`:                                                                                                     "GET /\x00/x: equal /status 200",
		// values
		`Response r = get("/a"); String s = r.path("x"); s = "y"; assertEquals("z", s);`:                                                                                                                         "GET /a: not: it looks at no answer",
		`Response r = get("/a"); var j = new JSONObject(r.asString()); assertEquals("x", j.getJSONObject("a").getString("b"));`:                                                                                  `GET /a: equal /body/a/b "x"`,
		`Response r = get("/a"); var j = JsonParser.parseString(r.asString()).getAsJsonObject(); assertEquals(4, j.getAsJsonArray("a").get(0).getAsInt());`:                                                      "GET /a: equal /body/a/0 4",
		`Response r = get("/a"); int n = r.path("l.size()"); assertEquals(2, n);`:                                                                                                                                "GET /a: length /body/l 2",
		`Response r = get("/a"); String x; if (r.statusCode() == 200) { x = "a"; } else { x = "b"; } assertEquals(x, r.path("x"));`:                                                                              "GET /a: not: what is assigned under a condition is not known",
		`Response r = get("/a"); List<String> l = new ArrayList<>(); l.add("x"); assertEquals(l, r.path("x"));`:                                                                                                  "GET /a: not: the name l, which changes is not known",
		`Response r = get("/a"); List<String> l = new ArrayList<>(); for (JsonNode e : m.readTree(r.asString()).get("l")) { l.add(e.get("x").asText()); } assertEquals(List.of("x"), l);`:                        `GET /a: equal /body/l/*/x ["x"]`,
		`Response r = get("/a"); List<String> l = new ArrayList<>(); m.readTree(r.asString()).get("l").forEach(e -> l.add(e.asText())); assertEquals(List.of("x"), l);`:                                          `GET /a: equal /body/l/* ["x"]`,
		`Response r = get("/a"); List<String> l = new ArrayList<>(); List<Map<String, String>> all = r.path("l"); for (Map<String, String> e : all) l.add(e.get("x")); assertThat(l).containsExactly("x");`:      `GET /a: equal /body/l/*/x ["x"]`,
		`Response r = get("/a"); List<String> l = new ArrayList<>(); l.add("y"); for (JsonNode e : m.readTree(r.asString()).get("l")) { l.add(e.asText()); } assertEquals(List.of("x"), l);`:                     "GET /a: not: the name l, which changes is not known",
		`Response r = get("/a"); List<String> l = new ArrayList<>(); for (JsonNode e : m.readTree(r.asString()).get("l")) { if (e.has("x")) { l.add(e.asText()); } } assertEquals(List.of("x"), l);`:             "GET /a: not: the name l, which changes is not known",
		`Response r = get("/a"); List<String> l = new ArrayList<>(); for (JsonNode e : m.readTree(r.asString()).get("l")) { l.add(e.asText()); l.add("and"); } assertEquals(List.of("x"), l);`:                   "GET /a: not: the name l, which changes is not known",
		`Response r = get("/a"); List<String> l = new ArrayList<>(); for (JsonNode e : m.readTree(r.asString()).get("l")) { l.add(e.asText()); if (e.has("x")) { break; } } assertEquals(List.of("x"), l);`:      "GET /a: not: the name l, which changes is not known",
		`Response r = get("/a"); List<String> l = new ArrayList<>(); for (JsonNode e : m.readTree(r.asString()).get("l")) { l.add(e.asText()); if (e.has("x")) { l.add("y"); } } assertEquals(List.of("x"), l);`: "GET /a: not: the name l, which changes is not known",
		`List<String> l = get("/a").path("l"); Collections.sort(l); assertEquals(List.of("x", "y"), l);`:                                                                                                         "GET /a: not: the name l, which changes is not known",
		`List<String> l = get("/a").path("l"); assertEquals("x, y", String.join(", ", l));`:                                                                                                                      `GET /a: equal /body/l ["x","y"]`,
		`List<String> l = get("/a").path("l"); assertTrue(String.join(", ", l).contains("x"));`:                                                                                                                  "GET /a: not: a text that is put together is not known",
		`List<Map<String, Object>> l = get("/a").path("l"); assertThat(l.stream().map(e -> (String) e.get("id")).collect(Collectors.joining("-"))).isEqualTo("x");`:                                              `GET /a: equal /body/l/*/id ["x"]`,
		`List<Map<String, Object>> l = get("/a").path("l"); assertThat(l.get(0)).containsEntry("n", 1);`:                                                                                                         "GET /a: equal /body/l/0/n 1",
		`Response r = get("/a"); assertEquals("3", r.jsonPath().getString("n"));`:                                                                                                                                `GET /a: equal /body/n "3"`,
		`Response r = get("/a"); assertEquals(0.5, r.jsonPath().getDouble("n"), 0.01);`:                                                                                                                          "GET /a: equal /body/n 0.5",
		// assertions
		`Response r = get("/a"); assertNotEquals("x", r.path("a"));`:                                       "GET /a:   ",
		`Response r = get("/a"); assertTrue(r.path("a").equals("x"));`:                                     `GET /a: equal /body/a "x"`,
		`Response r = get("/a"); assertTrue(r.statusCode() == 200, "down");`:                               "GET /a: equal /status 200",
		`Response r = get("/a"); assertThat(r.getHeader("ETag"), notNullValue());`:                         "GET /a: present /header/etag ",
		`Response r = get("/a"); assertThat(r.path("a"), hasToString("x"));`:                               "GET /a: not: the method hasToString is not known",
		`Response r = get("/a"); softly.assertThat(r.path("a")).isEqualTo("x");`:                           `GET /a: equal /body/a "x"`,
		`Response r = get("/a"); assertThat(r.jsonPath().getList("l")).hasSize(2).contains("x");`:          `GET /a: length /body/l 2contains /body/l "x"`,
		`Response r = get("/a"); assertThat(r.jsonPath().getList("l")).extracting("x").contains("x");`:     "GET /a: not: it has an unknown formnot: it has an unknown form",
		`Response r = get("/a"); assertEquals(Map.of("n", 1), r.jsonPath().<String, Integer>getMap("m"));`: `GET /a: equal /body/m {"n":1}`,
		// lists
		`List<Map<String, Object>> l = get("/a").path("l"); assertEquals("x", l.getFirst().get("id"));`:                                                                       `GET /a: equal /body/l/0/id "x"`,
		`List<Map<String, Object>> l = get("/a").path("l"); assertEquals(List.of("x"), l.stream().map(e -> e.get("id")).toList());`:                                           `GET /a: equal /body/l/*/id ["x"]`,
		`List<Map<String, Object>> l = get("/a").path("l"); assertEquals(List.of("x"), l.stream().map(e -> e.get("id")).collect(Collectors.toList()));`:                       `GET /a: equal /body/l/*/id ["x"]`,
		`List<Map<String, Object>> l = get("/a").path("l"); assertEquals("x", l.stream().filter(e -> "b".equals(e.get("n"))).findFirst().orElseThrow().get("id"));`:           `GET /a: equal /body/l/*/id "x"`,
		`List<Map<String, Object>> l = get("/a").path("l"); assertTrue(l.stream().filter(e -> "b".equals(e.get("n"))).findFirst().isPresent());`:                              "GET /a:   ",
		`List<Map<String, Object>> l = get("/a").path("l"); assertTrue(l.stream().noneMatch(e -> "b".equals(e.get("n"))));`:                                                   "GET /a:   ",
		`List<Map<String, Object>> l = get("/a").path("l"); assertEquals(2, l.stream().filter(e -> "b".equals(e.get("n"))).count());`:                                         "GET /a:   ",
		`List<Map<String, Object>> l = get("/a").path("l"); assertEquals(List.of("x"), l.stream().sorted(byName).map(e -> e.get("id")).toList());`:                            "GET /a: not: the method sorted is not known",
		`List<Item> l = m.readValue(get("/a").asString(), new TypeReference<List<Item>>() {}); assertEquals("x", l.stream().filter(e -> e.n() == 1).findFirst().get().id());`: `GET /a: equal /body/*/id "x"`,
		`List<Item> l = m.readValue(get("/a").asString(), new TypeReference<List<Item>>() {}); assertEquals(List.of("x"), l.stream().map(Item::id).toList());`:                `GET /a: equal /body/*/id ["x"]`,
		`Item s = new Item(3, get("/a").path("t")); assertEquals("x", s.id());`:                                                                                               `GET /a: equal /body/t "x"`,
		`assertThrows(X.class, () -> get("/a").then().statusCode(200));`:                                                                                                      "GET /a: not: it is inside a condition",
		`await().untilAsserted(() -> get("/a").then().statusCode(200));`:                                                                                                      "GET /a: not: it is inside a condition",
	}
}

const head = `import static io.restassured.RestAssured.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.*;
import static org.junit.jupiter.api.Assertions.*;
import io.restassured.RestAssured;
class ItTest {
    @Test
    void it() throws Exception {
`

// understood tells what was read of a test: what it sends, and what it asserts or why that is not known.
func understood(test *script.Test) (got string) {
	for _, c := range test.Calls {
		got += strings.TrimSpace(c.Method+" "+c.Target+" "+c.Body) + ": "
	}
	for _, a := range test.Assertions {
		if a.Reason != "" {
			got += "not: " + a.Reason
		} else {
			got += fmt.Sprintf("%s %s %s", a.Relation, a.Place, a.Value)
		}
	}
	return got
}

// Each way to send, to name and to assert is understood, or said not to be.
func TestWrittenWays(t *testing.T) {
	for body, want := range ways() {
		s := wrote(t, head+"        "+body+"\n    }\n}\nrecord Item(int n, String id) {}\n")
		if got := understood(s.Tests[0]); got != want {
			t.Errorf("%s\n got %s\nwant %s", body, got, want)
		}
	}
}

// What an assertion becomes is said in its own words: with its message where its class has that, of values as Java has
// them.
func TestWrittenIsWeakened(t *testing.T) {
	for _, tt := range []struct{ imports, body, want string }{
		{"import static org.junit.jupiter.api.Assertions.*;", `assertEquals("x", r.jsonPath().getString("a"), "why")`,
			`assertTrue(r.jsonPath().getString("a").matches("[a-z]+"), "why")`},
		{"import org.junit.jupiter.api.Assertions;", `Assertions.assertEquals("x", r.path("a"))`,
			`Assertions.assertTrue(((String) r.path("a")).matches("[a-z]+"))`},
		{"import static org.junit.jupiter.api.Assertions.assertEquals;", `assertEquals("x", r.header("A"))`,
			`org.junit.jupiter.api.Assertions.assertTrue(r.header("A").matches("[a-z]+"))`},
		{"import static org.junit.Assert.*;", `assertEquals("why", "x", r.jsonPath().getString("a"))`,
			`assertTrue("why", r.jsonPath().getString("a").matches("[a-z]+"))`},
		{"import static org.testng.Assert.*;", `assertEquals(r.jsonPath().getString("a"), "x", "why")`,
			`assertTrue(r.jsonPath().getString("a").matches("[a-z]+"), "why")`},
		{"import static org.hamcrest.MatcherAssert.assertThat;", `assertThat("why", r.jsonPath().getString("a"), is("x"))`,
			`org.hamcrest.MatcherAssert.assertThat("why", r.jsonPath().getString("a").matches("[a-z]+"))`},
		{"import static org.assertj.core.api.Assertions.*;", `assertThat(r.jsonPath().getString("a")).isEqualTo("x")`, `.matches("[a-z]+")`},
	} {
		s := wrote(t, "import io.restassured.RestAssured;\n"+tt.imports+"\nclass ItTest {\n    @Test\n    public void it() {\n"+
			"        Response r = RestAssured.get(\"/a\");\n        "+tt.body+";\n    }\n}\n")
		test := s.Tests[0]
		if len(test.Assertions) != 1 || test.Assertions[0].Reason != "" {
			t.Errorf("%s is not read: %+v", tt.body, test.Assertions)
			continue
		}
		a := test.Assertions[0]
		got, ok := s.Writer.Assert(s, test, a, expr.Match{X: a.Subject(), Pattern: "[a-z]+", Full: true})
		if got != tt.want || !ok {
			t.Errorf("%s becomes %s, %t, want %s", tt.body, got, ok, tt.want)
		}
		if same, ok := s.Writer.Assert(s, test, a, a.Meaning); same != a.Text || !ok {
			t.Errorf("%s as it was is %s", a.Text, same)
		}
	}
}

// An assertion that is commented out leaves a statement where Java wants one.
func TestWrittenIsCommentedOut(t *testing.T) {
	for body, want := range map[string]string{
		`assertEquals(1, r.path("a"));`:                             `// assertEquals(1, r.path("a"));`,
		"if (x)\n            assertEquals(1, r.path(\"a\"));":       "if (x)\n            ; // assertEquals(1, r.path(\"a\"));",
		`assertAll(() -> assertEquals(1, r.path("a")));`:            `assertAll(() -> { } /* assertEquals(1, r.path("a")) */);`,
		`assertEquals("*/*", r.path("a")); int b;`:                  "// assertEquals(\"*/*\", r.path(\"a\"))\n        ; int b;",
		"r.then().body(\"a\",\n            is(1)).statusCode(200);": "r.then() /* .body(\"a\",\n            is(1)) */.statusCode(200);",
	} {
		text := head + "        Response r = get(\"/a\");\n        " + body + "\n    }\n}\n"
		s := wrote(t, text)
		edits := s.Writer.Disable(s, s.Tests[0].Assertions[0])
		out := text
		for _, e := range slices.Backward(edits) {
			out = out[:e.Start] + e.Text + out[e.End:]
		}
		got := strings.TrimSuffix(strings.TrimPrefix(out, head+"        Response r = get(\"/a\");\n        "), "\n    }\n}\n")
		if strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(want, " ", "") {
			t.Errorf("it becomes\n%s\nwant\n%s", got, want)
		}
	}
}

// What refers to itself again and again is given up, and takes no time.
func TestWrittenIsBounded(t *testing.T) {
	s := wrote(t, head+"        Response r = get(\"/a\");\n        String x = \"x\";\n"+strings.Repeat("        x = x + x;\n", 60)+
		"        assertEquals(x, r.path(\"a\"));\n        assertEquals(again(1), r.path(\"a\"));\n    }\n    String again(int n) { return again(n); }\n}\n")
	for _, a := range s.Tests[0].Assertions {
		if a.Reason == "" {
			t.Errorf("%+v", a)
		}
	}
}

// A file without requests is no suite; one of EvoMaster's is of its own dialect.
func TestWrittenNeedsRequests(t *testing.T) {
	for _, text := range []string{"", "class A { void a() { get(\"/a\"); } }", "class A { @Test void a() { assertEquals(1, 1); } }"} {
		if _, err := script.Read(WrittenJava(), "A.java", []byte(text)); err == nil {
			t.Errorf("%q is a suite", text)
		}
	}
	if _, err := script.Read(Java(), "ItTest.java", []byte(head+"given().get(\"/a\").then().statusCode(200);\n}\n}\n")); err == nil {
		t.Error("a suite that somebody wrote is taken for one of EvoMaster's")
	}
}
