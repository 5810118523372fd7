package script

import (
	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
)

// Claims reads what assertions of a test mean to the claims that they make about answers.
type Claims struct{ Test *Test }

// Generated reads the assertions that the generators of suites write: a place of an answer is equal to a scalar, has a
// length, holds a text, is a header that is there or not, is a valid URI. It fills the claim in, and reports whether
// the assertion is one of these; where it is not, what it filled in says nothing.
func (c Claims) Generated(a *Assertion, x expr.Expr) bool {
	switch x := x.(type) {
	case expr.IsURI:
		name, _ := x.X.(expr.Name)
		for _, s := range c.Test.Extractions {
			if s.Name == name.ID {
				a.Relation = exchange.URI
				return c.ExtractionPlace(a, s.Value)
			}
		}
	case expr.Compare:
		switch x.Op {
		case expr.Eq, expr.Is:
			return c.equal(a, x.X, x.Y)
		case expr.In, expr.NotIn:
			return c.contained(a, x.Op, x.X, x.Y)
		}
	}
	return false
}

// Any reads what [Claims.Generated] reads, and what people assert besides: members that exist or do not, whole arrays
// and objects, arrays in any order, all of some elements, empty bodies, texts that begin with another. It fills the
// claim in as Generated does.
//
// Whether an assertion holds follows from its tree alone. The claim ties it to one place besides: to what the map and
// the user's rules say of that place, to whether it is secret, to what a set-up must bring about, and to what reports
// and comments show. So a new matcher works as soon as its dialect makes a tree of it, and needs a case here where it
// speaks of one place. Where Any reports false, the caller clears what it filled in.
func (c Claims) Any(a *Assertion, x expr.Expr) bool {
	switch x := x.(type) {
	case expr.IsURI:
		return c.Generated(a, x)
	case expr.IsEmpty:
		a.Relation = exchange.Empty
		return c.Place(a, x.X)
	case expr.SameItems:
		return c.equalToAny(a, x.X, x.Y)
	case expr.HasPrefix:
		text, _ := x.Prefix.(expr.Str)
		a.Relation, a.Value = exchange.Contains, literal.JSON(text.Value)
		return c.Place(a, x.X)
	case expr.Compare:
		switch x.Op {
		case expr.Eq, expr.Is:
			return c.equalToAny(a, x.X, x.Y)
		case expr.In, expr.NotIn:
			return c.member(a, x.Op, x.X, x.Y)
		}
	case expr.And:
		return c.several(a, x.Xs) || c.never(a, x.Xs)
	case expr.Or: // a number that is another, or near it
		equal, ok := expr.Equality(x).(expr.Compare)
		return ok && c.Any(a, equal)
	}
	return false
}

// never reads what is said of an array in words that no array fulfils: it claims what they mean.
func (c Claims) never(a *Assertion, xs []expr.Expr) bool {
	if len(xs) != 2 {
		return false
	}
	not, _ := xs[0].(expr.Not)
	_, noArray := not.X.(expr.IsType)
	_, several := xs[1].(expr.And)
	return noArray && !several && c.Any(a, xs[1])
}

// several reads that one array has all of some elements.
func (c Claims) several(a *Assertion, xs []expr.Expr) bool {
	var array, first expr.Expr
	for _, x := range xs {
		one, _ := x.(expr.Compare)
		if first == nil {
			first = one.X
		}
		if one.Op != expr.In || !expr.IsLiteral(one.X) || array != nil && !expr.Identical(one.Y, array) {
			return false
		}
		array = one.Y
	}
	token, ok := expr.JSONText(first)
	if !ok {
		return false
	}
	a.Relation, a.Value = exchange.Contains, token
	return c.arrayPlace(a, array) && a.Place.Root() == "body"
}

// ExtractionPlace finds the place that a variable was taken from: the last one of its expression.
func (c Claims) ExtractionPlace(a *Assertion, x expr.Expr) bool {
	if c.Place(a, x) {
		return true
	}
	switch x := x.(type) {
	case expr.Arith:
		return c.ExtractionPlace(a, x.Y) || c.ExtractionPlace(a, x.X)
	case expr.Get:
		return c.Place(a, expr.Index{X: x.X, I: x.Key})
	case expr.ToText:
		return c.ExtractionPlace(a, x.X)
	}
	return false
}

func (c Claims) equal(a *Assertion, left, right expr.Expr) bool {
	token, ok := expr.Token(right)
	if !ok {
		return false
	}
	a.Relation, a.Value = exchange.Equal, token
	if counted, ok := left.(expr.Len); ok {
		a.Relation, left = exchange.Length, expr.Counted(counted)
	}
	if text, ok := left.(expr.Answer); ok && text.Part == expr.Text && c.answerOf(a, text) {
		if token == `""` {
			a.Relation, a.Value = exchange.Empty, ""
		}
		a.Place = exchange.PlaceBody
		return true
	}
	return c.Place(a, left)
}

