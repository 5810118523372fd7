package suite

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/python"
	pysource "github.com/flaketap/flaketap/suite/python/source"
	"github.com/flaketap/flaketap/suite/script"
)

const (
	javaHead = "import org.junit.jupiter.api.Test;\nimport static org.hamcrest.Matchers.*;\nimport io.restassured.response.ValidatableResponse;\n" +
		"import static io.restassured.RestAssured.given;\nimport static org.evomaster.client.java.controller.contentMatchers.NumberMatcher.*;\n" +
		"public class T {\n    private static String baseUrlOfSut = \"http://localhost:1\";\n\n"
	kotlinHead = "import org.junit.jupiter.api.Test\nimport org.hamcrest.Matchers.*\nimport io.restassured.response.ValidatableResponse\n" +
		"import io.restassured.RestAssured.given\nimport org.evomaster.client.java.controller.contentMatchers.NumberMatcher.*\n" +
		"internal class T {\n    companion object {\n        private val baseUrlOfSut = \"http://localhost:1\"\n    }\n\n"
)

// jvmSuiteOf makes a suite of one test that sends GETs; each call's links follow it, and statements that begin with none.
func jvmSuiteOf(kotlin bool, calls ...[]string) string {
	var b strings.Builder
	end := ";"
	if kotlin {
		end = ""
		b.WriteString(kotlinHead + "    @Test\n    fun test_0()  {\n")
	} else {
		b.WriteString(javaHead + "    @Test\n    public void test_0() throws Exception {\n")
	}
	for i, lines := range calls {
		text := fmt.Sprintf("        ValidatableResponse res_%d = given().accept(\"*/*\")\n                .get(baseUrlOfSut + \"/x%d\")\n                .then()", i, i)
		if kotlin {
			text = fmt.Sprintf("        val res_%d: ValidatableResponse = given().accept(\"*/*\")\n                .get(\"${baseUrlOfSut}/x%d\")\n                .then()", i, i)
		}
		open := true
		for _, l := range lines {
			if open && !strings.HasPrefix(l, ".") {
				text += end
				open = false
			}
			if open {
				text += "\n                " + l
			} else {
				text += "\n        " + l
			}
		}
		if open {
			text += end
		}
		b.WriteString(text + "\n\n")
	}
	b.WriteString("    }\n}\n")
	return b.String()
}

func jvmFile(kotlin bool) string {
	if kotlin {
		return "T.kt"
	}
	return "T.java"
}

