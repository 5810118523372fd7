package suite

import (
	"strings"
)

// matcher gives what a matcher of Hamcrest, or of the generator, says of a subject; nil where it is not known.
func (r *jvmReader) matcher(subject expr, m jvmNode) expr {
	if lit := r.literalOf(m); lit != nil {
		return equalTo(subject, lit)
	}
	c, ok := m.(jvmCall)
	if !ok {
		return nil
	}
	switch c.name {
	case "anyOf", "allOf":
		return r.several(subject, c)
	case "hasItems", "hasItem":
		all := pyBool{op: "and"}
		for _, a := range c.args {
			lit := r.itemOf(a.x)
			if lit == nil {
				return nil
			}
			all.xs = append(all.xs, pyCompare{lit, []string{"in"}, []expr{subject}})
		}
		if len(all.xs) == 0 {
			return nil
		}
		return all
	case "nullValue", "notNullValue", "isEmptyOrNullString", "emptyOrNullString", "anything":
		return nullary(c.name, subject)
	}
	if len(c.args) != 1 {
		return nil
	}
	return r.unaryMatcher(subject, c.name, c.args[0].x)
}

// itemOf reads the value that a list is said to have: as it is, or in a matcher that compares with it.
func (r *jvmReader) itemOf(x jvmNode) expr {
	if c, ok := x.(jvmCall); ok && len(c.args) == 1 && (c.name == "numberMatches" || c.name == "equalTo") {
		x = c.args[0].x
	}
	return r.literalOf(x)
}

func equalTo(subject, lit expr) expr {
	if name, ok := lit.(pyName); ok && name.id == "None" {
		return pyCompare{subject, []string{"is"}, []expr{lit}}
	}
	return pyCompare{subject, []string{"=="}, []expr{lit}}
}

// nullary gives the meaning of a matcher without arguments.
func nullary(name string, subject expr) expr {
	none := pyName{"None"}
	switch name {
	case "nullValue":
		return pyCompare{subject, []string{"is"}, []expr{none}}
	case "notNullValue":
		return pyCompare{subject, []string{"is not"}, []expr{none}}
	case "anything":
		return pyName{"True"}
	}
	return pyBool{"or", []expr{pyCompare{subject, []string{"is"}, []expr{none}}, pyCompare{subject, []string{"=="}, []expr{pyStr{""}}}}}
}

// several reads anyOf and allOf.
func (r *jvmReader) several(subject expr, c jvmCall) expr {
	b := pyBool{op: "or"}
	if c.name == "allOf" {
		b.op = "and"
	}
	for _, a := range c.args {
		x := r.matcher(subject, a.x)
		if x == nil {
			return nil
		}
		b.xs = append(b.xs, x)
	}
	if len(b.xs) == 0 {
		return nil
	}
	return b
}

// unaryMatcher gives the meaning of a matcher with one argument.
func (r *jvmReader) unaryMatcher(subject expr, name string, arg jvmNode) expr {
	lit := r.literalOf(arg)
	text, isText := lit.(pyStr)
	switch name {
	case "equalTo", "is", "numberMatches":
		if _, ok := arg.(jvmCall); ok && lit == nil {
			return r.matcher(subject, arg)
		}
		if lit != nil {
			return equalTo(subject, lit)
		}
	case "not":
		if x := r.matcher(subject, arg); x != nil {
			return pyUnary{"not", x}
		}
	case "containsString":
		if isText {
			return pyCompare{text, []string{"in"}, []expr{subject}}
		}
	case "startsWith":
		if isText {
			return pyCall{fn: pyAttr{subject, "startswith"}, args: []expr{text}}
		}
	case "endsWith":
		if isText {
			return pyCall{fn: pyAttr{subject, "endswith"}, args: []expr{text}}
		}
	case "matchesPattern", "matchesRegex":
		if isText {
			re := pyCall{fn: pyName{"__import__"}, args: []expr{pyStr{"re"}}}
			return pyCall{fn: pyAttr{re, "fullmatch"}, args: []expr{text, subject}}
		}
	case "greaterThan", "greaterThanOrEqualTo", "lessThan", "lessThanOrEqualTo":
		op := map[string]string{"greaterThan": ">", "greaterThanOrEqualTo": ">=", "lessThan": "<", "lessThanOrEqualTo": "<="}[name]
		if n, ok := lit.(pyNum); ok {
			return pyCompare{subject, []string{op}, []expr{n}}
		}
	case "instanceOf", "isA", "any":
		return jvmInstance(subject, arg)
	}
	return nil
}

// jvmInstance reads the classes that JSON's values have in REST-assured.
func jvmInstance(subject expr, arg jvmNode) expr {
	f, ok := arg.(jvmField)
	if ok && f.name == "java" { // String::class.java
		f, ok = f.x.(jvmField)
	}
	if !ok || f.name != "class" {
		return nil
	}
	name := ""
	switch x := f.x.(type) {
	case jvmName:
		name = x.id
	case jvmField:
		name = x.name
	}
	types := map[string][]string{"String": {"str"}, "Boolean": {"bool"}, "Number": {"int", "float"}, "List": {"list"}, "Map": {"dict"},
		"Integer": {"int"}, "Int": {"int"}, "Long": {"int"}, "BigInteger": {"int"}, "Double": {"float"}, "Float": {"float"}, "BigDecimal": {"float"}}[name]
	if types == nil {
		return nil
	}
	return isinstance(subject, types...)
}

// literalOf reads a value as it is written: a text, a number, true, false, null; nil for anything else.
func (r *jvmReader) literalOf(x jvmNode) expr {
	switch x := x.(type) {
	case jvmText, jvmSum:
		if text := r.text(x); !strings.Contains(text, "\x00") {
			return pyStr{text}
		}
	case jvmNum:
		return jvmNumber(x.text)
	case jvmName:
		switch x.id {
		case "true":
			return pyName{"True"}
		case "false":
			return pyName{"False"}
		case "null":
			return pyName{"None"}
		case "Infinity", "NaN":
			return pyName(x)
		}
	case jvmCall:
		qualified := x.x == jvmNode(jvmField{jvmName{"java"}, "math"}) // a constructor of Kotlin's, which has no new
		if (x.name == "BigInteger" || x.name == "BigDecimal") && (x.x == nil || qualified) && len(x.args) == 1 {
			return jvmNumber(r.text(x.args[0].x))
		}
	}
	return nil
}

// jvmNumber reads a number literal: digits in tens, with underscores, a suffix, an exponent.
func jvmNumber(text string) expr {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "+"), "_", "")
	negative := strings.HasPrefix(text, "-")
	digits := strings.TrimPrefix(text, "-")
	if strings.HasPrefix(digits, "0x") || strings.HasPrefix(digits, "0b") || digits == "" {
		return nil
	}
	digits = strings.TrimRight(digits, "lLdDfF")
	if _, ok := pyNumber(digits); !ok || strings.Trim(digits, "0123456789.eE+-") != "" {
		return nil
	}
	var x expr = pyNum{digits}
	if negative {
		x = pyUnary{"-", x}
	}
	return x
}
