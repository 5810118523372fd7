package expr

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
)

// Cmp compares two values.
func Cmp(x Expr, op Op, y Expr) Expr { return Compare{x, op, y} }

// Sum puts texts one behind the other; without any it is the empty text.
func Sum(pieces ...Expr) Expr {
	if len(pieces) == 0 {
		return Str{}
	}
	out := pieces[0]
	for _, x := range pieces[1:] {
		out = Arith{X: out, Y: x}
	}
	return out
}

// Same says that x is y: by [Is] where y is null, true or false, as nothing else is equal to these, and by [Eq] where
// not. What is left of an object is compared member by member with one that is written out.
func Same(x, y Expr) Expr {
	of, rest := x.(Without)
	if object, ok := y.(Object); ok && rest {
		return of.same(object)
	}
	switch y.(type) {
	case Null, Bool:
		return Compare{x, Is, y}
	}
	return Compare{x, Eq, y}
}

// IsNull says that x is null.
func IsNull(x Expr) Expr { return Compare{x, Is, Null{}} }

// AnyOf says that one of some conditions holds, each of them once; the conditions of those that are an [Or] are taken
// into one. Of a single condition it is that.
func AnyOf(xs ...Expr) Expr {
	var out []Expr
	for _, x := range xs {
		all := []Expr{x}
		if or, ok := x.(Or); ok {
			all = or.Xs
		}
		for _, x := range all {
			if !slices.ContainsFunc(out, func(y Expr) bool { return Identical(x, y) }) {
				out = append(out, x)
			}
		}
	}
	if len(out) == 1 {
		return out[0]
	}
	return Or{out}
}

// AllOf says that conditions hold, which are at least one. Of a single condition it is that.
func AllOf(xs ...Expr) Expr {
	if len(xs) == 1 {
		return xs[0]
	}
	return And{xs}
}

// Negate says the opposite of a condition, as a comparison where there is one that says it.
func Negate(x Expr) Expr {
	switch x := x.(type) {
	case Compare:
		if op, ok := x.Op.Negated(); ok {
			return Compare{x.X, op, x.Y}
		}
	case Not:
		return x.X
	}
	return Not{x}
}

// Unless says the opposite of a comparison: what is not there is not equal to anything either.
func Unless(x Expr) Expr {
	if c, ok := x.(Compare); ok && (c.Op == Eq || c.Op == Is) {
		if none, ok := Missing(c.X); ok {
			return Or{Xs: []Expr{none, Negate(x)}}
		}
	}
	return Negate(x)
}

// Missing says that there is nothing where x looks: no member of that name, no element at that index. ok is false where
// x is no step into something.
func Missing(x Expr) (missing Expr, ok bool) {
	i, ok := x.(Index)
	if !ok {
		return nil, false
	}
	switch key := i.I.(type) {
	case Str:
		return Compare{key, NotIn, i.X}, true
	case Num:
		return Compare{Length{i.X}, Le, key}, true
	}
	return nil, false
}

// Typed says that a value is of a type that JSON or JavaScript has a name for: string, boolean, number, integer, array,
// dict (an object that is no array), null, object (as typeof says it: an array and null too), undefined (nothing is
// there). ok is false for any other name.
func Typed(x Expr, name string) (typed Expr, ok bool) {
	number := func(types ...Type) Expr { return And{[]Expr{IsType{x, types}, Not{IsType{x, []Type{TypeBool}}}}} }
	switch name {
	case "string":
		return IsType{x, []Type{TypeString}}, true
	case "boolean":
		return IsType{x, []Type{TypeBool}}, true
	case "number":
		return number(TypeFloat, TypeInt), true
	case "integer":
		return number(TypeInt), true
	case "array":
		return IsType{x, []Type{TypeArray}}, true
	case "dict":
		return IsType{x, []Type{TypeObject}}, true
	case "null":
		return IsNull(x), true
	case "object":
		return Or{[]Expr{IsNull(x), IsType{x, []Type{TypeObject, TypeArray}}}}, true
	case "undefined":
		return Missing(x)
	}
	return nil, false
}

