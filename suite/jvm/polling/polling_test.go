package polling

import (
	"testing"

	"github.com/flaketap/flaketap/suite/expr"
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