func (c Claims) contained(a *Assertion, op expr.Op, left, right expr.Expr) bool {
	text, ok := left.(expr.Str)
	if !ok {
		return false
	}
	if of, ok := right.(expr.Answer); ok && of.Part != expr.JSON && c.answerOf(a, of) {
		switch {
		case of.Part == expr.Headers:
			a.Place, a.Relation = exchange.HeaderPlace(text.Value), exchange.Present
			if op == expr.NotIn {
				a.Relation = exchange.Absent
			}
			return true
		case of.Part == expr.Text && op == expr.In:
			a.Place, a.Relation, a.Value = exchange.PlaceBody, exchange.Contains, literal.JSON(text.Value)
			return true
		}
		return false
	}
	a.Relation, a.Value = exchange.Contains, literal.JSON(text.Value)
	return op == expr.In && c.Place(a, right)
}

func (c Claims) equalToAny(a *Assertion, left, right expr.Expr) bool {
	token, ok := expr.JSONText(right)
	if !ok {
		return false
	}
	if counted, ok := left.(expr.Length); ok {
		a.Relation, a.Value = exchange.Length, token
		return c.Place(a, counted.X)
	}
	if _, plain := expr.Token(right); plain {
		return c.equal(a, left, right)
	}
	a.Relation, a.Value = exchange.Equal, token
	return c.arrayPlace(a, left)
}

func (c Claims) member(a *Assertion, op expr.Op, left, right expr.Expr) bool {
	key, ok := left.(expr.Str)
	if !ok || a.Relation == exchange.Contains || op == expr.In && a.Relation != exchange.Present {
		return c.contained(a, op, left, right)
	}
	if c.contained(a, op, left, right) && a.Place.Root() == "header" {
		return true
	}
	a.Relation, a.Value = exchange.Present, ""
	if op == expr.NotIn {
		a.Relation = exchange.Absent
	}
	if !c.Place(a, right) || a.Place.Root() != "body" {
		return false
	}
	a.Place = a.Place.Key(key.Value)
	return true
}

// answerOf reports whether an answer is that of a call, and notes which.
func (c Claims) answerOf(a *Assertion, x expr.Answer) bool {
	for i, call := range c.Test.Calls {
		if call.Var == x.Var {
			a.Call = i
			return true
		}
	}
	return false
}

// Place reads the status, the headers, the body of an answer, and what is within them.
func (c Claims) Place(a *Assertion, x expr.Expr) bool {
	switch x := x.(type) {
	case expr.Answer:
		switch x.Part {
		case expr.Status:
			a.Place = exchange.PlaceStatus
			return c.answerOf(a, x)
		case expr.JSON:
			a.Place = exchange.PlaceBody
			return c.answerOf(a, x)
		}
		a.Place = exchange.PlaceStatus
	case expr.Index:
		if of, ok := expr.LinkOf(x); ok {
			a.Place = exchange.HeaderPlace("link")
			return c.answerOf(a, of)
		}
		key, isText := x.I.(expr.Str)
		if of, ok := x.X.(expr.Answer); ok && of.Part == expr.Headers && isText {
			a.Place = exchange.HeaderPlace(key.Value)
			return c.answerOf(a, of)
		}
		if found, ok := foundIn(x); ok {
			ok = c.Place(a, found) && a.Place.Root() == "body"
			a.Place = a.Place.Each()
			return ok
		}
		if !c.Place(a, x.X) || a.Place == exchange.PlaceStatus {
			return false
		}
		switch n := x.I.(type) {
		case expr.Num:
			a.Place += exchange.Place("/" + n.Text)
			return true
		case expr.Neg: // from the end
			a.Place = a.Place.Each()
			return a.Place.Root() == "body"
		}
		a.Place = a.Place.Key(key.Value)
		return isText
	}
	return false
}

// foundIn is the list of which an expression is an element that a condition finds; false where it is none.
func foundIn(x expr.Index) (list expr.Expr, ok bool) {
	_, isNumber := x.I.(expr.Num)
	list = filtered(x.X)
	return list, isNumber && !expr.Identical(list, x.X)
}

// filtered is the list of which another one has those elements of which a condition is true.
func filtered(x expr.Expr) expr.Expr {
	for {
		each, ok := x.(expr.Each)
		if !ok || each.Cond == nil || !expr.Identical(each.Elem, expr.Name{ID: each.Var}) {
			return x
		}
		x = each.List
	}
}

// arrayPlace reads what Place does, and what is taken from each element of an array, whose place has a wildcard.
func (c Claims) arrayPlace(a *Assertion, x expr.Expr) bool {
	each, ok := x.(expr.Each)
	if !ok {
		return c.Place(a, x)
	}
	if !c.Place(a, filtered(each.List)) || a.Place.Root() != "body" {
		return false
	}
	root, steps := expr.Steps(expr.Indexed(each.Elem))
	a.Place += "/*"
	for _, step := range steps {
		switch i := step.I.(type) {
		case expr.Num:
			a.Place += exchange.Place("/" + i.Text)
		case expr.Str:
			a.Place = a.Place.Key(i.Value)
		default:
			return false
		}
	}
	return expr.Identical(root, expr.Name{ID: each.Var})
}

// ExtractedHeader returns the header that an extraction reads; "" where it reads none.
func ExtractedHeader(x expr.Expr) exchange.Place {
	if index, ok := x.(expr.Index); ok {
		of, isAnswer := index.X.(expr.Answer)
		if key, ok := index.I.(expr.Str); ok && isAnswer && of.Part == expr.Headers {
			return exchange.HeaderPlace(key.Value)
		}
	}
	return ""
}