// jvmPatched patches a suite, and returns its links and statements, disabled ones too.
func jvmPatched(t *testing.T, kotlin bool, text string, src Source) []string {
	t.Helper()
	p, err := Patch(jvmFile(kotlin), []byte(text), src, PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	again, err := Patch(jvmFile(kotlin), p.Data, src, PatchOptions{})
	if err != nil || string(again.Data) != string(p.Data) {
		t.Errorf("a second patch changes the file (%v):\n%s", err, cmp.Diff(string(p.Data), string(again.Data)))
	}
	var out []string
	for _, l := range strings.Split(string(p.Data), "\n") {
		if l = strings.TrimSpace(l); strings.HasPrefix(strings.TrimPrefix(strings.TrimPrefix(l, "; "), "// "), ".") && !strings.HasPrefix(l, ".get(") && l != ".then()" && l != ".then();" {
			out = append(out, strings.TrimSuffix(l, ";"))
		}
	}
	return out
}

// jvmCase is a link, what was seen, and what becomes of the link.
type jvmCase struct {
	name   string
	line   string
	seen   []*exchange.Response
	status int    // that the test expects before it; 0 for none
	java   string // wanted
	kotlin string // the same where it is ""
}

func jvmCases() []jvmCase {
	json := replies
	return []jvmCase{
		{name: "holds", line: `.body("'a'", numberMatches(1.0))`, seen: json(`{"a":1}`, `{"a":1.0}`), java: `.body("'a'", numberMatches(1.0))`},
		{name: "number beyond floats", line: `.body("'a'", numberMatches(9007199254740992L))`, seen: json(`{"a":9007199254740993}`), java: `.body("'a'", anyOf(instanceOf(Integer.class), instanceOf(Long.class), instanceOf(java.math.BigInteger.class)))`, kotlin: `.body("'a'", anyOf(instanceOf<Any>(java.lang.Integer::class.java), instanceOf<Any>(java.lang.Long::class.java), instanceOf<Any>(java.math.BigInteger::class.java)))`},
		{name: "exponent", line: `.body("'a'", numberMatches(1.0E10))`, seen: json(`{"a":10000000000}`), java: `.body("'a'", numberMatches(1.0E10))`},
		{name: "big integer", line: `.body("'a'", numberMatches(new BigInteger("90071992547409930000")))`, seen: json(`{"a":90071992547409930000}`), java: `.body("'a'", numberMatches(new BigInteger("90071992547409930000")))`},
		{name: "big decimal", line: `.body("'a'", numberMatches(BigDecimal("1.5")))`, seen: json(`{"a":2.5}`, `{"a":1.5}`), java: `.body("'a'", anyOf(instanceOf(Double.class), instanceOf(Float.class), instanceOf(java.math.BigDecimal.class)))`, kotlin: `.body("'a'", anyOf(instanceOf<Any>(java.lang.Double::class.java), instanceOf<Any>(java.lang.Float::class.java), instanceOf<Any>(java.math.BigDecimal::class.java)))`},
		{name: "infinity", line: `.body("'a'", numberMatches(Infinity))`, seen: json(`{"a":1e400}`), java: `.body("'a'", equalTo(Double.POSITIVE_INFINITY))`},
		{name: "another string", line: `.body("'a'", containsString("x"))`, seen: json(`{"a":"yy"}`), java: `.body("'a'", instanceOf(String.class))`, kotlin: `.body("'a'", instanceOf<Any>(String::class.java))`},
		{name: "digests", line: `.body("'a'", containsString("0123456789abcdef0123456789abcdef"))`, seen: json(`{"a":"f123456789abcdef0123456789abcdef"}`), java: `.body("'a'", matchesPattern("[0-9a-fA-F]{32}"))`},
		{name: "a time seen once", line: `.body("'a'", containsString("2026-01-29T05:15:09.630739123Z"))`, seen: json(`{"a":"2026-01-29T05:15:10.1Z"}`), java: `.body("'a'", matchesPattern("\\d{4}-\\d\\d-\\d\\d[Tt]\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?([Zz]|[+-]\\d\\d:\\d\\d)"))`},
		{name: "digits", line: `.body("'a'", containsString("100000000001"))`, seen: json(`{"a":"120000000000"}`, `{"a":"3"}`), java: `.body("'a'", matchesPattern("[0-9]+"))`},
		{name: "a piece in common", line: `.body("'a'", containsString("made at 10:12 by bob"))`, seen: json(`{"a":"made at 10:13 by bob"}`, `{"a":"made at 11:00 by bob"}`), java: `.body("'a'", matchesPattern("[\\s\\S]*made at [0-9]+:[0-9]+ by bob[\\s\\S]*"))`},
		{name: "null at times", line: `.body("'a'", numberMatches(1))`, seen: json(`{"a":2}`, `{"a":null}`), java: `.body("'a'", anyOf(nullValue(), instanceOf(Integer.class), instanceOf(Long.class), instanceOf(java.math.BigInteger.class)))`, kotlin: `.body("'a'", anyOf(nullValue(), instanceOf<Any>(java.lang.Integer::class.java), instanceOf<Any>(java.lang.Long::class.java), instanceOf<Any>(java.math.BigInteger::class.java)))`},
		{name: "was null", line: `.body("'a'", nullValue())`, seen: json(`{"a":null}`, `{"a":"x"}`), java: `.body("'a'", anyOf(nullValue(), instanceOf(String.class)))`, kotlin: `.body("'a'", anyOf(nullValue(), instanceOf<Any>(String::class.java)))`},
		{name: "null and missing are one", line: `.body("'a'.'b'[3].'c'", nullValue())`, seen: json(`{"a":null}`, `{}`, `{"a":{"b":[1]}}`, `[]`), java: `.body("'a'.'b'[3].'c'", nullValue())`},
		{name: "boolean", line: `.body("'a'", equalTo(true))`, seen: json(`{"a":false}`, `{"a":true}`), java: `.body("'a'", instanceOf(Boolean.class))`, kotlin: `.body("'a'", instanceOf<Any>(java.lang.Boolean::class.java))`},
		{name: "type changes", line: `.body("'a'", equalTo(true))`, seen: json(`{"a":"x"}`, `{"a":{}}`), java: `.body("'a'", anyOf(instanceOf(Boolean.class), instanceOf(java.util.Map.class), instanceOf(String.class)))`, kotlin: `.body("'a'", anyOf(instanceOf<Any>(java.lang.Boolean::class.java), instanceOf<Any>(java.util.Map::class.java), instanceOf<Any>(String::class.java)))`},
		{name: "int and float", line: `.body("'a'", numberMatches(1))`, seen: json(`{"a":1}`, `{"a":1.5}`, `{"a":[]}`), java: `.body("'a'", anyOf(instanceOf(java.util.List.class), instanceOf(Number.class)))`, kotlin: `.body("'a'", anyOf(instanceOf<Any>(java.util.List::class.java), instanceOf<Any>(Number::class.java)))`},
		{name: "member comes and goes", line: `.body("'a'.'b'", containsString("x"))`, seen: json(`{"a":{"b":"x"}}`, `{"a":{}}`), java: `.body("'a'.'b'", anyOf(nullValue(), containsString("x")))`},
		{name: "parent is null", line: `.body("'a'.'b'", containsString("x"))`, seen: json(`{"a":{"b":"x"}}`, `{"a":null}`), java: `.header("content-type", r -> { if (r.path("'a'") instanceof java.util.Map) r.then().body("'a'.'b'", containsString("x")); return anything(); })`, kotlin: `.header("content-type", { r -> if (r.path<Any?>("'a'") is Map<*, *>) { r.then().body("'a'.'b'", containsString("x")) }; anything() })`},
		{name: "array shrinks", line: `.body("[1].'b'", containsString("x"))`, seen: json(`[{"b":1},{"b":"x"}]`, `[]`), java: `.body("[1].'b'", anyOf(nullValue(), containsString("x")))`},
		{name: "never there", line: `.body("[1]", equalTo("x"))`, seen: json(`["a"]`, `[]`), java: `.body("[1]", anyOf(nullValue(), instanceOf(String.class)))`, kotlin: `.body("[1]", anyOf(nullValue(), instanceOf<Any>(String::class.java)))`},
		{name: "a whole number that is never there", line: `.body("'a'", numberMatches(1.0))`, seen: []*exchange.Response{reply(404, "", "")}, status: 200, java: `.header("content-type", r -> { if (r.statusCode() == 200) r.then().body("'a'", instanceOf(Number.class)); return anything(); })`, kotlin: `.header("content-type", { r -> if (r.statusCode() == 200) { r.then().body("'a'", instanceOf<Any>(Number::class.java)) }; anything() })`},
		{name: "length of a list", line: `.body("'a'.size()", equalTo(2))`, seen: json(`{"a":[1,2]}`, `{"a":[]}`), java: `.body("'a'", instanceOf(java.util.List.class))`, kotlin: `.body("'a'", instanceOf<Any>(java.util.List::class.java))`},
		{name: "length of what comes and goes", line: `.body("'a'.size()", equalTo(2))`, seen: json(`{"a":[1,2]}`, `{}`), java: `.body("'a'?.size()", anyOf(nullValue(), equalTo(2)))`},
		{name: "empty object", line: `.body("'a'.isEmpty()", is(true))`, seen: json(`{"a":{}}`, `{"a":{"b":1}}`), java: `.body("'a'", instanceOf(java.util.Map.class))`, kotlin: `.body("'a'", instanceOf<Any>(java.util.Map::class.java))`},
		{name: "length of the root", line: `.body("size()", equalTo(2))`, seen: json(`[1,2]`, `[]`), java: `.body("", instanceOf(java.util.List.class))`, kotlin: `.body("", instanceOf<Any>(java.util.List::class.java))`},
		{name: "items that stay", line: `.body("'l'", hasItems("a", "b", "c"))`, seen: json(`{"l":["c","b","a"]}`, `{"l":["a","c"]}`), java: `.body("'l'", hasItems("a", "c"))`},
		{name: "items that go", line: `.body("", hasItems("a"))`, seen: json(`["a"]`, `["b"]`), java: `.body("", instanceOf(java.util.List.class))`, kotlin: `.body("", instanceOf<Any>(java.util.List::class.java))`},
		{name: "quotes and backslashes", line: `.body("'it\\'s \"a\\\\b\"'", containsString("\t$"))`, seen: json(`{"it's \"a\\b\"":7}`), java: `.body("'it\\'s \"a\\\\b\"'", anyOf(instanceOf(Integer.class), instanceOf(Long.class), instanceOf(java.math.BigInteger.class), instanceOf(String.class)))`, kotlin: `.body("'it\\'s \"a\\\\b\"'", anyOf(instanceOf<Any>(java.lang.Integer::class.java), instanceOf<Any>(java.lang.Long::class.java), instanceOf<Any>(java.math.BigInteger::class.java), instanceOf<Any>(String::class.java)))`},
		{name: "text in common", line: `.body(containsString("made at 10:12 by bob"))`, seen: json(`"made at 10:13 by bob"`, `"made at 11:00 by bob"`), java: `.body(matchesPattern("[\\s\\S]*made at [0-9]+:[0-9]+ by bob[\\s\\S]*"))`},
		{name: "nothing in common", line: `.body(containsString("abc"))`, seen: json(`"xyz"`), java: `.body(allOf(notNullValue(), not("")))`},
		{name: "status", line: `.statusCode(204)`, seen: []*exchange.Response{reply(404, "", ""), reply(200, "", "")}, java: `.statusCode(anyOf(equalTo(200), equalTo(204), equalTo(404)))`},
		{name: "media type", line: `.contentType("application/json")`, seen: []*exchange.Response{reply(200, jsonType, "{}"), reply(200, "Content-Type: text/html;charset=x\r\n", "")}, java: `.contentType(anyOf(containsString("application/json"), containsString("text/html")))`},
		{name: "media type missing at times", line: `.contentType("application/json")`, seen: []*exchange.Response{reply(200, jsonType, "{}"), reply(200, "", "")}, java: `.header("content-type", anyOf(nullValue(), containsString("application/json")))`},
		{name: "header missing at times", line: `.header("X-A", "b")`, seen: []*exchange.Response{reply(200, "X-A: b\r\n", ""), reply(200, "", "")}, java: `.header("x-a", anyOf(nullValue(), equalTo("b")))`},
		{name: "header moves", line: `.header("X-A", "b")`, seen: []*exchange.Response{reply(200, "X-A: b\r\n", ""), reply(200, "X-A: c\r\n", "")}, java: `.header("x-a", allOf(notNullValue(), not("")))`},
		{name: "header absent", line: `.header("X-A", isEmptyOrNullString())`, seen: []*exchange.Response{reply(200, "X-A: b\r\n", "")}, java: `; // .header("X-A", isEmptyOrNullString())`, kotlin: `// .header("X-A", isEmptyOrNullString())`},
		{name: "empty no more", line: `.body(isEmptyOrNullString())`, seen: []*exchange.Response{reply(200, "", "x")}, java: `; // .body(isEmptyOrNullString())`, kotlin: `// .body(isEmptyOrNullString())`},
		{name: "empty with the status", line: `.body(isEmptyOrNullString())`, seen: []*exchange.Response{reply(404, "", "x")}, status: 204, java: `.header("content-type", r -> { if (r.statusCode() == 204) r.then().body(isEmptyOrNullString()); return anything(); })`, kotlin: `.header("content-type", { r -> if (r.statusCode() == 204) { r.then().body(isEmptyOrNullString()) }; anything() })`},
		{name: "value with the status", line: `.body("'a'", containsString("x"))`, seen: []*exchange.Response{reply(404, "", ""), reply(200, jsonType, `{"a":"x"}`)}, status: 200, java: `.header("content-type", r -> { if (r.statusCode() == 200) r.then().body("'a'", containsString("x")); return anything(); })`, kotlin: `.header("content-type", { r -> if (r.statusCode() == 200) { r.then().body("'a'", containsString("x")) }; anything() })`},
		{name: "null with the status", line: `.body("'a'", nullValue())`, seen: []*exchange.Response{reply(404, "", ""), reply(200, jsonType, `{}`)}, status: 200, java: `.header("content-type", r -> { if (r.statusCode() == 200) r.then().body("'a'", nullValue()); return anything(); })`, kotlin: `.header("content-type", { r -> if (r.statusCode() == 200) { r.then().body("'a'", nullValue()) }; anything() })`},
		{name: "moves with the status", line: `.body("'a'", numberMatches(3))`, seen: []*exchange.Response{reply(404, "", ""), reply(200, jsonType, `{"a":4}`), reply(200, jsonType, `{}`)}, status: 200, java: `.header("content-type", r -> { if (r.statusCode() == 200) r.then().body("'a'", anyOf(nullValue(), instanceOf(Integer.class), instanceOf(Long.class), instanceOf(java.math.BigInteger.class))); return anything(); })`, kotlin: `.header("content-type", { r -> if (r.statusCode() == 200) { r.then().body("'a'", anyOf(nullValue(), instanceOf<Any>(java.lang.Integer::class.java), instanceOf<Any>(java.lang.Long::class.java), instanceOf<Any>(java.math.BigInteger::class.java))) }; anything() })`},
	}
}

func TestJVMWeakened(t *testing.T) {
	for _, tt := range jvmCases() {
		for _, kotlin := range []bool{false, true} {
			t.Run(tt.name+jvmFile(kotlin), func(t *testing.T) {
				lines := []string{tt.line}
				if tt.status != 0 {
					lines = []string{fmt.Sprintf(".statusCode(%d)", tt.status), tt.line}
				}
				got := jvmPatched(t, kotlin, jvmSuiteOf(kotlin, lines), Source{Steps: []exchange.Step{stepOf(1, "/x0", tt.seen)}})
				want := tt.java
				if kotlin && tt.kotlin != "" {
					want = tt.kotlin
				}
				if len(got) != len(lines) || got[len(got)-1] != want {
					t.Errorf("got  %s\nwant %s", strings.Join(got, "\n     "), want)
				}
			})
		}
	}
}

func TestJVMDamaged(t *testing.T) {
	good := jvmSuiteOf(false, []string{".statusCode(200)", `.body("'a'", equalTo(1))`})
	goodKotlin := jvmSuiteOf(true, []string{".statusCode(200)", `.body("'a'", equalTo(1))`})
	line := strings.Count(good[:strings.Index(good, ".get(")], "\n") + 1
	tests := []struct {
		name, file, text string
		line             int
		reason           string
	}{
		{"empty", "s.java", "", 0, "no tests that send requests"},
		{"other Java", "s.java", "public class X { void a() {} }\n", 0, "no tests that send requests"},
		{"another client", "s.java", "import org.junit.Test; public class X { @Test public void a() {} }\n", 0, "no tests that send requests"},
		{"open bracket", "s.java", good[:strings.LastIndex(good, "}")], 6, `"{" is never closed`},
		{"closed twice", "s.java", strings.Replace(good, "/x0\")", "/x0\"))", 1), line, `")" closes nothing`},
		{"another bracket", "s.java", strings.Replace(good, "/x0\")", "/x0\"]", 1), line, `"]" closes nothing`},
		{"open string", "s.java", strings.Replace(good, `/x0"`, `/x0`, 1), line, "not closed on its line"},
		{"open character", "s.java", strings.Replace(good, `baseUrlOfSut + "/x0"`, `'`, 1), line, "a character is not closed"},
		{"open comment", "s.java", good + "/* abc", strings.Count(good, "\n") + 1, "a comment is never closed"},
		{"comments do not nest in Java", "s.java", good + "/* /* */ */", strings.Count(good, "\n") + 1, ""},
		{"open text block", "s.java", good + `"""` + "\nabc", strings.Count(good, "\n") + 1, "a text block is never closed"},
		{"open template", "s.kt", strings.Replace(goodKotlin, "${baseUrlOfSut}", "${baseUrlOfSut", 1), line + 2, "not closed on its line"},
		{"bad escape", "s.java", strings.Replace(good, `"/x0"`, `"/\d"`, 1), line, `unknown escape \d`},
		{"no digits", "s.kt", strings.Replace(goodKotlin, `/x0"`, `/\u12"`, 1), line + 2, "names no character"},
		{"invalid UTF-8", "s.java", strings.Replace(good, "/x0", "/\xff", 1), line, "not valid UTF-8"},
		{"stray character", "s.java", good + "#\n", strings.Count(good, "\n") + 1, "unexpected character"},
		{"backquotes", "s.kt", goodKotlin + "`abc\n", strings.Count(goodKotlin, "\n") + 1, "in backquotes is not closed"},
		{"an undefined variable", "s.java", strings.Replace(good, `given().accept("*/*")`, `given().cookies(cookies_bob).accept("*/*")`, 1), line - 1, "cookies_bob is never defined"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := Patch(tt.file, []byte(tt.text), Source{}, PatchOptions{})
			var e *script.SyntaxError
			if !errors.As(err, &e) {
				if tt.reason == "" && err == nil {
					return
				}
				t.Fatalf("err = %v", err)
			}
			if e.Line != tt.line || !strings.Contains(e.Reason, tt.reason) || e.File != tt.file {
				t.Errorf("err = %v, want line %d and %q", err, tt.line, tt.reason)
			}
			if p.Data != nil {
				t.Error("data was returned")
			}
		})
	}
	for name, text := range map[string]string{"s.java": good, "s.kt": goodKotlin, "S.KT": goodKotlin} {
		if p, err := Patch(name, []byte(text), Source{}, PatchOptions{}); err != nil || string(p.Data) != text {
			t.Errorf("the good file %s: %v", name, err)
		}
	}
}

