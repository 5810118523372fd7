package source

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
)

// NoPython stands in the source of an expression for what Python has no words for; what holds it is not written.
const NoPython = "?\x00"

// Source writes an expression as Python; false where it cannot.
func Source(x expr.Expr) (string, bool) { return (Printer{}).Source(x) }

func (p Printer) Source(x expr.Expr) (string, bool) {
	text := p.write(x)
	return text, !strings.Contains(text, NoPython)
}

// Write writes an expression whose answers have the names of their calls' variables.
func Write(x expr.Expr) string { return (Printer{}).write(x) }

// Printer writes expressions.
type Printer struct {
	// Own is how the test calls the value of an expression where it stands; "" where it has no name for it, and nil
	// where the variables of calls are those of the test.
	Own func(x expr.Expr) string
	RE  bool // the file imports the module re
}

func (p Printer) write(x expr.Expr) string {
	if p.Own != nil {
		if name := p.Own(x); name != "" {
			return name
		}
	}
	switch x := x.(type) {
	case expr.Str, expr.Num, expr.Bool, expr.Null, expr.Inf:
		return scalar(x)
	case expr.Name:
		return x.ID
	case expr.Undefined:
		return x.ID
	case expr.Answer:
		return x.Var + map[expr.Part]string{expr.Status: ".status_code", expr.Text: ".text", expr.Headers: ".headers",
			expr.JSON: ".json()"}[x.Part]
	case expr.Index:
		if most, ok := p.most(x); ok {
			return most
		}
		return p.write(x.X) + "[" + p.write(x.I) + "]"
	case expr.Get:
		if x.Default == nil {
			return p.write(x.X) + ".get(" + p.write(x.Key) + ")"
		}
		return p.write(x.X) + ".get(" + p.write(x.Key) + ", " + p.write(x.Default) + ")"
	case expr.Slice:
		return p.write(x.X) + "[" + p.optional(x.From) + ":" + p.optional(x.To) + "]"
	case expr.Total:
		return "sum(" + p.write(x.X) + ")"
	case expr.Neg:
		return "-" + p.write(x.X)
	case expr.Arith:
		return p.write(x.X) + map[expr.ArithOp]string{expr.Add: " + ", expr.Subtract: " - ", expr.FloorDiv: " // "}[x.Op] +
			p.write(x.Y)
	case expr.List:
		return "[" + p.join(x.Elems, ", ") + "]"
	case expr.Set:
		return p.tuple(x.Elems)
	case expr.Object:
		members := make([]string, len(x.Keys))
		for i, key := range x.Keys {
			members[i] = literal.Python(key) + ": " + p.write(x.Values[i])
		}
		return "{" + strings.Join(members, ", ") + "}"
	case expr.Each:
		text := "[" + p.write(x.Elem) + " for " + x.Var + " in " + p.write(x.List)
		if x.Cond != nil {
			text += " if " + p.write(x.Cond)
		}
		return text + "]"
	case expr.Ordered:
		return p.sorted(x)
	case expr.If:
		return p.write(x.Then) + " if " + p.write(x.Cond) + " else " + p.write(x.Else)
	}
	return p.condition(x)
}

// scalar writes a literal.
func scalar(x expr.Expr) string {
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
	case expr.Inf:
		if x.Negative {
			return `float("-inf")`
		}
		return `float("inf")`
	}
	return "None"
}

// condition writes what is true or false, and what functions give.
func (p Printer) condition(x expr.Expr) string {
	switch x := x.(type) {
	case expr.SameItems:
		return p.sameItems(x)
	case expr.InOrder:
		return p.operand(x.X) + " == sorted(" + p.write(x.X) + ")"
	case expr.Compare:
		return p.operand(x.X) + " " + pyOperator(x.Op) + " " + p.operand(x.Y)
	case expr.Between:
		return p.operand(x.Low) + " <= " + p.operand(x.X) + " <= " + p.operand(x.High)
	case expr.And:
		return p.join(x.Xs, " and ")
	case expr.Or:
		return p.join(x.Xs, " or ")
	case expr.Not:
		return "not " + p.negated(x.X)
	case expr.Len:
		return "len(" + p.write(x.X) + ")"
	case expr.ToText:
		return "str(" + p.write(x.X) + ")"
	case expr.Any:
		return "any(" + p.write(x.X) + ")"
	case expr.All:
		return "all(" + p.write(x.X) + ")"
	case expr.IsURI:
		return "is_valid_uri_or_empty(" + p.write(x.X) + ")"
	case expr.Trim:
		return p.write(x.X) + ".strip()"
	case expr.TokenPart:
		return fmt.Sprintf(`__import__("json").loads(__import__("base64").urlsafe_b64decode(%s.split(".")[%d] + "=="))`,
			p.write(x.X), x.Nth)
	case expr.Links:
		return p.links(x)
	case expr.IsDigits:
		return p.write(x.X) + ".isdigit()"
	case expr.HasPrefix:
		return p.write(x.X) + ".startswith(" + p.write(x.Prefix) + ")"
	case expr.HasSuffix:
		return p.write(x.X) + ".endswith(" + p.write(x.Suffix) + ")"
	case expr.Match:
		re := `__import__("re")`
		if p.RE {
			re = "re"
		}
		if x.Full {
			return re + ".fullmatch(" + literal.PythonRaw(x.Pattern) + ", " + p.write(x.X) + ")"
		}
		return re + ".search(" + literal.Python(x.Pattern) + ", " + p.write(x.X) + ")"
	case expr.IsType:
		names := make([]expr.Expr, len(x.Types))
		for i, t := range x.Types {
			names[i] = expr.Name{ID: pyType(t)}
		}
		if len(names) == 1 {
			return "isinstance(" + p.write(x.X) + ", " + p.write(names[0]) + ")"
		}
		return "isinstance(" + p.write(x.X) + ", " + p.tuple(names) + ")"
	}
	return NoPython
}

