package suite

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// atoms says an expression as statements that all hold, each about one subject; nil where it cannot.
func (w *jvmWriter) atoms(x expr) []jvmAtom {
	switch x := x.(type) {
	case pyBool:
		if x.op == "or" {
			return w.alternatives(x.xs)
		}
		return w.all(x.xs)
	case pyCompare:
		if len(x.ops) == 2 {
			return w.between(x)
		}
		if len(x.ops) == 1 {
			return w.compared(x)
		}
	case pyCall:
		return w.called(x)
	}
	return nil
}

// all joins statements that hold together; those on one subject become one matcher.
func (w *jvmWriter) all(xs []expr) []jvmAtom {
	if items := w.items(xs); items != nil {
		return items
	}
	var out []jvmAtom
	for _, x := range xs {
		atoms := w.atoms(x)
		if atoms == nil {
			return nil
		}
		out = append(out, atoms...)
	}
	return out
}

// items says that a list holds several values.
func (w *jvmWriter) items(xs []expr) []jvmAtom {
	var values []string
	var list expr
	for _, x := range xs {
		c, ok := x.(pyCompare)
		if !ok || len(c.ops) != 1 || c.ops[0] != "in" || list != nil && !sameExpr(list, c.ys[0]) {
			return nil
		}
		text, ok := c.x.(pyStr)
		if !ok {
			return nil
		}
		list = c.ys[0]
		values = append(values, w.literal(text.s))
	}
	s, ok := w.subject(list)
	if !ok || s.kind != jvmPath || !w.isList(list) {
		return nil
	}
	return []jvmAtom{{s, []string{w.style.matchers + "hasItems(" + strings.Join(values, ", ") + ")"}}}
}

