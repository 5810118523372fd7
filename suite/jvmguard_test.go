package suite

import (
	"strings"
	"testing"
)

// TestJVMReadsItsOwn reads links as flaketap wrote them: what they say is held against the next executions.
func TestJVMReadsItsOwn(t *testing.T) {
	tests := []struct{ java, kotlin, means string }{
		{`.header("content-type", r -> { if (r.statusCode() == 200) r.then().body("'a'", containsString("x")); return anything(); })`,
			`.header("content-type", { r -> if (r.statusCode() == 200) { r.then().body("'a'", containsString("x")) }; anything() })`,
			`r.status_code != 200 or "x" in r.json()["a"]`},
		{`.header("content-type", r -> { if (r.statusCode() == 200 && r.path("'a'") instanceof java.util.Map) r.then().body("'a'.'b'", anyOf(nullValue(), equalTo("x"))); return anything(); })`,
			`.header("content-type", { r -> if (r.statusCode() == 200 && r.path<Any?>("'a'") is Map<*, *>) { r.then().body("'a'.'b'", anyOf(nullValue(), equalTo("x"))) }; anything() })`,
			`r.status_code != 200 or not isinstance(r.json()["a"], dict) or not isinstance(r.json(), dict) or "a" not in r.json() or not isinstance(r.json()["a"], dict) or "b" not in r.json()["a"] or r.json()["a"]["b"] is None or r.json()["a"]["b"] == "x"`},
		{`.body("'l'.'a'", hasItem(numberMatches(3)))`, ``,
			`isinstance(r.json()["l"], list) and 3 in [e.get("a") for e in r.json()["l"]] or isinstance(r.json(), list) and 3 in [e.get("l").get("a") for e in r.json()] or 3 in r.json()["l"]["a"]`},
		{`.body("'l'[0]", hasItem("x"))`, ``, `"x" in r.json()["l"][0]`},
		{`.header("content-type", r -> { if (r.statusCode() > 200) r.then().body("'a'", containsString("x")); return anything(); })`, ``, ``},
	}
	for _, tt := range tests {
		for _, kotlin := range []bool{false, true} {
			link := tt.java
			if kotlin && tt.kotlin != "" {
				link = tt.kotlin
			}
			text := strings.Replace(jvmSuiteOf(kotlin, []string{link}), ".then()\n", ".then()\n                // flaketap: x\n", 1)
			s, err := Read(jvmFile(kotlin), []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			means := ""
			if a := s.Tests[0].Assertions[0]; a.Meaning != nil {
				means = strings.ReplaceAll(inPython(a.Meaning), "res_0", "r")
			}
			if means = strings.NewReplacer("(", "", ")", "").Replace(means); means != strings.NewReplacer("(", "", ")", "").Replace(tt.means) {
				t.Errorf("%s:\n%s\nwant\n%s", link, means, tt.means)
			}
		}
	}
}
