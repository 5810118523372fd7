package js

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/literal"
	"github.com/flaketap/flaketap/suite/expr"
)

// How strongly a condition is held together; what is held together less than its place wants gets brackets.
const (
	AnyLevel = iota
	orLevel
	andLevel
	compareLevel
	unaryLevel
)

// Cond writes an expression as a condition.
func (w *Writer) Cond(x expr.Expr, least int) string {
	text, level := w.condition(x)
	if level < least {
		return "(" + text + ")"
	}
	return text
}

func (w *Writer) condition(x expr.Expr) (string, int) {
	switch x := x.(type) {
	case expr.Or:
		return w.joined(x.Xs, " || ", orLevel), orLevel
	case expr.And:
		return w.joined(x.Xs, " && ", andLevel), andLevel
	case expr.Not:
		return w.opposite(x.X)
	case expr.Compare:
		text := w.relation(x.X, x.Op, x.Y)
		if strings.HasPrefix(text, "!") {
			return text, unaryLevel
		}
		return text, compareLevel
	case expr.Between:
		return w.relation(x.Low, expr.Le, x.X) + " && " + w.relation(x.X, expr.Le, x.High), andLevel
	case expr.Bool:
		return w.Value(x), unaryLevel
	}
	return w.test(x)
}

// joined writes conditions with an operator between them.
func (w *Writer) joined(xs []expr.Expr, by string, level int) string {
	parts := make([]string, len(xs))
	for i, x := range xs {
		parts[i] = w.Cond(x, level)
	}
	return strings.Join(parts, by)
}

// opposite writes a condition that is true where x is false.
func (w *Writer) opposite(x expr.Expr) (string, int) {
	switch c := x.(type) {
	case expr.Not:
		return w.condition(c.X)
	case expr.Compare:
		if isCount(c.X) && c.Op == expr.Le {
			return w.Value(c.X) + " > " + w.Value(c.Y), compareLevel
		}
		if c.Op == expr.NotIn {
			if at, ok := w.memberAt(c.X, expr.NotIn, c.Y); ok {
				return at + " !== undefined", compareLevel
			}
		}
		if op, ok := c.Op.Negated(); ok {
			return w.condition(expr.Compare{X: c.X, Op: op, Y: c.Y})
		}
	}
	return "!" + w.Cond(x, unaryLevel), unaryLevel
}

// isCount reports whether an expression counts something.
func isCount(x expr.Expr) bool {
	switch x.(type) {
	case expr.Len, expr.Length:
		return true
	}
	return false
}

// relation writes one comparison.
func (w *Writer) relation(a expr.Expr, op expr.Op, b expr.Expr) string {
	switch op {
	case expr.In, expr.NotIn:
		return w.membership(a, op, b)
	case expr.Eq, expr.Is, expr.Ne, expr.IsNot:
		if expr.IsComposite(a) || expr.IsComposite(b) {
			return w.fail()
		}
	}
	return w.Value(a) + " " + map[expr.Op]string{expr.Eq: "===", expr.Is: "===", expr.Ne: "!==", expr.IsNot: "!==",
		expr.Lt: "<", expr.Le: "<=", expr.Gt: ">", expr.Ge: ">="}[op] + " " + w.Value(b)
}

// membership writes that something is in something else (expr.In), or is not (expr.NotIn).
func (w *Writer) membership(a expr.Expr, op expr.Op, b expr.Expr) string {
	if at, ok := w.memberAt(a, op, b); ok {
		if op == expr.In {
			return at + " !== undefined"
		}
		return at + " === undefined"
	}
	if hasComposite(a, b) {
		return w.fail()
	}
	text := w.Value(b) + ".includes(" + w.Value(a) + ")"
	if op == expr.NotIn {
		return "!" + text
	}
	return text
}

