package jvm

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
)

// saidOf are what may come in the place of an assertion about a value.
func saidOf(x, status expr.Expr) []expr.Expr {
	match := expr.Match{X: x, Pattern: `[a-z]+\$?`, Full: true}
	is := func(types ...expr.Type) expr.Expr { return expr.IsType{X: x, Types: types} }
	texts := expr.Set{Elems: []expr.Expr{expr.Str{Value: "a"}, expr.Str{Value: "b"}}}
	ints := expr.Set{Elems: []expr.Expr{expr.Int(1), expr.Int(2)}}
	guard := expr.Cmp(status, expr.Ne, expr.Int(200))
	number := expr.Between{Low: expr.Int(1), X: x, High: expr.Int(9)}
	return []expr.Expr{match, expr.Match{X: x, Pattern: "[a-z]"}, expr.IsDigits{X: x}, expr.HasPrefix{X: x, Prefix: expr.Str{Value: "a"}},
		expr.Cmp(expr.Str{Value: "a"}, expr.In, x), expr.Cmp(x, expr.In, texts), expr.Cmp(x, expr.In, ints), number,
		expr.And{Xs: []expr.Expr{is(expr.TypeInt), expr.Cmp(x, expr.Ge, expr.Int(0))}},
		is(expr.TypeString), is(expr.TypeInt), is(expr.TypeInt, expr.TypeFloat), is(expr.TypeBool), is(expr.TypeArray), is(expr.TypeObject),
		expr.Or{Xs: []expr.Expr{expr.IsNull(x), match}}, expr.Or{Xs: []expr.Expr{guard, match}},
		expr.Or{Xs: []expr.Expr{guard, is(expr.TypeString)}}, expr.Or{Xs: []expr.Expr{guard, number}},
		expr.Cmp(x, expr.Eq, expr.Str{Value: "a"}), expr.Cmp(x, expr.Ne, expr.Null{}), expr.Cmp(x, expr.Eq, expr.Null{}),
		expr.SameItems{X: x, Y: expr.List(texts)}, expr.Cmp(expr.Len{X: x}, expr.Eq, expr.Int(2))}
}

// answersOf are answers with all kinds of values at a place.
func answersOf() (out []*exchange.Response) {
	for _, status := range []string{"200 OK", "404 Not Found"} {
		for _, v := range []string{`"a"`, `"b"`, `"abc$"`, `"A"`, `"12"`, "1", "2", "7", "-3", "1.5", "true", "null", `["a","b"]`, `["b","a"]`, `{}`, `""`} {
			out = append(out, exchange.ParseResponse(exchange.Message{Body: []byte(`{"a": ` + v + `}`),
				Head: []byte("HTTP/1.1 " + status + "\r\nContent-Type: application/json\r\n\r\n")}))
		}
	}
	return out
}

// What flaketap writes, in Java and in Kotlin, is read again in the next round as what it says: it holds of the same
// answers.
func TestWhatIsWrittenIsReadAgain(t *testing.T) {
	imports := map[bool]string{false: "import static io.restassured.RestAssured.*;\nimport static org.assertj.core.api.Assertions.assertThat;\n" +
		"import static org.hamcrest.Matchers.*;\nimport static org.junit.jupiter.api.Assertions.*;\nclass ItTest {\n    @Test\n    void it() {\n        Response r = get(\"/a\");\n",
		true: "import io.kotest.matchers.shouldBe\nimport io.restassured.RestAssured.*\nimport org.assertj.core.api.Assertions.assertThat\n" +
			"import org.hamcrest.Matchers.*\nimport org.junit.jupiter.api.Assertions.*\nclass ItTest {\n    @Test\n    fun it() {\n        val r = get(\"/a\")\n"}
	read := 0
	for _, tt := range []struct {
		kotlin bool
		body   string
	}{
		{false, `assertEquals("x", r.jsonPath().getString("a"));`}, {false, `assertEquals(1, r.jsonPath().getInt("a"));`},
		{false, `assertEquals("x", r.path("a"));`}, {false, `assertThat(r.jsonPath().getString("a")).isEqualTo("x");`},
		{false, `Object a = r.path("a"); assertEquals("x", a);`}, {false, `r.then().body("a", equalTo("x"));`},
		{false, `var tree = mapper.readTree(r.asString()); assertEquals("x", tree.get("a").asText());`},
		{false, `assertEquals("x", new JSONObject(r.asString()).getString("a"));`},
		{true, `assertEquals("x", r.jsonPath().getString("a"))`}, {true, `assertEquals(1, r.jsonPath().getInt("a"))`},
		{true, `assertEquals("x", r.path<String>("a"))`}, {true, `assertThat(r.jsonPath().getString("a")).isEqualTo("x")`},
		{true, `val a: Any? = r.path("a"); assertEquals("x", a)`}, {true, `r.then().body("a", equalTo("x"))`},
		{true, `r.path<String>("a") shouldBe "x"`}, {true, `val tree = mapper.readTree(r.asString()); assertEquals("x", tree["a"].asText())`},
		{true, `assertEquals("x", JSONObject(r.asString()).getString("a"))`},
	} {
		readAs, begin, end := wrote, imports[tt.kotlin], "\n    }\n}\n"
		if tt.kotlin {
			readAs = wroteKotlin
		}
		s := readAs(t, begin+"        "+tt.body+end)
		test := s.Tests[0]
		a := test.Assertions[0]
		for _, x := range saidOf(a.Subject(), expr.Answer{Var: test.Calls[0].Var}) {
			text, ok := s.Writer.Assert(s, test, a, x)
			if !ok {
				continue
			}
			edits := append(s.Writer.Above(s, a.At, []string{s.Comment("x; Unk")}), script.Edit{Start: a.At.Start, End: a.At.End, Text: text})
			again := readAs(t, script.Apply(s.Text, edits))
			if len(again.Tests[0].Assertions) != 1 {
				t.Errorf("%s is %d assertions", text, len(again.Tests[0].Assertions))
				continue
			}
			read++
			b := again.Tests[0].Assertions[0]
			if !b.Understood() || !b.Ours {
				t.Errorf("%s of %s: %s (ours: %t)", text, tt.body, b.Reason, b.Ours)
				continue
			}
			for _, of := range answersOf() {
				scope := expr.Scope{test.Calls[0].Var: expr.NewResponse(of, nil)}
				want, err := scope.Holds(x)
				got, err2 := scope.Holds(b.Meaning)
				loose := strings.Contains(text, "!= null") || strings.Contains(text, "isNotNull") // of a type that only texts have
				if says := got && err2 == nil; says != (want && err == nil) && !(loose && says) {
					body, _ := of.Payload()
					t.Errorf("%s of %s: of %d %s it is %t, %v, and was %t, %v", text, tt.body, of.Status, body, got, err2, want, err)
					break
				}
			}
		}
	}
	if read < 150 {
		t.Errorf("%d statements are read", read)
	}
}
