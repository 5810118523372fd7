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

// wroteKotlin reads a file of tests that people wrote.
func wroteKotlin(t *testing.T, text string) *script.Script {
	t.Helper()
	s, err := script.Read(WrittenKotlin(), "ItTest.kt", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// So it is in Kotlin.
func TestWrittenKotlinIsFollowed(t *testing.T) {
	data, err := os.ReadFile("testdata/WrittenTest.kt")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := shown(wroteKotlin(t, string(data))), `lists the products
POST /api/login {"email":"ada@cafe.de","password":"lovelace"}
GET /api/products?limit=2
  79 not: it stands in a method that tests share
  97 of 1 equal /status 200
  98 of 1 contains /header/content-type "application/json"
  100 of 1 length /body/products 2
  101 of 1 equal /body/products/0/name "Coffee"
  102 of 1 contains /body/products/id 1
  103 of 0   
  104 of 1 equal /header/x-request-id "abc"
one
POST /api/login {"email":"ada@cafe.de","password":"lovelace"}
GET /api/products/1
  111 of 1 equal /status 200
  112 of 1 equal /body/name "Coffee"
  112 of 0   
  114 of 1 equal /body/name "Coffee"
  115 of 1 equal /body/stock 3
  116 of 1 equal /body/tags ["hot","black"]
  118 of 0   
  119 of 1 contains /body/made/at "2026-"
  120 of 0   
  121 of 1 contains /body/made/at "2026"
  122 of 1 equal /body/colour "brown"
  122 of 0   
  122 of 1 contains /body/colour "b"
  125 of 0   
  126 of 1 equal /body/deleted null
  127 of 0   
  128 of 1 equal /body/id 1
  129 not: it is inside a condition
  131 not: the name tag is not known
  134 not: it is inside a condition
  138 of 0   
  139 not: the name it is not known
  140 not: it is inside a condition
order
POST /api/login {"email":"ada@cafe.de","password":"lovelace"}
POST /api/orders {
  "product": 1,
  "quantity": 2
}
GET /api/orders/?
GET /api/orders/0
  158 of 1 equal /status 201
  159 of 1 equal /body/state "pending"
  163 of 0   
  165 of 2 equal /body/state "pending"
  166 of 2 equal /body/createdAt "2026-01-01T00:00:00Z"
  168 not: it sends a request itself
plain
POST /api/login {"email":"ada@cafe.de","password":"lovelace"}
GET /health
GET /version
  174 of 1 equal /status 200
  176 of 1 equal /body/status "ok"
  177 of 1 length /body/checks 2
  178 of 1 equal /body/checks/0/state "up"
  179 of 1 equal /header/content-type "application/json"
  181 of 2 equal /status 200
  182 of 2 equal /body/version "1.2"
okHttp
POST /api/login {"email":"ada@cafe.de","password":"lovelace"}
POST /orders {"product": 1}
  198 of 1 equal /status 201
  199 of 0   
  200 of 1 equal /header/content-type "application/json"
  202 of 1 equal /body/state "pending"
extensions
POST /api/login {"email":"ada@cafe.de","password":"lovelace"}
GET /api/products/1?limit=1
  215 of 1 equal /status 200
  216 of 1 equal /body/name "Coffee"
  220 of 1 equal /body/name "Coffee"
expression
POST /api/login {"email":"ada@cafe.de","password":"lovelace"}
GET /api/a
  224 of 1 equal /body/a 1
  224 of 1 equal /status 200
many
POST /api/login {"email":"ada@cafe.de","password":"lovelace"}
GET /api/products/1
POST /api/login {"email":"ada@cafe.de","password":"lovelace"}
GET /api/products/2
  229 of 0   
  229 of 0   
off skipped
POST /api/login {"email":"ada@cafe.de","password":"lovelace"}
GET /api/off
  237 of 1 equal /status 204
  237 of 1 empty /body `; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// kotlinWays are statements of a test in Kotlin, and what is read of them.
func kotlinWays() map[string]string {
	return map[string]string{
		// statements
		"val r = get(\"/a\")\nassertEquals(200,\n    r.statusCode)\nassertEquals(1, r.path(\"a\"))":                                             "GET /a: equal /status 200equal /body/a 1",
		"val r = get(\"/a\"); assertEquals(200, r.statusCode); assertEquals(1, r.path(\"a\"))":                                                  "GET /a: equal /status 200equal /body/a 1",
		"val r = get(\"/a\")\nval want =\n    if (true)\n        \"x\"\n    else\n        \"y\"\nassertEquals(200, r.statusCode)":               "GET /a: equal /status 200",
		"val r = get(\"/a\")\nr infix\n    assertEquals(1, 2)\nassertEquals(200, r.statusCode)":                                                 "GET /a: equal /status 200not: no test is followed to it",
		"val r = get(\"/a\")\nwhen {\n    x -> assertEquals(1, r.path(\"a\"))\n    else -> {\n        assertEquals(2, r.path(\"a\"))\n    }\n}": "GET /a: not: it is inside a conditionnot: it is inside a condition",
		"outer@ for ((k, v) in m) {\n    assertEquals(k, get(\"/a\").path(\"a\"))\n    continue@outer\n}":                                       "GET /a: not: it sends a request itself",
		"do {\n    val r = get(\"/a\")\n} while (r.statusCode != 200)\nget(\"/b\").then().statusCode(200)":                                      "GET /a: GET /b: equal /status 200",
		"try {\n    get(\"/a\").then().statusCode(200)\n} catch (e: Exception) {\n    fail(e)\n} finally {\n    get(\"/b\")\n}":                 "GET /a: GET /b: equal /status 200",
		"fun check(r: Response) {\n    assertEquals(200, r.statusCode)\n}\ncheck(get(\"/a\"))":                                                  "GET /a: not: it sends a request itself",
		"val it = object : Any() {\n    val x = 1\n}\nassertEquals(200, get(\"/a\").statusCode)":                                                "GET /a: not: it sends a request itself",
		"if (x) get(\"/a\") else get(\"/b\")\nget(\"/c\").then().statusCode(200)":                                                               "GET /a: GET /b: GET /c: equal /status 200",
		// values
		`val p = "/a/${1 + 1}/$x/${m["b"]}"; get(p).then().statusCode(200)`:                                                                                  "GET /a/\x00/\x00/\x00: equal /status 200",
		`val id = 7; get("/a/$id?q=${"x"}").then().body("s", equalTo("\$5 \u00e9"))`:                                                                         `GET /a/7?q=x: equal /body/s "$5 é"`,
		`val r = get("/a"); val s = "x${r.statusCode}"; assertEquals("x200", s)`:                                                                             "GET /a:   ",
		`val r = get("/a"); var s: String = r.path("x"); s += "y"; assertEquals("z", s)`:                                                                     "GET /a: not: the name s, which changes is not known",
		`val r = get("/a"); val s = r.path<String?>("x") ?: error("none"); assertEquals("z", s)`:                                                             `GET /a: equal /body/x "z"`,
		`val l = mutableListOf<String>(); for (e in m.readTree(get("/a").asString()).get("l")) { l.add(e.get("x").asText()) }; assertEquals(listOf("x"), l)`: `GET /a: equal /body/l/*/x ["x"]`,
		`val l = mutableListOf<String>(); m.readTree(get("/a").asString()).get("l").forEach { l.add(it.asText()) }; assertEquals(listOf("x"), l)`:            `GET /a: equal /body/l/* ["x"]`,
		`val l: List<String> = get("/a").path("l"); assertEquals("x, y", l.joinToString(", "))`:                                                              `GET /a: equal /body/l ["x","y"]`,
		`val r = get("/a"); val s = r.path<String?>("x") ?: "y"; assertEquals("z", s)`:                                                                       "GET /a: not: the operator ?: is not known",
		`val r = get("/a"); assertEquals("x", r.path("a") as String)`:                                                                                        `GET /a: equal /body/a "x"`,
		`val r = get("/a"); assertTrue(r.path<Any>("a") is String)`:                                                                                          "GET /a:   ",
		`val r = get("/a"); assertTrue(r.path<String>("a") in listOf("x", "y"))`:                                                                             "GET /a:   ",
		`val r = get("/a"); val (a, b) = r.path<String>("a") to 2; assertEquals("x", a)`:                                                                     `GET /a: equal /body/a "x"`,
		`val r = get("/a"); val it = 3; r.also { assertEquals(200, it.statusCode) }`:                                                                         "GET /a: equal /status 200",
		`val r = get("/a"); with(r) { assertEquals(200, statusCode); assertEquals(1, path<Int>("a")) }`:                                                      "GET /a: equal /status 200equal /body/a 1",
		`val r = get("/a"); val n = r.run { path<Int>("a") }; assertEquals(1, n)`:                                                                            "GET /a: equal /body/a 1",
		`val r = given().apply { header("A", "b") }.get("/a"); assertEquals(200, r.statusCode())`:                                                            "GET /a: equal /status 200",
		`val j = JsonParser.parseString(get("/a").asString()).asJsonObject; assertEquals(4, j["l"].asJsonArray[0].asInt)`:                                    "GET /a: equal /body/l/0 4",
		`given().body("""{"a": "${1}", "b": "\n"}""").post("/a").then().statusCode(200)`:                                                                     `POST /a {"a": "1", "b": "\n"}: equal /status 200`,
		// assertions
		`val r = get("/a"); assertEquals(actual = r.statusCode, expected = 200)`:                                       "GET /a: equal /status 200",
		`val r = get("/a"); assertTrue { r.statusCode == 200 }`:                                                        "GET /a: equal /status 200",
		`val r = get("/a"); assertContains(r.jsonPath().getList<String>("l"), "x")`:                                    `GET /a: contains /body/l "x"`,
		`val r = get("/a"); assertContentEquals(listOf(1, 2), r.jsonPath().getList<Int>("l"))`:                         "GET /a: equal /body/l [1,2]",
		`val r = get("/a"); val s = assertNotNull(r.path<String?>("a")); assertEquals("x", s)`:                         `GET /a: not: what it gives is usedequal /body/a "x"`,
		`val r = get("/a"); assertIs<String>(r.path("a"))`:                                                             "GET /a: not: it has an unknown form",
		`assertFailsWith<X> { get("/a").then().statusCode(200) }`:                                                      "GET /a: not: it is inside a condition",
		`val r = get("/a"); r.statusCode shouldBe 200`:                                                                 "GET /a: equal /status 200",
		`val r = get("/a"); r.path<String>("a") shouldStartWith "x"; r.path<String>("a") shouldBeFoo 1`:                `GET /a: contains /body/a "x"not: it has an unknown form`,
		`val r = get("/a"); r.path<Any?>("a").shouldBeNull()`:                                                          "GET /a: equal /body/a null",
		`val r = get("/a"); r.path<List<String>>("l") shouldBe listOf("x")`:                                            `GET /a: equal /body/l ["x"]`,
		`val r = get("/a"); assertEquals(message = "why", expected = 200, actual = r.statusCode)`:                      "GET /a: equal /status 200",
		`val r = get("/a"); r.also { l.forEach { assertEquals(200, it.statusCode) } }`:                                 "GET /a: not: the field statusCode is not known",
		"fun go(a: String = \"x\", b: String) = get(\"/$a/$b\")\ngo(b = \"1\").then().statusCode(200)":                 "GET /x/1: equal /status 200",
		"val s by lazy {\n    \"/z\"\n    \"/b\"\n}\nval q by lazy { \"/c\" }\nget(\"/a$s$q\").then().statusCode(200)": "GET /a\x00/c: equal /status 200",
		// classes of the suite
		`val o: P = m.readValue(get("/a").asString()); val q: P = m.readValue(get("/b").asString()); assertEquals(o, q)`:       "GET /a: GET /b: not: what objects of a class compare is not known",
		`val o: P = m.readValue(get("/a").asString()); val q: P = m.readValue(get("/b").asString()); assertNotEquals(o, q)`:    "GET /a: GET /b: not: what objects of a class compare is not known",
		`val o: P = m.readValue(get("/a").asString()); val q: P = m.readValue(get("/b").asString()); assertContains(o.all, q)`: "GET /a: GET /b: not: what objects of a class compare is not known",
		`val o: P = m.readValue(get("/a").asString()); assertEquals("x", o.name)`:                                              `GET /a: equal /body/name "x"`,
		`val r = get(if (day) "/a/x" else "/b/x"); assertEquals(200, r.statusCode)`:                                            "GET /\x00/x: equal /status 200",
		`val j = get("/a").jsonPath(); assertEquals(mapOf("n" to 1), j.getMap<String, Int>("m"))`:                              `GET /a: equal /body/m {"n":1}`,
		`val j = get("/a").jsonPath(); assertTrue(j.getInt("a") < 2, "x > (y)")`:                                               "GET /a:   ",
		// lists, and what is taken apart
		`val l = get("/a").jsonPath().getList<Map<String, Any>>("l"); assertEquals("x", l.first()["id"])`:                                              `GET /a: equal /body/l/0/id "x"`,
		`val l = get("/a").jsonPath().getList<Map<String, Any>>("l"); assertEquals(listOf("x"), l.map { it["id"] })`:                                   `GET /a: equal /body/l/*/id ["x"]`,
		`val l = get("/a").jsonPath().getList<Map<String, Any>>("l"); assertEquals(listOf("x"), l.filter { it["n"] == 1 }.map { e -> e["id"] })`:       `GET /a: equal /body/l/*/id ["x"]`,
		`val l = get("/a").jsonPath().getList<Map<String, Any>>("l"); assertEquals("x", l.find { it["n"] == 1 }!!["id"])`:                              `GET /a: equal /body/l/*/id "x"`,
		`val l = get("/a").jsonPath().getList<Map<String, Any>>("l"); assertEquals("x", l.first { it["n"] == 1 }["id"])`:                               `GET /a: equal /body/l/*/id "x"`,
		`val l = get("/a").jsonPath().getList<Map<String, Any>>("l"); assertNotNull(l.find { it["n"] == 1 })`:                                          "GET /a:   ",
		`val l = get("/a").jsonPath().getList<Map<String, Any>>("l"); assertTrue(l.none { x -> l.any { y -> x["id"] == y["of"] } })`:                   "GET /a:   ",
		`val l = get("/a").jsonPath().getList<Map<String, Any>>("l"); assertEquals(listOf("x"), l.map { get("/b").path<String>("n") })`:                "GET /a: GET /b: not: it sends a request itself",
		`val (a, b) = get("/a").jsonPath().getList<Map<String, Any>>("l"); assertEquals(2, b["n"])`:                                                    `GET /a: equal /body/l/1/n 2`,
		`val (a, b) = get("/a").jsonPath().let { S(it.getString("t"), it.getString("u.id")) }; assertEquals("x", b)`:                                   `GET /a: equal /body/u/id "x"`,
		`val s = S(id = "y", token = get("/a").path("t")); assertEquals("x", s.token)`:                                                                 `GET /a: equal /body/t "x"`,
		`val l: List<P> = m.readValue(get("/a").asString()); assertEquals("x", l.first { it.n == 2 }.name); assertEquals(listOf("x"), l.map(P::name))`: `GET /a: equal /body/*/name "x"equal /body/*/name ["x"]`,
		// clients
		`Given { contentType("x/y").body("{}").log().all() } When { post("/a") } Then { statusCode(200) }`:                   "POST /a {}: equal /status 200",
		`Given { given().body("[]"); header("A", "b") } When { post("/a") } Then { statusCode(200) }`:                        "POST /a: equal /status 200",
		`Given { header("A", "b") } When { get("/a") } Then { body("n", equalTo(1)); statusCode(200) }`:                      "GET /a: equal /body/n 1equal /status 200",
		`val n: Int = When { get("/a") } Extract { path("n") }; assertEquals(1, n)`:                                          "GET /a: equal /body/n 1",
		`val q = Request.Builder().url("http://x/a").build(); ok.newCall(q).execute().use { assertEquals(200, it.code) }`:    "GET /a: equal /status 200",
		`val q = HttpRequest.newBuilder(URI("$base/a")).build(); val r = http.send(q, h); assertEquals(200, r.statusCode())`: "GET /a: equal /status 200",
	}
}

const kotlinHead = `import io.kotest.matchers.shouldBe
import io.restassured.RestAssured.*
import kotlin.test.*
import org.hamcrest.Matchers.*
data class S(val token: String, val id: String)
data class P(val name: String, val gone: Boolean, val n: Int, val note: String?, val all: List<P>)
class ItTest {
    @Test
    fun it() {
`

// So it is in Kotlin.
func TestWrittenKotlinWays(t *testing.T) {
	for body, want := range kotlinWays() {
		s := wroteKotlin(t, kotlinHead+body+"\n    }\n}\n")
		if got := understood(s.Tests[0]); got != want {
			t.Errorf("%s\n got %q\nwant %q", body, got, want)
		}
	}
}

// Declarations of Kotlin are told apart, whatever stands between them.
func TestWrittenKotlinDeclares(t *testing.T) {
	for _, tt := range []struct{ members, want string }{
		{"@Test fun a() = get(\"/a\").then().statusCode(200)", "a 1"},
		{"@Test fun `a b`(): Unit = runBlocking { get(\"/a\").then().statusCode(200) }", "a b 1"},
		{"val x: List<Map<String, Int>> get() = f()\n@Test fun a() {\n get(\"/a\").then().statusCode(200) }", "a 1"},
		{"var x = 1\n    private set\nlateinit var y: String\n@Test suspend fun a() { get(\"/a\").then().statusCode(200) }", "a 1"},
		{"data class P(val a: Int = 1) : Q(), R by S\nenum class E { A, B }\n@Test fun a() { get(\"/a\").then().statusCode(200) }", "a 1"},
		{"private fun <T : Any> Response.go(x: T, y: (Int) -> Unit = { }): T? where T : X = x\n@Test fun a() { get(\"/a\").go(1)\nget(\"/b\").then().statusCode(200) }", "a 1"},
		{"init { baseURI = \"x\" }\nconstructor(a: Int) : this() { b() }\n@Test\n@Order(1)\nfun a() { get(\"/a\").then().statusCode(200) }", "a 1"},
		{"@Test fun a() { val c = { x: Int, (y, z): P -> x }\nget(\"/a\").then().statusCode(200) }", "a 1"},
		{"companion object : Base() { fun f() = get(\"/a\") }\n@Test fun a() { f().then().statusCode(200) }", "a 1"},
		{"object Api { fun f(n: Int = 2) = get(\"/a/$n\") }\n@Test fun a() { Api.f(n = 3).then().statusCode(200) }", "a 1"},
	} {
		s := wroteKotlin(t, "import io.restassured.RestAssured.*\ninternal class ItTest : Base<Int>(1), A {\n"+tt.members+"\n}\n")
		got := ""
		for _, test := range s.Tests {
			n := 0
			for _, a := range test.Assertions {
				if a.Reason == "" {
					n++
				}
			}
			got += fmt.Sprintf("%s %d", test.Name, n)
		}
		if got != tt.want {
			t.Errorf("%s\n got %s, want %s", tt.members, got, tt.want)
		}
	}
}

// What an assertion becomes is said in Kotlin.
func TestWrittenKotlinIsWeakened(t *testing.T) {
	for _, tt := range []struct{ imports, body, want string }{
		{"kotlin.test.*", `assertEquals("x", r.jsonPath().getString("a"), "why")`,
			`assertTrue(r.jsonPath().getString("a").matches(Regex("[\$a]+")), "why")`},
		{"kotlin.test.assertEquals", `assertEquals("x", r.path("a"))`,
			`kotlin.test.assertTrue((r.path<Any?>("a") as String).matches(Regex("[\$a]+")))`},
		{"org.junit.jupiter.api.Assertions", `Assertions.assertEquals("x", r.path<String?>("a"))`,
			`Assertions.assertTrue(r.path<String?>("a")!!.matches(Regex("[\$a]+")))`},
		{"org.junit.jupiter.api.Assertions.*", `assertEquals("x", r.header("A")) { "why" }`,
			`assertTrue(r.header("A").matches(Regex("[\$a]+")), { "why" })`},
		{"kotlin.test.*", `val q = HttpRequest.newBuilder(URI("/a")).build(); val w = http.send(q, h); assertEquals("x", w.headers().firstValue("A").orElse(""))`,
			"assertTrue(\n            w\n                .headers()\n                .firstValue(\"A\")\n                .orElse(\"\")\n" +
				"                .matches(Regex(\"[\\$a]+\")),\n        )"},
		{"org.junit.Assert.*", `assertEquals("why", "x", r.path<String>("a"))`,
			`assertTrue("why", r.path<String>("a").matches(Regex("[\$a]+")))`},
		{"org.hamcrest.MatcherAssert.assertThat", "assertThat(r.path<String>(\"a\"), `is`(\"x\"))",
			"org.hamcrest.MatcherAssert.assertThat(\n            \"r.path<String>(\\\"a\\\")\",\n" +
				"            r.path<String>(\"a\").matches(Regex(\"[\\$a]+\")),\n        )"},
		{"org.assertj.core.api.Assertions.*", `assertThat(r.jsonPath().getString("a")).isEqualTo("x")`, `.matches("[\$a]+")`},
		{"io.kotest.matchers.shouldBe", `r.path<String>("a") shouldBe "x"`, `(r.path<String>("a").matches(Regex("[\$a]+"))) shouldBe true`},
		{"io.restassured.module.kotlin.extensions.Then", `r.run { this } Then { body("a", equalTo("x")) }`,
			`body("'a'", org.hamcrest.Matchers.matchesPattern("[\$a]+"))`},
	} {
		s := wroteKotlin(t, "import io.restassured.RestAssured\nimport "+tt.imports+"\nclass ItTest {\n    @Test\n    fun it() {\n"+
			"        val r = RestAssured.get(\"/a\")\n        "+tt.body+"\n    }\n}\n")
		test := s.Tests[0]
		if len(test.Assertions) != 1 || test.Assertions[0].Reason != "" {
			t.Errorf("%s is not read: %+v", tt.body, test.Assertions)
			continue
		}
		a := test.Assertions[0]
		got, ok := s.Writer.Assert(s, test, a, expr.Match{X: a.Subject(), Pattern: "[$a]+", Full: true})
		if got != tt.want || !ok {
			t.Errorf("%s becomes %s, %t, want %s", tt.body, got, ok, tt.want)
		}
		if same, ok := s.Writer.Assert(s, test, a, a.Meaning); strings.TrimPrefix(same, ".") != strings.TrimPrefix(a.Text, ".") || !ok {
			t.Errorf("%s as it was is %s", a.Text, same)
		}
	}
}

// An assertion that is commented out leaves a value where Kotlin wants one.
func TestWrittenKotlinIsCommentedOut(t *testing.T) {
	for body, want := range map[string]string{
		`assertEquals(1, r.path("a"))`:                                  `// assertEquals(1, r.path("a"))`,
		`if (x) assertEquals(1, r.path("a"))`:                           `if (x) Unit // assertEquals(1, r.path("a"))`,
		"if (x) assertEquals(\n    1, r.path(\"a\"))\nb()":              "if (x) Unit  /* assertEquals(\n    1, r.path(\"a\")) */\nb()",
		"when (x) {\n    1 -> assertEquals(1, r.path(\"a\"))\n}":        "when (x) {\n    1 -> Unit // assertEquals(1, r.path(\"a\"))\n}",
		`assertAll({ assertEquals(1, r.path("a")) })`:                   `assertAll({  /* assertEquals(1, r.path("a")) */ })`,
		`assertEquals("/*", r.path("a")); b()`:                          "// assertEquals(\"/*\", r.path(\"a\"))\n        ; b()",
		"r.then()\n            .body(\"a\", equalTo(1))":                "r.then()\n            // .body(\"a\", equalTo(1))",
		"r.then().body(\"a\",\n            equalTo(1)).statusCode(200)": "r.then()/* .body(\"a\",\n            equalTo(1)) */.statusCode(200)",
		`r Then { body("a", equalTo(1)) }`:                              `r Then {  /* body("a", equalTo(1)) */ }`,
	} {
		text := kotlinHead + "        val r = get(\"/a\")\n        " + body + "\n    }\n}\n"
		s := wroteKotlin(t, text)
		edits := s.Writer.Disable(s, s.Tests[0].Assertions[0])
		out := text
		for _, e := range slices.Backward(edits) {
			out = out[:e.Start] + e.Text + out[e.End:]
		}
		got := strings.TrimSuffix(strings.TrimPrefix(out, kotlinHead+"        val r = get(\"/a\")\n        "), "\n    }\n}\n")
		if got != want {
			t.Errorf("it becomes\n%s\nwant\n%s", got, want)
		}
	}
}

// A file without requests is no suite; one of EvoMaster's is of its own dialect, which takes no other.
func TestWrittenKotlinNeedsRequests(t *testing.T) {
	for _, text := range []string{"", "class A { fun a() { get(\"/a\") } }", "class A { @Test fun a() { assertEquals(1, 1) } }"} {
		if _, err := script.Read(WrittenKotlin(), "A.kt", []byte(text)); err == nil {
			t.Errorf("%q is a suite", text)
		}
	}
	if _, err := script.Read(Kotlin(), "ItTest.kt", []byte(kotlinHead+"given().get(\"/a\").then().statusCode(200)\n}\n}\n")); err == nil {
		t.Error("a suite that somebody wrote is taken for one of EvoMaster's")
	}
}