// memberAt returns the source of a header or a member, undefined where there is none, if that is what a membership is
// about: of one that is not there that is so whenever no list is written out and no text is known to be meant.
func (w *Writer) memberAt(a expr.Expr, op expr.Op, b expr.Expr) (string, bool) {
	key, ok := a.(expr.Str)
	if !ok {
		return "", false
	}
	switch b := b.(type) {
	case expr.Index:
		if _, _, isHeader := expr.HeaderOf(b); isHeader {
			return "", false
		}
	case expr.Answer:
		if b.Part == expr.Headers {
			return w.Value(expr.Index{X: b, I: key}), true
		}
		if b.Part != expr.JSON {
			return "", false
		}
	case expr.Get:
	default:
		return "", false
	}
	counted := slices.ContainsFunc(w.sized, func(x expr.Expr) bool { return expr.Identical(x, b) })
	if op == expr.In && !w.present && !counted {
		return "", false
	}
	return w.Value(expr.Index{X: b, I: key}), true
}

// test writes the conditions that are functions of a value.
func (w *Writer) test(x expr.Expr) (string, int) {
	switch x := x.(type) {
	case expr.Match:
		text := w.Value(x.X)
		return "typeof " + text + ` === "string" && ` + w.pattern(x) + ".test(" + text + ")", andLevel
	case expr.HasPrefix:
		return w.Value(x.X) + ".startsWith(" + w.Value(x.Prefix) + ")", unaryLevel
	case expr.HasSuffix:
		return w.Value(x.X) + ".endsWith(" + w.Value(x.Suffix) + ")", unaryLevel
	case expr.IsDigits:
		return `/^\d+$/.test(` + w.Value(x.X) + ")", unaryLevel
	case expr.IsType:
		return w.typed(w.Value(x.X), x.Types)
	case expr.IsURI:
		return "EM.isValidURIorEmpty(" + w.Value(x.X) + ")", unaryLevel
	case expr.IsEmpty:
		v := w.Value(x.X)
		return v + "===null || " + v + "===undefined || " + v + `==="" || Object.keys(` + v + ").length === 0", orLevel
	case expr.Any:
		if each, ok := x.X.(expr.Each); ok && each.Cond == nil {
			return w.Value(each.List) + ".some(" + each.Var + " => " + w.Cond(each.Elem, AnyLevel) + ")", unaryLevel
		}
	case expr.All:
		if each, ok := x.X.(expr.Each); ok && each.Cond == nil {
			return w.Value(each.List) + ".every(" + each.Var + " => " + w.Cond(each.Elem, AnyLevel) + ")", unaryLevel
		}
	}
	return w.fail(), unaryLevel
}

// pattern writes the regular expression of a match.
func (w *Writer) pattern(x expr.Match) string {
	write := literal.JavaScriptRegexp
	if x.Full {
		write = literal.JavaScriptRegexpWhole
	}
	text, ok := write(x.Pattern)
	if !ok {
		return w.fail()
	}
	return text
}

// typed writes that a value is of one of some types.
func (w *Writer) typed(v string, types []expr.Type) (string, int) {
	var parts []string
	if slices.Contains(types, expr.TypeArray) && slices.Contains(types, expr.TypeObject) {
		types = slices.DeleteFunc(slices.Clone(types), func(t expr.Type) bool {
			return t == expr.TypeArray ||
				t == expr.TypeObject
		})
		both := "typeof " + v + ` === "object" && ` + v + " !== null"
		if len(types) == 0 {
			return both, andLevel
		}
		parts = append(parts, both)
	}
	for _, t := range types {
		switch t {
		case expr.TypeString:
			parts = append(parts, "typeof "+v+` === "string"`)
		case expr.TypeBool:
			parts = append(parts, "typeof "+v+` === "boolean"`)
		case expr.TypeInt:
			if !slices.Contains(types, expr.TypeFloat) {
				parts = append(parts, "Number.isInteger("+v+")")
			}
		case expr.TypeFloat:
			parts = append(parts, "typeof "+v+` === "number"`)
		case expr.TypeArray:
			parts = append(parts, "Array.isArray("+v+")")
		case expr.TypeObject:
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
