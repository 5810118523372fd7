package expr_test

import (
	"testing"

	"github.com/flaketap/flaketap/suite/expr"
)

// Pieces and sums of lists are those of Python and JavaScript; what a lenient condition raises is false.
func TestLists(t *testing.T) {
	int3 := expr.List{Elems: []expr.Expr{expr.Int(1), expr.Int(2), expr.Int(3)}}
	below := func(n int) expr.Expr { return expr.Neg{X: expr.Int(n)} }
	mixed := expr.List{Elems: []expr.Expr{expr.Int(1), expr.Num{Text: "0.5"}}}
	objects := expr.List{Elems: []expr.Expr{expr.Object{}, expr.Object{Keys: []string{"a"}, Values: []expr.Expr{expr.Int(1)}}}}
	a := expr.Index{X: expr.Name{ID: "e"}, I: expr.Str{Value: "a"}}
	having := func(lenient bool) expr.Expr {
		return expr.Len{X: expr.Each{Elem: expr.Name{ID: "e"}, Var: "e", List: objects,
			Cond: expr.Cmp(a, expr.Eq, expr.Int(1)), Lenient: lenient}}
	}
	for _, tt := range []struct {
		x    expr.Expr
		want string
	}{
		{expr.Slice{X: int3, From: expr.Int(1)}, "[2,3]"},
		{expr.Slice{X: int3, To: expr.Int(9)}, "[1,2,3]"},
		{expr.Slice{X: int3, From: below(2)}, "[2,3]"},
		{expr.Slice{X: int3, From: expr.Int(2), To: expr.Int(1)}, "[]"},
		{expr.Slice{X: expr.Str{Value: "kärnten"}, To: below(5)}, `"kä"`},
		{expr.Total{X: int3}, "6"},
		{expr.Total{X: mixed}, "1.5"},
		{expr.Total{X: objects}, "unknown"},
		{having(true), "1"},
		{having(false), "unknown"},
	} {
		got := "unknown"
		if v, err := (expr.Scope{}).Eval(tt.x); err == nil {
			got = expr.Show(v)
		}
		if got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.x, got, tt.want)
		}
	}
}

// What is equal by its key stays in the order that it had, whichever end of it comes first.
func TestOrdered(t *testing.T) {
	objects, lacking := expr.List{}, expr.List{Elems: []expr.Expr{expr.Object{}}}
	for i, n := range []int{2, 1, 2} {
		objects.Elems = append(objects.Elems, expr.Object{Keys: []string{"n", "at"}, Values: []expr.Expr{expr.Int(n), expr.Int(i)}})
	}
	numbers := expr.List{Elems: []expr.Expr{expr.Int(3), expr.Int(1), expr.Int(2)}}
	mixed := expr.List{Elems: []expr.Expr{expr.Int(1), expr.Str{Value: "a"}}}
	member := func(name string) expr.Expr { return expr.Index{X: expr.Name{ID: "e"}, I: expr.Str{Value: name}} }
	by := func(list expr.Expr, falling bool) expr.Expr {
		return expr.Each{Elem: member("at"), Var: "e",
			List: expr.Ordered{List: list, Var: "e", Key: member("n"), Falling: falling}}
	}
	for _, tt := range []struct {
		x    expr.Expr
		want string
	}{
		{by(objects, false), "[1,0,2]"},
		{by(objects, true), "[0,2,1]"},
		{by(lacking, false), "raised"},
		{expr.Ordered{List: numbers}, "[1,2,3]"},
		{expr.Ordered{List: numbers, Falling: true}, "[3,2,1]"},
		{expr.Ordered{List: mixed}, "raised"},
		{expr.Ordered{List: expr.Object{}}, "unknown"},
	} {
		got := "unknown"
		switch v, err := (expr.Scope{}).Eval(tt.x); {
		case expr.IsRaised(err):
			got = "raised"
		case err == nil:
			got = expr.Show(v)
		}
		if got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.x, got, tt.want)
		}
	}
}
