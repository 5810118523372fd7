package expr

import (
	"math/big"
	"strings"
)

// Near says that a number is no further from another than a third says, where these two are written out; false where
// they are not.
func Near(x, middle, delta Expr) (Expr, bool) {
	number := func(y Expr) (*big.Rat, bool) {
		text, ok := Token(y)
		if _, isText := y.(Str); isText || !ok || len(text) > maxNumeral {
			return nil, false
		}
		return new(big.Rat).SetString(text)
	}
	n, okN := number(middle)
	d, okD := number(delta)
	if !okN || !okD || d.Sign() < 0 {
		return nil, false
	}
	bound := func(y *big.Rat) Expr {
		return Numeral(strings.TrimSuffix(strings.TrimRight(y.FloatString(maxNumeral), "0"), "."))
	}
	return Between{Low: bound(new(big.Rat).Sub(n, d)), X: x, High: bound(new(big.Rat).Add(n, d))}, true
}

// maxNumeral is how many characters a number has at most of which another is near, and digits behind the point what it
// is near by.
const maxNumeral = 20

// Equality is the equality with a value that a statement is made of: that a number is another, where it says that it is
// that or near it; that a value is a text, where it says so of what it is as a text. It is nil for any other statement.
func Equality(x Expr) Expr {
	switch x := x.(type) {
	case Or:
		if len(x.Xs) != 2 {
			break
		}
		near, isNear := x.Xs[0].(Between)
		equal, isEqual := x.Xs[1].(Compare)
		if isNear && isEqual && equal.Op == Eq && Identical(near.X, equal.X) {
			return equal
		}
	case Compare:
		if text, ok := x.X.(ToText); ok && x.Op == Eq {
			return Compare{X: text.X, Op: Eq, Y: x.Y}
		}
	}
	return nil
}

// FarFromZero reports whether some whole numbers are all above zero, the least by more than so many times their spread.
func FarFromZero(values []any, times int64) bool {
	low, high, ok := Extent(values)
	if !ok || low.Sign() <= 0 {
		return false
	}
	spread := new(big.Int).Sub(high, low)
	return spread.Mul(spread, big.NewInt(times)).Cmp(low) < 0
}

// Extent is the least and the greatest of some whole numbers; false where one is none.
func Extent(values []any) (low, high *big.Int, ok bool) {
	for _, v := range values {
		n, isWhole := v.(*big.Int)
		if !isWhole {
			return nil, nil, false
		}
		if low == nil || n.Cmp(low) < 0 {
			low = n
		}
		if high == nil || n.Cmp(high) > 0 {
			high = n
		}
	}
	return low, high, low != nil
}
