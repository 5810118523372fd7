package suite

import (
	"strings"
	"testing"
)

const lateJavaHead = `package shop;

import static io.restassured.RestAssured.given;
import static org.hamcrest.Matchers.equalTo;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.restassured.response.ExtractableResponse;
import io.restassured.response.Response;
import io.restassured.response.ResponseBody;
import org.junit.jupiter.api.Test;

class JobTest {
  static final String BASE = "http://a:1";

  Response get(String id) {
    return given().get(BASE + "/jobs/" + id);
  }

  Response checked(String id) {
    return given().get(BASE + "/jobs/" + id).then().statusCode(200).extract().response();
  }

  ExtractableResponse<Response> extracted(String id) {
    return given().get(BASE + "/jobs/" + id).then().statusCode(200).extract();
  }

  ResponseBody<?> bodyOf(String id) {
    return given().get(BASE + "/jobs/" + id).getBody();
  }

  // The shop needs a moment.
  @Test
  void job() throws Exception {
    Response made = given().contentType("application/json").body("{\"of\":\"tea\"}").post(BASE + "/jobs");
`

// A read that came too early is sent again in Java too.
func TestAwaitJava(t *testing.T) {
	comment := strings.Replace(latePoll, "    #", "    //", 1)
	args := func(margin, read string) string {
		m := "\n" + margin
		return "poll(" + m + "() -> " + read + "," + m + "answer -> answer.statusCode() == 200 && \"done\".equals(answer.path(\"state\"))," + m +
			"answer -> \"failed\".equals(answer.path(\"state\"))," + m + "2100," + m + "20)"
	}
	const read, deep = "given().get(BASE + \"/jobs/7\")", "            "
	const chain = "    given()\n        .when()\n        .get(BASE + \"/jobs/7\")\n        .then()\n        .statusCode(200)\n        .body(\"state\", equalTo(\"done\"));\n"
	const behind = "\n        .then()\n        .statusCode(200)\n        .body(\"state\", equalTo(\"done\"));\n"
	const asserts = "    job.then().statusCode(200).body(\"state\", equalTo(\"done\"));\n"
	for _, tt := range []struct{ name, body, want string }{
		{"a chain", chain, comment + "    " + args(deep, "given().when().get(BASE + \"/jobs/7\")") + behind},
		{"behind a sleep", "\n    Thread.sleep(300); // hm\n\n" + chain, "\n" + comment + "    " + args(deep, "given().when().get(BASE + \"/jobs/7\")") + behind},
		{"given a name", "    Response job = " + read + ";\n" + asserts, comment + "    Response job =\n        " + args(deep, read) + ";\n" + asserts},
		{"by a method", "    Response job = get(\"7\");\n" + asserts, comment + "    Response job =\n        " + args(deep, "get(\"7\")") + ";\n" + asserts},
		{"that asserts within", "    Response job = checked(\"7\");\n" + asserts, comment + "    Response job =\n        " + args(deep, "checked(\"7\")") + ";\n" + asserts},
		{"that gives no Response", "    ExtractableResponse<Response> job = extracted(\"7\");\n    assertEquals(\"done\", job.path(\"state\"));\n", ""},
		{"that gives a body", "    ResponseBody<?> job = bodyOf(\"7\");\n    assertEquals(\"done\", job.path(\"state\"));\n", ""},
		{"on one line", "    get(\"7\").then().statusCode(200).body(\"state\", equalTo(\"done\"));\n", comment + "    Response answer2 =\n        " + args(deep, "get(\"7\")") + ";\n" +
			"    answer2.then().statusCode(200).body(\"state\", equalTo(\"done\"));\n"},
		{"of what changes", "    String id = \"5\";\n    id = \"7\";\n    Response job = get(id);\n" + asserts, ""},
		{"under a condition", "    if (made.statusCode() == 202) {\n" + strings.ReplaceAll(chain, "\n    ", "\n      ") + "    }\n", ""},
		{"that expects it to be under way", strings.Replace(chain, "\"done\"", "\"pending\"", 1), ""},
	} {
		t.Run(tt.name, func(t *testing.T) { awaitedJVM(t, lateJavaHead, tt.body, tt.want, "  }\n", "}\n") })
	}
}