// Falsy are the scalars that JavaScript takes for false.
func Falsy() Set { return Set{[]Expr{Null{}, Bool{}, Num{"0"}, Str{}}} }

// Int is a whole number, which may be below zero.
func Int(n int) Expr { return Numeral(strconv.Itoa(n)) }

// Numeral is a number in the notation of JSON, its sign included.
func Numeral(text string) Expr {
	if digits, ok := strings.CutPrefix(text, "-"); ok {
		return Neg{Num{digits}}
	}
	return Num{text}
}

// Literal returns an expression for a value; ok is false for an array, an object, and a number that is not finite.
func Literal(v any) (x Expr, ok bool) {
	switch v := v.(type) {
	case nil:
		return Null{}, true
	case bool:
		return Bool{v}, true
	case string:
		return Str{v}, true
	case Items, map[string]any:
		return nil, false
	}
	text := Show(v)
	return Numeral(text), strings.Trim(text, "-+.0123456789e") == "" && text[0] != '+'
}

// Token returns a literal as a JSON token; ok is false for any other expression. What is [Undefined] stays as it is
// written.
func Token(x Expr) (token string, ok bool) {
	switch x := x.(type) {
	case Str:
		return literal.JSON(x.Value), true
	case Num:
		return x.Text, true
	case Neg:
		t, ok := Token(x.X)
		_, isText := x.X.(Str)
		return "-" + t, ok && !isText
	case Bool:
		return strconv.FormatBool(x.Value), true
	case Null:
		return "null", true
	case Undefined:
		return x.ID, true
	}
	return "", false
}

// JSONText returns a literal as JSON as [Token] does, arrays and objects too.
func JSONText(x Expr) (text string, ok bool) {
	var elems, parts []string
	values := []Expr(nil)
	open, closing := "[", "]"
	switch x := x.(type) {
	case List:
		values = x.Elems
	case Set:
		values = x.Elems
	case Object:
		values, open, closing = x.Values, "{", "}"
		for _, k := range x.Keys {
			elems = append(elems, literal.JSON(k)+":")
		}
	default:
		return Token(x)
	}
	for i, v := range values {
		t, ok := JSONText(v)
		if !ok {
			return "", false
		}
		if len(elems) > 0 {
			t = elems[i] + t
		}
		parts = append(parts, t)
	}
	return open + strings.Join(parts, ",") + closing, true
}

// FromAnswer reports whether a value is taken from an answer, and nothing in it is unknown.
func FromAnswer(x Expr) bool { return Mentions[Answer](x) && !Mentions[Unknown](x) }

// Mentions reports whether an expression of some kind is part of another, or is it.
func Mentions[Kind Expr](x Expr) bool {
	found := false
	Walk(x, func(y Expr) {
		_, ok := y.(Kind)
		found = found || ok
	})
	return found
}

// About reports whether an expression looks at a subject.
func About(x, subject Expr) bool {
	found := false
	Walk(x, func(y Expr) { found = found || Identical(y, subject) })
	return found
}

// IsLiteral reports whether an expression is a value that is written out.
func IsLiteral(x Expr) bool {
	switch x := x.(type) {
	case Str, Num, List, Set, Object, Bool, Null:
		return true
	case Neg:
		return IsLiteral(x.X)
	case Not:
		return IsLiteral(x.X)
	}
	return false
}

// IsComposite reports whether an expression is an array or object that is written out.
func IsComposite(x Expr) bool {
	switch x.(type) {
	case List, Set, Object, Each:
		return true
	}
	return false
}

// IsScalars reports whether an expression is an array that is written out, of texts alone or of numbers alone.
func IsScalars(x Expr) bool {
	list, ok := x.(List)
	texts, numbers := 0, 0
	for _, e := range list.Elems {
		switch bare(e).(type) {
		case Str:
			texts++
		case Num:
			numbers++
		}
	}
	return ok && (texts == len(list.Elems) || numbers == len(list.Elems))
}

