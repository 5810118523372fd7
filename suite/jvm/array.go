package jvm

import (
	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/jvm/matching"
	"github.com/flaketap/flaketap/suite/jvm/meaning"
	"github.com/flaketap/flaketap/suite/script"
)

// matchers reads those of the file.
func (r *reader) matchers() matching.Reader { return matching.Reader{Text: meaning.Written} }

// arrayLink reads .body("l", contains(1, 2)). A name behind a list leads to the list of its elements' members: which
// lists there are only the answers tell.
func (r *reader) arrayLink(a *script.Assertion, path expr.Expr, c java.Call) (expr.Expr, bool) {
	x := r.matchers().Array(path, c)
	if x == nil {
		return nil, false
	}
	ok := r.claims().Any(a, x)
	if !ok {
		a.Relation, a.Place, a.Value = "", "", ""
	}
	return expr.Spread(path, func(array expr.Expr) expr.Expr { return r.matchers().Array(array, c) }), ok
}

// tokenLink gives the meaning of a matcher over what a token holds, or over nothing where there may be no token.
func (r *reader) tokenLink(p meaning.Path, m java.Node) expr.Expr {
	x := r.matchers().Matcher(p.X, m)
	if x == nil || !p.Safe || !r.takesNull(m) {
		return x
	}
	return meaning.Tolerant(p.Token, expr.Or{Xs: []expr.Expr{expr.IsNull(p.Token), x}})
}