// awaitedJVM wants a test to come to wait, once.
func awaitedJVM(t *testing.T, head, body, want, end, last string) {
	t.Helper()
	src := lateSource("/jobs/7", lateMissing, lateDone, latePending)
	trials := []Trial{lateTrial(src, lateMissing, latePending, lateDone), lateTrial(src, lateMissing, lateDone)}
	got := waited(t, head+body+end+last, src, trials...)
	text := string(got.Data)
	if want == "" {
		if strings.Contains(text, "poll(") {
			t.Error(text)
		}
		return
	}
	within, helper, _ := strings.Cut(text, "// flaketap: sends a read again")
	if !strings.HasPrefix(within, head+want+end) || len(got.Changes) != 1 || helper == "" {
		t.Fatalf("changes %+v\n%s\nwant\n%s", got.Changes, text, want)
	}
	patchedTwice(t, got, "/jobs/7")
}

const lateKotlinHead = `package shop

import io.restassured.RestAssured.given
import io.restassured.response.Response
import org.hamcrest.Matchers.equalTo
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test

const val BASE = "http://a:1"

class JobTest {
    fun read(id: String): Response = given().get("$BASE/jobs/$id")

    fun checked(id: String): Response =
        When { get("$BASE/jobs/$id") } Then { statusCode(200) } Extract { response() }

    fun extracted(id: String) = When { get("$BASE/jobs/$id") } Extract { this }

    // The shop needs a moment.
    @Test
    fun job() {
        val made = given().contentType("application/json").body("{\"of\":\"tea\"}").post("$BASE/jobs")
`

// So it is in Kotlin.
func TestAwaitKotlin(t *testing.T) {
	comment := strings.Replace(latePoll, "    #", "        //", 1)
	args := func(read string) string {
		const m = "\n                "
		return "\n            poll(" + m + "{ " + read + " }," + m + "{ it.statusCode() == 200 && it.path<Any?>(\"state\") == \"done\" }," + m +
			"{ it.path<Any?>(\"state\") == \"failed\" }," + m + "2100," + m + "20,\n            )\n"
	}
	const read = "given().get(\"$BASE/jobs/7\")"
	const asserts = "        job.then().statusCode(200).body(\"state\", equalTo(\"done\"))\n"
	const behind = "            .then()\n            .statusCode(200)\n            .body(\"state\", equalTo(\"done\"))\n"
	for _, tt := range []struct{ name, body, want string }{
		{"given a name", "        val job = " + read + "\n" + asserts, comment + "        val job =" + args(read) + asserts},
		{"behind a sleep", "        Thread.sleep(300)\n        val job = read(\"7\")\n" + asserts, comment + "        val job =" + args("read(\"7\")") + asserts},
		{"that asserts within", "        val job = checked(\"7\")\n" + asserts, comment + "        val job =" + args("checked(\"7\")") + asserts},
		{"that gives no Response", "        val job = extracted(\"7\")\n        assertEquals(\"done\", job.path(\"state\"))\n", ""},
		{"a chain", "        given()\n            .`when`()\n            .get(\"$BASE/jobs/7\")\n" + behind,
			comment + "        val answer2 =" + args("given().`when`().get(\"$BASE/jobs/7\")") + "        answer2\n" + behind},
		{"under a condition", "        if (made.statusCode() == 202) {\n            val job = read(\"7\")\n    " + asserts + "        }\n", ""},
		{"that expects it to be under way", "        val job = read(\"7\")\n" + strings.Replace(asserts, "done", "pending", 1), ""},
	} {
		t.Run(tt.name, func(t *testing.T) { awaitedJVM(t, lateKotlinHead, tt.body, tt.want, "    }\n", "}\n") })
	}
}

