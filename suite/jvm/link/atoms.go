package link

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/suite/expr"
	"github.com/flaketap/flaketap/suite/jvm/meaning"
	"github.com/flaketap/flaketap/suite/script"
)

// atoms says an expression as statements that all hold, each about one subject; nil where it cannot.
func (w *Writer) atoms(x expr.Expr) []atom {
	switch x := x.(type) {
	case expr.Or:
		return w.alternatives(x.Xs)
	case expr.And:
		return w.all(x.Xs)
	case expr.Between:
		return w.between(x)
	case expr.Compare:
		return w.compared(x)
	}
	return w.tested(x)
}

// all joins statements that hold together; those on one subject become one matcher.
func (w *Writer) all(xs []expr.Expr) []atom {
	if items := w.items(xs); items != nil {
		return items
	}
	var out []atom
	for len(xs) > 0 {
		atoms, n := w.claims(xs)
		if n == 0 {
			atoms, n = w.atoms(xs[0]), 1
		}
		if atoms == nil {
			return nil
		}
		out, xs = append(out, atoms...), xs[n:]
	}
	return out
}

// items says that a list holds several values.
func (w *Writer) items(xs []expr.Expr) []atom {
	var values []expr.Expr
	var list expr.Expr
	for _, x := range xs {
		c, ok := x.(expr.Compare)
		if !ok || c.Op != expr.In || list != nil && !expr.Identical(list, c.Y) {
			return nil
		}
		list = c.Y
		values = append(values, c.X)
	}
	if list == nil || !w.isList(list) {
		return nil
	}
	return w.array(list, "hasItems", values)
}

// alternatives says that one of some statements about one subject holds.
func (w *Writer) alternatives(xs []expr.Expr) []atom {
	var out []atom
	for _, x := range xs {
		atoms := w.atoms(x)
		switch {
		case len(atoms) == 1 && len(out) == 0:
			out = atoms
		case len(atoms) == 1 && len(out) == 1 && atoms[0].subject == out[0].subject:
			out[0].any = append(slices.Clone(out[0].any), atoms[0].any...)
		default:
			return nil
		}
	}
	return out
}

// between says a <= x <= b.
func (w *Writer) between(x expr.Between) []atom {
	from, okFrom := meaning.Numeral(x.Low)
	to, okTo := meaning.Numeral(x.High)
	s, ok := w.subject(x.X)
	if !ok || !okFrom || !okTo {
		return nil
	}
	s, low, okLow := w.bound(s, from)
	_, high, okHigh := w.bound(s, to)
	if !okLow || !okHigh {
		return nil
	}
	m := w.Matchers
	return []atom{{s, []string{m + "allOf(" + m + "greaterThanOrEqualTo(" + low + "), " + m + "lessThanOrEqualTo(" +
		high + "))"}}}
}

// bound writes the end of a range as a literal of the class that a subject's value has, which is made the same for all
// numbers of JSON.
func (w *Writer) bound(s assertSubject, number string) (assertSubject, string, bool) {
	switch s.kind {
	case statusSubject, size:
		return s, number, len(number) < 10 && strings.Trim(number, "-0123456789") == ""
	case pathSubject, double:
		s.kind = double
		if !strings.ContainsAny(number, ".eE") {
			number += ".0"
		}
		return s, number, s.path != ""
	}
	return s, "", false
}

// compared says a comparison of two.
func (w *Writer) compared(c expr.Compare) []atom {
	switch c.Op {
	case expr.Eq, expr.Is:
		if list, ok := c.Y.(expr.List); ok {
			return w.array(c.X, "contains", list.Elems)
		}
		return w.equal(c.X, c.Y)
	case expr.Ne:
		if text, ok := c.Y.(expr.Str); ok && text.Value == "" {
			if s, ok := w.subject(c.X); ok && (s.kind == headerSubject || s.kind == bodySubject || s.kind == pathSubject) {
				m := w.Matchers
				return []atom{{s, []string{m + "allOf(" + m + "notNullValue(), " + m + `not(""))`}}}
			}
		}
	case expr.In:
		switch set := c.Y.(type) {
		case expr.Set:
			return w.oneOf(c.X, set.Elems)
		case expr.List:
			return w.oneOf(c.X, set.Elems)
		}
		return w.within(c.X, c.Y)
	case expr.Ge, expr.Le:
		number, ok := c.Y.(expr.Num)
		s, known := w.subject(c.X)
		if !ok || !known {
			return nil
		}
		s, text, ok := w.bound(s, number.Text)
		if !ok {
			return nil
		}
		name := map[expr.Op]string{expr.Ge: "greaterThanOrEqualTo(", expr.Le: "lessThanOrEqualTo("}[c.Op]
		return []atom{{s, []string{w.Matchers + name + text + ")"}}}
	}
	return nil
}

