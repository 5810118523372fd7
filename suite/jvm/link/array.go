package link

import (
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/jvm/meaning"
)

// elements writes the elements of a list for a matcher, which takes those of one type: texts, numbers, or true and
// false.
func (w *Writer) elements(xs []expr.Expr) (string, bool) {
	var out []string
	for _, x := range xs {
		item, ok := w.item(x)
		number, isNumber := meaning.Numeral(x)
		_, isBool := x.(expr.Bool)
		_, isText := x.(expr.Str)
		firstNumber, _ := meaning.Numeral(xs[0])
		_, firstBool := xs[0].(expr.Bool)
		_, firstText := xs[0].(expr.Str)
		_, noInt := strconv.ParseInt(number, 10, 32)
		if !ok || isNumber != (firstNumber != "") || isBool != firstBool || isText != firstText ||
			isNumber && noInt != nil && !w.Numbers { // of several classes of Java's
			return "", false
		}
		out = append(out, item)
	}
	return strings.Join(out, ", "), len(out) > 0
}

// array says of an array what a matcher says of its elements.
func (w *Writer) array(array expr.Expr, matcher string, elems []expr.Expr) []atom {
	s, ok := w.subject(array)
	items, written := w.elements(elems)
	if !ok || !written || s.kind != pathSubject {
		return nil
	}
	return []atom{{s, []string{w.Matchers + matcher + "(" + items + ")"}}}
}

// IsArrayMeant reports whether an assertion is about an array as a whole.
func IsArrayMeant(x expr.Expr) bool {
	switch x := expr.Last(x).(type) {
	case expr.SameItems:
		return true
	case expr.Compare:
		_, isList := x.Y.(expr.List)
		return isList && x.Op == expr.Eq
	}
	return false
}

// IsArrayWritten reports whether an assertion writes out an array at a place of what it compares, as one about a whole
// body does for each of its members.
func IsArrayWritten(meaning, place expr.Expr) bool {
	root, steps := expr.Steps(place)
	written := false
	expr.Walk(meaning, func(x expr.Expr) {
		c, _ := x.(expr.Compare)
		of, above := expr.Steps(c.X)
		if c.X == nil || c.Op != expr.Eq || !expr.Identical(of, root) || len(above) > len(steps) {
			return
		}
		for i := range above {
			if !expr.Identical(above[i].I, steps[i].I) {
				return
			}
		}
		_, isList := within(c.Y, steps[len(above):]).(expr.List)
		written = written || isList
	})
	return written
}

// within is what steps lead to in a value that is written out; nil where that has nothing there.
func within(x expr.Expr, steps []expr.Index) expr.Expr {
	for _, step := range steps {
		object, _ := x.(expr.Object)
		key, isKey := step.I.(expr.Str)
		at := slices.Index(object.Keys, key.Value)
		if !isKey || at < 0 {
			return nil
		}
		x = object.Values[at]
	}
	return x
}

// eachSubject finds what is taken from each element of an array: a name behind a list leads to the list of its
// elements' members.
func (w *Writer) eachSubject(x expr.Each) (assertSubject, bool) {
	s, ok := w.subject(x.List)
	elem := expr.Indexed(x.Elem)
	root, steps := expr.Steps(elem)
	if !ok || s.kind != pathSubject || x.Cond != nil || !expr.Identical(root, expr.Name{ID: x.Var}) {
		return assertSubject{}, false
	}
	for _, i := range steps {
		if _, ok := i.I.(expr.Str); !ok {
			return assertSubject{}, false // an index would be taken of the list of members
		}
	}
	rest := meaning.Source(elem)
	if s.path != "" && rest != "" {
		rest = "." + rest
	}
	s.path += rest
	return s, true
}

// IsArrayMatcher reports whether a matcher of Hamcrest's is about the elements of an array.
func IsArrayMatcher(name string) bool {
	switch name {
	case "hasItem", "hasItems", "contains", "containsInAnyOrder", "arrayContaining", "arrayContainingInAnyOrder":
		return true
	}
	return false
}