// bare is a number without its sign; any other expression is itself.
func bare(x Expr) Expr {
	if below, ok := x.(Neg); ok {
		return below.X
	}
	return x
}

// IsCondition reports whether an expression is true or false, whatever it is asked of.
func IsCondition(x Expr) bool {
	switch x.(type) {
	case Compare, Between, And, Or, Not, Any, All, IsType, Match, HasPrefix, HasSuffix, IsURI, IsEmpty, SameItems, InOrder:
		return true
	}
	return false
}

// HeaderOf returns the header that an expression reads, and the variable of the answer; ok is false for any other.
func HeaderOf(x Expr) (name, answer string, ok bool) {
	i, _ := x.(Index)
	of, isAnswer := i.X.(Answer)
	key, isText := i.I.(Str)
	return key.Value, of.Var, isAnswer && of.Part == Headers && isText
}

// IsText reports whether an expression is the body of an answer as text.
func IsText(x Expr) bool {
	a, ok := x.(Answer)
	return ok && a.Part == Text
}

// IsTextual reports whether an expression is a header, or the text of an answer: where it is there at all, it is a
// text.
func IsTextual(x Expr) bool {
	_, _, isHeader := HeaderOf(x)
	return isHeader || IsText(x)
}

// Header reads a header of an answer.
func Header(answer, name string) Index { return Index{Answer{answer, Headers}, Str{name}} }

// BodyOf returns the variable of the answer through whose JSON an expression leads, by members and elements; ok is
// false for any other.
func BodyOf(x Expr) (answer string, ok bool) {
	for {
		i, isIndex := x.(Index)
		if !isIndex {
			break
		}
		switch i.I.(type) {
		case Num, Str:
		default:
			return "", false
		}
		x = i.X
	}
	a, ok := x.(Answer)
	return a.Var, ok && a.Part == JSON
}

// Steps takes a path apart into what it begins with and its steps, from the first on.
func Steps(x Expr) (root Expr, steps []Index) {
	for {
		i, ok := x.(Index)
		if !ok {
			break
		}
		steps = append(steps, i)
		x = i.X
	}
	for i, j := 0, len(steps)-1; i < j; i, j = i+1, j-1 {
		steps[i], steps[j] = steps[j], steps[i]
	}
	return x, steps
}

// Last returns the last of several conditions, and of that, and so on: all of them are about one thing, or what has to
// be there before it first.
func Last(x Expr) Expr {
	for {
		switch several := x.(type) {
		case And:
			x = several.Xs[len(several.Xs)-1]
		case Or:
			x = several.Xs[len(several.Xs)-1]
		default:
			return x
		}
	}
}

// Counted returns what an expression counts the elements or characters of; nil where it counts nothing.
func Counted(x Expr) Expr {
	switch x := x.(type) {
	case Len:
		if of, ok := x.X.(Bytes); ok {
			return of.X
		}
		return x.X
	case Length:
		return x.X
	}
	return nil
}

// Identical reports whether two expressions are the same tree.
func Identical(a, b Expr) bool { return reflect.DeepEqual(a, b) }

// Negated returns the operator that says the opposite; ok is false where only [Not] says it, as there are values that
// have no order.
func (o Op) Negated() (op Op, ok bool) {
	switch o {
	case Eq:
		return Ne, true
	case Ne:
		return Eq, true
	case In:
		return NotIn, true
	case NotIn:
		return In, true
	case Is:
		return IsNot, true
	case IsNot:
		return Is, true
	}
	return o, false
}

// Turned returns the operator that says the same of the operands the other way round; that of an equality is itself.
func (o Op) Turned() Op {
	switch o {
	case Lt:
		return Gt
	case Le:
		return Ge
	case Gt:
		return Lt
	case Ge:
		return Le
	}
	return o
}
