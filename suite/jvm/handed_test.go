package jvm

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
)

// handedHead is a suite with the JDK's client and Gson, as people write it in Kotlin.
const handedHead = `import com.google.gson.Gson
import com.google.gson.JsonParser
import com.google.gson.reflect.TypeToken
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse
import kotlin.test.*

private val gson = Gson()

data class P(val reg: String, val tags: List<String>, val was: String?, val n: Double, val m: Double)

private inline fun <reified T> HttpResponse<String>.parse(): T = gson.fromJson(body(), T::class.java)

private val HttpResponse<String>.tree: JsonObject
    get() = JsonParser.parseString(body()).asJsonObject

class ItTest {
    private val http = HttpClient.newHttpClient()

    private fun request(path: String, block: HttpRequest.Builder.() -> Unit = {}): HttpResponse<String> =
        http.send(HttpRequest.newBuilder(URI.create("http://localhost$path")).apply(block).build(), HttpResponse.BodyHandlers.ofString())

    private fun post(path: String, body: String) = request(path) { POST(HttpRequest.BodyPublishers.ofString(body)) }

    @Test
    fun it() {
        `

// What Gson makes of an answer, and what a suite's own functions are handed to say of a request, is followed.
func TestKotlinHandsLambdas(t *testing.T) {
	for body, want := range map[string]string{
		`val p = request("/a").parse<P>(); assertEquals("x", p.reg)`:                                                                                  `GET /a: equal /body/reg "x"`,
		`val p: P = request("/a").parse(); assertNull(p.was)`:                                                                                         `GET /a: equal /body/was null`,
		`val r = post("/a", "{}"); assertEquals(200, r.statusCode())`:                                                                                 `POST /a {}: equal /status 200`,
		`val r = request("/a") { DELETE() }; assertEquals("x", r.tree["a"].asString)`:                                                                 `DELETE /a: equal /body/a "x"`,
		`val p = request("/a").parse<P>(); assertEquals(p.m + 1, p.n, 0.5)`:                                                                           `GET /a:   `,
		`val p = request("/a").parse<P>(); assertEquals(listOf("a", "b"), p.tags.sorted())`:                                                           `GET /a: equal /body/tags ["a","b"]`,
		`val p = request("/a").parse<P>(); assertEquals(listOf("b", "a"), p.tags.sorted())`:                                                           `GET /a: not: a list that is in order as another is not known`,
		`val p = request("/a").parse<P>(); assertEquals("x", p.tags.last())`:                                                                          `GET /a: equal /body/tags/* "x"`,
		`repeat(2) { request("/b") }; val p = request("/a").parse<P>(); assertEquals(P("x", listOf(), null, 1.0, 2.0), p)`:                            `GET /b: GET /b: GET /a:   `,
		`val ps: List<P> = gson.fromJson(request("/a").body(), object : TypeToken<List<P>>() {}.type); assertEquals("x", ps[0].reg)`:                  `GET /a: equal /body/0/reg "x"`,
		`val ps: Map<String, P> = gson.fromJson(request("/a").body(), object : TypeToken<Map<String, P>>() {}.type); assertEquals("x", ps["k"]?.reg)`: `GET /a: equal /body/k/reg "x"`,
	} {
		s := wroteKotlin(t, handedHead+body+"\n    }\n}\n")
		if got := understood(s.Tests[0]); got != want {
			t.Errorf("%s\n got %q\nwant %q", body, got, want)
		}
	}
}

// Sets, and the names of members, are held against what is written out whatever their order.
func TestKotlinSets(t *testing.T) {
	for said, bodies := range map[string]map[string]bool{
		`assertEquals(setOf("a", "b"), p.tags.toSet())`: {`{"tags": ["b", "a", "b"]}`: true, `{"tags": ["a"]}`: false,
			`{"tags": ["a", "b", "c"]}`: false},
		`assertEquals(setOf("a", "b"), r.tree["m"].asJsonObject.keySet())`: {`{"m": {"b": 1, "a": 2}}`: true, `{"m": {"a": 2}}`: false,
			`{"m": {"a": 1, "b": 2, "c": 3}}`: false},
		`assertEquals(listOf("b", "a"), r.tree["m"].asJsonObject.keySet().toList())`: {`{"m": {"b": 1, "a": 2}}`: true, `{"m": {"a": 2}}`: false,
			`{"m": {"a": 1, "b": 2, "c": 3}}`: false},
		`assertEquals(listOf("a", "b"), r.tree["m"].asJsonObject.keySet().sorted())`: {`{"m": {"b": 1, "a": 2}}`: true, `{"m": {"a": 2}}`: false},
		`assertEquals(2, r.tree["m"].asJsonObject.keySet().size)`:                    {`{"m": {"b": 1, "a": 2}}`: true, `{"m": {"a": 2}}`: false},
	} {
		s := wroteKotlin(t, handedHead+"val r = request(\"/a\"); val p = r.parse<P>(); "+said+"\n    }\n}\n")
		for body, want := range bodies {
			if got := holds(t, s, body); got != want {
				t.Errorf("%s of %s: %t", said, body, got)
			}
		}
	}
}

// A read by any client is sent again until what the test makes of its answer is ready.
func TestKotlinPollsAnyRead(t *testing.T) {
	for declared, want := range map[string]string{
		`val p = request("/a").parse<P>()`: `{ it.reg == "done" }`,
		`val p = request("/a")`:            `JsonParser.parseString(it.body()).asJsonObject["reg"].asString == "done"`,
		`val p = request("/a").tree`:       `{ it.asJsonObject["reg"].asString == "done" }`,
		`request("/a")`:                    "",
	} {
		s := wroteKotlin(t, handedHead+declared+"\n        assertTrue(true)\n    }\n}\n")
		test := s.Tests[0]
		body := expr.Answer{Var: test.Calls[0].Var, Part: expr.JSON}
		done := expr.Same(expr.Index{X: body, I: expr.Str{Value: "reg"}}, expr.Str{Value: "done"})
		ready := expr.AllOf(expr.Cmp(expr.Answer{Var: test.Calls[0].Var}, expr.Eq, expr.Int(200)), done)
		edits := s.Writer.Poll(s, test, script.Wait{Call: test.Calls[0], Ready: ready, Body: done, Atmost: 1e9, Every: 1e7})
		got := ""
		for _, e := range edits {
			got += e.Text
		}
		if (want != "" && strings.Contains(got, want)) != (want != "") || (want == "") != (got == "") {
			t.Errorf("%s becomes\n%s\nwant %s", declared, got, want)
		}
	}
}