// A chain of Kotlin's in lines of two blanks, as ktfmt lays them out, stays in its place.
func TestAwaitKotlinChain(t *testing.T) {
	head := strings.ReplaceAll(lateKotlinHead, "    ", "  ")
	const behind = "      .then()\n      .statusCode(200)\n      .body(\"state\", equalTo(\"done\"))\n"
	awaitedJVM(t, head, "    given()\n      .get(\"$BASE/jobs/7\")\n"+behind, strings.Replace(latePoll, "#", "//", 1)+
		"    poll(\n        { given().get(\"$BASE/jobs/7\") },\n        { it.statusCode() == 200 && it.path<Any?>(\"state\") == \"done\" },\n"+
		"        { it.path<Any?>(\"state\") == \"failed\" },\n        2100,\n        20,\n      )\n"+behind, "  }\n", "}\n")
}

// Where a suite has Awaitility, it waits by that, and what was patched so is not patched again.
func TestAwaitByAwaitility(t *testing.T) {
	const asserts = "    job.then().statusCode(200).body(\"state\", equalTo(\"done\"));\n"
	for _, tt := range []struct{ name, imports, kotlinImports, first, firstImport string }{
		{"the class is imported", "import org.awaitility.Awaitility;\n", "import org.awaitility.Awaitility\n", "Awaitility.await()", ""},
		{"the function is", "import static org.awaitility.Awaitility.await;\n", "import org.awaitility.Awaitility.await\n", "await()", ""},
		{"something else is", "import org.awaitility.core.ConditionTimeoutException;\n", "import org.awaitility.kotlin.await\n", "Awaitility.await()", "import org.awaitility.Awaitility"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			head := strings.Replace(lateJavaHead, "import static org.hamcrest", tt.imports+"import static org.hamcrest", 1)
			want := strings.Replace(latePoll, "    #", "    //", 1) + "    Response job =\n        " + tt.first + "\n            .pollInSameThread()\n" +
				"            .atMost(2100, TimeUnit.MILLISECONDS)\n            .pollDelay(0, TimeUnit.MILLISECONDS)\n            .pollInterval(20, TimeUnit.MILLISECONDS)\n" +
				"            .ignoreExceptionsInstanceOf(AssertionError.class)\n            .until(\n                () -> get(\"7\"),\n                ready(\n" +
				"                    answer -> answer.statusCode() == 200 && \"done\".equals(answer.path(\"state\")),\n" +
				"                    answer -> \"failed\".equals(answer.path(\"state\"))));\n" + asserts
			awaitedByAwaitility(t, head+"    Thread.sleep(300);\n    Response job = get(\"7\");\n"+asserts+"  }\n}\n", want, "import java.util.concurrent.TimeUnit;\n", tt.firstImport)
			head = strings.Replace(lateKotlinHead, "import org.hamcrest", tt.kotlinImports+"import org.hamcrest", 1)
			const assertsToo = "        job.then().statusCode(200).body(\"state\", equalTo(\"done\"))\n"
			want = strings.Replace(latePoll, "    #", "        //", 1) + "        val job =\n            " + tt.first + "\n                .pollInSameThread()\n" +
				"                .atMost(2100, TimeUnit.MILLISECONDS)\n                .pollDelay(0, TimeUnit.MILLISECONDS)\n                .pollInterval(20, TimeUnit.MILLISECONDS)\n" +
				"                .ignoreExceptionsInstanceOf(AssertionError::class.java)\n                .until(\n                    { read(\"7\") },\n                    ready(\n" +
				"                        { it.statusCode() == 200 && it.path<Any?>(\"state\") == \"done\" },\n" +
				"                        { it.path<Any?>(\"state\") == \"failed\" },\n                    ),\n                )\n" + assertsToo
			awaitedByAwaitility(t, head+"        val job = read(\"7\")\n"+assertsToo+"    }\n}\n", want, "import java.util.concurrent.TimeUnit\n", tt.firstImport)
		})
	}
}

