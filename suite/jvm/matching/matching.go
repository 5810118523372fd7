// Package matching reads what matchers of Hamcrest's, and of EvoMaster's, say of a value: equalTo(1), hasItem("a"),
// anyOf(…). One that is not known says nothing.
package matching

import (
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/java"
	"github.com/flaketap/flaketap/suite/jvm/link"
	"github.com/flaketap/flaketap/suite/jvm/meaning"
)

// Reader reads matchers.
type Reader struct {
	Text func(x java.Node) string // what a text is; with script.Unknown where it is not known
}

// Matcher gives what a matcher of Hamcrest, or of the generator, says of a subject; nil where it is not known.
func (r Reader) Matcher(subject expr.Expr, m java.Node) expr.Expr {
	if lit := r.literalOf(m); lit != nil {
		return equalTo(subject, lit)
	}
	c, ok := m.(java.Call)
	if !ok {
		return nil
	}
	switch c.Name {
	case "anyOf", "allOf":
		return r.several(subject, c)
	case "hasItems", "hasItem", "contains", "containsInAnyOrder", "arrayContaining", "arrayContainingInAnyOrder":
		return r.Array(subject, c)
	case "nullValue", "notNullValue", "isEmptyOrNullString", "emptyOrNullString", "anything":
		return nullary(c.Name, subject)
	case "empty", "emptyString", "emptyIterable", "isEmptyString", "oneOf", "isOneOf", "in", "isIn", "closeTo":
		return r.people(subject, c)
	}
	if len(c.Args) != 1 {
		return nil
	}
	return r.unaryMatcher(subject, c.Name, c.Args[0].X)
}

// itemOf reads the value that a list is said to have: as it is, or in a matcher that compares with it.
func (r Reader) itemOf(x java.Node) expr.Expr {
	if c, ok := x.(java.Call); ok && len(c.Args) == 1 && (c.Name == "numberMatches" || c.Name == "equalTo") {
		x = c.Args[0].X
	}
	return r.literalOf(x)
}

// equalTo is what Java's equals says: no number is equal to true.
func equalTo(subject, lit expr.Expr) expr.Expr { return expr.Same(subject, lit) }

// nullary gives the meaning of a matcher without arguments.
func nullary(name string, subject expr.Expr) expr.Expr {
	none := expr.Null{}
	switch name {
	case "nullValue":
		return expr.Cmp(subject, expr.Is, none)
	case "notNullValue":
		return expr.Cmp(subject, expr.IsNot, none)
	case "anything":
		return expr.Bool{Value: true}
	}
	return expr.Or{Xs: []expr.Expr{expr.Cmp(subject, expr.Is, none), expr.Cmp(subject, expr.Eq, expr.Str{Value: ""})}}
}

// several reads anyOf and allOf.
func (r Reader) several(subject expr.Expr, c java.Call) expr.Expr {
	var xs []expr.Expr
	for _, a := range c.Args {
		x := r.Matcher(subject, a.X)
		if x == nil {
			return nil
		}
		xs = append(xs, x)
	}
	switch {
	case len(xs) == 0:
		return nil
	case c.Name == "allOf":
		return expr.And{Xs: xs}
	}
	return expr.Or{Xs: xs}
}

// unaryMatcher gives the meaning of a matcher with one argument.
func (r Reader) unaryMatcher(subject expr.Expr, name string, arg java.Node) expr.Expr {
	lit := r.literalOf(arg)
	text, isText := lit.(expr.Str)
	switch name {
	case "equalTo", "is", "numberMatches":
		if _, ok := arg.(java.Call); ok && lit == nil {
			return r.Matcher(subject, arg)
		}
		if lit != nil {
			return equalTo(subject, lit)
		}
	case "not":
		if x := r.Matcher(subject, arg); x != nil {
			return expr.Not{X: x}
		}
	case "containsString":
		if isText {
			return expr.Cmp(text, expr.In, subject)
		}
	case "startsWith":
		if isText {
			return expr.HasPrefix{X: subject, Prefix: text}
		}
	case "endsWith":
		if isText {
			return expr.HasSuffix{X: subject, Suffix: text}
		}
	case "matchesPattern", "matchesRegex":
		if isText {
			return expr.Match{X: subject, Pattern: text.Value, Full: true}
		}
	case "greaterThan", "greaterThanOrEqualTo", "lessThan", "lessThanOrEqualTo":
		op := map[string]expr.Op{"greaterThan": expr.Gt, "greaterThanOrEqualTo": expr.Ge, "lessThan": expr.Lt,
			"lessThanOrEqualTo": expr.Le}[name]
		if n, ok := lit.(expr.Num); ok {
			return expr.Cmp(subject, op, n)
		}
	case "hasSize":
		if n, ok := lit.(expr.Num); ok {
			return expr.Cmp(expr.Len{X: subject}, expr.Eq, n)
		}
	case "hasKey": // of what a token holds, or of nothing
		switch subject.(type) {
		case expr.TokenPart, expr.Null:
			return expr.Cmp(lit, expr.In, subject)
		}
		if isText {
			return expr.And{Xs: []expr.Expr{meaning.IsType(subject, expr.TypeObject), expr.Cmp(lit, expr.In, subject)}}
		}
	case "instanceOf", "isA", "any":
		return meaning.Instance(subject, arg)
	}
	return nil
}

