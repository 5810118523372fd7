package meaning

import (
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/python/source"
	"github.com/flaketap/flaketap/suite/python/syntax"
)

// nearAs reads what says that a number is near one that is written out: x == pytest.approx(n), abs(x - n) < d.
func nearAs(x syntax.Compare) (expr.Expr, bool) {
	if len(x.Ops) != 1 {
		return nil, false
	}
	left, right := x.X, x.Ys[0]
	if x.Ops[0] == "==" {
		if _, turned := calledAs(left, "pytest", "approx"); turned {
			left, right = right, left
		}
		call, ok := calledAs(right, "pytest", "approx")
		if !ok || len(call.Args) != 1 {
			return nil, false
		}
		middle := Of(call.Args[0])
		delta, ok := source.Tolerance(middle, byName(call.Kw))
		if !ok {
			return nil, false
		}
		return expr.Near(Of(left), middle, delta)
	}
	call, ok := left.(syntax.Call)
	if !ok || !syntax.IsName(call.Fn, "abs") || len(call.Args) != 1 || len(call.Kw) > 0 || x.Ops[0] != "<" && x.Ops[0] != "<=" {
		return nil, false
	}
	difference, ok := call.Args[0].(syntax.Binary)
	if !ok || difference.Op != "-" {
		return nil, false
	}
	subject, middle := Of(difference.X), Of(difference.Y)
	if expr.IsLiteral(subject) {
		subject, middle = middle, subject
	}
	near, ok := expr.Near(subject, middle, Of(right))
	between, _ := near.(expr.Between)
	if !ok || x.Ops[0] == "<=" {
		return near, ok
	}
	return expr.AllOf(expr.Cmp(between.Low, expr.Lt, subject), expr.Cmp(subject, expr.Lt, between.High)), true
}

// calledAs is a call of a function of a module, which may be imported by its own name.
func calledAs(x syntax.Node, module, name string) (syntax.Call, bool) {
	call, ok := x.(syntax.Call)
	fn, ofModule := call.Fn.(syntax.Attr)
	return call, ok && (syntax.IsName(call.Fn, name) || ofModule && fn.Name == name && syntax.IsName(fn.X, module))
}

// Almost reads assertAlmostEqual(x, n, places=7), or with delta, as x == pytest.approx(n, abs=delta): the difference is
// zero when it is rounded to so many places.
func Almost(x syntax.Call) (syntax.Call, bool) {
	delta := syntax.Node(syntax.NumLit{Text: "0.00000005"})
	if len(x.Args) != 2 {
		return x, false
	}
	for _, k := range x.Kw {
		places, _ := k.X.(syntax.NumLit)
		n, err := strconv.Atoi(places.Text)
		switch {
		case k.Name == "delta":
			delta = k.X
		case k.Name == "places" && err == nil && n >= 0 && n < source.MaxDigits-3:
			delta = syntax.NumLit{Text: "0." + strings.Repeat("0", n) + "5"}
		default:
			return x, false
		}
	}
	x.Args = []syntax.Node{x.Args[0], syntax.Call{Fn: syntax.Name{Id: "approx"}, Args: x.Args[1:], Kw: []syntax.Keyword{{Name: "abs", X: delta}}}}
	if IsLiteral(x.Args[0]) {
		return x, false
	}
	return x, true
}

// byName are arguments that are given by name.
func byName(kw []syntax.Keyword) map[string]expr.Expr {
	out := map[string]expr.Expr{}
	for _, k := range kw {
		out[k.Name] = Of(k.X)
	}
	return out
}
