package syntax

import (
	"testing"
)

// A lambda ends with what it stands in.
func TestLambda(t *testing.T) {
	for text, want := range map[string][2]int{ // tokens of the parameters, and of the body
		`f(lambda: g(1, 2), 3)`:                      {0, 6},
		`f(x, key=lambda a, b=1: a["x"] + b)`:        {5, 6},
		`lambda x: x`:                                {1, 1},
		`f(lambda: [1, {"a": (2, 3)}], lambda y: y)`: {0, 13},
	} {
		st, err := Statements("", text)
		if err != nil {
			t.Fatal(err)
		}
		x, err := ParseExpr(st[0].Tokens)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if call, ok := x.(Call); ok {
			for _, arg := range call.Args {
				if _, ok := arg.(Lambda); ok {
					x = arg
					break
				}
			}
			for _, kw := range call.Kw {
				x = kw.X
			}
		}
		if l, ok := x.(Lambda); !ok || len(l.Params) != want[0] || len(l.Body) != want[1] {
			t.Errorf("%s: %+v", text, x)
		}
	}
	for _, text := range []string{`lambda`, `lambda:`, `f(lambda x)`, `f(lambda:)`} {
		st, err := Statements("", text)
		if err != nil {
			continue
		}
		if x, err := ParseExpr(st[0].Tokens); err == nil {
			t.Errorf("%s is %+v", text, x)
		}
	}
}
