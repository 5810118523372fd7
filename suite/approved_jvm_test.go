package suite

import (
	"cmp"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// What ApprovalTests compares in Java and Kotlin is scrubbed of what moves, as Python's are.
func TestApprovedTextsJVM(t *testing.T) {
	const printed = "{\n  \"id\": 7,\n  \"name\": \"Ada\",\n  \"at\": \"2026-01-01T00:00:00Z\"\n}\n"
	moving := []string{`{"id":7,"name":"Ada","at":"2026-01-01T00:00:00Z","gone":null}`,
		`{"id":8,"name":"Ada","at":"2026-01-02T03:04:05Z","gone":null}`}
	still := []string{moving[0], moving[0]}
	scrubbed := strings.NewReplacer(`"2026-01-01T00:00:00Z"`, `"<at>"`, "7", `"<id>"`).Replace(printed)
	const at = `RegExScrubber("\"at\": \"[^\"\\\\]*(?:\\\\.[^\"\\\\]*)*\"", "\"at\": \"<at>\"")`
	const id = `RegExScrubber("\"id\": -?[0-9]+", "\"id\": \"<id>\"")`
	const both = "new Options(Scrubbers.scrubAll(new " + at + ", new " + id + "))"
	const text, json = "ShopTest.order.approved.txt", "ShopTest.order.approved.json"
	// what is said without the texts is another in Kotlin
	inKotlin := map[string]string{
		"a name that others have": `org.junit.jupiter.api.Assertions.assertTrue((r.path<Any?>("'a'.'id'") is Int || ` +
			`r.path<Any?>("'a'.'id'") is Long || r.path<Any?>("'a'.'id'") is java.math.BigInteger) && ` +
			`r.path<Any?>("'a'.size()") == 1 && r.path<Any?>("'id'") == 3 && r.path<Any?>("size()") == 2);`,
		"a list that has an element in all answers": `org.junit.jupiter.api.Assertions.assertTrue((r.path<Any?>("'tags'") as List<*>).contains("b") && ` +
			`r.path<Any?>("'n'") == 1);`,
		"a list in any order": `org.junit.jupiter.api.Assertions.assertTrue((r.path<Any?>("'tags'") as List<*>).size == 2 && ` +
			`(r.path<Any?>("'tags'") as List<*>).containsAll(listOf("a", "b")) && ` +
			`r.path<Any?>("'hits'.size()") == 1 && r.path<Any?>("'hits'[0].'a'") == 1);`,
	}
	for _, c := range []struct {
		name, says, path, stored string
		answers                  []string
		want, mended, reason     string
	}{
		{"what holds stays", "JsonApprovals.verifyJson(r.asString());", json, printed, still, "", "", ""},
		{"printed JSON, which lacks what is null", "JsonApprovals.verifyJson(r.asString());", json, printed, moving,
			"JsonApprovals.verifyJson(r.asString(), " + both + ");", scrubbed, ""},
		{"a value", "JsonApprovals.verifyAsJson(r.as(Map.class));", json, printed, moving,
			"JsonApprovals.verifyAsJson(r.as(Map.class), " + both + ");", scrubbed, ""},
		{"a text", "Approvals.verify(r.asString());", text, `{"id":7}`, []string{`{"id":7}`, `{"id":8}`},
			`Approvals.verify(r.asString(), new Options(new RegExScrubber("\"id\":-?[0-9]+", "\"id\":\"<id>\"")));`, `{"id":"<id>"}`, ""},
		{"a printed text, by a variable", "String all = r.asPrettyString(); Approvals.verify(all);", text, printed,
			[]string{strings.Replace(moving[0], `,"gone":null`, "", 1), strings.Replace(moving[1], `,"gone":null`, "", 1)},
			"String all = r.asPrettyString(); Approvals.verify(all, " + both + ");", scrubbed, ""},
		{"what sends the request itself", `JsonApprovals.verifyJson(get("/order").asString());`, json, printed, moving,
			`JsonApprovals.verifyJson(get("/order").asString(), ` + both + ");", scrubbed, ""},
		{"a name that others have", "Approvals.verify(r.asString());", text, `{"a":{"id":7},"id":3}`,
			[]string{`{"a":{"id":7},"id":3}`, `{"a":{"id":8},"id":3}`},
			`org.junit.jupiter.api.Assertions.assertTrue((r.path("'a'.'id'") instanceof Integer || ` +
				`r.path("'a'.'id'") instanceof Long || r.path("'a'.'id'") instanceof java.math.BigInteger) && ` +
				`java.util.Objects.equals(r.path("'a'.size()"), 1) && java.util.Objects.equals(r.path("'id'"), 3) && ` +
				`java.util.Objects.equals(r.path("size()"), 2));`, "", ""},
		{"a list in any order", "JsonApprovals.verifyJson(r.asString());", json, `{"tags":["a","b"],"hits":[{"a":1}]}`,
			[]string{`{"tags":["a","b"],"hits":[{"a":1}]}`, `{"tags":["b","a"],"hits":[{"a":1}]}`},
			`org.junit.jupiter.api.Assertions.assertTrue(((java.util.List<?>) r.path("'tags'")).size() == 2 && ` +
				`((java.util.List<?>) r.path("'tags'")).containsAll(java.util.Arrays.asList("a", "b")) && ` +
				`java.util.Objects.equals(r.path("'hits'.size()"), 1) && java.util.Objects.equals(r.path("'hits'[0].'a'"), 1));`, "", ""},
		{"a list that has an element in all answers", "JsonApprovals.verifyJson(r.asString());", json, `{"tags":["a","b"],"n":1}`,
			[]string{`{"tags":["a","b"],"n":1}`, `{"tags":["b","c"],"n":1}`, `{"tags":["b"],"n":1}`, `{"tags":["b","c","d"],"n":1}`, `{"tags":["a","b","d"],"n":1}`},
			`org.junit.jupiter.api.Assertions.assertTrue(((java.util.List<?>) r.path("'tags'")).contains("b") && ` +
				`java.util.Objects.equals(r.path("'n'"), 1));`, "", ""},
		{"escapes, as Gson has them", "JsonApprovals.verifyJson(r.asString());", json, `{"a": "x\u003d11"}`,
			[]string{`{"a":"x=11"}`, `{"a":"x=12"}`, `{"a":"x=13"}`, `{"a":"x=24"}`},
			`JsonApprovals.verifyJson(r.asString(), new Options(new RegExScrubber("\"a\": \"[^\"\\\\]*(?:\\\\.[^\"\\\\]*)*\"", "\"a\": \"<a>\"")));`, `{"a": "<a>"}`, ""},
		{"other options", "Approvals.verify(r.asString(), new Options(new GuidScrubber()));", text, printed, moving, "", "",
			"its options are not known: what is read is new Options(new RegExScrubber(pattern, text))"},
		{"no file", "Approvals.verify(r.asString());", "other", "{}", moving, "", "", "there is no approved text in shop/" + text},
		{"another's method", "verify(r.asString());", text, printed, moving, "", "", ""},
	} {
		for _, lang := range []string{"Java", "Kotlin"} {
			t.Run(c.name+" in "+lang, func(t *testing.T) {
				name, source := approvedIn(lang, c.says)
				if lang == "Kotlin" {
					c.want = cmp.Or(inKotlin[c.name], c.want)
				}
				_, want := approvedIn(lang, c.want)
				files := map[string]string{"shop/" + c.path: c.stored}
				p := patchedAmong(t, name, source, files, c.answers...)
				reason := ""
				for _, a := range p.Unknown {
					reason = a.Reason
				}
				if reason != c.reason {
					t.Errorf("it is not understood: %q", reason)
				}
				got := withoutBreaks(uncommented(string(p.Data), "// "))
				body := withoutBreaks(want[strings.Index(want, "get(\"/order\")"):])
				body = body[:strings.LastIndex(body, "}")]
				if c.mended == "" { // what is said without the text goes on
					body = strings.TrimRight(strings.TrimSuffix(strings.TrimSpace(body), "}"), " ")
				}
				if c.want == "" && string(p.Data) != source || !strings.Contains(got, strings.TrimSuffix(body, ";")) && c.want != "" {
					t.Errorf("got\n%s\nwant\n%s", p.Data, body)
				}
				imports := strings.Contains(string(p.Data), "import org.approvaltests.core.Options")
				if imports != strings.Contains(c.want, "Options(") {
					t.Errorf("its imports are others:\n%s", p.Data)
				}
				for _, b := range p.Beside {
					files[b.Path] = b.Text
				}
				if c.mended == "" {
					c.mended = c.stored
				}
				if diff := gocmp.Diff(c.mended, files["shop/"+c.path]); diff != "" {
					t.Error(diff)
				}
				again := patchedAmong(t, name, string(p.Data), files, c.answers...)
				if string(again.Data) != string(p.Data) || len(again.Beside) > 0 {
					t.Errorf("patched again it is\n%s", again.Data)
				}
			})
		}
	}
}

// What is said in the place of an approved text is weakened again where later answers break a part of it: that part, and
// no other.
func TestApprovedTextsAreWidenedJVM(t *testing.T) {
	const stored = `{"query":"notes","tags":["x","y"],"hints":["a","b"],"took":5}`
	first := []string{`{"query":"notes","tags":["y","x"],"hints":["c","b"],"took":7}`, `{"query":"notes","tags":["x","y"],"hints":["b","d"],"took":9}`,
		`{"query":"notes","tags":["y","x"],"hints":["c","d"],"took":1}`}
	then := []string{`{"query":"notes","tags":["y","x"],"hints":["c"],"took":7}`, `{"query":"notes","tags":["x","y"],"hints":["b","d","e"],"took":9}`}
	for lang, want := range map[string][2]string{
		"Java": {`((java.util.List<?>) r.path("'tags'")).size() == 2 && ((java.util.List<?>) r.path("'tags'")).containsAll(` +
			`java.util.Arrays.asList("x", "y")) && java.util.Objects.equals(r.path("'hints'.size()"), 2) && (r.path("'took'") instanceof `,
			`((java.util.List<?>) r.path("'tags'")).size() == 2 && ((java.util.List<?>) r.path("'tags'")).contains("x") && ` +
				`((java.util.List<?>) r.path("'tags'")).contains("y") && r.path("'hints'") instanceof java.util.List && ` +
				`(r.path("'took'") instanceof `},
		"Kotlin": {`(r.path<Any?>("'tags'") as List<*>).size == 2 && (r.path<Any?>("'tags'") as List<*>).containsAll(listOf("x", "y")) && ` +
			`r.path<Any?>("'hints'.size()") == 2 && (r.path<Any?>("'took'") is Int || `,
			`(r.path<Any?>("'tags'") as List<*>).size == 2 && ((r.path<Any?>("'tags'") as List<*>) as List<*>).contains("x") && ` +
				`((r.path<Any?>("'tags'") as List<*>) as List<*>).contains("y") && r.path<Any?>("'hints'") is List<*> && ` +
				`(r.path<Any?>("'took'") is Int || `},
	} {
		name, source := approvedIn(lang, "JsonApprovals.verifyJson(r.asString());")
		for i, answers := range [][]string{first, then} {
			p := patchedAmong(t, name, source, map[string]string{"shop/ShopTest.order.approved.json": stored}, answers...)
			source = string(p.Data)
			got := withoutBreaks(uncommented(source, "// "))
			if !strings.Contains(got, want[i]) || !strings.Contains(got, `"notes"`) || len(p.Unknown) > 0 {
				t.Errorf("patched for the answers %d, it is\n%s\nwant\n%s", i, got, want[i])
			}
		}
	}
}

// approvedIn is a class with one test that says something of an answer.
func approvedIn(lang, says string) (name, source string) {
	const head = "package shop;\n\nimport static io.restassured.RestAssured.get;\n\nimport org.approvaltests.Approvals;\n" +
		"import org.approvaltests.JsonApprovals;\nimport org.junit.jupiter.api.Test;\n\nclass ShopTest {\n  @Test\n  void order() {\n" +
		"    Response r = get(\"/order\");\n    SAYS\n  }\n}\n"
	source = strings.Replace(head, "SAYS", says, 1)
	if strings.Contains(says, "get(\"/order\")") {
		source = strings.Replace(source, "    Response r = get(\"/order\");\n", "", 1)
	}
	if lang == "Java" {
		return "shop/ShopTest.java", source
	}
	return "shop/ShopTest.kt", strings.NewReplacer(
		";\n", "\n", "; ", "\n    ", "import static", "import", "void order()", "fun order()",
		"Response r", "val r", "String all", "val all", "new ", "", "Map.class", "Map::class.java").Replace(source)
}
