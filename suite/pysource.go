package suite

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
)

// noPython stands in the source of an expression for what the writer does not know; what holds it is no candidate.
const noPython = "?\x00"

// pySource writes an expression as Python.
func pySource(x expr) string {
	switch x := x.(type) {
	case pyStr:
		return literal.Python(x.s)
	case pyNum:
		return x.text
	case pyName:
		return x.id
	case pyAttr:
		return pySource(x.x) + "." + x.name
	case pyIndex:
		return pySource(x.x) + "[" + pySource(x.i) + "]"
	case pyUnary:
		if x.op == "not" {
			return "not " + pySource(x.x)
		}
		return x.op + pySource(x.x)
	case pyBinary:
		return pySource(x.x) + " " + x.op + " " + pySource(x.y)
	case pyCompare:
		text := pySource(x.x)
		for i, op := range x.ops {
			text += " " + op + " " + pySource(x.ys[i])
		}
		return text
	case pyBool:
		return pyJoin(x.xs, " "+x.op+" ")
	case pyIf:
		return pySource(x.x) + " if " + pySource(x.cond) + " else " + pySource(x.y)
	case pySeq:
		return pySequence(x)
	case pySlice:
		return pyOptional(x.from) + ":" + pyOptional(x.to)
	case pyComp:
		text := "[" + pySource(x.elem) + " for " + x.name + " in " + pySource(x.list)
		if x.cond != nil {
			text += " if " + pySource(x.cond)
		}
		return text + "]"
	case pyDict:
		if len(x.keys) == 0 {
			return "{}"
		}
	case pyCall:
		fn := pySource(x.fn)
		if pattern, ok := patternOf(x); ok {
			return fn + "(" + literal.PythonRaw(pattern) + ", " + pySource(x.args[1]) + ")"
		}
		return fn + "(" + pyJoin(x.args, ", ") + ")"
	}
	return noPython
}

// patternOf returns the regular expression that the whole of a text is held against; false where the call is another.
func patternOf(x pyCall) (string, bool) {
	fn, ok := x.fn.(pyAttr)
	if !ok || fn.name != "fullmatch" || len(x.args) != 2 {
		return "", false
	}
	pattern, ok := x.args[0].(pyStr)
	return pattern.s, ok
}

func pyJoin(xs []expr, by string) string {
	parts := make([]string, len(xs))
	for i, x := range xs {
		parts[i] = pySource(x)
		if or, ok := x.(pyBool); ok && by == " and " && or.op == "or" {
			parts[i] = "(" + parts[i] + ")"
		}
	}
	return strings.Join(parts, by)
}

func pySequence(x pySeq) string {
	switch {
	case !x.tuple:
		return "[" + pyJoin(x.elems, ", ") + "]"
	case len(x.elems) == 1:
		return "(" + pySource(x.elems[0]) + ",)"
	}
	return "(" + pyJoin(x.elems, ", ") + ")"
}

func pyOptional(x expr) string {
	if x == nil {
		return ""
	}
	return pySource(x)
}

// pyShow shows a value as Python writes it.
func pyShow(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		if v {
			return "True"
		}
		return "False"
	case *big.Int:
		return v.String()
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case string:
		return literal.Python(v)
	case pyItems:
		return "a list of " + strconv.Itoa(len(v))
	case map[string]any:
		return "an object of " + strconv.Itoa(len(v))
	}
	return "?"
}
