package jvm

import (
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/jvm/meaning"
	"github.com/flaketap/flaketap/suite/script"
)

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

// tokenLink gives the meaning of a matcher over what a token holds, or over nothing where there may be no token.
func (r *reader) tokenLink(p meaning.Path, m java.Node) expr.Expr {
	x := r.matcher(p.X, m)
	if x == nil || !p.Safe || !r.takesNull(m) {
		return x
	}
	return meaning.Tolerant(p.Token, expr.Or{Xs: []expr.Expr{expr.IsNull(p.Token), x}})
}
