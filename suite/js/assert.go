package js

import (
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
)

// Line writes an expression as statements of the assertion library, on one line; inline is that they are the body of a
// function that has no braces yet.
func (w *Writer) Line(x expr.Expr, inline bool) (string, bool) {
	text, one, ok := w.Body(x)
	switch {
	case one && !inline:
		text += ";"
	case !one && inline:
		text = "{ " + text + " }"
	}
	return text, ok
}

// Body writes an expression as the body of a function, on one line: as one expression of the assertion library, or else
// as statements, between which and what stands around them braces are missing. What an "or" says first is the condition
// under which the last is said: the runner then tells what was wanted, and what was there, and not only that something
// is false.
func (w *Writer) Body(x expr.Expr) (text string, one, ok bool) {
	guards, rest := w.guarded(x)
	says := w.says(rest)
	if w.Failed || len(says) == 0 {
		return "", false, false
	}
	text = says[0]
	if one = len(guards) == 0 && len(says) == 1; !one {
		text = strings.Join(says, "; ") + ";"
	}
	if len(guards) > 0 {
		conds := make([]string, len(guards))
		for i, g := range guards {
			c, level := w.opposite(g)
			if level < andLevel && len(guards) > 1 {
				c = "(" + c + ")"
			}
			conds[i] = c
		}
		if len(says) > 1 {
			text = "{ " + text + " }"
		}
		text = "if (" + strings.Join(conds, " && ") + ") " + text
	}
	return text, one, !w.Failed && !strings.ContainsAny(text, "\r\n\x00\u2028\u2029")
}

// guarded takes the conditions off an expression.
func (w *Writer) guarded(x expr.Expr) (guards []expr.Expr, rest expr.Expr) {
	or, ok := x.(expr.Or)
	if !ok {
		return nil, x
	}
	n := len(or.Xs) - 1
	for n > 0 && alternatives(or.Xs[n-1:]) != nil {
		n--
	}
	if n == len(or.Xs)-1 {
		return or.Xs[:n], or.Xs[n]
	}
	return or.Xs[:n], expr.Or{Xs: or.Xs[n:]}
}

// alternatives returns the pieces of which a header must hold one, where expressions ask for nothing else; else nil.
func alternatives(xs []expr.Expr) []string {
	var out []string
	var text expr.Expr
	for _, x := range xs {
		c, ok := x.(expr.Compare)
		if !ok || c.Op != expr.In {
			return nil
		}
		piece, ok := c.X.(expr.Str)
		_, _, isHeader := expr.HeaderOf(c.Y)
		if !ok || !isHeader || text != nil && !expr.Identical(text, c.Y) {
			return nil
		}
		text, out = c.Y, append(out, piece.Value)
	}
	return out
}

// says writes an expression as statements, without semicolons.
func (w *Writer) says(x expr.Expr) []string {
	switch x := x.(type) {
	case expr.And:
		var out []string
		for _, e := range x.Xs {
			out = append(out, w.says(e)...)
		}
		return out
	case expr.Or:
		if pieces := alternatives(x.Xs); pieces != nil {
			for i, p := range pieces {
				pieces[i] = literal.QuoteRegexp(p)
			}
			return []string{w.Say(SaysMatches, w.Value(x.Xs[0].(expr.Compare).Y),
				w.pattern(expr.Match{Pattern: strings.Join(pieces, "|")}))}
		}
	case expr.Compare:
		return []string{w.saysRelation(x.X, x.Op, x.Y)}
	case expr.SameItems:
		return w.saysItems(x)
	case expr.Between:
		return []string{w.saysRelation(x.Low, expr.Le, x.X), w.saysRelation(x.X, expr.Le, x.High)}
	case expr.Not:
		if c, ok := x.X.(expr.Compare); ok && c.Op == expr.In && !expr.IsComposite(c.X) && !expr.IsComposite(c.Y) {
			return []string{w.Say(SaysLacks, w.Value(c.Y), w.Value(c.X))}
		}
	default:
		if text, ok := w.saysTest(x); ok {
			return []string{text}
		}
	}
	return []string{w.Say(saysTrue, w.Cond(x, AnyLevel), "")}
}

func (w *Writer) saysRelation(a expr.Expr, op expr.Op, b expr.Expr) string {
	switch op {
	case expr.Eq, expr.Is, expr.Ne, expr.IsNot:
		return w.saysEquality(a, op, b)
	case expr.In, expr.NotIn:
		return w.saysMembership(a, op, b)
	}
	if _, isNumber := a.(expr.Num); isNumber {
		a, b, op = b, a, op.Turned()
	}
	verb := map[expr.Op]Verb{expr.Lt: SaysLess, expr.Le: SaysAtMost, expr.Gt: SaysGreater, expr.Ge: SaysAtLeast}[op]
	return w.Say(verb, w.Value(a), w.Value(b))
}

