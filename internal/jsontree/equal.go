package jsontree

import (
	"math/big"
	"strconv"
	"strings"
)

// Same reports whether two texts are JSON and say the same, see [Equal].
func Same(a, b string) bool {
	x, err := Parse(a, Bounds{})
	if err != nil {
		return false
	}
	y, err := Parse(b, Bounds{})
	return err == nil && Equal(x, y)
}

// Equal reports whether two values say the same: numbers by value, strings by their text, members in any order and of
// one key the last.
func Equal(a, b *Node) bool {
	if a.Kind != b.Kind {
		return false
	}
	switch a.Kind {
	case Number:
		return SameNumber(a.Raw, b.Raw)
	case String:
		return a.Text() == b.Text()
	case Array:
		if len(a.Children) != len(b.Children) {
			return false
		}
		for i := range a.Children {
			if !Equal(&a.Children[i], &b.Children[i]) {
				return false
			}
		}
	case Object:
		x, y := a.Index(), b.Index()
		if len(x) != len(y) {
			return false
		}
		for key, i := range x {
			if j, ok := y[key]; !ok || !Equal(&a.Children[i], &b.Children[j]) {
				return false
			}
		}
	}
	return true
}

// maxDigits bounds the numbers that are compared by value, in bytes.
const maxDigits = 64

// SameNumber reports whether two texts are JSON numbers of the same value: exactly, but for those with exponents, which
// nobody would write out. Of numbers of 64 bytes and more only the text is compared.
func SameNumber(a, b string) bool {
	if !IsNumber(a) || !IsNumber(b) {
		return false
	}
	if a == b || len(a) >= maxDigits || len(b) >= maxDigits {
		return a == b
	}
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	if errX != nil || errY != nil || x != y {
		return false
	}
	if strings.ContainsAny(a+b, "eE") {
		return true
	}
	p, okP := new(big.Rat).SetString(a)
	q, okQ := new(big.Rat).SetString(b)
	return okP && okQ && p.Cmp(q) == 0
}
