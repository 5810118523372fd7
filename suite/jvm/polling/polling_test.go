package polling

import (
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/script"
)

// at is a member of the body of an answer.
func at(steps ...expr.Expr) expr.Expr {
	var x expr.Expr = expr.Answer{Var: "a", Part: expr.JSON}
	for _, step := range steps {
		x = expr.Index{X: x, I: step}
	}
	return x
}

// What tests wait for, in both languages.
func TestConditions(t *testing.T) {
	name := expr.Str{Value: "state"}
	boolean, _ := expr.Typed(at(name), "boolean")
	for _, tt := range []struct {
		x            expr.Expr
		java, kotlin string
	}{
		{expr.Cmp(expr.Answer{Var: "a"}, expr.Eq, expr.Int(200)), `answer.statusCode() == 200`, `it.statusCode() == 200`},
		{expr.Same(at(name), expr.Str{Value: `a$b`}), `"a$b".equals(answer.path("state"))`, `it.path<Any?>("state") == "a\$b"`},
		{expr.Same(at(expr.Int(0), name), expr.Int(3)), `Integer.valueOf(3).equals(answer.path("[0].state"))`, `it.path<Any?>("[0].state") == 3`},
		{expr.Same(at(name), expr.Bool{Value: true}), `Boolean.TRUE.equals(answer.path("state"))`, `it.path<Any?>("state") == true`},
		{expr.IsNull(at(name)), `answer.path("state") == null`, `it.path<Any?>("state") == null`},
		{expr.Cmp(at(name), expr.IsNot, expr.Null{}), `answer.path("state") != null`, `it.path<Any?>("state") != null`},
		{expr.Cmp(expr.Len{X: at(name)}, expr.Ge, expr.Int(2)), `answer.path("state[1]") != null`, `it.path<Any?>("state[1]") != null`},
		{boolean, `answer.path("state") instanceof Boolean`, `it.path<Any?>("state") is Boolean`},
		{expr.Same(at(name), expr.Numeral("2.5")), "", ""},
		{expr.Same(at(name), expr.List{}), "", ""},
		{expr.Cmp(at(name), expr.Lt, expr.Int(3)), "", ""},
	} {
		for kotlin, want := range map[bool]string{false: tt.java, true: tt.kotlin} {
			got, ok := Site{Kotlin: kotlin, Free: "answer"}.one(tt.x)
			if ok != (want != "") || ok && got != want {
				t.Errorf("%v: %s, %t, want %s", tt.x, got, ok, want)
			}
		}
	}
}

// What is too long for a line is laid out as google-java-format has it.
func TestLongConditions(t *testing.T) {
	s := Site{Free: "answer", Unit: "  ", Value: &Value{Status: ".statusCode()"}}
	s.Value.Ask(GsonTree[false], "JsonParser.parseString(%s.body())", false)
	ready := expr.AllOf(expr.Cmp(expr.Answer{Var: "a"}, expr.Eq, expr.Int(200)), expr.Same(at(expr.Str{Value: "state"}), expr.Str{Value: "done"}))
	parts, ok := s.condition(ready)
	want := `        answer ->
            answer.statusCode() == 200
                && "done"
                    .equals(
                        JsonParser.parseString(answer.body())
                            .getAsJsonObject()
                            .get("state")
                            .getAsString()),`
	if got := strings.Join(s.lambda("        ", parts, ","), "\n"); !ok || got != want {
		t.Errorf("%t:\n%s\nwant\n%s", ok, got, want)
	}
	read := `client.send(HttpRequest.newBuilder(URI.create(BASE + "/jobs/" + id)).build(), BodyHandlers.ofString())`
	want = `        () ->
            client.send(
                HttpRequest.newBuilder(URI.create(BASE + "/jobs/" + id)).build(),
                BodyHandlers.ofString()),`
	if got := strings.Join(s.reading("        ", read), "\n"); got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
	read = `client.send(requestFor(BASE, "/jobs/" + id, "Accept", "application/json"), HttpResponse.BodyHandlers.ofString())`
	want = `        () ->
            client.send(
                requestFor(BASE, "/jobs/" + id, "Accept", "application/json"),
                HttpResponse.BodyHandlers.ofString()),`
	if got := strings.Join(s.reading("        ", read), "\n"); got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
}

// A call stands on as few lines as google-java-format and ktfmt have it on.
func TestCalls(t *testing.T) {
	for _, tt := range []struct {
		kotlin      bool
		given, read string
		want        string
	}{
		{false, "job =", "checked(id)", "job = poll(() -> checked(id), answer -> answer.statusCode() == 200, answer -> false, 1000, 20)"},
		{false, "Response job =", "checked(id)", "Response job =\n        poll(() -> checked(id), answer -> answer.statusCode() == 200, answer -> false, 1000, 20)"},
		{false, "Response job =", "checkedMoreOfThat(ids)", "Response job =\n        poll(\n            () -> checkedMoreOfThat(ids),\n            answer -> answer.statusCode() == 200,\n" +
			"            answer -> false,\n            1000,\n            20)"},
		{true, "val jobNamedLongerrrrr =", "checkedd(id)", "val jobNamedLongerrrrr = poll({ checkedd(id) }, { it.statusCode() == 200 }, { false }, 1000, 20)"},
		{true, "val jobNamedLongerrrrrrr =", "checkedd(id)", "val jobNamedLongerrrrrrr =\n      poll({ checkedd(id) }, { it.statusCode() == 200 }, { false }, 1000, 20)"},
		{true, "val job =", "given().`when`().get(\"$base/jobs/$id/asd/asda\")", "val job =\n      poll(\n        { given().`when`().get(\"$base/jobs/$id/asd/asda\") },\n" +
			"        { it.statusCode() == 200 },\n        { false },\n        1000,\n        20,\n      )"},
	} {
		c := call{Site: Site{Script: &script.Script{Lines: []string{""}}, Free: "answer", Unit: "  ", Kotlin: tt.kotlin}, read: tt.read,
			failed: []string{"false"}, wait: script.Wait{Atmost: time.Second, Every: 20 * time.Millisecond}}
		c.ready, _ = c.condition(expr.Cmp(expr.Answer{Var: "a"}, expr.Eq, expr.Int(200)))
		if got := c.assigned("    ", tt.given); got != tt.want {
			t.Errorf("%s\nwant\n%s", got, tt.want)
		}
	}
}

