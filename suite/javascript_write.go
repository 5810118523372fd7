package suite

import (
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
)

// jsDialect is what the suites written in JavaScript differ in: how an answer is named, and how assertions are made.
type jsDialect struct {
	// part is the source of a part of the answer that a variable holds: status_code, text, json. It is false where that
	// answer cannot be come to.
	part func(name, what string) (string, bool)
	// header is the source of a header's value, undefined where there is none.
	header func(name, key string) (string, bool)
	// name is the source of a variable that is no answer; nil where it is its name.
	name func(id string) string
	// say is a statement of the assertion library about l, without its semicolon; see the verbs.
	say func(v jsVerb, l, r string) string
}

// jsVerb is what is asserted of a value l.
type jsVerb uint8

const (
	saysEqual      jsVerb = iota // it is the scalar r
	saysDeepEqual                // it has the members of r
	saysDiffers                  // it is not the scalar r
	saysDeepDiffer               // it has not the members of r
	saysOneOf                    // it is an element of the array r
	saysContains                 // text or array, it holds r
	saysLacks                    // it does not
	saysMatches                  // it is a text that the regular expression r matches
	saysLess                     // it is a number below r; and so on
	saysAtMost
	saysGreater
	saysAtLeast
	saysDefined   // it is there
	saysUndefined // it is not
	saysProperty  // it is an object with a member r
	saysType      // typeof says r of it, or it is an "array"
	saysFilled    // it is a text, and not an empty one
	saysTrue      // l is a condition, and true
)

// jsWriter writes expressions as JavaScript.
type jsWriter struct {
	jsDialect
	present bool            // the assertion asks for members by their names
	sized   map[string]bool // objects whose members are counted, by their source in Python's notation
	failed  bool            // something could not be written
}

// newJSWriter makes the writer for what stands in the place of an assertion.
func newJSWriter(d jsDialect, a *Assertion) *jsWriter {
	w := &jsWriter{jsDialect: d, sized: map[string]bool{}}
	if a != nil {
		w.present = a.Relation == "present"
		w.note(a.x)
	}
	return w
}

// note notes what an assertion counts the members of.
func (w *jsWriter) note(x expr) {
	switch x := x.(type) {
	case pyCall:
		if isName(x.fn, "len") && len(x.args) == 1 {
			w.sized[pySource(x.args[0])] = true
		}
	case pyCompare:
		w.note(x.x)
	case pyBool:
		for _, e := range x.xs {
			w.note(e)
		}
	}
}

func (w *jsWriter) fail() string {
	w.failed = true
	return ""
}

var jsIdentifier = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*$`)

// value writes an expression as an operand.
func (w *jsWriter) value(x expr) string {
	switch x := x.(type) {
	case pyStr:
		return literal.JavaScript(x.s)
	case pyNum:
		return x.text
	case pyName:
		if js, ok := map[string]string{"True": "true", "False": "false", "None": "null"}[x.id]; ok {
			return js
		}
		if w.name != nil {
			return w.name(x.id)
		}
		return x.id
	case pyAttr:
		name, ok := x.x.(pyName)
		text, known := w.part(name.id, x.name)
		if !ok || !known {
			return w.fail()
		}
		return text
	case pyIndex:
		return w.index(x)
	case pyUnary:
		if x.op == "-" {
			return "-" + w.value(x.x)
		}
	case pyBinary:
		if x.op == "+" {
			return "(" + w.sum(x) + ")"
		}
		return w.fail()
	case pySeq:
		return "[" + w.values(x.elems) + "]"
	case pyDict:
		return w.object(x)
	case pyComp:
		list := w.value(x.list)
		if x.cond != nil {
			list += ".filter(" + x.name + " => " + w.cond(x.cond, anyLevel) + ")"
		}
		return list + ".map(" + x.name + " => " + w.value(x.elem) + ")"
	case pyCall:
		if text, ok := w.call(x); ok {
			return text
		}
	}
	return "(" + w.cond(x, anyLevel) + ")"
}

func (w *jsWriter) values(xs []expr) string {
	out := make([]string, len(xs))
	for i, x := range xs {
		out[i] = w.value(x)
	}
	return strings.Join(out, ", ")
}

func (w *jsWriter) sum(x expr) string {
	if b, ok := x.(pyBinary); ok && b.op == "+" {
		return w.sum(b.x) + " + " + w.sum(b.y)
	}
	return w.value(x)
}

func (w *jsWriter) object(x pyDict) string {
	members := make([]string, len(x.keys))
	for i, k := range x.keys {
		members[i] = w.value(k) + ": " + w.value(x.values[i])
	}
	return "{" + strings.Join(members, ", ") + "}"
}

func (w *jsWriter) index(x pyIndex) string {
	if key, name, ok := headerOf(x); ok {
		if text, ok := w.header(name, key); ok {
			return text
		}
		return w.fail()
	}
	switch i := x.i.(type) {
	case pyStr:
		return w.value(x.x) + jsKey(i.s)
	case pyNum:
		if strings.Trim(i.text, "0123456789") == "" {
			return w.value(x.x) + "[" + i.text + "]"
		}
	}
	return w.fail()
}

// jsKey writes the step to a member of an object.
func jsKey(key string) string {
	if jsIdentifier.MatchString(key) {
		return "." + key
	}
	return "[" + literal.JavaScript(key) + "]"
}

// headerOf returns the header that an expression reads, and of which answer.
func headerOf(x pyIndex) (key, name string, ok bool) {
	headers, _ := x.x.(pyAttr)
	text, isText := x.i.(pyStr)
	of, isName := headers.x.(pyName)
	return text.s, of.id, isText && isName && headers.name == "headers"
}

// call writes the calls that have a value.
func (w *jsWriter) call(x pyCall) (string, bool) {
	if attr, ok := x.fn.(pyAttr); ok {
		of, isName := attr.x.(pyName)
		switch {
		case attr.name == "json" && isName && len(x.args) == 0:
			text, ok := w.part(of.id, "json")
			if !ok {
				w.fail()
			}
			return text, true
		case attr.name == "get" && len(x.args) > 0:
			return w.value(pyIndex{attr.x, x.args[0]}), true
		}
		return "", false
	}
	name, _ := x.fn.(pyName)
	if len(x.args) != 1 {
		return "", false
	}
	switch name.id {
	case "len":
		if w.sized[pySource(x.args[0])] {
			return "Object.keys(" + w.value(x.args[0]) + ").length", true
		}
		return w.value(x.args[0]) + ".length", true
	case "length":
		return w.value(x.args[0]) + ".length", true
	case "str":
		return "String(" + w.value(x.args[0]) + ")", true
	case "float":
		if s, ok := x.args[0].(pyStr); ok {
			return strings.Replace(s.s, "inf", "Infinity", 1), true
		}
		return w.fail(), true
	}
	return "", false
}

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
