// How values relate to others of the same answer.

package apitest

import (
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// related asserts that the value at a place follows from those at others: "sum", "/body/total", "/body/a", "/body/b".
// What begins with = is no place, but a value: "=17". Within an array this is checked for each element. If a value is missing or null, nothing is asserted.
func (a *answer) related(kind, place string, of ...string) {
	a.t.Helper()
	if strings.HasPrefix(place, "/header/") {
		if own := a.values(place); len(own) > 0 && !follows(kind, own[0], a.first(of)) {
			a.t.Errorf("%s %s is not the %s of %q", place, show(own[0]), kind, of)
		}
		return
	}
	around := elementsOf(place)
	for _, value := range a.values(orBody(around)) {
		own, ok := one(value, strings.TrimPrefix(strings.TrimPrefix(place, around), "/body"))
		if !ok || own == nil {
			continue
		}
		var others []func() []any
		for _, p := range of {
			others = append(others, func() []any {
				if known, ok := strings.CutPrefix(p, "="); ok {
					return []any{known}
				}
				if strings.HasPrefix(p, "/header/") {
					return a.values(p)
				}
				return each(value, split(strings.TrimPrefix(strings.TrimPrefix(p, around), "/body")))
			})
		}
		if !relates(kind, own, value, others, of, around) {
			a.t.Errorf("%s %s is not the %s of %q", place, show(own), kind, of)
		}
	}
}

func orBody(around string) string {
	if around == "" {
		return "/body"
	}
	return around
}

// first returns the first value of each place; fewer where one has none.
func (a *answer) first(places []string) []any {
	var out []any
	for _, p := range places {
		if known, ok := strings.CutPrefix(p, "="); ok {
			out = append(out, known)
		} else if values := a.values(p); len(values) > 0 {
			out = append(out, values[0])
		}
	}
	return out
}

// relates is related within one value.
func relates(kind string, own, value any, others []func() []any, of []string, around string) bool {
	switch kind {
	case "count":
		values := others[0]()
		if len(values) == 0 {
			return true
		}
		array, ok := values[0].([]any)
		n := exact(own)
		return !ok || n != nil && n.Cmp(big.NewRat(int64(len(array)), 1)) == 0
	case "total":
		return totals(own, value, of, around)
	case "ascending", "descending", "unique":
		inner := elementsOf(of[0])
		array, _ := own.([]any)
		var values []any
		for _, row := range array {
			v, _ := one(row, strings.TrimPrefix(of[0], inner))
			values = append(values, v)
		}
		switch kind {
		case "descending":
			slices.Reverse(values)
		case "unique":
			told := map[string]bool{}
			for _, v := range values {
				told[canonical(v)] = true
			}
			return len(told) == len(values)
		}
		return slices.IsSortedFunc(values, compare)
	}
	var values []any
	for _, other := range others {
		found := other()
		if len(found) == 0 || found[0] == nil {
			return true
		}
		values = append(values, found[0])
	}
	return follows(kind, own, values)
}

// totals reports whether a value is the sum over an array of one member of its elements, or of the products of two.
func totals(own, value any, of []string, around string) bool {
	inner := elementsOf(of[0])
	array, _ := one(value, strings.TrimPrefix(strings.TrimPrefix(strings.TrimSuffix(inner, "/*"), around), "/body"))
	rows, ok := array.([]any)
	if !ok {
		return true
	}
	sum := new(big.Rat)
	for _, row := range rows {
		product := big.NewRat(1, 1)
		for _, p := range of {
			v, _ := one(row, strings.TrimPrefix(p, inner))
			n := exact(v)
			if n == nil {
				return false
			}
			product.Mul(product, n)
		}
		sum.Add(sum, product)
	}
	n := exact(own)
	return n != nil && n.Cmp(sum) == 0
}

// follows reports whether a value is what a relation makes of others; where there are fewer than it takes, nothing is said.
func follows(kind string, own any, of []any) bool {
	if len(of) == 0 {
		return true
	}
	n, x := exact(own), exact(of[0])
	switch kind {
	case "other":
		return textOf(own) != textOf(of[0])
	case "contains":
		return strings.Contains(textOf(own), textOf(of[0]))
	case "above":
		return n != nil && x != nil && n.Cmp(x) > 0
	case "at-least":
		return compare(own, of[0]) >= 0
	}
	if kind == "equal" {
		_, ownText := own.(string)
		_, otherText := of[0].(string)
		return ownText == otherText && textOf(own) == textOf(of[0]) || n != nil && x != nil && !(ownText && otherText) && n.Cmp(x) == 0
	}
	if len(of) < 2 {
		return true
	}
	y := exact(of[1])
	if n == nil || x == nil || y == nil {
		return false
	}
	want := new(big.Rat)
	switch kind {
	case "sum":
		want.Add(x, y)
	case "difference":
		want.Sub(x, y)
	case "product": // money is rounded
		_, fraction, _ := strings.Cut(textOf(own), ".")
		half := new(big.Rat).SetFrac(big.NewInt(5), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(2, len(fraction))+1)), nil))
		gap := want.Sub(n, want.Mul(x, y))
		return gap.Abs(gap).Cmp(half) <= 0
	}
	return n.Cmp(want) == 0
}

// compare orders numbers, times, and texts by their bytes.
func compare(a, b any) int {
	if x, y := exact(a), exact(b); x != nil && y != nil {
		return x.Cmp(y)
	}
	x, _, first := moment(textOf(a))
	y, _, second := moment(textOf(b))
	if first && second {
		return x.Compare(y)
	}
	return strings.Compare(textOf(a), textOf(b))
}

// one is what a pointer names.
func one(value any, pointer string) (any, bool) {
	if found := each(value, split(pointer)); len(found) > 0 {
		return found[0], true
	}
	return nil, false
}

// exact is a number, without the rounding error of a service that computes in doubles.
func exact(v any) *big.Rat {
	text := textOf(v)
	digits := strings.Trim(strings.NewReplacer(".", "", "-", "").Replace(text), "0")
	if f, err := strconv.ParseFloat(text, 64); err == nil && len(digits) > 15 && strings.Contains(text, ".") {
		text = strconv.FormatFloat(f, 'g', 15, 64)
	}
	return number(text)
}

var elements = regexp.MustCompile(`^.*/\*(?:/|$)`)

// elementsOf is the innermost array elements that a place is in, or nothing.
func elementsOf(place string) string { return strings.TrimSuffix(elements.FindString(place), "/") }
