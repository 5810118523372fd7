package suite

import (
	"regexp"
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