// saysEquality writes that two values are equal (expr.Eq, expr.Is), or that they are not (expr.Ne, expr.IsNot).
func (w *Writer) saysEquality(a expr.Expr, op expr.Op, b expr.Expr) string {
	if expr.IsLiteral(a) && !expr.IsLiteral(b) {
		a, b = b, a
	}
	verb := SaysEqual
	if op == expr.Ne || op == expr.IsNot {
		verb = SaysDiffers
		if text, ok := b.(expr.Str); ok && text.Value == "" && expr.IsTextual(a) {
			return w.Say(SaysFilled, w.Value(a), "")
		}
	}
	if expr.IsComposite(b) {
		verb++
	}
	return w.Say(verb, w.Value(a), w.sum(b))
}

// saysMembership writes that something is in something else (expr.In), or is not (expr.NotIn).
func (w *Writer) saysMembership(a expr.Expr, op expr.Op, b expr.Expr) string {
	at, isMember := w.memberAt(a, op, b)
	in := op == expr.In
	of, _ := b.(expr.Answer)
	_, isToken := b.(expr.TokenPart)
	switch {
	case isToken && in:
		return w.Say(SaysProperty, w.Value(b), w.Value(a))
	case in && hasComposite(a, b):
		return w.saysDeepMember(a, b)
	case isArray(b) && in:
		return w.Say(SaysOneOf, w.Value(a), w.Value(b))
	case isMember && in && of.Part != expr.Headers:
		return w.Say(SaysProperty, w.Value(b), w.Value(a))
	case isMember && in:
		return w.Say(SaysDefined, at, "")
	case isMember:
		return w.Say(SaysUndefined, at, "")
	case in:
		return w.Say(SaysContains, w.Value(b), w.Value(a))
	}
	return w.Say(saysTrue, w.membership(a, op, b), "")
}

// hasComposite reports whether a membership is about an object or an array, which JavaScript finds only where it is the
// very same one.
func hasComposite(a, b expr.Expr) bool {
	return expr.IsComposite(a) || slices.ContainsFunc(elemsOf(b), expr.IsComposite)
}

// saysDeepMember writes that an array has an element with the members of another.
func (w *Writer) saysDeepMember(a, b expr.Expr) string {
	if text := w.Say(SaysDeepContains, w.Value(b), w.sum(a)); text != "" {
		return text
	}
	return w.fail()
}

// isArray reports whether an expression is an array or a set that is written out.
func isArray(x expr.Expr) bool {
	switch x.(type) {
	case expr.List, expr.Set:
		return true
	}
	return false
}

// elemsOf are the elements of an array or a set that is written out.
func elemsOf(x expr.Expr) []expr.Expr {
	switch x := x.(type) {
	case expr.List:
		return x.Elems
	case expr.Set:
		return x.Elems
	}
	return nil
}

// saysItems writes that an array has the elements of one that is written out, in any order. A library that has no word
// for it compares both sorted, or, as objects have no order, the length and each of the elements, which then differ.
func (w *Writer) saysItems(x expr.SameItems) []string {
	list, ok := x.Y.(expr.List)
	if name, isName := x.Y.(expr.Name); isName {
		return []string{w.Say(SaysDeepEqual, "[..."+w.Value(x.X)+"].sort()", "[..."+w.Value(name)+"].sort()")}
	}
	if !ok {
		return []string{w.fail()}
	}
	verb := SaysItems
	if slices.ContainsFunc(list.Elems, expr.IsComposite) {
		verb = SaysDeepItems
	}
	array := w.Value(x.X)
	if text := w.Say(verb, array, w.Value(list)); text != "" {
		return []string{text}
	}
	if sorted, ok := sortedList(list.Elems, ByText); ok {
		return []string{w.Say(SaysDeepEqual, "[..."+array+"].sort()", w.Value(expr.List{Elems: sorted}))}
	}
	for i, e := range list.Elems {
		if slices.ContainsFunc(list.Elems[:i], func(other expr.Expr) bool { return sameValue(e, other) }) {
			return []string{w.fail()}
		}
	}
	return []string{w.Say(SaysEqual, array+".length", strconv.Itoa(len(list.Elems))),
		w.Say(SaysAll, array, w.Value(list))}
}

// sameValue reports whether two expressions have one value, or may have.
func sameValue(a, b expr.Expr) bool {
	same, err := expr.Scope{}.Holds(expr.Cmp(a, expr.Eq, b))
	return same || err != nil
}

// saysTest writes the conditions of which an assertion library says more than that they are true.
func (w *Writer) saysTest(x expr.Expr) (string, bool) {
	switch x := x.(type) {
	case expr.Match:
		return w.Say(SaysMatches, w.Value(x.X), w.pattern(x)), true
	case expr.IsDigits:
		return w.Say(SaysMatches, w.Value(x.X), `/^\d+$/`), true
	case expr.IsType:
		if len(x.Types) == 1 {
			name := map[expr.Type]string{expr.TypeString: "string", expr.TypeBool: "boolean", expr.TypeFloat: "number",
				expr.TypeArray: "array"}[x.Types[0]]
			if name != "" {
				return w.Say(SaysType, w.Value(x.X), name), true
			}
		}
	}
	return "", false
}
