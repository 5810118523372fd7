package source

import (
	"math/big"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
)

// Tolerance is how far from a number pytest.approx takes another for the same: by the larger of abs and rel of the
// number, and by abs alone where only that is given.
func Tolerance(middle expr.Expr, by map[string]expr.Expr) (expr.Expr, bool) {
	given := map[string]*big.Rat{}
	for name, x := range by {
		n, ok := Rational(x)
		if !ok || name != "abs" && name != "rel" || n.Sign() < 0 {
			return nil, false
		}
		given[name] = n
	}
	n, ok := Rational(middle)
	if !ok {
		return nil, false
	}
	least, rel := given["abs"], given["rel"]
	if least != nil && rel == nil {
		return Number(least), true
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
	return Number(least), true
}

// MaxDigits bounds the numbers that another is near.
const MaxDigits = 20

// Rational is a number that is written out; false for any other, and for one that is too long.
func Rational(x expr.Expr) (*big.Rat, bool) {
	text, ok := expr.Token(x)
	if !ok || len(text) > MaxDigits || strings.ContainsAny(text, `eE"`) {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

// Number is a number as it is written.
func Number(n *big.Rat) expr.Expr {
	text := n.FloatString(MaxDigits)
	return expr.Num{Text: strings.TrimSuffix(strings.TrimRight(text, "0"), ".")}
}