// oneOf says that a value is one of a set, of values of one type.
func (w *Writer) oneOf(x expr.Expr, values []expr.Expr) []atom {
	var out []atom
	kind := ""
	for _, v := range values {
		k := ""
		switch v.(type) {
		case expr.Str:
			k = "text"
		case expr.Num, expr.Neg:
			k = "number"
		case expr.Bool:
			k = "bool"
		case expr.Null:
			k = kind
		}
		atoms := w.equal(x, v)
		switch {
		case atoms == nil, k != kind && kind != "":
			return nil
		case out == nil:
			out = atoms
		default:
			out[0].any = append(out[0].any, atoms[0].any...)
		}
		kind = k
	}
	return out
}

// equal says that a subject is a value.
func (w *Writer) equal(x, value expr.Expr) []atom {
	m := w.Matchers
	if shown, ok := x.(expr.ToText); ok {
		s, known := w.subject(shown.X)
		text, ok := w.text(value)
		if !known || !ok {
			return nil
		}
		if w.Kotlin {
			return []atom{{s, []string{m + "hasToString<Any>(" + text + ")"}}}
		}
		return []atom{{s, []string{m + "hasToString(" + text + ")"}}}
	}
	s, ok := w.subject(x)
	if !ok {
		return nil
	}
	if text, ok := w.value(s, value); ok {
		return []atom{{s, []string{text}}}
	}
	return nil
}

// value writes the matcher for one value.
func (w *Writer) value(s assertSubject, value expr.Expr) (string, bool) {
	m := w.Matchers
	if answer, ok := expr.BodyOf(value); ok {
		if script.CallNumber(answer) >= 0 {
			return "", false // no variable of the suite
		}
		path := answer + ".extract().path(" + w.Literal(meaning.Source(value)) + ")"
		if w.Kotlin {
			path = strings.Replace(path, ".path(", ".path<Any?>(", 1)
			return m + "equalTo<Any?>(" + path + ")", true
		}
		return m + "equalTo((Object) " + path + ")", true
	}
	if number, ok := meaning.Numeral(value); ok {
		return w.number(s, number)
	}
	switch v := value.(type) {
	case expr.Inf:
		text := "POSITIVE_INFINITY"
		if v.Negative {
			text = "NEGATIVE_INFINITY"
		}
		return m + "equalTo(Double." + text + ")", s.kind == pathSubject
	case expr.Bool:
		return m + "equalTo(" + strconv.FormatBool(v.Value) + ")", true
	case expr.Null:
		return m + "nullValue()", true
	}
	if text, ok := w.text(value); ok && s.kind != statusSubject && s.kind != size {
		return m + "equalTo(" + text + ")", true
	}
	return "", false
}

// number writes the matcher for a number. One of JSON is of the smallest class that holds it: Integer, Long,
// BigInteger.
func (w *Writer) number(s assertSubject, number string) (string, bool) {
	digits := strings.TrimPrefix(number, "-")
	whole := strings.Trim(digits, "0123456789") == ""
	_, noInt := strconv.ParseInt(number, 10, 32)
	n, noLong := strconv.ParseInt(number, 10, 64)
	switch {
	case whole && (noLong != nil || n == math.MinInt64 && w.Kotlin): // which Kotlin has no literal of
		number = "new java.math.BigInteger(\"" + number + "\")"
		if w.Kotlin {
			number = strings.TrimPrefix(number, "new ")
		}
	case whole && noInt != nil:
		number += "L"
	}
	switch {
	case s.kind == statusSubject || s.kind == size:
		return w.Matchers + "equalTo(" + number + ")", whole && len(digits) < 10
	case w.Numbers:
		return "numberMatches(" + number + ")", true
	}
	return w.Matchers + "equalTo(" + number + ")", whole
}

