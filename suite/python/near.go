package python

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
)

// nearAs reads what says that a number is near one that is written out: x == pytest.approx(n), abs(x - n) < d.
func nearAs(x pyCompare) (expr.Expr, bool) {
	if len(x.ops) != 1 {
		return nil, false
	}
	left, right := x.x, x.ys[0]
	if x.ops[0] == "==" {
		if _, turned := calledAs(left, "pytest", "approx"); turned {
			left, right = right, left
		}
		call, ok := calledAs(right, "pytest", "approx")
		if !ok || len(call.args) != 1 {
			return nil, false
		}
		middle := meaning(call.args[0])
		delta, ok := tolerance(middle, call.kw)
		if !ok {
			return nil, false
		}
		return expr.Near(meaning(left), middle, delta)
	}
	call, ok := left.(pyCall)
	if !ok || !isPyName(call.fn, "abs") || len(call.args) != 1 || len(call.kw) > 0 || x.ops[0] != "<" && x.ops[0] != "<=" {
		return nil, false
	}
	difference, ok := call.args[0].(pyBinary)
	if !ok || difference.op != "-" {
		return nil, false
	}
	subject, middle := meaning(difference.x), meaning(difference.y)
	if expr.IsLiteral(subject) {
		subject, middle = middle, subject
	}
	near, ok := expr.Near(subject, middle, meaning(right))
	between, _ := near.(expr.Between)
	if !ok || x.ops[0] == "<=" {
		return near, ok
	}
	return expr.AllOf(expr.Cmp(between.Low, expr.Lt, subject), expr.Cmp(subject, expr.Lt, between.High)), true
}

// calledAs is a call of a function of a module, which may be imported by its own name.
func calledAs(x node, module, name string) (pyCall, bool) {
	call, ok := x.(pyCall)
	fn, ofModule := call.fn.(pyAttr)
	return call, ok && (isPyName(call.fn, name) || ofModule && fn.name == name && isPyName(fn.x, module))
}

// tolerance is how far from a number pytest.approx takes another for the same: by the larger of abs and rel of the
// number, and by abs alone where only that is given.
func tolerance(middle expr.Expr, kw []pyKeyword) (expr.Expr, bool) {
	given := map[string]*big.Rat{}
	for _, k := range kw {
		n, ok := rational(meaning(k.x))
		if !ok || k.name != "abs" && k.name != "rel" || n.Sign() < 0 {
			return nil, false
		}
		given[k.name] = n
	}
	n, ok := rational(middle)
	if !ok {
		return nil, false
	}
	least, rel := given["abs"], given["rel"]
	if least != nil && rel == nil {
		return number(least), true
	}
	if least == nil {
		least = big.NewRat(1, 1_000_000_000_000)
	}
	if rel == nil {
		rel = big.NewRat(1, 1_000_000)
	}
	if delta := new(big.Rat).Abs(n.Mul(n, rel)); delta.Cmp(least) > 0 {
		least = delta
	}
	return number(least), true
}

// maxDigits bounds the numbers that another is near.
const maxDigits = 20

func rational(x expr.Expr) (*big.Rat, bool) {
	text, ok := expr.Token(x)
	if !ok || len(text) > maxDigits || strings.ContainsAny(text, `eE"`) {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

func number(n *big.Rat) expr.Expr {
	text := n.FloatString(maxDigits)
	return expr.Num{Text: strings.TrimSuffix(strings.TrimRight(text, "0"), ".")}
}

// almost reads assertAlmostEqual(x, n, places=7), or with delta, as x == pytest.approx(n, abs=delta): the difference is
// zero when it is rounded to so many places.
func almost(x pyCall) (pyCall, bool) {
	delta := node(numLit{"0.00000005"})
	if len(x.args) != 2 {
		return x, false
	}
	for _, k := range x.kw {
		places, _ := k.x.(numLit)
		n, err := strconv.Atoi(places.text)
		switch {
		case k.name == "delta":
			delta = k.x
		case k.name == "places" && err == nil && n >= 0 && n < maxDigits-3:
			delta = numLit{"0." + strings.Repeat("0", n) + "5"}
		default:
			return x, false
		}
	}
	x.args = []node{x.args[0], pyCall{fn: pyName{"approx"}, args: x.args[1:], kw: []pyKeyword{{"abs", delta}}}}
	if isLiteral(x.args[0]) {
		return x, false
	}
	return x, true
}
