package jvm

import (
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/jvm/meaning"
	"github.com/flaketap/flaketap/suite/script"
)

// isArrayMatcher reports whether a matcher of Hamcrest's is about the elements of an array.
func isArrayMatcher(name string) bool {
	switch name {
	case "hasItem", "hasItems", "contains", "containsInAnyOrder", "arrayContaining", "arrayContainingInAnyOrder":
		return true
	}
	return false
}

// arrayMatcher gives what such a matcher says of a subject; nil where an element is not written out. REST-assured gives
// a list for an array of JSON, which the matchers of Java's arrays never match.
func (r *reader) arrayMatcher(subject expr.Expr, c java.Call) expr.Expr {
	var list expr.List
	for _, a := range c.Args {
		lit := r.itemOf(a.X)
		if lit == nil {
			return nil
		}
		list.Elems = append(list.Elems, lit)
	}
	if len(list.Elems) == 0 {
		return nil // which contains() refuses
	}
	noArray := expr.Not{X: meaning.IsType(subject, expr.TypeArray)}
	ordered, unordered := expr.Cmp(subject, expr.Eq, list), expr.SameItems{X: subject, Y: list}
	switch c.Name {
	case "contains":
		return ordered
	case "containsInAnyOrder":
		return unordered
	case "arrayContaining":
		return expr.And{Xs: []expr.Expr{noArray, ordered}}
	case "arrayContainingInAnyOrder":
		return expr.And{Xs: []expr.Expr{noArray, unordered}}
	}
	var all expr.And
	for _, e := range list.Elems {
		all.Xs = append(all.Xs, expr.Cmp(e, expr.In, subject))
	}
	return all
}

// arrayLink reads .body("l", contains(1, 2)). A name behind a list leads to the list of its elements' members: which
// lists there are only the answers tell.
func (r *reader) arrayLink(a *script.Assertion, path expr.Expr, c java.Call) (expr.Expr, bool) {
	x := r.arrayMatcher(path, c)
	if x == nil {
		return nil, false
	}
	ok := r.claims().Any(a, x)
	if !ok {
		a.Relation, a.Place, a.Value = "", "", ""
	}
	return expr.Spread(path, func(array expr.Expr) expr.Expr { return r.arrayMatcher(array, c) }), ok
}

// elements writes the elements of a list for a matcher, which takes those of one type: texts, numbers, or true and
// false.
func (w *assertWriter) elements(xs []expr.Expr) (string, bool) {
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
			isNumber && noInt != nil && !w.style.numbers { // of several classes of Java's
			return "", false
		}
		out = append(out, item)
	}
	return strings.Join(out, ", "), len(out) > 0
}

// array says of an array what a matcher says of its elements.
func (w *assertWriter) array(array expr.Expr, matcher string, elems []expr.Expr) []atom {
	s, ok := w.subject(array)
	items, written := w.elements(elems)
	if !ok || !written || s.kind != pathSubject {
		return nil
	}
	return []atom{{s, []string{w.style.matchers + matcher + "(" + items + ")"}}}
}

// isArrayMeant reports whether an assertion is about an array as a whole.
func isArrayMeant(x expr.Expr) bool {
	switch x := expr.Last(x).(type) {
	case expr.SameItems:
		return true
	case expr.Compare:
		_, isList := x.Y.(expr.List)
		return isList && x.Op == expr.Eq
	}
	return false
}

// eachSubject finds what is taken from each element of an array: a name behind a list leads to the list of its
// elements' members.
func (w *assertWriter) eachSubject(x expr.Each) (assertSubject, bool) {
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