// literalOf reads a value as it is written: a text, a number, true, false, null; nil for anything else.
func (r Reader) literalOf(x java.Node) expr.Expr {
	switch x := x.(type) {
	case java.Text, java.Sum:
		if text := r.Text(x); !strings.Contains(text, "\x00") {
			return expr.Str{Value: text}
		}
		if _, sum := x.(java.Sum); sum {
			return r.sumOf(x)
		}
	case java.Number:
		return meaning.Literal(x.Text)
	case java.Name:
		return meaning.Constant(x.ID)
	case meaning.Value, java.Array, meaning.Map:
		return meaning.Of(x)
	case java.Call:
		qualified := x.X == java.Node(java.Field{X: java.Name{ID: "java"}, Name: "math"}) // a constructor of Kotlin's, which has no new
		if (x.Name == "BigInteger" || x.Name == "BigDecimal") && (x.X == nil || qualified) && len(x.Args) == 1 {
			return meaning.Literal(r.Text(x.Args[0].X))
		}
	}
	return nil
}

// sumOf is a text that is put together of what was taken from answers, too; nil where something in it is not known.
func (r Reader) sumOf(x java.Node) expr.Expr {
	sum := meaning.Of(x)
	if !expr.FromAnswer(sum) {
		return nil
	}
	return sum
}

// people reads matchers that people use, and no generator.
func (r Reader) people(subject expr.Expr, c java.Call) expr.Expr {
	var args []expr.Expr
	for _, a := range c.Args {
		lit := r.literalOf(a.X)
		if lit == nil {
			return nil
		}
		args = append(args, lit)
	}
	switch {
	case len(args) == 0 && strings.HasSuffix(c.Name, "String"):
		return expr.Cmp(subject, expr.Eq, expr.Str{})
	case len(args) == 0 && strings.Contains(strings.ToLower(c.Name), "empty"):
		return meaning.IsEmpty(subject)
	case c.Name == "closeTo" && len(args) == 2:
		return meaning.Near(meaning.Value{X: subject}, c.Args[0].X, c.Args[1].X).Means
	case len(args) == 1:
		if list, ok := args[0].(expr.List); ok {
			return expr.Cmp(subject, expr.In, expr.Set(list))
		}
	}
	if len(args) == 0 || c.Name == "closeTo" {
		return nil
	}
	return expr.Cmp(subject, expr.In, expr.Set{Elems: args})
}

// Is reports whether a function is one of Hamcrest's that are read.
func Is(class, name string) bool {
	if class != "" && !strings.HasSuffix(class, "Matchers") && class != "Is" && class != "IsEqual" {
		return false
	}
	switch name {
	case "equalTo", "is", "not", "containsString", "startsWith", "endsWith", "matchesPattern", "matchesRegex", "greaterThan",
		"greaterThanOrEqualTo", "lessThan", "lessThanOrEqualTo", "hasSize", "hasKey", "instanceOf", "isA", "any", "anyOf", "allOf",
		"nullValue", "notNullValue", "isEmptyOrNullString", "emptyOrNullString", "anything", "empty", "emptyString",
		"emptyIterable", "isEmptyString", "oneOf", "isOneOf", "in", "isIn", "closeTo", "everyItem":
		return true
	}
	return link.IsArrayMatcher(name)
}

// Array gives what such a matcher says of a subject; nil where an element is not written out. REST-assured gives
// a list for an array of JSON, which the matchers of Java's arrays never match.
func (r Reader) Array(subject expr.Expr, c java.Call) expr.Expr {
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
