package python

import (
	"fmt"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
)

// noPython stands in the source of an expression for what Python has no words for; what holds it is not written.
const noPython = "?\x00"

// Source writes an expression as Python; false where it cannot.
func Source(x expr.Expr) (string, bool) {
	text := pyWrite(x)
	return text, !strings.Contains(text, noPython)
}

func pyWrite(x expr.Expr) string {
	switch x := x.(type) {
	case expr.Str:
		return literal.Python(x.Value)
	case expr.Num:
		return x.Text
	case expr.Bool:
		if x.Value {
			return "True"
		}
		return "False"
	case expr.Null:
		return "None"
	case expr.Inf:
		if x.Negative {
			return `float("-inf")`
		}
		return `float("inf")`
	case expr.Name:
		return x.ID
	case expr.Undefined:
		return x.ID
	case expr.Answer:
		return x.Var + map[expr.Part]string{expr.Status: ".status_code", expr.Text: ".text", expr.Headers: ".headers",
			expr.JSON: ".json()"}[x.Part]
	case expr.Index:
		return pyWrite(x.X) + "[" + pyWrite(x.I) + "]"
	case expr.Get:
		if x.Default == nil {
			return pyWrite(x.X) + ".get(" + pyWrite(x.Key) + ")"
		}
		return pyWrite(x.X) + ".get(" + pyWrite(x.Key) + ", " + pyWrite(x.Default) + ")"
	case expr.Slice:
		return pyWrite(x.X) + "[" + pyOptional(x.From) + ":" + pyOptional(x.To) + "]"
	case expr.Neg:
		return "-" + pyWrite(x.X)
	case expr.Arith:
		return pyWrite(x.X) + map[expr.ArithOp]string{expr.Add: " + ", expr.Subtract: " - ", expr.FloorDiv: " // "}[x.Op] +
			pyWrite(x.Y)
	case expr.List:
		return "[" + join(x.Elems, ", ") + "]"
	case expr.Set:
		return pyTuple(x.Elems)
	case expr.Object:
		if len(x.Keys) == 0 {
			return "{}"
		}
	case expr.Each:
		text := "[" + pyWrite(x.Elem) + " for " + x.Var + " in " + pyWrite(x.List)
		if x.Cond != nil {
			text += " if " + pyWrite(x.Cond)
		}
		return text + "]"
	case expr.If:
		return pyWrite(x.Then) + " if " + pyWrite(x.Cond) + " else " + pyWrite(x.Else)
	}
	return condition(x)
}

// condition writes what is true or false, and what functions give.
func condition(x expr.Expr) string {
	switch x := x.(type) {
	case expr.Compare:
		return operand(x.X) + " " + pyOperator(x.Op) + " " + operand(x.Y)
	case expr.Between:
		return operand(x.Low) + " <= " + operand(x.X) + " <= " + operand(x.High)
	case expr.And:
		return join(x.Xs, " and ")
	case expr.Or:
		return join(x.Xs, " or ")
	case expr.Not:
		return "not " + negated(x.X)
	case expr.Len:
		return "len(" + pyWrite(x.X) + ")"
	case expr.ToText:
		return "str(" + pyWrite(x.X) + ")"
	case expr.Any:
		return "any(" + pyWrite(x.X) + ")"
	case expr.All:
		return "all(" + pyWrite(x.X) + ")"
	case expr.IsURI:
		return "is_valid_uri_or_empty(" + pyWrite(x.X) + ")"
	case expr.Trim:
		return pyWrite(x.X) + ".strip()"
	case expr.TokenPart:
		return fmt.Sprintf(`__import__("json").loads(__import__("base64").urlsafe_b64decode(%s.split(".")[%d] + "=="))`,
			pyWrite(x.X), x.Nth)
	case expr.IsDigits:
		return pyWrite(x.X) + ".isdigit()"
	case expr.HasPrefix:
		return pyWrite(x.X) + ".startswith(" + pyWrite(x.Prefix) + ")"
	case expr.HasSuffix:
		return pyWrite(x.X) + ".endswith(" + pyWrite(x.Suffix) + ")"
	case expr.Match:
		if x.Full {
			return `__import__("re").fullmatch(` + literal.PythonRaw(x.Pattern) + ", " + pyWrite(x.X) + ")"
		}
		return `__import__("re").search(` + literal.Python(x.Pattern) + ", " + pyWrite(x.X) + ")"
	case expr.IsType:
		names := make([]expr.Expr, len(x.Types))
		for i, t := range x.Types {
			names[i] = expr.Name{ID: pyType(t)}
		}
		if len(names) == 1 {
			return "isinstance(" + pyWrite(x.X) + ", " + pyWrite(names[0]) + ")"
		}
		return "isinstance(" + pyWrite(x.X) + ", " + pyTuple(names) + ")"
	}
	return noPython
}

// pyOperator is an operator as Python writes it.
func pyOperator(op expr.Op) string {
	for text, o := range pyOps() {
		if o == op {
			return text
		}
	}
	return noPython
}

// pyType is a type as Python calls it.
func pyType(t expr.Type) string {
	for name, own := range pyTypes() {
		if own == t {
			return name
		}
	}
	return noPython
}

// operand writes an operand of a comparison, which binds more tightly than conditions do.
func operand(x expr.Expr) string {
	switch x.(type) {
	case expr.And, expr.Or, expr.Not, expr.Compare, expr.Between, expr.If:
		return "(" + pyWrite(x) + ")"
	}
	return pyWrite(x)
}

// negated writes the operand of a not, which binds more tightly than and and or do.
func negated(x expr.Expr) string {
	switch x.(type) {
	case expr.And, expr.Or, expr.If:
		return "(" + pyWrite(x) + ")"
	}
	return pyWrite(x)
}

func join(xs []expr.Expr, by string) string {
	parts := make([]string, len(xs))
	for i, x := range xs {
		parts[i] = pyWrite(x)
		if _, isOr := x.(expr.Or); isOr && by == " and " {
			parts[i] = "(" + parts[i] + ")"
		}
	}
	return strings.Join(parts, by)
}

func pyTuple(xs []expr.Expr) string {
	if len(xs) == 1 {
		return "(" + pyWrite(xs[0]) + ",)"
	}
	return "(" + join(xs, ", ") + ")"
}

func pyOptional(x expr.Expr) string {
	if x == nil {
		return ""
	}
	return pyWrite(x)
}
