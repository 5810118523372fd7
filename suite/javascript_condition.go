package suite

import (
	"slices"
	"strings"
)

// How strongly a condition is held together; what is held together less than its place wants gets brackets.
const (
	anyLevel = iota
	orLevel
	andLevel
	compareLevel
	unaryLevel
)

// cond writes an expression as a condition.
func (w *jsWriter) cond(x expr, least int) string {
	text, level := w.condition(x)
	if level < least {
		return "(" + text + ")"
	}
	return text
}

func (w *jsWriter) condition(x expr) (string, int) {
	switch x := x.(type) {
	case pyBool:
		op, level := " || ", orLevel
		if x.op == "and" {
			op, level = " && ", andLevel
		}
		parts := make([]string, len(x.xs))
		for i, e := range x.xs {
			parts[i] = w.cond(e, level)
		}
		return strings.Join(parts, op), level
	case pyUnary:
		if x.op == "not" {
			return w.opposite(x.x)
		}
	case pyCompare:
		return w.comparison(x)
	case pyCall:
		if text, level, ok := w.test(x); ok {
			return text, level
		}
	case pyName:
		if x.id == "True" || x.id == "False" {
			return strings.ToLower(x.id), unaryLevel
		}
	}
	return w.fail(), unaryLevel
}

// opposite writes a condition that is true where x is false.
func (w *jsWriter) opposite(x expr) (string, int) {
	switch c := x.(type) {
	case pyUnary:
		if c.op == "not" {
			return w.condition(c.x)
		}
	case pyCompare:
		if length, ok := c.x.(pyCall); ok && len(c.ops) == 1 && c.ops[0] == "<=" && (isName(length.fn, "len") || isName(length.fn, "length")) {
			return w.value(c.x) + " > " + w.value(c.ys[0]), compareLevel
		}
		if len(c.ops) == 1 && c.ops[0] == "not in" {
			if at, ok := w.memberAt(c.x, false, c.ys[0]); ok {
				return at + " !== undefined", compareLevel
			}
		}
		if op := negatedOperator(c); op != "" {
			return w.comparison(pyCompare{c.x, []string{op}, c.ys})
		}
	}
	return "!" + w.cond(x, unaryLevel), unaryLevel
}

// negatedOperator returns the operator that says the opposite of a comparison; "" where there is none.
func negatedOperator(c pyCompare) string {
	if len(c.ops) == 1 {
		return map[string]string{"==": "!=", "!=": "==", "is": "is not", "is not": "is", "in": "not in", "not in": "in"}[c.ops[0]]
	}
	return ""
}

func (w *jsWriter) comparison(x pyCompare) (string, int) {
	left := x.x
	var parts []string
	for i, op := range x.ops {
		parts = append(parts, w.relation(left, op, x.ys[i]))
		left = x.ys[i]
	}
	if len(parts) > 1 {
		return strings.Join(parts, " && "), andLevel
	}
	if strings.HasPrefix(parts[0], "!") {
		return parts[0], unaryLevel
	}
	return parts[0], compareLevel
}

// relation writes one comparison.
func (w *jsWriter) relation(a expr, op string, b expr) string {
	switch op {
	case "==", "is", "!=", "is not":
		if isComposite(a) || isComposite(b) {
			return w.fail()
		}
		return w.value(a) + map[string]string{"==": " === ", "is": " === ", "!=": " !== ", "is not": " !== "}[op] + w.value(b)
	case "in", "not in":
		return w.membership(a, op == "in", b)
	}
	return w.value(a) + " " + op + " " + w.value(b)
}

// isComposite reports whether an expression is an array or object written out.
func isComposite(x expr) bool {
	switch x.(type) {
	case pySeq, pyDict, pyComp:
		return true
	}
	return false
}

// membership writes that something is, or is not, in something else.
func (w *jsWriter) membership(a expr, in bool, b expr) string {
	if at, ok := w.memberAt(a, in, b); ok {
		if in {
			return at + " !== undefined"
		}
		return at + " === undefined"
	}
	text := w.value(b) + ".includes(" + w.value(a) + ")"
	if !in {
		return "!" + text
	}
	return text
}

// memberAt returns the source of a header or a member, undefined where there is none, if that is what a membership is
// about: of one that is not there that is so whenever no list is written out and no text is known to be meant.
func (w *jsWriter) memberAt(a expr, in bool, b expr) (string, bool) {
	key, ok := a.(pyStr)
	if !ok {
		return "", false
	}
	if headers, ok := b.(pyAttr); ok && headers.name == "headers" {
		return w.value(pyIndex{b, key}), true
	}
	switch b := b.(type) {
	case pyIndex:
		_, _, isHeader := headerOf(b)
		if isHeader {
			return "", false
		}
	case pyCall: // json()
	default:
		return "", false
	}
	if in && !w.present {
		return "", false
	}
	return w.value(pyIndex{b, key}), true
}

