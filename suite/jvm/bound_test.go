package jvm

import (
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
)

// holds reports whether an assertion holds on an answer to the one request of its test.
func holds(t *testing.T, s *script.Script, body string) bool {
	t.Helper()
	a := s.Tests[0].Assertions[len(s.Tests[0].Assertions)-1]
	if a.Reason != "" {
		t.Fatalf("%s: %s", a.Text, a.Reason)
	}
	answer := exchange.ParseResponse(exchange.Message{Body: []byte(body),
		Head: []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")})
	scope := expr.Scope{s.Tests[0].Calls[0].Var: expr.NewResponse(answer, nil)}
	ok, err := scope.Holds(a.Meaning)
	return ok && err == nil
}

// What Jackson has put nothing into is zero, false or null. What leads there is there all the same, and numbers that it
// made texts of are compared as these.
func TestBoundMeanings(t *testing.T) {
	const zero = `{"all": [{"gone": false, "n": 0, "note": null, "name": 7}]}`
	for assert, want := range map[string]map[string]bool{
		`assertFalse(o.all[0].gone)`: {zero: true, `{"all": [{}]}`: true, `{"all": [{"gone": null}]}`: true, `{"all": []}`: false,
			`{}`: false, `[]`: false, `{"all": [{"gone": true}]}`: false},
		`assertEquals(0, o.all[0].n)`:                      {zero: true, `{"all": [{}]}`: true, `{"all": [{"n": 1}]}`: false, `{"all": []}`: false},
		`assertNull(o.all[0].note)`:                        {zero: true, `{"all": [{}]}`: true, `{"all": []}`: false, `{"all": [{"note": "x"}]}`: false},
		`assertEquals(listOf("7"), o.all.map { it.name })`: {zero: true, `{"all": [{"name": "7"}]}`: true, `{"all": [{"name": "8"}]}`: false},
		`assertEquals(listOf("x"), o.all.map { it.name })`: {zero: false, `{"all": [{"name": "x"}]}`: true},
	} {
		s := wroteKotlin(t, kotlinHead+"val o: P = m.readValue(get(\"/a\").asString()); "+assert+"\n    }\n}\n")
		for body, holding := range want {
			if holds(t, s, body) != holding {
				t.Errorf("%s of %s: %t", assert, body, !holding)
			}
		}
	}
}

// A list of texts that Jackson made has a text that it made of a number elsewhere.
func TestExtractedTextsAreCompared(t *testing.T) {
	s := wrote(t, head+"Part o = mapper.readValue(get(\"/a\").asString(), Part.class);\n"+
		"assertThat(o.all()).extracting(Part::id).contains(o.id());\n    }\n    record Part(String id, List<Part> all) {}\n}\n")
	for body, holding := range map[string]bool{`{"id": 7, "all": [{"id": "7"}]}`: true, `{"id": "7", "all": [{"id": 7}]}`: true,
		`{"id": "a", "all": [{"id": "a"}]}`: true, `{"id": "a", "all": [{"id": 7}]}`: false} {
		if holds(t, s, body) != holding {
			t.Errorf("%s: %t", body, !holding)
		}
	}
}

// What a method of the suite has Jackson make by a class that it is given is an object of that.
func TestClassesAreHandedOn(t *testing.T) {
	s := wrote(t, head+"Part o = read(\"/a\", Part.class);\nassertEquals(\"x\", o.id());\n    }\n    record Part(String id) {}\n"+
		"    <T> T read(String path, Class<T> type) throws Exception { return mapper.readValue(get(path).asString(), type); }\n}\n")
	for body, holding := range map[string]bool{`{"id": "x"}`: true, `{"id": "y"}`: false} {
		if holds(t, s, body) != holding {
			t.Errorf("%s: %t", body, !holding)
		}
	}
}

// What is true of each value that there can be is not said, in either language; null of JSON is none of Kotlin's.
func TestNothingIsSaidOfNull(t *testing.T) {
	text := func(x expr.Expr) expr.Expr { return expr.IsType{X: x, Types: []expr.Type{expr.TypeString}} }
	textOrNull := func(x expr.Expr) expr.Expr { return expr.AnyOf(expr.IsNull(x), text(x)) }
	any := func(x expr.Expr) expr.Expr { return expr.AnyOf(expr.IsNull(x), expr.Cmp(x, expr.IsNot, expr.Null{})) }
	there := func(x expr.Expr) expr.Expr { return expr.Cmp(x, expr.IsNot, expr.Null{}) }
	pattern := func(x expr.Expr) expr.Expr { return expr.Match{X: x, Pattern: "[a-z]+", Full: true} }
	for _, tt := range []struct {
		value, of string
		said      func(x expr.Expr) expr.Expr
		want      string
	}{
		{`val a: String? = r.path("a")`, "a", text, "assertTrue(a != null)"},
		{`val a: String? = r.path("a")`, "a", textOrNull, ""},
		{`val a: String? = r.path("a")`, "a", any, ""},
		{`val a: String = r.path("a")`, "a", text, ""},
		{`val a: String = r.path("a")`, "a", there, ""},
		{`val a = r.path<String>("a")`, "a", text, "assertTrue(a != null)"},
		{`val a = r.header("A")`, "a", textOrNull, ""},
		{`val a = r.jsonPath()`, `a.getString("a")`, textOrNull,
			`assertTrue((a.get<Any?>("a") == null || a.get<Any?>("a") is String))`},
		{`val a = m.readTree(r.asString())`, `a["b"].asText()`, there, `assertTrue(!a["b"].isNull())`},
		{`val a: P = m.readValue(r.asString())`, "a.name", text, ""},
		{`val a: P = m.readValue(r.asString())`, "a.name", pattern, `assertTrue(a.name.matches(Regex("[a-z]+")))`},
		{`val a: P = m.readValue(r.asString())`, "a.note", textOrNull, ""},
		{`val a: P = m.readValue(r.asString())`, "a.note", pattern, `assertTrue(a.note!!.matches(Regex("[a-z]+")))`},
	} {
		s := wroteKotlin(t, kotlinHead+"val r = get(\"/a\"); "+tt.value+"; assertEquals(\"x\", "+tt.of+")\n    }\n}\n")
		test := s.Tests[0]
		got, ok := s.Writer.Assert(s, test, test.Assertions[0], tt.said(test.Assertions[0].Subject()))
		if ok != (tt.want != "") || ok && got != tt.want {
			t.Errorf("%s; %s becomes %s, %t, want %s", tt.value, tt.of, got, ok, tt.want)
		}
	}
	s := wrote(t, head+"Response r = get(\"/a\"); String a = r.path(\"a\"); assertEquals(\"x\", a);\n    }\n}\n")
	test := s.Tests[0]
	if got, ok := s.Writer.Assert(s, test, test.Assertions[0], textOrNull(test.Assertions[0].Subject())); ok {
		t.Error(got)
	}
}
