package golang

import (
	"go/ast"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/golang/lenient"
	"github.com/flaketap/flaketap/suite/golang/wording"
	"github.com/flaketap/flaketap/suite/script"
)

// sending is the argument of an assertion that sends a request itself, as Equal(t, 200, get(t).StatusCode): whatever is
// said in its place sends it too, once.
type sending struct {
	at ast.Expr
	of value
}

// allSent are the values of some arguments, and the one that sends requests; nil where none does. ok is false where
// several do, or one that is no value of an answer.
func (r *follower) allSent(xs []ast.Expr) (values []value, sends *sending, ok bool) {
	if before := len(r.calls); len(xs) == 1 {
		values = r.all(xs)
		return values, nil, len(r.calls) == before
	}
	ok = true
	for _, x := range xs {
		before := len(r.calls)
		v := r.eval(x)
		values = append(values, v)
		if len(r.calls) == before {
			continue
		}
		ok = ok && sends == nil && isOneValue(v)
		sends = &sending{x, v}
	}
	return values, sends, ok
}

// isOneValue reports whether a value is an answer, or one of an answer that a type is known of.
func isOneValue(v value) bool {
	switch v := v.(type) {
	case answer:
		return true
	case plain:
		return v.typ != nil && fromAnswer(v.x) && !expr.IsCondition(v.x)
	}
	return false
}

// named are the names of a place, and what is sent there itself.
func (s *sending) named(text string, names wording.Names) wording.Names {
	switch v := s.of.(type) {
	case answer:
		names.Answers[v.id] = text
	case plain:
		names.Values = append([]wording.Named{{Name: text, X: lenient.Indexed(v.x), Raw: v.x, Type: v.typ}}, names.Values...)
	}
	return names
}

// keeps reports whether what is written for a condition sends what the assertion did, once, whatever is answered.
func (w writer) keeps(x expr.Expr, written string) bool {
	if w.sends == nil {
		return true
	}
	switch x.(type) {
	case expr.And, expr.Or, expr.Not, expr.Any, expr.All:
		return false
	}
	return strings.Count(written, w.Source(w.sends.at)) == 1
}

// stillSends keeps an assertion from being made, and has its request be sent.
func (g *suite) stillSends(a *script.Assertion, of *sending, disabled []script.Edit) []script.Edit {
	text := "_ = " + g.Source(of.at) + "\n" + a.At.Indent
	return append([]script.Edit{{Start: a.At.Start, End: a.At.Start, Text: text}}, disabled...)
}