// links writes the links of an answer, which has a name of its own.
func (p Printer) links(x expr.Links) string {
	answer, ok := strings.CutSuffix(p.write(x.X), ".headers")
	if !ok {
		return NoPython
	}
	return answer + ".links"
}

// pyOperator is an operator as Python writes it.
func pyOperator(op expr.Op) string {
	for text, o := range Ops() {
		if o == op {
			return text
		}
	}
	return NoPython
}

// pyType is a type as Python calls it.
func pyType(t expr.Type) string {
	for name, own := range Types() {
		if own == t {
			return name
		}
	}
	return NoPython
}

// operand writes an operand of a comparison, which binds more tightly than conditions do.
func (p Printer) operand(x expr.Expr) string {
	switch x.(type) {
	case expr.And, expr.Or, expr.Not, expr.Compare, expr.Between, expr.If, expr.InOrder, expr.SameItems:
		return "(" + p.write(x) + ")"
	}
	return p.write(x)
}

// negated writes the operand of a not, which binds more tightly than and and or do.
func (p Printer) negated(x expr.Expr) string {
	switch x.(type) {
	case expr.And, expr.Or, expr.If:
		return "(" + p.write(x) + ")"
	}
	return p.write(x)
}

func (p Printer) join(xs []expr.Expr, by string) string {
	parts := make([]string, len(xs))
	for i, x := range xs {
		parts[i] = p.write(x)
		_, isOr := x.(expr.Or)
		_, isIf := x.(expr.If)
		if isOr && by == " and " || isIf && by != ", " {
			parts[i] = "(" + parts[i] + ")"
		}
	}
	return strings.Join(parts, by)
}

func (p Printer) tuple(xs []expr.Expr) string {
	if len(xs) == 1 {
		return "(" + p.write(xs[0]) + ",)"
	}
	return "(" + p.join(xs, ", ") + ")"
}

func (p Printer) optional(x expr.Expr) string {
	if x == nil {
		return ""
	}
	return p.write(x)
}

// sameItems writes that a list has the scalars of another in any order.
func (p Printer) sameItems(x expr.SameItems) string {
	if name, ok := x.Y.(expr.Name); ok {
		return "sorted(" + p.write(x.X) + ") == sorted(" + p.write(name) + ")"
	}
	list, _ := x.Y.(expr.List)
	elems, ok := InOrder(list.Elems)
	if !ok {
		return NoPython
	}
	return "sorted(" + p.write(x.X) + ") == " + p.write(expr.List{Elems: elems})
}

// InOrder sorts texts or numbers as Python does; false where there are none, or others.
func InOrder(elems []expr.Expr) ([]expr.Expr, bool) {
	out := slices.Clone(elems)
	texts, numbers := map[int]string{}, map[int]*big.Float{}
	order := make([]int, len(elems))
	for i, e := range elems {
		order[i] = i
		text, isToken := expr.Token(e)
		switch e := e.(type) {
		case expr.Str:
			texts[i] = e.Value
		case expr.Num, expr.Neg:
			n, _, err := big.ParseFloat(text, 10, 200, big.ToNearestEven)
			if !isToken || err != nil {
				return nil, false
			}
			numbers[i] = n
		}
	}
	switch len(elems) {
	case 0:
		return nil, false
	case len(texts):
		slices.SortStableFunc(order, func(a, b int) int { return strings.Compare(texts[a], texts[b]) })
	case len(numbers):
		slices.SortStableFunc(order, func(a, b int) int { return numbers[a].Cmp(numbers[b]) })
	default:
		return nil, false
	}
	for i, from := range order {
		out[i] = elems[from]
	}
	return out, true
}

// Types are the names that Python has for the types of JSON's values.
func Types() map[string]expr.Type {
	return map[string]expr.Type{"bool": expr.TypeBool, "dict": expr.TypeObject, "float": expr.TypeFloat,
		"int":  expr.TypeInt,
		"list": expr.TypeArray, "str": expr.TypeString}
}

// Ops are Python's operators of comparison.
func Ops() map[string]expr.Op {
	return map[string]expr.Op{"==": expr.Eq, "!=": expr.Ne, "<": expr.Lt, "<=": expr.Le, ">": expr.Gt, ">=": expr.Ge,
		"in": expr.In, "not in": expr.NotIn, "is": expr.Is, "is not": expr.IsNot}
}
