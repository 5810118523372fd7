package expect_test

import (
	"testing"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/js"
	"github.com/flaketap/flaketap/suite/js/chai"
	"github.com/flaketap/flaketap/suite/js/expect"
)

// An object is among the elements of an array where one has its members: includes and toContain look for the very same
// object, of which an answer never is one.
func TestObjectsAmongElements(t *testing.T) {
	levels := expr.Name{ID: "levels"}
	level := expr.Object{Keys: []string{"level"}, Values: []expr.Expr{expr.Str{Value: "C"}}}
	byChai := func(v js.Verb, l, r string) string { return chai.Says("expect", v, l, r) }
	for _, c := range []struct {
		say   func(js.Verb, string, string) string
		says  expr.Expr
		wants string
	}{
		{expect.Says, expr.Cmp(level, expr.In, levels), `expect(levels).toContainEqual({"level": "C"});`},
		{expect.Says, expr.Cmp(levels, expr.In, expr.Set{Elems: []expr.Expr{level}}), `expect([{"level": "C"}]).toContainEqual(levels);`},
		{expect.Says, expr.Not{X: expr.Cmp(level, expr.In, levels)}, ""},
		{expect.Says, expr.Or{Xs: []expr.Expr{expr.Cmp(level, expr.In, levels), expr.Bool{}}}, ""},
		{expect.Says, expr.Cmp(expr.Str{Value: "C"}, expr.In, levels), `expect(levels).toContain("C");`},
		{byChai, expr.Cmp(level, expr.In, levels), ""},
	} {
		w := js.NewWriter(js.Words{Say: c.say}, nil)
		if got, ok := w.Line(c.says, false); ok != (c.wants != "") || ok && got != c.wants {
			t.Errorf("%v is written %q, %v", c.says, got, ok)
		}
	}
}