// What Awaitility's calls are written with is told apart from what the suite calls so.
func TestAwaitilityBesideOwnNames(t *testing.T) {
	const begin, test, read = "import org.junit.", "  @Test\n", "    Job job = job(\"7\");\n    assertEquals(42, job.total);\n  }\n}\n"
	own := func(text, before, what string) string { return strings.Replace(text, before, what+before, 1) }
	rest := own(lateJavaHead, begin, "import static org.awaitility.Awaitility.await;\n") + "    Response job = get(\"7\");\n" +
		"    job.then().statusCode(200).body(\"state\", equalTo(\"done\"));\n  }\n}\n"
	others := own(missingJavaHead, begin, "import org.awaitility.Awaitility;\n")
	const check = "  private interface PollCheck<T> {\n    boolean test(T answer) throws Exception;\n  }\n\n"
	for _, tt := range []struct{ name, text, want string }{
		{"a method called await", own(rest, "  // The shop", "  void await() {}\n\n"), "        Awaitility.await()\n"},
		{"a variable called await", rest[:len(rest)-len("  }\n}\n")] + "    int await = 1;\n  }\n}\n", "        await()\n"},
		{"a class called Awaitility", own(rest, "  // The shop", "  class Awaitility {}\n\n  class TimeUnit {}\n\n"),
			"        await()\n            .pollInSameThread()\n            .atMost(2100, java.util.concurrent.TimeUnit.MILLISECONDS)\n"},
		{"an error", others + read, "                e -> !(e instanceof IOException || e instanceof TerminalFailureException))\n"},
		{"a variable called e", others + "    String e = \"\";\n" + read, "                answer_ ->\n                    !(answer_ instanceof IOException || answer_ instanceof TerminalFailureException))\n"},
		{"conditions of an earlier version", own(others, test, check) + read, check},
	} {
		src := lateSource("/jobs/7", lateMissing, lateDone, latePending)
		got := string(waited(t, tt.text, src, lateTrial(src, lateMissing, latePending, lateDone), lateTrial(src, lateMissing, lateDone)).Data)
		if !strings.Contains(got, tt.want) || strings.Count(got, "interface PollCheck<") > 1 {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}

// awaitedByAwaitility wants a file to have a text, and lines that import something, once it waits; and not to change again.
func awaitedByAwaitility(t *testing.T, file, want string, imports ...string) {
	t.Helper()
	src := lateSource("/jobs/7", lateMissing, lateDone, latePending)
	got := waited(t, file, src, lateTrial(src, lateMissing, latePending, lateDone), lateTrial(src, lateMissing, lateDone))
	text := string(got.Data)
	for _, line := range imports {
		if strings.Count(text, line) != 1 && line != "" {
			t.Errorf("%q is not there once", line)
		}
	}
	if !strings.Contains(text, want) || strings.Contains(text, "Thread.sleep") || !strings.Contains(text, "// flaketap: sends a read again") {
		t.Fatalf("%s\nwant\n%s", text, want)
	}
	patchedTwice(t, got, "/jobs/7")
}

// What waits already, as people write that with Awaitility, stays as it is.
func TestAwaitedByPeople(t *testing.T) {
	const imports = "import static org.awaitility.Awaitility.await;\n"
	head := strings.Replace(lateJavaHead, "import static org.hamcrest", imports+"import static org.hamcrest", 1)
	const asserts = "    job.then().statusCode(200).body(\"state\", equalTo(\"done\"));\n"
	for name, body := range map[string]string{
		"a predicate": "    Response job = await().atMost(5, SECONDS).until(() -> get(\"7\"), r -> \"done\".equals(r.path(\"state\")));\n" + asserts,
		"assertions":  "    await().atMost(5, SECONDS).untilAsserted(() -> get(\"7\").then().statusCode(200).body(\"state\", equalTo(\"done\")));\n",
		"a condition": "    await().atMost(5, SECONDS).until(() -> \"done\".equals(get(\"7\").path(\"state\")));\n",
	} {
		src := lateSource("/jobs/7", lateMissing, lateDone, latePending)
		file := head + body + "  }\n}\n"
		got := waited(t, file, src, lateTrial(src, lateMissing, latePending, lateDone), lateTrial(src, lateMissing, lateDone))
		if text := string(got.Data); text != "" && strings.Contains(text, "ready(") || strings.Contains(string(got.Data), "poll(") {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}
