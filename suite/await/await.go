package await

import (
	"fmt"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/script"
	"github.com/flaketap/flaketap/waits/settle"
)

// maxValues bounds the values of a condition: a person would not ask for more.
const maxValues = 3

// For returns what a test waits for at a call, by what is known of such reads; false where that cannot be said. show
// reports whether a value at a place may stand in a suite.
func For(c *script.Call, o *settle.Oracle, show func(exchange.Place, string) bool) (script.Wait, bool) {
	w := script.Wait{Call: c, Atmost: o.Cap().Round(100 * time.Millisecond), Comment: comment(o.Times)}
	w.Every = max(o.Every().Round(10*time.Millisecond), 10*time.Millisecond)
	needed, ok := saysAll(c, o.Needed, show)
	if !ok {
		return w, false
	}
	w.Ready = expr.AllOf(append([]expr.Expr{status(c, o.Status)}, needed...)...)
	if body, ok := saysAll(c, o.Body, show); ok && len(body) > 0 {
		w.Body = expr.AllOf(body...)
	}
	w.Early = o.Early
	var vain []expr.Expr
	for _, v := range o.InVain {
		if x, ok := says(c, v); ok && show(v.Place, v.JSON) && len(vain) < maxValues {
			vain = append(vain, x)
		}
	}
	if len(vain) > 0 {
		w.Failed = expr.AnyOf(vain...)
	}
	return w, true
}

// saysAll says that an answer has some values, the first of them; false where there are no words for one.
func saysAll(c *script.Call, values []settle.Value, show func(exchange.Place, string) bool) (out []expr.Expr, ok bool) {
	for _, v := range values {
		x, ok := says(c, v)
		if !ok || !show(v.Place, v.JSON) {
			return nil, false
		}
		if len(out) < maxValues {
			out = append(out, x)
		}
	}
	return out, true
}

// comment says how long it took where it was seen.
func comment(t settle.Times) string {
	reads := "reads"
	if t.N == 1 {
		reads = "read"
	}
	shown := func(d time.Duration) string { return d.Round(time.Millisecond).String() }
	return fmt.Sprintf("the API was ready %s after the write, %s at most, in %d %s", shown(t.Median), shown(t.Longest),
		t.N, reads)
}

func status(c *script.Call, code int) expr.Expr {
	return expr.Cmp(expr.Answer{Var: c.Var, Part: expr.Status}, expr.Eq, expr.Int(code))
}

// says says that an answer has a value; false where there are no words for it.
func says(c *script.Call, v settle.Value) (expr.Expr, bool) {
	x, ok := at(c, v.Place)
	if !ok {
		return nil, false
	}
	switch {
	case v.JSON != "":
		token, err := expr.ParseJSON([]byte(v.JSON))
		if err != nil {
			return nil, false
		}
		y, ok := expr.Literal(token)
		return expr.Same(x, y), ok
	case v.Type == settle.Array:
		return expr.Cmp(expr.Len{X: x}, expr.Ge, expr.Int(max(1, v.Least))), true
	case v.Type == settle.Null:
		return expr.IsNull(x), true
	case v.Type == settle.Boolean:
		return expr.Typed(x, "boolean")
	}
	return expr.Cmp(x, expr.IsNot, expr.Null{}), true
}

// at is the value at a place of the body of an answer.
func at(c *script.Call, place exchange.Place) (expr.Expr, bool) {
	if place.Root() != "body" {
		return nil, false
	}
	var x expr.Expr = expr.Answer{Var: c.Var, Part: expr.JSON}
	for _, step := range script.StepsOf(place, func(exchange.Place) byte { return 0 }) {
		x = expr.Index{X: x, I: step}
	}
	return x, true
}