// alternatives says that one of some statements about one subject holds.
func (w *jvmWriter) alternatives(xs []expr) []jvmAtom {
	var out []jvmAtom
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
func (w *jvmWriter) between(c pyCompare) []jvmAtom {
	from, okFrom := c.x.(pyNum)
	to, okTo := c.ys[1].(pyNum)
	s, ok := w.subject(c.ys[0])
	if negative, isUnary := c.x.(pyUnary); isUnary && negative.op == "-" {
		if from, okFrom = negative.x.(pyNum); okFrom {
			from.text = "-" + from.text
		}
	}
	if negative, isUnary := c.ys[1].(pyUnary); isUnary && negative.op == "-" {
		if to, okTo = negative.x.(pyNum); okTo {
			to.text = "-" + to.text
		}
	}
	if !ok || !okFrom || !okTo || c.ops[0] != "<=" || c.ops[1] != "<=" {
		return nil
	}
	s, low, okLow := w.bound(s, from.text)
	_, high, okHigh := w.bound(s, to.text)
	if !okLow || !okHigh {
		return nil
	}
	m := w.style.matchers
	return []jvmAtom{{s, []string{m + "allOf(" + m + "greaterThanOrEqualTo(" + low + "), " + m + "lessThanOrEqualTo(" + high + "))"}}}
}

// bound writes the end of a range as a literal of the class that a subject's value has, which is made the same for all
// numbers of JSON.
func (w *jvmWriter) bound(s jvmSubject, number string) (jvmSubject, string, bool) {
	switch s.kind {
	case jvmStatus, jvmSize:
		return s, number, len(number) < 10 && strings.Trim(number, "-0123456789") == ""
	case jvmPath, jvmDouble:
		s.kind = jvmDouble
		if !strings.ContainsAny(number, ".eE") {
			number += ".0"
		}
		return s, number, s.path != ""
	}
	return s, "", false
}

// compared says a comparison of two.
func (w *jvmWriter) compared(c pyCompare) []jvmAtom {
	switch c.ops[0] {
	case "==", "is":
		return w.equal(c.x, c.ys[0])
	case "!=":
		if text, ok := c.ys[0].(pyStr); ok && text.s == "" {
			if s, ok := w.subject(c.x); ok && (s.kind == jvmHeader || s.kind == jvmBody || s.kind == jvmPath) {
				m := w.style.matchers
				return []jvmAtom{{s, []string{m + "allOf(" + m + "notNullValue(), " + m + `not(""))`}}}
			}
		}
	case "in":
		if set, ok := c.ys[0].(pySeq); ok {
			return w.oneOf(c.x, set.elems)
		}
		return w.within(c.x, c.ys[0])
	case ">=", "<=":
		number, ok := c.ys[0].(pyNum)
		s, known := w.subject(c.x)
		if !ok || !known {
			return nil
		}
		s, text, ok := w.bound(s, number.text)
		if !ok {
			return nil
		}
		name := map[string]string{">=": "greaterThanOrEqualTo(", "<=": "lessThanOrEqualTo("}[c.ops[0]]
		return []jvmAtom{{s, []string{w.style.matchers + name + text + ")"}}}
	}
	return nil
}

// oneOf says that a value is one of a set, of values of one type.
func (w *jvmWriter) oneOf(x expr, values []expr) []jvmAtom {
	var out []jvmAtom
	kind := ""
	for _, v := range values {
		k := ""
		switch v := v.(type) {
		case pyStr:
			k = "text"
		case pyNum, pyUnary:
			k = "number"
		case pyName:
			if k = "bool"; v.id == "None" {
				k = kind
			}
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
func (w *jvmWriter) equal(x, value expr) []jvmAtom {
	m := w.style.matchers
	if call, ok := x.(pyCall); ok && isName(call.fn, "str") && len(call.args) == 1 {
		s, known := w.subject(call.args[0])
		text, ok := w.text(value)
		if !known || !ok {
			return nil
		}
		if w.kotlin {
			return []jvmAtom{{s, []string{m + "hasToString<Any>(" + text + ")"}}}
		}
		return []jvmAtom{{s, []string{m + "hasToString(" + text + ")"}}}
	}
	s, ok := w.subject(x)
	if !ok {
		return nil
	}
	if text, ok := w.value(s, value); ok {
		return []jvmAtom{{s, []string{text}}}
	}
	return nil
}

// value writes the matcher for one value.
func (w *jvmWriter) value(s jvmSubject, value expr) (string, bool) {
	m := w.style.matchers
	if answer, ok := jsonOf(value).(pyName); ok {
		if strings.HasPrefix(answer.id, w.style.own) {
			return "", false // no variable of the suite
		}
		path := answer.id + ".extract().path(" + w.literal(gpathSource(value)) + ")"
		if w.kotlin {
			path = strings.Replace(path, ".path(", ".path<Any?>(", 1)
			return m + "equalTo<Any?>(" + path + ")", true
		}
		return m + "equalTo((Object) " + path + ")", true
	}
	sign := ""
	if negative, ok := value.(pyUnary); ok && negative.op == "-" {
		sign, value = "-", negative.x
	}
	switch v := value.(type) {
	case pyNum:
		return w.number(s, sign+v.text)
	case pyCall:
		if text, ok := infinite(v); ok && s.kind == jvmPath {
			return m + "equalTo(Double." + text + ")", true
		}
	case pyName:
		switch v.id {
		case "True":
			return m + "equalTo(true)", true
		case "False":
			return m + "equalTo(false)", true
		case "None":
			return m + "nullValue()", true
		}
	}
	if text, ok := w.text(value); ok && s.kind != jvmStatus && s.kind != jvmSize {
		return m + "equalTo(" + text + ")", true
	}
	return "", false
}

// infinite reads float("inf").
func infinite(x pyCall) (string, bool) {
	if !isName(x.fn, "float") || len(x.args) != 1 {
		return "", false
	}
	text, _ := x.args[0].(pyStr)
	name, ok := map[string]string{"inf": "POSITIVE_INFINITY", "-inf": "NEGATIVE_INFINITY"}[text.s]
	return name, ok
}

// number writes the matcher for a number. One of JSON is of the smallest class that holds it: Integer, Long, BigInteger.
func (w *jvmWriter) number(s jvmSubject, number string) (string, bool) {
	digits := strings.TrimPrefix(number, "-")
	whole := strings.Trim(digits, "0123456789") == ""
	_, noInt := strconv.ParseInt(number, 10, 32)
	n, noLong := strconv.ParseInt(number, 10, 64)
	switch {
	case whole && (noLong != nil || n == math.MinInt64 && w.kotlin): // which Kotlin has no literal of
		number = "new java.math.BigInteger(\"" + number + "\")"
		if w.kotlin {
			number = strings.TrimPrefix(number, "new ")
		}
	case whole && noInt != nil:
		number += "L"
	}
	switch {
	case s.kind == jvmStatus || s.kind == jvmSize:
		return w.style.matchers + "equalTo(" + number + ")", whole && len(digits) < 10
	case w.style.numbers:
		return "numberMatches(" + number + ")", true
	}
	return w.style.matchers + "equalTo(" + number + ")", whole
}

// text writes a text, which may be of several pieces and take some from variables.
func (w *jvmWriter) text(x expr) (string, bool) {
	switch x := x.(type) {
	case pyStr:
		return w.literal(x.s), true
	case pyName:
		return x.id, strings.HasPrefix(x.id, setUpName)
	case pyBinary:
		a, okA := w.text(x.x)
		b, okB := w.text(x.y)
		return a + " + " + b, okA && okB && x.op == "+"
	}
	return "", false
}

// within says that a text has a piece, or that a list has a value.
func (w *jvmWriter) within(value, container expr) []jvmAtom {
	m := w.style.matchers
	if comp, ok := container.(pyComp); ok {
		return w.spread(value, comp)
	}
	s, ok := w.subject(container)
	if !ok {
		return nil
	}
	if s.kind == jvmPath && w.isList(container) {
		item, ok := w.item(value)
		if !ok {
			return nil
		}
		return []jvmAtom{{s, []string{m + "hasItem(" + item + ")"}}}
	}
	text, ok := w.text(value)
	if !ok || s.kind != jvmPath && s.kind != jvmHeader && s.kind != jvmBody {
		return nil
	}
	return []jvmAtom{{s, []string{m + "containsString(" + text + ")"}}}
}

// item writes a value that a list is said to have.
func (w *jvmWriter) item(value expr) (string, bool) {
	if text, ok := w.text(value); ok {
		return text, true
	}
	return w.value(jvmSubject{kind: jvmPath}, value)
}

// isList reports whether a container is a list: the assertion says so, or looks at an element of it.
func (w *jvmWriter) isList(container expr) bool {
	subject := (&weakening{t: w.t, a: w.a}).looksAt()
	return subject == nil || !sameExpr(container, subject) || strings.Contains(w.a.Text, "hasItem")
}

// spread says that the members of a list's elements have a value among them: a name behind a list leads to the list of its
// elements' members.
func (w *jvmWriter) spread(value expr, c pyComp) []jvmAtom {
	s, ok := w.subject(c.list)
	item, okItem := w.item(value)
	if !ok || !okItem || s.kind != jvmPath || c.cond != nil {
		return nil
	}
	for x := c.elem; !isName(x, c.name); {
		i, ok := x.(pyIndex)
		if !ok {
			return nil
		}
		if _, ok := i.i.(pyStr); !ok {
			return nil // an index would be taken of the list of members
		}
		x = i.x
	}
	rest := gpathSource(c.elem)
	if s.path != "" && rest != "" {
		rest = "." + rest
	}
	s.path += rest
	return []jvmAtom{{s, []string{w.style.matchers + "hasItem(" + item + ")"}}}
}

// called says what functions say of a value: its type, how its text is written.
func (w *jvmWriter) called(x pyCall) []jvmAtom {
	m := w.style.matchers
	if pattern, ok := patternOf(x); ok {
		if s, ok := w.subject(x.args[1]); ok && s.kind != jvmStatus && s.kind != jvmSize {
			return []jvmAtom{{s, []string{m + "matchesPattern(" + w.literal(pattern) + ")"}}}
		}
		return nil
	}
	if attr, ok := x.fn.(pyAttr); ok && attr.name == "isdigit" && len(x.args) == 0 {
		if s, ok := w.subject(attr.x); ok && s.kind == jvmPath {
			return []jvmAtom{{s, []string{m + `matchesPattern("[0-9]+")`}}}
		}
		return nil
	}
	if !isName(x.fn, "isinstance") || len(x.args) != 2 {
		return nil
	}
	s, ok := w.subject(x.args[0])
	if !ok || s.kind != jvmPath {
		return nil
	}
	var types []string
	names := []expr{x.args[1]}
	if set, ok := x.args[1].(pySeq); ok {
		names = set.elems
	}
	for _, n := range names {
		name, ok := n.(pyName)
		if !ok {
			return nil
		}
		types = append(types, name.id)
	}
	return []jvmAtom{{s, w.classes(types)}}
}

// classes writes the matchers of types, by the classes that REST-assured has for them.
func (w *jvmWriter) classes(types []string) []string {
	if slices.Contains(types, "int") && slices.Contains(types, "float") {
		types = slices.DeleteFunc(slices.Clone(types), func(t string) bool { return t == "int" || t == "float" })
		types = append(types, "number")
	}
	var out []string
	for _, t := range types {
		for _, class := range strings.Fields(map[string]string{"str": "String", "bool": "Boolean", "int": "Integer Long java.math.BigInteger",
			"float": "Double Float java.math.BigDecimal", "number": "Number", "list": "java.util.List", "dict": "java.util.Map"}[t]) {
			switch {
			case !w.kotlin:
				class += ".class"
			case class == "String" || class == "Number" || strings.Contains(class, "."):
				class += "::class.java"
			default:
				class = "java.lang." + class + "::class.java"
			}
			of := "instanceOf("
			if w.kotlin {
				of = "instanceOf<Any>("
			}
			out = append(out, w.style.matchers+of+class+")")
		}
	}
	return out
}
