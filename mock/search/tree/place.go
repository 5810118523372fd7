package tree

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// Name is the last name in a place.
func Name(p exchange.Place) string {
	for _, s := range slices.Backward(p.Segments()) {
		if s != exchange.Wildcard {
			return s
		}
	}
	return ""
}

// Elementless is a place without what says that it is within each element of a list: not all errors tell that.
func Elementless(p exchange.Place) string {
	return strings.ReplaceAll(string(p), "/"+exchange.Wildcard, "")
}

// IsElement reports whether a place is that of the elements of a list.
func IsElement(p exchange.Place) bool { return p == p.Parent().Each() }
