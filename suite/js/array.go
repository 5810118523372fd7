package js

import (
	"math/big"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/flaketap/flaketap/suite/expr"
)

// Order is how an array was sorted before it was compared.
type Order int

// The orders: as sort() has it, of the texts of the elements; and as sort((a, b) => a - b) has it, of numbers.
const (
	ByText Order = iota
	ByNumber
)

// Sorted reads an array that is sorted before it is compared: [...x].sort(), x.slice().sort(), x.toSorted(),
// Array.from(x).sort((a, b) => a - b), x.sort(). It returns the array as it was.
func (r *Reading) Sorted(n *Node) (array expr.Expr, by Order, ok bool) {
	object, name, args := n.Method()
	if object == nil || name != "sort" && name != "toSorted" || len(args) > 1 {
		return nil, ByText, false
	}
	if len(args) == 1 {
		if by = ByNumber; !isDifference(args[0]) {
			return nil, by, false
		}
	}
	if copied := copyOf(object); copied != nil {
		array, ok = r.Meaning(copied)
		return array, by, ok
	}
	array, ok = r.unchecked(object)
	return array, by, ok && !r.isChanged(array, func(c change) bool { return c.elements })
}

// copyOf returns what an expression copies the elements of, by [...x], x.slice(), Array.from(x) or x.map(…); nil where
// it makes no new array.
func copyOf(n *Node) *Node {
	if n.Form == NodeArray {
		if len(n.Args) == 1 && n.Args[0].Form == NodeUnary && n.Args[0].Text == "..." {
			return n.Args[0].Args[0]
		}
		return n
	}
	object, name, args := n.Method()
	switch {
	case object == nil:
	case name == "slice" && len(args) == 0:
		return object
	case object.Is("Array") && name == "from" && len(args) == 1:
		return args[0]
	case name == "map":
		return n
	}
	return nil
}

// isDifference reports whether a function is (a, b) => a - b.
func isDifference(n *Node) bool {
	if n.Form != NodeFunction || len(n.Keys) != 2 || len(n.Args) != 1 {
		return false
	}
	x := n.Args[0]
	return x.Form == NodeBinary && x.Text == "-" && x.Args[0].Is(n.Keys[0]) && x.Args[1].Is(n.Keys[1])
}

// SortedAs says that an array, once sorted, is a list that is written out: it has the same elements in any order. ok is
// false where the list is not in that order, so that nothing would be equal to it, or where the order is not clear.
func SortedAs(array expr.Expr, by Order, list expr.Expr) (same expr.Expr, ok bool) {
	want, ok := list.(expr.List)
	if !ok {
		return nil, false
	}
	sorted, ok := sortedList(want.Elems, by)
	return expr.SameItems{X: array, Y: want}, ok && slices.EqualFunc(sorted, want.Elems, expr.Identical)
}

// sortedList sorts scalars as JavaScript does; ok is false where there is another element, or where two that are not
// the same have one text.
func sortedList(elems []expr.Expr, by Order) (sorted []expr.Expr, ok bool) {
	if by == ByNumber {
		return numbersInOrder(elems)
	}
	texts := map[string]expr.Expr{}
	keys := make([]string, len(elems))
	for i, e := range elems {
		key, isScalar := textInOrder(e)
		if other, seen := texts[key]; !isScalar || seen && !expr.Identical(other, e) {
			return nil, false
		}
		texts[key], keys[i] = e, key
	}
	slices.SortFunc(keys, func(a, b string) int {
		return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
	})
	for _, key := range keys {
		sorted = append(sorted, texts[key])
	}
	return sorted, true
}

// maxDigits is how many digits a whole number has at most which JavaScript writes as it stands in a suite.
const maxDigits = 15

// textInOrder is the text by which JavaScript sorts a scalar.
func textInOrder(x expr.Expr) (string, bool) {
	switch x := x.(type) {
	case expr.Str:
		return x.Value, true
	case expr.Num:
		plain := x.Text == "0" || strings.Trim(x.Text, "0123456789") == "" && x.Text[0] != '0'
		return x.Text, plain && len(x.Text) <= maxDigits
	case expr.Neg:
		text, ok := textInOrder(x.X)
		_, isNumber := x.X.(expr.Num)
		return "-" + text, ok && isNumber && text != "0"
	case expr.Bool, expr.Null:
		return expr.Token(x)
	}
	return "", false
}

// numbersInOrder sorts numbers by their values.
func numbersInOrder(elems []expr.Expr) (sorted []expr.Expr, ok bool) {
	values := map[string]*big.Float{}
	for _, e := range elems {
		text, isToken := expr.Token(e)
		v, _, err := big.ParseFloat(text, 10, 64, big.ToNearestEven)
		if _, isText := e.(expr.Str); isText || !isToken || err != nil {
			return nil, false
		}
		values[text] = v
	}
	sorted = slices.Clone(elems)
	slices.SortStableFunc(sorted, func(a, b expr.Expr) int {
		x, _ := expr.Token(a)
		y, _ := expr.Token(b)
		return values[x].Cmp(values[y])
	})
	return sorted, true
}

// change is an array that a statement of the test changed in its place: its order, or its elements too.
type change struct {
	array    expr.Expr
	elements bool
}

// After notes what a statement changed that was read: see [Reading.Disturbs].
func (r *Reading) After(st Statement) {
	r.Disturbs(st.X)
	for _, x := range st.Values {
		r.Disturbs(x)
	}
}

// Disturbs notes the arrays that an expression changes in their place, as x.sort() does: nothing is read of them from
// then on, but what their order is no matter of.
func (r *Reading) Disturbs(n *Node) {
	if n == nil {
		return
	}
	for _, e := range n.Args {
		r.Disturbs(e)
	}
	object, name, _ := n.Method()
	switch name {
	case "sort", "reverse", "splice", "push", "pop", "shift", "unshift", "fill", "copyWithin":
		x, ok := r.unchecked(object)
		if _, isPath := x.(expr.Index); ok && isPath && copyOf(object) == nil {
			r.changes = append(r.changes, change{x, name != "sort" && name != "reverse"})
		}
	}
}

// isChanged reports whether an expression looks into an array that was changed in a way which matters.
func (r *Reading) isChanged(x expr.Expr, matters func(change) bool) bool {
	for len(r.changes) > 0 {
		i, isPath := x.(expr.Index)
		if !isPath {
			break
		}
		if slices.ContainsFunc(r.changes, func(c change) bool { return matters(c) && expr.Identical(c.array, x) }) {
			return true
		}
		x = i.X
	}
	return false
}