// text writes a text, which may be of several pieces and take some from variables.
func (w *Writer) text(x expr.Expr) (string, bool) {
	switch x := x.(type) {
	case expr.Str:
		return w.Literal(x.Value), true
	case expr.Name:
		return x.ID, strings.HasPrefix(x.ID, script.SetUpPrefix)
	case expr.Arith:
		a, okA := w.text(x.X)
		b, okB := w.text(x.Y)
		return a + " + " + b, okA && okB && x.Op == expr.Add
	}
	return "", false
}

// within says that a text has a piece, or that a list has a value.
func (w *Writer) within(value, container expr.Expr) []atom {
	m := w.Matchers
	s, ok := w.subject(container)
	if !ok {
		return nil
	}
	if s.kind == pathSubject && w.isList(container) {
		item, ok := w.item(value)
		if !ok {
			return nil
		}
		return []atom{{s, []string{m + "hasItem(" + item + ")"}}}
	}
	text, ok := w.text(value)
	if !ok || s.kind != pathSubject && s.kind != headerSubject && s.kind != bodySubject {
		return nil
	}
	return []atom{{s, []string{m + "containsString(" + text + ")"}}}
}

// item writes a value that a list is said to have.
func (w *Writer) item(value expr.Expr) (string, bool) {
	if text, ok := w.text(value); ok {
		return text, true
	}
	return w.value(assertSubject{kind: pathSubject}, value)
}

// isList reports whether a container is a list: the assertion says so, or looks at an element of it.
func (w *Writer) isList(container expr.Expr) bool {
	subject := w.A.Subject()
	_, isEach := container.(expr.Each)
	return isEach || subject == nil || !expr.Identical(container, subject) || strings.Contains(w.A.Text, "hasItem") ||
		IsArrayMeant(w.A.Meaning)
}

// tested says what conditions say of one value: its type, how its text is written.
func (w *Writer) tested(x expr.Expr) []atom {
	m := w.Matchers
	switch x := x.(type) {
	case expr.SameItems:
		if list, ok := x.Y.(expr.List); ok {
			return w.array(x.X, "containsInAnyOrder", list.Elems)
		}
	case expr.Match:
		if s, ok := w.subject(x.X); ok && x.Full && s.kind != statusSubject && s.kind != size {
			return []atom{{s, []string{m + "matchesPattern(" + w.Literal(x.Pattern) + ")"}}}
		}
	case expr.IsDigits:
		if s, ok := w.subject(x.X); ok && s.kind == pathSubject {
			return []atom{{s, []string{m + `matchesPattern("[0-9]+")`}}}
		}
	case expr.IsType:
		if s, ok := w.subject(x.X); ok && s.kind == pathSubject {
			return []atom{{s, w.classes(x.Types)}}
		}
	}
	return nil
}

// classes writes the matchers of types, by the classes that REST-assured has for them.
func (w *Writer) classes(types []expr.Type) []string {
	numbers := slices.Contains(types, expr.TypeInt) && slices.Contains(types, expr.TypeFloat)
	var names []string
	for _, t := range types {
		if !numbers || t != expr.TypeInt && t != expr.TypeFloat {
			names = append(names, ClassesOf()[t]...)
		}
	}
	if numbers {
		names = append(names, "Number")
	}
	var out []string
	for _, class := range names {
		switch {
		case !w.Kotlin:
			class += ".class"
		case class == "String" || class == "Number" || strings.Contains(class, "."):
			class += "::class.java"
		default:
			class = "java.lang." + class + "::class.java"
		}
		of := "instanceOf("
		if w.Kotlin {
			of = "instanceOf<Any>("
		}
		out = append(out, w.Matchers+of+class+")")
	}
	return out
}

// ClassesOf are the classes that REST-assured has for the types of JSON's values.
func ClassesOf() map[expr.Type][]string {
	return map[expr.Type][]string{expr.TypeString: {"String"}, expr.TypeBool: {"Boolean"},
		expr.TypeInt:   {"Integer", "Long", "java.math.BigInteger"},
		expr.TypeFloat: {"Double", "Float", "java.math.BigDecimal"}, expr.TypeArray: {"java.util.List"},
		expr.TypeObject: {"java.util.Map"}}
}