// jvmRead reads a test of given statements.
func jvmRead(t *testing.T, kotlin bool, statements string) *script.Test {
	t.Helper()
	text := javaHead + "    @Test\n    public void test_0() throws Exception {\n" + statements + "\n    }\n}\n"
	if kotlin {
		text = kotlinHead + "    @Test\n    fun test_0()  {\n" + statements + "\n    }\n}\n"
	}
	s, err := Read(jvmFile(kotlin), []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s.Tests[0]
}

// shownCall is a call as the tests below show it.
func shownCall(c *script.Call) string {
	text := fmt.Sprintf("%s %s", c.Method, strings.ReplaceAll(c.Target, "\x00", "*"))
	for _, s := range []struct{ name, value string }{{"location", c.Location}, {"accept", c.Accept}, {"body", strings.ReplaceAll(c.Body, "\x00", "*")}, {"unset", c.Unset}} {
		if s.value != "" {
			text += " " + s.name + "=" + s.value
		}
	}
	if c.Guarded {
		text += " guarded"
	}
	return text
}

func TestJVMCalls(t *testing.T) {
	tests := []struct {
		name   string
		kotlin bool
		text   string
		want   []string // calls, then what variables are set to
	}{
		{"plain", false, `given().accept("a/b").get(baseUrlOfSut + "/x?" + "a=1&" + "b=2").then().statusCode(200);`, []string{"GET /x?a=1&b=2 accept=a/b"}},
		{"template", true, `given().accept("a/b").get("${baseUrlOfSut}/x#y")` + "\n.then()", []string{"GET /x accept=a/b"}},
		{"template without braces", true, `given().delete("$baseUrlOfSut/x/${id}/\$y")`, []string{"DELETE /x/*/$y"}},
		{"body over lines", false, "given().contentType(\"application/json\")\n.body(\" { \" + \n // note\n \" \\\"a\\\": \\u00e9\\t1 \" + \" } \")\n.post(baseUrlOfSut + \"/x\").then();", []string{"POST /x body= {  \"a\": é\t1  } "}},
		{"text block", false, "given().body(\"\"\"\n    {\n      \"a\": 1\n    }\n    \"\"\").post(baseUrlOfSut + \"/x\");", []string{"POST /x body={\n  \"a\": 1\n}\n"}},
		{"raw string", true, "given().body(\"\"\"{\"a\\b\": ${x}}\"\"\").post(baseUrlOfSut + \"/x\")", []string{"POST /x body={\"a\\b\": *}"}},
		{"other clients' ways", false, `RestAssured.given().when().request("PATCH", "http://h:1/y").then(); given().head(url); given().queryParam("a", 1).get("/z");`, []string{"PATCH /y", "HEAD *", "GET /z*"}},
		{"media type by constant", false, `given().accept(ContentType.JSON).get("/z");`, []string{"GET /z accept=application/json, application/javascript, text/javascript, text/json"}},
		{"location", false, "ValidatableResponse res_0 = given().post(baseUrlOfSut + \"/x\").then();\nString location_a = res_0.extract().header(\"location\");\n" +
			"assertTrue(isValidURIorEmpty(location_a));\ngiven().get(resolveLocation(location_a, baseUrlOfSut + \"/x/1\")).then();",
			[]string{"POST /x", "GET /x/1 location=location_a", `location_a = res_0.headers.get("location", "")`}},
		{"id of the body", true, "val res_0: ValidatableResponse = given().post(\"${baseUrlOfSut}/x\")\n    .then()\nval location_a = \"/x\" + \"/\" + res_0.extract().body().path<Int>(\"'a'.'id'\").toString()\n" +
			"given().get(resolveLocation(location_a, baseUrlOfSut + \"/x/1\"))", []string{"POST /x", "GET /x/1 location=location_a", `location_a = "/x" + "/" + str(res_0.json()["a"]["id"])`}},
		{"login", false, "final Map<String,String> cookies_a = given().body(\"u\").post(baseUrlOfSut + \"/login\").then().extract().cookies();\n" +
			"String token_b = \"Bearer \" + 1;\ngiven().cookies(cookies_a).header(\"Authorization\", token_b).get(baseUrlOfSut + \"/x\");", []string{"POST /login body=u", "GET /x", "cookies_a = ?", "token_b = ?"}},
		{"token", false, "final String token_b = given().post(baseUrlOfSut + \"/login\").then().extract().response().path(\"token\");", []string{"POST /login", `token_b = call 0.json()["token"]`}},
		{"try", false, "try {\n given().get(baseUrlOfSut + \"/x\").then();\n fail(\"Expected exception\");\n} catch (Exception e) {\n}\ngiven().get(baseUrlOfSut + \"/y\");", []string{"GET /x guarded", "GET /y"}},
		{"undefined location", false, "given().get(resolveLocation(location_a, baseUrlOfSut + \"/x\"));", []string{"GET /x location=location_a unset=location_a"}},
		{"names of Kotlin", true, "val `res 0` = 1\ngiven()\n  // a remark\n  /* a /* nested */ one */\n  .get(baseUrlOfSut +\n \"/x\")\n  .then()\ngiven().get(\"${baseUrlOfSut}/y\")", []string{"GET /x", "GET /y"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			test := jvmRead(t, tt.kotlin, tt.text)
			var got []string
			for _, c := range test.Calls {
				got = append(got, shownCall(c))
			}
			for _, k := range test.Extractions {
				x := "?"
				if k.Value != nil {
					x, _ = pysource.Source(k.Value)
				}
				if k.Name != "res 0" {
					got = append(got, k.Name+" = "+x)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestJVMAssertions(t *testing.T) {
	tests := []struct{ link, claim, means string }{
		{`.statusCode(200) // com/foo/X_1_y`, "/status equal 200", `r.status_code == 200`},
		{`.contentType("application/json")`, `/header/content-type contains "application/json"`, `"application/json" in r.headers["content-type"]`},
		{`.header("WWW-Authenticate", "Basic")`, `/header/www-authenticate equal "Basic"`, `r.headers["www-authenticate"] == "Basic"`},
		{`.header("upgrade", isEmptyOrNullString())`, "/header/upgrade absent ", `"upgrade" not in r.headers`},
		{`.body(isEmptyOrNullString())`, "/body empty ", `r.text == ""`},
		{`.body(containsString("4\u0032\n"))`, `/body contains "42\n"`, `"42\n" in r.text`},
		{`.body("'a'.'b c'[0].'d'", containsString("s"))`, `/body/a/b c/0/d contains "s"`, `"s" in r.json()["a"]["b c"][0]["d"]`},
		{`.body("[0].'x'", numberMatches(3000000000L))`, "/body/0/x equal 3000000000", `r.json()[0]["x"] == 3000000000`},
		{`.body("'a'", numberMatches(-1.0E10))`, "/body/a equal -1.0E10", `r.json()["a"] == -1.0E10`},
		{`.body("'a'", numberMatches(new BigInteger("12345678901234567890")))`, "/body/a equal 12345678901234567890", `r.json()["a"] == 12345678901234567890`},
		{`.body("'a'", numberMatches(java.math.BigInteger("12345678901234567890")))`, "/body/a equal 12345678901234567890", `r.json()["a"] == 12345678901234567890`},
		{`.body("'a'", numberMatches(BigDecimal("-1.50")))`, "/body/a equal -1.50", `r.json()["a"] == -1.50`},
		{`.body("'a'", equalTo(false))`, "/body/a equal false", `r.json()["a"] is False`},
		{`.body("'a'", nullValue())`, "/body/a equal null", `not isinstance(r.json(), dict) or "a" not in r.json() or r.json()["a"] is None`},
		{`.body("'a'.size()", equalTo(3))`, "/body/a length 3", `len(r.json()["a"]) == 3`},
		{`.body("size()", equalTo(0))`, "/body length 0", `len(r.json()) == 0`},
		{`.body("'a'.isEmpty()", is(true))`, "/body/a length 0", `len(r.json()["a"]) == 0`},
		{`.body("'size'.size()", equalTo(1))`, "/body/size length 1", `len(r.json()["size"]) == 1`},
		{`.body("", hasItems("a", "b"))`, `/body contains "a"`, `"a" in r.json() and "b" in r.json()`},
		{`.body("'it\\'s'.'a\\\\b'", containsString("x"))`, `/body/it's/a\b contains "x"`, `"x" in r.json()["it's"]["a\\b"]`},
		{`.body("$", hasItems("a"))`, `/body contains "a"`, `"a" in r.json()`},
		{`.body("name", equalTo("x"))`, `/body/name equal "x"`, `r.json()["name"] == "x"`},
		{`.time(lessThan(3000L))`, "not understood", ""},
		{`.body("a.findAll { it.b > 1 }.c", hasItems("x"))`, "not understood", ""},
		{`.body("a", everyItem(is("x")))`, "not understood", ""},
		{`.body("'a'", matchesPattern("[a-z]+"))`, "not understood", `__import__("re").fullmatch(r"[a-z]+", r.json()["a"])`},
	}
	for _, tt := range tests {
		for _, kotlin := range []bool{false, true} {
			link := tt.link
			if kotlin {
				link = strings.NewReplacer("is(true)", "`is`(true)", "new Big", "Big", `"$"`, `"\$"`).Replace(link)
			}
			test := jvmRead(t, kotlin, "given().get(baseUrlOfSut)\n.then()\n.assertThat()\n"+link+"\n"+map[bool]string{false: ";"}[kotlin])
			if len(test.Assertions) != 1 {
				t.Fatalf("%s: %d assertions", link, len(test.Assertions))
			}
			a := test.Assertions[0]
			claim, means := "not understood", ""
			if a.Understood() {
				claim = fmt.Sprintf("%s %s %s", a.Place, a.Relation, a.Value)
			}
			if a.Meaning != nil {
				means = strings.ReplaceAll(inPython(a.Meaning), test.Calls[0].Var, "r")
			}
			if claim != tt.claim || means != tt.means {
				t.Errorf("%s:\n%s\n%s\nwant\n%s\n%s", link, claim, means, tt.claim, tt.means)
			}
			if text, _, _ := strings.Cut(link, " //"); a.Text != text {
				t.Errorf("%s: text %q", link, a.Text)
			}
		}
	}
}

// TestJVMWrites writes the shapes that come of what a map has learned, and of what other calls were answered.
func TestJVMWrites(t *testing.T) {
	tests := []struct{ link, says, java, kotlin string }{
		{`.body("'a'", numberMatches(1))`, `isinstance(res_1.json()["a"], int) and 1 <= res_1.json()["a"] <= 9`,
			`.body("'a'", anyOf(instanceOf(Integer.class), instanceOf(Long.class), instanceOf(java.math.BigInteger.class)), "'a'.doubleValue()", allOf(greaterThanOrEqualTo(1.0), lessThanOrEqualTo(9.0)))`,
			`.body("'a'", anyOf(instanceOf<Any>(java.lang.Integer::class.java), instanceOf<Any>(java.lang.Long::class.java), instanceOf<Any>(java.math.BigInteger::class.java)), "'a'.doubleValue()", allOf(greaterThanOrEqualTo(1.0), lessThanOrEqualTo(9.0)))`},
		{`.body("'a'", numberMatches(1))`, `"a" not in res_1.json() or -1.5 <= res_1.json()["a"] <= 2.5`,
			`.body("'a'?.doubleValue()", anyOf(nullValue(), allOf(greaterThanOrEqualTo(-1.5), lessThanOrEqualTo(2.5))))`, ``},
		{`.body("'a'", numberMatches(1))`, `res_1.json()["a"] >= 3`, `.body("'a'.doubleValue()", greaterThanOrEqualTo(3.0))`, ``},
		{`.body("'a'", numberMatches(1))`, `res_1.json()["a"] in (1, 5000000000, 2.5, -3)`, `.body("'a'", anyOf(numberMatches(1), numberMatches(5000000000L), numberMatches(2.5), numberMatches(-3)))`, ``},
		{`.body("'a'", containsString("x"))`, `res_1.json()["a"] in ("x", "$y", None)`, `.body("'a'", anyOf(equalTo("x"), equalTo("$y"), nullValue()))`, `.body("'a'", anyOf(equalTo("x"), equalTo("\$y"), nullValue()))`},
		{`.body("'a'", containsString("x"))`, `res_1.json()["a"] in ("x",)`, `.body("'a'", equalTo("x"))`, ``},
		{`.body("'a'", containsString("x"))`, `res_1.json()["a"] in ("x", 1)`, ``, ``},
		{`.body("'a'", containsString("x"))`, `res_1.json()["a"] is None or __import__("re").fullmatch(r"\d+", res_1.json()["a"])`, `.body("'a'", anyOf(nullValue(), matchesPattern("\\d+")))`, ``},
		{`.body("'a'.size()", equalTo(2))`, `1 <= len(res_1.json()["a"]) <= 3`, `.body("'a'.size()", allOf(greaterThanOrEqualTo(1), lessThanOrEqualTo(3)))`, ``},
		{`.body("[0].'a'.'b'", containsString("x"))`, `"x" in [e["a"]["b"] for e in res_1.json()]`, `.body("'a'.'b'", hasItem("x"))`, ``},
		{`.body("'l'[0].'a'", numberMatches(3))`, `3 in [e["a"] for e in res_1.json()["l"]]`, `.body("'l'.'a'", hasItem(numberMatches(3)))`, ``},
		{`.body("'l'[0]", numberMatches(3))`, `3 in res_1.json()["l"]`, `.body("'l'", hasItem(numberMatches(3)))`, ``},
		{`.body("'l'[0].'a'[1]", numberMatches(3))`, `3 in [e["a"][1] for e in res_1.json()["l"]]`, ``, ``},
		{`.body("'a'", containsString("x"))`, `res_1.json()["a"] == res_0.json()["id"]`, `.body("'a'", equalTo((Object) res_0.extract().path("'id'")))`, `.body("'a'", equalTo<Any?>(res_0.extract().path<Any?>("'id'")))`},
		{`.body("'a'", containsString("x"))`, `res_1.json()["a"] == answer_0.json()["id"]`, ``, ``},
		{`.statusCode(200)`, `100 <= res_1.status_code <= 599`, `.statusCode(allOf(greaterThanOrEqualTo(100), lessThanOrEqualTo(599)))`, ``},
	}
	for _, tt := range tests {
		for _, kotlin := range []bool{false, true} {
			s, err := Read(jvmFile(kotlin), []byte(jvmSuiteOf(kotlin, []string{".statusCode(200)"}, []string{tt.link})))
			if err != nil {
				t.Fatal(err)
			}
			x, err := python.Parse(tt.says)
			if err != nil {
				t.Fatal(err)
			}
			x = expr.Subst(x, expr.Answer{Var: "answer_0", Part: expr.JSON}, expr.Answer{Var: script.CallName(0), Part: expr.JSON})
			test := s.Tests[0]
			got, _ := s.Writer.Assert(s, test, test.Assertions[1], x)
			want := tt.java
			if kotlin && tt.kotlin != "" {
				want = tt.kotlin
			}
			if got != want {
				t.Errorf("%s\ngot  %s\nwant %s", tt.says, got, want)
			}
		}
	}
}

// A file that does not import Hamcrest's matchers has them with their package, one without the generator's compares whole
// numbers alone.
func TestJVMWritesWithoutImports(t *testing.T) {
	text := strings.NewReplacer("import static org.hamcrest.Matchers.*;\n", "", "import static org.evomaster.client.java.controller.contentMatchers.NumberMatcher.*;\n", "").
		Replace(jvmSuiteOf(false, []string{`.body("'a'", org.hamcrest.Matchers.equalTo(1))`}))
	got := jvmPatched(t, false, text, Source{Steps: []exchange.Step{stepOf(1, "/x0", replies(`{"a":null}`, `{"a":1}`, `{"a":true}`))}})
	want := `.body("'a'", org.hamcrest.Matchers.anyOf(org.hamcrest.Matchers.nullValue(), org.hamcrest.Matchers.instanceOf(Boolean.class), ` +
		`org.hamcrest.Matchers.instanceOf(Integer.class), org.hamcrest.Matchers.instanceOf(Long.class), org.hamcrest.Matchers.instanceOf(java.math.BigInteger.class)))`
	if len(got) != 1 || got[0] != want {
		t.Errorf("got %q", got)
	}
}

// inPython shows an expression in Python's notation.
func inPython(x expr.Expr) string {
	text, _ := pysource.Source(x)
	return text
}