// Trees of JSON, and what has no words for a comparison, by library.
func TestConditionsOfTrees(t *testing.T) {
	state, total := at(expr.Str{Value: "state"}), at(expr.Str{Value: "list"}, expr.Int(0))
	for _, tt := range []struct {
		x                     expr.Expr
		gson, kotlin, jackson string
	}{
		{expr.Same(state, expr.Str{Value: "done"}), `"done".equals(x.getAsJsonObject().get("state").getAsString())`, `it.asJsonObject["state"].asString == "done"`,
			`"done".equals(x.get("state").textValue())`},
		{expr.Same(total, expr.Int(3)), `x.getAsJsonObject().get("list").getAsJsonArray().get(0).getAsInt() == 3`,
			`it.asJsonObject["list"].asJsonArray[0].asInt == 3`, `x.get("list").get(0).intValue() == 3`},
		{expr.Same(state, expr.Bool{Value: true}), `Boolean.TRUE.equals(x.getAsJsonObject().get("state").getAsBoolean())`,
			`it.asJsonObject["state"].asBoolean == true`, `Boolean.TRUE.equals(x.get("state").booleanValue())`},
		{expr.IsNull(state), `x.getAsJsonObject().get("state").isJsonNull()`, `it.asJsonObject["state"].isJsonNull`, `x.get("state").isNull()`},
		{expr.Cmp(expr.Len{X: state}, expr.Ge, expr.Int(2)), `!x.getAsJsonObject().get("state").getAsJsonArray().get(1).isJsonNull()`,
			`!it.asJsonObject["state"].asJsonArray[1].isJsonNull`, `!x.get("state").get(1).isNull()`},
		{expr.Same(state, expr.Numeral("2.5")), "", "", ""},
	} {
		for _, by := range []struct {
			tree   Tree
			kotlin bool
			want   string
		}{{GsonTree[false], false, tt.gson}, {GsonTree[true], true, tt.kotlin}, {JacksonTree, false, tt.jackson}} {
			s := Site{Kotlin: by.kotlin, Free: "x", Value: &Value{}}
			s.Value.Ask(by.tree, "%s", by.kotlin)
			if got, ok := s.one(tt.x); ok != (by.want != "") || ok && got != by.want {
				t.Errorf("%v: %s, %t, want %s", tt.x, got, ok, by.want)
			}
		}
	}
}

// Objects of the file's classes, by what their members are and by how the test can come to them.
func TestConditionsOfObjects(t *testing.T) {
	tokens, err := java.LexWritten("ATest.java", `class ATest {
  enum Kind { SMALL }
  static class Job { String state; Kind kind; Integer total; int count; Boolean done; }
  record Made(String state, Job job) {}
}
class Got { private String state; private Boolean done; public String getState() { return state; } public Boolean isDone() { return done; } }
class Shut { private String state; }
`)
	if err != nil {
		t.Fatal(err)
	}
	file := java.Read(tokens)
	text, number, truth := expr.Str{Value: "done"}, expr.Int(3), expr.Bool{Value: true}
	for _, tt := range []struct {
		class, path string
		with        expr.Expr
		want        string
	}{
		{"Job", "state", text, "x.state"},
		{"Job", "kind", text, ""}, // a text is none of an enumeration's
		{"Job", "kind", expr.Null{}, "x.kind"},
		{"Job", "total", number, "x.total"},
		{"Job", "state", number, ""},
		{"Job", "count", expr.Null{}, ""}, // it is never null
		{"Job", "done", truth, "x.done"},
		{"Job", "total", truth, ""},
		{"Job", "other", text, ""},
		{"Made", "state", text, "x.state()"},
		{"Made", "job state", text, "x.job().state"},
		{"Got", "state", text, "x.getState()"},
		{"Got", "done", truth, "x.isDone()"},
		{"Shut", "state", text, ""}, // nothing gives it
	} {
		var path []expr.Expr
		for _, name := range strings.Fields(tt.path) {
			path = append(path, expr.Str{Value: name})
		}
		var v Value
		v.AskObject(file, tt.class, false)
		if got, ok := v.Part("x", path, tt.with); ok != (tt.want != "") || ok && got != tt.want {
			t.Errorf("%s of %s: %s, %t, want %s", tt.path, tt.class, got, ok, tt.want)
		}
	}
}