// test writes the calls that are true or false.
func (w *jsWriter) test(x pyCall) (string, int, bool) {
	if pattern, whole, ok := matchOf(x); ok {
		text := w.value(x.args[1])
		return "typeof " + text + ` === "string" && ` + w.pattern(pattern, whole) + ".test(" + text + ")", andLevel, true
	}
	if attr, ok := x.fn.(pyAttr); ok {
		switch {
		case attr.name == "startswith" && len(x.args) == 1:
			return w.value(attr.x) + ".startsWith(" + w.value(x.args[0]) + ")", unaryLevel, true
		case attr.name == "endswith" && len(x.args) == 1:
			return w.value(attr.x) + ".endsWith(" + w.value(x.args[0]) + ")", unaryLevel, true
		case attr.name == "isdigit":
			return `/^\d+$/.test(` + w.value(attr.x) + ")", unaryLevel, true
		}
		return "", 0, false
	}
	name, _ := x.fn.(pyName)
	switch {
	case name.id == "isinstance" && len(x.args) == 2:
		text, level := w.typed(w.value(x.args[0]), typesOf(x))
		return text, level, true
	case len(x.args) != 1:
		return "", 0, false
	case name.id == "is_valid_uri_or_empty":
		return "EM.isValidURIorEmpty(" + w.value(x.args[0]) + ")", unaryLevel, true
	case name.id == "is_empty":
		v := w.value(x.args[0])
		return v + "===null || " + v + "===undefined || " + v + `==="" || Object.keys(` + v + ").length === 0", orLevel, true
	case name.id == "any" || name.id == "all":
		if comp, ok := x.args[0].(pyComp); ok && comp.cond == nil {
			method := map[string]string{"any": ".some(", "all": ".every("}[name.id]
			return w.value(comp.list) + method + comp.name + " => " + w.cond(comp.elem, anyLevel) + ")", unaryLevel, true
		}
	}
	return "", 0, false
}

// matchOf returns the regular expression that a call holds a text against, and whether all of the text has to match.
func matchOf(x pyCall) (pattern string, whole, ok bool) {
	fn, isAttr := x.fn.(pyAttr)
	if !isAttr || fn.name != "fullmatch" && fn.name != "search" || len(x.args) != 2 {
		return "", false, false
	}
	text, ok := x.args[0].(pyStr)
	return text.s, fn.name == "fullmatch", ok
}

func (w *jsWriter) pattern(pattern string, whole bool) string {
	text, ok := jsPattern(pattern, whole)
	if !ok {
		return w.fail()
	}
	return text
}

// typesOf lists the types that isinstance asks for.
func typesOf(x pyCall) []string {
	elems := []expr{x.args[1]}
	if seq, ok := x.args[1].(pySeq); ok {
		elems = seq.elems
	}
	var out []string
	for _, e := range elems {
		name, _ := e.(pyName)
		out = append(out, name.id)
	}
	return out
}

// typed writes that a value is of one of some types.
func (w *jsWriter) typed(v string, types []string) (string, int) {
	var parts []string
	if slices.Contains(types, "list") && slices.Contains(types, "dict") {
		types = slices.DeleteFunc(slices.Clone(types), func(t string) bool { return t == "list" || t == "dict" })
		both := "typeof " + v + ` === "object" && ` + v + " !== null"
		if len(types) == 0 {
			return both, andLevel
		}
		parts = append(parts, both)
	}
	for _, t := range types {
		switch t {
		case "str":
			parts = append(parts, "typeof "+v+` === "string"`)
		case "bool":
			parts = append(parts, "typeof "+v+` === "boolean"`)
		case "int":
			if !slices.Contains(types, "float") {
				parts = append(parts, "Number.isInteger("+v+")")
			}
		case "float":
			parts = append(parts, "typeof "+v+` === "number"`)
		case "list":
			parts = append(parts, "Array.isArray("+v+")")
		case "dict":
			parts = append(parts, "typeof "+v+` === "object" && `+v+" !== null && !Array.isArray("+v+")")
			if len(types) == 1 {
				return parts[0], andLevel
			}
		default:
			return w.fail(), unaryLevel
		}
	}
	if len(parts) > 1 {
		return strings.Join(parts, " || "), orLevel
	}
	return parts[0], compareLevel
}
